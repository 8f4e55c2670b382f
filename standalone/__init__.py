"""The checker as one file, `privacy-checker.pyz`, which needs nothing but Python."""

"""The checker as one file, `privacy-checker.pyz`, which needs nothing but Python.

May enter: certificates, and the spec files that they name.
Must not know: any room but the checker.
"""

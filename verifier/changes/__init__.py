"""What a change does to promises: how questions compare, which check is which, locks."""

"""Untrusted engines: whatever they find is re-verified by the checker before it is printed."""

"""Exact decisions about the privacy of mechanisms over finite worlds."""

__version__ = "0.1.0"

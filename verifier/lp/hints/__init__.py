"""Floating point that guides and decides nothing."""

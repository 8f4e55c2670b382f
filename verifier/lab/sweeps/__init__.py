"""Sweeps: every check for every combination of many values, decided in batches, kept in a table."""

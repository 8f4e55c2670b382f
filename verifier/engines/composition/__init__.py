"""Engines for what composes: conditions, runs, influence."""

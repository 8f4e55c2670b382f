"""Engines for what rows of mechanisms span, imply and cost."""

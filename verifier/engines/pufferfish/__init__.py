"""Engines for infinite classes of priors."""

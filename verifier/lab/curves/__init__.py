"""Influence curves of priors, and what they promise about mechanisms."""

"""Exact steps towards a solution: bases, pivots, systems of equations, facets."""

"""Engines for simulators and for inferences."""

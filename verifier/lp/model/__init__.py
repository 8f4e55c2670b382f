"""What a linear program is, and what it can turn out to be."""

from verifier.base.light import load_scipy

load_scipy()

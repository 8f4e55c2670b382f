"""What a linear program is, and what it can turn out to be."""

from verifier.base.light import scipy

scipy("sparse")

"""Noiseless privacy (Bhaskar, Bhowmick, Goyal, Laxman, Thakurta 2011), as in Bassily et al.

Statement. Pufferfish privacy with the pairs of values of each record X_i as secrets:
P(o | X_i = a, θ) <= α·P(o | X_i = b, θ) for all i, a, b with positive probability, every output
and every prior of the class; with δ likewise.

Options. `epsilon` or `exp_epsilon`; `delta`; `priors`: a class, or the name of one; `pairs`:
other pairs than `values`.

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`.

Example. Three fair coins whose exact majority is released: noiseless privacy needs α = 3.
"""

from __future__ import annotations

from verifier.claims.claim import Claim
from verifier.definitions import pufferfish
from verifier.definitions.pufferfish import value
from verifier.spec.model import Check, read_pairs

OPTIONS = pufferfish.OPTIONS

__all__ = ["OPTIONS", "compile", "value"]


def compile(check: Check) -> Claim:
    """The pairs of values of each record, under the class of priors."""
    chosen = check.option("pairs")
    pairs = read_pairs("values" if chosen is None else chosen, check.model)
    return pufferfish.claim(check, pairs, check.priors())

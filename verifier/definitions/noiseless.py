"""What attackers do not know hides each record, with or without noise.

Syntax. `noiseless: {epsilon: LEVEL, delta: NUMBER, priors: CLASS, pairs: PAIRS}`

Statement. X_i is the value of record i, o an output, θ a prior of the class, and α = e^ε the level.
This is Pufferfish privacy with the pairs of values of each record as secrets: P(o | X_i = a, θ) <=
α·P(o | X_i = b, θ) for every i, o and θ, and all a, b of positive probability; with δ likewise.

Options. `epsilon` or `exp_epsilon`, `delta`, `priors`; and
- `pairs`: other pairs of secrets than `values`, the default

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`.

Example. Three fair coins whose exact majority is released: a coin that shows 1 makes the majority 1
with probability 3/4, a coin that shows 0 with 1/4, so 3 is needed.

    worlds: {records: [ann, bob, cat], domain: [0, 1]}
    mechanism: {deterministic: count(value == 1) >= 2}
    priors: {list: [uniform]}
    checks:
      - noiseless: {exp_epsilon: 3}
        leakage: 3

References. Bhaskar, Bhowmick, Goyal, Laxman, Thakurta 2011, Noiseless database privacy, as in
Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definition 6.
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

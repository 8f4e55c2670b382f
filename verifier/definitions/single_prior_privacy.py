"""Single-prior privacy (Kifer, Machanavajjhala 2014, Section 7.1), with the paper's own secrets.

Statement. For every record i, every value t and every output o, P(o | i has t) <=
α·P(o | i is not in the data) and the other way round; with δ, Σ_o max(0, P − α·Q) <= δ. Given that
i has t, the other n − 1 records are independent with the known distribution; given that i is not
in the data, all n records come from other people, independent with that distribution. Every
world has n records; an absent one counts as a value.

Options. `epsilon` or `exp_epsilon`; `delta`; `known`: the distribution, {value: p, …}; `pairs`:
`presence` (as above, the default) or `values` (i has t against i has t').

Leakage. The largest ratio, rational or infinite.

Example. Algorithm 1 with n = 6, q = 1/2, e^ε = 2 leaks 3/2; with `pairs: values` it leaks 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verifier.claims.claim import PolynomialsClaim
from verifier.definitions import hedging_privacy
from verifier.definitions._plain import Matrix
from verifier.definitions.hedging_privacy import Model
from verifier.spec.model import Check

OPTIONS = ("epsilon", "exp_epsilon", "delta", "known", "pairs")


def compile(check: Check) -> PolynomialsClaim:
    """Hedging privacy where the unknown distribution has no weight."""
    check.options.mapping(needs="known")
    return hedging_privacy.claim(check, Fraction(1))


def value(
    rows: Matrix,
    databases: Sequence[Sequence[Any]],
    known: Model,
    alpha: Fraction,
    pairs: str = "presence",
) -> Fraction:
    """The smallest δ at α, straight from the definition; a row has one probability per database."""
    return hedging_privacy.value(rows, databases, known, Fraction(1), [known], alpha, pairs)

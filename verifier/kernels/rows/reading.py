"""An inequality of a row cone as a statement about attackers (Lin, Kifer, Section III-C)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Reading:
    """Σ a_w P(o | w) ≥ 0 for an attacker whose prior is proportional to |a_w| within S₊ and, on
    its own, within S₋.

    positive  S₊, the worlds with a_w > 0
    negative  S₋, the worlds with a_w < 0
    weights   |a_w| / Σ |a|, one for each world: the prior of form (1)
    odds      P(S₋) / P(S₊) under these weights

    With P(S₊ | o) · P(o) = Σ_{S₊} P(w) P(o | w) the inequality reads, after every output o,

        (1)  P(S₋ | o) / P(S₊ | o) ≤ 1                            where P(w) = weights[w],
        (2)  P(S₋ | o) / P(S₊ | o) ≤ 1/odds · P(S₋) / P(S₊)       for any prior odds.

    (The paper writes the ratios with S₊ above; for a sum that is ≥ 0 it is S₋.) Some mechanism of
    the closure attains both, where the inequality is a facet that says more than x_w ≥ 0. Rows of
    a mechanism sum to (1, …, 1), so Σ a_w ≥ 0: the odds are at most 1, and form (1) says that the
    likelier side stays at least as likely.
    """

    positive: tuple[int, ...]
    negative: tuple[int, ...]
    weights: tuple[Fraction, ...]
    odds: Fraction

    @property
    def factor(self) -> Fraction:
        """The most by which an output may multiply the odds of S₋ against S₊."""
        return 1 / self.odds


def read_row(coefficients: Sequence[int]) -> Reading | None:
    """The reading of Σ a_w x_w ≥ 0 for the `coefficients` a; None where there are none on one side.

    >>> read_row([3, -1]).weights, read_row([3, -1]).factor
    ((Fraction(3, 4), Fraction(1, 4)), Fraction(3, 1))
    """
    positive = tuple(w for w, a in enumerate(coefficients) if a > 0)
    negative = tuple(w for w, a in enumerate(coefficients) if a < 0)
    if not positive or not negative:
        return None
    whole = sum(map(abs, coefficients))
    odds = Fraction(-sum(coefficients[w] for w in negative), sum(coefficients[w] for w in positive))
    weights = tuple(Fraction(abs(a), whole) for a in coefficients)
    return Reading(positive, negative, weights, odds)

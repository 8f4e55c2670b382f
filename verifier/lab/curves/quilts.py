"""Markov quilts of a chain (Song, Wang, Chaudhuri 2017): points of the influence curve.

In a chain of records a quilt of X_i is a record on its left, one on its right, or both. Those
between them, X_i among them, are nearby (X_N); given the quilt X_Q, X_i says nothing more about
the remote rest X_R. So hiding X_N shows no more than X_Q does: with H = X_N,

    a†(X_Q ∪ X_R) = e(X_Q | X_i),   the max-influence of X_i on X_Q,

and a mechanism of level ε_DP for one entry satisfies Pufferfish for the values of X_i at
card(X_N)·ε_DP + e(X_Q | X_i); in other words ε_DP = (ε − e(X_Q | X_i)) / card(X_N) serves for ε.
A quilt serves both orders of a pair of values. The curve chooses for each order, and may be lower.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from verifier.questions.beliefs.prior import Prior
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class Quilt:
    """The nearby records, and those of the quilt, by number."""

    nearby: tuple[int, ...]
    quilt: tuple[int, ...]


def of_chain(length: int, record: int) -> Iterator[Quilt]:
    """Every quilt of a record of a chain; the last one is empty, with all records nearby.

    >>> [(q.nearby, q.quilt) for q in of_chain(2, 0)]
    [((0,), (1,)), ((0, 1), ())]
    """
    for left in range(record - 1, -2, -1):
        for right in range(record + 1, length + 1):
            ends = tuple(end for end in (left, right) if 0 <= end < length)
            yield Quilt(tuple(range(left + 1, right)), ends)


def max_influence(
    space: WorldSpace, priors: Sequence[Prior], record: int, others: Sequence[int]
) -> Fraction | None:
    """e to the max-influence of a record on others: the largest P(X_A = x | X_i = a) /
    P(X_A = x | X_i = b) over the priors, values x of the others A, and values a, b that are
    possible; None where infinite (Song et al., Definition 4.1)."""
    largest = Fraction(1)
    for prior in priors:
        joint: dict[int, dict[tuple[int, ...], Fraction]] = defaultdict(
            lambda: defaultdict(Fraction)
        )
        for world, weight in prior.positive().items():
            codes = space.record_codes[:, world].tolist()
            joint[codes[record]][tuple(codes[other] for other in others)] += weight
        for above, below in permutations(joint.values(), 2):
            if not set(above) <= set(below):
                return None
            odds = sum(below.values(), Fraction(0)) / sum(above.values(), Fraction(0))
            largest = max(largest, *(odds * mass / below[x] for x, mass in above.items()))
    return largest


def promise(
    space: WorldSpace, priors: Sequence[Prior], record: int, quilt: Quilt, alpha: Fraction
) -> Fraction | None:
    """e^ε for the values of a record, from the level α = e^ε_DP for one entry and one quilt:
    α^card(X_N)·e^e(X_Q | X_i); None where infinite."""
    told = max_influence(space, priors, record, quilt.quilt)
    return None if told is None else alpha ** len(quilt.nearby) * told

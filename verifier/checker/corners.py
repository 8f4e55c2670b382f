"""Certificates of kind "polytope" by corners of the class, for all events at once.

With A_o = P(s, o), B = P(s), C_o = P(t, o), D = P(t) all events meet the condition exactly if
f = sum of max(0, A_o D - alpha C_o B) - delta B D <= 0. Segments between two corners are enough; at
u x + v y each term is a quadratic form, and f at most that of the positive parts of coefficients.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import gcd
from typing import Any

from . import reading as read
from .document import Budget, index, items, need, prove
from .reading import ONE, ZERO
from .rules import Row

Point = tuple[int, ...]
Values = tuple[list[Any], Any, list[Any], Any]  # A by output, B, C by output, D


def corners(size: int, rows: Sequence[Row]) -> list[Point]:
    """The corners of the x >= 0 of this `size` that satisfy all `rows`, in coprime integers and
    descending order, by double description: one row after the other."""
    found = [tuple(int(k == at) for k in range(size)) for at in range(size)]
    budget = Budget()
    for number, row in enumerate(rows):
        over = {x: row.at(x) for x in found}
        above, below = [x for x in found if over[x] > 0], [x for x in found if over[x] < 0]
        budget.spend(10 * len(found) * (size + number + len(above) * len(below)))
        tight = {x: _tight(x, rows[:number]) for x in found}
        made = [
            _coprime([over[x] * b - over[y] * a for a, b in zip(x, y, strict=True)])
            for x in above
            for y in below
            if sum(tight[x] & tight[y] <= other for other in tight.values()) == 2  # an edge
        ]
        found = [x for x in found if row.allows(over[x])] + made
    return sorted(found, reverse=True)


def _tight(x: Point, rows: Sequence[Row]) -> frozenset[int]:
    """The coordinates that are 0 at `x`; below 0 the `rows` that are."""
    zeros = [k for k, value in enumerate(x) if not value]
    return frozenset(zeros + [~n for n, row in enumerate(rows) if not row.at(x)])


def _coprime(x: Sequence[int]) -> Point:
    divisor = gcd(*x)
    return tuple(value // divisor for value in x)


def is_below(
    sides: Sequence[Sequence[Values]], cuts: Any, unit: Any, alpha: Fraction, delta: Fraction
) -> bool:
    """Whether the condition holds at `alpha` and `delta` on all segments between corners, as `cuts`
    prove; `sides` has the values of all corners by ordered pair of secrets, A and C times `unit`.
    """
    budget, bound = Budget(), Bound(unit, alpha, delta)
    for known, listed in zip(sides, cuts, strict=True):
        need(known, "there are priors")
        shares = _shares(listed, len(known))
        for i, j in list(combinations(range(len(known)), 2)) or [(0, 0)]:
            ends = [ZERO, *shares.get((i, j), []), ONE]
            budget.spend(10 * len(ends) * (1 + len(known[0][0])))
            points = [_mixed(known[i], known[j], share) for share in ends]
            if not all(bound.holds(x, y) for x, y in pairwise(points)):
                return False
    return True


def _shares(listed: Any, count: int) -> dict[tuple[int, int], list[Fraction]]:
    """The shares of the second corner at which segments between two of `count` are cut."""
    found: dict[tuple[int, int], list[Fraction]] = {}
    for i, j, shares in items(listed, 3):
        at = index(i, count), index(j, count)
        need(at[0] < at[1] and at not in found, "a segment is between two corners, cut once")
        found[at] = read.numbers(shares)
        prove(all(x < y for x, y in pairwise([ZERO, *found[at], ONE])), "shares do not ascend")
    return found


def _mixed(first: Values, last: Values, share: Fraction) -> Values:
    """The values of a mixture with this `share` of the last corner, times a positive number."""
    whole, (part,) = read.whole([share])

    def mixed(x: Any, y: Any) -> Any:
        return (whole - part) * x + part * y

    (a, b, c, d), (p, q, r, s) = first, last
    return list(map(mixed, a, p)), mixed(b, q), list(map(mixed, c, r)), mixed(d, s)


class Bound:
    """A quadratic form that is at least f between two points."""

    def __init__(self, unit: Any, alpha: Fraction, delta: Fraction) -> None:
        """That for `alpha` and `delta`, for A and C times `unit`."""
        self.below, (self.above,) = read.whole([alpha])
        down, (up,) = read.whole([delta])
        self.gain, self.loss = down, up * unit * self.below

    def holds(self, x: Values, y: Values) -> bool:
        """Whether it is nowhere positive between `x` and `y`: 2x2 copositivity."""
        f, g, h = self._coefficient(x, x), self._coefficient(y, y), self._coefficient(x, y)
        return bool(f <= 0 and g <= 0 and (h <= 0 or h * h <= f * g))

    def _coefficient(self, x: Values, y: Values) -> Any:
        return self.gain * sum(over for over in self._terms(x, y) if over > 0) - self.loss * (
            x[1] * y[3] + y[1] * x[3]
        )

    def _terms(self, x: Values, y: Values) -> Iterator[Any]:
        """The coefficient of u v in A_o D - alpha C_o B for every output o."""
        for a, c, p, r in zip(x[0], x[2], y[0], y[2], strict=True):
            yield self.below * (a * y[3] + p * x[3]) - self.above * (c * y[1] + r * x[1])

"""The sign of a polynomial of parameters on a place: the one module that decides it.

One parameter lies at a point or in an open interval, whose ends are rational or algebraic; `sturm`
decides without any evidence. Several lie in a cell where conditions hold: of each parameter at a
point or in an open interval. It is the image of positive u, v under (low u + high v)/(u + v), so
that a polynomial has the sign of one that is homogeneous in each pair; which trees of the evidence
prove.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

from .cuts import Region, cut
from .document import FUNCTIONS, need, prove, spend
from .numbers import ONE, Divided, Place, Poly, exponents, parts, primitive, value_at
from .powers import logarithm
from .rates import has_rates
from .sturm import Dense, Gap, Real, common, sign_at, sparse

Terms = dict[tuple[int, ...], int]  # exponents of the variables of a cell -> coefficient
MAX_DEGREE = 5_000
BITS, PRECISION = 160, 96  # binary digits of bounds of polynomials, and of their logarithms
NARROW = 2**100  # an irrational point lies between numbers whose distance times this is at most 1
MOST_INTERVALS = 2000


def dense(a: Poly) -> Dense:
    """A polynomial of one parameter as a tuple."""
    need(not a or max(a) < MAX_DEGREE, "a polynomial of too high a degree")
    return tuple([a.get(k, 0) for k in range(max(a) + 1)]) if a else ()


def formed(a: Poly) -> Dense:
    """The same, or the polynomial itself, where it has powers of e."""
    return a if has_rates(a) else dense(a)


# ------------------------------------------------------------------ one parameter


@dataclass(frozen=True)
class Spot(Place):
    """A piece of the values of one parameter: one point, or the numbers between two ends."""

    name: str
    low: Real
    high: Real
    is_point: bool

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The name of the parameter."""
        return (self.name,)

    @property
    def point(self) -> Sequence[Fraction]:
        """The value, if it is one, and rational."""
        return [self.low.low] * (self.is_point and not self.low.polynomial)

    @cached_property
    def _known(self) -> dict[Poly, set[int]]:
        """What `signs` has found, which is the same on all of it."""
        return {}

    @cached_property
    def gap(self) -> Gap:
        """The numbers between the ends."""
        return Gap(self.low, self.high)

    def signs(self, a: Poly, *alike: set[int]) -> set[int]:
        """The signs that a has on the piece; Divided where they are not all in a set of `alike`."""
        if (found := self._known.get(a)) is None:
            form = formed(a)
            found = {sign_at(form, self.low)} if self.is_point else self.gap.signs(form)
            self._known[a] = found
        if not any(found <= signs for signs in alike):
            raise Divided(formed(a))
        return found

    def vanishes(self, a: Poly) -> bool:
        """Whether a is 0 on the piece; Divided where it is at some points only."""
        return 0 in self.signs(a, {0}, {1, -1})

    def common(self, a: Poly, b: Poly) -> Poly:
        """What two polynomials have in common, and is positive; 1 where it is 0 at a point."""
        if has_rates(a) or has_rates(b):
            return ONE if self.vanishes(b) else super().common(a, b)
        found = sparse(common(dense(a), dense(b)))
        if self.vanishes(found):
            return ONE
        return found if self.positive(found) else found.negative()


# ------------------------------------------------------------------ several parameters


@dataclass(frozen=True)
class Cell(Place):
    """A cell of the values of several parameters: the ends of each, the same where it is fixed; and
    conditions, each of which is >= 0 there, or > 0.

    trees  what proves that a polynomial is nowhere negative on it; 0 for those left out
    asked  the polynomials that were to be proved
    """

    decides = is_point = False
    names: tuple[str, ...]
    sides: tuple[tuple[Fraction, Fraction], ...]
    conditions: Sequence[tuple[Poly, bool]]
    trees: Mapping[Poly, Any] = field(default_factory=dict)
    asked: dict[Poly, None] = field(default_factory=dict)

    @cached_property
    def is_plain(self) -> bool:  # type: ignore[override]
        """Whether it is a point."""
        return all(low == high for low, high in self.sides)

    @property
    def point(self) -> Sequence[Fraction]:
        """The value of each parameter, if it is a point."""
        return [low for low, _ in self.sides] * self.is_plain

    def has(self, point: Sequence[Fraction]) -> bool:
        """Whether a point is in the cell, and the conditions hold there."""
        need(len(point) == len(self.sides) and set(map(type, point)) <= {Fraction}, "a point")
        pairs = zip(point, self.sides, strict=True)
        if not all(low == x == high or low < x < high for x, (low, high) in pairs):
            return False
        found = ((value_at(condition, point), strict) for condition, strict in self.conditions)
        return all(x > 0 or (x == 0 and not strict) for x, strict in found)

    def nonnegative(self, a: Poly) -> bool:
        """Whether a >= 0 on the cell, as its coefficients or a tree prove; else it is rejected."""
        prove(not a or self.proves(a), "a number is not proved to be nowhere negative")
        return True

    def positive(self, a: Poly) -> bool:
        """Whether a > 0 on the cell, as its coefficients or a tree prove; else a <= 0 by them."""
        if a and self.proves(a, strict=True):
            return True
        prove(not a or self.proves(a.negative()), "a number is not proved to be above 0")
        return False

    def common(self, _a: Poly, _b: Poly) -> Poly:
        """1: common factors are not looked for."""
        return ONE

    @cached_property
    def _region(self) -> Region:
        """The cell in its variables."""
        conditions = [self.homogeneous(condition) for condition, _ in self.conditions]
        groups = [2 for low, high in self.sides if low != high]
        return Region(groups, conditions, [strict for _, strict in self.conditions], is_open=True)

    def homogeneous(self, a: Poly) -> Terms:
        """The primitive positive multiple of a in the variables of the cell."""
        listed = [(exponents(m, len(self.sides)), c) for m, c in a.items()]
        degrees = [max(ks) for ks in zip(*(m for m, _ in listed), strict=True)]
        found = {
            tuple([e for k, n in zip(m, degrees, strict=True) for e in (n - k, k)]): c
            for m, c in listed
        }
        kept = list[int]()
        for k, (low, high) in enumerate(self.sides):
            unit = lcm(low.denominator, high.denominator)
            start, end = int(low * unit), int(high * unit)
            u, v = 2 * k, 2 * k + 1  # of v / u the parameter is (start u + v) / (unit u)
            found = cut(found, v, u, start, unit)
            if low != high:
                found = cut(found, u, v, 1, end - start)
                kept += [u, v]
            else:
                found = {m: c for m, c in found.items() if not m[v]}
        divisor = gcd(*found.values()) or 1
        return {tuple([m[k] for k in kept]): c // divisor for m, c in found.items() if c}

    def proves(self, a: Poly, strict: bool = False) -> bool:
        """Whether the coefficients of a polynomial, or the tree of the evidence for it, prove that
        it is nowhere negative on the cell; `strict`ly: that it is positive."""
        key = primitive(a)
        self.asked[key] = None
        tree = self.trees.get(key, 0)
        p = {m: -c for m, c in self.homogeneous(a).items()}
        return self._region.proved(p, tree, strict)


# ------------------------------------------------------------------ products of powers


def is_above_one(powers: Sequence[tuple[Any, int]]) -> bool:
    """Whether bounds of logarithms show that a product of r^k is above 1 on a piece and at its
    ends, over all (r, k) of `powers`; the r are positive."""
    counted: Counter[Poly] = Counter()
    for r, k in powers:
        top, bottom = parts(r)
        counted[top] += k
        counted[bottom] -= k
    forms = [(dense(form), k) for form, k in counted.items() if k]
    spot: Spot = FUNCTIONS.get()
    x, y = spot.low, spot.high
    while spot.is_point and (x.high - x.low) * NARROW > 1:
        x = y = x.halved()
    unit = 1 << BITS
    waiting = [(int(x.low * unit) - 1, int(y.high * unit) + 1)]
    for _ in range(MOST_INTERVALS):
        low, high = waiting.pop()
        middle = (low + high) // 2
        if not _is_above(forms, middle, middle):
            return False
        if not _is_above(forms, low, high):
            waiting += [(low, middle), (middle, high)]
        if not waiting:
            return True
    return False


def _is_above(forms: Sequence[tuple[Dense, int]], low: int, high: int) -> bool:
    """Whether the sum of k ln a over all (a, k) of `forms` is above 0 between two numbers, given
    times a unit, as are the bounds of polynomials; of quotients it cancels."""
    total = 0
    for form, k in forms:
        spend(100 * len(form) + 1000)
        least, most = _bounds(form, low, high)
        if least <= 0:
            return False
        total += k * logarithm(Fraction(least if k > 0 else most), PRECISION)[k < 0]
    return total > 0


def _bounds(form: Dense, low: int, high: int) -> tuple[int, int]:
    """Bounds of a polynomial between two numbers, all times a unit."""
    least = most = 0
    for c in reversed(form):
        ends = [x * y for x in (least, most) for y in (low, high)]
        least = (min(ends) >> BITS) + (c << BITS)
        most = (max(ends) >> BITS) + 1 + (c << BITS)
    return least, most

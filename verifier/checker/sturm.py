"""Polynomials of one variable: what they have in common, and where they have roots.

Coefficients stand from the constant term up, the last not 0; () is 0. They are integers, or numbers
of any kind for what is asked of all x > 0: on a piece of the values of a parameter a sign that is
not the same everywhere then divides the piece. Where Descartes' rule leaves a doubt, Sturm's
theorem decides. A real number is rational, or the only root of a polynomial between two rationals.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd, lcm
from operator import mul
from typing import Any

from . import reading as read
from .document import need, spend

Form = tuple[Any, ...]
Dense = tuple[int, ...]
HALF = Fraction(1, 2)
MOST_DEGREE = 200  # of polynomials whose coefficients are no integers


def shortened(coefficients: Iterable[Any]) -> Form:
    """A positive multiple of a polynomial, with coefficients that have no denominators and nothing
    in common."""
    found = list(coefficients)
    if not all(type(c) is int for c in found):
        found = read.whole(found)[1]
    while found and not found[-1]:
        found.pop()
    for value in found:
        if read.is_other(value):
            return tuple(value.without_common(found))
    divisor = gcd(*found) or 1
    return tuple([c // divisor for c in found])


def multiplied(a: Sequence[Any], b: Sequence[Any]) -> Form:
    """The product of two polynomials."""
    spend(len(a) * len(b))
    found: list[Any] = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return tuple(found)


def divided(a: Form, b: Form) -> tuple[Form, Form]:
    """Positive multiples of quotient and remainder of a by b, which is not 0; the same one."""
    rest, found, lead = list(a), [0] * (len(a) - len(b) + 1), b[-1]
    size = _longest(a) + len(found) * _longest(b)  # of the remainder, whose divisor is found too
    spend(len(a) * (1 + len(found)) * (1 + size // 64 + (size // 1000) ** 2))
    for at in reversed(range(len(found))):
        unit, factor = lead, rest.pop()
        if type(unit) is type(factor) is int:
            shared = gcd(unit, factor)
            unit, factor = unit // shared, factor // shared
        if not lead > 0:
            unit, factor = -unit, -factor
        found, rest = [unit * c for c in found], [unit * c for c in rest]
        found[at] = factor
        for k, c in enumerate(b[:-1]):
            rest[at + k] -= factor * c
    return tuple(found), tuple(rest)


def common(a: Form, b: Form) -> Form:
    """The largest common divisor of a and b, not both 0, without a constant factor."""
    while b:
        a, b = b, shortened(divided(a, b)[1])
    return shortened(a)


def derivative(a: Form) -> Form:
    """The derivative of a."""
    return tuple([k * c for k, c in enumerate(a)][1:])


def odd_part(a: Form) -> Form:
    """The product of the factors that divide a an odd number of times, each once."""
    again, found, odd = common(a, derivative(a)), Form((1,)), True
    distinct = shortened(divided(a, again)[0])
    while len(distinct) > 1:
        more = common(again, distinct)
        if odd:
            found = shortened(multiplied(found, divided(distinct, more)[0]))
        again, distinct, odd = shortened(divided(again, more)[0]), more, not odd
    return found


def _chain(a: Form) -> list[Form]:
    """The polynomial, its derivative, and remainders with opposite signs while they are not 0."""
    found, other = [shortened(a)], shortened(derivative(a))
    while other:
        found.append(other)
        other = shortened([-c for c in divided(found[-2], other)[1]])
    return found


def _changes(values: Iterable[Any]) -> int:
    """How often the sign changes in a sequence of numbers, of which 0 has none."""
    signs = [value > 0 for value in values if value]
    return sum(x != y for x, y in pairwise(signs))


def roots_between(a: Dense, low: Fraction, high: Fraction) -> int:
    """The number of different roots between two numbers, neither of them a root, after Sturm."""
    chain = _chain(a)
    ends = ([sign(p, x) for p in chain] for x in (low, high))
    before, after = map(_changes, ends)
    return before - after


def is_nowhere_positive(coefficients: Sequence[Any]) -> bool:
    """Whether the polynomial with these `coefficients`, from degree 0 up, is <= 0 above 0.

    With no sign change between 0 and infinity, it is where it is so near both; and it changes its
    sign at roots of odd multiplicity."""
    need(len(coefficients) <= MOST_DEGREE, "a polynomial of too high a degree")
    a = shortened(coefficients)
    while a and not a[0]:
        a = a[1:]
    if not a or a[0] > 0 or a[-1] > 0:
        return not a
    return not _roots_above_0(a) or not _roots_above_0(odd_part(a))


def _roots_above_0(a: Form) -> int:
    chain = _chain(a)
    return _changes(p[0] for p in chain) - _changes(p[-1] for p in chain)


# ------------------------------------------------------------------ values and bounds


def sign(a: Dense, x: Fraction) -> int:
    """The sign of a(x)."""
    n, d = x.as_integer_ratio()
    total, unit = 0, 1
    for c in reversed(a):
        total = total * n + c * unit
        unit *= d
    return (total > 0) - (total < 0)


def _spend_value(a: Dense, x: Fraction) -> None:
    own = sum(n.bit_length() for n in x.as_integer_ratio())
    size = _longest(a) + len(a) * own
    spend(len(a) * (1 + size // 2000 + size * own // 100_000))


def variations(a: Dense, low: Fraction, high: Fraction) -> int:
    """Sign variations of (1 + s)^n a((low + high s)/(1 + s)): 0 or 1 is the number of roots between
    `low` and `high`, with their multiplicities."""
    unit = lcm(low.denominator, high.denominator)
    start, width = int(low * unit), int((high - low) * unit)
    if start:  # of x / start
        found = _scaled(_shifted(_scaled(a, start, unit)), width, start)
    else:
        found = _scaled(a, width, unit)
    return _changes(_shifted(found[::-1]))


def _scaled(a: Sequence[int], factor: int, unit: int) -> list[int]:
    """The coefficients of unit^n a(factor x / unit), for the degree n."""
    below = list(accumulate([unit] * (len(a) - 1), mul, initial=1))
    above = accumulate([factor] * (len(a) - 1), mul, initial=1)
    return [c * up * down for c, up, down in zip(a, above, reversed(below), strict=True)]


def _shifted(a: list[int]) -> list[int]:
    """The coefficients of a(x + 1), by repeated division."""
    out = a[::-1]
    for size in range(len(out), 1, -1):
        out[:size] = accumulate(out[:size])
    return out[::-1]


def _longest(a: Form) -> int:
    return max((c.bit_length() if type(c) is int else read.size(c) for c in a), default=0)


def spend_rule(a: Dense, *ends: Fraction, times: int = 1) -> None:
    """Refuse more steps than Descartes' rule between two ends has, whose powers go into the
    coefficients."""
    spend(times * _cost(a, *ends))


def _cost(a: Dense, *ends: Fraction) -> int:
    own = sum(n.bit_length() for end in ends for n in end.as_integer_ratio())
    size = _longest(a) + len(a) * own
    return 5 * len(a) ** 2 * (1 + _longest(a) // 64 + size // 2000 + size * own // 100_000)


# ------------------------------------------------------------------ real numbers


@dataclass(frozen=True)
class Real:
    """A rational, where there is no polynomial; or its only root between `low` and `high`, which
    is simple."""

    low: Fraction
    high: Fraction
    polynomial: Dense = ()

    def halved(self) -> "Real":
        """The same with an interval half as long; the middle itself if that is the root."""
        if not self.polynomial:
            return self
        size = len(self.polynomial)
        spend(1000 * size + _cost(self.polynomial, self.low, self.high) // (1 + size))
        middle = (self.low + self.high) * HALF
        side = sign(self.polynomial, middle)
        if not side:
            return Real(middle, middle)
        if side == sign(self.polynomial, self.low):
            return Real(middle, self.high, self.polynomial)
        return Real(self.low, middle, self.polynomial)


def compare(x: Real, y: Real) -> int:
    """-1, 0 or 1, as x is below y, the same or above."""
    if x.polynomial and y.polynomial:
        low, high = max(x.low, y.low), min(x.high, y.high)
        both = common(x.polynomial, y.polynomial)
        if low < high and sign(both, low) * sign(both, high) < 0:
            return 0
    elif x.polynomial or y.polynomial:
        one, other = (x, y.low) if x.polynomial else (y, x.low)
        _spend_value(one.polynomial, other)
        if one.low < other < one.high and not sign(one.polynomial, other):
            return 0
    elif x.low == y.low:
        return 0
    while not (x.high <= y.low or y.high <= x.low):
        x, y = x.halved(), y.halved()
    return -1 if x.high <= y.low else 1


def sign_at(a: Dense, x: Real) -> int:
    """The sign of a at a real number."""
    if not x.polynomial or len(a) < 2:
        _spend_value(a, x.low)
        return sign(a, x.low)
    spend_rule(a, x.low, x.high)
    if not _is_apart(a, x):  # else no divisor has to be found
        both = common(a, x.polynomial)
        if sign(both, x.low) * sign(both, x.high) < 0:
            return 0
    while not _is_apart(a, x):
        spend_rule(a, x.low, x.high)
        x = x.halved()
        if not x.polynomial:
            return sign(a, x.low)
    return sign(a, x.low)


def _is_apart(a: Dense, x: Real) -> bool:
    """Whether a has one sign from the lower end of x to the upper one."""
    return sign(a, x.low) == sign(a, x.high) != 0 == variations(a, x.low, x.high)


@dataclass
class Gap:
    """The numbers between two real ones, low < high."""

    low: Real
    high: Real

    def __post_init__(self) -> None:
        while self.low.high >= self.high.low:
            self.low, self.high = self.low.halved(), self.high.halved()

    @property
    def sample(self) -> Fraction:
        """A rational between them."""
        return (self.low.high + self.high.low) * HALF

    def is_free(self, a: Dense) -> bool:
        """Whether a vanishes nowhere between them."""
        if len(a) < 2:
            return a != ()
        first, last = self.low.low, self.high.high  # all that may lie between them
        if first >= 0 and (min(a) >= 0 or max(a) <= 0):
            return True
        spend_rule(a, first, last)
        if not variations(a, first, last):
            return True
        self.low, self.high = self._cleared(a, self.low), self._cleared(a, self.high)
        for end in (self.low, self.high):
            a = a if end.polynomial else self._without(a, end)
        first, last = self.low.high, self.high.low
        spend_rule(a, first, last)
        if not (found := variations(a, first, last)):
            return True
        if found == 1:
            return False
        spend_rule(a, times=50 * len(a))
        return not roots_between(a, first, last)

    def roots(self, a: Dense) -> list[Real]:
        """The different roots of a, which is not 0, between them, ascending; by bisection until
        Descartes' rule finds one or none."""
        spend_rule(a, times=50 * len(a))
        a = shortened(divided(a, common(a, derivative(a)))[0])
        self.low, self.high = self._cleared(a, self.low), self._cleared(a, self.high)
        for end in (self.low, self.high):
            a = a if end.polynomial else self._without(a, end)
        waiting, found = [(self.low.high, self.high.low)], list[Real]()
        while waiting:
            low, high = waiting.pop()
            spend_rule(a, low, high)
            count = variations(a, low, high)
            if count == 1:
                found.append(Real(low, high, a))
            elif count:
                middle = (low + high) * HALF
                if not sign(a, middle):
                    found.append(Real(middle, middle))
                    a = divided(a, (-middle.numerator, middle.denominator))[0]
                waiting += [(low, middle), (middle, high)]
        return sorted(found, key=lambda root: root.low)

    def _without(self, a: Dense, end: Real) -> Dense:
        """a, divided by what it has in common with the polynomial of an end until it does not
        vanish there."""
        own = end.polynomial or (-end.low.numerator, end.low.denominator)
        while not sign_at(a, end):
            spend_rule(a)
            a = shortened(divided(a, common(a, own))[0])
        return a

    def _cleared(self, a: Dense, end: Real) -> Real:
        """An end with an interval so short that a has no other root in it."""
        a = self._without(a, end)
        while end.polynomial and (
            variations(a, end.low, end.high) or not sign(a, end.low) * sign(a, end.high)
        ):
            spend_rule(a, end.low, end.high)
            end = end.halved()
        return end

    def side(self, a: Dense) -> int:
        """1 where a >= 0 everywhere between them, -1 where a < 0 everywhere; 0 where neither."""
        if not a:
            return 1
        if self.is_free(a):
            return sign(a, self.sample)
        spend_rule(a, times=50 * len(a))
        if not self.is_free(odd_part(a)):
            return 0
        x = self.sample
        while not sign(a, x):
            x = (x + self.high.low) * HALF
        return max(0, sign(a, x))

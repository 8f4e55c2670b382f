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

from . import rates
from . import reading as read
from .document import need, spend
from .numbers import Poly, spend_products
from .rates import INFINITE

Form = tuple[Any, ...]
Dense = Any  # a tuple of integers; or a Poly with powers of e, for which `rates` is asked
HALF, NARROW = Fraction(1, 2), 2**16
MOST_DEGREE = 200  # of polynomials whose coefficients are no integers


def longest(values: Iterable[Any]) -> int:
    """How many binary digits the longest of some numbers has."""
    return max((x.bit_length() if type(x) is int else read.size(x) for x in values), default=0)


def shortened(coefficients: Iterable[Any]) -> Form:
    """A positive multiple of a polynomial, with coefficients that have no denominators and nothing
    in common."""
    found = list(coefficients)
    if not all(type(c) is int for c in found):
        found = read.in_integers(found)[1]
        if not read.is_other(*found):  # all functions have cancelled
            found = read.in_integers(found)[1]
    while found and not found[-1]:
        found.pop()
    for value in found:
        if read.is_other(value):
            return tuple(value.without_common(found))
    size = longest(found)
    spend(len(found) * (1 + size // 50 + size * size // 200_000))
    divisor = gcd(*found) or 1
    return tuple([c // divisor for c in found])


def multiplied(a: Sequence[Any], b: Sequence[Any]) -> Form:
    """The product of two polynomials."""
    spend_products(len(a) * len(b), longest(a), longest(b))
    found: list[Any] = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return tuple(found)


def divided(a: Form, b: Form) -> tuple[Form, Form]:
    """Positive multiples of quotient and remainder of a by b, which is not 0; the same one."""
    rest, found, lead = list(a), [0] * (len(a) - len(b) + 1), b[-1]
    own = longest(b)
    size = longest(a) + len(found) * own  # of the remainder
    spend(len(found) * (len(a) + len(b)) * (2 + size // 5000 + size * own // 100_000))
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
    if isinstance(a, Poly) or isinstance(b, Poly):
        return rates.common(sparse(a), sparse(b))
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


def sparse(a: Dense) -> Poly:
    """A polynomial by exponents."""
    return a if type(a) is Poly else Poly({k: c for k, c in enumerate(a) if c})


# ------------------------------------------------------------------ values and bounds


def sign(a: Dense, x: Fraction) -> int:
    """The sign of a(x)."""
    if type(a) is Poly:
        return rates.sign(a, x)
    n, d = x.as_integer_ratio()
    own = n.bit_length() + d.bit_length()
    spend(len(a) * (4 + own * (longest(a) + len(a) * own) // 100_000))
    total, unit = 0, 1
    for c in reversed(a):
        total = total * n + c * unit
        unit *= d
    return (total > 0) - (total < 0)


def variations(a: Dense, low: Fraction, high: Fraction) -> int:
    """Sign variations of (1 + s)^n a((low + high s)/(1 + s)): 0 or 1 is the number of roots between
    `low` and `high`, with their multiplicities."""
    if type(a) is Poly:
        return rates.variations(a, low, high)
    unit = lcm(low.denominator, high.denominator)
    start, width = int(low * unit), int((high - low) * unit)
    size = longest(a) + len(a) * max(map(int.bit_length, (unit, start, width)))
    spend(len(a) * (20 + size * size // 400_000 + len(a) * (2000 + size) // 1500))
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


# ------------------------------------------------------------------ real numbers


@dataclass(frozen=True)
class Real:
    """A rational, where there is no polynomial; or its only root between `low` and `high`, which
    is simple."""

    low: Fraction
    high: Fraction
    polynomial: Dense = ()

    @property
    def form(self) -> Dense:
        """A polynomial of which it is the only root from `low` to `high`, a simple one."""
        return self.polynomial or (-self.low.numerator, self.low.denominator)

    def halved(self) -> "Real":
        """The same with an interval half as long; the middle itself if that is the root."""
        if not self.polynomial:
            return self
        middle = (self.low + self.high) * HALF
        side = sign(self.polynomial, middle)
        if not side:
            return Real(middle, middle)
        if side == sign(self.polynomial, self.low):
            return Real(middle, self.high, self.polynomial)
        return Real(self.low, middle, self.polynomial)


def between(low: Fraction, high: Fraction) -> Fraction:
    """A rational between two, of which the upper one may be infinite."""
    return (low + high) * HALF if high != INFINITE else max(2 * low, Fraction(1))


def compare(x: Real, y: Real) -> int:
    """-1, 0 or 1, as x is below y, the same or above."""
    if INFINITE in (x.low, y.low):
        return (x.low > y.low) - (x.low < y.low)
    low, high = max(x.low, y.low), min(x.high, y.high)
    if low <= high and vanishes_between(common(x.form, y.form), low, high):
        return 0
    while not (x.high <= y.low or y.high <= x.low):
        x, y = x.halved(), y.halved()
    return -1 if x.high <= y.low else 1


def vanishes_between(a: Dense, low: Fraction, high: Fraction) -> bool:
    """Whether a has a root from `low` to `high`, if it has at most one there, a simple one."""
    return sign(a, low) * sign(a, high) <= 0


def sign_at(a: Dense, x: Real) -> int:
    """The sign of a at a real number; unless it is 0, the same on a short interval around it."""
    known = False
    while x.polynomial and not _is_apart(a, x):
        if not known and vanishes_between(common(a, x.polynomial), x.low, x.high):
            return 0
        x, known = x.halved(), True
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
        return between(self.low.high, self.high.low)

    def signs(self, a: Dense) -> set[int]:
        """The signs that a has between them."""
        roots = self.roots(a) if a else []
        gaps = [Gap(*ends) for ends in pairwise([self.low, *roots, self.high])]
        return {sign(a, gap.sample) for gap in gaps} | {0 for _ in roots}

    def roots(self, a: Dense) -> list[Real]:
        """The different roots of a, which is not 0, between them, ascending; by bisection until
        Descartes' rule finds one or none."""
        first, last = self.low.low, self.high.high  # all that may lie between them
        a = sparse(a) if last == INFINITE else a
        plain = distinct = type(a) is tuple
        alike = plain and (len(a) < 2 or (first >= 0 and (min(a) >= 0 or max(a) <= 0)))
        if alike or not variations(a, first, last):
            return []
        cuts = [] if plain else [x for x in rates.coincidences(a) if first < x < last]
        waiting = list(pairwise([first, *cuts, last]))
        found = [Real(x, x) for x in cuts if not sign(a, x)]
        a = _without(_without(a, first), last)
        if plain and variations(a, first, last) > 1:
            a = shortened(divided(a, common(a, derivative(a)))[0])
        while waiting:
            low, high = waiting.pop()
            count = variations(a, low, high)
            if count == 1 and (plain or (high != INFINITE and sign(a, low) * sign(a, high) < 0)):
                found.append(Real(low, high, a))
            elif count:
                if not distinct and (high - low) * NARROW < 1:  # there may be a double one
                    a, distinct = rates.distinct(a), True
                middle = between(low, high)
                if not sign(a, middle):
                    found.append(Real(middle, middle))
                    a = _without(a, middle)
                waiting += [(low, middle), (middle, high)]
        inside = (x for x in found if compare(self.low, x) < 0 < compare(self.high, x))
        return sorted(inside, key=lambda root: root.low)


def _without(a: Dense, x: Fraction) -> Dense:
    """a without its root x, if it has this one."""
    while type(a) is tuple and not sign(a, x):
        a = divided(a, (-x.numerator, x.denominator))[0]
    return a

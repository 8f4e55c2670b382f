"""Integer polynomials of one variable: where they vanish, and which sign they have there.

A polynomial is a tuple of integers from the constant term up, the last not 0; () is 0. A real
number is rational, or the only root of a polynomial between two rationals. Descartes' rule counts
roots where it finds no or one sign variation; Sturm's theorem decides where it leaves a doubt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd
from typing import Any

from . import reading as read
from .reading import Budget, need

Poly = tuple[int, ...]
ZERO: Poly = ()
ONE: Poly = (1,)
HALF = Fraction(1, 2)
MAX_DEGREE = 5_000


class Divided(ArithmeticError):
    """A polynomial has not the same sign everywhere on a piece."""

    def __init__(self, polynomial: Poly) -> None:
        super().__init__("a piece is not divided where a comparison changes")
        self.polynomial = polynomial


def trimmed(terms: Iterable[int]) -> Poly:
    """The polynomial with these coefficients."""
    found = list(terms)
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def plus(a: Poly, b: Poly, factor: int = 1) -> Poly:
    """a + `factor` b."""
    out = [*a, *[0] * (len(b) - len(a))]
    for i, c in enumerate(b):
        out[i] += factor * c
    return trimmed(out)


def times(a: Poly, b: Poly) -> Poly:
    """a b."""
    if a in (ZERO, ONE) or b in (ZERO, ONE):
        return a if a == ZERO or b == ONE else b
    need(len(a) + len(b) <= MAX_DEGREE, "a polynomial of too high a degree")
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return tuple(out)


def power(a: Poly, exponent: int) -> Poly:
    """a^`exponent`."""
    found = ONE
    for _ in range(exponent):
        found = times(found, a)
    return found


def steps_of_product(*factors: Poly, exponent: int = 1) -> int:
    """Those that it takes to multiply powers of `factors`."""
    size, bits = sum(map(len, factors)) * exponent, sum(map(_longest, factors)) * exponent
    return size**2 * (1 + bits // 2000 + (bits // 3000) ** 2)


def primitive(a: Poly) -> Poly:
    """a divided by the largest common divisor of its coefficients."""
    divisor = gcd(*a)
    return tuple([c // divisor for c in a]) if divisor > 1 else a


def sign(a: Poly, x: Fraction) -> int:
    """The sign of a(x)."""
    n, d = x.as_integer_ratio()
    total, unit = 0, 1
    for c in reversed(a):
        total = total * n + c * unit
        unit *= d
    return (total > 0) - (total < 0)


def steps_of_value(a: Poly, x: Fraction) -> int:
    """Those that it takes to find a(x)."""
    own = sum(n.bit_length() for n in x.as_integer_ratio())
    size = _longest(a) + len(a) * own
    return len(a) * (1 + size // 2000 + size * own // 100_000)


def variations(a: Poly, low: Fraction, high: Fraction) -> int:
    """Sign variations of (1 + s)^n a((low + high s)/(1 + s)): 0 or 1 is the number of roots between
    `low` and `high`, with their multiplicities."""
    unit = low.denominator * high.denominator
    start, width = int(low * unit), int((high - low) * unit)
    degree = len(a) - 1
    if start:  # of x / start
        out = _shifted([c * unit ** (degree - i) * start**i for i, c in enumerate(a)])
        out = [c * width**i * start ** (degree - i) for i, c in enumerate(out)]
    else:
        out = [c * unit ** (degree - i) * width**i for i, c in enumerate(a)]
    out = _shifted(out[::-1])
    signs = [c > 0 for c in out if c]
    return sum(x != y for x, y in pairwise(signs))


def _shifted(a: list[int]) -> list[int]:
    """The coefficients of a(x + 1), by repeated division."""
    out = a[::-1]
    for size in range(len(out), 1, -1):
        out[:size] = accumulate(out[:size])
    return out[::-1]


def divided(a: Poly, b: Poly) -> tuple[Poly, Poly]:
    """Positive multiples of quotient and remainder of a by b, which is not 0; the same one."""
    rest, out, lead = list(a), [0] * max(0, len(a) - len(b) + 1), b[-1]
    while len(rest) >= len(b):
        common = gcd(rest[-1], lead)
        up, k = abs(lead) // common, rest[-1] // common * (1 if lead > 0 else -1)
        rest, out = [c * up for c in rest], [c * up for c in out]
        out[len(rest) - len(b)] = k
        for i, c in enumerate(b):
            rest[len(rest) - len(b) + i] -= k * c
        rest = list(trimmed(rest))
    return trimmed(out), tuple(rest)


def common(a: Poly, b: Poly, budget: Budget) -> Poly:
    """The largest common divisor of a and b, not both 0, without a constant factor."""
    while b:
        steps = abs(len(a) - len(b)) + 2
        size = _longest(a) + steps * _longest(b)  # of the remainder, whose divisor is found too
        budget.spend(len(a) * steps * (1 + size // 64 + (size // 1000) ** 2))
        a, b = b, primitive(divided(a, b)[1])
    return primitive(a)


def derivative(a: Poly) -> Poly:
    """The derivative of a."""
    return tuple([i * c for i, c in enumerate(a)][1:])


def odd_part(a: Poly, budget: Budget) -> Poly:
    """The product of the factors that divide a an odd number of times, each once."""
    again = common(a, derivative(a), budget)
    distinct, found, odd = divided(a, again)[0], ONE, True
    while len(distinct) > 1:
        more = common(again, distinct, budget) if len(again) > 1 else ONE
        once = primitive(divided(distinct, more)[0])
        found = times(found, once) if odd else found
        again = primitive(divided(again, more)[0])
        distinct, odd = more, not odd
    return found


def roots_between(a: Poly, low: Fraction, high: Fraction) -> int:
    """The number of different roots between two numbers, neither of them a root, after Sturm."""
    chain = [primitive(a), primitive(derivative(a))]
    while chain[-1]:
        chain.append(primitive(tuple([-c for c in divided(chain[-2], chain[-1])[1]])))

    def changes(x: Fraction) -> int:
        signs = [s for s in (sign(p, x) for p in chain) if s]
        return sum(s != t for s, t in pairwise(signs))

    return changes(low) - changes(high)


@dataclass(frozen=True)
class Real:
    """A rational, where there is no polynomial; or its only root between `low` and `high`, which
    is simple."""

    low: Fraction
    high: Fraction
    polynomial: Poly = ZERO

    @property
    def steps(self) -> int:
        """Those that it takes to halve the interval."""
        size = len(self.polynomial)
        return 1000 * size + _cost(self.polynomial, self.low, self.high) // (1 + size)

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


def compare(x: Real, y: Real, budget: Budget) -> int:
    """-1, 0 or 1, as x is below y, the same or above."""
    if x.polynomial and y.polynomial:
        low, high = max(x.low, y.low), min(x.high, y.high)
        both = common(x.polynomial, y.polynomial, budget)
        if low < high and sign(both, low) * sign(both, high) < 0:
            return 0
    elif x.polynomial or y.polynomial:
        one, other = (x, y.low) if x.polynomial else (y, x.low)
        budget.spend(steps_of_value(one.polynomial, other))
        if one.low < other < one.high and not sign(one.polynomial, other):
            return 0
    elif x.low == y.low:
        return 0
    while not (x.high <= y.low or y.high <= x.low):
        budget.spend(x.steps + y.steps)
        x, y = x.halved(), y.halved()
    return -1 if x.high <= y.low else 1


def sign_at(a: Poly, x: Real, budget: Budget) -> int:
    """The sign of a at a real number."""
    if not x.polynomial or len(a) < 2:
        budget.spend(steps_of_value(a, x.low))
        return sign(a, x.low)
    budget.spend(_cost(a, x.low, x.high))
    if not _is_apart(a, x):  # else no divisor has to be found
        both = common(a, x.polynomial, budget)
        if sign(both, x.low) * sign(both, x.high) < 0:
            return 0
    while not _is_apart(a, x):
        budget.spend(_cost(a, x.low, x.high) + x.steps)
        x = x.halved()
        if not x.polynomial:
            return sign(a, x.low)
    return sign(a, x.low)


def _is_apart(a: Poly, x: Real) -> bool:
    """Whether a has one sign from the lower end of x to the upper one."""
    return sign(a, x.low) == sign(a, x.high) != 0 == variations(a, x.low, x.high)


@dataclass
class Gap:
    """The numbers between two real ones, low < high."""

    low: Real
    high: Real
    budget: Budget

    def __post_init__(self) -> None:
        self._apart()

    def _apart(self) -> None:
        while self.low.high >= self.high.low:
            self.budget.spend(self.low.steps + self.high.steps)
            self.low, self.high = self.low.halved(), self.high.halved()

    @property
    def sample(self) -> Fraction:
        """A rational between them."""
        return (self.low.high + self.high.low) * HALF

    def is_free(self, a: Poly) -> bool:
        """Whether a vanishes nowhere between them."""
        if len(a) < 2:
            return a != ZERO
        first, last = self.low.low, self.high.high  # all that may lie between them
        self.budget.spend(_cost(a, first, last) // 2)
        if not variations(a, first, last):
            return True
        self.low, self.high = self._cleared(a, self.low), self._cleared(a, self.high)
        for end in (self.low, self.high):
            a = a if end.polynomial else self._without(a, end)
        first, last = self.low.high, self.high.low
        self.budget.spend(_cost(a, first, last) // 2)
        if not (found := variations(a, first, last)):
            return True
        if found == 1:
            return False
        self.budget.spend(50 * len(a) * _cost(a))
        return not roots_between(a, first, last)

    def roots(self, a: Poly) -> list[Real]:
        """The different roots of a, which is not 0, between them, ascending; by bisection until
        Descartes' rule finds one or none."""
        self.budget.spend(50 * len(a) * _cost(a))
        a = primitive(divided(a, common(a, derivative(a), self.budget))[0])
        self.low, self.high = self._cleared(a, self.low), self._cleared(a, self.high)
        for end in (self.low, self.high):
            a = a if end.polynomial else self._without(a, end)
        waiting, found = [(self.low.high, self.high.low)], list[Real]()
        while waiting:
            low, high = waiting.pop()
            self.budget.spend(_cost(a, low, high))
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

    def _without(self, a: Poly, end: Real) -> Poly:
        """a, divided by what it has in common with the polynomial of an end until it does not
        vanish there."""
        own = end.polynomial or (-end.low.numerator, end.low.denominator)
        while not sign_at(a, end, self.budget):
            self.budget.spend(_cost(a))
            a = primitive(divided(a, common(a, own, self.budget))[0])
        return a

    def _cleared(self, a: Poly, end: Real) -> Real:
        """An end with an interval so short that a has no other root in it."""
        a = self._without(a, end)
        while end.polynomial and (
            variations(a, end.low, end.high) or not sign(a, end.low) * sign(a, end.high)
        ):
            self.budget.spend(_cost(a, end.low, end.high) + end.steps)
            end = end.halved()
        return end

    def side(self, a: Poly) -> int:
        """1 where a >= 0 everywhere between them, -1 where a < 0 everywhere; 0 where neither."""
        if not a:
            return 1
        if self.is_free(a):
            return sign(a, self.sample)
        self.budget.spend(50 * len(a) * _cost(a))
        if not self.is_free(odd_part(a, self.budget)):
            return 0
        x = self.sample
        while not sign(a, x):
            x = (x + self.high.low) * HALF
        return max(0, sign(a, x))


def _longest(a: Poly) -> int:
    return max(map(int.bit_length, a), default=0)


def _cost(a: Poly, *ends: Fraction) -> int:
    """The steps of Descartes' rule between two ends, whose powers go into the coefficients."""
    own = sum(n.bit_length() for end in ends for n in end.as_integer_ratio())
    size = _longest(a) + len(a) * own
    return 5 * len(a) ** 2 * (1 + _longest(a) // 64 + size // 2000 + size * own // 100_000)


@dataclass(frozen=True)
class End:
    """The end of a set of numbers, and whether it belongs to them."""

    at: Real
    closed: bool


def read_end(value: Any, budget: Budget) -> End:
    """An end: a rational, or a polynomial with rationals around its only root between them."""
    if "rational" in read.mapping(value):
        text, closed = read.fields(value, "rational closed")
        at = read.number(text)
        need(type(at) is Fraction, "an end is rational or algebraic")
        found = Real(at, at)
    else:
        listed, around, closed = read.fields(value, "polynomial between closed")
        low, high = read.numbers(around)
        polynomial = read_integers(listed)
        need(len(polynomial) > 1 and low < high, "a root lies between two numbers")
        budget.spend(_cost(polynomial, low, high))
        simple = variations(polynomial, low, high) == 1
        simple = simple and sign(polynomial, low) * sign(polynomial, high) < 0
        need(simple, "a polynomial with one root between the two numbers is needed")
        found = Real(low, high, polynomial)
    need(type(closed) is bool, "closed is true or false")
    return End(found, closed)


def read_integers(listed: Sequence[Any]) -> Poly:
    """A polynomial from texts of integers, the last of which is not 0."""
    found = read.numbers(read.items(listed))
    whole = all(type(c) is Fraction and c.denominator == 1 for c in found)
    need(whole and len(found) <= MAX_DEGREE, "integers are needed")
    need(not found or found[-1], "the last coefficient is not 0")
    return tuple([c.numerator for c in found])

"""The exact numbers that are no rationals: quotients of two integer polynomials, and their texts.

A polynomial maps exponents to coefficients other than 0: those of parameters, as the digits of one
integer, or that of e. So a product adds them at once. Numbers are added, multiplied and divided as
polynomials. Which sign one has is decided by the place where it lies, and there alone: `signs` for
parameters; for powers of e, which are linearly independent over the rationals (Lindemann,
Weierstrass), bounds whose digits grow until positive and negative terms are apart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd, lcm
from typing import Any

from .document import FUNCTIONS, MAX_DIGITS, TEXTS, Refused, keep, kept, need, prove, spend
from .powers import enclosure, settled

DIGIT = 64  # binary ones, for the exponent of a parameter; of e^x there are two
CONSTANT = 3 * DIGIT  # where that of e begins, beside one parameter and powers of e with it
SCALE = 720_720 * 10**6  # of exponents of e: of usual denominators they are integers
UNIT = SCALE << CONSTANT  # the exponent of e itself
MAX_EXPONENT, MOST_OF_E = 5_000, 10**4
MAX_SHARED = 1000  # terms of a common denominator
MAX_BITS = 2**16
NEAR = 64  # binary digits of ends by which numbers are compared first
MAX_WORK = 2**24  # terms times bits, for one sign
NEEDS_RATIONAL = "a rational number is needed"
# what stands before a power of e with a parameter in the exponent, and the numbers in it
RATE = r"(?:(.*)\*)?e\^(?:{0}|\((?:([0-9]+)\*)?{0}(?:/([0-9]+))?\))"
FACTOR = re.compile(r"([a-zA-Z_]\w*)(?:\^([0-9]+)|\^\((-?[0-9]+(?:/[0-9]+)?)\))?")
SLASH = re.compile(r"/(?![0-9]+\))")  # of a quotient, not of an exponent


def spend_products(count: int, bits: int, more: int) -> None:
    """Refuse so many (`count`) products of integers of `bits` and of `more` binary digits, each
    added to something, that there is no time left for."""
    spend(count * (3 + (bits + more) // 2000 + bits * more // 100_000))


class Poly(dict[int, int]):
    """An integer polynomial: exponents -> coefficient, never 0. It is not changed once made."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset((m, 2 * c) for m, c in self.items()))  # as hash(-1) is hash(-2)

    @property
    def is_constant(self) -> bool:
        """Whether no parameter is in it."""
        return not self or (len(self) == 1 and 0 in self)

    @property
    def longest(self) -> int:
        """How many binary digits its longest coefficient has."""
        return max(map(int.bit_length, self.values()), default=0)

    def size(self) -> int:
        """How many binary digits all coefficients have."""
        return sum(map(int.bit_length, self.values()))

    def plus(self, other: "Poly", factor: int) -> "Poly":
        """This and `factor` times another one."""
        spend(10 + len(self) // 4 + 2 * len(other))
        found = Poly(self)
        for m, c in other.items():
            found[m] = found.get(m, 0) + factor * c
            if not found[m]:
                del found[m]
        return found

    def times(self, other: "Poly") -> "Poly":
        """The product with another one."""
        if self == ONE or other == ONE:
            return other if self == ONE else self
        bits = self.longest + other.longest
        spend(10)
        spend_products(len(self) * len(other), self.longest, other.longest)
        found = Poly()
        for m, x in self.items():
            for n, y in other.items():
                found[m + n] = found.get(m + n, 0) + x * y
            keep(len(found), bits)
        return found if all(found.values()) else Poly({m: c for m, c in found.items() if c})

    def negative(self) -> "Poly":
        """Minus this."""
        return Poly({m: -c for m, c in self.items()})


ZERO, ONE = Poly(), Poly({0: 1})


def primitive(a: Poly) -> Poly:
    """a divided by the largest common divisor of its coefficients."""
    return over(a, gcd(*a.values()) or 1)


def over(a: Poly, divisor: int) -> Poly:
    """a divided by a divisor of all its coefficients."""
    return a if divisor == 1 else Poly({m: c // divisor for m, c in a.items()})


def divided(a: Poly, b: Poly) -> Poly:
    """a / b, where nothing is left: the largest exponents first."""
    if b == ONE:
        return a
    lead, rest, found = max(b), dict(a), Poly()
    least = min(a, default=0) - min(b)
    while rest:
        spend(10 + len(rest) // 4 + 3 * len(b))
        first = max(rest)
        keep(len(found), 0)  # there may be many more terms than in a
        x, left = divmod(rest[first], b[lead])
        need(first - lead >= least and not left, "no divisor")
        found[first - lead] = x
        for m, y in b.items():
            at = first - lead + m
            rest[at] = rest.get(at, 0) - x * y
            if not rest[at]:
                del rest[at]
    return found


def exponents(m: int, count: int) -> tuple[int, ...]:
    """The exponent of each of `count` parameters."""
    return tuple([m >> DIGIT * k & (1 << DIGIT) - 1 for k in range(count)])


def packed(exponents: Iterable[int]) -> int:
    """The exponents of all parameters as one integer."""
    return sum(e << DIGIT * k for k, e in enumerate(exponents))


def value_at(a: Poly, point: Sequence[Fraction]) -> Fraction:
    """a at a point."""
    found = Fraction(0)
    for m, c in a.items():
        term = Fraction(c)
        for x, e in zip(point, exponents(m, len(point)), strict=True):
            bits = e * sum(part.bit_length() for part in x.as_integer_ratio())
            spend(10 + bits // 10 + bits * bits // 60_000)
            term *= x**e
        found += term
    return found


def constants(value: Any) -> tuple[Poly, Poly]:
    """The numerator and the denominator of a rational number, as polynomials."""
    top, bottom = value.as_integer_ratio()
    return Poly({0: top} if top else {}), Poly({0: bottom})


@kept
def read_function(text: str, names: tuple[str, ...]) -> tuple[Poly, Poly]:
    """A quotient of two polynomials of some parameters, or of powers of e if none is named: p*q,
    (1 - p)/(2*q), 3/4, 2*e^(1/2)/(1 + e). Of one parameter there may be p*e^(1/2)*e^(3*p/4).

    One of several terms stands in brackets where there are two."""
    halves = SLASH.split(text)
    need(len(halves) <= 2, "a number is p, p/q, or a quotient of polynomials such as (1 + e)/2")
    above, *below = ("" if half[:1] == "(" else half for half in halves)
    plain = not below or not (" " in above or {" ", "*"} & set(below[0]))
    need(plain, "a polynomial stands in brackets where it needs them")
    top, bottom = (*(read_polynomial(half, names) for half in halves), ONE)[:2]
    need(bottom, "a denominator is not 0")
    return lifted(top, bottom) if names else (top, bottom)


def lifted(top: Poly, bottom: Poly) -> tuple[Poly, Poly]:
    """The same quotient beside a parameter, in which no power of e has an exponent below 0."""
    least = min(*top, *bottom, 0) >> CONSTANT << CONSTANT
    above, below = (Poly({m - least: c for m, c in part.items()}) for part in (top, bottom))
    return above, below


def read_polynomial(text: str, names: Sequence[str]) -> Poly:
    """A sum of terms such as 3*p^2*q, with + or - between them."""
    need(len(text) <= MAX_DIGITS, "a polynomial is a text, not too long")
    bare = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text
    found = Poly()
    for term in bare.replace(" - ", " + -").split(" + "):
        m, size = _term(term.removeprefix("-"), names)
        need(m not in found, "two terms with the same exponents")
        found[m] = -size if term.startswith("-") else size
    return Poly({m: c for m, c in found.items() if c})


def _term(text: str, names: Sequence[str]) -> tuple[Any, int]:
    """The exponents and the coefficient of a term."""
    raised = re.fullmatch(RATE.format(*names), text) if len(names) == 1 else None
    rate = Fraction(int(raised[2] or 1) * SCALE, int(raised[3] or 1)) if raised else Fraction(0)
    need(rate <= MOST_OF_E * SCALE and rate.denominator == 1, "an exponent of e is too large")
    first, *others = (raised[1] or "1" if raised else text).split("*")
    size, factors = 1, [first, *others]
    if first.isascii() and first.isdecimal():
        size, factors = int(first), others
    powers: dict[str, str] = {}
    for factor in factors:
        shown = FACTOR.fullmatch(factor)
        known = (*names, *("e",) * (len(names) < 2))
        need(shown and shown[1] in known, "a term is a number, or powers of what is known")
        assert shown
        need(shown[1] not in powers, "what is known stands twice in a term")
        need(not shown[3] or shown[1] not in names, "an exponent is an integer")
        powers[shown[1]] = shown[2] or shown[3] or "1"
    (constant,) = _power(Fraction(powers.pop("e", "0")))
    need(not names or type(constant) is int, "an exponent of e is no usual fraction")
    degrees = [int(powers.get(name, "0")) for name in names]
    fits = all(0 < degrees[k] <= MAX_EXPONENT for k, name in enumerate(names) if name in powers)
    need(fits, "an exponent is too high")
    return packed([*degrees, int(rate)]) + constant, size


def sum_of_powers(terms: Mapping[int, int], unit: int) -> Poly:
    """The sum of c e^(k/unit) over the k -> c of `terms`."""
    exponents = [Fraction(k * UNIT, unit) for k in terms]
    whole = [m.numerator if m.denominator == 1 else m for m in exponents]
    return Poly(zip(whole, terms.values(), strict=True))  # type: ignore[arg-type]


def of_powers(top: Poly, bottom: Poly) -> Fraction:
    """A quotient of two sums of powers of e, in the place where numbers are read."""
    place: Place | None = FUNCTIONS.get()
    if place is None:
        return NUMBERS.quotient(top, bottom)
    need(len(place.names) == 1, "powers of e stand beside one parameter")
    return place.quotient(*lifted(top, bottom))


def _power(exponent: Fraction) -> Poly:
    need(abs(exponent) <= MOST_OF_E, "an exponent is too large")
    return sum_of_powers({exponent.numerator: 1}, exponent.denominator)


class Divided(ArithmeticError):
    """A polynomial has not the same sign everywhere on a piece."""

    def __init__(self, polynomial: tuple[int, ...]) -> None:
        super().__init__("a piece is not divided where a comparison changes")
        self.polynomial = polynomial


class Place:
    """Where parameters lie, and the only judge of the sign of a polynomial.

    Each question has one answer for all values there: where it has not, or none is proved, that is
    raised. `names` are those of the parameters; here there are none, and polynomials are sums of
    powers of e."""

    names: tuple[str, ...]  # where there are any
    is_point: bool = False  # whether it is one value of each
    decides = True  # whether each sign is decided, if need be on parts of the place
    is_plain = False  # whether numbers there are as those without parameters

    @property
    def point(self) -> Sequence[Fraction]:
        """The value of each parameter, if there is one, and it is rational."""
        return ()

    def signs(self, a: Poly, *_alike: set[int]) -> set[int]:
        """The signs that a has there, which are all in a set of `alike`; else raise."""
        return {self.sign(a)}

    def nonnegative(self, a: Poly) -> bool:
        """Whether a >= 0 everywhere; else a < 0 everywhere."""
        return -1 not in self.signs(a, {0, 1}, {-1})

    def positive(self, a: Poly) -> bool:
        """Whether a > 0 everywhere; else a <= 0 everywhere."""
        return 1 in self.signs(a, {1}, {0, -1})

    def vanishes(self, a: Poly) -> bool:
        """Whether a is 0 everywhere; else, of one parameter, it is 0 nowhere."""
        return not a

    def sign(self, a: Poly) -> int:
        """The sign of a sum of powers of e: -1, 0 or 1."""
        values = a.values()
        if not values or min(values) > 0 or max(values) < 0:
            return (sum(values) > 0) - (sum(values) < 0)
        most, least = min(MAX_BITS, MAX_WORK // len(values)), min(a)
        return settled(lambda bits: self.ends(a, least, bits), most)

    def ends(self, a: Poly, least: Any, bits: int) -> tuple[int, int]:
        """Integers at most 2^`bits` times a sum of powers of e, and at least that, where all
        exponents are smaller by a `least` one."""
        ratios = [(Fraction(m - least, UNIT).as_integer_ratio(), c) for m, c in a.items()]
        ends = [(c, enclosure(n, d, bits)) for (n, d), c in ratios]
        low, high = (sum(c * e[(c > 0) == up] for c, e in ends) for up in (False, True))
        return low, high

    def common(self, a: Poly, b: Poly) -> Poly:
        """What two polynomials have in common, and is positive, as far as it is found: of sums of
        powers of e all of b, if a is b times a rational; else 1."""
        shared = primitive(b)
        if a and primitive(a) not in (shared, shared.negative()):
            return ONE
        return shared if self.positive(shared) else shared.negative()

    def lowest(self, top: Poly, bottom: Poly) -> tuple[Poly, Poly]:
        """The same quotient, of a positive bottom, without common factors as far as they are
        found."""
        if not bottom.is_constant:
            shared = self.common(top, bottom)
            top, bottom = divided(top, shared), divided(bottom, shared)
        divisor = gcd(*top.values(), *bottom.values())
        return over(top, divisor), over(bottom, divisor)

    def number(self, top: Poly, bottom: Poly = ONE) -> Fraction:
        """The number top/bottom, of which the bottom is positive; a Fraction if constant."""
        if bottom != ONE:
            top, bottom = self.lowest(top, bottom)
        if top.is_constant and bottom.is_constant:
            return Fraction(top.get(0, 0), bottom[0])
        found = object.__new__(Number)
        found.top, found.bottom, found.place = top, bottom, self
        return found

    def quotient(self, top: Poly, bottom: Poly) -> Fraction:
        """The same, whatever the sign of the bottom; at a rational point its value."""
        if self.point and not max(0, *top, *bottom) >> DIGIT * len(self.point):
            below = value_at(bottom, self.point)
            prove(below, "a denominator vanishes at the point")
            return Fraction(value_at(top, self.point), below)
        if self.vanishes(bottom):
            raise ZeroDivisionError("a divisor is 0")
        if not self.positive(bottom):
            top, bottom = top.negative(), bottom.negative()
            prove(self.positive(bottom), "a denominator may vanish")
        return self.number(top, bottom)


NUMBERS = Place()


@contextmanager
def functions_on(place: Place) -> Iterator[None]:
    """Inside, texts of numbers are read as functions of parameters that lie in a `place`."""
    known: dict[str, Fraction] = {}

    def read(text: str) -> Fraction:
        if text not in known:
            spend(20 * len(text))
            known[text] = place.quotient(*read_function(text, place.names))
        return known[text]

    tokens = TEXTS.set(read), FUNCTIONS.set(None if place.is_plain else place)
    try:
        yield
    finally:
        TEXTS.reset(tokens[0])
        FUNCTIONS.reset(tokens[1])


def power(exponent: Fraction) -> Fraction:
    """The number e^`exponent`."""
    return NUMBERS.number(_power(exponent))


def parts(value: Any) -> tuple[Poly, Poly]:
    """The top and the bottom of a number."""
    return (value.top, value.bottom) if isinstance(value, Number) else constants(value)


def added(terms: Sequence[tuple[int, Any]]) -> Any:
    """The sum of n * number over the (n, number) of some `terms`, of one place; those over the same
    polynomial are added up first, and divided by it if nothing is left."""
    groups: dict[Poly, Any] = {}
    for n, value in terms:
        top, bottom = parts(value)
        below = gcd(*bottom.values())
        above, unit = groups.get(key := over(bottom, below), (ZERO, 1))
        shared = lcm(unit, below)
        groups[key] = ZERO.plus(above, shared // unit).plus(top, n * (shared // below)), shared
    place = next((x.place for _, x in terms if isinstance(x, Number)), NUMBERS)
    found = Fraction(0)
    for bottom, (top, unit) in groups.items():
        with suppress(Refused):
            top, bottom = divided(top, bottom), ONE
        found = found + place.quotient(top, ZERO.plus(bottom, unit))
    return found


def near_of(value: Any) -> Any:
    """Ends of a number, if they are known."""
    return value.near if isinstance(value, Number) else (value, value)


class Number(Fraction):
    """The number top/bottom in a place, where the bottom is positive. It is added, multiplied and
    compared as a Fraction is, but has no numerator.

    On an interval of one parameter both are coprime, and so is the one way to write a function."""

    __slots__ = ("__dict__", "bottom", "place", "top")
    top: Poly
    bottom: Poly
    place: Place

    def _refused(self, *_: Any) -> Any:
        raise ValueError(NEEDS_RATIONAL)

    numerator = denominator = _numerator = _denominator = property(_refused)
    as_integer_ratio = __floor__ = __ceil__ = __trunc__ = __int__ = _refused
    __round__ = __float__ = __floordiv__ = __mod__ = __divmod__ = _refused  # type: ignore[assignment]
    __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _refused  # type: ignore[assignment]

    @property
    def written(self) -> Any:
        """What is equal for numbers that are written alike."""
        return self.top, self.bottom

    @cached_property
    def near(self) -> tuple[Fraction, Fraction] | None:
        """Ends of a quotient of sums of powers of e, if its bottom is seen to be above 0."""
        return self.within(NEAR)

    def within(self, bits: int) -> tuple[Fraction, Fraction] | None:
        """The same, by sums of so many binary digits."""
        need(self.place is NUMBERS, NEEDS_RATIONAL)
        least = min([0, *self.top, *self.bottom])
        halves = (self.place.ends(a, least, bits) for a in (self.top, self.bottom))
        (low, high), (under, over) = halves
        if under <= 0:
            return None
        return Fraction(low, over if low > 0 else under), Fraction(
            high, under if high > 0 else over
        )

    @property
    def is_decided(self) -> bool:
        """Whether each sign is decided in the place."""
        return self.place.decides

    def size(self) -> int:
        """How many binary digits the longer part of it has."""
        return max(self.top.size(), self.bottom.size())

    def whole(self, values: Sequence[Fraction]) -> tuple[Any, list[Any]]:
        """A common denominator of `values` that is positive, and each of them times it; or 1 and
        the values themselves, where it would be long."""
        pairs, unit = list(map(self._halves, values)), ONE
        bottoms = list(dict.fromkeys(bottom for _, bottom in pairs))
        for bottom in bottoms:
            unit = unit.times(self.place.lowest(bottom, unit)[0])
            if len(unit) > MAX_SHARED:
                return 1, list(values)
        rests = {bottom: divided(unit, bottom) for bottom in bottoms}
        tops = [self.place.number(top.times(rests[bottom])) for top, bottom in pairs]
        return self.place.number(unit), tops

    def without_common(self, values: Sequence[Fraction]) -> list[Fraction]:
        """Each of the `values`, polynomials not all 0, divided by what they have in common, which
        is positive."""
        halves = [self._halves(value) for value in values]
        # `whole` may have found none
        need(all(bottom == ONE for _, bottom in halves), "numbers have no short common denominator")
        shared = reduce(self.place.common, (top for top, _ in halves), ZERO)
        tops = [divided(top, shared) for top, _ in halves]
        divisor = gcd(*(c for top in tops for c in top.values()))
        return [self.place.number(over(top, divisor)) for top in tops]

    def _halves(self, value: Any) -> tuple[Poly, Poly]:
        """The top and the bottom of a number in the same place."""
        if isinstance(value, Number) and value.place is not self.place:
            self._refused()
        return parts(value)

    def _plus(self, other: Any, factor: int) -> tuple[Poly, Poly]:
        """This and `factor` times another number."""
        top, bottom = self._halves(other)
        if bottom == self.bottom:
            return self.top.plus(top, factor), bottom
        above = self.top.times(bottom).plus(top.times(self.bottom), factor)
        return above, self.bottom.times(bottom)

    def __add__(self, other: Any) -> Any:
        return self.place.number(*self._plus(other, 1))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self.place.number(self.top.negative(), self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self.place.number(*self._plus(other, -1))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        top, bottom = self._halves(other)
        return self.place.number(self.top.times(top), self.bottom.times(bottom))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._divided(self.written, self._halves(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self._divided(self._halves(other), self.written)

    def _divided(self, one: tuple[Poly, Poly], other: tuple[Poly, Poly]) -> Fraction:
        (a, b), (c, d) = one, other
        return self.place.quotient(*((a, c) if b == d else (a.times(d), b.times(c))))

    def __pow__(self, exponent: Any) -> Any:
        found, base = Fraction(1), self if exponent >= 0 else self.__rtruediv__(1)
        for digit in f"{abs(exponent):b}":
            found = found * found * base if digit == "1" else found * found
        return found

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    def _less(self, other: Any) -> Poly:
        """What has the sign of the difference to another number."""
        self._halves(other)
        mine, its = (near_of(x) if self.place is NUMBERS else None for x in (self, other))
        if mine and its and (mine[0] > its[1] or mine[1] < its[0]):
            return ONE if mine[0] > its[1] else ONE.negative()
        return self._plus(other, -1)[0]

    def __bool__(self) -> bool:
        return not self.place.vanishes(self.top)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int | Fraction) and self.place.vanishes(self._less(other))

    def __lt__(self, other: Any) -> bool:
        return self.place.positive(self._less(other).negative())

    def __le__(self, other: Any) -> bool:
        return self.place.nonnegative(self._less(other).negative())

    def __gt__(self, other: Any) -> bool:
        return self.place.positive(self._less(other))

    def __ge__(self, other: Any) -> bool:
        return self.place.nonnegative(self._less(other))

    def __hash__(self) -> int:  # type: ignore[override]
        """Of the first and the last terms of both parts, by their quotients: however it is written,
        these are the same; at a point nothing is."""
        if self.place.is_point or not self.top:
            return 0
        ends = [(end(self.top), end(self.bottom)) for end in (min, max)]
        return hash(tuple([(m - n, Fraction(self.top[m], self.bottom[n])) for m, n in ends]))

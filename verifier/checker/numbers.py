"""The exact number of parameters: a quotient of two integer polynomials, and its text.

A polynomial maps exponents to coefficients other than 0. The exponents of the parameters are the
digits of one integer, so that those of a product are added at once. Numbers are added, multiplied
and divided as polynomials; which sign one has is decided by the place where the parameters lie
(`signs`), and there alone.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache, reduce
from math import gcd
from typing import Any

from .document import MAX_DIGITS, keep, need, prove, spend, spend_products
from .exponentials import Other
from .reading import FUNCTIONS

DIGIT = 64  # binary ones, for the exponent of a parameter
MAX_EXPONENT = 5_000
FACTOR = re.compile(r"([a-zA-Z_]\w*)(?:\^([0-9]{1,4}))?")
KNOWN = 2**14  # texts that are not read again


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
        return sum(map(int.bit_length, self.values())) + len(self)

    def plus(self, other: "Poly", factor: int = 1) -> "Poly":
        """This and `factor` times another one."""
        spend(2 + len(self) // 4 + 2 * len(other))
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

    def is_nonnegative(self) -> bool:
        """Whether it is at least 0 in the place where parameters lie."""
        return place().nonnegative(self)

    def is_positive(self) -> bool:
        """Whether it is above 0 there."""
        return place().positive(self)

    def vanishes(self) -> bool:
        """Whether it is 0 there."""
        return place().vanishes(self)


ZERO, ONE = Poly(), Poly({0: 1})


def primitive(a: Poly) -> Poly:
    """a divided by the largest common divisor of its coefficients."""
    return _over(a, gcd(*a.values()) or 1)


def _over(a: Poly, divisor: int) -> Poly:
    return a if divisor == 1 else Poly({m: c // divisor for m, c in a.items()})


def divided(a: Poly, b: Poly) -> Poly:
    """a / b, where nothing is left: the largest exponents first."""
    if b == ONE:
        return a
    lead, rest, found = max(b), dict(a), Poly()
    while rest:
        spend(10 + len(rest) // 4 + 3 * len(b))
        first = max(rest)
        x, left = divmod(rest[first], b[lead])
        need(first >= lead and not left, "no divisor")
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


def value(a: Poly, point: Sequence[Fraction]) -> Fraction:
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


@lru_cache(maxsize=KNOWN)
def read_function(text: str, names: tuple[str, ...]) -> tuple[Poly, Poly]:
    """A quotient of two polynomials of some parameters: p*q, (1 - p)/(2*q), 3/4.

    One of several terms stands in brackets where there are two."""
    halves = text.split("/")
    need(len(halves) <= 2, "a function is a quotient of two polynomials")
    above, *below = ("" if half[:1] == "(" else half for half in halves)
    plain = not below or not (" " in above or {" ", "*"} & set(below[0]))
    need(plain, "a polynomial stands in brackets where it needs them")
    top, bottom = (*(read_polynomial(half, names) for half in halves), ONE)[:2]
    need(bottom, "a denominator is not 0")
    return top, bottom


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


def _term(text: str, names: Sequence[str]) -> tuple[int, int]:
    """The exponents and the coefficient of a term."""
    first, *others = text.split("*")
    size, factors = 1, [first, *others]
    if first.isascii() and first.isdecimal():
        size, factors = int(first), others
    powers = [0] * len(names)
    for factor in factors:
        shown = FACTOR.fullmatch(factor)
        need(shown and shown[1] in names, "a term is a number, or powers of the parameters")
        assert shown
        k = list(names).index(shown[1])
        need(not powers[k], "a parameter stands twice in a term")
        powers[k] = int(shown[2] or 1)
        need(0 < powers[k] <= MAX_EXPONENT, "an exponent is too high")
    return packed(powers), size


class Divided(ArithmeticError):
    """A polynomial has not the same sign everywhere on a piece."""

    def __init__(self, polynomial: tuple[int, ...]) -> None:
        super().__init__("a piece is not divided where a comparison changes")
        self.polynomial = polynomial


class Place(ABC):
    """Where parameters lie, and the only judge of the sign of a polynomial.

    Each question has one answer for all values there: where it has not, or none is proved, that is
    raised. `names` are those of the parameters."""

    names: tuple[str, ...]
    decides = True  # whether each sign is decided, if need be on parts of the place
    is_rational = False  # whether it is one rational value

    @abstractmethod
    def nonnegative(self, a: Poly) -> bool:
        """Whether a >= 0 everywhere; else a < 0 everywhere."""

    @abstractmethod
    def positive(self, a: Poly) -> bool:
        """Whether a > 0 everywhere; else a <= 0 everywhere."""

    @abstractmethod
    def vanishes(self, a: Poly) -> bool:
        """Whether a is 0 everywhere; else, of one parameter, it is 0 nowhere."""

    def key(self, _top: Poly, _bottom: Poly) -> int:
        """One for all ways to write a quotient."""
        return 0

    def common(self, _a: Poly, _b: Poly) -> Poly:
        """What two polynomials have in common, and is positive; of several parameters 1."""
        return ONE

    def lowest(self, top: Poly, bottom: Poly) -> tuple[Poly, Poly]:
        """The same quotient, of a positive bottom, without common factors as far as they are
        found."""
        if not bottom.is_constant:
            shared = self.common(top, bottom)
            top, bottom = divided(top, shared), divided(bottom, shared)
        divisor = gcd(*top.values(), *bottom.values())
        return _over(top, divisor), _over(bottom, divisor)


_PLACE: ContextVar[Place] = ContextVar("_PLACE")


@contextmanager
def functions_on(place: Place) -> Iterator[None]:
    """Inside, texts of numbers are read as functions of parameters that lie in a place."""
    known: dict[str, Fraction] = {}

    def read(text: str) -> Fraction:
        if text not in known:
            spend(20 * len(text))
            known[text] = quotient(*read_function(text, place.names))
        return known[text]

    tokens = FUNCTIONS.set(read), _PLACE.set(place)
    try:
        yield
    finally:
        FUNCTIONS.reset(tokens[0])
        _PLACE.reset(tokens[1])


class Function(Other):
    """The number top/bottom for all values of parameters in a place, where the bottom is positive.

    On an interval of one parameter both are coprime, and so is the one way to write a function."""

    __slots__ = ()

    @staticmethod
    def halves(value: Any) -> tuple[Poly, Poly]:
        """The top and the bottom of a number."""
        if isinstance(value, Function):
            return value.top, value.bottom
        top, bottom = value.as_integer_ratio()
        return Poly({0: top} if top else {}), Poly({0: bottom})

    @staticmethod
    def made(top: Poly, bottom: Poly) -> Fraction:
        """The number top/bottom, in the place where parameters lie; a Fraction if constant."""
        if bottom != ONE or top.is_constant or place().is_rational:
            top, bottom = place().lowest(top, bottom)
        if top.is_constant and bottom.is_constant:
            return Fraction(top.get(0, 0), bottom[0])
        found = object.__new__(Function)
        found.top, found.bottom = top, bottom
        return found

    @staticmethod
    def quotient(top: Poly, bottom: Poly) -> Fraction:
        """The same, whatever the sign of the bottom."""
        if bottom.vanishes():
            raise ZeroDivisionError("a divisor is 0")
        if not bottom.is_positive():
            top, bottom = top.negative(), bottom.negative()
            prove(bottom.is_positive(), "a denominator may vanish")
        return Function.made(top, bottom)

    @property
    def written(self) -> Any:
        """What is equal for numbers that are written alike."""
        return self.top, self.bottom

    @property
    def is_decided(self) -> bool:  # type: ignore[override]
        """Whether each sign is decided in the place."""
        return place().decides

    def size(self) -> int:
        """How many binary digits both parts have."""
        return int(self.top.size() + self.bottom.size())

    def whole(self, values: Sequence[Fraction]) -> tuple[Any, list[Any]]:
        """A common denominator of `values` that is positive, and each of them times it."""
        pairs, unit = list(map(parts, values)), ONE
        bottoms = list(dict.fromkeys(bottom for _, bottom in pairs))
        for bottom in bottoms:
            unit = unit.times(place().lowest(bottom, unit)[0])
        rests = {bottom: divided(unit, bottom) for bottom in bottoms}
        tops = [Function.made(top.times(rests[bottom]), ONE) for top, bottom in pairs]
        return Function.made(unit, ONE), tops

    def without_common(self, values: Sequence[Fraction]) -> list[Fraction]:
        """Each of the `values`, polynomials not all 0, divided by what they have in common, which
        is positive."""
        tops = [parts(value)[0] for value in values]
        shared = reduce(place().common, tops, ZERO)
        tops = [divided(top, shared) for top in tops]
        divisor = gcd(*(c for top in tops for c in top.values()))
        return [Function.made(_over(top, divisor), ONE) for top in tops]

    def __hash__(self) -> int:  # type: ignore[override]
        return place().key(self.top, self.bottom)


quotient, parts = Function.quotient, Function.halves


def place() -> Place:
    """Where the parameters lie."""
    return _PLACE.get()

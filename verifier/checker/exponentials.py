"""Irrational numbers of certificates: quotients of sums of c·e^q, for rationals c and q.

The numbers e^q are linearly independent over the rationals (Lindemann, Weierstrass). So a/b = c/d
just where no term of ad - bc is left. Otherwise the sign is that of the positive terms less the
negative ones; each half lies between integers over 2^bits, and bits grow until the halves are
apart.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from math import lcm
from typing import Any, NamedTuple

from .document import spend

NEEDS_RATIONAL = "a rational number is needed"
MAX_EXPONENT = 10**4
MAX_TERMS = 10**6  # of a product
MAX_SHARED = 1000  # of a common denominator
MAX_BITS = 2**16
MAX_WORK = 2**24  # terms times bits, for one sign
_POWER = r"e(?:\^[0-9]+|\^\(-?[0-9]+(?:/[0-9]+)?\))?"
_TERM = rf"(?:[0-9]+|(?:[0-9]+\*)?{_POWER})"
_SUM = rf"-?{_TERM}(?: [+-] {_TERM})*"
QUOTIENT = rf"({_SUM})|(?:\(({_SUM})\)|(-?{_TERM}))/(?:\(({_SUM})\)|({_TERM}))"


def _length(values: Iterable[int]) -> int:
    """How many binary digits the longest of some integers has."""
    return max((value.bit_length() for value in values), default=0)


class Sum(NamedTuple):
    """The sum of c·e^(k/unit) over the k -> c of `terms`, no c being 0."""

    unit: int
    terms: dict[int, int]

    def over(self, unit: int) -> dict[int, int]:
        """The terms by exponents over a multiple of the unit."""
        factor = unit // self.unit
        return self.terms if factor == 1 else {k * factor: c for k, c in self.terms.items()}

    def plus(self, other: "Sum", factor: int = 1) -> "Sum":
        """This sum and `factor` times another one."""
        spend(20 + len(self.terms) + 2 * len(other.terms))
        unit = lcm(self.unit, other.unit)
        found = dict(self.over(unit))
        for k, c in other.over(unit).items():
            found[k] = found.get(k, 0) + factor * c
        return Sum(unit, {k: c for k, c in found.items() if c})

    def times(self, other: "Sum") -> "Sum":
        """The product with another sum."""
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise ValueError("a sum has too many terms")
        long = _length(self.terms.values()) * _length(other.terms.values())
        spend(20 + len(self.terms) * len(other.terms) * (3 + (long >> 17)))
        unit = lcm(self.unit, other.unit)
        found: dict[int, int] = {}
        right = other.over(unit).items()
        for k, c in self.over(unit).items():
            for j, d in right:
                found[k + j] = found.get(k + j, 0) + c * d
        return Sum(unit, {k: c for k, c in found.items() if c})

    def negative(self) -> "Sum":
        """Minus this sum."""
        return Sum(self.unit, {k: -c for k, c in self.terms.items()})

    def ends(self, least: int, bits: int) -> tuple[int, int]:
        """Integers at most 2^bits · e^(-least/unit) times the value, and at least that."""
        for k in self.terms:
            spend(_steps(k - least, self.unit, bits))
        parts = [(c, enclosure(k - least, self.unit, bits)) for k, c in self.terms.items()]
        return sum(c * e[c < 0] for c, e in parts), sum(c * e[c > 0] for c, e in parts)

    def sign(self) -> int:
        """-1, 0 or 1."""
        values = self.terms.values()
        if not values or min(values) > 0 or max(values) < 0:
            return (sum(values) > 0) - (sum(values) < 0)
        least, bits = min(self.terms), 64
        while bits <= MAX_BITS and bits * len(values) <= MAX_WORK:
            low, high = self.ends(least, bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2
        raise ValueError("numbers are too close to be compared")

    def is_nonnegative(self) -> bool:
        """Whether it is at least 0."""
        return self.sign() >= 0

    def is_positive(self) -> bool:
        """Whether it is above 0."""
        return self.sign() > 0

    def vanishes(self) -> bool:
        """Whether it is 0: it has no terms."""
        return not self.terms


ONE = Sum(1, {0: 1})


def read(text: str) -> Fraction:
    """The number that a `text` denotes: a sum such as `1 - 2*e^(1/2)`, or a quotient of two, with
    brackets around one of several terms. ValueError for any other text."""
    match = re.fullmatch(QUOTIENT, text)
    if match is None:
        raise ValueError("a number is p, p/q, or a quotient of sums such as (1 + e)/2")
    whole, above, term, below, other = match.groups()
    bottom = _sum(below or other) if whole is None else ONE
    return quotient(_sum(whole or above or term), bottom)


def _sum(text: str) -> Sum:
    found: dict[Fraction, int] = {}
    for part in text.replace(" - ", " + -").split(" + "):
        factor, power, exponent = part.lstrip("-").partition("e")
        q = Fraction(exponent.strip("^()") or 1) if power else Fraction(0)
        if abs(q) > MAX_EXPONENT or q in found:
            raise ValueError("an exponent is too large or stands twice")
        found[q] = int(factor.rstrip("*") or 1) * (-1 if part.startswith("-") else 1)
    unit = lcm(*(q.denominator for q in found))
    return Sum(unit, {int(q * unit): c for q, c in found.items() if c})


def _steps(n: int, d: int, bits: int) -> int:
    """About how many steps an enclosure takes."""
    halved = (n // d).bit_length() + 4
    wide = bits + 2 * halved + 2 * (n // d) + 8
    ratio = n.bit_length() + d.bit_length()
    term = 2 + (wide >> 12) + (wide * ratio >> 17)
    return 20 + wide // halved * term + halved * (wide * wide >> 19)


@lru_cache(maxsize=2**12)
def enclosure(n: int, d: int, bits: int) -> tuple[int, int]:
    """Integers at most 2^bits · e^(n/d) and at least that, for n >= 0."""
    if n == 0:
        return 1 << bits, 1 << bits
    halved = (n // d).bit_length() + 4
    wide = bits + 2 * halved + 2 * (n // d) + 8
    term, low, k = 1 << wide, 0, 0
    while term:
        low, k = low + term, k + 1
        term = term * n // ((d << halved) * k)
    # a term lost less than 2, and the rest is less than 4, as the exponent is below 1/16
    high = low + 2 * k + 4
    for _ in range(halved):
        low, high = low * low >> wide, -(-high * high >> wide)
    return low >> (wide - bits), -(-high >> (wide - bits))


class Other(Fraction):
    """A number of another kind, top/bottom with a positive bottom. It is added, multiplied and
    compared as a Fraction is, but has no numerator.

    Both halves are added and multiplied only, and know their sign; a kind says what a quotient is
    in its shortest form."""

    __slots__ = ("bottom", "top")
    top: Any
    bottom: Any
    is_decided = True  # whether each sign of such a number is

    def _refused(self, *_: Any) -> Any:
        raise ValueError(NEEDS_RATIONAL)

    numerator = denominator = _numerator = _denominator = property(_refused)
    as_integer_ratio = __floor__ = __ceil__ = __trunc__ = __int__ = without_common = _refused
    __round__ = __float__ = __floordiv__ = __mod__ = __divmod__ = _refused  # type: ignore[assignment]
    __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _refused  # type: ignore[assignment]

    @staticmethod
    @abstractmethod
    def halves(value: Any) -> tuple[Any, Any]:
        """The top and the bottom of a number of this kind or a rational."""

    @staticmethod
    @abstractmethod
    def made(top: Any, bottom: Any) -> Fraction:
        """The number top/bottom, of which the bottom is positive."""

    @staticmethod
    @abstractmethod
    def quotient(top: Any, bottom: Any) -> Fraction:
        """The number top/bottom, whatever the sign of the bottom; a division by 0 where it is 0."""

    @abstractmethod
    def size(self) -> int:
        """How many binary digits the longer part of it has."""

    @abstractmethod
    def whole(self, values: Sequence[Fraction]) -> tuple[Any, list[Any]]:
        """A common denominator of `values`, and each of them times it."""

    @property
    def written(self) -> Any:
        """What is equal for numbers that are written alike."""
        return self

    def __add__(self, other: Any) -> Any:
        top, bottom = self.halves(other)
        if bottom == self.bottom:
            return self.made(self.top.plus(top), bottom)
        above = self.top.times(bottom).plus(top.times(self.bottom))
        return self.made(above, self.bottom.times(bottom))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self.made(self.top.negative(), self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        top, bottom = self.halves(other)
        return self.made(self.top.times(top), self.bottom.times(bottom))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._divided((self.top, self.bottom), self.halves(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self._divided(self.halves(other), (self.top, self.bottom))

    def _divided(self, one: tuple[Any, Any], other: tuple[Any, Any]) -> Fraction:
        (a, b), (c, d) = one, other
        return self.quotient(a, c) if b == d else self.quotient(a.times(d), b.times(c))

    def __pow__(self, exponent: Any) -> Any:
        found, base = Fraction(1), self if exponent >= 0 else self.__rtruediv__(1)
        for digit in f"{abs(exponent):b}":
            found = found * found * base if digit == "1" else found * found
        return found

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    def _less(self, other: Any, factor: int = 1) -> Any:
        """A positive multiple of the difference to another number, or of minus it."""
        top, bottom = self.halves(other)
        if bottom == self.bottom:
            found = self.top.plus(top, -1)
        else:
            found = self.top.times(bottom).plus(top.times(self.bottom), -1)
        return found if factor > 0 else found.negative()

    def __bool__(self) -> bool:
        return bool(not self.top.vanishes())

    def __eq__(self, other: object) -> bool:
        known = isinstance(other, int | Fraction)
        return known and bool(self._less(other).vanishes())

    def __lt__(self, other: Any) -> bool:
        return bool(self._less(other, -1).is_positive())

    def __le__(self, other: Any) -> bool:
        return bool(self._less(other, -1).is_nonnegative())

    def __gt__(self, other: Any) -> bool:
        return bool(self._less(other).is_positive())

    def __ge__(self, other: Any) -> bool:
        return bool(self._less(other).is_nonnegative())


class Number(Other):
    """An irrational number top / bottom, of two sums; the bottom is positive."""

    __slots__ = ()

    @staticmethod
    def halves(value: Any) -> tuple[Sum, Sum]:
        """The top and the bottom of a number."""
        if isinstance(value, Number):
            return value.top, value.bottom
        n, d = value.as_integer_ratio()
        return Sum(1, {0: n} if n else {}), Sum(1, {0: d})

    @staticmethod
    def made(top: Sum, bottom: Sum) -> Fraction:
        """The number top / bottom: a Fraction where it is rational."""
        unit = lcm(top.unit, bottom.unit)
        first, second = top.over(unit), bottom.over(unit)
        long = _length(top.terms.values()) * _length(bottom.terms.values())
        spend(20 + len(first) + len(second) * (10 + (long >> 15)))
        if first.keys() <= second.keys():
            ratios = {Fraction(first.get(k, 0), c) for k, c in second.items()}
            if len(ratios) == 1:
                return ratios.pop()
        found = object.__new__(Number)
        found.top, found.bottom = top, bottom
        return found

    @staticmethod
    def quotient(top: Sum, bottom: Sum) -> Fraction:
        """The same, whatever the sign of the bottom."""
        above = bottom.sign()
        if not above:
            raise ZeroDivisionError("a divisor is 0")
        return Number.made(*((top, bottom) if above > 0 else (top.negative(), bottom.negative())))

    def size(self) -> int:
        """How many binary digits the longer part of it has."""
        return size(self)

    def whole(self, values: Sequence[Fraction]) -> tuple[Any, list[Any]]:
        """A common denominator of `values`, and each of them times it."""
        return whole(values)

    def __hash__(self) -> int:  # type: ignore[override]
        """Of the integer part of 2^64 times it, which no other way to write it changes."""
        unit = lcm(self.top.unit, self.bottom.unit)
        top, bottom = (Sum(unit, part.over(unit)) for part in (self.top, self.bottom))
        least, bits = min(*top.terms, *bottom.terms), 128
        while bits <= MAX_BITS:
            (a, b), (c, d) = (part.ends(least, bits) for part in (top, bottom))
            if c > 0:
                floors = {(x << 64) // y for x in (a, b) for y in (c, d)}
                if len(floors) == 1:
                    return hash(("irrational", *floors))
            bits *= 2
        raise ValueError("a number is too long")


quotient, parts = Number.quotient, Number.halves


def power(exponent: Fraction) -> Fraction:
    """The number e^`exponent`."""
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError("an exponent is too large")
    return quotient(Sum(exponent.denominator, {exponent.numerator: 1}), ONE)


def size(value: Fraction) -> int:
    """How many binary digits the longer part of a quotient has."""
    sums = (part.terms.items() for part in parts(value))
    return max(sum(k.bit_length() + c.bit_length() for k, c in terms) for terms in sums)


def whole(values: Sequence[Fraction]) -> tuple[Any, list[Any]]:
    """A common denominator of `values`, and each of them times it, both sums as numbers; or 1 and
    the values themselves, where it would be long."""
    halves = [parts(value) for value in values]
    bottoms: list[Sum] = []
    for _, bottom in halves:
        spend(len(bottoms))
        if bottom not in bottoms:
            bottoms.append(bottom)
    unit = ONE
    for bottom in bottoms:
        unit = unit.times(bottom)
        if len(unit.terms) > MAX_SHARED:
            return 1, list(values)
    others = [
        reduce(Sum.times, (b for at, b in enumerate(bottoms) if at != k), ONE)
        for k in range(len(bottoms))
    ]
    return quotient(unit, ONE), [
        quotient(top.times(others[bottoms.index(b)]), ONE) for top, b in halves
    ]

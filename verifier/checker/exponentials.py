"""Irrational numbers of certificates: quotients of sums of c·e^q, for rationals c and q.

The numbers e^q are linearly independent over the rationals (Lindemann, Weierstrass). So a/b = c/d
just where no term of ad - bc is left. Otherwise the sign is that of the positive terms less the
negative ones; each half lies between integers over 2^bits, and bits grow until the halves are
apart.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

Sum = dict[Fraction, int]  # exponent q -> coefficient of e^q, not 0
MAX_EXPONENT = 10**4
MAX_TERMS = 10**6  # of a product
MAX_BITS = 2**16
MAX_WORK = 2**24  # terms times bits, for one sign
_POWER = r"e(?:\^[0-9]+|\^\(-?[0-9]+(?:/[0-9]+)?\))?"
_TERM = rf"(?:[0-9]+|(?:[0-9]+\*)?{_POWER})"
_SUM = rf"-?{_TERM}(?: [+-] {_TERM})*"
QUOTIENT = re.compile(rf"({_SUM})|(?:\(({_SUM})\)|(-?{_TERM}))/(?:\(({_SUM})\)|({_TERM}))")


def read(text: str) -> Fraction:
    """The number that a `text` denotes: a sum such as `1 - 2*e^(1/2)`, or a quotient of two, with
    brackets around one of several terms. ValueError for any other text."""
    match = QUOTIENT.fullmatch(text)
    if match is None:
        raise ValueError("a number is p, p/q, or a quotient of sums such as (1 + e)/2")
    whole, above, term, below, other = match.groups()
    bottom = _sum(below or other) if whole is None else {Fraction(0): 1}
    return quotient(_sum(whole or above or term), bottom)


def _sum(text: str) -> Sum:
    found: Sum = {}
    for part in text.replace(" - ", " + -").split(" + "):
        factor, power, exponent = part.lstrip("-").partition("e")
        q = Fraction(exponent.strip("^()") or 1) if power else Fraction(0)
        if abs(q) > MAX_EXPONENT or q in found:
            raise ValueError("an exponent is too large or stands twice")
        found[q] = int(factor.rstrip("*") or 1) * (-1 if part.startswith("-") else 1)
    return {q: c for q, c in found.items() if c}


@lru_cache(maxsize=2**12)
def enclosure(q: Fraction, bits: int) -> tuple[int, int]:
    """Integers at most 2^bits · e^`q` and at least that, for `q` >= 0."""
    if q == 0:
        return 1 << bits, 1 << bits
    halved = int(q).bit_length() + 4
    wide = bits + 2 * halved + 2 * int(q) + 8
    n, d = q.numerator, q.denominator << halved
    term, low, k = 1 << wide, 0, 0
    while term:
        low, k = low + term, k + 1
        term = term * n // (d * k)
    # a term lost less than 2, and the rest is less than 4, as n/d < 1/16
    high = low + 2 * k + 4
    for _ in range(halved):
        low, high = low * low >> wide, -(-high * high >> wide)
    return low >> (wide - bits), -(-high >> (wide - bits))


def sign(terms: Sum) -> int:
    """The sign of a sum."""
    if not terms or min(terms.values()) > 0 or max(terms.values()) < 0:
        return (sum(terms.values()) > 0) - (sum(terms.values()) < 0)
    least, bits = min(terms), 64
    while bits <= MAX_BITS and bits * len(terms) <= MAX_WORK:
        low, high = _ends(terms, least, bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        bits *= 2
    raise ValueError("numbers are too close to be compared")


def _ends(terms: Sum, least: Fraction, bits: int) -> tuple[int, int]:
    """Integers at most 2^bits · the sum of `terms`, divided by e^`least`, and at least that."""
    ends = [(c, enclosure(q - least, bits)) for q, c in terms.items()]
    return sum(c * e[c < 0] for c, e in ends), sum(c * e[c > 0] for c, e in ends)


class Number(Fraction):
    """An irrational number top / bottom, of two sums; the bottom is positive.

    It is added, multiplied, compared as a Fraction is, but has no numerator.
    """

    __slots__ = ("bottom", "top")
    top: Sum
    bottom: Sum

    def _refused(self, *_: Any) -> Any:
        raise ValueError("a rational number is needed")

    numerator = denominator = _numerator = _denominator = property(_refused)
    as_integer_ratio = __floor__ = __ceil__ = __trunc__ = __int__ = _refused
    __round__ = __float__ = __floordiv__ = __mod__ = __divmod__ = _refused  # type: ignore[assignment]
    __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _refused  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        if bottom == self.bottom:
            return quotient(_plus(self.top, top), bottom)
        top = _plus(_times(self.top, bottom), _times(top, self.bottom))
        return quotient(top, _times(self.bottom, bottom))

    __radd__ = __add__

    def __neg__(self) -> "Number":
        return _made({q: -c for q, c in self.top.items()}, self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        return quotient(_times(self.top, top), _times(self.bottom, bottom))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        if bottom == self.bottom:
            return quotient(self.top, top)
        return quotient(_times(self.top, bottom), _times(self.bottom, top))

    def __rtruediv__(self, other: Any) -> Any:
        return quotient(self.bottom, self.top) * other

    def __pow__(self, exponent: Any) -> Any:
        found, base = Fraction(1), self if exponent >= 0 else quotient(self.bottom, self.top)
        for digit in f"{abs(exponent):b}":
            found = found * found * base if digit == "1" else found * found
        return found

    def __abs__(self) -> "Number":
        return self if sign(self.top) > 0 else -self

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and not _difference(self, other)

    def __hash__(self) -> int:  # type: ignore[override]
        """Of the integer part of 2^64 times it, which no other way to write it changes."""
        least, bits = min(*self.top, *self.bottom), 128
        while bits <= MAX_BITS:
            (a, b), (c, d) = (_ends(part, least, bits) for part in (self.top, self.bottom))
            if c > 0:
                floors = {(x << 64) // y for x in (a, b) for y in (c, d)}
                if len(floors) == 1:
                    return hash(("irrational", *floors))
            bits *= 2
        raise ValueError("a number is too long")

    def __lt__(self, other: Any) -> bool:
        return sign(_difference(self, other)) < 0

    def __le__(self, other: Any) -> bool:
        return sign(_difference(self, other)) <= 0

    def __gt__(self, other: Any) -> bool:
        return sign(_difference(self, other)) > 0

    def __ge__(self, other: Any) -> bool:
        return sign(_difference(self, other)) >= 0


def power(exponent: Fraction) -> Fraction:
    """The number e^`exponent`."""
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError("an exponent is too large")
    return quotient({exponent: 1}, {Fraction(0): 1})


def quotient(top: Sum, bottom: Sum) -> Fraction:
    """The number top / bottom: a Fraction where it is rational."""
    above = sign(bottom)
    if not above:
        raise ZeroDivisionError("a divisor is 0")
    if not top:
        return Fraction(0)
    if top.keys() == bottom.keys():
        ratios = {Fraction(c, bottom[q]) for q, c in top.items()}
        if len(ratios) == 1:
            return ratios.pop()
    if above < 0:
        top, bottom = ({q: -c for q, c in part.items()} for part in (top, bottom))
    return _made(top, bottom)


def _made(top: Sum, bottom: Sum) -> Number:
    found = object.__new__(Number)
    found.top, found.bottom = top, bottom
    return found


def _parts(value: Any) -> tuple[Sum, Sum]:
    if isinstance(value, Number):
        return value.top, value.bottom
    n, d = value.as_integer_ratio()
    return {Fraction(0): n} if n else {}, {Fraction(0): d}


def _plus(x: Sum, y: Sum, factor: int = 1) -> Sum:
    found = dict(x)
    for q, c in y.items():
        found[q] = found.get(q, 0) + factor * c
    return {q: c for q, c in found.items() if c}


def _times(x: Sum, y: Sum) -> Sum:
    if len(x) * len(y) > MAX_TERMS:
        raise ValueError("a sum has too many terms")
    found: Sum = {}
    for q, c in x.items():
        for r, d in y.items():
            found[q + r] = found.get(q + r, 0) + c * d
    return {q: c for q, c in found.items() if c}


def _difference(x: Number, y: Any) -> Sum:
    """A positive multiple of x - y, as a sum."""
    top, bottom = _parts(y)
    if bottom == x.bottom:
        return _plus(x.top, top, -1)
    return _plus(_times(x.top, bottom), _times(top, x.bottom), -1)

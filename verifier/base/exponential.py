"""Quotients of exponential sums: numbers such as e/(1 + e), exact.

A sum is Σ c·e^q, with integers c and different rational q: a polynomial of t = e^u, where all q are
multiples of u. The numbers e^q are linearly independent over the rationals (F. Lindemann 1882; K.
Weierstraß, Zu Lindemann's Abhandlung, 1885): a sum is 0 just where no term is left. Other signs are
found by enclosures, whose precision grows until they exclude 0. So all comparisons are decided.

    >>> e = power(Fraction(1))
    >>> truth = e / (1 + e)
    >>> truth + 1 / (1 + e), truth > Fraction(731, 1000), str(truth / (1 - truth))
    (Fraction(1, 1), True, 'e')

What is rational becomes a `Fraction`. Who asks an `Exponential` for its numerator gets
`Irrational`, and that is *undecided*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Any

from verifier.base import intervals
from verifier.base.errors import LimitReached
from verifier.base.exponential_polynomial import divisor
from verifier.base.intervals import Interval
from verifier.base.quotient import Poly, Quotient, Ring

NEAR = 64  # binary digits of the first enclosure of a number
HASHED = 40  # of them, that make up its hash
MAX_TERMS = 10**5  # of a sum
MAX_EXPONENT = 10**4  # of e; certificates have no larger ones
Sum = dict[Fraction, int]  # exponent of e -> coefficient other than 0, ascending


class Irrational(LimitReached):
    """A method for rationals met an irrational number: the question stays undecided."""

    def __init__(self) -> None:
        super().__init__("the probabilities are irrational, and this method needs rational ones")


class Exponential(Quotient):
    """An irrational number that is made of powers of e.

    Made by `power` and by arithmetic only. Far exponents, such as those of e^1000 and e^(1/8), may
    be written in several ways, as no greatest common divisor is found; numbers are equal where they
    are identical as quotients, and then their hashes are equal too.
    """

    __slots__ = ("_ends", "_near")
    _ring: PowersOfE
    _near: Interval | None  # found once, as are its ends
    _ends: tuple[Fraction, Fraction] | None
    refusal = Irrational

    @property
    def polynomials(self) -> tuple[Sum, Sum]:
        """Numerator and denominator, with exponents that are at least 0."""
        top, bottom = map(self._ring.sum_of, (self._top, self._bottom))
        return top, bottom

    @property
    def terms(self) -> tuple[Sum, Sum]:
        """Numerator and denominator; the denominator has no single term but an integer."""
        top, bottom = self.polynomials
        if len(bottom) > 1:
            return top, bottom
        ((least, c),) = bottom.items()
        return {q - least: n for q, n in top.items()}, {Fraction(0): c}

    def __mul__(self, other: Any) -> Any:
        return self if other.__class__ in (int, Fraction) and other == 1 else super().__mul__(other)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if getattr(other, "is_symbolic", False):
            return NotImplemented  # a cell records where they are the same
        if not isinstance(other, Exponential):
            return False  # what is rational is no Exponential
        if self._ring is other._ring and self._top == other._top and self._bottom == other._bottom:
            return True
        return not self._is_apart(other) and not self - other

    def __hash__(self) -> int:  # type: ignore[override]
        if self._hash is None:
            self._hash = self._hashed()
        return self._hash

    def _hashed(self) -> int:
        bits = NEAR
        while True:  # ends, as no irrational lies on a border
            low, high, scale = self.enclosed(bits)
            spare = max(low, -high).bit_length() - HASHED
            if low >> spare == high >> spare:
                return hash((low >> spare, scale + spare))
            bits *= 2

    def _is_apart(self, other: Exponential) -> bool:
        """Whether quick enclosures show that two numbers are different."""
        (a, b), (c, d) = self.ends(), other.ends()
        return b < c or d < a

    def ends(self) -> tuple[Fraction, Fraction]:
        """Rationals around the number that are near to each other."""
        if self._ends is None:
            self._ends = intervals.ends(self.enclosed(NEAR))
        return self._ends

    def _compared(self, other: Any, strict: int) -> int:
        if isinstance(other, int | Fraction) and not getattr(other, "is_symbolic", False):
            low, high = self.ends()
            least, most = other.ends() if isinstance(other, Exponential) else (other, other)
            if high < least or most < low:
                return -1 if high < least else 1
        return super()._compared(other, strict)

    def __float__(self) -> float:
        """The nearest float: floats of ascending numbers never descend."""
        bits = NEAR
        while True:
            low, high = map(float, intervals.ends(self.enclosed(bits)))
            if low == high:
                return low
            bits *= 2

    def enclosed(self, bits: int) -> Interval:
        """An interval of relative width at most 2^-`bits` around the number."""
        if bits <= NEAR and self._near is not None:
            return self._near
        wide = bits + 16
        while True:
            above, below = (self._ring.enclosed(part, wide) for part in (self._top, self._bottom))
            if below[1] < 0:
                above, below = ((-high, -low, scale) for low, high, scale in (above, below))
            if below[0] > 0:  # else the precision has to grow
                found = intervals.divide(above, below, wide)
                if intervals.is_close(found, bits):
                    break
            wide *= 2
        if bits <= NEAR:
            self._near = found
        return found

    def near(self, bits: int) -> Fraction:
        """A rational number near this one, to so many binary digits."""
        low, high = intervals.ends(self.enclosed(bits))
        return (low + high) / 2

    def __str__(self) -> str:
        """The number as `exact.number` and the checker read it: a sum, or sum/(sum)."""
        top, bottom = self.terms
        above, below = map(_text, (top, bottom))
        if below == "1":
            return above
        above = above if len(top) == 1 else f"({above})"
        return f"{above}/{below}" if below.isalnum() else f"{above}/({below})"

    def __reduce__(self) -> Any:
        return quotient, self.terms


class PowersOfE(Ring):
    """The polynomials of t = e^unit, with their signs."""

    names = ("t",)
    most = 5_000  # the degree up to which greatest common divisors are found
    kind = Exponential

    def __init__(self, unit: Fraction) -> None:
        from flint import fmpz_mpoly_ctx

        self.unit, self.context = unit, fmpz_mpoly_ctx.get(self.names, "lex")
        self.one = self.constant(1)

    def constant(self, number: int) -> Poly:
        """See `Ring`."""
        return self.context.constant(number)

    def written(self, poly: Poly) -> Any:
        """See `Ring`."""
        return tuple(poly.monoms()), tuple(poly.coeffs())

    def sum_of(self, poly: Poly) -> Sum:
        """A polynomial as a sum."""
        return {self.unit * int(k): int(c) for (k,), c in sorted(poly.to_dict().items())}

    def with_generators_of(self, other: Ring) -> Ring:
        """See `Ring`."""
        if not isinstance(other, PowersOfE):
            return other.with_generators_of(self)
        return _joined(self, other)

    def with_roots(self, degree: int) -> Ring:
        """See `Ring`."""
        return powers_of_e(self.unit / degree)

    def parts(self, number: Any) -> tuple[Poly, Poly]:
        """See `Ring`; the exponents of the number are multiples of this unit."""
        top, bottom = super().parts(number)
        if not isinstance(number, Exponential) or number._ring is self:
            return top, bottom
        times = [_times(number._ring, self)]
        return top.inflate(times), bottom.inflate(times)

    def common(self, one: Poly, other: Poly) -> Poly:
        """See `Ring`; of far exponents only a single term, or what is the same in both."""
        if one.degrees()[0] <= self.most >= other.degrees()[0]:
            return one.gcd(other)
        if len(one) == len(other):
            a, b = int(one.leading_coefficient()), int(other.leading_coefficient())
            if one * b == other * a:
                return one * gcd(a, b) // a
        return one.term_content().gcd(other.term_content())

    def sign(self, poly: Poly, strict: int = 0) -> int:
        """See `Ring`."""
        signs = {c > 0 for c in poly.coeffs()}
        if len(signs) < 2:
            return (True in signs) - (False in signs)
        bits = NEAR
        while True:
            low, high, _ = self.enclosed(poly, bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2

    def enclosed(self, poly: Poly, bits: int) -> Interval:
        """An interval around the value, which may be wide, of a polynomial other than 0."""
        if poly.is_constant():
            c = int(poly.leading_coefficient())
            return c, c, 0
        up, down = self.unit.as_integer_ratio()
        terms = zip(poly.monoms(), poly.coeffs(), strict=True)
        return intervals.combine(
            ((int(c), intervals.exponential(int(k) * up, down, bits)) for (k,), c in terms), bits
        )

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """See `Ring`; the unit is as large as it can be."""
        if max(len(top), len(bottom)) > MAX_TERMS:
            raise LimitReached(f"an exponential sum has over {MAX_TERMS} terms")
        (a, least), (b, shift) = (map(_only, part.deflation_index()) for part in (top, bottom))
        most, under = int(top.degrees()[0]), int(bottom.degrees()[0])
        ends = (most, under) if len(bottom) > 1 else (most - shift, shift - least)
        if max(ends) * self.unit.numerator > MAX_EXPONENT * self.unit.denominator:
            raise LimitReached(f"a number has a power of e beyond e^{MAX_EXPONENT}")
        step = gcd(a, least, b, shift)
        if step == 1:
            return self.bare(top, bottom)
        own = powers_of_e(self.unit * step)
        return own.bare(top.deflate([step]), bottom.deflate([step]))

    def bare(self, top: Poly, bottom: Poly) -> Exponential:
        """See `Ring`."""
        found: Any = super().bare(top, bottom)
        found._near = found._ends = None
        return found  # type: ignore[no-any-return]


@lru_cache
def powers_of_e(unit: Fraction) -> PowersOfE:
    """The polynomials of e^`unit`."""
    return PowersOfE(unit)


@lru_cache
def _joined(one: PowersOfE, other: PowersOfE) -> PowersOfE:
    return powers_of_e(divisor([one.unit, other.unit]))


@lru_cache
def _times(one: PowersOfE, other: PowersOfE) -> int:
    """Of which power of the other generator one is."""
    return int(one.unit / other.unit)


def _only(found: Sequence[Any]) -> int:
    return int(found[0])


@lru_cache
def power(exponent: Fraction | int) -> Fraction:
    """The number e^`exponent`, for a rational exponent.

    >>> power(Fraction(1, 2)) ** 2 == power(1), power(0)
    (True, Fraction(1, 1))
    """
    return quotient({Fraction(exponent): 1})


def total(terms: Mapping[Fraction, Fraction] | Iterable[tuple[Fraction, Fraction]]) -> Fraction:
    """The number Σ c·e^q over the (q, c), or q -> c, of `terms`; a q may occur twice.

    >>> total({Fraction(1): Fraction(1, 2), Fraction(0): Fraction(1, 2)}) == (power(1) + 1) / 2
    True
    """
    found: dict[Fraction, Fraction] = {}
    for q, c in terms.items() if isinstance(terms, Mapping) else terms:
        found[q] = found.get(q, Fraction(0)) + c
    return quotient(found)


def quotient(
    top: Mapping[Fraction, Fraction | int],
    bottom: Mapping[Fraction, Fraction | int] | None = None,
) -> Fraction:
    """The quotient of two sums, a Fraction where it is rational.

    top, bottom  exponent of e -> coefficient
    """
    sums = [{q: c for q, c in part.items() if c} for part in (top, bottom or {Fraction(0): 1})]
    least = [min(part, default=Fraction(0)) for part in sums]
    start = min(least)
    exponents = {q - start for part in sums for q in part} - {0}
    unit = lcm(1, *(c.denominator for part in sums for c in part.values()))
    if not exponents:
        return Fraction(*(sum(part.values(), Fraction(0)) for part in sums))
    ring = powers_of_e(divisor(exponents))
    polys = (
        ring.context.from_dict(
            {(int((q - start) / ring.unit),): int(c * unit) for q, c in part.items()}
        )
        for part in sums
    )
    return ring.made(*polys)


def _text(terms: Sum) -> str:
    """A sum as text, such as `1 - 2*e^(1/2)`."""
    said = ""
    for q, c in terms.items():
        raised = "" if q == 1 else f"^{q}" if q.denominator == 1 and q > 0 else f"^({q})"
        size = str(abs(c)) if not q else f"e{raised}" if abs(c) == 1 else f"{abs(c)}*e{raised}"
        sign = ("-" if c < 0 else "") if not said else " - " if c < 0 else " + "
        said += sign + size
    return said


def parts_of(value: Fraction) -> tuple[Mapping[Fraction, Any], Mapping[Fraction, Any]]:
    """The sums of powers of e, exponent -> rational of flint, of which a number is the quotient.

    >>> parts_of(Fraction(1, 2))
    ({Fraction(0, 1): 1/2}, {Fraction(0, 1): 1})
    """
    from flint import fmpq

    parts: tuple[Mapping[Fraction, Fraction | int], ...]
    zero, known = Fraction(0), isinstance(value, Exponential)
    parts = value.terms if known else ({zero: value}, {zero: Fraction(1)})  # type: ignore[attr-defined]
    top, bottom = ({q: fmpq(c.numerator, c.denominator) for q, c in p.items()} for p in parts)
    return top, bottom


def exponent(value: Fraction) -> Fraction | None:
    """The rational q with e^q = `value`; None where there is none."""
    if not isinstance(value, Exponential):
        return None
    (q, c), *rest = (term for part in value.terms for term in part.items())
    return q if c == 1 and rest == [(Fraction(0), 1)] else None


def bounds(value: Fraction, digits: int = 12) -> tuple[Fraction, Fraction]:
    """Decimals below and above an irrational number other than 0, of so many significant digits.

    >>> bounds(power(1), 3)
    (Fraction(271, 100), Fraction(68, 25))
    """
    assert isinstance(value, Exponential)
    low, high = intervals.ends(value.enclosed(4 * digits + 8))
    size = abs(low)
    places = len(str(int(size))) if size >= 1 else 1 - len(str(int(1 / size)))
    unit = Fraction(10) ** (places - digits)
    return (low // unit) * unit, -(-high // unit) * unit


def floor(value: Fraction) -> int:
    """The largest integer that is at most a `value`.

    >>> floor(power(1)), floor(-power(2))
    (2, -8)
    """
    if not isinstance(value, Exponential):
        return value.__floor__()
    bits = NEAR
    while True:  # ends, as no integer is irrational
        low, high = intervals.ends(value.enclosed(bits))
        if low.__floor__() == high.__floor__():
            return low.__floor__()
        bits *= 2

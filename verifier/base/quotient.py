"""Numbers that are quotients of two polynomials: what powers of e and functions of parameters are.

The polynomials have integer coefficients and are in lowest terms, as far as that is found quickly;
the denominator has a positive leading coefficient. Their generators are parameters, or a power of e
(`verifier.base.rational_function`, `verifier.base.exponential`), of which a `Ring` knows the signs.

A `Quotient` passes for a `Fraction` wherever numbers are added, multiplied or compared; what is
rational becomes one. Whoever asks for a numerator gets an error, and that is *undecided*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, ClassVar

from verifier.base.errors import LimitReached

Poly = Any  # of flint: fmpz_poly for one parameter, else fmpz_mpoly


class Ring:
    """Polynomials in generators, with signs; numbers are made as their quotients.

    names  of the generators
    one    the polynomial 1
    most   the largest degree up to which polynomials are taken apart
    """

    names: tuple[str, ...]
    one: Poly
    most: int
    kind: type[Quotient]  # of the numbers

    def constant(self, number: int) -> Poly:
        """A number as a polynomial."""
        raise NotImplementedError

    def written(self, poly: Poly) -> Any:
        """A polynomial as tuples of integers."""
        raise NotImplementedError

    def degree(self, poly: Poly) -> int:
        """The largest exponent of a generator."""
        return int(max(poly.degrees()))

    def with_generators_of(self, other: Ring) -> Ring:
        """The ring of what is made of numbers of this one and of another one."""
        raise NotImplementedError

    def with_roots(self, _: int) -> Ring:
        """The ring that has roots of such a degree of the generators, where they are numbers."""
        return self

    def parts(self, number: Any) -> tuple[Poly, Poly]:
        """Numerator and denominator of a number that is made of the generators."""
        if isinstance(number, Quotient):
            return number._top, number._bottom
        above, below = number.as_integer_ratio()
        return self.constant(above), self.constant(below)

    def common(self, one: Poly, other: Poly) -> Poly:
        """A common divisor of two polynomials, the greatest one where it is found quickly."""
        return one.gcd(other)

    def sign(self, poly: Poly, strict: int = 0) -> int:
        """-1, 0 or 1, which decides something.

        strict  the sign for which 0 would decide otherwise; 0 for both
        """
        raise NotImplementedError

    def look(self, poly: Poly) -> int:
        """The sign as a guide, which decides nothing."""
        return self.sign(poly)

    def keep(self, poly: Poly) -> None:
        """Take note of a polynomial whose sign proves something."""

    def made(self, top: Poly, bottom: Poly) -> Fraction:
        """The number top / bottom; ZeroDivisionError where `bottom` is 0."""
        if not bottom:
            raise ZeroDivisionError("a number divided by 0")
        if not top:
            return Fraction(0)
        common = self.common(top, bottom)
        if bottom.leading_coefficient() < 0:
            common = -common
        if not common.is_one():
            top, bottom = top // common, bottom // common
        if top.is_constant() and bottom.is_constant():
            return Fraction(*(int(part.leading_coefficient()) for part in (top, bottom)))
        return self.number(top, bottom)

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """The number top / bottom, which are in lowest terms; LimitReached where it is too long."""
        raise NotImplementedError

    def bare(self, top: Poly, bottom: Poly) -> Quotient:
        """The same, which is known to be a number of its kind."""
        found = object.__new__(self.kind)
        found._ring, found._top, found._bottom, found._hash = self, top, bottom, None
        return found


class Quotient(Fraction):
    """A quotient of two polynomials of a ring that is not rational.

    Made by arithmetic only, and by the functions that give generators.
    """

    __slots__ = ("_bottom", "_hash", "_ring", "_top")
    _ring: Any
    _top: Poly
    _bottom: Poly
    _hash: int | None  # found once
    refusal: ClassVar[type[LimitReached]]  # raised where a rational number is needed
    is_symbolic = False  # whether it depends on a parameter

    def __new__(cls, *_: Any) -> Quotient:  # not by the text of a fraction
        raise cls.refusal

    def _refused(self, *_: Any) -> Any:
        raise self.refusal

    numerator = denominator = _numerator = _denominator = property(_refused)
    as_integer_ratio = limit_denominator = _refused  # type: ignore[assignment]
    __floor__ = __ceil__ = __trunc__ = __round__ = __int__ = _refused  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refused  # type: ignore[assignment]
    __rpow__ = _refused

    def _with(self, other: Any) -> tuple[Any, Poly, Poly, Poly, Poly]:
        """A ring for two numbers, and their numerators and denominators in it."""
        ring = self._ring
        if isinstance(other, Quotient):
            if other._ring is ring:
                return ring, self._top, self._bottom, other._top, other._bottom
            ring = ring.with_generators_of(other._ring)
            return ring, *ring.parts(self), *ring.parts(other)
        return ring, self._top, self._bottom, *ring.parts(other)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        ring, a, b, c, d = self._with(other)
        return ring.made(a + c, b) if b == d else ring.made(a * d + c * b, b * d)

    __radd__ = __add__

    def __neg__(self) -> Quotient:
        found: Quotient = self._ring.bare(-self._top, self._bottom)
        return found

    def __pos__(self) -> Quotient:
        return self

    def __abs__(self) -> Quotient:
        return self if self.sign() >= 0 else -self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, int | Fraction) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        ring, a, b, c, d = self._with(other)
        return ring.made(a * c, b * d)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        if not other:  # a function that is not 0 is recorded, since it must not vanish
            raise ZeroDivisionError(f"{self} / 0")
        ring, a, b, c, d = self._with(other)
        return ring.made(a * d, b * c)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        if not self:  # recorded
            raise ZeroDivisionError(f"{other} / 0")
        ring, a, b, c, d = self._with(other)
        return ring.made(b * c, a * d)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int):
            raise self.refusal
        if exponent < 0:
            return 1 / self**-exponent
        found: Fraction = Fraction(1)
        for digit in bin(exponent)[2:]:
            found = found * found * self if digit == "1" else found * found
        return found

    def sign(self, strict: int = 0) -> int:
        """-1, 0 or 1.

        strict  the sign for which 0 would decide otherwise; 0 for both
        """
        below: int = self._ring.sign(self._bottom)
        return below * int(self._ring.sign(self._top, strict * below))

    def _compared(self, other: Any, strict: int) -> int:
        """The sign of the difference from another number, of which 0 is told apart where it is
        `strict`."""
        if not isinstance(other, int | Fraction):
            raise TypeError(f"a number was expected, found {type(other).__name__}")
        gap = self - other
        return gap.sign(strict) if isinstance(gap, Quotient) else (gap > 0) - (gap < 0)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, -1) < 0

    def __le__(self, other: Any) -> bool:
        return self._compared(other, 1) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, 1) > 0

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, -1) >= 0

    def __bool__(self) -> bool:
        return True

    def near(self, bits: int) -> Fraction:
        """A rational number near this one, to so many binary digits."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"exact.number({str(self)!r})"

    def __copy__(self) -> Quotient:
        return self

    def __deepcopy__(self, memo: Any) -> Quotient:
        return self


def added(values: Sequence[Fraction | int]) -> Fraction:
    """The sum of many numbers, some of them quotients; those with the same denominator are added
    first."""
    ring = ring_of(values)
    rest = sum((one for one in values if not isinstance(one, Quotient)), Fraction(0))
    grouped: dict[Any, tuple[Poly, Poly]] = {}
    for one in (rest, *(one for one in values if isinstance(one, Quotient))):
        top, bottom = ring.parts(one)
        key = ring.written(bottom)
        grouped[key] = (grouped[key][0] + top if key in grouped else top), bottom
    unit, tops = _over_one(list(grouped.values()), ring)
    found: Fraction = ring.made(reduce(add, tops), unit)
    return found


def _over_one(pairs: Sequence[tuple[Poly, Poly]], ring: Ring) -> tuple[Poly, list[Poly]]:
    """A common denominator of quotients of two polynomials, and each of them times it."""
    unit = ring.one
    for _, bottom in pairs:
        if bottom != unit:
            unit = unit * (bottom // ring.common(unit, bottom))
    return unit, [top if bottom == unit else top * (unit // bottom) for top, bottom in pairs]


def ring_of(values: Iterable[Fraction | int]) -> Any:
    """The ring of numbers of which some are quotients; None where there is no such one."""
    rings: dict[Ring, None] = {one._ring: None for one in values if isinstance(one, Quotient)}
    return reduce(lambda one, other: one.with_generators_of(other), rings) if rings else None


def polynomials(values: Sequence[Fraction | int], ring: Ring) -> tuple[Poly, list[Poly]]:
    """A common denominator of numbers, which is positive, and each of them times it."""
    unit, tops = _over_one([ring.parts(number) for number in values], ring)
    if ring.look(unit) < 0:
        unit, tops = -unit, [-top for top in tops]
    return unit, tops


def scaled_quotients(values: Sequence[Fraction | int]) -> tuple[Fraction, list[Fraction]]:
    """A positive number, and each of the `values` times it: quotients without a denominator."""
    ring = ring_of(values)
    top, tops = polynomials(values, ring)
    unit: Fraction = ring.made(top, ring.one)
    if not unit > 0:  # recorded
        raise ZeroDivisionError("a denominator vanishes")
    return unit, [ring.made(each, ring.one) for each in tops]


def coprime(values: Sequence[Fraction | int]) -> list[Fraction]:
    """Polynomials without a common factor, in the same proportions as `values` and with the same
    signs. Not all values are 0."""
    ring = ring_of(values)
    unit, tops = polynomials(values, ring)
    common = reduce(ring.common, filter(None, tops))
    if not ring.made(common, unit) > 0:  # recorded
        common = -common
    return [ring.made(top // common, ring.one) for top in tops]


def root(power: Fraction, degree: int = 2) -> Fraction | None:
    """The root >= 0 of a `power` >= 0; None where it is no such quotient. The sign of a function is
    decided at the active sample."""
    assert isinstance(power, Quotient)
    if degree == 1:
        return power
    ring = power._ring.with_roots(degree)
    top, bottom = ring.parts(power)
    if max(ring.degree(top), ring.degree(bottom)) > ring.most:
        return None
    content, factors = (top * bottom ** (degree - 1)).factor_squarefree()
    whole = abs(content).root(degree)
    if whole**degree != abs(content) or any(times % degree for _, times in factors):
        return None
    found = ring.constant(int(whole))
    for factor, times in factors:
        found *= factor ** (int(times) // degree)
    return abs(ring.made(found, bottom))  # type: ignore[no-any-return]

"""Where a parameter lies: an open interval or one point, with a sample at which signs are decided.

A cell is active while something is computed within `with cell:`. A sign of a polynomial of the
parameter is then its sign at the sample, and the polynomial is recorded: between the nearest roots
of what is recorded, on both sides of the sample, every answer would have been the same.

    >>> with Cell("p", Fraction(1, 2), Fraction(1), Fraction(3, 5)) as cell:
    ...     cell.sign((-3, 4))  # 4p - 3
    -1
    >>> cell.recorded
    {(-3, 4): -1}
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm
from typing import Any

from verifier.base import exponential_polynomial as exponentials
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.exponential_polynomial import INFINITE, ExponentialPolynomial
from verifier.base.nouns import Later, dataclass
from verifier.base.polynomial import value_at

Coefficients = tuple[Any, ...]  # integers from the constant term up; or an ExponentialPolynomial
Listed = tuple[tuple[tuple[int, ...], int], ...]  # of several: exponents and coefficient, ascending
MAX_RECORDED = 10**5  # polynomials of one cell

_ACTIVE: ContextVar[tuple[Cell, ...]] = ContextVar("cells", default=())


class AtRoot(Exception):
    """The sample of an open cell is a root of a polynomial whose sign was asked for.

    The caller that chose the sample divides the interval there. It is no `VerifierError`, so that
    nobody in between takes it for an answer.
    """

    def __init__(self, sample: Fraction, polynomial: Coefficients) -> None:
        super().__init__(f"the sample {sample} is a root")
        self.sample, self.polynomial = sample, polynomial


class NoFunction(NotDecided):
    """The smallest level is no quotient of polynomials of a parameter, and no root of one."""

    def __init__(self) -> None:
        super().__init__("the smallest level is no quotient of polynomials")


class Varies(NotDecided):
    """What proves an answer changes with the parameter; more may be known near other samples."""

    def __init__(self) -> None:
        super().__init__("the weights that meet a condition depend on the parameter")


class Symbolic(LimitReached):
    """A method for numbers met a function of a parameter: the question stays undecided."""

    def __init__(self) -> None:
        super().__init__("the probabilities depend on a parameter, and this method needs numbers")


@dataclass(frozen=True)
class Root(Later):
    """A real number: the only root of an irreducible polynomial in an open interval.

    polynomial  integers from the constant term up, irreducible over the rationals, degree above 1;
                or an irreducible exponential polynomial
    low, high   rationals around the number, with no other root of the polynomial between them
    """

    polynomial: Coefficients
    low: Fraction
    high: Fraction

    def sign(self, polynomial: Coefficients) -> int:
        """The sign of a polynomial here: 0 where it is a multiple of the own one, otherwise found
        in intervals ever shorter, until Descartes' rule excludes a root of it."""
        if self._vanishes(polynomial):
            return 0
        low, high, bits = self.low, self.high, 40
        while variations(polynomial, low, high):
            low, high = self.enclosed(Fraction(1, 2**bits))
            bits *= 2
        return sign_at(polynomial, (low + high) / 2)

    def _vanishes(self, polynomial: Coefficients) -> bool:
        """Whether a polynomial is 0 here: only what has a factor in common with the own one is."""
        if any(isinstance(one, ExponentialPolynomial) for one in (polynomial, self.polynomial)):
            return exponentials.have_common_zero(polynomial, self.polynomial, self.low, self.high)
        from flint import fmpq_poly

        return not fmpq_poly(list(polynomial)) % fmpq_poly(list(self.polynomial))

    def enclosed(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Rationals around the number that are at most `width` > 0 apart."""
        return _enclosed(self, width)


@dataclass
class Cell(Later):
    """Where the parameter lies, and what has been decided there.

    parameter  its name
    low, high  the ends of an open interval; both are the sample where the cell is one point
    sample     a rational within the interval; or the only point, a `Root`
    recorded   primitive polynomial with a positive leading coefficient -> its sign at the sample
    strict     those of them that would have decided otherwise if they were 0
    base       what random draws have powers of: e, or the parameter in place of 1/e; "" for none
    reduces    whether numbers at a point are its own, reduced where it is irrational; else they are
               functions there too
    powers     whether powers of e with the parameter in the exponent have been made
    """

    parameter: str
    low: Fraction | Root
    high: Fraction | Root
    sample: Fraction | Root
    recorded: dict[Any, int] = field(default_factory=dict)
    strict: set[Any] = field(default_factory=set)
    base: str = ""
    reduces: bool = True
    powers: bool = False
    _tokens: list[Any] = field(default_factory=list, repr=False, compare=False)

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return self.low == self.high

    @property
    def modulus(self) -> Coefficients | None:
        """The polynomial of the only point where it is irrational: numbers are reduced by it."""
        point = self.sample if self.reduces else None
        if not isinstance(point, Root) or isinstance(point.polynomial, ExponentialPolynomial):
            return None
        return point.polynomial

    def __enter__(self) -> Cell:
        self._tokens.append(_ACTIVE.set((*_ACTIVE.get(), self)))
        return self

    def __exit__(self, *_: object) -> None:
        _ACTIVE.reset(self._tokens.pop())

    @property
    def point(self) -> tuple[Any, ...]:
        """The sample, a value for each parameter."""
        return (self.sample,)

    def sign(self, polynomial: Sequence[Any], strict: int = 0) -> int:
        """The sign of a polynomial at the sample, -1, 0 or 1; it is recorded.

        polynomial  integers from the constant term up, the last not 0; empty for 0
        strict      the sign for which 0 would decide otherwise; 0 for both

        Raises AtRoot where the sample of an open interval is a root.
        """
        content, key = self._primitive(polynomial)
        if not key:
            return _sign(content)
        known = self.recorded.get(key)
        if known is None:
            known = self._found(key)
            if len(self.recorded) >= MAX_RECORDED:
                raise LimitReached(f"over {MAX_RECORDED} polynomials of {self.parameter}")
            self.recorded[key] = known
        found = known * _sign(content)
        if strict in (0, found):
            self.strict.add(key)
        return found

    def look(self, polynomial: Sequence[Any]) -> int:
        """The sign at the sample, which is not recorded: it may guide, but decides nothing.

        polynomial  as for `sign`, which raises AtRoot too
        """
        content, key = self._primitive(polynomial)
        return _sign(content) * (self._found(key) if key else 1)

    def _primitive(self, polynomial: Any) -> tuple[int, Any]:
        """A polynomial as a content and a primitive one with a positive leading coefficient; of a
        constant only the content."""
        if isinstance(polynomial, ExponentialPolynomial):
            coefficients = polynomial.coefficients
            if polynomial.is_constant:
                return sum(coefficients), ()
            content = gcd(*coefficients) * _sign(coefficients[-1])
            return content, polynomial.over(content)
        if len(polynomial) < 2:
            return (polynomial[0] if polynomial else 0), ()
        content = gcd(*polynomial) * _sign(polynomial[-1])
        return content, tuple(c // content for c in polynomial)

    def _found(self, key: Any) -> int:
        if isinstance(self.sample, Root):
            return self.sample.sign(key)
        found = sign_at(key, self.sample)
        if not found and not self.is_point:
            raise AtRoot(self.sample, key)
        return found


@dataclass
class Place(Cell):
    """A part of the space of several parameters around a sample, at which signs are decided.

    `parameter` has the names of all, `sample` a value for each; polynomials are lists of terms.
    `alone` says that the parameters have the values of the sample, so that all numbers are
    rational.
    """

    alone: bool = False

    @classmethod
    def around(cls, names: Sequence[str], point: Sequence[Fraction], alone: bool = False) -> Place:
        """The place with a sample, or only this point."""
        names_: Any = tuple(names)
        sample: Any = tuple(point)
        return cls(names_, sample, sample, sample, alone=alone)

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return self.alone

    @property
    def point(self) -> tuple[Fraction, ...]:
        """The sample, a value for each parameter."""
        sample: Any = self.sample
        return tuple(sample)

    def _primitive(self, polynomial: Any) -> tuple[int, Any]:
        if not any(any(exponents) for exponents, _ in polynomial):
            return (polynomial[0][1] if polynomial else 0), ()
        content = gcd(*(c for _, c in polynomial)) * _sign(polynomial[-1][1])
        return content, tuple((exponents, c // content) for exponents, c in polynomial)

    def _found(self, key: Any) -> int:
        found = value_at(dict(key), self.point)
        if not found:
            raise AtRoot(self.point[0], ())
        return _sign(found)


@lru_cache(maxsize=10_000)
def _enclosed(root: Root, width: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around a root, found by bisection over one denominator."""
    unit = lcm(root.low.denominator, root.high.denominator)
    low, high = int(root.low * unit), int(root.high * unit)
    left = sign_at(root.polynomial, root.low)
    while (high - low) * width.denominator > width.numerator * unit:
        middle, low, high, unit = low + high, 2 * low, 2 * high, 2 * unit
        if sign_at(root.polynomial, Fraction(middle, unit)) == left:
            low = middle
        else:
            high = middle
    return Fraction(low, unit), Fraction(high, unit)


def active(parameter: str) -> Cell | None:
    """The innermost active cell of a `parameter`; None where there is none."""
    return next((cell for cell in reversed(_ACTIVE.get()) if cell.parameter == parameter), None)


def innermost() -> Cell | None:
    """The innermost active cell; None where there is none."""
    return next(reversed(_ACTIVE.get()), None)


def sign_at(polynomial: Sequence[int], x: Fraction) -> int:
    """The sign of an integer polynomial at a rational.

    polynomial  integers from the constant term up, or an exponential polynomial
    x           where

    >>> sign_at((-2, 0, 1), Fraction(3, 2))
    1
    """
    if isinstance(polynomial, ExponentialPolynomial):
        return exponentials.sign_at(polynomial, x)
    top, unit = x.numerator, x.denominator
    value, power = 0, 1
    for c in reversed(polynomial):  # Horner's rule, over the denominator
        value = value * top + c * power
        power *= unit
    return _sign(value)


def variations(polynomial: Sequence[int], low: Fraction, high: Fraction) -> int:
    """The sign variations of Descartes' rule on the open interval: 0 where there is no root.

    polynomial  integers from the constant term up, or an exponential polynomial
    low, high   the ends, low < high, of which the upper one may be infinite

    >>> variations((-2, 0, 1), Fraction(1), Fraction(2))
    1
    """
    if isinstance(polynomial, ExponentialPolynomial):
        return exponentials.variations(polynomial, low, high)
    from flint import fmpq, fmpq_poly, fmpz_poly

    if high == INFINITE:
        start = fmpq_poly([fmpq(low.numerator, low.denominator), 1])
        return _changes(fmpq_poly(list(polynomial))(start).coeffs())
    unit = low.denominator * high.denominator
    a, b = low.numerator * high.denominator, high.numerator * low.denominator
    degree = len(polynomial) - 1
    scaled = fmpz_poly([c * unit ** (degree - i) for i, c in enumerate(polynomial)])
    moved = [int(c) for c in scaled(fmpz_poly([a, b - a])).coeffs()]  # (0, 1) in place of it
    turned = fmpz_poly((moved + [0] * (degree + 1 - len(moved)))[::-1])
    return _changes(turned(fmpz_poly([1, 1])).coeffs())


def _changes(coefficients: Iterable[Any]) -> int:
    """How often the sign changes from one of some coefficients to the next that is not 0."""
    return sum(x != y for x, y in pairwise([c > 0 for c in coefficients if c]))


def _sign(value: Fraction | int) -> int:
    return (value > 0) - (value < 0)

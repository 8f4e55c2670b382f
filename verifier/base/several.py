"""Rational functions of several real parameters, exact: numbers such as p*q/(1 - p).

They are to `verifier.base.rational_function` what polynomials of several variables are to those of
one: quotients in lowest terms, which pass for a `Fraction`, and are compared within an active
`Place`, at its sample. The place records each polynomial whose sign decided.

    >>> p, q = parameter(("p", "q"), "p"), parameter(("p", "q"), "q")
    >>> found = (p**2 - q**2) / (p - q)
    >>> str(found), found - p == q
    ('p + q', True)
    >>> with Place.around(("p", "q"), (Fraction(2, 3), Fraction(1, 5))) as place:
    ...     p > q
    True
    >>> place.recorded
    {(((0, 1), -1), ((1, 0), 1)): 1}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import gcd, prod
from typing import Any

from verifier.base.cell import MAX_RECORDED, AtRoot, Cell
from verifier.base.errors import LimitReached
from verifier.base.nouns import dataclass
from verifier.base.rational_function import RationalFunction
from verifier.base.rational_function import root as root

MAX_DEGREE = 200  # of one parameter
MAX_TERMS = 10_000
Exponents = tuple[int, ...]  # of each parameter
Terms = Mapping[Exponents, int]  # a polynomial: each coefficient other than 0
Listed = tuple[tuple[Exponents, int], ...]  # the same, in ascending order of exponents


class SeveralFunction(RationalFunction):
    """A quotient of two coprime integer polynomials of several parameters, that is not constant.

    Made by `parameter` and by arithmetic only.
    """

    __slots__ = ()
    _name: Any  # the names of all parameters, in their order
    _most = MAX_DEGREE

    @property
    def top(self) -> Any:
        """The numerator as a list of terms."""
        return _listed(self._top)

    @property
    def bottom(self) -> Any:
        """The denominator, whose last coefficient is positive."""
        return _listed(self._bottom)

    def _made(self, top: Any, bottom: Any) -> Fraction:
        return _made(self._name, top, bottom)

    def _bare(self, top: Any, bottom: Any) -> RationalFunction:
        return _bare(self._name, top, bottom)

    def _about(self) -> str:
        return f"parameters {' and '.join(self._name)}"

    def _degree(self) -> int:
        return int(max(*self._top.degrees(), *self._bottom.degrees()))

    def _constant(self, number: int) -> Any:
        return self._top.context().constant(number)

    def __lt__(self, other: Any) -> bool:
        return self._side(other, -1) < 0

    def __le__(self, other: Any) -> bool:
        return self._side(other, 1) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._side(other, 1) > 0

    def __ge__(self, other: Any) -> bool:
        return self._side(other, -1) >= 0

    def _side(self, other: Any, strict: int) -> int:
        """The sign of the difference from a number, of which 0 is told apart if it is `strict`."""
        if not isinstance(other, int | Fraction):
            raise TypeError(f"a number was expected, found {type(other).__name__}")
        gap, place = self - other, self._cell()
        if not isinstance(gap, SeveralFunction):
            return _sign(gap)
        assert isinstance(place, Place)
        below = place.sign(gap.bottom)
        return place.sign(gap.top, strict * below) * below

    def __float__(self) -> float:
        """The value at the sample of the active place, nearly."""
        sample: Any = self._cell().sample
        return float(value(dict(self.top), sample) / value(dict(self.bottom), sample))

    def __str__(self) -> str:
        """The function as `exact.number` reads it where its parameters are known."""
        return text(self._name, dict(self.top), dict(self.bottom))

    def __reduce__(self) -> Any:
        return _quotient, (self._name, self.top, self.bottom)


@dataclass
class Place(Cell):
    """A part of the space of several parameters around a sample, at which signs are decided.

    `parameter` has the names of all, `sample` a value for each; `recorded` the sign of each
    primitive polynomial, as a list of terms whose last coefficient is positive, and `strict` those
    that would have decided otherwise if they were 0. `alone` says that the parameters have the
    values of the sample, so that all numbers are rational.
    """

    strict: set[Listed] = field(default_factory=set)
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

    @property
    def modulus(self) -> None:
        """It has no irrational sample."""

    def sign(self, polynomial: Any, strict: int = 0) -> int:
        """The sign of a polynomial at the sample, -1, 0 or 1; it is recorded.

        polynomial  a list of terms
        strict      the sign for which 0 would decide otherwise; 0 for both

        Raises AtRoot where the sample is a root.
        """
        if not polynomial or (len(polynomial) == 1 and not any(polynomial[0][0])):
            return _sign(polynomial[0][1]) if polynomial else 0
        content = gcd(*(c for _, c in polynomial)) * _sign(polynomial[-1][1])
        key: Any = tuple((exponents, c // content) for exponents, c in polynomial)
        sample: Any = self.sample
        known = self.recorded.get(key)
        if known is None:
            known = _sign(value(dict(key), sample))
            if not known:
                raise AtRoot(sample[0], ())
            if len(self.recorded) >= MAX_RECORDED:
                raise LimitReached(f"over {MAX_RECORDED} polynomials of the parameters")
            self.recorded[key] = known
        if strict in (0, known * _sign(content)):
            self.strict.add(key)
        return known * _sign(content)


def parameter(names: Sequence[str], name: str) -> Fraction:
    """The function that is one of the parameters itself.

    names  of all parameters, at least two
    name   of this one
    """
    context = _context(tuple(names))
    return _made(tuple(names), context.gens()[list(names).index(name)], context.constant(1))


def parts(number: Fraction | int, names: Sequence[str]) -> tuple[dict[Exponents, int], ...]:
    """Numerator and denominator of a number, which may depend on some of several parameters.

    number  a rational, or a function of one or several of them
    names   of all parameters, to whose order the exponents belong

    >>> parts(parameter(("p", "q"), "q") / 2, ("p", "q"))
    ({(0, 1): 1}, {(0, 0): 2})
    """
    if isinstance(number, SeveralFunction):
        own = list(number.parameter)
        return tuple(
            {
                tuple(e[own.index(name)] if name in own else 0 for name in names): c
                for e, c in polynomial
            }
            for polynomial in (number.top, number.bottom)
        )
    if isinstance(number, RationalFunction):
        at = list(names).index(number.parameter)
        zero = (0,) * len(names)
        return tuple(
            {(*zero[:at], k, *zero[at + 1 :]): c for k, c in enumerate(polynomial) if c}
            for polynomial in (number.top, number.bottom)
        )
    above, below = number.as_integer_ratio()
    constant = (0,) * len(names)
    return ({constant: above} if above else {}), {constant: below}


def value(polynomial: Terms, point: Sequence[Fraction]) -> Fraction:
    """A polynomial at a point.

    >>> value({(1, 0): 2, (0, 1): -1}, (Fraction(1, 2), Fraction(1, 3)))
    Fraction(2, 3)
    """
    return sum(
        (c * prod((x**k for x, k in zip(point, exponents, strict=True) if k), start=Fraction(1)))
        for exponents, c in polynomial.items()
    ) or Fraction(0)


def at_point(number: Fraction, names: Sequence[str], point: Sequence[Fraction]) -> Fraction:
    """What a number is at a point, if it may depend on parameters.

    number  a rational or a function
    names   of the parameters
    point   a value for each
    """
    if not isinstance(number, RationalFunction):
        return number
    above, below = parts(number, names)
    return value(above, point) / value(below, point)


def composed(number: Fraction, of: Callable[[str], Fraction | None]) -> Fraction:
    """A number with others in place of the parameters that stand in it.

    number  a rational, or a function of several parameters
    of      the name of a parameter -> what is put in its place
    """
    if not isinstance(number, SeveralFunction):
        return number
    names: tuple[str, ...] = number.parameter  # type: ignore[assignment]
    exponents = [e for part in (number.top, number.bottom) for e, _ in part]
    used = [any(powers) for powers in zip(*exponents, strict=True)]
    point = [
        (of(name) if is_used else None) or Fraction(0)
        for name, is_used in zip(names, used, strict=True)
    ]
    return at_point(number, names, point)


def added(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of many numbers; those over the same denominator are put together at once."""
    grouped: dict[Any, Any] = {}
    rest, one = Fraction(0), None
    for number in values:
        if isinstance(number, SeveralFunction):
            one, key = number, number.bottom
            grouped[key] = grouped[key] + number._top if key in grouped else number._top
        else:
            rest += number
    found = rest
    for key, top in grouped.items():
        assert one is not None
        found += one._made(top, top.context().from_dict(dict(key)))
    return found


def _over_one(values: Sequence[Fraction | int]) -> tuple[SeveralFunction, Any, list[Any]]:
    """A function among the `values`, a common denominator, and each of them times it."""
    one = next(number for number in values if isinstance(number, SeveralFunction))
    pairs = [one._parts(number) for number in values]
    unit = one._constant(1)
    for _, bottom in pairs:
        unit = unit * (bottom // unit.gcd(bottom))
    return one, unit, [top * (unit // bottom) for top, bottom in pairs]


def whole(values: Sequence[Fraction | int]) -> tuple[Fraction, list[Fraction]]:
    """A number that is positive in the active place, and each of the `values` times it: functions
    without a denominator."""
    one, unit, tops = _over_one(values)
    if not one._made(unit, one._constant(1)) > 0:  # recorded
        unit, tops = -unit, [-top for top in tops]
    return one._made(unit, one._constant(1)), [one._made(top, one._constant(1)) for top in tops]


def coprime(values: Sequence[Fraction | int]) -> list[Fraction]:
    """The `values`, some of which are not 0, times what is positive in the active place:
    polynomials without a common factor."""
    one, unit, tops = _over_one(values)
    common = one._constant(0)
    for top in tops:
        common = common.gcd(top)
    if not one._made(common, unit) > 0:  # recorded
        common = -common
    return [one._made(top // common, one._constant(1)) for top in tops]


def near(number: Fraction, bits: int) -> Fraction:
    """What a number is at the sample of the active place, which is rational."""
    if not isinstance(number, SeveralFunction):
        return number
    sample: Any = number._cell().sample
    return value(dict(number.top), sample) / value(dict(number.bottom), sample)


def closed(number: Fraction) -> str:
    """The function in lowest terms, as text."""
    return str(number)


def text(names: Sequence[str], top: Terms, bottom: Terms) -> str:
    """A quotient of two polynomials as text.

    >>> text(("p", "q"), {(1, 1): 1}, {(0, 0): 1, (1, 0): -1})
    'p*q/(1 - p)'
    """
    if next(c for _, c in _ordered(bottom)) < 0:
        top, bottom = ({e: -c for e, c in part.items()} for part in (top, bottom))
    above, below = polynomial_text(names, top), polynomial_text(names, bottom)
    if below == "1":
        return above
    above = above if len(top) < 2 else f"({above})"
    return f"{above}/{below}" if below.isalnum() else f"{above}/({below})"


def polynomial_text(names: Sequence[str], polynomial: Terms) -> str:
    """A polynomial of several parameters as text.

    >>> polynomial_text(("p", "q"), {(0, 0): 1, (1, 2): -3})
    '1 - 3*p*q^2'
    """
    said = ""
    for exponents, c in _ordered(polynomial):
        powers = [
            name if k == 1 else f"{name}^{k}" for name, k in zip(names, exponents, strict=True) if k
        ]
        size = [str(abs(c))] if abs(c) != 1 or not powers else []
        sign = ("-" if c < 0 else "") if not said else " - " if c < 0 else " + "
        said += sign + "*".join([*size, *powers])
    return said or "0"


def _ordered(polynomial: Terms) -> Listed:
    """The terms as they are written: of low degree first."""
    return tuple(sorted(polynomial.items(), key=lambda term: (sum(term[0]), [-k for k in term[0]])))


def _context(names: tuple[str, ...]) -> Any:
    from flint import Ordering, fmpz_mpoly_ctx

    return fmpz_mpoly_ctx.get(names, Ordering.lex)


def _listed(polynomial: Any) -> Listed:
    terms = polynomial.to_dict().items()
    return tuple(sorted((tuple(map(int, e)), int(c)) for e, c in terms))


def _made(names: tuple[str, ...], top: Any, bottom: Any) -> Fraction:
    """The function top / bottom in lowest terms."""
    if not bottom:
        raise ZeroDivisionError(f"a function of {', '.join(names)} divided by 0")
    if not top:
        return Fraction(0)
    common = top.gcd(bottom)
    if bottom.leading_coefficient() < 0:
        common = -common
    if not common.is_one():
        top, bottom = top // common, bottom // common
    if top.is_constant() and bottom.is_constant():
        return Fraction(int(top.leading_coefficient()), int(bottom.leading_coefficient()))
    most = max(*top.degrees(), *bottom.degrees())
    if most > MAX_DEGREE or max(len(top), len(bottom)) > MAX_TERMS:
        raise LimitReached(f"a polynomial of {' and '.join(names)} is too long")
    return _bare(names, top, bottom)


def _bare(names: tuple[str, ...], top: Any, bottom: Any) -> SeveralFunction:
    found = object.__new__(SeveralFunction)
    found._name, found._top, found._bottom, found._hash = names, top, bottom, None
    return found


def _quotient(names: tuple[str, ...], top: Listed, bottom: Listed) -> Fraction:
    context = _context(names)
    return _made(names, context.from_dict(dict(top)), context.from_dict(dict(bottom)))


def _sign(number: Fraction | int) -> int:
    return (number > 0) - (number < 0)

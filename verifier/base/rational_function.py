"""Rational functions of real parameters, exact: numbers such as p/(1 - p) and p*q/(1 - p).

A function is a quotient of two polynomials with integer coefficients in lowest terms, the
denominator with a positive leading coefficient; so there is one way to write it, and `==` is
identity. Arithmetic that leaves no parameter gives a `Fraction`.

    >>> p = parameter("p")
    >>> odds = p / (1 - p)
    >>> str(odds), odds * (1 - p) == p, 1 - p + p, function_value(odds, Fraction(3, 4))
    ('p/(1 - p)', True, Fraction(1, 1), Fraction(3, 1))

A `RationalFunction` passes for a `Fraction` wherever numbers are added, multiplied or compared, as
powers of e do; whoever asks for its numerator gets `Symbolic`, and that is *undecided*. Functions
have no order of their own. They are compared within an active `Cell` (`verifier.base.cell`), at its
sample, and the cell records each polynomial whose sign decided: of a comparison the difference, of
a truth value or a division the numerator. So whatever code has answered is true wherever none of
them has a root between there and the sample.

    >>> from verifier.base.cell import Place
    >>> with Cell("p", Fraction(1, 2), Fraction(1), Fraction(3, 5)) as cell:
    ...     max(odds, Fraction(3)), odds > 1
    (Fraction(3, 1), True)
    >>> sorted(cell.recorded)
    [(-3, 4), (-1, 1), (-1, 2)]

In a cell that is one irrational point the numbers are those of its field: polynomials reduced by
the point's own one, over an integer.

Powers of e, with the parameter in the exponent or not, may stand in a function of one parameter:
its parts are then exponential polynomials (`verifier.base.exponential_polynomial`).

    >>> from verifier.base.exponential import power
    >>> str(1 / (power(1) * p + power_of("p", Fraction(3, 4))))
    '1/(e^(3*p/4) + p*e)'

Functions of several parameters are compared within a `Place`. A polynomial of one parameter is
written as its coefficients, one of several as a list of terms.

    >>> p, q = parameter("p", ("p", "q")), parameter("q", ("p", "q"))
    >>> str((p**2 - q**2) / (p - q))
    'p + q'
    >>> with Place.around(("p", "q"), (Fraction(2, 3), Fraction(1, 5))) as place:
    ...     p > q
    True
    >>> place.recorded
    {(((0, 1), -1), ((1, 0), 1)): 1}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm, prod
from typing import Any

from verifier.base import exponential
from verifier.base.cell import Cell, Coefficients, Root, Symbolic, active
from verifier.base.errors import InputError, LimitReached
from verifier.base.exponential import Exponential, PowersOfE, total
from verifier.base.exponential_polynomial import (
    ExponentialPolynomial,
    Units,
    context_of,
    divisor,
    poly_of,
    read_poly,
    units_of,
    valued,
)
from verifier.base.polynomial import Exponents, value_at
from verifier.base.quotient import Poly, Quotient, Ring

MAX_TERMS = 10_000
Terms = Mapping[Exponents, int]  # a polynomial: each coefficient other than 0


class RationalFunction(Quotient):
    """A quotient of two coprime integer polynomials of parameters, that is not constant.

    Made by `parameter`, `quotient` and by arithmetic only.
    """

    __slots__ = ()
    _ring: OneParameter
    refusal, is_symbolic = Symbolic, True

    @property
    def parameter(self) -> Any:
        """The name of the parameter; of several a tuple of all names."""
        return self._ring.name

    @property
    def top(self) -> Any:
        """The numerator as it is written."""
        return self._ring.written(self._top)

    @property
    def bottom(self) -> Any:
        """The denominator, whose last coefficient is positive."""
        return self._ring.written(self._bottom)

    def __pow__(self, exponent: Any) -> Any:
        if isinstance(exponent, int) and exponent >= 0:
            ring = self._ring
            if max(map(ring.degree, (self._top, self._bottom))) * exponent > ring.most:
                raise LimitReached(f"a power of the {ring.about} above {ring.most}")
            return ring.made(self._top**exponent, self._bottom**exponent)
        return super().__pow__(exponent)

    def __eq__(self, other: object) -> bool:
        """Identity; a cell records where two different functions have the same value."""
        if isinstance(other, RationalFunction) and self._ring is other._ring:
            same = bool(self._top == other._top and self._bottom == other._bottom)
        elif isinstance(other, int | Fraction) and self._ring.has_numbers(other):
            same = False  # what is constant is no function
        else:
            return False
        cell = active(self.parameter)
        if not same and cell is not None and not cell.modulus:
            (self - other).__bool__()
        return same

    def __hash__(self) -> int:  # type: ignore[override]
        if self._hash is None:
            self._hash = hash((self.parameter, self.top, self.bottom))
        return self._hash

    def __bool__(self) -> bool:
        """True, as a function; a cell records where it vanishes."""
        cell = active(self.parameter)
        if cell is not None:
            cell.sign(self.top)
        return True

    def __float__(self) -> float:
        """The value at the sample of the active cell, nearly."""
        return float(self.near(64))

    def near(self, bits: int) -> Fraction:
        """A rational number near the value at the sample of the active cell."""
        cell = self._ring.cell
        if not isinstance(cell.sample, Root):
            value = function_value(self, *cell.point)
            return value.near(bits) if isinstance(value, Exponential) else value
        if not cell.sample.sign(self.top):
            return Fraction(0)
        parts = ((self._ring.written(part), part) for part in (self._top, self._bottom))
        above, below = (_near(*each, cell.sample, bits) for each in parts)
        return above / below

    def __str__(self) -> str:
        """The function as `exact.number` reads it where its parameters are known."""
        return text(self._ring.name, *map(self._ring.terms, (self._top, self._bottom)))

    def __reduce__(self) -> Any:
        return quotient, (self.parameter, self.top, self.bottom)


class OneParameter(Ring):
    """The polynomials of one parameter, with their signs in the active cell."""

    most = 5_000  # the largest degree
    kind = RationalFunction

    def __init__(self, name: str) -> None:
        from flint import fmpz_poly

        self.name: Any = name  # as a cell has it
        self.names: tuple[str, ...] = (name,)
        self._made_of: Any = fmpz_poly
        self.one = self.constant(1)

    @property
    def about(self) -> str:
        """The names, for people."""
        return f"parameter{'s' * (len(self.names) > 1)} {' and '.join(self.names)}"

    @property
    def cell(self) -> Cell:
        """The active one; Symbolic where there is none."""
        found = active(self.name)
        if found is None:
            raise Symbolic
        return found

    def constant(self, number: int) -> Poly:
        """See `Ring`."""
        return self._made_of([number])

    def read(self, written: Any) -> Poly:
        """The polynomial that `written` has given."""
        plain = written.plain if isinstance(written, ExponentialPolynomial) else list(written)
        return self._made_of(plain)

    def written(self, poly: Poly) -> Any:
        """Integers from the constant term up."""
        return tuple(map(int, poly.coeffs()))

    def terms(self, poly: Poly) -> Terms:
        """The coefficients other than 0, in ascending order of exponents."""
        return _sparse(self.written(poly))

    def degree(self, poly: Poly) -> int:
        """See `Ring`."""
        return int(poly.degree())

    def value(self, poly: Poly, point: Sequence[Fraction]) -> Fraction | int:
        """What a polynomial is at a point."""
        from flint import fmpq

        (x,) = point
        found = poly(fmpq(x.numerator, x.denominator))
        return Fraction(int(found.p), int(found.q))

    units: Units = (Fraction(0), Fraction(0))  # of powers of e

    def has_numbers(self, number: Fraction | int) -> bool:
        """Whether there are functions made of its generators and of a number too."""
        return len(self.names) == 1 or not isinstance(number, Exponential)

    def with_generators_of(self, other: Ring) -> Ring:
        """See `Ring`; there is none for several parameters and powers of e, or other parameters."""
        if isinstance(other, PowersOfE):
            if len(self.names) > 1:
                raise InputError("S804", f"the real {self.about} and powers of e in one check")
            return _powers(self.name, (self.units[0], divisor([self.units[1], other.unit])))
        assert isinstance(other, OneParameter)
        if self.name == other.name:
            u, v = map(divisor, zip(self.units, other.units, strict=True))
            return _powers(self.name, (u, v))
        raise LimitReached(f"the {self.about} and the {other.about} in one number")

    def sign(self, poly: Poly, strict: int = 0) -> int:
        """The sign at the sample of the active cell, which records it."""
        return self.cell.sign(self.written(poly), strict)

    def look(self, poly: Poly) -> int:
        """The sign there, which is not recorded."""
        if poly.is_constant():
            return bool(poly) * (1 if poly.leading_coefficient() > 0 else -1)
        return self.cell.look(self.written(poly))

    def keep(self, poly: Poly) -> None:
        """Record its sign."""
        self.sign(poly)

    def made(self, top: Poly, bottom: Poly) -> Fraction:
        """See `Ring`; at an irrational point that is active the number is one of its field."""
        cell = active(self.name)
        if cell is not None and cell.modulus:
            top, bottom = _reduced(top, bottom, cell.modulus)
        return super().made(top, bottom)

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """See `Ring`."""
        most = max(self.degree(top), self.degree(bottom))
        if most > self.most or max(len(top), len(bottom)) > MAX_TERMS:
            raise LimitReached(f"a polynomial of {' and '.join(self.names)} is too long")
        return self.bare(top, bottom)


class ParameterAndPowers(OneParameter):
    """The polynomials of a parameter x, of t = e^(ux) and of s = e^v; `units` are u and v."""

    most = 500

    def __init__(self, name: str, units: Units) -> None:
        self.name, self.units, self.names = name, units, (name,)
        self._made_of = context_of(name)
        self.one = self.constant(1)

    def constant(self, number: int) -> Poly:
        """See `Ring`."""
        return self._made_of.constant(number)

    def read(self, written: Any) -> Poly:
        """The polynomial that `written` has given, of this or of the plain ring."""
        return poly_of(written, self._made_of, self.units)

    def written(self, poly: Poly) -> Any:
        """An exponential polynomial."""
        return read_poly(poly, self.units)

    def terms(self, poly: Poly) -> Terms:
        """The coefficients other than 0."""
        return dict(self.written(poly))

    def degree(self, poly: Poly) -> int:
        """See `Ring`."""
        return int(max(poly.degrees()))

    def value(self, poly: Poly, point: Sequence[Fraction]) -> Fraction | int:
        """What a polynomial is at a point: made of powers of e."""
        (x,) = point
        return total((q * x + r, c * x**i) for (i, q, r), c in self.written(poly))

    def parts(self, number: Any) -> tuple[Poly, Poly]:
        """See `Ring`."""
        if isinstance(number, RationalFunction) and number._ring is not self:
            return self.read(number.top), self.read(number.bottom)
        if isinstance(number, Exponential):
            top, bottom = map(self.read, parts(number))
            return top, bottom
        return super().parts(number)

    def made(self, top: Poly, bottom: Poly) -> Fraction:
        """See `Ring`; nothing is reduced at an irrational point. A cell keeps that this is made."""
        cell = active(self.name)
        if cell is not None:
            cell.powers = True
        return Ring.made(self, top, bottom)

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """See `Ring`; the units are as large as they can be, and what has no parameter is a number
        of its own."""
        listed = [m for part in (top, bottom) for m in part.monoms()]
        x, *steps = (gcd(*map(int, exponents)) for exponents in zip(*listed, strict=True))
        if not x and not steps[0]:
            sums = ({r: c for (_, _, r), c in self.written(part)} for part in (top, bottom))
            return exponential.quotient(*sums)
        u, v = (step * unit for step, unit in zip(steps, self.units, strict=True))
        if (u, v) == self.units:
            return super().number(top, bottom)
        own = _powers(self.name, (u, v))
        parts = (own.read(self.written(part)) for part in (top, bottom))
        return own.number(*parts) if u or v else own.made(*parts)


@lru_cache
def _powers(name: str, units: Units) -> OneParameter:
    """The polynomials of a parameter and of such powers of e, if there are any."""
    return ParameterAndPowers(name, units) if any(units) else ring(name)


class SeveralParameters(OneParameter):
    """The polynomials of several parameters, given by a tuple of names."""

    most = 200

    def __init__(self, names: tuple[str, ...]) -> None:
        from flint import Ordering, fmpz_mpoly_ctx

        self.name = self.names = names
        self._made_of = fmpz_mpoly_ctx.get(names, Ordering.lex)
        self.one = self.constant(1)

    def constant(self, number: int) -> Poly:
        """See `Ring`."""
        return self._made_of.constant(number)

    def read(self, written: Any) -> Poly:
        """The polynomial that `written` has given."""
        return self._made_of.from_dict(dict(written))

    def written(self, poly: Poly) -> Any:
        """The terms, as they are listed."""
        return tuple(self.terms(poly).items())

    def terms(self, poly: Poly) -> Terms:
        """The coefficients other than 0, in ascending order of exponents."""
        return dict(sorted((tuple(map(int, e)), int(c)) for e, c in poly.to_dict().items()))

    def degree(self, poly: Poly) -> int:
        """See `Ring`."""
        return int(max(poly.degrees()))

    def value(self, poly: Poly, point: Sequence[Fraction]) -> Fraction | int:
        """What a polynomial is at a point."""
        return value_at(self.terms(poly), point)


@lru_cache
def ring(name: str | tuple[str, ...]) -> OneParameter:
    """The polynomials of the parameter of a `name`, or of several given by their names."""
    return OneParameter(name) if isinstance(name, str) else SeveralParameters(name)


def parameter(name: str, names: Sequence[str] = ()) -> Fraction:
    """The function that is the parameter itself.

    name   of the parameter
    names  of all parameters of which it is one, where there are several

    >>> str(parameter("p") ** 2 - 1)
    '-1 + p^2'
    """
    if not names:
        return quotient(name, (0, 1))
    exponents = tuple(int(other == name) for other in names)
    return quotient(tuple(names), ((exponents, 1),), (((0,) * len(names), 1),))


def quotient(
    name: str | tuple[str, ...], top: Sequence[Any], bottom: Sequence[Any] = (1,)
) -> Fraction:
    """The function top / bottom; a Fraction where it is constant.

    name         of the parameter; or a tuple of several
    top, bottom  integers from the constant term up, exponential polynomials, or terms;
                 ZeroDivisionError for a `bottom` of 0

    >>> quotient("p", (-1, 0, 1), (1, 1)) == parameter("p") - 1
    True
    """
    own = ring(name)
    if isinstance(name, str) and isinstance(top, ExponentialPolynomial):
        own = _powers(name, units_of(top, bottom))
    return own.made(own.read(top), own.read(bottom))


def power_of(name: str, rate: Fraction) -> Fraction:
    """The function e^(rate·x) of the parameter x of a `name`."""
    own = _powers(name, (abs(rate), Fraction(0)))
    found = own.made(own.read(ExponentialPolynomial.of({(0, abs(rate), 0): 1})), own.one)
    return found if rate > 0 else 1 / found


def function_of_rates(
    name: str,
    top: Mapping[tuple[int, Fraction], Fraction],
    bottom: Mapping[tuple[int, Fraction], Fraction],
) -> Fraction:
    """The quotient of two sums of c·x^i·e^(qx), x the parameter of a `name`.

    top, bottom  (i, q), of any sign -> c

    >>> str(function_of_rates("p", {(0, Fraction(-1)): Fraction(1, 2)}, {(1, Fraction(0)): 1}))
    '1/(2*p*e^p)'
    """
    keys = [*top, *bottom]
    power, rate = min(i for i, _ in keys), min(q for _, q in keys)
    unit = lcm(*(c.denominator for part in (top, bottom) for c in part.values()))
    above, below = (
        ExponentialPolynomial.of(
            {(i - power, q - rate, 0): int(c * unit) for (i, q), c in part.items()}
        )
        for part in (top, bottom)
    )
    return quotient(name, above, below)


def exponent_of(number: Fraction | int) -> Fraction | None:
    """The rational q of which a number is e^(qx), x the parameter; None where there is none.

    >>> exponent_of(1 / power_of("p", Fraction(1, 2))), exponent_of(parameter("p"))
    (Fraction(-1, 2), None)
    """
    if not isinstance(number, RationalFunction):
        return None
    rates = [
        [q for (i, q, r), c in part if not i and not r and c == 1]
        for part in (number.top, number.bottom)
        if isinstance(part, ExponentialPolynomial) and len(part) == 1
    ]
    single = len(rates) == 2 and all(rates)
    return rates[0][0] - rates[1][0] if single else None


def rate_of(number: Fraction | int) -> Fraction | None:
    """The rational q of which a number is q times the parameter; None where it is something else.

    >>> rate_of(3 * parameter("p") / 4), rate_of(parameter("p") + 1)
    (Fraction(3, 4), None)
    """
    if not isinstance(number, RationalFunction) or not isinstance(number.parameter, str):
        return None
    top, bottom = number.top, number.bottom
    linear = not isinstance(top, ExponentialPolynomial) and len(top) == 2 and not top[0]
    return Fraction(top[1], bottom[0]) if linear and len(bottom) == 1 else None


def parts(number: Fraction | int) -> tuple[Coefficients, Coefficients]:
    """Numerator and denominator of a number as integers from the constant term up, or as
    exponential polynomials.

    >>> parts(Fraction(1, 2)), parts(parameter("p") / 2)
    (((1,), (2,)), ((0, 1), (2,)))
    """
    if isinstance(number, RationalFunction):
        return number.top, number.bottom
    if isinstance(number, Exponential):
        top, bottom = (
            ExponentialPolynomial.of({(0, 0, r): c for r, c in part.items()})
            for part in number.polynomials
        )
        return top, bottom
    above, below = number.as_integer_ratio()
    return ((above,) if above else ()), (below,)


def terms_in(number: Fraction | int, names: Sequence[str]) -> tuple[dict[Exponents, int], ...]:
    """Numerator and denominator of a number as polynomials of several parameters.

    number  a rational, or a function of one or several of them
    names   of all parameters, to whose order the exponents belong

    >>> terms_in(parameter("q") / 2, ("p", "q"))
    ({(0, 1): 1}, {(0, 0): 2})
    """
    if not isinstance(number, RationalFunction):
        constant = (0,) * len(names)
        return tuple({constant: c} if c else {} for c in number.as_integer_ratio())
    own = number._ring.names
    places = [own.index(name) if name in own else None for name in names]
    return tuple(
        {
            tuple([0 if k is None else e[k] for k in places]): c
            for e, c in number._ring.terms(poly).items()
        }
        for poly in (number._top, number._bottom)
    )


def function_value(number: Fraction | int, *point: Fraction) -> Fraction:
    """The value of a function at a rational point; a number is its own value. ZeroDivisionError at
    a pole.

    number  a function or a number
    point   what each parameter is
    """
    if not isinstance(number, RationalFunction):
        return Fraction(number) if isinstance(number, int) else number
    above, below = (number._ring.value(part, point) for part in (number._top, number._bottom))
    if not below:
        raise ZeroDivisionError(f"{number} at {', '.join(map(str, point))}")
    return Fraction(1) * above / below


def at_point(number: Fraction, names: Sequence[str], point: Sequence[Fraction]) -> Fraction:
    """What a number is at a point, if it may depend on some of the parameters.

    number  a rational or a function
    names   of the parameters
    point   a value for each
    """
    if not isinstance(number, RationalFunction):
        return number
    known = dict(zip(names, point, strict=True))
    return function_value(number, *(known[name] for name in number._ring.names))


def composed(number: Fraction, of: Callable[[str], Fraction | None]) -> Fraction:
    """A number with others in place of the parameters that stand in it.

    number  a rational or a function
    of      the name of a parameter -> what is put in its place
    """
    if not isinstance(number, RationalFunction):
        return number
    if isinstance(number._ring, ParameterAndPowers):
        raise LimitReached(f"an equation beside powers of e with the {number._ring.about}")
    names = number._ring.names
    parts = [number._ring.terms(poly) for poly in (number._top, number._bottom)]
    used = {k for part in parts for e in part for k, power in enumerate(e) if power}
    known = {k: of(names[k]) or Fraction(0) for k in sorted(used)}
    above, below = (
        sum((c * prod([known[k] ** n for k, n in enumerate(e) if n]) for e, c in part.items()))
        for part in parts
    )
    return Fraction(1) * above / below


def _near(written: Any, polynomial: Any, x: Root, bits: int) -> Fraction:
    """A rational number near the value of a polynomial that does not vanish at x, to so many binary
    digits, however much its terms cancel."""
    from flint import fmpq, fmpz_poly

    if isinstance(written, ExponentialPolynomial):
        return _near_exponential(written, x, bits)
    slope, width = fmpz_poly([abs(c) for c in polynomial.coeffs()]).derivative(), Fraction(1)
    while True:
        width /= 2**bits
        low, high = x.enclosed(width)
        found, steepest = (
            f(fmpq(at.numerator, at.denominator))
            for f, at in ((polynomial, low), (slope, max(-low, high)))
        )
        if abs(found) > steepest * fmpq(2**bits) * fmpq(width.numerator, width.denominator):
            return Fraction(int(found.p), int(found.q))


def _near_exponential(polynomial: ExponentialPolynomial, x: Root, bits: int) -> Fraction:
    """The same of an exponential polynomial, in balls ever smaller."""
    from flint import arb, ctx, fmpq

    before, wide = ctx.prec, 2 * bits
    try:
        while True:
            ctx.prec = wide
            low, high = x.enclosed(Fraction(1, 2**wide))
            ends = (arb(fmpq(end.numerator, end.denominator)) for end in (low, high))
            value = valued(polynomial, next(ends).union(next(ends)))
            if value.rel_accuracy_bits() >= bits:
                middle = value.mid().fmpq()
                return Fraction(int(middle.p), int(middle.q))
            wide *= 2
    finally:
        ctx.prec = before


def of_powers(number: Fraction, name: str) -> Fraction:
    """A number made of powers of e with the parameter `name` in place of 1/e.

    number  whose powers are whole; LimitReached for others
    name    of the parameter

    >>> from verifier.base.exponential import power
    >>> str(of_powers(1 / (1 + power(2)), "x"))
    'x^2/(1 + x^2)'
    """
    if not isinstance(number, Exponential):
        return number
    top, bottom = number.terms
    most = max(*top, *bottom)
    if any(q.denominator != 1 for q in (*top, *bottom)):
        raise LimitReached(f"draws with other than whole powers of {name}")
    turned = ({int(most - q): c for q, c in part.items()} for part in (top, bottom))
    return quotient(name, *([part.get(k, 0) for k in range(int(most) + 1)] for part in turned))


def _reduced(top: Any, bottom: Any, modulus: Coefficients) -> tuple[Any, Any]:
    """The same number as a polynomial of lower degree than the modulus, over an integer."""
    from flint import fmpq_poly, fmpz_poly

    field = fmpq_poly(list(modulus))
    found = fmpq_poly(top) % field
    if bottom.degree() > 0:
        below = fmpq_poly(bottom) % field
        if not below:
            raise ZeroDivisionError("a denominator vanishes at this point")
        found = found * below.xgcd(field)[1] % field
    elif not bottom.is_one():
        found = found / fmpq_poly(bottom)[0]
    return found.numer(), fmpz_poly([found.denom()])


def text(name: str | Sequence[str], top: Coefficients | Terms, bottom: Coefficients | Terms) -> str:
    """A quotient of two polynomials as text; signs are chosen so that the lowest coefficient of the
    denominator is positive.

    >>> text("p", (0, -1), (-2, 2)), text(("p", "q"), {(1, 1): 1}, {(0, 0): 1, (1, 0): -1})
    ('p/(2 - 2*p)', 'p*q/(1 - p)')
    """
    one, other = _ordered(top), _ordered(bottom)
    if other[0][1] < 0:
        one, other = ([(e, -c) for e, c in part] for part in (one, other))
    above, below = polynomial_text(name, dict(one)), polynomial_text(name, dict(other))
    if below == "1":
        return above
    above = above if len(one) < 2 else f"({above})"
    return f"{above}/{below}" if below.isdecimal() or below.isidentifier() else f"{above}/({below})"


def polynomial_text(name: str | Sequence[str], polynomial: Coefficients | Terms) -> str:
    """A polynomial as text.

    name        of the parameter, or of several
    polynomial  integers from the constant term up, or terms

    >>> polynomial_text("p", (-243, 583, -400, 124))
    '-243 + 583*p - 400*p^2 + 124*p^3'
    """
    names, said = ((name, "e", f"e^{name}") if isinstance(name, str) else name), ""
    for exponents, c in _ordered(polynomial):
        if isinstance(name, str) and len(exponents) > 1:  # e^r stands before e^(qx)
            exponents = exponents[0], exponents[2], exponents[1]
        powers = [_raised(each, k) for each, k in zip(names, exponents, strict=False) if k]
        size = [str(abs(c))] if abs(c) != 1 or not powers else []
        sign = ("-" if c < 0 else "") if not said else " - " if c < 0 else " + "
        said += sign + "*".join([*size, *powers])
    return said or "0"


def _raised(name: str, exponent: Any) -> str:
    """A power of a parameter, or of e raised to it, as text."""
    if exponent == 1:
        return name
    base, _, own = name.partition("e^")
    if base:
        return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"
    top, bottom = exponent.as_integer_ratio()
    return f"e^({f'{top}*' * (top != 1)}{own}{f'/{bottom}' * (bottom != 1)})"


def _ordered(polynomial: Coefficients | Terms) -> list[tuple[Any, int]]:
    """The terms as they are written: of low degree first."""
    if isinstance(polynomial, ExponentialPolynomial):
        listed: Any = polynomial
        polynomial = dict(listed)
    found = polynomial if isinstance(polynomial, Mapping) else _sparse(polynomial)
    return sorted(found.items(), key=lambda term: (sum(term[0]), [-k for k in term[0]]))


def _sparse(polynomial: Coefficients) -> dict[Exponents, int]:
    return {(k,): c for k, c in enumerate(polynomial) if c}

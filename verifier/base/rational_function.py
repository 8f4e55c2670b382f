"""Rational functions of real parameters, exact: numbers such as p/(1 - p) and p*q/(1 - p).

A function is a quotient of two polynomials with integer coefficients in lowest terms, the
denominator with a positive leading coefficient; so there is one way to write it, and `==` is
identity. Arithmetic that leaves no parameter gives a `Fraction`.

    >>> p = parameter("p")
    >>> odds = p / (1 - p)
    >>> str(odds), odds * (1 - p) == p, 1 - p + p, at(odds, Fraction(3, 4))
    ('p/(1 - p)', True, Fraction(1, 1), Fraction(3, 1))

A `RationalFunction` passes for a `Fraction` wherever numbers are added, multiplied or compared, as
powers of e do; whoever asks for its numerator gets `Symbolic`, and that is *undecided*. Functions
have no order of their own. They are compared within an active `Cell` (`verifier.base.cell`), at its
sample, and the cell records each polynomial whose sign decided: of a comparison the difference, of
a truth value or a division the numerator. So whatever code has answered is true wherever none of
them has a root between there and the sample.

    >>> with Cell("p", Fraction(1, 2), Fraction(1), Fraction(3, 5)) as cell:
    ...     max(odds, Fraction(3)), odds > 1
    (Fraction(3, 1), True)
    >>> sorted(cell.recorded)
    [(-3, 4), (-1, 1), (-1, 2)]

In a cell that is one irrational point the numbers are those of its field: polynomials reduced by
the point's own one, over an integer.

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

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

from verifier.base import exponential
from verifier.base.cell import Cell, Coefficients, Listed, Root, Symbolic, active
from verifier.base.errors import InputError, LimitReached
from verifier.base.exponential import Exponential
from verifier.base.polynomial import Exponents, value

MAX_TERMS = 10_000
Poly = Any  # of flint: fmpz_poly, of several parameters fmpz_mpoly
Written = Coefficients | Listed  # a polynomial of one parameter, or of several
Terms = Mapping[Exponents, int]  # a polynomial: each coefficient other than 0


class OneParameter:
    """The polynomials of one parameter."""

    most = 5_000  # the largest degree

    def __init__(self, name: str) -> None:
        from flint import fmpz_poly

        self.name: Any = name  # as a cell has it
        self.names: tuple[str, ...] = (name,)
        self._poly = fmpz_poly
        self.one = self.constant(1)

    def constant(self, number: int) -> Poly:
        """A number as a polynomial."""
        return self._poly([number])

    def of(self, written: Any) -> Poly:
        """The polynomial that `written` has given."""
        return self._poly(list(written))

    def written(self, poly: Poly) -> Any:
        """Integers from the constant term up."""
        return tuple(map(int, poly.coeffs()))

    def terms(self, poly: Poly) -> Terms:
        """The coefficients other than 0."""
        return _sparse(self.written(poly))

    def degree(self, poly: Poly) -> int:
        """The largest exponent of a parameter."""
        return int(poly.degree())

    def parts(self, number: Any) -> tuple[Poly, Poly]:
        """Numerator and denominator of a number of these parameters."""
        if isinstance(number, RationalFunction):
            if number._ring is not self:
                raise LimitReached(f"the {self.about} and the {number._ring.about} in one number")
            return number._top, number._bottom
        if isinstance(number, Exponential):
            raise InputError("S804", f"the real {self.about} and powers of e in one check")
        above, below = number.as_integer_ratio()
        return self.constant(above), self.constant(below)

    @property
    def about(self) -> str:
        """The names, for people."""
        return f"parameter{'s' * (len(self.names) > 1)} {' and '.join(self.names)}"

    def value(self, poly: Poly, point: Sequence[Fraction]) -> Fraction | int:
        """What a polynomial is at a point."""
        from flint import fmpq

        (x,) = point
        found = poly(fmpq(x.numerator, x.denominator))
        return Fraction(int(found.p), int(found.q))


class SeveralParameters(OneParameter):
    """The polynomials of several parameters, given by a tuple of names."""

    most = 200

    def __init__(self, names: tuple[str, ...]) -> None:
        from flint import Ordering, fmpz_mpoly_ctx

        self.name = self.names = names
        self.context = fmpz_mpoly_ctx.get(names, Ordering.lex)
        self.one = self.constant(1)

    def constant(self, number: int) -> Poly:
        """A number as a polynomial."""
        return self.context.constant(number)

    def of(self, written: Any) -> Poly:
        """The polynomial that `written` has given."""
        return self.context.from_dict(dict(written))

    def written(self, poly: Poly) -> Any:
        """The terms, as they are listed."""
        return tuple(self.terms(poly).items())

    def terms(self, poly: Poly) -> Terms:
        """The coefficients other than 0, in ascending order of exponents."""
        return dict(sorted((tuple(map(int, e)), int(c)) for e, c in poly.to_dict().items()))

    def degree(self, poly: Poly) -> int:
        """The largest exponent of a parameter."""
        return int(max(poly.degrees()))

    def value(self, poly: Poly, point: Sequence[Fraction]) -> Fraction | int:
        """What a polynomial is at a point."""
        return value(self.terms(poly), point)


@lru_cache
def ring(name: str | tuple[str, ...]) -> OneParameter:
    """The polynomials of the parameter of a `name`, or of several given by their names."""
    return OneParameter(name) if isinstance(name, str) else SeveralParameters(name)


class RationalFunction(Fraction):
    """A quotient of two coprime integer polynomials of parameters, that is not constant.

    Made by `parameter`, `quotient` and by arithmetic only.
    """

    __slots__ = ("_bottom", "_hash", "_ring", "_top")
    _ring: OneParameter
    _top: Poly
    _bottom: Poly
    _hash: int | None

    def __new__(cls, *_: Any) -> RationalFunction:  # not by the text of a fraction
        raise Symbolic

    def _refused(self, *_: Any) -> Any:
        raise Symbolic

    numerator = denominator = _numerator = _denominator = property(_refused)
    as_integer_ratio = limit_denominator = _refused  # type: ignore[assignment]
    __floor__ = __ceil__ = __trunc__ = __round__ = __int__ = _refused  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refused  # type: ignore[assignment]
    __rpow__ = _refused

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

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        top, bottom = self._ring.parts(other)
        if bottom == self._bottom:
            return self._made(self._top + top, bottom)
        return self._made(self._top * bottom + top * self._bottom, self._bottom * bottom)

    __radd__ = __add__

    def __neg__(self) -> RationalFunction:
        return _bare(self._ring, -self._top, self._bottom)

    def __pos__(self) -> RationalFunction:
        return self

    def __abs__(self) -> RationalFunction:
        return self if self.sign() >= 0 else -self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, int | Fraction) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        top, bottom = self._ring.parts(other)
        return self._made(self._top * top, self._bottom * bottom)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        top, bottom = self._ring.parts(other)
        if not other:  # a function that is not 0 is recorded, since it must not vanish
            raise ZeroDivisionError(f"{self} / 0")
        return self._made(self._top * bottom, self._bottom * top)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        if not self:  # recorded
            raise ZeroDivisionError(f"{other} / 0")
        top, bottom = self._ring.parts(other)
        return self._made(self._bottom * top, self._top * bottom)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int):
            raise Symbolic
        if exponent < 0:
            return 1 / self**-exponent
        degree, most = max(map(self._ring.degree, (self._top, self._bottom))), self._ring.most
        if degree * exponent > most:
            raise LimitReached(f"a power of the {self._ring.about} above {most}")
        return self._made(self._top**exponent, self._bottom**exponent)

    def _made(self, top: Poly, bottom: Poly) -> Fraction:
        return _made(self._ring, top, bottom)

    def sign(self, strict: int = 0) -> int:
        """-1, 0 or 1 at the sample of the active cell, which records what decides.

        strict  the sign for which 0 would decide otherwise; 0 for both

        Raises Symbolic where no cell of the parameter is active.
        """
        cell = self._cell()
        below = cell.sign(self.bottom)
        return cell.sign(self.top, strict * below) * below

    def _cell(self) -> Cell:
        found = active(self.parameter)
        if found is None:
            raise Symbolic
        return found

    def __eq__(self, other: object) -> bool:
        """Identity; a cell records where two different functions have the same value."""
        if isinstance(other, RationalFunction) and self._ring is other._ring:
            same = bool(self._top == other._top and self._bottom == other._bottom)
        elif isinstance(other, int | Fraction) and not isinstance(other, Exponential):
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

    def __lt__(self, other: Any) -> bool:
        return _compared(self, other, -1) < 0

    def __le__(self, other: Any) -> bool:
        return _compared(self, other, 1) <= 0

    def __gt__(self, other: Any) -> bool:
        return _compared(self, other, 1) > 0

    def __ge__(self, other: Any) -> bool:
        return _compared(self, other, -1) >= 0

    def __bool__(self) -> bool:
        """True, as a function; a cell records where it vanishes."""
        cell = active(self.parameter)
        if cell is not None:
            cell.sign(self.top)
        return True

    def __float__(self) -> float:
        """The value at the sample of the active cell, nearly."""
        return float(near(self, 64))

    def __str__(self) -> str:
        """The function as `exact.number` reads it where its parameter is known."""
        return text(self._ring.names, *map(self._ring.terms, (self._top, self._bottom)))

    def __repr__(self) -> str:
        return f"exact.number({str(self)!r})"

    def __reduce__(self) -> Any:
        return quotient, (self.parameter, self.top, self.bottom)

    def __copy__(self) -> RationalFunction:
        return self

    def __deepcopy__(self, memo: Any) -> RationalFunction:
        return self


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
    name: str | tuple[str, ...], top: Iterable[Any], bottom: Iterable[Any] = (1,)
) -> Fraction:
    """The function top / bottom; a Fraction where it is constant.

    name         of the parameter; or a tuple of several
    top, bottom  integers from the constant term up, or terms; ZeroDivisionError for a `bottom` of 0

    >>> quotient("p", (-1, 0, 1), (1, 1)) == parameter("p") - 1
    True
    """
    own = ring(name)
    return _made(own, own.of(top), own.of(bottom))


def parts(number: Fraction | int) -> tuple[Coefficients, Coefficients]:
    """Numerator and denominator of a number as integers from the constant term up.

    >>> parts(Fraction(1, 2)), parts(parameter("p") / 2)
    (((1,), (2,)), ((0, 1), (2,)))
    """
    if isinstance(number, RationalFunction):
        return number.top, number.bottom
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


def at(number: Fraction | int, *point: Fraction) -> Fraction:
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
    return Fraction(above, below)


def at_point(number: Fraction, names: Sequence[str], point: Sequence[Fraction]) -> Fraction:
    """What a number is at a point, if it may depend on some of the parameters.

    number  a rational or a function
    names   of the parameters
    point   a value for each
    """
    if not isinstance(number, RationalFunction):
        return number
    known = dict(zip(names, point, strict=True))
    return at(number, *(known[name] for name in number._ring.names))


def composed(number: Fraction, of: Callable[[str], Fraction | None]) -> Fraction:
    """A number with others in place of the parameters that stand in it.

    number  a rational or a function
    of      the name of a parameter -> what is put in its place
    """
    if not isinstance(number, RationalFunction):
        return number
    names = number._ring.names
    parts = [number._ring.terms(poly) for poly in (number._top, number._bottom)]
    used = {k for part in parts for e in part for k, power in enumerate(e) if power}
    known = {k: of(names[k]) or Fraction(0) for k in sorted(used)}
    above, below = (
        sum((c * prod([known[k] ** n for k, n in enumerate(e) if n]) for e, c in part.items()))
        for part in parts
    )
    return Fraction(1) * above / below


def added(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of many numbers; those over the same denominator are put together at once.

    >>> p = parameter("p")
    >>> added([p, 1 / p, -1 / p, Fraction(1, 2)]) == p + Fraction(1, 2)
    True
    """
    grouped: dict[Any, tuple[RationalFunction, Poly]] = {}
    found = Fraction(0)
    for one in values:
        if isinstance(one, RationalFunction):
            key = one.parameter, one.bottom
            grouped[key] = one, grouped[key][1] + one._top if key in grouped else one._top
        else:
            found += one
    for one, top in grouped.values():
        found += one._made(top, one._bottom)
    return found


def polynomials(values: Sequence[Fraction | int], own: OneParameter) -> tuple[Poly, list[Poly]]:
    """A common denominator of numbers, and each of them times it, as polynomials of a ring. The
    denominator is positive at the sample of the active cell."""
    pairs = [own.parts(number) for number in values]
    unit = own.one
    for _, bottom in pairs:
        unit = unit * (bottom // unit.gcd(bottom))
    cell = active(own.name)
    if cell is not None and cell.look(own.written(unit)) < 0:
        unit = -unit
    return unit, [top * (unit // bottom) for top, bottom in pairs]


def _ring_of(values: Iterable[Fraction | int]) -> OneParameter:
    """That of numbers with a function among them."""
    return next(one._ring for one in values if isinstance(one, RationalFunction))


def whole(values: Sequence[Fraction | int]) -> tuple[Fraction, list[Fraction]]:
    """A number that is positive in the active cell, and each of the `values` times it: functions
    without a denominator.

    >>> p = parameter("p")
    >>> with Cell("p", Fraction(0), Fraction(1), Fraction(1, 2)):
    ...     unit, found = whole([1 / (1 - p), Fraction(1, 2)])
    >>> str(unit), str(found[0]), str(found[1])
    ('2 - 2*p', '2', '1 - p')
    """
    own = _ring_of(values)
    top, tops = polynomials(values, own)
    unit = _made(own, top, own.one)
    if not unit > 0:  # recorded
        raise ZeroDivisionError("a denominator vanishes")
    return unit, [_made(own, each, own.one) for each in tops]


def coprime(values: Sequence[Fraction | int]) -> list[Fraction]:
    """The `values`, some of which are not 0, times what is positive in the active cell: polynomials
    without a common factor."""
    own = _ring_of(values)
    unit, tops = polynomials(values, own)
    common = own.constant(0)
    for top in tops:
        common = common.gcd(top)
    if not _made(own, common, unit) > 0:  # recorded
        common = -common
    return [_made(own, top // common, own.one) for top in tops]


def near(number: Fraction, bits: int) -> Fraction:
    """A rational number near another one at the sample of the active cell, to so many binary
    digits."""
    if not isinstance(number, RationalFunction):
        return number
    cell = number._cell()
    sample = cell.sample
    if not isinstance(sample, Root):
        return at(number, *cell.point)
    if not sample.sign(number.top):
        return Fraction(0)
    above, below = (_near(part, sample, bits) for part in (number._top, number._bottom))
    return above / below


def _near(polynomial: Any, x: Root, bits: int) -> Fraction:
    """A rational number near the value of a polynomial that does not vanish at x, to so many binary
    digits, however much its terms cancel."""
    from flint import fmpq, fmpz_poly

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


def root(power: Fraction, degree: int = 2) -> Fraction | None:
    """The root >= 0 of a `power` >= 0, where it is such a function, of one parameter or of several;
    which sign it has is decided at the sample of what is active.

    >>> p = parameter("p")
    >>> with Cell("p", Fraction(0), Fraction(1), Fraction(1, 2)):
    ...     str(root((p - 1) ** 2)), root(p), str(root(p**3, 3))
    ('1 - p', None, 'p')
    """
    assert isinstance(power, RationalFunction)
    if degree == 1:
        return power
    content, factors = (power._top * power._bottom ** (degree - 1)).factor()
    whole = abs(content).root(degree)
    if whole**degree != abs(content) or any(times % degree for _, times in factors):
        return None
    found = power._ring.constant(int(whole))
    for factor, times in factors:
        found *= factor ** (int(times) // degree)
    return abs(power._made(found, power._bottom))


def of_powers(number: Fraction, name: str) -> Fraction:
    """A number made of powers of e with the parameter `name` in place of 1/e.

    number  whose powers are whole; LimitReached for others
    name    of the parameter

    >>> str(of_powers(1 / (1 + exponential.power(2)), "x"))
    'x^2/(1 + x^2)'
    """
    if not isinstance(number, Exponential):
        return number
    top, bottom, factors = exponential.parts(number)
    found = _of_sum(top, name) / bottom
    for factor, times in factors:
        found /= _of_sum(factor, name) ** times
    return found


def _of_sum(terms: exponential.Sum, name: str) -> Fraction:
    if terms.unit != 1:
        raise LimitReached(f"draws with other than whole powers of {name}")
    most = max(0, *(k for k, _ in terms.terms))
    above = [0] * (most - min(k for k, _ in terms.terms) + 1)
    for k, c in terms.terms:
        above[most - k] = c
    return quotient(name, above, [0] * most + [1])


def closed(number: Fraction) -> str:
    """The function in lowest terms, as text."""
    return str(number)


def of_polynomials(own: OneParameter, top: Poly, bottom: Poly) -> Fraction:
    """The function of two polynomials of a ring."""
    return _made(own, top, bottom)


def _made(own: OneParameter, top: Poly, bottom: Poly) -> Fraction:
    """The function top / bottom in lowest terms, in the field of a point that is active."""
    if not bottom:
        raise ZeroDivisionError(f"a function of {', '.join(own.names)} divided by 0")
    cell = active(own.name)
    if cell is not None and cell.modulus:
        top, bottom = _reduced(top, bottom, cell.modulus)
    if not top:
        return Fraction(0)
    common = top.gcd(bottom)
    if bottom.leading_coefficient() < 0:
        common = -common
    if not common.is_one():
        top, bottom = top // common, bottom // common
    if top.is_constant() and bottom.is_constant():
        return Fraction(*(int(part.leading_coefficient()) for part in (top, bottom)))
    most = max(own.degree(top), own.degree(bottom))
    if most > own.most or max(len(top), len(bottom)) > MAX_TERMS:
        raise LimitReached(f"a polynomial of {' and '.join(own.names)} is too long")
    return _bare(own, top, bottom)


def _bare(own: OneParameter, top: Poly, bottom: Poly) -> RationalFunction:
    found = object.__new__(RationalFunction)
    found._ring, found._top, found._bottom, found._hash = own, top, bottom, None
    return found


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


def _compared(x: RationalFunction, y: Any, strict: int) -> int:
    """The sign of x - y at the sample, of which 0 is told apart where it is `strict`."""
    if not isinstance(y, int | Fraction):
        raise TypeError(f"a number was expected, found {type(y).__name__}")
    gap = x - y
    return gap.sign(strict) if isinstance(gap, RationalFunction) else (gap > 0) - (gap < 0)


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
    names, said = ([name] if isinstance(name, str) else name), ""
    for exponents, c in _ordered(polynomial):
        powers = [
            each if k == 1 else f"{each}^{k}" for each, k in zip(names, exponents, strict=True) if k
        ]
        size = [str(abs(c))] if abs(c) != 1 or not powers else []
        sign = ("-" if c < 0 else "") if not said else " - " if c < 0 else " + "
        said += sign + "*".join([*size, *powers])
    return said or "0"


def _ordered(polynomial: Coefficients | Terms) -> list[tuple[Exponents, int]]:
    """The terms as they are written: of low degree first."""
    found = polynomial if isinstance(polynomial, Mapping) else _sparse(polynomial)
    return sorted(found.items(), key=lambda term: (sum(term[0]), [-k for k in term[0]]))


def _sparse(polynomial: Coefficients) -> dict[Exponents, int]:
    return {(k,): c for k, c in enumerate(polynomial) if c}

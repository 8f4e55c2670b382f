"""Rational functions of one real parameter, exact: numbers such as p/(1 - p).

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
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from verifier.base import exponential
from verifier.base.cell import Cell, Coefficients, Root, Symbolic, active
from verifier.base.errors import InputError, LimitReached
from verifier.base.exponential import Exponential

MAX_DEGREE = 5_000


class RationalFunction(Fraction):
    """A quotient of two coprime integer polynomials of one parameter, that is not constant.

    Made by `parameter`, `quotient` and by arithmetic only.
    """

    __slots__ = ("_bottom", "_hash", "_name", "_top")
    _name: str
    _top: Any  # of flint: fmpz_poly
    _bottom: Any
    _hash: int | None
    _most = MAX_DEGREE

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
    def parameter(self) -> str:
        """The name of the parameter."""
        return self._name

    @property
    def top(self) -> Coefficients:
        """The numerator: integers from the constant term up."""
        return tuple(map(int, self._top.coeffs()))

    @property
    def bottom(self) -> Coefficients:
        """The denominator, whose last coefficient is positive."""
        return tuple(map(int, self._bottom.coeffs()))

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        top, bottom = self._parts(other)
        if bottom == self._bottom:
            return self._made(self._top + top, bottom)
        return self._made(self._top * bottom + top * self._bottom, self._bottom * bottom)

    __radd__ = __add__

    def __neg__(self) -> RationalFunction:
        return self._bare(-self._top, self._bottom)

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
        top, bottom = self._parts(other)
        return self._made(self._top * top, self._bottom * bottom)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        top, bottom = self._parts(other)
        if not other:  # a function that is not 0 is recorded, since it must not vanish
            raise ZeroDivisionError(f"{self} / 0")
        return self._made(self._top * bottom, self._bottom * top)

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        if not self:  # recorded
            raise ZeroDivisionError(f"{other} / 0")
        top, bottom = self._parts(other)
        return self._made(self._bottom * top, self._top * bottom)

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int):
            raise Symbolic
        if exponent < 0:
            return 1 / self**-exponent
        if self._degree() * exponent > self._most:
            raise LimitReached(f"a power of the {self._about()} above {self._most}")
        return self._made(self._top**exponent, self._bottom**exponent)

    def _made(self, top: Any, bottom: Any) -> Fraction:
        return _made(self._name, top, bottom)

    def _bare(self, top: Any, bottom: Any) -> RationalFunction:
        return _bare(self._name, top, bottom)

    def _parts(self, other: Any) -> tuple[Any, Any]:
        """Numerator and denominator of a number of the same parameters, as polynomials."""
        if isinstance(other, RationalFunction):
            if other._name != self._name:
                raise LimitReached(f"the {self._about()} and the {other._about()} in one number")
            return other._top, other._bottom
        if isinstance(other, Exponential):
            raise InputError("S804", f"the real {self._about()} and powers of e in one check")
        above, below = other.as_integer_ratio()
        return self._constant(above), self._constant(below)

    def _about(self) -> str:
        """What it is a function of, for people."""
        return f"parameter {self._name}"

    def _degree(self) -> int:
        """The largest exponent of a parameter."""
        return int(max(self._top.degree(), self._bottom.degree()))

    def _constant(self, number: int) -> Any:
        """A number as a polynomial."""
        from flint import fmpz_poly

        return fmpz_poly([number])

    def sign(self) -> int:
        """-1, 0 or 1 at the sample of the active cell, which records what decides.

        Raises Symbolic where no cell of the parameter is active.
        """
        cell = self._cell()
        return cell.sign(self.top) * cell.sign(self.bottom)

    def _cell(self) -> Cell:
        found = active(self._name)
        if found is None:
            raise Symbolic
        return found

    def __eq__(self, other: object) -> bool:
        """Identity; a cell records where two different functions have the same value."""
        if isinstance(other, RationalFunction) and self._name == other._name:
            same = bool(self._top == other._top and self._bottom == other._bottom)
        elif isinstance(other, int | Fraction) and not isinstance(other, Exponential):
            same = False  # what is constant is no function
        else:
            return False
        cell = active(self._name)
        if not same and cell is not None and not cell.modulus:
            (self - other).__bool__()
        return same

    def __hash__(self) -> int:  # type: ignore[override]
        if self._hash is None:
            self._hash = hash((self._name, self.top, self.bottom))
        return self._hash

    def __lt__(self, other: Any) -> bool:
        return _compared(self, other) < 0

    def __le__(self, other: Any) -> bool:
        return _compared(self, other) <= 0

    def __gt__(self, other: Any) -> bool:
        return _compared(self, other) > 0

    def __ge__(self, other: Any) -> bool:
        return _compared(self, other) >= 0

    def __bool__(self) -> bool:
        """True, as a function; a cell records where it vanishes."""
        cell = active(self._name)
        if cell is not None:
            cell.sign(self.top)
        return True

    def __float__(self) -> float:
        """The value at the sample of the active cell, nearly."""
        return float(near(self, 64))

    def __str__(self) -> str:
        """The function as `exact.number` reads it where its parameter is known."""
        return text(self._name, self.top, self.bottom)

    def __repr__(self) -> str:
        return f"exact.number({str(self)!r})"

    def __reduce__(self) -> Any:
        return quotient, (self._name, self.top, self.bottom)

    def __copy__(self) -> RationalFunction:
        return self

    def __deepcopy__(self, memo: Any) -> RationalFunction:
        return self


def parameter(name: str) -> Fraction:
    """The function that is the parameter itself.

    >>> str(parameter("p") ** 2 - 1)
    '-1 + p^2'
    """
    return quotient(name, (0, 1), (1,))


def quotient(name: str, top: Iterable[int], bottom: Iterable[int] = (1,)) -> Fraction:
    """The function top / bottom of the parameter `name`; a Fraction where it is constant.

    top, bottom  integers from the constant term up; ZeroDivisionError where `bottom` is 0

    >>> quotient("p", (-1, 0, 1), (1, 1)) == parameter("p") - 1
    True
    """
    from flint import fmpz_poly

    return _made(name, fmpz_poly(list(top)), fmpz_poly(list(bottom)))


def parts(value: Fraction | int) -> tuple[Coefficients, Coefficients]:
    """Numerator and denominator of a number as integers from the constant term up.

    >>> parts(Fraction(1, 2)), parts(parameter("p") / 2)
    (((1,), (2,)), ((0, 1), (2,)))
    """
    if isinstance(value, RationalFunction):
        return value.top, value.bottom
    above, below = value.as_integer_ratio()
    return ((above,) if above else ()), (below,)


def at(value: Fraction | int, x: Fraction) -> Fraction:
    """The value of a function at a rational; a number is its own value. ZeroDivisionError at a
    pole.

    value  a function or a number
    x      what the parameter is
    """
    if not isinstance(value, RationalFunction):
        return Fraction(value) if isinstance(value, int) else value
    from flint import fmpq

    where = fmpq(x.numerator, x.denominator)
    below = value._bottom(where)
    if not below:
        raise ZeroDivisionError(f"{value} at {x}")
    found = value._top(where) / below
    return Fraction(int(found.p), int(found.q))


def added(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of many numbers; those over the same denominator are put together at once.

    >>> p = parameter("p")
    >>> added([p, 1 / p, -1 / p, Fraction(1, 2)]) == p + Fraction(1, 2)
    True
    """
    grouped: dict[Coefficients, Any] = {}
    name, rest = "", Fraction(0)
    for value in values:
        if not isinstance(value, RationalFunction):
            rest += value
            continue
        key = value.bottom
        if name and value._name != name:
            raise LimitReached(f"the parameter {name} and the {value._about()} in one number")
        name = value._name
        grouped[key] = grouped[key] + value._top if key in grouped else value._top
    found = rest
    for key, top in grouped.items():
        found += _made(name, top, _polynomial(key))
    return found


def polynomials(values: Sequence[Fraction | int]) -> tuple[Any, list[Any]]:
    """A common denominator of numbers, and each of them times it, as polynomials of flint. The
    denominator is positive at the sample of the active cell."""
    from flint import fmpz_poly

    cell = next(
        (active(value._name) for value in values if isinstance(value, RationalFunction)), None
    )
    pairs = [tuple(map(_polynomial, parts(value))) for value in values]
    unit = fmpz_poly([1])
    for _, bottom in pairs:
        unit *= bottom // unit.gcd(bottom)
    if cell is not None and cell.look(tuple(map(int, unit.coeffs()))) < 0:
        unit = -unit
    return unit, [top * (unit // bottom) for top, bottom in pairs]


def whole(values: Sequence[Fraction | int]) -> tuple[Fraction, list[Fraction]]:
    """A number that is positive in the active cell, and each of the `values` times it: functions
    without a denominator.

    >>> p = parameter("p")
    >>> with Cell("p", Fraction(0), Fraction(1), Fraction(1, 2)):
    ...     unit, found = whole([1 / (1 - p), Fraction(1, 2)])
    >>> str(unit), str(found[0]), str(found[1])
    ('2 - 2*p', '2', '1 - p')
    """
    name = next(value._name for value in values if isinstance(value, RationalFunction))
    one = _polynomial((1,))
    top, tops = polynomials(values)
    unit = _made(name, top, one)
    if not unit > 0:  # recorded
        raise ZeroDivisionError("a denominator vanishes")
    return unit, [_made(name, each, one) for each in tops]


def coprime(values: Sequence[Fraction | int]) -> list[Fraction]:
    """The `values`, some of which are not 0, times what is positive in the active cell: polynomials
    without a common factor."""
    name = next(value._name for value in values if isinstance(value, RationalFunction))
    unit, tops = polynomials(values)
    common = _polynomial(())
    for top in tops:
        common = common.gcd(top)
    one = _polynomial((1,))
    if not _made(name, common, unit) > 0:  # recorded
        common = -common
    return [_made(name, top // common, one) for top in tops]


def near(value: Fraction, bits: int) -> Fraction:
    """A rational number near a `value` at the sample of the active cell, to so many binary
    digits."""
    if not isinstance(value, RationalFunction):
        return value
    sample = value._cell().sample
    if not isinstance(sample, Root):
        return at(value, sample)
    if not sample.sign(value.top):
        return Fraction(0)
    above, below = (_near(part, sample, bits) for part in (value._top, value._bottom))
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
    found = power._constant(int(whole))
    for factor, times in factors:
        found *= factor ** (int(times) // degree)
    return abs(power._made(found, power._bottom))


def of_powers(value: Fraction, name: str) -> Fraction:
    """A number made of powers of e with the parameter `name` in place of 1/e.

    value  whose powers are whole; LimitReached for others

    >>> str(of_powers(1 / (1 + exponential.power(2)), "x"))
    'x^2/(1 + x^2)'
    """
    if not isinstance(value, Exponential):
        return value
    top, bottom, factors = exponential.parts(value)
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


def closed(value: Fraction) -> str:
    """The function in lowest terms, as text."""
    return str(value)


def of_polynomials(name: str, top: Any, bottom: Any) -> Fraction:
    """The function of two polynomials of flint, of the parameter `name`."""
    return _made(name, top, bottom)


def _polynomial(coefficients: Coefficients) -> Any:
    from flint import fmpz_poly

    return fmpz_poly(list(coefficients))


def _made(name: str, top: Any, bottom: Any) -> Fraction:
    """The function top / bottom in lowest terms, in the field of a point that is active."""
    if not bottom:
        raise ZeroDivisionError(f"a function of {name} divided by 0")
    cell = active(name)
    if cell is not None and cell.modulus:
        top, bottom = _reduced(top, bottom, cell.modulus)
    common = top.gcd(bottom)
    if bottom.leading_coefficient() < 0:
        common = -common
    if not common.is_one():
        top, bottom = top // common, bottom // common
    if top.degree() <= 0 and bottom.degree() <= 0:
        return Fraction(int(top[0]), int(bottom[0]))
    if max(top.degree(), bottom.degree()) > MAX_DEGREE:
        raise LimitReached(f"a polynomial of {name} with a degree above {MAX_DEGREE}")
    return _bare(name, top, bottom)


def _bare(name: str, top: Any, bottom: Any) -> RationalFunction:
    found = object.__new__(RationalFunction)
    found._name, found._top, found._bottom, found._hash = name, top, bottom, None
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


def _compared(x: RationalFunction, y: Any) -> int:
    """The sign of x - y at the sample."""
    if not isinstance(y, int | Fraction):
        raise TypeError(f"a number was expected, found {type(y).__name__}")
    gap = x - y
    return gap.sign() if isinstance(gap, RationalFunction) else (gap > 0) - (gap < 0)


def text(name: str, top: Coefficients, bottom: Coefficients = (1,)) -> str:
    """A quotient of two polynomials of the parameter `name`, as text; signs are chosen so that the
    lowest coefficient of the denominator is positive.

    >>> text("p", (0, -1), (-2, 2))
    'p/(2 - 2*p)'
    """
    if next(c for c in bottom if c) < 0:
        top, bottom = tuple(-c for c in top), tuple(-c for c in bottom)
    above, below = polynomial_text(name, top), polynomial_text(name, bottom)
    if below == "1":
        return above
    above = above if _is_single(top) else f"({above})"
    plain = _is_single(bottom) and (len(bottom) == 1 or (below.isidentifier()))
    return f"{above}/{below}" if plain else f"{above}/({below})"


def polynomial_text(name: str, coefficients: Coefficients) -> str:
    """A polynomial of the parameter `name`, as text.

    >>> polynomial_text("p", (-243, 583, -400, 124))
    '-243 + 583*p - 400*p^2 + 124*p^3'
    """
    said = ""
    for k, c in enumerate(coefficients):
        if not c:
            continue
        power = "" if not k else name if k == 1 else f"{name}^{k}"
        size = str(abs(c)) if not k else power if abs(c) == 1 else f"{abs(c)}*{power}"
        sign = ("-" if c < 0 else "") if not said else " - " if c < 0 else " + "
        said += sign + size
    return said or "0"


def _is_single(coefficients: Coefficients) -> bool:
    return sum(map(bool, coefficients)) < 2

"""Numbers that are functions of one parameter, compared on a piece of its domain.

A rule of another kind that is followed with such numbers takes the same way for every value of the
parameter on the piece, as each comparison has one answer there. Where one has not, `Divided` is
raised with the polynomial whose sign is not the same everywhere.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import gcd
from typing import Any

from .exponentials import Other
from .parametric import Quotient, Spot, read_function, scaled
from .powers import logarithm
from .reading import FUNCTIONS
from .univariate import (
    ONE,
    ZERO,
    Divided,
    Poly,
    common,
    divided,
    plus,
    sign,
    sign_at,
    steps_of_product,
    steps_of_value,
    times,
    trimmed,
)

BITS, PRECISION = 160, 96  # binary digits of bounds of polynomials, and of their logarithms
NARROW = 2**100  # an irrational point lies between numbers whose distance times this is at most 1
MOST_INTERVALS = 2000


@contextmanager
def functions_on(name: str, spot: Spot) -> Iterator[None]:
    """Inside, texts of numbers are read as functions of the parameter `name` on a piece."""
    known: dict[str, Fraction] = {}

    def read(text: str) -> Fraction:
        if text not in known:
            spot.budget.spend(20 * len(text))
            known[text] = quotient(*read_function(text, name), spot)
        return known[text]

    token = FUNCTIONS.set(read)
    try:
        yield
    finally:
        FUNCTIONS.reset(token)


class Function(Other):
    """The value of top/bottom wherever a parameter lies on a piece; the bottom is positive there.

    On open pieces both are coprime, and so is the one way to write a function.
    """

    __slots__ = ("bottom", "spot", "top")
    top: Poly
    bottom: Poly
    spot: Spot

    def size(self) -> int:
        """How many binary digits both parts have."""
        return sum(c.bit_length() + 1 for c in self.top + self.bottom)

    def whole(self, values: Sequence[Fraction]) -> tuple[Any, list[Any]]:
        """A common denominator of `values` that is positive, and each of them times it."""
        pairs, unit = list(map(_parts, values)), ONE
        for bottom in dict.fromkeys(bottom for _, bottom in pairs):
            shared = common(unit, bottom, self.spot.budget)
            unit = self._product(unit, divided(bottom, shared)[0])
        unit = scaled(unit, _side(unit, self.spot))
        tops = [self._product(top, divided(unit, bottom)[0]) for top, bottom in pairs]
        return self._made(unit, ONE), [self._made(top, ONE) for top in tops]

    def without_common(self, values: Sequence[Fraction]) -> list[Fraction]:
        """Each of the `values`, polynomials not all 0, divided by what they have in common, which
        is positive."""
        tops, shared = [_parts(value)[0] for value in values], ZERO
        for top in tops:
            shared = common(shared, top, self.spot.budget) if shared or top else shared
        shared = scaled(shared, _side(shared, self.spot))
        tops = [divided(top, shared)[0] for top in tops]
        divisor = gcd(*(c for top in tops for c in top))
        return [self._made(tuple([c // divisor for c in top]), ONE) for top in tops]

    def _made(self, top: Poly, bottom: Poly) -> Fraction:
        return quotient(top, bottom, self.spot)

    def _whole(self, top: Poly) -> Any:
        """The number that a polynomial is: what `_made` makes of it over 1."""
        if len(top) < 2:
            return Fraction(*top)
        found = object.__new__(Function)
        found.top, found.bottom, found.spot = top, ONE, self.spot
        return found

    def _product(self, a: Poly, b: Poly) -> Poly:
        self.spot.budget.spend(steps_of_product(a, b))
        return times(a, b)

    def __add__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        if bottom == self.bottom == ONE:
            return self._whole(plus(self.top, top))
        if bottom == self.bottom:
            return self._made(plus(self.top, top), bottom)
        above = plus(self._product(self.top, bottom), self._product(top, self.bottom))
        return self._made(above, self._product(self.bottom, bottom))

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._made(scaled(self.top, -1), self.bottom)

    def __mul__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        if bottom == self.bottom == ONE:
            return self._whole(self._product(self.top, top))
        return self._made(self._product(self.top, top), self._product(self.bottom, bottom))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        return self._made(self._product(self.top, bottom), self._product(self.bottom, top))

    def __rtruediv__(self, other: Any) -> Any:
        top, bottom = _parts(other)
        return self._made(self._product(top, self.bottom), self._product(bottom, self.top))

    def __pow__(self, exponent: Any) -> Any:
        found: Any = Fraction(1)
        for _ in range(exponent):
            found = found * self
        return found

    def __abs__(self) -> Any:
        return self if self > 0 else -self

    def _side(self, other: Any) -> int:
        """The sign of the difference to another number."""
        top, bottom = _parts(other)
        above = plus(self._product(self.top, bottom), self._product(top, self.bottom), -1)
        return _side(above, self.spot)

    def __bool__(self) -> bool:
        return _side(self.top, self.spot) != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int | Fraction) and not self._side(other)

    def __hash__(self) -> int:  # type: ignore[override]
        return 0 if self.spot.is_point else hash((self.top, self.bottom))

    def __lt__(self, other: Any) -> bool:
        return self._side(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._side(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._side(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._side(other) >= 0


def quotient(top: Poly, bottom: Poly, spot: Spot) -> Fraction:
    """The number top/bottom on a piece; a Fraction where it is constant, or the piece a rational
    point."""
    if not _side(bottom, spot):
        raise ZeroDivisionError("a divisor is 0")
    if spot.is_point and not spot.low.polynomial:
        spot.budget.spend(steps_of_value(top, spot.low.low) + steps_of_value(bottom, spot.low.low))
        return Fraction(_value(top, spot.low.low), _value(bottom, spot.low.low))
    if len(bottom) > 1:
        shared = common(top, bottom, spot.budget)
        top, bottom = divided(top, shared)[0], divided(bottom, shared)[0]
    divisor = gcd(*top, *bottom) * _side(bottom, spot)
    top, bottom = (tuple([c // divisor for c in part]) for part in (top, bottom))
    if len(top) < 2 and len(bottom) == 1:
        return Fraction(sum(top), bottom[0])
    found = object.__new__(Function)
    found.top, found.bottom, found.spot = top, bottom, spot
    return found


def is_above_one(powers: Sequence[tuple[Any, int]]) -> bool:
    """Whether bounds of logarithms show that a product of r^k is above 1 on a piece and at its
    ends, over all (r, k) of `powers`; the r are positive, and one is a function."""
    exponents: Counter[Poly] = Counter()
    for r, k in powers:
        top, bottom = _parts(r)
        exponents[top] += k
        exponents[bottom] -= k
    forms = [(form, k) for form, k in exponents.items() if k]
    spot = next(r.spot for r, _ in powers if isinstance(r, Function))
    x, y = spot.low, spot.high
    while spot.is_point and (x.high - x.low) * NARROW > 1:
        spot.budget.spend(x.steps)
        x = y = x.halved()
    unit = 1 << BITS
    waiting = [(int(x.low * unit) - 1, int(y.high * unit) + 1)]
    for _ in range(MOST_INTERVALS):
        low, high = waiting.pop()
        middle = (low + high) // 2
        if not _is_above(forms, middle, middle, spot):
            return False
        if not _is_above(forms, low, high, spot):
            waiting += [(low, middle), (middle, high)]
        if not waiting:
            return True
    return False


def _is_above(forms: Sequence[tuple[Poly, int]], low: int, high: int, spot: Spot) -> bool:
    """Whether the sum of k ln a over all (a, k) of `forms` is above 0 between two numbers, given
    times a unit, as are the bounds of polynomials; of quotients it cancels."""
    total = 0
    for form, k in forms:
        spot.budget.spend(100 * len(form) + 1000)
        least, most = _bounds(form, low, high)
        if least <= 0:
            return False
        total += k * logarithm(Fraction(least if k > 0 else most), PRECISION)[k < 0]
    return total > 0


def _bounds(form: Poly, low: int, high: int) -> tuple[int, int]:
    """Bounds of a polynomial between two numbers, all times a unit."""
    least = most = 0
    for c in reversed(form):
        ends = [x * y for x in (least, most) for y in (low, high)]
        least = (min(ends) >> BITS) + (c << BITS)
        most = (max(ends) >> BITS) + 1 + (c << BITS)
    return least, most


def _value(a: Poly, x: Fraction) -> Fraction:
    total = Fraction(0)
    for c in reversed(a):
        total = total * x + c
    return total


def _parts(value: Any) -> Quotient:
    if isinstance(value, Function):
        return value.top, value.bottom
    top, bottom = value.as_integer_ratio()
    return trimmed([top]), (bottom,)


def _side(a: Poly, spot: Spot) -> int:
    """The sign of a polynomial on a piece; Divided where it is not the same everywhere."""
    if len(a) < 2:
        return sign(a, Fraction(0))
    known = spot.signs.get(a)
    if known is None:
        if spot.is_point:
            known = sign_at(a, spot.low, spot.budget)
        elif spot.gap.is_free(a):
            known = sign(a, spot.gap.sample)
        else:
            raise Divided(a)
        spot.signs[a] = known
    return known

"""Quotients of exponential sums: numbers such as e/(1 + e), exact.

A sum is Σ c·e^q, with rational c and different rational q. The numbers e^q are linearly independent
over the rationals (F. Lindemann 1882; K. Weierstraß, Zu Lindemann's Abhandlung, 1885): a sum is 0
just where no term is left, and a/b = c/d just where ad − bc is. Other signs are found by
enclosures, whose precision grows until they exclude 0. So all comparisons are decided.

    >>> e = power(Fraction(1))
    >>> truth = e / (1 + e)
    >>> truth + 1 / (1 + e), truth > Fraction(731, 1000), str(truth / (1 - truth))
    (Fraction(1, 1), True, 'e')

What is rational becomes a `Fraction`. An `Exponential` passes for one wherever numbers are added,
multiplied or compared; whoever asks for its numerator gets `Irrational`, and that is *undecided*.
Nothing but the standard library is loaded, except by `closed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt, lcm
from typing import Any

from verifier.base import intervals
from verifier.base.errors import LimitReached
from verifier.base.intervals import Interval
from verifier.base.nouns import Later, dataclass

NEAR = 64  # binary digits of the first enclosure of a number
MAX_TERMS = 10**6  # of a product of sums
MAX_EXPONENT = 10**4  # of e; certificates have no larger ones
DEGREE = 2_000  # up to which a number is put into lowest terms to be printed


class Irrational(LimitReached):
    """A method for rationals met an irrational number: the question stays undecided."""

    def __init__(self) -> None:
        super().__init__("the probabilities are irrational, and this method needs rational ones")


@dataclass(frozen=True)
class Sum(Later):
    """Σ c·e^(k/unit) over the (k, c) of `terms`.

    unit   a positive integer, as small as possible
    terms  integers k, ascending, with integers c other than 0
    """

    unit: int
    terms: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, unit: int, terms: Mapping[int, int]) -> Sum:
        """The sum with terms k -> c; a c may be 0."""
        left = sorted((k, c) for k, c in terms.items() if c)
        common = gcd(unit, *(k for k, _ in left))
        if common > 1:
            unit, left = unit // common, [(k // common, c) for k, c in left]
        return cls(unit, tuple(left))

    def over(self, unit: int) -> dict[int, int]:
        """The terms by exponents over a multiple of the unit."""
        factor = unit // self.unit
        return {k * factor: c for k, c in self.terms}

    def __add__(self, other: Sum) -> Sum:
        unit = lcm(self.unit, other.unit)
        found = self.over(unit)
        for k, c in other.over(unit).items():
            found[k] = found.get(k, 0) + c
        return Sum.of(unit, found)

    def __mul__(self, other: Sum) -> Sum:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise LimitReached(f"a product of exponential sums has over {MAX_TERMS} terms")
        unit = lcm(self.unit, other.unit)
        found: dict[int, int] = {}
        right = other.over(unit).items()
        for k, c in self.over(unit).items():
            for j, d in right:
                found[k + j] = found.get(k + j, 0) + c * d
        return Sum.of(unit, found)

    def scaled(self, factor: int) -> Sum:
        """The sum times an integer other than 0."""
        if factor == 1:
            return self
        return Sum(self.unit, tuple((k, c * factor) for k, c in self.terms))

    def enclosed(self, bits: int) -> Interval:
        """An interval around the value; its relative width may be large, or it contains 0."""
        terms = ((c, intervals.exponential(k, self.unit, bits)) for k, c in self.terms)
        return intervals.combine(terms, bits) if self.terms else (0, 0, 0)

    def sign(self) -> int:
        """-1, 0 or 1."""
        signs = {c > 0 for _, c in self.terms}
        if len(signs) < 2:
            return (True in signs) - (False in signs)
        bits = NEAR
        while True:
            low, high, _ = self.enclosed(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2


ONE = Sum(1, ((0, 1),))
Factors = tuple[tuple[Sum, int], ...]  # sums, and the powers of each, above 0


def _factor(sum_: Sum) -> tuple[Sum, int, Sum]:
    """(f, c, e^q) with `sum_` = f·c·e^q: f is positive, without common factor, its least exponent
    is 0."""
    content = gcd(*(c for _, c in sum_.terms)) * sum_.sign()
    least = sum_.terms[0][0]
    moved = Sum.of(sum_.unit, {k - least: c // content for k, c in sum_.terms})
    return moved, content, Sum.of(sum_.unit, {least: 1})


@lru_cache(maxsize=2**12)
def _product(factors: Factors) -> Sum:
    """The sum that is the product of powers of sums."""
    if not factors:
        return ONE
    *rest, (factor, times) = factors
    fewer = (*rest, (factor, times - 1)) if times > 1 else tuple(rest)
    return _product(fewer) * factor


@lru_cache(maxsize=2**12)
def _enclosed(factors: Factors, bits: int) -> Interval:
    """An interval around the product of powers of positive sums; it contains 0 where the precision
    is too low."""
    found = (1, 1, 0)
    for factor, times in factors:
        one = factor.enclosed(bits)
        if one[0] <= 0:
            return -1, 1, 0
        for _ in range(times):
            found = intervals.multiply(found, one, bits)
    return found


def _written(factors: Mapping[Sum, int]) -> Factors:
    kept = ((f, times) for f, times in factors.items() if times > 0)
    return tuple(sorted(kept, key=lambda part: (part[0].unit, part[0].terms)))


class Exponential(Fraction):
    """An irrational number top / (bottom · Π factor^power), of sums `top` and `factors`.

    Made by `power` and by arithmetic only. There is one number for many ways to write it: numbers
    are equal where they are identical as quotients, and then their hashes are equal too.
    """

    __slots__ = ("_bottom", "_factors", "_hash", "_near", "_top")
    _top: Sum
    _bottom: int
    _factors: Factors
    _near: Interval | None  # found once, as is the hash
    _hash: int | None

    def __new__(cls, *_: Any) -> Exponential:  # not by the text of a fraction
        raise Irrational

    def _refused(self, *_: Any) -> Any:
        raise Irrational

    numerator = denominator = _numerator = _denominator = property(_refused)
    as_integer_ratio = limit_denominator = _refused  # type: ignore[assignment]
    __floor__ = __ceil__ = __trunc__ = __round__ = __int__ = _refused  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refused  # type: ignore[assignment]
    __rpow__ = _refused

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        mine, its, bottom, factors = _common(self, other)
        return quotient(mine + its, bottom, factors)

    __radd__ = __add__

    def __neg__(self) -> Exponential:
        return _made(self._top.scaled(-1), self._bottom, self._factors)

    def __pos__(self) -> Exponential:
        return self

    def __abs__(self) -> Exponential:
        return self if self._top.sign() > 0 else -self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, int | Fraction) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        if other == 1:
            return self
        top, bottom, factors = _parts(other)
        powers = dict(self._factors)
        for factor, times in factors:
            powers[factor] = powers.get(factor, 0) + times
        return quotient(self._top * top, self._bottom * bottom, _written(powers))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _divided(self, other) if isinstance(other, int | Fraction) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return _divided(other, self) if isinstance(other, int | Fraction) else NotImplemented

    def __pow__(self, exponent: Any) -> Any:
        if not isinstance(exponent, int):
            raise Irrational
        base = self if exponent >= 0 else 1 / self
        found: Fraction = Fraction(1)
        for digit in bin(abs(exponent))[2:]:
            found = found * found * base if digit == "1" else found * found
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exponential):
            return False  # what is rational is no Exponential
        if _parts(self) == _parts(other):
            return True
        return not _apart(self, other) and _difference(self, other) == 0

    def __hash__(self) -> int:  # type: ignore[override]
        if self._hash is None:
            self._hash = self._hashed()
        return self._hash

    def _hashed(self) -> int:
        low, high, scale = self.enclosed(2 * NEAR)
        spare = low.bit_length() - NEAR if low > 0 else high.bit_length() - NEAR
        bits = 4 * NEAR
        while low >> spare != high >> spare:  # ends, as no irrational lies on a border
            low, high, scale = self.enclosed(bits)
            spare = low.bit_length() - NEAR if low > 0 else high.bit_length() - NEAR
            bits *= 2
        return hash((low >> spare, scale + spare))

    def __lt__(self, other: Any) -> bool:
        return _compared(self, other) < 0

    def __le__(self, other: Any) -> bool:
        return _compared(self, other) <= 0

    def __gt__(self, other: Any) -> bool:
        return _compared(self, other) > 0

    def __ge__(self, other: Any) -> bool:
        return _compared(self, other) >= 0

    def __bool__(self) -> bool:
        return True

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
            below = _enclosed(self._factors, wide)
            if below[0] > 0:  # factors are positive: else the precision has to grow
                found = intervals.divide(self._top.enclosed(wide), below, wide)
                found = intervals.divide(found, (self._bottom, self._bottom, 0), wide)
                if intervals.is_close(found, bits):
                    break
            wide *= 2
        if bits <= NEAR:
            self._near = found
        return found

    def __str__(self) -> str:
        """The number as `exact.number` and the checker read it: a sum, or sum/(sum)."""
        return _text(self._top, _product(self._factors).scaled(self._bottom))

    def __repr__(self) -> str:
        return f"exact.number({str(self)!r})"

    def __reduce__(self) -> Any:
        return _made, (self._top, self._bottom, self._factors)

    def __copy__(self) -> Exponential:
        return self

    def __deepcopy__(self, memo: Any) -> Exponential:
        return self


def power(exponent: Fraction | int) -> Fraction:
    """The number e^`exponent`, for a rational exponent.

    >>> power(Fraction(1, 2)) ** 2 == power(1), power(0)
    (True, Fraction(1, 1))
    """
    exponent = Fraction(exponent)
    return quotient(Sum.of(exponent.denominator, {exponent.numerator: 1}))


def total(terms: Mapping[Fraction, Fraction] | Iterable[tuple[Fraction, Fraction]]) -> Fraction:
    """The number Σ c·e^q over the (q, c), or q -> c, of `terms`; a q may occur twice.

    >>> total({Fraction(1): Fraction(1, 2), Fraction(0): Fraction(1, 2)}) == (power(1) + 1) / 2
    True
    """
    pairs = list(terms.items() if isinstance(terms, Mapping) else terms)
    unit = lcm(1, *(q.denominator for q, _ in pairs))
    bottom = lcm(1, *(c.denominator for _, c in pairs))
    found: dict[int, int] = {}
    for q, c in pairs:
        k = q.numerator * (unit // q.denominator)
        found[k] = found.get(k, 0) + c.numerator * (bottom // c.denominator)
    return quotient(Sum.of(unit, found), bottom)


def added(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of many numbers; those over the same factors are put together at once.

    >>> added([power(1), 2 * power(1), Fraction(-1, 2)]) == 3 * power(1) - Fraction(1, 2)
    True
    """
    grouped: dict[Factors, list[tuple[Sum, int]]] = {}
    for top, bottom, factors in map(_parts, values):
        grouped.setdefault(factors, []).append((top, bottom))
    found = Fraction(0)
    for factors, parts in grouped.items():
        unit = lcm(*(top.unit for top, _ in parts))
        below = lcm(*(bottom for _, bottom in parts))
        terms: dict[int, int] = {}
        for top, bottom in parts:
            for k, c in top.over(unit).items():
                terms[k] = terms.get(k, 0) + c * (below // bottom)
        found += quotient(Sum.of(unit, terms), below, factors)
    return found


def shared(values: Sequence[Fraction | int]) -> tuple[Sum, list[Sum]]:
    """A positive sum that is a denominator of all the `values`, and each of them times it.

    >>> unit, (one, half) = shared([1 / (1 + power(1)), Fraction(1, 2)])
    >>> len(unit.terms), len(one.terms), len(half.terms)
    (2, 1, 2)
    """
    parts = list(map(_parts, values))
    bottom, powers = lcm(1, *(below for _, below, _ in parts)), dict[Sum, int]()
    for _, _, factors in parts:
        for f, times in factors:
            powers[f] = max(times, powers.get(f, 0))
    found = []
    for top, below, factors in parts:
        own = dict(factors)
        rest = _product(_written({f: times - own.get(f, 0) for f, times in powers.items()}))
        found.append((top * rest).scaled(bottom // below))
    return _product(_written(powers)).scaled(bottom), found


def whole(values: Sequence[Fraction | int]) -> tuple[Fraction, list[Fraction]]:
    """A positive number, and each of the `values` times it: sums without a denominator."""
    unit, found = shared(values)
    return quotient(unit), list(map(quotient, found))


def coprime(values: Sequence[Fraction]) -> list[Fraction]:
    """The `values`, some of which are not 0, times what is positive: as short sums as are found.

    >>> coprime([1 / (1 + power(1)), power(1) / (1 + power(1))]) == [1, power(1)]
    True
    """
    from flint import fmpz_mpoly_ctx

    _, sums = shared(values)
    unit = lcm(*(one.unit for one in sums))
    terms = [one.over(unit) for one in sums]
    least = min(k for one in terms for k in one)
    moved = [dict[tuple[int, ...], int]({(k - least,): c for k, c in one.items()}) for one in terms]
    if max(k for one in moved for (k,) in one) > DEGREE:
        return list(map(quotient, sums))
    context = fmpz_mpoly_ctx.get(("t",), "lex")
    polys = [context.from_dict(one) for one in moved]
    common = polys[0]
    for poly in polys:
        common = common.gcd(poly)
    sign = Sum.of(unit, {int(k): int(c) for (k,), c in common.to_dict().items()}).sign()
    found = ((poly // common * sign).to_dict().items() for poly in polys)
    return [quotient(Sum.of(unit, {int(k): int(c) for (k,), c in one})) for one in found]


def quotient(top: Sum, bottom: int = 1, factors: Factors = ()) -> Fraction:
    """The number top / (bottom · Π factor^power), a Fraction where it is rational.

    top      a sum
    bottom   an integer other than 0
    factors  of the denominator, as `_factor` makes them
    """
    if not top.terms:
        return Fraction(0)
    common = gcd(bottom, *(c for _, c in top.terms))
    if bottom < 0:
        common = -common
    if common != 1:
        bottom //= common
        top = Sum(top.unit, tuple((k, c // common) for k, c in top.terms))
    if factors and len(top.terms) > 1:
        top, factors = _cancelled(top, factors)
        ratio = _ratio(top, factors)
        if ratio is not None:
            return ratio / bottom
    if not factors and top.terms[0][0] == 0 == top.terms[-1][0]:
        return Fraction(top.terms[0][1], bottom)
    return _made(top, bottom, factors)


def _cancelled(top: Sum, factors: Factors) -> tuple[Sum, Factors]:
    """The same quotient, without a factor of which `top` is a multiple by c·e^q."""
    content, least = gcd(*(c for _, c in top.terms)), top.terms[0][0]
    for signed in (content, -content):
        moved = Sum.of(top.unit, {k - least: c // signed for k, c in top.terms})
        powers = dict(factors)
        if moved in powers:
            powers[moved] -= 1
            return Sum.of(top.unit, {least: signed}), _written(powers)
    return top, factors


def _ratio(top: Sum, factors: Factors) -> Fraction | None:
    """The rational that `top` is a multiple of the product of `factors` by, or None."""
    if top.terms[0][0] or len(top.terms) == 1:
        return None
    ends = sum(Fraction(f.terms[-1][0], f.unit) * times for f, times in factors)
    if Fraction(top.terms[-1][0], top.unit) != ends:
        return None
    below = _product(factors)
    if below.unit != top.unit or len(below.terms) != len(top.terms):
        return None
    a, b = top.terms[0][1], below.terms[0][1]
    alike = zip(top.terms, below.terms, strict=True)
    if all(k == j and c * b == d * a for (k, c), (j, d) in alike):
        return Fraction(a, b)
    return None


def _made(top: Sum, bottom: int, factors: Factors) -> Exponential:
    below = sum(-(-f.terms[-1][0] // f.unit) * times for f, times in factors)
    most = max(-top.terms[0][0], top.terms[-1][0])
    if most > MAX_EXPONENT * top.unit or below > MAX_EXPONENT:
        raise LimitReached(f"a number has a power of e beyond e^{MAX_EXPONENT}")
    found = object.__new__(Exponential)
    found._top, found._bottom, found._factors = top, bottom, factors
    found._near = found._hash = None
    return found


def parts(value: Fraction) -> tuple[Sum, int, Factors]:
    """Top, bottom and factors of a number top / (bottom · Π factor^power)."""
    return _parts(value)


def _parts(value: Fraction | int) -> tuple[Sum, int, Factors]:
    if isinstance(value, Exponential):
        return value._top, value._bottom, value._factors
    n, d = value.as_integer_ratio()
    return Sum(1, ((0, n),) if n else ()), d, ()


def _common(x: Any, y: Any) -> tuple[Sum, Sum, int, Factors]:
    """The numerators of two numbers over one denominator, and this: an integer and factors."""
    (a, b, over), (c, d, other) = _parts(x), _parts(y)
    if over != other:
        mine, its = dict(over), dict(other)
        powers = {f: max(mine.get(f, 0), its.get(f, 0)) for f in {**mine, **its}}
        a *= _product(_written({f: n - mine.get(f, 0) for f, n in powers.items()}))
        c *= _product(_written({f: n - its.get(f, 0) for f, n in powers.items()}))
        over = _written(powers)
    bottom = lcm(b, d)
    return a.scaled(bottom // b), c.scaled(bottom // d), bottom, over


def _divided(x: Any, y: Any) -> Fraction:
    """x / y, where factors of both denominators go out; the numerator of y becomes a factor."""
    (a, b, over), (c, d, other) = _parts(x), _parts(y)
    if not c.terms:
        raise ZeroDivisionError(f"{x} / 0")
    factor, content, shift = _factor(c)
    powers = dict(over)
    for f, times in other:
        powers[f] = powers.get(f, 0) - times
    if factor != ONE:
        powers[factor] = powers.get(factor, 0) + 1
    above = _product(_written({f: -times for f, times in powers.items()}))
    inverse = Sum(shift.unit, tuple((-k, n) for k, n in shift.terms))
    top = (a * inverse * above).scaled(d)
    return quotient(top, b * content, _written(powers))


def _apart(x: Exponential, y: Exponential) -> bool:
    """Whether quick enclosures show that two numbers are different."""
    (a, b), (c, d) = (intervals.ends(z.enclosed(NEAR)) for z in (x, y))
    return b < c or d < a


def _difference(x: Any, y: Any) -> int:
    """The sign of x − y."""
    mine, its, _, _ = _common(x, y)
    return (mine + its.scaled(-1)).sign()


def _compared(x: Exponential, y: Any) -> int:
    """The sign of x − y; quick enclosures first."""
    low, high = intervals.ends(x.enclosed(NEAR))
    least, most = intervals.ends(y.enclosed(NEAR)) if isinstance(y, Exponential) else (y, y)
    if high < least:
        return -1
    return 1 if most < low else _difference(x, y)


def _text(top: Sum, below: Sum) -> str:
    if below == ONE:
        return _terms(top)
    above = _terms(top)
    above = above if len(top.terms) == 1 else f"({above})"
    under = _terms(below)
    simple = under == "e" or (len(below.terms) == 1 and not below.terms[0][0])
    return f"{above}/{under}" if simple else f"{above}/({under})"


def _terms(sum_: Sum) -> str:
    """A sum as text, such as `1 - 2*e^(1/2)`."""
    said = ""
    for k, c in sum_.terms:
        q = Fraction(k, sum_.unit)
        raised = "" if q == 1 else f"^{q}" if q.denominator == 1 and q > 0 else f"^({q})"
        size = str(abs(c)) if not k else f"e{raised}" if abs(c) == 1 else f"{abs(c)}*e{raised}"
        sign = ("-" if c < 0 else "") if not said else " - " if c < 0 else " + "
        said += sign + size
    return said


def exponent(value: Fraction) -> Fraction | None:
    """The rational q with e^q = `value`; None where there is none."""
    if not isinstance(value, Exponential) or value._factors or value._bottom != 1:
        return None
    (k, c), *rest = value._top.terms
    return None if rest or c != 1 else Fraction(k, value._top.unit)


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


def near(value: Fraction, bits: int = NEAR) -> Fraction:
    """A rational number near a `value`, to so many binary digits; a rational one itself.

    >>> near(power(1), 10) - Fraction(271828, 100000) < Fraction(1, 1000)
    True
    """
    if not isinstance(value, Exponential):
        return value
    low, high = intervals.ends(value.enclosed(bits))
    return (low + high) / 2


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


def closed(value: Fraction) -> str:
    """The number in lowest terms, as text; as it is where that would take long.

    >>> closed((power(2) - 1) / (power(1) - 1) / 2)
    '(1 + e)/2'
    """
    if not isinstance(value, Exponential) or not value._factors:
        return str(value)
    top, below = value._top, _product(value._factors)
    unit = lcm(top.unit, below.unit)
    above, under = top.over(unit), below.over(unit)
    step = gcd(*above, *under)
    least = min(above)
    if (max(*above, *under) - min(least, 0)) // step > DEGREE:
        return str(value)
    return _lowest(above, under, Fraction(step, unit), value._bottom)


def root(value: Fraction, degree: int = 2) -> Fraction | None:
    """The square root of a `value` >= 0 with powers of e, where such a number is found to be it;
    no other `degree` is looked for.

    >>> root(1 + 2 * power(1) + power(2)) == 1 + power(1), root(1 + power(1)) is None
    (True, True)
    """
    from flint import fmpz_mpoly_ctx

    unit, (top,) = shared([value])
    if degree != 2 or len(unit.terms) * len(top.terms) > DEGREE * DEGREE:
        return None
    square = top * unit  # the root of top/unit is that of top·unit over unit
    step = 2 * square.unit if any(k % 2 for k, _ in square.terms) else square.unit
    found, context = square.over(step), fmpz_mpoly_ctx.get(("t",), "lex")
    least = min(found)
    if max(found) - least > DEGREE:
        return None
    poly = context.from_dict({(k - least,): c for k, c in found.items()})
    content, parts = poly.factor_squarefree()
    whole = isqrt(abs(int(content)))
    if whole * whole != content or any(times % 2 for _, times in parts):
        return None
    half = context.constant(whole)
    for part, times in parts:
        half *= part ** (int(times) // 2)
    terms = {int(k) + least // 2: int(c) for (k,), c in half.to_dict().items()}
    return abs(quotient(Sum.of(step, terms)) / quotient(unit))


def _lowest(above: dict[int, int], under: dict[int, int], step: Fraction, bottom: int) -> str:
    """The quotient of two polynomials of e^`step`, given by e^(k/unit), without common factor."""
    from flint import fmpz_poly

    whole = gcd(*above, *under)
    least = min(above)
    polys = []
    for terms, shift in ((above, least), (under, 0)):
        dense = [0] * ((max(terms) - shift) // whole + 1)
        for k, c in terms.items():
            dense[(k - shift) // whole] = c
        polys.append(fmpz_poly(dense))
    common = polys[0].gcd(polys[1])
    p, q = ([int(c) for c in (poly // common).coeffs()] for poly in (polys[0], polys[1]))
    moved = least // whole
    up, down = max(moved, 0), max(-moved, 0)
    p, q = [0] * up + p, [0] * down + [c * bottom for c in q]
    shared = gcd(*p, *q) * (1 if q[-1] > 0 else -1)
    sums = (
        Sum.of(step.denominator, {k * step.numerator: c // shared for k, c in enumerate(row)})
        for row in (p, q)
    )
    return _text(*sums)

"""The sign of a polynomial of parameters on a place: the one module that decides it.

One parameter lies at a point or in an open interval, whose ends are rational or algebraic. Where
coefficients and Descartes' rule leave a doubt, Sturm's theorem decides; so no evidence is needed.
Several lie in a cell where conditions hold: of each parameter at a point or in an open interval. It
is the image of positive u, v under (low u + high v)/(u + v), so that a polynomial has the sign of
one that is homogeneous in each pair; which trees of the evidence prove.

A dense polynomial here is a tuple of integers from the constant term up, the last not 0; () is 0. A
real number is rational, or the only root of one between two rationals.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, product
from math import comb, gcd, lcm, prod
from typing import Any

from . import reading as read
from .cuts import cut, multiply, nodes, quotient, simpler
from .document import MAX_DIGITS, fields, index, indices, items, keep, need, prove, spend
from .numbers import ONE, Divided, Place, Poly, exponents, parts, place, primitive, value
from .powers import logarithm
from .sturm import multiplied

Dense = tuple[int, ...]
Terms = dict[tuple[int, ...], int]  # exponents of the variables of a cell -> coefficient
HALF = Fraction(1, 2)
MAX_DEGREE = 5_000
BITS, PRECISION = 160, 96  # binary digits of bounds of polynomials, and of their logarithms
NARROW = 2**100  # an irrational point lies between numbers whose distance times this is at most 1
MOST_INTERVALS = 2000
MOST_TERMS = 10**6  # of a polynomial on a cell


# ------------------------------------------------------------------ dense polynomials and roots


def dense(a: Poly) -> Dense:
    """A polynomial of one parameter as a tuple."""
    need(not a or max(a) < MAX_DEGREE, "a polynomial of too high a degree")
    return tuple([a.get(k, 0) for k in range(max(a) + 1)]) if a else ()


def _sparse(a: Dense) -> Poly:
    return Poly({k: c for k, c in enumerate(a) if c})


def trimmed(terms: Iterable[int]) -> Dense:
    """The polynomial with these coefficients."""
    found = list(terms)
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def shortened(a: Dense) -> Dense:
    """a divided by the largest common divisor of its coefficients."""
    divisor = gcd(*a)
    return tuple([c // divisor for c in a]) if divisor > 1 else a


def sign(a: Dense, x: Fraction) -> int:
    """The sign of a(x)."""
    n, d = x.as_integer_ratio()
    total, unit = 0, 1
    for c in reversed(a):
        total = total * n + c * unit
        unit *= d
    return (total > 0) - (total < 0)


def _spend_value(a: Dense, x: Fraction) -> None:
    own = sum(n.bit_length() for n in x.as_integer_ratio())
    size = _longest(a) + len(a) * own
    spend(len(a) * (1 + size // 2000 + size * own // 100_000))


def variations(a: Dense, low: Fraction, high: Fraction) -> int:
    """Sign variations of (1 + s)^n a((low + high s)/(1 + s)): 0 or 1 is the number of roots between
    `low` and `high`, with their multiplicities."""
    unit = low.denominator * high.denominator
    start, width = int(low * unit), int((high - low) * unit)
    degree = len(a) - 1
    if start:  # of x / start
        out = _shifted([c * unit ** (degree - i) * start**i for i, c in enumerate(a)])
        out = [c * width**i * start ** (degree - i) for i, c in enumerate(out)]
    else:
        out = [c * unit ** (degree - i) * width**i for i, c in enumerate(a)]
    out = _shifted(out[::-1])
    signs = [c > 0 for c in out if c]
    return sum(x != y for x, y in pairwise(signs))


def _shifted(a: list[int]) -> list[int]:
    """The coefficients of a(x + 1), by repeated division."""
    out = a[::-1]
    for size in range(len(out), 1, -1):
        out[:size] = accumulate(out[:size])
    return out[::-1]


def divided(a: Dense, b: Dense) -> tuple[Dense, Dense]:
    """Positive multiples of quotient and remainder of a by b, which is not 0; the same one."""
    rest, out, lead = list(a), [0] * max(0, len(a) - len(b) + 1), b[-1]
    while len(rest) >= len(b):
        common = gcd(rest[-1], lead)
        up, k = abs(lead) // common, rest[-1] // common * (1 if lead > 0 else -1)
        rest, out = [c * up for c in rest], [c * up for c in out]
        out[len(rest) - len(b)] = k
        for i, c in enumerate(b):
            rest[len(rest) - len(b) + i] -= k * c
        rest = list(trimmed(rest))
    return trimmed(out), tuple(rest)


def common(a: Dense, b: Dense) -> Dense:
    """The largest common divisor of a and b, not both 0, without a constant factor."""
    while b:
        steps = abs(len(a) - len(b)) + 2
        size = _longest(a) + steps * _longest(b)  # of the remainder, whose divisor is found too
        spend(len(a) * steps * (1 + size // 64 + (size // 1000) ** 2))
        a, b = b, shortened(divided(a, b)[1])
    return shortened(a)


def derivative(a: Dense) -> Dense:
    """The derivative of a."""
    return tuple([i * c for i, c in enumerate(a)][1:])


def odd_part(a: Dense) -> Dense:
    """The product of the factors that divide a an odd number of times, each once."""
    again = common(a, derivative(a))
    distinct, found, odd = divided(a, again)[0], (1,), True
    while len(distinct) > 1:
        more = common(again, distinct) if len(again) > 1 else (1,)
        once = shortened(divided(distinct, more)[0])
        found = tuple(multiplied(found, once)) if odd else found
        again = shortened(divided(again, more)[0])
        distinct, odd = more, not odd
    return found


def roots_between(a: Dense, low: Fraction, high: Fraction) -> int:
    """The number of different roots between two numbers, neither of them a root, after Sturm."""
    chain = [shortened(a), shortened(derivative(a))]
    while chain[-1]:
        chain.append(shortened(tuple([-c for c in divided(chain[-2], chain[-1])[1]])))

    def changes(x: Fraction) -> int:
        signs = [s for s in (sign(p, x) for p in chain) if s]
        return sum(s != t for s, t in pairwise(signs))

    return changes(low) - changes(high)


@dataclass(frozen=True)
class Real:
    """A rational, where there is no polynomial; or its only root between `low` and `high`, which
    is simple."""

    low: Fraction
    high: Fraction
    polynomial: Dense = ()

    def halved(self) -> "Real":
        """The same with an interval half as long; the middle itself if that is the root."""
        if not self.polynomial:
            return self
        size = len(self.polynomial)
        spend(1000 * size + _cost(self.polynomial, self.low, self.high) // (1 + size))
        middle = (self.low + self.high) * HALF
        side = sign(self.polynomial, middle)
        if not side:
            return Real(middle, middle)
        if side == sign(self.polynomial, self.low):
            return Real(middle, self.high, self.polynomial)
        return Real(self.low, middle, self.polynomial)


def compare(x: Real, y: Real) -> int:
    """-1, 0 or 1, as x is below y, the same or above."""
    if x.polynomial and y.polynomial:
        low, high = max(x.low, y.low), min(x.high, y.high)
        both = common(x.polynomial, y.polynomial)
        if low < high and sign(both, low) * sign(both, high) < 0:
            return 0
    elif x.polynomial or y.polynomial:
        one, other = (x, y.low) if x.polynomial else (y, x.low)
        _spend_value(one.polynomial, other)
        if one.low < other < one.high and not sign(one.polynomial, other):
            return 0
    elif x.low == y.low:
        return 0
    while not (x.high <= y.low or y.high <= x.low):
        x, y = x.halved(), y.halved()
    return -1 if x.high <= y.low else 1


def sign_at(a: Dense, x: Real) -> int:
    """The sign of a at a real number."""
    if not x.polynomial or len(a) < 2:
        _spend_value(a, x.low)
        return sign(a, x.low)
    spend_rule(a, x.low, x.high)
    if not _is_apart(a, x):  # else no divisor has to be found
        both = common(a, x.polynomial)
        if sign(both, x.low) * sign(both, x.high) < 0:
            return 0
    while not _is_apart(a, x):
        spend_rule(a, x.low, x.high)
        x = x.halved()
        if not x.polynomial:
            return sign(a, x.low)
    return sign(a, x.low)


def _is_apart(a: Dense, x: Real) -> bool:
    """Whether a has one sign from the lower end of x to the upper one."""
    return sign(a, x.low) == sign(a, x.high) != 0 == variations(a, x.low, x.high)


def _longest(a: Dense) -> int:
    return max(map(int.bit_length, a), default=0)


def spend_rule(a: Dense, *ends: Fraction, times: int = 1) -> None:
    """Refuse more steps than Descartes' rule between two ends has, whose powers go into the
    coefficients."""
    spend(times * _cost(a, *ends))


def _cost(a: Dense, *ends: Fraction) -> int:
    own = sum(n.bit_length() for end in ends for n in end.as_integer_ratio())
    size = _longest(a) + len(a) * own
    return 5 * len(a) ** 2 * (1 + _longest(a) // 64 + size // 2000 + size * own // 100_000)


@dataclass
class Gap:
    """The numbers between two real ones, low < high."""

    low: Real
    high: Real

    def __post_init__(self) -> None:
        while self.low.high >= self.high.low:
            self.low, self.high = self.low.halved(), self.high.halved()

    @property
    def sample(self) -> Fraction:
        """A rational between them."""
        return (self.low.high + self.high.low) * HALF

    def is_free(self, a: Dense) -> bool:
        """Whether a vanishes nowhere between them."""
        if len(a) < 2:
            return a != ()
        first, last = self.low.low, self.high.high  # all that may lie between them
        if first >= 0 and (min(a) >= 0 or max(a) <= 0):
            return True
        spend_rule(a, first, last)
        if not variations(a, first, last):
            return True
        self.low, self.high = self._cleared(a, self.low), self._cleared(a, self.high)
        for end in (self.low, self.high):
            a = a if end.polynomial else self._without(a, end)
        first, last = self.low.high, self.high.low
        spend_rule(a, first, last)
        if not (found := variations(a, first, last)):
            return True
        if found == 1:
            return False
        spend_rule(a, times=50 * len(a))
        return not roots_between(a, first, last)

    def roots(self, a: Dense) -> list[Real]:
        """The different roots of a, which is not 0, between them, ascending; by bisection until
        Descartes' rule finds one or none."""
        spend_rule(a, times=50 * len(a))
        a = shortened(divided(a, common(a, derivative(a)))[0])
        self.low, self.high = self._cleared(a, self.low), self._cleared(a, self.high)
        for end in (self.low, self.high):
            a = a if end.polynomial else self._without(a, end)
        waiting, found = [(self.low.high, self.high.low)], list[Real]()
        while waiting:
            low, high = waiting.pop()
            spend_rule(a, low, high)
            count = variations(a, low, high)
            if count == 1:
                found.append(Real(low, high, a))
            elif count:
                middle = (low + high) * HALF
                if not sign(a, middle):
                    found.append(Real(middle, middle))
                    a = divided(a, (-middle.numerator, middle.denominator))[0]
                waiting += [(low, middle), (middle, high)]
        return sorted(found, key=lambda root: root.low)

    def _without(self, a: Dense, end: Real) -> Dense:
        """a, divided by what it has in common with the polynomial of an end until it does not
        vanish there."""
        own = end.polynomial or (-end.low.numerator, end.low.denominator)
        while not sign_at(a, end):
            spend_rule(a)
            a = shortened(divided(a, common(a, own))[0])
        return a

    def _cleared(self, a: Dense, end: Real) -> Real:
        """An end with an interval so short that a has no other root in it."""
        a = self._without(a, end)
        while end.polynomial and (
            variations(a, end.low, end.high) or not sign(a, end.low) * sign(a, end.high)
        ):
            spend_rule(a, end.low, end.high)
            end = end.halved()
        return end

    def side(self, a: Dense) -> int:
        """1 where a >= 0 everywhere between them, -1 where a < 0 everywhere; 0 where neither."""
        if not a:
            return 1
        if self.is_free(a):
            return sign(a, self.sample)
        spend_rule(a, times=50 * len(a))
        if not self.is_free(odd_part(a)):
            return 0
        x = self.sample
        while not sign(a, x):
            x = (x + self.high.low) * HALF
        return max(0, sign(a, x))


# ------------------------------------------------------------------ one parameter


@dataclass(frozen=True)
class Spot(Place):
    """A piece of the values of one parameter: one point, or the numbers between two ends."""

    name: str
    low: Real
    high: Real
    is_point: bool

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The name of the parameter."""
        return (self.name,)

    @property
    def is_rational(self) -> bool:  # type: ignore[override]
        """Whether it is one rational value."""
        return self.is_point and not self.low.polynomial

    @cached_property
    def _sides(self) -> dict[Poly, int]:
        """What `_side` has found, which is the same on all of it."""
        return {}

    @cached_property
    def gap(self) -> Gap:
        """The numbers between the ends."""
        return Gap(self.low, self.high)

    def _side(self, a: Poly) -> int:
        """1 where a >= 0 on the piece, -1 where a < 0 on it; Divided where neither."""
        if a.is_constant:
            return 1 if a.get(0, 0) >= 0 else -1
        if a not in self._sides:
            found = dense(a)
            if self.is_point:
                side = 1 if sign_at(found, self.low) >= 0 else -1
            else:
                side = self.gap.side(found)
            if not side:
                raise Divided(found)
            self._sides[a] = side
        return self._sides[a]

    def nonnegative(self, a: Poly) -> bool:
        """Whether a >= 0 on the piece."""
        return self._side(a) > 0

    def positive(self, a: Poly) -> bool:
        """Whether a > 0 on the piece."""
        return self._side(a.negative()) < 0

    def vanishes(self, a: Poly) -> bool:
        """Whether a is 0 on the piece; Divided where it is at some points only."""
        if a.is_constant:
            return not a
        if self.is_point:
            return not sign_at(dense(a), self.low)
        if not self.gap.is_free(dense(a)):
            raise Divided(dense(a))
        return False

    def key(self, top: Poly, bottom: Poly) -> int:
        """One for all ways to write a quotient: in lowest terms there is one between two ends."""
        return 0 if self.is_point else hash((top, bottom))

    def common(self, a: Poly, b: Poly) -> Poly:
        """What two polynomials have in common, and is positive; 1 where it is 0 at a point."""
        found = _sparse(common(dense(a), dense(b)))
        if self.vanishes(found):
            return ONE
        return found if self.positive(found) else found.negative()

    def lowest(self, top: Poly, bottom: Poly) -> tuple[Poly, Poly]:
        """The same quotient in lowest terms; at a rational point its value."""
        if self.is_rational:
            a, b = Fraction(
                *(value(part, [self.low.low]) for part in (top, bottom))
            ).as_integer_ratio()
            top, bottom = Poly({0: a} if a else {}), Poly({0: b})
        return super().lowest(top, bottom)


# ------------------------------------------------------------------ several parameters


@dataclass(frozen=True)
class Cell(Place):
    """A cell of the values of several parameters: the ends of each, the same where it is fixed; and
    conditions, each of which is >= 0 there, or > 0.

    trees  what proves that a polynomial is nowhere negative on it; 0 for those left out
    asked  the polynomials that were to be proved
    """

    decides = False
    names: tuple[str, ...]
    sides: tuple[tuple[Fraction, Fraction], ...]
    conditions: Sequence[tuple[Poly, bool]]
    trees: Mapping[Poly, Any] = field(default_factory=dict)
    asked: dict[Poly, None] = field(default_factory=dict)

    def has(self, point: Sequence[Fraction]) -> bool:
        """Whether a point is in the cell, and the conditions hold there."""
        need(len(point) == len(self.sides) and set(map(type, point)) <= {Fraction}, "a point")
        pairs = zip(point, self.sides, strict=True)
        if not all(low == x == high or low < x < high for x, (low, high) in pairs):
            return False
        found = ((value(condition, point), strict) for condition, strict in self.conditions)
        return all(x > 0 or (x == 0 and not strict) for x, strict in found)

    def nonnegative(self, a: Poly) -> bool:
        """Whether a >= 0 on the cell, as its coefficients or a tree prove; else it is rejected."""
        prove(not a or self.proves(a), "a number is not proved to be nowhere negative")
        return True

    def positive(self, a: Poly) -> bool:
        """Whether a > 0 on the cell, as its coefficients or a tree prove; else a <= 0 by them."""
        if a and self.proves(a, strict=True):
            return True
        prove(not a or self.proves(a.negative()), "a number is not proved to be above 0")
        return False

    def vanishes(self, a: Poly) -> bool:
        """Whether a is 0 as a polynomial."""
        return not a

    @cached_property
    def _count(self) -> int:
        """How many variables there are."""
        return 2 * sum(low != high for low, high in self.sides)

    @cached_property
    def _conditions(self) -> list[Terms]:
        return [self.homogeneous(condition) for condition, _ in self.conditions]

    def homogeneous(self, a: Poly) -> Terms:
        """The primitive positive multiple of a in the variables of the cell."""
        listed = [(exponents(m, len(self.sides)), c) for m, c in a.items()]
        degrees = [max(ks) for ks in zip(*(m for m, _ in listed), strict=True)]
        need(prod(1 + n for n in degrees) <= MOST_TERMS, "a polynomial has too many terms")
        sides = list(zip(self.sides, degrees, strict=True))
        bits = sum(n * _bits_of(*side) for side, n in sides)  # of a coefficient on the cell
        keep(prod(1 + n for n in degrees), bits)
        own = 1 + sum(degrees) + bits // 1000 + (bits // 3000) ** 2
        spend(len(a) * prod(1 + n for n in degrees) * own)
        found: Terms = {}
        for m, c in listed:
            rows = [_row(side, k, n) for (side, n), k in zip(sides, m, strict=True)]
            for chosen in product(*rows):
                key = tuple([e for pair, _ in chosen for e in pair])
                found[key] = found.get(key, 0) + c * prod(x for _, x in chosen)
        divisor = gcd(*found.values()) or 1
        return {m: c // divisor for m, c in found.items() if c}

    def proves(self, a: Poly, strict: bool = False) -> bool:
        """Whether the coefficients of a polynomial, or the tree of the evidence for it, prove that
        it is nowhere negative on the cell; `strict`ly: that it is positive."""
        key = primitive(a)
        self.asked[key] = None
        tree = self.trees.get(key, 0)
        p = {m: -c for m, c in self.homogeneous(a).items()}
        terms = [m for each in (p, *self._conditions) for m in each]
        columns = list(zip(*terms, strict=True))
        pairs = zip(columns[::2], columns[1::2], strict=True)
        size = prod(1 + max(map(sum, zip(*pair, strict=True))) for pair in pairs)
        degree = max(map(sum, terms), default=0)
        long = max((c.bit_length() for c in p.values()), default=0)
        own = (1 + degree) * (1 + len(self.conditions)) * (1 + long // 1000)
        spend(nodes(tree, 0, degree) * size * own)
        return self._proved(p, tree, self._conditions, True, strict)

    def _proved(
        self, p: Terms, tree: Any, conditions: Sequence[Terms], whole: bool, strict: bool
    ) -> bool:
        """Whether a tree proves p <= 0, or `strict`ly < 0, where all variables and the conditions
        are >= 0, on the `whole` cell or a part of it; inside the whole cell variables are > 0."""
        if type(tree) is int:
            return tree == 0 and all(c <= 0 for c in p.values()) and (not strict or bool(p))
        if type(tree) is dict:
            return self._by_rule(p, tree, conditions, whole, strict)
        i, j, a, b, left, right = items(tree)
        indices([i, j], self._count)
        need(i != j and i // 2 == j // 2, "no edge")
        return not strict and all(
            self._proved(cut(p, *at), half, [cut(c, *at) for c in conditions], False, False)
            for at, half in (((i, j, a, b), left), ((j, i, b, a), right))
        )

    def _by_rule(
        self, p: Terms, tree: Any, conditions: Sequence[Terms], whole: bool, strict: bool
    ) -> bool:
        if "none" in tree:
            number = index(fields(tree, "none")[0], len(conditions))
            fails = self.conditions[number][1] or (whole and conditions[number])
            return bool(fails) and all(c <= 0 for c in conditions[number].values())
        if "plus" in tree:
            number, text = items(fields(tree, "plus")[0])
            factor = read.number(text)
            need(type(factor) is Fraction and factor >= 0, "a factor is at least 0")
            p, condition = self._alike(p, conditions[index(number, len(conditions))])
            rest = [
                p.get(m, 0) * factor.denominator + factor.numerator * condition.get(m, 0)
                for m in {**p, **condition}
            ]
            sure = any(rest) or (factor > 0 and self.conditions[number][1])
            return all(c <= 0 for c in rest) and (sure or not strict)
        if "factor" in tree:
            number, rows, own = fields(tree, "factor rest tree")
            part = read_terms(rows, self._count)
            condition = conditions[index(number, len(conditions))]
            spend(len(part) * len(condition))
            same = _shortened(multiply(part, condition)) == _shortened(p) and bool(p)
            sure = self.conditions[number][1] or not strict
            return same and sure and self._proved(part, own, conditions, whole, strict)
        if "divisor" in tree:  # positive coefficients: it is positive where all variables are
            divisor, own = fields(tree, "divisor tree")
            rational = quotient(p, divisor, self._count)
            unit = lcm(*(c.denominator for c in rational.values()))
            part = _shortened({m: int(c * unit) for m, c in rational.items()})
            return self._proved(part, own, conditions, whole, strict)
        inner = simpler(p, tree, self._count)
        kept = conditions if "square" in tree else []  # others may not depend on a sum only
        if inner is None or (strict and "square" in tree):
            return False
        return self._proved(inner, tree["tree"], kept, whole, strict)

    def _alike(self, p: Terms, q: Terms) -> tuple[Terms, Terms]:
        """Both times powers of u + v, so that they have the same degrees."""
        found = []
        degrees = [max(sum(m[k : k + 2]) for m in (*p, *q)) for k in range(0, self._count, 2)]
        for one in (p, q):
            for k, degree in enumerate(degrees):
                own = max((sum(m[2 * k : 2 * k + 2]) for m in one), default=degree)
                unit, sums = [0] * self._count, dict[tuple[int, ...], int]()
                for i in range(degree - own + 1):
                    unit[2 * k], unit[2 * k + 1] = degree - own - i, i
                    sums[tuple(unit)] = comb(degree - own, i)
                spend(len(one) * len(sums))
                one = multiply(one, sums) if one else one
            found.append(one)
        return found[0], found[1]


def _shortened(p: Terms) -> Terms:
    """p, divided by the largest common divisor of its coefficients, without those that are 0."""
    divisor = gcd(*p.values()) or 1
    return {m: c // divisor for m, c in p.items() if c}


def read_terms(rows: Any, count: int) -> Terms:
    """A polynomial from rows of a coefficient and `count` exponents."""
    found = {tuple(indices(m, 10**4)): c for c, *m in items(rows, count + 1)}
    need(found and len(found) == len(rows), "terms are different, at least one")
    fits = all(type(c) is int and c and abs(c) < 10**MAX_DIGITS for c in found.values())
    need(fits, "a coefficient is an integer, not 0 and not too long")
    return found


def _row(
    side: tuple[Fraction, Fraction], exponent: int, degree: int
) -> list[tuple[tuple[int, ...], int]]:
    """(low u + high v)^exponent (u + v)^(degree − exponent), times a power of a denominator, as
    terms; a number where the ends are the same."""
    unit = lcm(side[0].denominator, side[1].denominator)
    low, high = (int(end * unit) for end in side)
    whole = unit ** (degree - exponent)
    bits = degree * _bits_of(*side)
    spend(((1 + exponent) * (1 + degree - exponent) * (1000 + bits * bits // 6000)) // 100)
    if low == high:
        return [((), low**exponent * whole)]
    row = [0] * (degree + 1)
    for i in range(exponent + 1):
        for j in range(degree - exponent + 1):
            size = comb(exponent, i) * low ** (exponent - i) * high**i
            row[i + j] += size * comb(degree - exponent, j) * whole
    return [((degree - i, i), x) for i, x in enumerate(row) if x]


def _bits_of(*numbers: Fraction) -> int:
    return sum(n.bit_length() for x in numbers for n in x.as_integer_ratio())


# ------------------------------------------------------------------ products of powers


def is_above_one(powers: Sequence[tuple[Any, int]]) -> bool:
    """Whether bounds of logarithms show that a product of r^k is above 1 on a piece and at its
    ends, over all (r, k) of `powers`; the r are positive."""
    counted: Counter[Poly] = Counter()
    for r, k in powers:
        top, bottom = parts(r)
        counted[top] += k
        counted[bottom] -= k
    forms = [(dense(form), k) for form, k in counted.items() if k]
    spot = place()
    assert isinstance(spot, Spot)
    x, y = spot.low, spot.high
    while spot.is_point and (x.high - x.low) * NARROW > 1:
        x = y = x.halved()
    unit = 1 << BITS
    waiting = [(int(x.low * unit) - 1, int(y.high * unit) + 1)]
    for _ in range(MOST_INTERVALS):
        low, high = waiting.pop()
        middle = (low + high) // 2
        if not _is_above(forms, middle, middle):
            return False
        if not _is_above(forms, low, high):
            waiting += [(low, middle), (middle, high)]
        if not waiting:
            return True
    return False


def _is_above(forms: Sequence[tuple[Dense, int]], low: int, high: int) -> bool:
    """Whether the sum of k ln a over all (a, k) of `forms` is above 0 between two numbers, given
    times a unit, as are the bounds of polynomials; of quotients it cancels."""
    total = 0
    for form, k in forms:
        spend(100 * len(form) + 1000)
        least, most = _bounds(form, low, high)
        if least <= 0:
            return False
        total += k * logarithm(Fraction(least if k > 0 else most), PRECISION)[k < 0]
    return total > 0


def _bounds(form: Dense, low: int, high: int) -> tuple[int, int]:
    """Bounds of a polynomial between two numbers, all times a unit."""
    least = most = 0
    for c in reversed(form):
        ends = [x * y for x in (least, most) for y in (low, high)]
        least = (min(ends) >> BITS) + (c << BITS)
        most = (max(ends) >> BITS) + 1 + (c << BITS)
    return least, most

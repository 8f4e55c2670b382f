"""Functions of one random draw: on each piece a sum of c·x^j·b^x, with exact integrals and sums.

Coefficients are sums of c·t^k, t = e^(1/m), over products of 1 − t^(−j). For real draws b = t^r
with an integer r. For whole draws b is a rational ratio, or t^r; then F(x + 1) − F(x) = f(x) is
what F' = f is for real ones.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, factorial, gcd, lcm
from typing import Any

from .exponentials import spend

ONE = Fraction(1)
MAX_BITS = 10**6
MAX_TERMS = 10**6  # of a product of two functions, on one piece
Rate = Any  # the exponent of t, or the ratio
Piece = dict[tuple[Rate, int], "Sum"]  # (rate, power of x) -> coefficient


class Coarse(ArithmeticError):
    """m has to be a multiple of `factor` times what it is."""

    def __init__(self, factor: int) -> None:
        super().__init__(factor)
        self.factor = factor


@dataclass
class Sum:
    """Σ terms[k]·t^k / (unit · Π (1 − t^(−j))^below[j]) in integers without a common divisor; no
    term is 0."""

    terms: dict[int, int]
    unit: int = 1
    below: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: "Sum") -> "Sum":
        below = self.below
        mine, its = self.terms, other.terms
        if below != other.below:
            below = Counter(self.below) | Counter(other.below)
            mine = expanded(mine, Counter(below) - Counter(self.below))
            its = expanded(its, Counter(below) - Counter(other.below))
        unit = lcm(self.unit, other.unit)
        up, more = unit // self.unit, unit // other.unit
        found = {k: c * up for k, c in mine.items()}
        for k, c in its.items():
            found[k] = found.get(k, 0) + c * more
        return _shortest(found, unit, below)

    def __mul__(self, other: "Sum") -> "Sum":
        below = self.below and other.below and Counter(self.below) + Counter(other.below)
        found = times(self.terms, other.terms)
        return _shortest(found, self.unit * other.unit, below or self.below or other.below)

    def scaled(self, factor: Fraction | int) -> "Sum":
        """The sum times a rational."""
        up, unit = factor.numerator, factor.denominator * self.unit
        return _shortest({k: c * up for k, c in self.terms.items()}, unit, self.below)


NOTHING = Sum({})


def _shortest(terms: Mapping[int, int], unit: int, below: Mapping[int, int]) -> Sum:
    """The sum of these parts without terms that are 0, and without a common divisor."""
    spend(60 + len(terms) * (10 + (unit.bit_length() ** 2 >> 17)))
    divisor = gcd(unit, *terms.values())
    found = {k: c // divisor for k, c in terms.items() if c}
    return Sum(found, unit // divisor, below) if found else NOTHING


def constant(value: Fraction | int, power: int = 0) -> Sum:
    """value · t^power."""
    return Sum({power: value.numerator}, value.denominator) if value else NOTHING


def times(x: Mapping[int, int], y: Mapping[int, int]) -> dict[int, int]:
    """The product of two sums of powers of t."""
    spend(3 * len(x) * len(y))
    found: dict[int, int] = {}
    for i, c in x.items():
        for j, d in y.items():
            found[i + j] = found.get(i + j, 0) + c * d
    return found


def expanded(terms: dict[int, int], below: Mapping[int, int]) -> dict[int, int]:
    """The terms times Π (1 − t^(−j))^below[j]."""
    for j in Counter(below).elements():
        terms = times(terms, {0: 1, -j: -1})
    return terms


def exponent(value: Fraction | int) -> int:
    """The integer that a `value` is, or Coarse."""
    if value.denominator > 1:
        raise Coarse(value.denominator)
    return value.numerator


@dataclass(frozen=True)
class Kind:
    """What draws range over: `real`, `powers` (whole, b a power of t) or `ratios` (whole, b a
    ratio); and m."""

    name: str
    m: int

    @property
    def step(self) -> int:
        """1 for whole draws, else 0."""
        return int(self.name != "real")

    @property
    def still(self) -> Rate:
        """The rate of b = 1."""
        return ONE if self.name == "ratios" else 0

    def join(self, a: Rate, b: Rate) -> Rate:
        """The rate of a product."""
        return a * b if self.name == "ratios" else a + b

    def stretched(self, rate: Rate, factor: Fraction) -> Rate:
        """The rate of b^(factor · x)."""
        return rate ** int(factor) if self.name == "ratios" else exponent(rate * factor)

    def power(self, rate: Rate, x: Fraction) -> Sum:
        """b^x."""
        if self.name == "ratios":
            size = max(rate.numerator, rate.denominator).bit_length()
            if size * abs(x) > MAX_BITS:
                raise ValueError("a probability is too long")
            return constant(rate ** int(x))
        return constant(1, exponent(rate * x))

    def primitive(self, rate: Rate, n: int) -> list[Sum]:
        """A primitive of x^n b^x as b^x times a polynomial, of which these are the coefficients."""
        if rate == self.still:
            straight = [*[0 * ONE] * (n + 1), Fraction(1, n + 1)]
            return list(map(constant, _powers(n) if self.step else straight))
        if self.name == "real":
            slope, found = Fraction(rate, self.m), [ONE] * (n + 1)
            for i in range(n + 1):
                found[n - i] = Fraction((-1) ** i * comb(n, i) * factorial(i), slope ** (i + 1))
            return list(map(constant, found))
        base, less = self.power(rate, ONE), self._less(rate)
        sums = [NOTHING] * n + [less]
        for k in reversed(range(n)):
            rest = NOTHING
            for i in range(k + 1, n + 1):
                rest = rest + sums[i].scaled(comb(i, k))
            sums[k] = (rest * base * less).scaled(-1)
        return sums

    def _less(self, rate: Rate) -> Sum:
        """1/(b − 1)."""
        if self.name == "ratios":
            return constant(Fraction(1, rate - 1))
        top = constant(1, -rate) if rate > 0 else constant(-1)
        return Sum(top.terms, below={abs(rate): 1})


def _powers(n: int) -> list[Fraction]:
    """The coefficients of the polynomial G with G(x + 1) − G(x) = x^n and G(0) = 0."""
    found = [Fraction(0)] * (n + 2)
    for k in range(n, -1, -1):
        rest = sum((comb(i, k) * found[i] for i in range(k + 2, n + 2)), Fraction(0))
        found[k + 1] = Fraction((k == n) - rest, k + 1)
    return found


@dataclass(frozen=True)
class Function:
    """`pieces[i]` holds from `breaks[i - 1]` on and below `breaks[i]`."""

    kind: Kind
    breaks: list[Fraction]
    pieces: list[Piece]

    def right_of(self, left: Fraction | None) -> Piece:
        """The terms from a point on; of the first piece where it is None."""
        return self.pieces[0 if left is None else bisect_right(self.breaks, left)]

    def __mul__(self, other: "Function") -> "Function":
        breaks, pieces = sorted({*self.breaks, *other.breaks}), []
        for left in (None, *breaks):
            found: Piece = {}
            mine, its = self.right_of(left), other.right_of(left)
            if len(mine) * len(its) > MAX_TERMS:
                raise ValueError("a function of a draw has too many terms")
            for (r, j), c in mine.items():
                for (s, k), d in its.items():
                    add(found, (self.kind.join(r, s), j + k), c * d)
            pieces.append(found)
        return Function(self.kind, breaks, pieces)

    def less(self, other: "Function") -> "Function":
        """self − other."""
        breaks, pieces = sorted({*self.breaks, *other.breaks}), []
        for left in (None, *breaks):
            found = dict(self.right_of(left))
            for key, c in other.right_of(left).items():
                add(found, key, c.scaled(-1))
            pieces.append(found)
        return Function(self.kind, breaks, pieces)

    def within(self, low: Fraction | None, high: Fraction | None) -> "Function":
        """f where low <= x <= high, and 0 elsewhere; some x is."""
        edges = [*([low] if low is not None else [])]
        edges += [high + self.kind.step] if high is not None else []
        one = {(self.kind.still, 0): constant(1)}
        shape = [{}, one] if low is not None else [one]
        shape += [{}] if high is not None else []
        return self * Function(self.kind, edges, shape)

    def at(self, factor: Fraction, by: Fraction) -> "Function":
        """x -> f(factor · x + by)."""
        kind, edges = self.kind, [Fraction(b - by, factor) for b in self.breaks]
        if kind.step and factor > 0:
            edges = [Fraction(-(-edge // 1)) for edge in edges]
        elif kind.step:
            edges = [Fraction(edge // 1 + 1) for edge in edges]
        pieces = [_moved(piece, kind, factor, by) for piece in self.pieces]
        if factor < 0:
            edges, pieces = edges[::-1], pieces[::-1]
        kept = [i for i, edge in enumerate(edges) if edges[i + 1 : i + 2] != [edge]]
        inner = [pieces[i + 1] for i in kept]
        return Function(kind, [edges[i] for i in kept], [pieces[0], *inner])

    def sampled(self, kind: Kind) -> "Function":
        """The same function of whole numbers only; it has no jumps."""
        edges = [Fraction(-(-edge // 1)) for edge in self.breaks]
        kept = [i for i, edge in enumerate(edges) if edges[i + 1 : i + 2] != [edge]]
        pieces = [self.pieces[0], *(self.pieces[i + 1] for i in kept)]
        whole = [{(r or kind.still, n): c for (r, n), c in piece.items()} for piece in pieces]
        return Function(kind, [edges[i] for i in kept], whole)

    def below(self) -> "Function":
        """The integral from −∞ to x, or the sum over all smaller whole numbers."""
        done, pieces = NOTHING, []
        edges = zip((None, *self.breaks), (*self.breaks, None), self.pieces, strict=True)
        for left, right, terms in edges:
            whole: Piece = {}
            for (rate, n), c in terms.items():
                for j, factor in enumerate(self.kind.primitive(rate, n)):
                    if factor:
                        add(whole, (rate, j), c * factor)
            start = NOTHING if left is None else self.value(whole, left)
            add(whole, (self.kind.still, 0), done + start.scaled(-1))
            pieces.append(whole)
            done = done if right is None else self.value(whole, right)
        return Function(self.kind, self.breaks, pieces)

    def value(self, terms: Piece, x: Fraction) -> Sum:
        """The terms at a point."""
        total = NOTHING
        for (rate, n), c in terms.items():
            total = total + (c * self.kind.power(rate, x)).scaled(x**n)
        return total

    @property
    def last(self) -> Sum:
        """What a bounded f has as its limit on the right."""
        return self.pieces[-1].get((self.kind.still, 0), NOTHING)


def add(terms: dict[Any, Sum], key: Any, more: Sum) -> None:
    """Add a term, unless the sum is 0."""
    total = terms.get(key, NOTHING) + more
    terms.pop(key, None)
    if total:
        terms[key] = total


def _moved(piece: Piece, kind: Kind, factor: Fraction, by: Fraction) -> Piece:
    found: Piece = {}
    for (rate, n), c in piece.items():
        here, stretched = c * kind.power(rate, by), kind.stretched(rate, factor)
        for i in range(n + 1):
            add(found, (stretched, i), here.scaled(comb(n, i) * factor**i * by ** (n - i)))
    return found


LAWS = {  # name -> the kind of draws
    "laplace": "real",
    "exponential": "real",
    "interval": "real",
    "geometric": "ratios",
    "geometric_epsilon": "powers",
}
PARTS = {  # of real draws: whole numbers and fractions
    "whole part": "powers",
    "fraction": "real",
    "steps of powers": "powers",
    "steps of ratios": "ratios",
}
KINDS = LAWS | PARTS


def density(name: str, parameter: Fraction, kind: Kind) -> Function:
    """The density of a law, or the probabilities of whole numbers."""
    zero = Fraction(0)
    if name == "interval":
        inside = {(0, 0): constant(Fraction(1, parameter))}
        return Function(kind, [zero, parameter], [{}, inside, {}])
    if name in PARTS:
        return _part(name, parameter, kind)
    if name == "geometric":
        height = constant(Fraction(1 - parameter, 1 + parameter))
        falling: Rate = parameter
        rising: Rate = Fraction(1, parameter)
    elif name == "geometric_epsilon":
        rising = exponent(parameter * kind.m)
        falling = -rising  # (1 − ρ)/(1 + ρ) = (1 − ρ)²/(1 − ρ²)
        height = Sum(expanded({0: 1}, {rising: 2}), below={2 * rising: 1})
    else:
        rising = exponent(Fraction(kind.m, parameter))
        falling = -rising
        height = constant(Fraction(1, parameter * (2 if name == "laplace" else 1)))
    left = {} if name == "exponential" else {(rising, 0): height}
    return Function(kind, [zero], [left, {(falling, 0): height}])


def _part(name: str, parameter: Fraction, kind: Kind) -> Function:
    """The density of what a real draw is split into, or the probabilities."""
    if name in ("steps of powers", "steps of ratios"):
        inside = {(kind.still, 0): constant(Fraction(1, parameter))}
        return Function(kind, [Fraction(0), parameter], [{}, inside, {}])
    rate = exponent(Fraction(kind.m, parameter))
    if name == "whole part":  # (1 − ρ)ρ^k for k >= 0
        return Function(kind, [Fraction(0)], [{}, {(-rate, 0): Sum({0: 1, -rate: -1})}])
    # ρ^u/(b(1 − ρ)) for 0 <= u <= 1
    height = Sum({0: parameter.denominator}, parameter.numerator, {rate: 1})
    return Function(kind, [Fraction(0), ONE], [{}, {(-rate, 0): height}, {}])

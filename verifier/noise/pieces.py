"""Functions of one draw: on each piece a sum of c·x^j·b^x, so that sums and integrals are exact.

The same class serves real x, where b^x = e^(rx/m), and whole x, where b is a rational ratio or a
power of t = e^(1/m). The scale says which: how rates combine, what b^x is at a point, and the
primitive F of f, with F' = f for real x and F(x + 1) − F(x) = f(x) for whole x.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from typing import Any, Protocol

from verifier.base.errors import LimitReached
from verifier.noise.draws import (
    EXPONENTIAL,
    FRACTION,
    GEOMETRIC,
    GEOMETRIC_EPSILON,
    INTERVAL,
    LAPLACE,
    STEPS,
    WHOLE_PART,
    Law,
)
from verifier.noise.sums import Sum, rational

Rate = Any  # an integer, the exponent of t; or the rational ratio itself
Piece = dict[tuple[Rate, int], Sum]  # (rate, power of x) -> coefficient
NOTHING = Sum({})
MAX_BITS = 100_000


class Coarse(Exception):
    """The common denominator m has to be a multiple of `factor` times what it is."""

    def __init__(self, factor: int) -> None:
        super().__init__(factor)
        self.factor = factor


class Scale(Protocol):
    """What a draw ranges over, and its rates."""

    def __hash__(self) -> int:
        """Equal for equal scales: what is made of one is kept."""

    @property
    def m(self) -> int:
        """Rates that are exponents are multiples of 1/m."""

    @property
    def still(self) -> Rate:
        """The rate of a constant."""

    @property
    def step(self) -> int:
        """1 for whole draws, 0 for real ones."""

    def join(self, a: Rate, b: Rate) -> Rate:
        """The rate of a product."""

    def stretched(self, rate: Rate, factor: Fraction) -> Rate:
        """The rate of b^(factor · x)."""

    def power(self, rate: Rate, x: Fraction) -> Sum:
        """b^x at a point."""

    def primitive(self, rate: Rate, power: int) -> list[Sum]:
        """The primitive of x^power b^x, divided by b^x: coefficients of x^0, x^1, …"""

    def grows(self, rate: Rate) -> bool:
        """Whether b > 1."""

    def placed(self, c: Sum, power: int) -> Sum:
        """The coefficient c times u^power, u the unit in which places are given."""

    def density(self, law: Law) -> Pieces:
        """The density or the probabilities of a law."""


class _Places:
    """Places that are given as they are."""

    def placed(self, c: Sum, power: int) -> Sum:
        """The coefficient itself."""
        return c


@dataclass(frozen=True)
class _Exponents(_Places):
    """Rates that are exponents: the rate r stands for e^(rx/m)."""

    m: int
    still = 0

    def join(self, a: int, b: int) -> int:
        """The rate of a product."""
        return a + b

    def stretched(self, rate: int, factor: Fraction) -> int:
        """The rate of e^(rate · factor · x / m)."""
        return exponent(rate * factor)

    def power(self, rate: int, x: Fraction) -> Sum:
        """e^(rate · x / m)."""
        return Sum.of(1, exponent(rate * x))

    def grows(self, rate: int) -> bool:
        """Whether the rate is above 0."""
        return rate > 0


class Real(_Exponents):
    """Real draws."""

    step = 0

    def primitive(self, rate: int, power: int) -> list[Sum]:
        """Of x^power e^(rate x / m), without the exponential."""
        if rate == 0:
            return [NOTHING] * (power + 1) + [Sum.of(Fraction(1, power + 1))]
        found, slope = [NOTHING] * (power + 1), Fraction(rate, self.m)
        for i in range(power + 1):
            falling = Fraction((-1) ** i * factorial(power), factorial(power - i))
            found[power - i] = Sum.of(falling / slope ** (i + 1))
        return found

    def density(self, law: Law) -> Pieces:
        """The density of a real law."""
        width = law.parameter
        zero = Fraction(0)
        if law.kind == INTERVAL:
            return Pieces(self, [zero, width], [{}, {(0, 0): Sum.of(1 / width)}, {}])
        rate = exponent(self.m / width)
        if law.kind == FRACTION:
            inside = {(-rate, 0): Sum(Sum.of(1 / width).terms, {rate: 1})}
            return Pieces(self, [zero, Fraction(1)], [{}, inside, {}])
        if law.kind == EXPONENTIAL:
            return Pieces(self, [zero], [{}, {(-rate, 0): Sum.of(1 / width)}])
        assert law.kind == LAPLACE, law
        height = Sum.of(1 / (2 * width))
        return Pieces(self, [zero], [{(rate, 0): height}, {(-rate, 0): height}])


class Multiples(Real):
    """Real draws whose rates are multiples of a parameter ε: of ε times a draw they are numbers,
    and all places are multiples of ε."""

    def placed(self, c: Sum, power: int) -> Sum:
        """The coefficient c times ε^power."""
        return c.raised(power) if power else c

    def density(self, law: Law) -> Pieces:
        """The density of ε times a draw, whose law has a scale in units of 1/ε."""
        found = super().density(law)
        if law.kind != INTERVAL:
            return found
        pieces = [{key: c.raised(-1) for key, c in piece.items()} for piece in found.pieces]
        return Pieces(self, found.breaks, pieces)


class _Whole(_Places):
    """What whole draws have in common."""

    step = 1

    def steps(self, count: Fraction) -> Pieces:
        """The numbers below a `count`, each as likely."""
        inside = {(self.still, 0): Sum.of(1 / count)}  # type: ignore[attr-defined]
        return Pieces(self, [Fraction(0), count], [{}, inside, {}])  # type: ignore[arg-type]

    def primitive(self, rate: Rate, power: int) -> list[Sum]:
        """Of x^power b^x, without b^x."""
        if rate == self.still:  # type: ignore[attr-defined]
            return _faulhaber(power)
        base, over = self.power(rate, Fraction(1)), self.below_one(rate)  # type: ignore[attr-defined]
        found = [NOTHING] * power + [over]
        for k in range(power - 1, -1, -1):
            rest = NOTHING
            for i in range(k + 1, power + 1):
                rest = rest + found[i].scaled(rational(comb(i, k)))
            found[k] = -(rest * base * over)
        return found


@dataclass(frozen=True)
class Ratios(_Whole):
    """Whole draws with rational ratios: the rate is b itself."""

    m: int = 1
    still = Fraction(1)

    def join(self, a: Fraction, b: Fraction) -> Fraction:
        """The rate of a product."""
        return a * b

    def stretched(self, rate: Fraction, factor: Fraction) -> Fraction:
        """The rate of b^(factor · x), for a whole factor."""
        return rate ** int(factor)

    def power(self, rate: Fraction, x: Fraction) -> Sum:
        """b^x; LimitReached where that is very long."""
        return _ratio_power(rate, int(x))

    def below_one(self, rate: Fraction) -> Sum:
        """1/(b − 1)."""
        return Sum.of(1 / (rate - 1))

    def grows(self, rate: Fraction) -> bool:
        """Whether b > 1."""
        return rate > 1

    def density(self, law: Law) -> Pieces:
        """The probabilities of a law."""
        if law.kind == STEPS:
            return self.steps(law.parameter)
        assert law.kind == GEOMETRIC, law
        ratio = law.parameter
        height = Sum.of((1 - ratio) / (1 + ratio))
        return Pieces(self, [Fraction(0)], [{(1 / ratio, 0): height}, {(ratio, 0): height}])


class Powers(_Exponents, _Whole):
    """Whole draws with ratios that are powers of t = e^(1/m)."""

    def below_one(self, rate: int) -> Sum:
        """1/(b − 1)."""
        one = Sum.of(1, -rate) if rate > 0 else Sum.of(-1)
        return Sum(one.terms, {abs(rate): 1})

    def density(self, law: Law) -> Pieces:
        """The probabilities of a law: (1 − ρ)/(1 + ρ) = (1 − ρ)²/(1 − ρ²)."""
        if law.kind == STEPS:
            return self.steps(law.parameter)
        if law.kind == WHOLE_PART:
            rate = exponent(self.m / law.parameter)
            one = Sum.of(1) - Sum.of(1, -rate)
            return Pieces(self, [Fraction(0)], [{}, {(-rate, 0): one}])
        assert law.kind == GEOMETRIC_EPSILON, law
        rate = exponent(law.parameter * self.m)
        one = Sum.of(1) - Sum.of(1, -rate)
        height = Sum((one * one).terms, {2 * rate: 1})
        return Pieces(self, [Fraction(0)], [{(rate, 0): height}, {(-rate, 0): height}])


def _faulhaber(power: int) -> list[Sum]:
    """The polynomial G with G(x + 1) − G(x) = x^power and no constant."""
    found = [Fraction(0)] * (power + 2)
    for k in range(power, -1, -1):
        rest = sum(comb(i, k) * found[i] for i in range(k + 2, power + 2))
        found[k + 1] = (Fraction(k == power) - rest) / (k + 1)
    return list(map(Sum.of, found))


def exponent(value: Fraction | int) -> int:
    """The whole number that an exponent of t is; Coarse if it is none."""
    if value.denominator != 1:
        raise Coarse(value.denominator)
    return value.numerator


@lru_cache(maxsize=2**12)
def primitive(scale: Scale, rate: Rate, power: int) -> list[Sum]:
    """The primitive of x^power b^x on a `scale`, divided by b^x; made once."""
    return scale.primitive(rate, power)


@lru_cache(maxsize=2**12)
def _ratio_power(rate: Fraction, x: int) -> Sum:
    """rate^x; LimitReached where that is very long."""
    if max(rate.numerator, rate.denominator).bit_length() * abs(x) > MAX_BITS:
        raise LimitReached(f"a probability is longer than {MAX_BITS} binary digits")
    return Sum.of(rate**x)


@dataclass(frozen=True)
class Pieces:
    """A function f(x): `pieces[i]` from `breaks[i − 1]` on and below `breaks[i]`."""

    scale: Scale
    breaks: list[Fraction]
    pieces: list[Piece]

    def at(self, left: Fraction | None) -> Piece:
        """The terms just right of a point; of the first piece where it is None."""
        return self.pieces[0 if left is None else bisect_right(self.breaks, left)]

    def __mul__(self, other: Pieces) -> Pieces:
        breaks = sorted({*self.breaks, *other.breaks})
        join, pieces = self.scale.join, []
        for left in (None, *breaks):
            found: Piece = {}
            for (r, j), c in self.at(left).items():
                for (s, k), d in other.at(left).items():
                    _add(found, (join(r, s), j + k), c * d)
            pieces.append(found)
        return Pieces(self.scale, breaks, pieces)

    def plus(self, other: Pieces, factor: int = 1) -> Pieces:
        """self + factor · other."""
        breaks = sorted({*self.breaks, *other.breaks})
        by, pieces = rational(factor), []
        for left in (None, *breaks):
            found = dict(self.at(left))
            for key, c in other.at(left).items():
                _add(found, key, c.scaled(by))
            pieces.append(found)
        return Pieces(self.scale, breaks, pieces)

    def within(self, low: Fraction | None, high: Fraction | None) -> Pieces:
        """f where low <= x <= high, and 0 elsewhere."""
        ends = [] if low is None else [low]
        ends += [] if high is None else [high + self.scale.step]
        one = {(self.scale.still, 0): Sum.of(1)}
        inside = [one] if low is None else [{}, one]
        inside += [] if high is None else [{}]
        if len(ends) == 2 and ends[0] >= ends[1]:
            return Pieces(self.scale, [], [{}])
        return self * Pieces(self.scale, ends, inside)

    def composed(self, factor: Fraction, by: Fraction) -> Pieces:
        """x -> f(factor · x + by); for whole x both are whole."""
        scale = self.scale
        shift = scale.step if factor < 0 else 0
        breaks = [_turned((b - by) / factor, scale.step, factor) for b in self.breaks]
        pieces = [_composed(piece, scale, factor, by) for piece in self.pieces]
        if factor < 0:
            breaks, pieces = [b + shift for b in reversed(breaks)], pieces[::-1]
        return _without_empty(Pieces(scale, breaks, pieces))

    def sampled(self, scale: Scale) -> Pieces:
        """The same function of whole x, for rates of a `scale` of whole draws; f is continuous."""
        breaks = [Fraction(-(-b // 1)) for b in self.breaks]
        pieces = [
            {(rate or scale.still, power): c for (rate, power), c in piece.items()}
            for piece in self.pieces
        ]
        return _without_empty(Pieces(scale, breaks, pieces))

    def below(self) -> Pieces:
        """x -> the integral over (−∞, x), or the sum over y < x; f must vanish there."""
        done, pieces = NOTHING, []
        ends = zip((None, *self.breaks), (*self.breaks, None), self.pieces, strict=True)
        for left, right, terms in ends:
            whole = self.primitive(terms)
            constant = done if left is None else done - self.value(whole, left)
            _add(whole, (self.scale.still, 0), constant)
            pieces.append(whole)
            if right is not None:
                done = self.value(whole, right)
        return Pieces(self.scale, self.breaks, pieces)

    def smoothed(self, law: Law) -> Pieces:
        """x -> the mean of f(x + z) over a Laplace draw z; f is bounded.

        With its scale b that is (e^(-x/b) ∫ f(u) e^(u/b) over u < x, and the same of f(-u) at -x)
        divided by 2b.
        """
        rate = exponent(self.scale.m / law.parameter)
        up, down = (Pieces(self.scale, [], [{(r, 0): Sum.of(1)}]) for r in (rate, -rate))
        half = Pieces(self.scale, [], [{(0, 0): Sum.of(1 / (2 * law.parameter))}])
        turned = self.composed(Fraction(-1), Fraction(0))
        below, above = ((f * up).below() * down * half for f in (self, turned))
        return below.plus(above.composed(Fraction(-1), Fraction(0)))

    def primitive(self, terms: Piece) -> Piece:
        """A primitive of some terms."""
        found: Piece = {}
        for (rate, power), c in terms.items():
            for j, factor in enumerate(primitive(self.scale, rate, power)):
                if factor:
                    _add(found, (rate, j), c * factor)
        return found

    def value(self, terms: Piece, x: Fraction) -> Sum:
        """The value of some terms at a point."""
        total = NOTHING
        for (rate, power), c in terms.items():
            if x or not power:
                value = (c * self.scale.power(rate, x)).scaled(rational(x**power))
                total = total + self.scale.placed(value, power)
        return total

    def total(self) -> Sum:
        """The integral, or the sum, of all."""
        last = self.below().pieces[-1]
        still, grows = self.scale.still, self.scale.grows
        assert not any((r == still and j) or grows(r) for r, j in last), "it does not converge"
        return last.get((still, 0), NOTHING)


def _add(piece: Piece, key: tuple[Rate, int], more: Sum) -> None:
    total = piece[key] + more if key in piece else more
    if total:
        piece[key] = total
    else:
        piece.pop(key, None)


def _turned(x: Fraction, step: int, factor: Fraction) -> Fraction:
    """Where factor · y reaches what it does at x: for whole y the next integer."""
    if not step:
        return x
    return Fraction(-(-x // 1)) if factor > 0 else Fraction(x // 1)


def _composed(piece: Piece, scale: Scale, factor: Fraction, by: Fraction) -> Piece:
    """The terms at factor · x + by."""
    found: Piece = {}
    for (rate, power), c in piece.items():
        moved = c * scale.power(rate, by) if by else c
        stretched = scale.stretched(rate, factor)
        for i in range(power + 1):
            if by or i == power:
                extra = comb(power, i) * factor**i * by ** (power - i)
                _add(found, (stretched, i), scale.placed(moved.scaled(rational(extra)), power - i))
    return found


def _without_empty(f: Pieces) -> Pieces:
    """Without pieces that have no room."""
    kept = [i for i, b in enumerate(f.breaks) if f.breaks[i + 1 : i + 2] != [b]]
    pieces = [f.pieces[0], *(f.pieces[i + 1] for i in kept)]
    return Pieces(f.scale, [f.breaks[i] for i in kept], pieces)

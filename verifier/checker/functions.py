"""Sums of c·x^j·b^x, what the density of a random draw is made of, with exact integrals and sums.

Coefficients are sums of c·t^k, t = e^(1/m), over products of 1 − t^(−j). For real draws b = t^r
with an integer r. For whole draws b is a rational ratio, or t^r; then F(x + 1) − F(x) = f(x) is
what F' = f is for real ones.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import comb, gcd, lcm
from typing import Any

from .document import need, spend
from .numbers import ZERO, Poly, over

ONE = Fraction(1)
MAX_BITS = 10**6
Rate = Any  # the exponent of t, or the ratio


class Coarse(ArithmeticError):
    """m has to be a multiple of the number that this says times what it is."""


@dataclass
class Sum:
    """Σ terms[k]·t^k / (unit · Π (1 − t^(−j))^below[j]) in integers without a common divisor; no
    term is 0."""

    terms: Poly
    unit: int = 1
    below: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: "Sum") -> "Sum":
        if not self:
            return other
        below, mine, its = self.below, self.terms, other.terms
        if below != other.below:
            below = Counter(self.below) | Counter(other.below)
            mine = expanded(mine, Counter(below) - Counter(self.below))
            its = expanded(its, Counter(below) - Counter(other.below))
        unit = lcm(self.unit, other.unit)
        found = ZERO.plus(mine, unit // self.unit).plus(its, unit // other.unit)
        return _shortest(found, unit, below)

    def __mul__(self, other: "Sum") -> "Sum":
        below = self.below and other.below and Counter(self.below) + Counter(other.below)
        found = self.terms.times(other.terms)
        return _shortest(found, self.unit * other.unit, below or self.below or other.below)


NOTHING = Sum(ZERO)


def _shortest(terms: Poly, unit: int, below: Mapping[int, int]) -> Sum:
    """The sum of these parts without a common divisor."""
    spend(60 + len(terms) * (10 + (unit.bit_length() * terms.longest >> 17)))
    divisor = gcd(unit, *terms.values())
    return Sum(over(terms, divisor), unit // divisor, below) if terms else NOTHING


def constant(value: Fraction | int, power: int = 0) -> Sum:
    """value · t^power."""
    return Sum(Poly({power: value.numerator}), value.denominator) if value else NOTHING


def expanded(terms: Poly, below: Mapping[int, int]) -> Poly:
    """The terms times Π (1 − t^(−j))^below[j]."""
    return reduce(Poly.times, (Poly({0: 1, -j: -1}) for j in Counter(below).elements()), terms)


def exponent(value: Fraction | int) -> int:
    """The integer that a `value` is, or Coarse."""
    if value.denominator > 1:
        raise Coarse(value.denominator)
    return value.numerator


@dataclass(frozen=True)
class Kind:
    """What a draw ranges over: `real`, `powers` (whole, b a power of t) or `ratios` (whole, b a
    ratio); and m."""

    name: str
    m: int

    @property
    def step(self) -> int:
        """1 for whole draws, else 0."""
        return int(self.name != "real")

    @property
    def still(self) -> Rate:
        """The rate of b = 1; b^x is above 1 for x > 0 just where its rate is above this one."""
        return ONE if self.name == "ratios" else 0

    def join(self, a: Rate, b: Rate) -> Rate:
        """The rate of a product."""
        return a * b if self.name == "ratios" else a + b

    def stretched(self, rate: Rate, factor: Fraction) -> Rate:
        """The rate of b^(factor · x)."""
        if self.name == "ratios":
            size = max(rate.numerator, rate.denominator).bit_length()
            need(size * abs(factor) <= MAX_BITS, "a probability is too long")
        return rate ** int(factor) if self.name == "ratios" else exponent(rate * factor)

    def power(self, rate: Rate, x: Fraction) -> Sum:
        """b^x."""
        found = self.stretched(rate, x)
        return constant(found) if self.name == "ratios" else constant(1, found)

    def primitive(self, rate: Rate, n: int) -> list[Sum]:
        """A primitive of x^n b^x as b^x times a polynomial, of which these are the coefficients.

        In its derivative, or difference, the k-th of them makes x^k, or x^(k - 1) where b is 1, and
        lower powers; so the last one is found first."""
        flat, found = int(rate == self.still), [NOTHING] * (n + 2)
        base = constant(1) if flat or not self.step else self.power(rate, ONE)
        if self.name == "powers" and not flat:  # 1/(b − 1)
            top = constant(1, -rate) if rate > 0 else constant(-1)
            slope = Sum(top.terms, below={abs(rate): 1})
        elif not flat:
            slope = constant(Fraction(1, rate - 1) if self.step else Fraction(self.m, rate))
        for k in range(n, -1, -1):
            rest = constant(k == n)
            for i in range(k + 1 + flat, n + 2 if self.step else k + 2):
                rest = rest + found[i] * base * constant(-comb(i, k))
            found[k + flat] = rest * (constant(Fraction(1, k + 1)) if flat else slope)
        return found

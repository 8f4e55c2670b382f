"""Independent random draws, rational sums of them, and comparisons of such sums with 0.

A comparison is kept as `sum >= 0` in a normal form: coprime integer factors, and for whole draws
a whole constant. Its contrary is a comparison too; for real draws the two overlap in a set of
probability 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, lcm

Number = int | Fraction

GEOMETRIC, GEOMETRIC_EPSILON = "geometric", "geometric_epsilon"
LAPLACE, EXPONENTIAL, INTERVAL = "laplace", "exponential", "interval"
WHOLE = frozenset({GEOMETRIC, GEOMETRIC_EPSILON})


@dataclass(frozen=True, order=True)
class Law:
    """The distribution of a draw around 0.

    geometric          P(z) = (1 − ρ)/(1 + ρ)·ρ^|z| on all integers, ρ the parameter
    geometric_epsilon  the same with ρ = e^(−parameter)
    laplace            density e^(−|x|/b)/(2b), b the parameter
    exponential        density e^(−x/b)/b for x >= 0
    interval           density 1/b for 0 <= x <= b
    """

    kind: str
    parameter: Fraction

    @property
    def whole(self) -> bool:
        """Whether a draw is an integer."""
        return self.kind in WHOLE

    @property
    def low(self) -> int | None:
        """The least value, if there is one."""
        return 0 if self.kind in (EXPONENTIAL, INTERVAL) else None

    @property
    def high(self) -> Fraction | None:
        """The greatest value, if there is one."""
        return self.parameter if self.kind == INTERVAL else None


@dataclass(frozen=True, order=True)
class Draw:
    """A draw: its `number` tells independent ones of the same law apart."""

    number: int
    law: Law


@dataclass(frozen=True)
class Linear:
    """Σ factor · draw + constant, with factors that are not 0, in the order of the draws."""

    terms: tuple[tuple[Draw, Fraction], ...]
    constant: Fraction

    @classmethod
    def of(cls, terms: Mapping[Draw, Fraction], constant: Number) -> Linear:
        """The sum with these factors."""
        kept = sorted((draw, factor) for draw, factor in terms.items() if factor)
        return cls(tuple(kept), Fraction(constant))

    def plus(self, other: Linear | Number, factor: Number = 1) -> Linear:
        """self + factor · other."""
        if not isinstance(other, Linear):
            return Linear(self.terms, self.constant + factor * other)
        terms = dict(self.terms)
        for draw, more in other.terms:
            terms[draw] = terms.get(draw, Fraction(0)) + factor * more
        return Linear.of(terms, self.constant + factor * other.constant)

    def times(self, factor: Number) -> Linear:
        """factor · self."""
        return Linear.of({d: f * factor for d, f in self.terms}, self.constant * factor)

    @cached_property
    def whole(self) -> bool:
        """Whether it is always an integer."""
        numbers = self.constant, *(factor for _, factor in self.terms)
        return all(d.law.whole for d, _ in self.terms) and all(n.denominator == 1 for n in numbers)


@dataclass(frozen=True)
class Condition:
    """Σ factor · draw + constant >= 0, in normal form; `Condition.of` makes one."""

    terms: tuple[tuple[Draw, int], ...]
    constant: Fraction

    @classmethod
    def of(cls, form: Linear, strict: bool = False) -> Condition | bool:
        """The condition form >= 0, or > 0 where `strict`; a truth where no draw is in it."""
        if not form.terms:
            return form.constant > 0 if strict else form.constant >= 0
        scale = Fraction(lcm(*(factor.denominator for _, factor in form.terms)))
        scale /= gcd(*((factor * scale).numerator for _, factor in form.terms))
        terms = tuple((draw, int(factor * scale)) for draw, factor in form.terms)
        constant = form.constant * scale
        if all(draw.law.whole for draw, _ in terms):
            rest = strict and constant.denominator == 1
            constant = Fraction(floor(constant) - rest)
        return cls(terms, constant)

    def contrary(self) -> Condition:
        """The condition that holds exactly where this one does not, but for probability 0."""
        terms = tuple((draw, -factor) for draw, factor in self.terms)
        whole = all(draw.law.whole for draw, _ in terms)
        return Condition(terms, -self.constant - whole)

    @property
    def draws(self) -> tuple[Draw, ...]:
        """The draws that are compared."""
        return tuple(draw for draw, _ in self.terms)

    def plus(self, other: Condition) -> Condition | bool:
        """What the two together imply of the sum of both sides."""
        return Condition.of(Linear(self.terms, self.constant).plus(Linear(other.terms, other.constant)))


Path = frozenset[Condition]


def bounds(path: Iterable[Condition]) -> dict[tuple[tuple[Draw, int], ...], Fraction]:
    """For each sum of draws that a `path` bounds from below the tightest constant."""
    found: dict[tuple[tuple[Draw, int], ...], Fraction] = {}
    for condition in path:
        known = found.get(condition.terms)
        if known is None or condition.constant < known:
            found[condition.terms] = condition.constant
    return found

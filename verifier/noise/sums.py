"""Exact numbers made of powers of e: sparse sums of c·t^k over products of 1 − t^(−k).

t = e^(1/m) for a whole number m that the caller keeps; c is rational. Integrals of real draws
have no denominators; sums over whole draws with ratio e^(−ε) bring the factors 1 − t^(−k).

Where ε is a parameter, t = e^(ε/m), and terms may have powers of ε: the exponent i·`FAR` + k stands
for ε^i·t^k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

Terms = dict[int, Any]  # exponent of t -> flint rational, not 0
FAR = 1 << 96  # more than twice any exponent of t


class Sum:
    """Σ terms[k]·t^k / Π (1 − t^(−j))^over[j]."""

    __slots__ = ("over", "terms")

    def __init__(self, terms: Terms, over: Mapping[int, int] | None = None) -> None:
        self.terms, self.over = terms, over or {}

    @classmethod
    def of(cls, number: int | Fraction, power: int = 0) -> Sum:
        """number · t^power."""
        return cls({power: rational(number)} if number else {})

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Sum) -> Sum:
        if self.over == other.over:
            return Sum(_added(self.terms, other.terms), self.over)
        over = Counter(self.over) | Counter(other.over)
        both = (_multiplied(part.terms, over - Counter(part.over)) for part in (self, other))
        return Sum(_added(*both), over)

    def __mul__(self, other: Sum) -> Sum:
        return Sum(_product(self.terms, other.terms), _joined(self.over, other.over))

    def __neg__(self) -> Sum:
        return Sum({k: -c for k, c in self.terms.items()}, self.over)

    def __sub__(self, other: Sum) -> Sum:
        return self + -other

    def scaled(self, factor: Any) -> Sum:
        """The sum times a rational `factor`."""
        return Sum({k: c * factor for k, c in self.terms.items()} if factor else {}, self.over)

    def raised(self, power: int) -> Sum:
        """The sum times ε^`power`."""
        return Sum({k + power * FAR: c for k, c in self.terms.items()}, self.over)

    @property
    def numerator(self) -> dict[int, Fraction]:
        """The terms, exponent of t -> coefficient."""
        return {k: Fraction(int(c.p), int(c.q)) for k, c in sorted(self.terms.items())}


def over_one_denominator(sums: Iterable[Sum]) -> tuple[list[Sum], Sum]:
    """Numerators and denominator of numbers with one denominator: so numerators compare them."""
    given = list(sums)
    over: Counter[int] = Counter()
    for found in given:
        over |= Counter(found.over)
    tops = [Sum(_multiplied(s.terms, over - Counter(s.over))) for s in given]
    return tops, Sum(_multiplied(Sum.of(1).terms, over))


def exponents(key: int) -> tuple[int, int]:
    """The exponents of ε and of t that a key of terms stands for.

    >>> exponents(2 * FAR - 3)
    (2, -3)
    """
    power = (key + FAR // 2) // FAR
    return power, key - power * FAR


def rational(number: int | Fraction) -> Any:
    """The `number` as a flint rational, which is far quicker than a Fraction."""
    from flint import fmpq

    return fmpq(number.numerator, number.denominator)


def _joined(a: Mapping[int, int], b: Mapping[int, int]) -> Mapping[int, int]:
    return Counter(a) + Counter(b) if a and b else a or b


def _added(a: Terms, b: Terms) -> Terms:
    found = dict(a)
    for k, c in b.items():
        total = found.get(k, 0) + c
        if total:
            found[k] = total
        else:
            found.pop(k, None)
    return found


def _product(a: Terms, b: Terms) -> Terms:
    found: Terms = {}
    for i, x in a.items():
        for j, y in b.items():
            found[i + j] = found.get(i + j, 0) + x * y
    return {k: c for k, c in found.items() if c}


def _multiplied(terms: Terms, over: Mapping[int, int]) -> Terms:
    """The terms times Π (1 − t^(−j))^over[j]."""
    one = rational(1)
    for j, times in over.items():
        for _ in range(times):
            terms = _product(terms, {0: one, -j: -one})
    return terms

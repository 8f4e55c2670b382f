"""Polynomials in a few variables with exact coefficients, and points of products of simplices.

A polynomial maps exponents, one per variable, to its coefficients other than 0. Variables come in
groups; a polynomial that is homogeneous in each group has the same sign at a point of the simplices
and at its multiples, so points are written with any positive sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm, prod
from operator import mul

from verifier.base.nouns import Later, dataclass

Exponents = tuple[int, ...]
Polynomial = dict[Exponents, int]
Point = Sequence[int | Fraction]


@dataclass(frozen=True)
class Curve(Later):
    """x = point · t^powers for t -> 0+; a point where all powers are 0.

    point   numbers >= 0, in each group not all 0
    powers  integers >= 0
    """

    point: tuple[Fraction, ...]
    powers: tuple[int, ...]

    def at(self, t: Fraction) -> tuple[Fraction, ...]:
        """The point of the curve at t."""
        return tuple(x * t**e for x, e in zip(self.point, self.powers, strict=True))


def add(p: Polynomial, q: Polynomial, factor: int = 1) -> Polynomial:
    """p + factor·q."""
    found = dict(p)
    for exponents, coefficient in q.items():
        found[exponents] = found.get(exponents, 0) + factor * coefficient
    return {m: c for m, c in found.items() if c}


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """p·q.

    >>> multiply({(1, 0): 1, (0, 1): 1}, {(1, 0): 1, (0, 1): -1})
    {(2, 0): 1, (0, 2): -1}
    """
    found: Polynomial = {}
    for m, a in p.items():
        for n, b in q.items():
            both = tuple([i + j for i, j in zip(m, n, strict=True)])
            found[both] = found.get(both, 0) + a * b
    return {m: c for m, c in found.items() if c}


def product(factors: Iterable[Polynomial], variables: int) -> Polynomial:
    """The product of all `factors`, polynomials in so many `variables`; 1 for none."""
    found: Polynomial = {(0,) * variables: 1}
    for factor in factors:
        found = multiply(found, factor)
    return found


def value_at(p: Mapping[Exponents, int], point: Point) -> int | Fraction:
    """p at a point, where 0^0 = 1: a sum of integers over one denominator."""
    unit, degree = lcm(*(x.denominator for x in point)), max(map(sum, p), default=0)
    whole = [x.numerator * (unit // x.denominator) for x in point]
    total: int | Fraction = sum(
        c * unit ** (degree - sum(m)) * prod([x**e for x, e in zip(whole, m, strict=True) if e])
        for m, c in p.items()
    )
    return total * Fraction(1, unit**degree) if unit > 1 else total


def primitive(p: Polynomial) -> Polynomial:
    """p divided by the largest common divisor of its coefficients."""
    divisor = gcd(*p.values())
    return {m: c // divisor for m, c in p.items()} if divisor > 1 else p


def limit(n: Polynomial, d: Polynomial, curve: Curve) -> Fraction | None:
    """The limit of n/d along a curve on which n > 0 near its end; None is infinite, 0 where the
    limit says nothing about large ratios.

    >>> limit({(2, 0): 3, (1, 1): 1}, {(1, 1): 2, (2, 0): 2}, Curve((1, 1), (1, 0)))
    Fraction(1, 2)
    """
    return limit_of_products([n], [d], curve)


def limit_of_products(
    above: Iterable[Polynomial], below: Iterable[Polynomial], curve: Curve
) -> Fraction | None:
    """The limit of n/d along a curve, both being products of some factors that are not multiplied
    out.

    above, below  the factors of n, and of d
    """
    order, top = _leading_of_product(above, curve)
    under, bottom = _leading_of_product(below, curve)
    if order is None or top <= 0 or (under is not None and under < order):
        return Fraction(0)
    if under is None or order < under:
        return None
    return Fraction(1) * top / bottom


def _leading_of_product(
    factors: Iterable[Polynomial], curve: Curve
) -> tuple[int | None, Fraction | int]:
    """The order of a product of `factors` along a curve, the sum of theirs; None where it is 0."""
    order, coefficient = 0, Fraction(1)
    for factor in factors:
        own, leading = lowest(factor, curve)
        if own is None:
            return None, 0
        order, coefficient = order + own, coefficient * leading
    return order, coefficient


def lowest(p: Polynomial, curve: Curve) -> tuple[int | None, Fraction | int]:
    """The order in t of p along a curve, and its coefficient there; (None, 0) where p is 0."""
    parts: dict[int, Polynomial] = {}
    for m, c in p.items():
        parts.setdefault(sum(map(mul, curve.powers, m)), {})[m] = c
    found = ((order, value_at(parts[order], curve.point)) for order in sorted(parts))
    return next(((order, c) for order, c in found if c), (None, 0))


def cut(p: Polynomial, i: int, j: int, a: int, b: int) -> Polynomial:
    """p in the coordinates of the cone where the ray of x_j is replaced by a·(ray i) + b·(ray j):
    x_i -> x_i + a·x_j, x_j -> b·x_j.

    >>> cut({(2, 0): 1}, 0, 1, 3, 1)
    {(2, 0): 1, (1, 1): 6, (0, 2): 9}
    """
    found: Polynomial = {}
    for m, c in p.items():
        times = b ** m[j]
        listed = list(m)
        for k in range(m[i] + 1):
            listed[i], listed[j] = m[i] - k, m[j] + k
            key = tuple(listed)
            found[key] = found.get(key, 0) + c * times
            times = times * (m[i] - k) * a // (k + 1)
    return {m: c for m, c in found.items() if c}

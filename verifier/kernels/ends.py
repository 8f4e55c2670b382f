"""Ends of curves of priors: what is left of two secrets where some values are nearly certain.

Along a curve c·t^e, t -> 0, of unknown distributions the worlds of a secret whose weights have the
lowest power of t remain, each secret by itself. Where one monomial of P(s) and one of P(t) are the
only lowest ones, the worlds that have them are compared.

Example. Given s the worlds 00 and 01 have the weights a·b and a·B, given t 10 and 11 have A·b and
A·B. Along b = t the powers are 1, 0 and 1, 0: the worlds 01 and 11 remain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from verifier.base.polynomial import Curve, Exponents, Polynomial, lowest
from verifier.lp.model.program import Optimal, Program, Row
from verifier.lp.solve import solve


def believed(joint: Sequence[Polynomial], curve: Curve) -> dict[int, Fraction]:
    """What is believed of worlds at the end of a curve, of each the weight in `joint`."""
    found = {w: lowest(p, curve) for w, p in enumerate(joint) if p}
    least = min(order for order, _ in found.values() if order is not None)
    chosen = {w: Fraction(x) for w, (order, x) in found.items() if order == least}
    total = sum(chosen.values())
    return {w: x / total for w, x in chosen.items()}


def corners(p: Polynomial, q: Polynomial) -> Iterator[tuple[int, ...]]:
    """Powers of t along which p and q have one lowest monomial each, for all pairs of such."""
    sums = Counter(_sum(m, n) for m, n in product(p, q))
    for m, n in product(p, q):
        if sums[_sum(m, n)] == 1:  # else it is a mean of two others, or the same
            found = _exposing([*_steps(p, m), *_steps(q, n)], len(m))
            if found is not None:
                yield found


def _sum(m: Exponents, n: Exponents) -> Exponents:
    return tuple(a + b for a, b in zip(m, n, strict=True))


def _steps(p: Polynomial, m: Exponents) -> list[Exponents]:
    """From a monomial of p to all others."""
    return [tuple(b - a for a, b in zip(m, other, strict=True)) for other in p if other != m]


def _exposing(steps: Sequence[Exponents], count: int) -> tuple[int, ...] | None:
    """Small integers >= 0, so many, whose product with every step is positive; None without any."""
    rows = [Row("", {v: x for v, x in enumerate(step) if x}, ">=", 1) for step in steps]
    names = [f"h{v}" for v in range(count)]
    found = solve(Program.build(names, rows, dict.fromkeys(range(count), -1)))
    if not isinstance(found, Optimal):
        return None
    return tuple(found.point.numerators.get(v, 0) for v in range(count))

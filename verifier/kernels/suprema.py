"""Searching large values of a ratio n/d of polynomials on a product of simplices.

Floating point guides the search; whatever it finds becomes a rational curve, whose limit is then
computed exactly. Where n and d have no negative coefficients, the supremum is attained at a point
or as the limit of a curve x = c·t^e (on the toric variety of the Newton polytope of d), and it is
infinite exactly if some exponent of n lies outside that polytope.

By hand: x·y / (x² + y²) is largest at x = y, where it is 1/2; x² / (x·y) is infinite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.light import load_scipy
from verifier.base.polynomial import Curve, Exponents, Polynomial, limit

STARTS = 10  # of the search in each face
CORNERS = 30  # exponents tried, those with the largest ratios of coefficients first
DENOMINATORS = (*range(1, 61), 100, 1000, 10**4, 10**6, 10**8, 10**12)
SIMPLE = 1000


def plain_bound(n: Polynomial, d: Polynomial) -> Fraction | None:
    """The smallest level at which n − level·d has no positive coefficient; None where none is.

    >>> plain_bound({(1,): 3}, {(1,): 2, (2,): 1})
    Fraction(3, 2)
    """
    top: Any = 0
    bottom: Any = 1
    for m, c in n.items():
        if c > 0:
            below = d.get(m, 0)
            if not below:
                return None
            if c * bottom > top * below:
                top, bottom = c, below
    return exact.over(top, bottom)


def largest(
    n: Polynomial, d: Polynomial, groups: Sequence[int], floor: Fraction
) -> tuple[Fraction | None, Curve] | None:
    """The largest limit of n/d that was found above a floor, None for infinite, and a curve.

    n, d    the polynomials of the ratio
    groups  how many variables each simplex has
    floor   limits at most this are not looked for
    """
    top, best, curve = plain_bound(n, d), floor, None
    if top is not None and top <= floor:
        return None
    for found in _candidates(n, d, groups):
        reached = limit(n, d, found)
        if reached is None:
            return None, found
        if reached > best:
            best, curve = reached, found
        if best == top:
            break
    return None if curve is None else (best, curve)


def _candidates(n: Polynomial, d: Polynomial, groups: Sequence[int]) -> Iterator[Curve]:
    """Curves to try: into the corners of the Newton polytope, then where the search leads."""
    count = sum(groups)
    ones = (Fraction(1),) * count
    rising = sorted((m for m, c in n.items() if c > 0), key=lambda m: -_ratio(n[m], d.get(m, 0)))
    new = [m for m in rising if m not in d]
    for m in [*new, *rising[len(new) : len(new) + CORNERS]]:
        direction = towards([m], [*d, *n])
        if direction:
            yield Curve(ones, direction)
    below = d or {m: abs(c) for m, c in n.items()}  # with d = 0 wherever n is large
    for start in _starts(groups):
        yield from _climb(n, below, groups, start)


def _ratio(c: int, below: int) -> float:
    return log(c) - log(below) if below else float("inf")


def towards(face: Sequence[Exponents], others: Sequence[Exponents]) -> tuple[int, ...] | None:
    """Powers e >= 0 such that all e·m of a face are equal, and smaller than those of all others;
    None where there are none."""
    load_scipy()
    from scipy.optimize import linprog

    inside = set(face)
    base = np.array(face[0])
    above = np.array([m for m in dict.fromkeys(others) if m not in inside])
    if not len(above):
        return (0,) * len(base)
    equal = np.array(face[1:]) - base if len(face) > 1 else None
    solved = linprog(
        np.ones(len(base)),
        A_ub=base - above,
        b_ub=-np.ones(len(above)),
        A_eq=equal,
        b_eq=None if equal is None else np.zeros(len(equal)),
        bounds=(0, 10**4),
    )
    if solved.status != 0:
        return None
    for scale in range(1, 13):
        powers = np.rint(solved.x * scale).astype(int)
        if (above @ powers > base @ powers).all() and (equal is None or not (equal @ powers).any()):
            return tuple(powers.tolist())
    return None


def _starts(groups: Sequence[int]) -> Iterator[np.ndarray]:
    """The middle, and points in its logarithmic surroundings."""
    draw = np.random.default_rng(0)
    yield np.zeros(sum(groups))
    for k in range(STARTS - 1):
        yield draw.normal(size=sum(groups)) * (1, 3, 8)[k % 3]


def _climb(
    n: Polynomial, d: Polynomial, groups: Sequence[int], start: np.ndarray
) -> Iterator[Curve]:
    """Curves near a local maximum, and in the face that the search runs into."""
    load_scipy()
    from scipy.optimize import minimize

    ratio = _Ratio(n, d)
    found = minimize(ratio, start, jac=True, method="BFGS", options={"gtol": 1e-13}).x
    point = _rounded(n, d, groups, found)
    if point is not None:
        yield Curve(point, (0,) * len(point))
    kept = set(ratio.active(found))
    if len(kept) == len({*d, *n}):
        return
    outer = towards(list(kept), [*d, *n])
    inner_n, inner_d = ({m: c for m, c in p.items() if m in kept} for p in (n, d))
    if outer and inner_n and inner_d:
        for curve in _climb(inner_n, inner_d, groups, found):
            more = 1 + 2 * max(curve.powers) * max(map(sum, d))  # the outer face counts first
            powers = (more * e + f for e, f in zip(outer, curve.powers, strict=True))
            yield Curve(curve.point, tuple(powers))


def _rounded(
    n: Polynomial, d: Polynomial, groups: Sequence[int], at: np.ndarray
) -> tuple[Fraction, ...] | None:
    """A rational point near exp(at): the best one if it is simple, else the simplest one that is
    about as good."""
    shares: list[float] = []
    for k, size in enumerate(groups):
        part = at[sum(groups[:k]) : sum(groups[:k]) + size]
        weights = np.exp(part - part.max())
        shares += (weights / weights.sum()).tolist()
    tried = []
    for unit in DENOMINATORS:
        point = tuple(Fraction(round(x * unit), unit) for x in shares)
        reached = limit(n, d, Curve(point, (0,) * len(point)))
        if reached:
            tried.append((unit, point, reached))
    if not tried:
        return None
    best = max(reached for _, _, reached in tried)
    simple = [point for unit, point, reached in tried if reached == best and unit <= SIMPLE]
    near = [point for _, point, reached in tried if reached >= best * (1 - Fraction(1, 10**11))]
    return (simple or near)[0]


class _Ratio:
    """−asinh(n/d) and its gradient at exp(u), in floating point."""

    def __init__(self, n: Polynomial, d: Polynomial) -> None:
        self.n, self.d = list(n), list(d)
        self.sides = [
            (
                np.array(list(p), dtype=float),
                np.array([log(abs(c)) for c in p.values()]),
                np.array([1.0 if c > 0 else -1.0 for c in p.values()]),
            )
            for p in (n, d)
        ]

    def terms(self, u: np.ndarray) -> list[np.ndarray]:
        """The terms of n and d at e^`u`, divided by the largest one of d."""
        logs = [exponents @ u + coefficients for exponents, coefficients, _ in self.sides]
        shift = logs[1].max()
        return [
            signs * np.exp(np.minimum(part - shift, 300.0))
            for part, (_, _, signs) in zip(logs, self.sides, strict=True)
        ]

    def __call__(self, u: np.ndarray) -> tuple[float, Any]:
        top, bottom = self.terms(u)
        below = bottom.sum()
        ratio = top.sum() / below
        slope = (top @ self.sides[0][0] - ratio * (bottom @ self.sides[1][0])) / below
        return -float(np.arcsinh(ratio)), -slope / np.sqrt(1 + ratio * ratio)

    def active(self, u: np.ndarray) -> list[Exponents]:
        """The exponents of terms that count at exp(u)."""
        top, bottom = self.terms(u)
        found = [m for m, x in zip(self.d, bottom, strict=True) if x > 1e-7 * bottom.sum()]
        found += [m for m, x in zip(self.n, top, strict=True) if abs(x) > 1e-7 * bottom.sum()]
        return list(dict.fromkeys(found))

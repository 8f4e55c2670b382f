"""Laws of outputs as dictionaries, and what two of them differ by: in rationals or decimals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction as F
from itertools import product
from math import prod
from typing import Any

import mpmath as mp

from verifier.base import exact
from verifier.base.exponential import bounds

Law = Mapping[Any, Any]  # output -> probability
NARROW = F(1, 10**5)


def bit(one: Any) -> Law:
    return {1: one, 0: 1 - one}


def together(*parts: Law) -> Law:
    """The law of independent parts, as a tuple."""
    return {
        tuple(out for out, _ in chosen): prod(p for _, p in chosen)
        for chosen in product(*(part.items() for part in parts))
    }


def mixed(parts: Iterable[tuple[Any, Law]]) -> Law:
    """A law that is drawn by weights, which need not sum to one."""
    found: dict[Any, Any] = {}
    for weight, law in parts:
        for out, p in law.items():
            found[out] = found.get(out, 0) + weight * p
    total = sum(found.values())
    return {out: p / total for out, p in found.items()}


def ratio(one: Law, other: Law) -> Any:
    """The largest ratio of probabilities, in both directions; None if it is infinite."""
    outs = [out for out in {**one, **other} if one.get(out) or other.get(out)]
    if not all(one.get(out) and other.get(out) for out in outs):
        return None
    return max(max(one[out] / other[out], other[out] / one[out]) for out in outs)


def level(one: Law, other: Law, delta: Any) -> Any:
    """The least a with P(O | one) at most a·P(O | other) + delta for all events O: the outputs in
    order of their ratios, as far as each helps, in both directions."""
    found = 1
    for p, q in ((one, other), (other, one)):
        ranked = sorted(p, key=lambda out: p[out] / q[out], reverse=True)
        for size in range(1, len(ranked) + 1):
            event = ranked[:size]
            found = max(found, (sum(p[o] for o in event) - delta) / sum(q[o] for o in event))
    return found


def renyi(one: Law, other: Law, order: Any) -> Any:
    """The Rényi divergence of an order, 1 too, in the direction where it is larger."""

    def of(p: Law, q: Law) -> Any:
        if order == 1:
            return sum(p[o] * mp.log(p[o] / q[o]) for o in p)
        return mp.log(sum(p[o] ** order * q[o] ** (1 - order) for o in p)) / (order - 1)

    return max(of(one, other), of(other, one))


def is_told(leakage: str | list[str], found: Any) -> bool:
    """Is this what a file has as a smallest level? None: infinite; exact for a rational."""
    if leakage == "infinite" or isinstance(found, F):
        return (None if leakage == "infinite" else exact.number(str(leakage))) == found
    if isinstance(leakage, list):
        low, high = map(exact.number, leakage)
    else:
        low, high = bounds(exact.number(leakage), 30)
    assert high - low < NARROW * high
    with mp.workdps(60):
        return bool(
            low.numerator <= found * low.denominator and found * high.denominator <= high.numerator
        )

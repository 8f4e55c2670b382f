"""Multipliers that prove that no simulator serves a block below some level.

With S = alpha · Sim a simulator for the numbers P, K of a block is a matrix S >= 0 such that for
every situation g with total m_g, for some x, y >= 0,

    P_gt <= Σ_a K_ga S_at + x_gt,   Σ_a K_ga S_at <= alpha^2 P_gt + y_gt,
    Σ_t x_gt <= delta m_g,   Σ_t y_gt <= alpha delta m_g,   Σ_t S_at = alpha.

So for any multipliers u, w >= 0 every alpha with a simulator has h(alpha) <= 0, where

    h(alpha) = c0 + c1 alpha + c2 alpha^2,
    c0 = Σ u P − delta Σ_g m_g max_t u_gt,
    c1 = − Σ_a max_t Σ_g K_ga (u_gt − w_gt) − delta Σ_g m_g max_t w_gt,
    c2 = − Σ w P.

What a simulator can do, it can do at all higher levels: h(alpha) > 0 refutes everything below
alpha too. As c2 <= 0, the last level refuted by u and w is the largest root of h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from verifier.engines.simulation.blocks import Block

Multipliers = dict[tuple[int, int], tuple[Fraction, Fraction]]  # (situation, output) -> (u, w)


@dataclass(frozen=True)
class Quadratic:
    """h(alpha) = c0 + c1 alpha + c2 alpha^2 with c2 <= 0."""

    c0: Fraction
    c1: Fraction
    c2: Fraction

    def __call__(self, alpha: Fraction) -> Fraction:
        return self.c0 + alpha * (self.c1 + alpha * self.c2)

    def last_root(self, bits: int) -> tuple[Fraction, Fraction]:
        """The largest root, twice; where it is irrational, bounds that differ by 2^-bits.
        There is one: h is positive somewhere, and negative from some level on."""
        if self.c2 == 0:
            return (-self.c0 / self.c1,) * 2
        square = self.c1 * self.c1 - 4 * self.c0 * self.c2
        top, bottom = isqrt(square.numerator), isqrt(square.denominator)
        if top * top == square.numerator and bottom * bottom == square.denominator:
            return ((self.c1 + Fraction(top, bottom)) / (-2 * self.c2),) * 2
        below, above = Fraction(1), Fraction(2)
        while self(above) > 0 or self.c1 + 2 * self.c2 * above >= 0:
            below, above = above, 2 * above
        steps = int(below * 2**bits), int(above * 2**bits)
        return _bisected(self, *steps, bits)


def _bisected(h: Quadratic, low: int, high: int, bits: int) -> tuple[Fraction, Fraction]:
    """The grid points of width 2^-bits around the only sign change from above between two."""
    while high - low > 1:
        middle = (low + high) // 2
        at = Fraction(middle, 2**bits)
        if h(at) > 0 or h.c1 + 2 * h.c2 * at > 0:
            low = middle
        else:
            high = middle
    return Fraction(low, 2**bits), Fraction(high, 2**bits)


def quadratic(block: Block, multipliers: Multipliers, delta: Fraction) -> Quadratic:
    """The h of some multipliers."""
    c0, c2 = Fraction(0), Fraction(0)
    most: dict[int, tuple[Fraction, Fraction]] = {}
    for (g, t), (u, w) in multipliers.items():
        c0 += u * block.outputs[g][t]
        c2 -= w * block.outputs[g][t]
        before = most.get(g, (Fraction(0), Fraction(0)))
        most[g] = max(before[0], u), max(before[1], w)
    c1 = -sum((max(row) for row in gains(block, multipliers)), Fraction(0))
    for g, (u, w) in most.items():
        c0 -= delta * block.totals[g] * u
        c1 -= delta * block.totals[g] * w
    return Quadratic(c0, c1, c2)


def gains(block: Block, multipliers: Multipliers) -> list[list[Fraction]]:
    """Σ_g K_ga (u_gt − w_gt) for every input a and output t."""
    found = [[Fraction(0)] * block.output_count for _ in range(block.input_count)]
    for (g, t), (u, w) in multipliers.items():
        for a, weight in block.inputs[g]:
            found[a][t] += weight * (u - w)
    return found


def forbidden(block: Block) -> dict[tuple[int, int], int]:
    """Without delta: (input, output) -> the first situation where this input occurs and this output
    does not, so that no simulator gives it."""
    found: dict[tuple[int, int], int] = {}
    for g, (row, inputs) in enumerate(zip(block.outputs, block.inputs, strict=True)):
        for t in (t for t, p in enumerate(row) if not p):
            for a, _ in inputs:
                found.setdefault((a, t), g)
    return found


def lifted(
    block: Block, multipliers: Multipliers, never: dict[tuple[int, int], int]
) -> Multipliers:
    """The multipliers with larger w where P is 0, so that the outputs that must not be given gain
    nothing: they do not count in the maxima of c1."""
    table = gains(block, multipliers)
    raised = dict(multipliers)
    for a, row in enumerate(table):
        best = max(gain for t, gain in enumerate(row) if (a, t) not in never)
        for t, gain in enumerate(row):
            if (a, t) in never and gain > best:
                g = never[a, t]
                u, w = raised.get((g, t), (Fraction(0), Fraction(0)))
                weight = next(k for b, k in block.inputs[g] if b == a)
                needed = multipliers.get((g, t), (u, Fraction(0)))[1] + (gain - best) / weight
                raised[g, t] = u, max(w, needed)
    return raised


def hopeless(block: Block) -> Multipliers | None:
    """Without delta: multipliers with h > 0 at all levels; None where some level serves.

    Some level serves exactly if every input has an output that it may be given, and every output
    possible in a situation may be given to an input that occurs there.
    """
    never, one, none = forbidden(block), Fraction(1), Fraction(0)
    for a in range(block.input_count):
        if all((a, t) in never for t in range(block.output_count)):
            return {(never[a, t], t): (none, one) for t in range(block.output_count)}
    for g, t in _possible(block):
        inputs = block.inputs[g]
        if all((a, t) in never for a, _ in inputs):
            found: Multipliers = {(g, t): (one, none)}
            for a, weight in inputs:
                at = never[a, t]
                needed = Fraction(weight, next(k for b, k in block.inputs[at] if b == a))
                found[at, t] = none, max(needed, found.get((at, t), (none, none))[1])
            return found
    return None


def _possible(block: Block) -> Iterator[tuple[int, int]]:
    return ((g, t) for g, row in enumerate(block.outputs) for t, p in enumerate(row) if p)

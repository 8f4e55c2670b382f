"""The best simulator of one block at a level, and multipliers that prove that none is better.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definition 4.

With S = alpha · Sim, a simulator for the numbers P, K of a block is a matrix S >= 0 such that for
every situation g with total m_g, for some x, y >= 0,

    P_gt <= Σ_a K_ga S_at + x_gt,   Σ_a K_ga S_at <= alpha^2 P_gt + y_gt,                   (1)
    Σ_t x_gt <= delta m_g,   Σ_t y_gt <= alpha delta m_g,   Σ_t S_at = alpha.               (2)

So for any multipliers u, w >= 0 of (1) every alpha with a simulator has h(alpha) <= 0, where

    h(alpha) = c0 + c1 alpha + c2 alpha^2,                                                   (3)
    c0 = Σ u P − delta Σ_g m_g max_t u_gt,
    c1 = − Σ_a max_t Σ_g K_ga (u_gt − w_gt) − delta Σ_g m_g max_t w_gt,
    c2 = − Σ w P.

What a simulator can do, it can do at all higher levels: h(alpha) > 0 refutes everything below
alpha too. As c2 <= 0, the last level refuted by u and w is the largest root of h.

Example. A bit is told truthfully with probability 3/4, and a simulator sees nothing. There are two
situations, P = [[3, 1], [1, 3]], and one input, K = [[4], [4]]. By (1) 4 S_1 <= alpha^2 in the
first situation and 4 S_0 <= alpha^2 in the second one. The weight w = 1 for both adds them up, and
with S_0 + S_1 = alpha of (2) 4 alpha <= 2 alpha^2. So (3) is h = 4 alpha − 2 alpha^2, and no level
below its root 2 serves. A fair coin serves 2: 3/4 <= 2 · 1/2 and 1/2 <= 2 · 1/4.

Only the right sides of (1) and (2) depend on the level alpha = p/q and on delta, so one solver
stays hot. The program has all right sides times a common denominator, and one more variable s >= 0,
by which the demands may be missed; −s is maximised. Where no s is needed, there is a simulator;
otherwise the optimal multipliers have h(alpha) > 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.cell import NoFunction
from verifier.engines.simulation.blocks import Block, Merged, Multipliers, Responses, at_level


@dataclass(frozen=True)
class Quadratic:
    """h(alpha) = c0 + c1 alpha + c2 alpha^2 with c2 <= 0."""

    c0: Fraction
    c1: Fraction
    c2: Fraction

    def __call__(self, alpha: Fraction) -> Fraction:
        return self.c0 + alpha * (self.c1 + alpha * self.c2)

    def above(self, alpha: Fraction) -> Fraction:
        """A number above `alpha`, where h is positive, at which it is not negative: the step t is
        at most 1, so h falls by at most t (|h'(alpha)| − c2)."""
        value = self(alpha)
        return alpha + value / (value + abs(self.c1 + 2 * self.c2 * alpha) - self.c2)

    def last_root(self, bits: int) -> tuple[Fraction, Fraction]:
        """The largest root, twice; where it is no such number, bounds that differ by 2^-bits.
        There is one: h is positive somewhere, and negative from some level on."""
        if self.c2 == 0:
            return (-self.c0 / self.c1,) * 2
        root = exact.root(self.c1 * self.c1 - 4 * self.c0 * self.c2)
        if root is not None:
            return ((self.c1 + root) / (-2 * self.c2),) * 2
        if any(map(exact.is_symbolic, (self.c0, self.c1, self.c2))):
            raise NoFunction
        # to the right of the root h falls: there its derivative is negative too
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
    """The h of (3) for multipliers of a block and delta."""
    # c0, c1 and c2 of (3)
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
    """Σ_g K_ga (u_gt − w_gt) of multipliers for every input a and output t of a block."""
    found = [[Fraction(0)] * block.output_count for _ in range(block.input_count)]
    for (g, t), (u, w) in multipliers.items():
        for a, weight in block.inputs[g]:
            found[a][t] += weight * (u - w)
    return found


def forbidden(block: Block) -> dict[tuple[int, int], int]:
    """For a block without delta: (input, output) -> the first situation where this input occurs and
    this output does not, so that no simulator gives it."""
    found: dict[tuple[int, int], int] = {}
    for g, (row, inputs) in enumerate(zip(block.outputs, block.inputs, strict=True)):
        for t in (t for t, p in enumerate(row) if not p):
            for a, _ in inputs:
                found.setdefault((a, t), g)
    return found


def lifted(
    block: Block, multipliers: Multipliers, never: dict[tuple[int, int], int]
) -> Multipliers:
    """The multipliers of a block with larger w where P is 0, so that outputs that must `never` be
    given gain nothing: they do not count in the maxima of c1."""
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
    """For a block without delta: multipliers with h > 0 at all levels; None where some level
    serves.

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
                needed = exact.over(weight, next(k for b, k in block.inputs[at] if b == a))
                found[at, t] = none, max(needed, found.get((at, t), (none, none))[1])
            return found
    return None


def _possible(block: Block) -> Iterator[tuple[int, int]]:
    return ((g, t) for g, row in enumerate(block.outputs) for t, p in enumerate(row) if p)


ZERO = Fraction(0)
ALPHA, SQUARE, ONE = 1, 2, 0  # powers of alpha in a right side


@dataclass(frozen=True)
class Demand:
    """A row  Σ terms  (sense)  right · alpha^power, where `right` is multiplied by delta too if it
    `is_allowance`."""

    terms: dict[int, Any]
    sense: int
    right: Any
    power: int
    is_allowance: bool = False
    about: tuple[int, int] | None = None  # situation and output
    is_lower: bool = False


class Simulators:
    """The simulators of a block at all levels, for one delta.

    With `scaled` the allowance for missing the second demands grows with alpha as delta does;
    then s is the smallest delta itself, and the program is for one level only.
    """

    def __init__(self, block: Block, delta: Fraction, scaled: Fraction | None = None) -> None:
        self.block, self.delta = block, delta
        self.pure = delta == 0 and scaled is None
        self.never = forbidden(block) if self.pure else {}
        self.columns = {
            (a, t): at
            for at, (a, t) in enumerate(
                (a, t)
                for a in range(block.input_count)
                for t in range(block.output_count)
                if (a, t) not in self.never
            )
        }
        self.missed = len(self.columns)
        self.size = self.missed + 1
        self.demands = [*self._demands(), *self._answers(), *self._allowances(scaled)]

    def _demands(self) -> Sequence[Demand]:
        """P <= K S + x and K S <= alpha^2 P + y."""
        found = []
        self.slacks: list[tuple[dict[int, int], dict[int, int]]] = []
        for g, (row, inputs) in enumerate(zip(self.block.outputs, self.block.inputs, strict=True)):
            slack: tuple[dict[int, int], dict[int, int]] = ({}, {})
            for t, p in enumerate(row):
                given = {self.columns[a, t]: k for a, k in inputs if (a, t) in self.columns}
                for lower, power in ((True, ONE), (False, SQUARE)):
                    if (lower and not p) or not given:
                        continue
                    terms = {at: -k for at, k in given.items()} if lower else dict(given)
                    if self.pure:
                        terms[self.missed] = -p
                    else:
                        terms[self.size] = -1
                        slack[not lower][self.size] = 1
                        self.size += 1
                    right = -p if lower else p
                    found.append(Demand(terms, -1, right, power, about=(g, t), is_lower=lower))
            self.slacks.append(slack)
        return found

    def _answers(self) -> Sequence[Demand]:
        """Σ_t S_at = alpha."""
        rows: list[dict[int, int]] = [{} for _ in range(self.block.input_count)]
        for (a, _), at in self.columns.items():
            rows[a][at] = 1
        return [Demand(row, 0, 1, ALPHA) for row in rows]

    def _allowances(self, scaled: Fraction | None) -> Sequence[Demand]:
        """Σ_t x_gt <= delta m_g and Σ_t y_gt <= alpha delta m_g."""
        found = []
        p, q = exact.ratio(scaled or Fraction(1))
        for slack, total in zip(self.slacks, self.block.totals, strict=True):
            for terms, power, factor in ((slack[0], ONE, q), (slack[1], ALPHA, p)):
                if terms:
                    within = dict.fromkeys(terms, q) | {self.missed: -factor * total}
                    found.append(Demand(within, -1, q * total, power, is_allowance=True))
        return found

    @cached_property
    def solver(self) -> Any:
        """The program in integers, without right sides; it stays hot."""
        from verifier.lp import Program, Solver
        from verifier.lp.model.integers import IntegerMatrix

        starts, places, values = [0], [], []
        for demand in self.demands:
            for at in sorted(demand.terms):
                places.append(at)
                values.append(demand.terms[at])
            starts.append(len(places))
        shape = (len(self.demands), self.size)
        objective = [0] * self.size
        objective[self.missed] = -1
        senses = np.array([demand.sense for demand in self.demands], dtype=np.int8)
        matrix = IntegerMatrix(shape, starts, places, values)
        return Solver(Program(matrix, senses, self._right(Fraction(1)), objective))

    def _right(self, alpha: Fraction) -> list[int]:
        (p, q), (d, e) = exact.ratio(alpha), exact.ratio(self.delta)
        # (1) and (2) times q² and the denominator of delta
        factor = {ONE: q * q, ALPHA: p * q, SQUARE: p * p}
        return [
            row.right * factor[row.power] * (d if row.is_allowance else e) for row in self.demands
        ]

    def best(self, alpha: Fraction) -> Best:
        """The simulator that misses the demands least at the level alpha."""
        right = self._right(alpha)
        if not self.is_rational or not set(map(type, right)) <= {int}:
            return Best(self, alpha, self._solved(right))
        return Best(self, alpha, self.solver.maximise(right=right))

    @cached_property
    def is_rational(self) -> bool:
        """Whether the numbers of the block, as they stand in the program, are integers."""
        numbers = (value for row in self.demands for value in (row.right, *row.terms.values()))
        return set(map(type, numbers)) <= {int}

    def _solved(self, right: Sequence[Any]) -> Any:
        """The outcome of the program with these right sides, whatever its numbers are."""
        from verifier.lp import Row, solve_rows
        from verifier.lp.model.program import SENSES

        rows = [
            Row("", row.terms, SENSES[row.sense], end)
            for row, end in zip(self.demands, right, strict=True)
        ]
        return solve_rows(self.size, rows, {self.missed: Fraction(-1)})


@dataclass(frozen=True, eq=False)
class Best:
    """The optimum of the program of a level."""

    of: Simulators
    alpha: Fraction
    found: Any

    @property
    def scale(self) -> int:
        """The denominator of the right sides."""
        return exact.ratio(self.alpha)[1] ** 2 * exact.ratio(self.of.delta)[1]

    @property
    def missed(self) -> Fraction:
        """By how much the demands are missed, 0 where the simulator serves."""
        found: Fraction = -self.found.value / self.scale
        return found

    def simulator(self) -> Responses:
        """The distribution of the answers to each input."""
        rows: Responses = [{} for _ in range(self.of.block.input_count)]
        point, unit = self.found.point, self.alpha * self.scale
        for (a, t), at in self.of.columns.items():
            if value := point.numerators.get(at):
                rows[a][t] = exact.over(value, point.denominator) / unit
        return rows

    def multipliers(self) -> Multipliers:
        """What proves that no simulator misses the demands by less."""
        found: Multipliers = {}
        proof = self.found.multipliers
        for at, numerator in proof.numerators.items():
            demand = self.of.demands[at]
            if demand.about is not None:
                u, w = found.get(demand.about, (Fraction(0), Fraction(0)))
                value = exact.over(numerator, proof.denominator)
                found[demand.about] = (value, w) if demand.is_lower else (u, value)
        return lifted(self.of.block, found, self.of.never) if self.of.never else found


@dataclass(frozen=True, eq=False)
class Found:
    """What is best for a block at a level.

    missed       by how much the demands are missed, or the smallest delta
    simulator    that misses them by no more
    multipliers  that prove that none misses them by less
    """

    missed: Fraction
    simulator: Responses
    multipliers: Multipliers


def solver(block: Block, delta: Fraction) -> Callable[[Fraction], Found]:
    """What is best for a block and delta at a level, for any level."""
    if block.input_count > 1:
        programs = Simulators(block, delta)
        return lambda alpha: _found(programs.best(alpha))

    def best(alpha: Fraction) -> Found:
        merged = at_level(block, alpha)
        return _of_sums(merged, Simulators(merged.block, delta).best(alpha))

    return best


def smallest_delta(block: Block, alpha: Fraction) -> Found:
    """The smallest delta at which some simulator serves a block at the level alpha."""
    if block.input_count > 1:
        return _found(Simulators(block, ZERO, scaled=alpha).best(alpha))
    merged = at_level(block, alpha)
    return _of_sums(merged, Simulators(merged.block, ZERO, scaled=alpha).best(alpha))


def _found(best: Best) -> Found:
    return Found(best.missed, best.simulator(), best.multipliers())


def _of_sums(merged: Merged, best: Best) -> Found:
    """What is best for the outputs, from what is best for their sums at a level."""
    simulator = merged.simulator(best.simulator(), best.alpha)
    return Found(best.missed, simulator, merged.multipliers(best.multipliers()))

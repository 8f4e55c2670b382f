"""The linear programs of one block: the best simulator at a level, and its dual.

Only the right side depends on the level alpha = p/q and on delta, so one solver stays hot. The
program is that of `refutation` with all right sides times a common denominator, and with one more
variable s >= 0, by which the demands may be missed; -s is maximised. Where no s is needed, there is
a simulator; otherwise the optimal multipliers have h(alpha) > 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.engines.simulation.blocks import Block
from verifier.engines.simulation.refutation import Multipliers, forbidden, lifted

Simulator = list[dict[int, Fraction]]  # for each input, output -> probability
ALPHA, SQUARE, ONE = 1, 2, 0  # powers of alpha in a right side


@dataclass(frozen=True)
class Demand:
    """A row  Σ terms  (sense)  right · alpha^power, where `right` is multiplied by delta too if it
    `is_allowance`."""

    terms: dict[int, int]
    sense: int
    right: int
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
        self.solver = self._solver()

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
        p, q = (scaled or Fraction(1)).as_integer_ratio()
        for slack, total in zip(self.slacks, self.block.totals, strict=True):
            for terms, power, factor in ((slack[0], ONE, q), (slack[1], ALPHA, p)):
                if terms:
                    within = dict.fromkeys(terms, q) | {self.missed: -factor * total}
                    found.append(Demand(within, -1, q * total, power, is_allowance=True))
        return found

    def _solver(self) -> Any:
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
        (p, q), (d, e) = alpha.as_integer_ratio(), self.delta.as_integer_ratio()
        factor = {ONE: q * q, ALPHA: p * q, SQUARE: p * p}
        return [
            row.right * factor[row.power] * (d if row.is_allowance else e) for row in self.demands
        ]

    def best(self, alpha: Fraction) -> Best:
        """The simulator that misses the demands least at a level."""
        return Best(self, alpha, self.solver.maximise(right=self._right(alpha)))


@dataclass(frozen=True, eq=False)
class Best:
    """The optimum of the program of a level."""

    of: Simulators
    alpha: Fraction
    found: Any

    @property
    def scale(self) -> int:
        """The denominator of the right sides."""
        return self.alpha.denominator**2 * self.of.delta.denominator

    @property
    def missed(self) -> Fraction:
        """By how much the demands are missed, 0 where the simulator serves."""
        return Fraction(-self.found.value / self.scale)

    def simulator(self) -> Simulator:
        """The distribution of the answers to each input."""
        rows: Simulator = [{} for _ in range(self.of.block.input_count)]
        for (a, t), at in self.of.columns.items():
            if self.found.point.numerators.get(at):
                rows[a][t] = self.found.point.fraction(at) / (self.alpha * self.scale)
        return rows

    def multipliers(self) -> Multipliers:
        """What proves that no simulator misses the demands by less."""
        found: Multipliers = {}
        for at in self.found.multipliers.numerators:
            demand = self.of.demands[at]
            if demand.about is not None:
                u, w = found.get(demand.about, (Fraction(0), Fraction(0)))
                value = self.found.multipliers.fraction(at)
                found[demand.about] = (value, w) if demand.is_lower else (u, value)
        return lifted(self.of.block, found, self.of.never) if self.of.never else found

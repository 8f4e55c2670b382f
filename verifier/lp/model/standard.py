"""The same program with all bounds x >= 0: x_j = offset_j + Σ ±x'_k / scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.outcome import Infeasible, Optimal, Outcome, Unbounded, Vector
from verifier.lp.model.program import Program

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Standard:
    """maximise objective · x  subject to  matrix · x (sense) right,  x >= 0, all integers."""

    matrix: IntegerMatrix
    senses: npt.NDArray[np.int8]
    right: Sequence[int]
    objective: Sequence[int]


@dataclass(frozen=True, eq=False)
class Translation:
    """Between a program and its standard form.

    A column with a lower bound l is x = l + x'/scale, with an upper bound u alone x = u − x'/scale;
    a free column is the difference of two. Two bounds give a further row x' <= scale · (u − l).
    """

    program: Program

    @cached_property
    def plain(self) -> bool:
        """Whether nothing is to be translated."""
        return self.program.lower is None and self.program.upper is None

    @cached_property
    def bounds(self) -> list[tuple[Fraction | None, Fraction | None]]:
        return [self.program.bounds(column) for column in range(self.program.matrix.shape[1])]

    @cached_property
    def scale(self) -> int:
        """The common denominator of all bounds."""
        return lcm(*(end.denominator for pair in self.bounds for end in pair if end is not None))

    @cached_property
    def offsets(self) -> list[int]:
        """scale · offset of each column."""
        ends = (high if low is None else low for low, high in self.bounds)
        return [0 if end is None else int(end * self.scale) for end in ends]

    @cached_property
    def parts(self) -> tuple[Ints, Ints]:
        """Column and sign of each x'_k: all columns first, then the second halves of free ones."""
        n = len(self.bounds)
        signs = [-1 if low is None and high is not None else 1 for low, high in self.bounds]
        free = [at for at, pair in enumerate(self.bounds) if pair == (None, None)]
        return np.array([*range(n), *free], dtype=np.int64), np.array([*signs, *(-1 for _ in free)])

    @cached_property
    def boxes(self) -> list[tuple[int, int]]:
        """(column, scale · (upper − lower)) of the columns with both bounds."""
        return [
            (at, int((high - low) * self.scale))
            for at, (low, high) in enumerate(self.bounds)
            if low is not None and high is not None
        ]

    @cached_property
    def matrix(self) -> IntegerMatrix:
        """The rows of the program for the x'_k, then those of the boxes."""
        source = self.program.matrix
        if self.plain:
            return source
        of, signs = self.parts
        m, n = source.shape
        by_column = source.transposed
        taken = by_column.take(of[:n], np.arange(m)), by_column.take(of[n:], np.arange(m))
        values = np.concatenate([part.values for part in taken])
        sizes = np.concatenate([np.diff(part.indptr) for part in taken])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.concatenate([part.indices for part in taken])
        signed = values * np.repeat(signs, sizes).astype(values.dtype)
        rows = IntegerMatrix((len(of), m), starts, places, signed).transposed
        return IntegerMatrix(
            (m + len(self.boxes), len(of)),
            np.concatenate([rows.indptr, rows.nnz + 1 + np.arange(len(self.boxes))]),
            np.concatenate([rows.indices, np.array([at for at, _ in self.boxes], dtype=np.int64)]),
            np.concatenate([rows.values, np.ones(len(self.boxes), dtype=rows.values.dtype)]),
        )

    def form(self, objective: Sequence[int], right: Sequence[int]) -> Standard:
        """The standard form of the program with this objective and right side."""
        if self.plain:
            return Standard(self.matrix, self.program.senses, right, objective)
        shifts = self.program.matrix.times(self.offsets)
        shifted = [self.scale * b - shift for b, shift in zip(right, shifts, strict=True)]
        of, signs = self.parts
        costs = [objective[at] * sign for at, sign in zip(of.tolist(), signs.tolist(), strict=True)]
        senses = np.concatenate([self.program.senses, np.full(len(self.boxes), -1, dtype=np.int8)])
        return Standard(self.matrix, senses, [*shifted, *(b for _, b in self.boxes)], costs)

    def back(self, outcome: Outcome, objective: Sequence[int]) -> Outcome:
        """The outcome of the standard form, said of the program."""
        if isinstance(outcome, Infeasible):
            return Infeasible(self.multipliers(outcome.multipliers, 1))
        point = self.point(outcome.point)
        if isinstance(outcome, Unbounded):
            return Unbounded(point, self._column_vector(outcome.ray, False))
        scale = self.program.objective_scale
        total = sum(objective[at] * value for at, value in point.numerators.items())
        value = Fraction(total, point.denominator * scale)
        return Optimal(point, value, self.multipliers(outcome.multipliers, scale), outcome.basis)

    def point(self, vector: Vector) -> Vector:
        """The point of the program at a point x'."""
        return self._column_vector(vector, True)

    def multipliers(self, vector: Vector, scale: int) -> Vector:
        """Multipliers of the rows of the program alone, divided by a scale."""
        m = self.program.matrix.shape[0]
        kept = {at: value for at, value in vector.numerators.items() if at < m}
        return Vector(kept, vector.denominator * scale)

    def _column_vector(self, vector: Vector, offset: bool) -> Vector:
        if self.plain:
            return vector
        of, signs = self.parts
        found = dict.fromkeys(range(len(self.bounds)), 0)
        if offset:
            found = {at: shift * vector.denominator for at, shift in enumerate(self.offsets)}
        for part, value in vector.numerators.items():
            found[int(of[part])] += int(signs[part]) * value
        nonzero = {at: value for at, value in found.items() if value}
        return Vector(nonzero, vector.denominator * self.scale)

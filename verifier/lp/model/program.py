"""Linear programs with exact data, their outcomes, and their standard form.

A program maximises c·x over the x with A x (<=, =, >=) b and bounds. Each outcome carries its own
proof. For multipliers y, one per row, the reduced costs are d = c − y·A. Where y_i >= 0 for the
rows with <= and y_i <= 0 for those with >=, every feasible x has

    c·x  =  y·(A x) + d·x  <=  y·b + Σ_{d_j > 0} d_j upper_j + Σ_{d_j < 0} d_j lower_j  =  bound(y),

and bound(y) is finite where every d_j > 0 has an upper and every d_j < 0 a lower bound. So the
multipliers of bounds need not be written down. By hand: maximise x + y subject to 2 x + y <= 4,
x, y >= 0. With y_1 = 1 the reduced costs are (−1, 0), so nothing exceeds 4, which (0, 4) reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from verifier.base.exact import number, over
from verifier.lp.model.integers import IntegerMatrix, Ints

Number = str | int | Fraction
Bounds = Sequence[Fraction | None] | None
SIGNS = {"<=": -1, "=": 0, ">=": 1}
SENSES = {sign: sense for sense, sign in SIGNS.items()}


@dataclass(frozen=True)
class Vector:
    """A sparse exact vector: numerators by index, and one positive denominator.

    Numerators of programs with powers of e are numbers of that kind, and the denominator is 1.
    """

    numerators: dict[int, Any]
    denominator: int = 1

    def fraction(self, index: int) -> Fraction:
        """The entry at an `index`."""
        return over(self.numerators.get(index, 0), self.denominator)

    def dense(self, size: int) -> list[Fraction]:
        """All entries of the vector, which has length `size`."""
        return [self.fraction(index) for index in range(size)]


@dataclass(frozen=True, eq=False)
class Basis:
    """The columns that may be off their bound and, as many, the rows that hold with equality.

    Both are sorted indices of the program with bounds x >= 0 (`standard`), which is the program
    itself unless it says otherwise.
    """

    columns: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Optimal:
    """`point` is feasible and has this value, and bound(multipliers) with c = the objective is the
    same value. A program that only asks for a feasible point has value 0."""

    point: Vector
    value: Fraction
    multipliers: Vector
    basis: Basis


@dataclass(frozen=True)
class Infeasible:
    """No point is feasible: bound(multipliers) with c = 0 is negative, or a column has a lower
    bound above its upper one."""

    multipliers: Vector


@dataclass(frozen=True)
class Unbounded:
    """`point` is feasible, and so is point + t · ray for every t >= 0: A·ray has the sense of the
    rows against 0, and ray_j >= 0 (<= 0) where there is a lower (upper) bound. Its value grows:
    objective·ray > 0."""

    point: Vector
    ray: Vector


Outcome = Optimal | Infeasible | Unbounded


@dataclass(frozen=True)
class Row:
    """Σ terms[column] · column  sense  right, where `terms` maps names or indices to numbers."""

    name: str
    terms: Mapping[Any, Number]
    sense: str
    right: Number


@dataclass(frozen=True, eq=False)
class Program:
    """maximise (objective / objective_scale) · x  subject to  matrix · x (sense) right, and bounds.

    matrix           (m, n) integers; a row is scaled together with its right side
    senses           m signs: -1 for <=, 0 for =, 1 for >=
    right            m integers
    objective        n integers; all 0 asks for any feasible point
    lower, upper     n bounds each, None where there is none; left out, x_j >= 0 for all j
    row_names, column_names   left out, r1, r2, … and x1, x2, …

    Raises ValueError where the sizes do not fit together.

    >>> print(Program.build(["x", "y"], [Row("r", {"x": "1/2", "y": 1}, "<=", 3)], {"y": 2}).text())
    maximise
      2 y
    subject to
      r: x + 2 y <= 6
    bounds
      x, y >= 0
    """

    matrix: IntegerMatrix
    senses: npt.NDArray[np.int8]
    right: Sequence[int]
    objective: Sequence[int]
    objective_scale: int = 1
    lower: Bounds = None
    upper: Bounds = None
    row_names: Sequence[str] | None = None
    column_names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        m, n = self.matrix.shape
        for_rows, for_columns = (self.senses, self.right), (self.objective,)
        optional = ((self.lower, n), (self.upper, n), (self.row_names, m), (self.column_names, n))
        fits = all(len(part) == m for part in for_rows)
        fits &= all(len(part) == n for part in for_columns)
        fits &= all(part is None or len(part) == size for part, size in optional)
        if not fits:
            raise ValueError(f"parts of a program with {m} rows and {n} columns differ in size")
        if self.objective_scale <= 0:
            raise ValueError("the scale of the objective must be positive")

    @staticmethod
    def build(
        columns: Sequence[str],
        rows: Iterable[Row],
        objective: Mapping[Any, Number] | None = None,
        lower: Mapping[Any, Number | None] | None = None,
        upper: Mapping[Any, Number | None] | None = None,
    ) -> Program:
        """The program of these `rows` over these `columns`, which are meant by name or index.

        objective     column -> gain; None asks for any feasible point
        lower, upper  column -> bound; 0 and None where nothing is said

        Raises InputError for floats and what else is no number, LookupError for unknown columns.
        """
        place = {name: at for at, name in enumerate(columns)}
        if len(place) != len(columns):
            raise ValueError("two columns have the same name")
        names, senses, right, starts = [], [], [], [0]
        indices: list[int] = []
        entries: list[int] = []
        for row in rows:
            left, end = _terms(row.terms, place), number(row.right)
            scale = lcm(end.denominator, *(value.denominator for _, value in left))
            indices += [at for at, _ in left]
            entries += [int(value * scale) for _, value in left]
            starts.append(len(indices))
            names.append(row.name)
            senses.append(SIGNS[row.sense])
            right.append(int(end * scale))
        gains = dict(_terms(objective or {}, place))
        scale = lcm(*(gain.denominator for gain in gains.values()))
        return Program(
            IntegerMatrix((len(names), len(columns)), starts, indices, entries),
            np.array(senses, dtype=np.int8),
            right,
            [int(gains.get(at, 0) * scale) for at in range(len(columns))],
            scale,
            _bounds(lower, place, Fraction(0)),
            _bounds(upper, place, None),
            names,
            list(columns),
        )

    def with_(
        self, *, objective: Sequence[int] | None = None, right: Sequence[int] | None = None
    ) -> Program:
        """The same rows with another objective (its scale stays) or other right sides."""
        return replace(
            self,
            objective=self.objective if objective is None else objective,
            right=self.right if right is None else right,
        )

    def bounds(self, column: int) -> tuple[Fraction | None, Fraction | None]:
        """The lower and upper bound of a column."""
        low = Fraction(0) if self.lower is None else self.lower[column]
        return low, None if self.upper is None else self.upper[column]

    def text(self) -> str:
        """The whole program, exactly, one row a line."""
        n = self.matrix.shape[1]
        names = self.column_names or [f"x{at + 1}" for at in range(n)]
        labels = self.row_names or [f"r{at + 1}" for at in range(self.matrix.shape[0])]
        costs = [(Fraction(c, self.objective_scale), at) for at, c in enumerate(self.objective)]
        lines = ["maximise", f"  {_sum(costs, names)}", "subject to"]
        starts, places = self.matrix.indptr.tolist(), self.matrix.indices.tolist()
        entries = self.matrix.values.tolist()
        for at, label in enumerate(labels):
            span = slice(starts[at], starts[at + 1])
            left = _sum(zip(entries[span], places[span], strict=True), names)
            lines.append(f"  {label}: {left} {SENSES[int(self.senses[at])]} {self.right[at]}")
        lines.append("bounds")
        bounded = [(*self.bounds(at), name) for at, name in enumerate(names)]
        plain = [name for low, high, name in bounded if low == 0 and high is None]
        lines += [f"  {_range(*bound)}" for bound in bounded if bound[-1] not in plain]
        lines += [f"  {', '.join(plain)} >= 0"] if plain else []
        return "\n".join(lines)


def _terms(given: Mapping[Any, Number], place: Mapping[str, int]) -> list[tuple[int, Fraction]]:
    """The numbers given by name or index, but 0, in the order of the columns."""
    found = {place[c] if isinstance(c, str) else c: number(v) for c, v in given.items()}
    return sorted((at, value) for at, value in found.items() if value)


def _bounds(
    given: Mapping[Any, Number | None] | None, place: Mapping[str, int], default: Fraction | None
) -> Bounds:
    """The bounds given by name or index, else the default; None where none is given."""
    if given is None:
        return None
    found = [default] * len(place)
    for column, value in given.items():
        at = place[column] if isinstance(column, str) else column
        found[at] = None if value is None else number(value)
    return found


def _sum(terms: Iterable[tuple[Fraction | int, int]], names: Sequence[str]) -> str:
    """Terms as `2 x - 1/3 y`."""
    text = ""
    for value, at in terms:
        if value:
            sign = ("- " if value < 0 else "") if not text else (" - " if value < 0 else " + ")
            text += sign + (f"{abs(value)} " if abs(value) != 1 else "") + names[at]
    return text or "0"


def _range(low: Fraction | None, high: Fraction | None, name: str) -> str:
    if low is None and high is None:
        return f"{name} free"
    return ("" if low is None else f"{low} <= ") + name + ("" if high is None else f" <= {high}")


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
        """The least and the largest value of each column; None where there is none."""
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
        """The `outcome` of the standard form with this `objective`, said of the program."""
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
        """The point of the program at a point x', `vector`."""
        return self._column_vector(vector, True)

    def multipliers(self, vector: Vector, scale: int) -> Vector:
        """The multipliers `vector` of the rows of the program alone, divided by a `scale`."""
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

"""Linear programs with exact data, and named rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from verifier.base.exact import number
from verifier.lp.model.integers import IntegerMatrix

Number = str | int | Fraction
Bounds = Sequence[Fraction | None] | None
SIGNS = {"<=": -1, "=": 0, ">=": 1}
SENSES = {sign: sense for sense, sign in SIGNS.items()}


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
        """The program of these rows; columns are meant by name or index. `lower` is 0 and `upper`
        None where nothing is said.

        Raises InputError for floats and what else is no number, LookupError for unknown columns.
        """
        place = {name: at for at, name in enumerate(columns)}
        if len(place) != len(columns):
            raise ValueError("two columns have the same name")

        def terms(given: Mapping[Any, Number]) -> list[tuple[int, Fraction]]:
            found = {place[c] if isinstance(c, str) else c: number(v) for c, v in given.items()}
            return sorted((at, value) for at, value in found.items() if value)

        def bounds(given: Mapping[Any, Number | None] | None, default: Fraction | None) -> Bounds:
            if given is None:
                return None
            found = [default] * len(columns)
            for column, value in given.items():
                at = place[column] if isinstance(column, str) else column
                found[at] = None if value is None else number(value)
            return found

        names, senses, right, starts = [], [], [], [0]
        indices: list[int] = []
        entries: list[int] = []
        for row in rows:
            left, end = terms(row.terms), number(row.right)
            scale = lcm(end.denominator, *(value.denominator for _, value in left))
            indices += [at for at, _ in left]
            entries += [int(value * scale) for _, value in left]
            starts.append(len(indices))
            names.append(row.name)
            senses.append(SIGNS[row.sense])
            right.append(int(end * scale))
        gains = dict(terms(objective or {}))
        scale = lcm(*(gain.denominator for gain in gains.values()))
        return Program(
            IntegerMatrix((len(names), len(columns)), starts, indices, entries),
            np.array(senses, dtype=np.int8),
            right,
            [int(gains.get(at, 0) * scale) for at in range(len(columns))],
            scale,
            bounds(lower, Fraction(0)),
            bounds(upper, None),
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

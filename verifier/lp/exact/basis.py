"""The exact point and multipliers of a basis, and exact checks of them.

A basis has as many columns C as rows R, and a regular kernel A[R, C]. Its point is x_C =
A[R, C]⁻¹ b_R, its multipliers are y_R = A[R, C]⁻ᵀ c_C; all else is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from verifier.lp.exact.square import Square
from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.outcome import Basis, Optimal, Vector
from verifier.lp.model.standard import Standard

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Primal:
    """Numerators of the basic columns and, for every row, of right − A x; one denominator > 0."""

    values: list[int]
    slacks: list[int]
    denominator: int

    def feasible(self, form: Standard) -> bool:
        """Whether the point satisfies every row and x >= 0."""
        fits = all(
            not slack or (sense and (slack < 0) == (sense > 0))
            for slack, sense in zip(self.slacks, form.senses.tolist(), strict=True)
        )
        return fits and min(self.values, default=0) >= 0


@dataclass(frozen=True, eq=False)
class Dual:
    """Numerators of the multipliers of the basic rows and, for every column, of objective − y A;
    one denominator > 0."""

    values: list[int]
    reduced: list[int]
    denominator: int

    def feasible(self, form: Standard, basis: Basis) -> bool:
        """Whether the multipliers prove that no point is better than that of the basis."""
        senses = form.senses[basis.rows].tolist()
        signs = all(value * sense <= 0 for value, sense in zip(self.values, senses, strict=True))
        return signs and max(self.reduced, default=0) <= 0


class Corner:
    """A basis of a program in standard form, with its exact point and multipliers.

    Both raise SingularMatrix where there are none.
    """

    def __init__(self, form: Standard, basis: Basis) -> None:
        self.form, self.basis = form, basis
        self.kernel = Square(form.matrix.take(basis.rows, basis.columns))

    @cached_property
    def primal(self) -> Primal:
        """The exact point."""
        right = [self.form.right[row] for row in self.basis.rows.tolist()]
        values, denominator = self.kernel.solve(right) if any(right) else ([0] * len(right), 1)
        taken = self.used.times(values)
        slacks = [denominator * b - a for b, a in zip(self.form.right, taken, strict=True)]
        return Primal(values, slacks, denominator)

    @cached_property
    def dual(self) -> Dual:
        """The exact multipliers."""
        costs = [self.form.objective[column] for column in self.basis.columns.tolist()]
        found = self.kernel.solve_transposed(costs) if any(costs) else ([0] * len(costs), 1)
        values, denominator = found
        taken = products(self.form, self.basis.rows, values)
        reduced = [denominator * c - a for c, a in zip(self.form.objective, taken, strict=True)]
        return Dual(values, reduced, denominator)

    @cached_property
    def used(self) -> IntegerMatrix:
        """The basic columns, in all rows."""
        rows = np.arange(self.form.matrix.shape[0])
        return self.form.matrix.transposed.take(self.basis.columns, rows).transposed

    @property
    def optimum(self) -> Optimal | None:
        """The outcome where point and multipliers prove each other optimal."""
        if not (self.primal.feasible(self.form) and self.dual.feasible(self.form, self.basis)):
            return None
        point = vector(self.basis.columns, self.primal.values, self.primal.denominator)
        multipliers = vector(self.basis.rows, self.dual.values, self.dual.denominator)
        total = sum(self.form.objective[at] * value for at, value in point.numerators.items())
        return Optimal(point, Fraction(total, point.denominator), multipliers, self.basis)


def products(form: Standard, rows: Ints, values: Sequence[int]) -> list[int]:
    """y·A for every column, where y has these values in these rows and is 0 elsewhere."""
    weights = [0] * form.matrix.shape[0]
    for row, value in zip(rows.tolist(), values, strict=True):
        weights[row] = value
    return form.matrix.transposed.times(weights)


def is_farkas(form: Standard, multipliers: Vector) -> bool:
    """Whether y·A >= 0 and y·b < 0, with y >= 0 for rows <= and y <= 0 for rows >=."""
    rows, values = list(multipliers.numerators), list(multipliers.numerators.values())
    senses = form.senses[np.array(rows, dtype=np.int64)].tolist()
    if any(value * sense > 0 for value, sense in zip(values, senses, strict=True)):
        return False
    if sum(value * form.right[row] for row, value in zip(rows, values, strict=True)) >= 0:
        return False
    return min(products(form, np.array(rows, dtype=np.int64), values), default=0) >= 0


def vector(places: Iterable[int] | Ints, values: Iterable[int], denominator: int = 1) -> Vector:
    """The sparse vector with these values in these places."""
    found = zip(np.asarray(places, dtype=np.int64).tolist(), values, strict=True)
    return Vector({at: value for at, value in found if value}, denominator)

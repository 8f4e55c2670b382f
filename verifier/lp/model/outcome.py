"""What a linear program can turn out to be; each outcome carries its own proof.

For multipliers y, one per row, and costs c the reduced costs are d = c − y·A. Where y_i >= 0 for
the rows with <= and y_i <= 0 for those with >=, every feasible x has

    c·x  =  y·(A x) + d·x  <=  y·b + Σ_{d_j > 0} d_j upper_j + Σ_{d_j < 0} d_j lower_j  =  bound(y),

and bound(y) is finite where every d_j > 0 has an upper and every d_j < 0 a lower bound. So the
multipliers of bounds need not be written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Vector:
    """A sparse exact vector: numerators by index, and one positive denominator."""

    numerators: dict[int, int]
    denominator: int = 1

    def fraction(self, index: int) -> Fraction:
        """One entry."""
        return Fraction(self.numerators.get(index, 0), self.denominator)

    def dense(self, size: int) -> list[Fraction]:
        """All entries."""
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

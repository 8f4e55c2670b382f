"""Systems A x = b, x ≥ 0 whose equations leave no choice: one exact solve decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from verifier.lp.exact.square import Square
from verifier.lp.model.integers import Floats, IntegerMatrix, Ints
from verifier.lp.model.outcome import Vector


@dataclass(frozen=True)
class Solution:
    """x ≥ 0 with A x = b."""

    point: Vector


@dataclass(frozen=True)
class Refutation:
    """y with y·A ≥ 0 in every column and y·b < 0: no x ≥ 0 has A x = b (Farkas)."""

    multipliers: Vector


def unique(matrix: IntegerMatrix, right: Sequence[int], rows: Ints) -> Solution | Refutation:
    """The only candidate x for A x = b with A of full column rank: its equations and signs decide.

    rows    as many as A has columns, where A is regular: they determine x

    A violated equation t gives y = e_t − u on `rows`, where u combines the rows to row t: y·A = 0.
    A negative x_j gives y with y·A = e_j, so y·b = x_j. Raises SingularMatrix.

    >>> a = IntegerMatrix((2, 1), [0, 1, 2], [0, 0], [1, 2])
    >>> unique(a, [2, 4], np.array([0]))
    Solution(point=Vector(numerators={0: 2}, denominator=1))
    >>> unique(a, [2, 5], np.array([0]))
    Refutation(multipliers=Vector(numerators={1: -1, 0: 2}, denominator=1))
    """
    columns = matrix.shape[1]
    system = Square(matrix.take(rows, range(columns)))
    numerators, denominator = system.solve([right[i] for i in rows])
    reached = matrix.times(numerators)
    for row, (value, wanted) in enumerate(zip(reached, right, strict=True)):
        if value != denominator * wanted:
            entries = matrix.take([row], range(columns)).transposed.times([1])
            combining, scale = system.solve_transposed(entries)
            sign = 1 if value > denominator * wanted else -1
            turned = {row: sign * scale}
            turned |= {i: -sign * u for i, u in zip(rows.tolist(), combining, strict=True) if u}
            return Refutation(Vector(turned))
    least = min(range(columns), key=numerators.__getitem__)
    if numerators[least] < 0:
        unit = [int(j == least) for j in range(columns)]
        combining, _ = system.solve_transposed(unit)
        return Refutation(
            Vector({i: u for i, u in zip(rows.tolist(), combining, strict=True) if u})
        )
    return Solution(Vector({j: value for j, value in enumerate(numerators) if value}, denominator))


def independent(matrix: Floats, most: int) -> Ints:
    """Places of rows that are independent, at most so many: those that pivoting meets first."""
    factors, pivots, _ = lapack.dgetrf(matrix)
    order = np.arange(len(matrix))
    for at, other in enumerate(pivots):
        order[[at, other]] = order[[other, at]]
    steps = np.abs(np.diag(factors))[:most]
    return np.sort(order[: len(steps)][steps > 1e-12 * steps.max(initial=0)])

"""Are many points non-negative combinations of the same independent generators? One solve says."""

from __future__ import annotations

import flint
import numpy as np

from verifier.lp.exact.square import dense
from verifier.lp.exact.unique import independent
from verifier.lp.model.integers import IntegerMatrix, equilibrate
from verifier.lp.model.outcome import Vector


def members(generators: IntegerMatrix, points: IntegerMatrix) -> list[Vector] | int | None:
    """The weights of every point (row), or the number of the first point outside the cone; None
    where the generators (rows) depend on each other, or floats cannot tell.

    Independent generators leave one candidate, exact: its signs and equations decide.

    >>> basis = IntegerMatrix((2, 2), [0, 1, 3], [0, 0, 1], [1, 1, 1])
    >>> members(basis, IntegerMatrix((1, 2), [0, 2], [0, 1], [3, 2]))
    [Vector(numerators={0: 1, 1: 2}, denominator=1)]
    >>> members(basis, IntegerMatrix((1, 2), [0, 2], [0, 1], [1, 2]))
    0
    """
    count, size = generators.shape
    if count > size:
        return None
    columns, wanted = generators.transposed, points.transposed
    rows = independent(columns.floats(*equilibrate(columns)).toarray(), count)
    if len(rows) < count:
        return None
    square, right = dense(columns.take(rows, range(count))), _part(wanted, rows)
    try:
        solved = flint.fmpq_mat(square).solve(flint.fmpq_mat(right))
    except ZeroDivisionError:
        return None
    numerators, denominator = solved.numer_denom()
    rest = np.setdiff1d(np.arange(size), rows)
    missed = (
        dense(columns.take(rest, range(count))) * numerators - _part(wanted, rest) * denominator
    )
    weights = numerators.transpose().tolist()
    for at, (found, wrong) in enumerate(zip(weights, missed.transpose().tolist(), strict=True)):
        if any(wrong) or min(found) < 0:
            return at
    return [
        Vector({j: int(value) for j, value in enumerate(found) if value}, int(denominator))
        for found in weights
    ]


def _part(matrix: IntegerMatrix, rows: np.ndarray) -> flint.fmpz_mat:
    return dense(matrix.take(rows, range(matrix.shape[1])))

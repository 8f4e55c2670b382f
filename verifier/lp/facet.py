"""The facet of a cone that a point outside violates most."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.outcome import Infeasible, Optimal
from verifier.lp.model.program import Program
from verifier.lp.solve import solve


def violated_facet(generators: IntegerMatrix, point: Sequence[int]) -> list[int]:
    """Integers s without a common factor, s · g <= 0 for all generators g (rows), s · point > 0.

    Among such s with s · c = -1 for the sum c of the generators, s · point is largest, and s is a
    facet of the cone if the cone has inner points; a point outside its span gives s with s · g = 0
    for all generators. Raises ValueError where the point is in the cone.

    >>> violated_facet(IntegerMatrix((2, 2), [0, 1, 3], [0, 0, 1], [1, 1, 1]), [1, 2])
    [-1, 1]
    """
    count, size = generators.shape
    columns = np.arange(size)
    total = generators.transposed.times([1] * count)
    rows = IntegerMatrix(
        (count + 1, size),
        np.append(generators.indptr, generators.nnz + size),
        np.concatenate([generators.indices, columns]),
        [*map(int, generators.values), *(-value for value in total)],
    )
    free = [None] * size
    senses = np.full(count + 1, -1, dtype=np.int8)
    outcome = solve(Program(rows, senses, [0] * count + [1], list(point), lower=free))
    assert not isinstance(outcome, Infeasible)
    found = outcome.point if isinstance(outcome, Optimal) else outcome.ray
    if isinstance(outcome, Optimal) and outcome.value <= 0:
        raise ValueError("the point is in the cone")
    common = gcd(*found.numerators.values())
    return [found.numerators.get(at, 0) // common for at in range(size)]

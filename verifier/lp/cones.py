"""Cones of integers: which points they contain, and the facet that a point outside violates most.

A cone is given by generators, the rows of a matrix. Floats propose weights or a separating
direction; an exact solve or product decides. Where they propose nothing that passes, the general
exact linear program answers. By hand: (3, 2) = 1·(1, 0) + 2·(1, 1) is in the cone of (1, 0) and
(1, 1); (1, 2) is not, because (−1, 1) has products −1, 0 with them and 1 with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import flint
import numpy as np

from verifier.lp.exact.square import (
    Refutation,
    SingularMatrix,
    Solution,
    dense,
    independent,
    unique,
)
from verifier.lp.hints.nonnegative import NOTHING, inner, nearest
from verifier.lp.model.integers import (
    Floats,
    IntegerMatrix,
    Ints,
    equilibrate,
    exponents,
    scaled,
    spread,
)
from verifier.lp.model.program import Infeasible, Optimal, Program, Vector
from verifier.lp.solve import solve

BITS = 40  # of a rounded direction or weight
MOST = 10**8  # entries of a table in floats


@dataclass(frozen=True)
class Inside:
    """weights ≥ 0, one per generator, and weights · generators = point."""

    weights: Vector


@dataclass(frozen=True)
class Outside:
    """separator · point > 0, and separator · g ≤ 0 for every generator g."""

    separator: Vector


def membership(generators: IntegerMatrix, point: Sequence[int]) -> Inside | Outside:
    """Whether the point is a non-negative combination of the generators (rows), and the proof.

    >>> membership(IntegerMatrix((2, 2), [0, 1, 3], [0, 0, 1], [1, 1, 1]), [3, 2])
    Inside(weights=Vector(numerators={0: 1, 1: 2}, denominator=1))
    >>> type(membership(IntegerMatrix((2, 2), [0, 1, 3], [0, 0, 1], [1, 1, 1]), [1, 2])).__name__
    'Outside'
    """
    if len(point) != generators.shape[1]:
        raise ValueError(f"a point with {len(point)} coordinates among {generators.shape[1]}")
    if not any(point):
        return Inside(Vector({}))
    if generators.bits == 0:
        return Outside(Vector({j: value for j, value in enumerate(point) if value}))
    if generators.shape[0] * generators.shape[1] > MOST:
        return by_program(generators, point)
    view = _View(generators, point)
    return view.near() or view.exact() or by_program(generators, point)


def by_program(generators: IntegerMatrix, point: Sequence[int]) -> Inside | Outside:
    """Whether the `point` is in the cone of the `generators`, by the general linear program."""
    columns, rows = generators.shape
    senses = np.zeros(rows, dtype=np.int8)
    outcome = solve(Program(generators.transposed, senses, point, [0] * columns))
    if isinstance(outcome, Optimal):
        return Inside(outcome.point)
    assert isinstance(outcome, Infeasible)
    return Outside(negative(outcome.multipliers))


class _View:
    """A cone and a point, exact and as floats near 1.

    The float rows are 2^rows · generators · 2^columns, each divided by its length; the float
    point is point · 2^columns, divided by its length.
    """

    def __init__(self, generators: IntegerMatrix, point: Sequence[int]) -> None:
        self.generators, self.point = generators, point
        exponent = generators.exponents[1]
        self.columns = -spread(exponent, generators.indices, generators.shape[1])[1]
        exponent = exponent + self.columns[generators.indices]
        rows = -spread(exponent, generators.row_numbers, generators.shape[0])[1]
        whole = generators.floats(rows, self.columns).toarray()
        length = np.linalg.norm(whole, axis=1)
        self.filled = length > 0
        length[~self.filled] = 1
        self.rows: Floats = whole / length[:, None]
        fraction, exponent = exponents(point)
        exponent = np.where(fraction != 0, exponent + self.columns, -(2**40))
        largest = int(exponent.max())
        target = scaled(fraction, exponent - largest)
        norm = np.linalg.norm(target)
        self.target: Floats = target / norm
        self.weight_size: Floats = norm / length
        self.weight_exponent: Ints = rows + largest

    def near(self) -> Inside | Outside | None:
        """What the nearest combination in floats leads to."""
        found = nearest(self.rows, self.target)
        if found is not None and not found.reaches:
            return self.separated(found.residual)
        weights = inner(self.rows, self.target) if found is None else found.weights
        return None if weights is None else self.combined(weights)

    def combined(self, weights: Floats) -> Inside | None:
        """Exact weights near these: those of a basis solved for, the others rounded."""
        chosen, size = np.flatnonzero(weights > NOTHING), self.rows.shape[1]
        if len(chosen) <= size:
            return self._completed(weights, chosen, chosen)
        first = chosen[:size]  # a mechanism's own outputs have a simpler inverse than a mixture
        found = self._completed(weights, chosen, first)
        if found is None:
            heavy = independent(weights[chosen, None] * self.rows[chosen], size)
            found = self._completed(weights, chosen, chosen[heavy])
        return found

    def _completed(self, weights: Floats, chosen: Ints, basis: Ints) -> Inside | None:
        others = np.setdiff1d(chosen, basis)
        fixed, denominator = self._rounded(weights[others], others)
        moved = self.generators.take(others, range(len(self.point))).transposed.times(fixed)
        rest = [denominator * value - m for value, m in zip(self.point, moved, strict=True)]
        answer = self._unique(basis, rest)
        if not isinstance(answer, Solution):
            return None
        scale = answer.point.denominator
        numerators = {int(i): scale * value for i, value in zip(others, fixed, strict=True)}
        for at, value in answer.point.numerators.items():
            numerators[int(basis[at])] = value
        return Inside(Vector(numerators, scale * denominator))

    def _rounded(self, weights: Floats, places: Ints) -> tuple[list[int], int]:
        """Weights of generators, of the exact point, as integers over a power of two."""
        if not len(places):
            return [], 1
        fraction, exponent = np.frexp(weights * self.weight_size[places])
        exponent = exponent + self.weight_exponent[places]
        unit = int(exponent.max()) - BITS
        whole = np.rint(scaled(fraction, exponent - unit)).astype(np.int64).tolist()
        return [value << max(unit, 0) for value in whole], 1 << max(-unit, 0)

    def separated(self, residual: Floats) -> Outside | None:
        """The residual, turned away from the cone by more than it is rounded, if that separates."""
        size = np.abs(residual).max()
        inward = self.rows[self.filled].mean(axis=0)
        along = self.rows[self.filled] @ inward
        if along.min() > 0:
            margin = size * len(residual) * 2.0**-BITS
            beyond = (self.rows[self.filled] @ residual + margin) / along
            residual = residual - max(beyond.max(), 0) * inward
        whole = np.rint(np.ldexp(residual / size, BITS)).astype(np.int64).tolist()
        shift = (self.columns - self.columns.min()).tolist()
        return self._checked([value << by for value, by in zip(whole, shift, strict=True)])

    def _checked(self, separator: list[int]) -> Outside | None:
        """The separator if it separates."""
        above = sum(z * value for z, value in zip(separator, self.point, strict=True))
        if above <= 0 or max(self.generators.times(separator)) > 0:
            return None
        return Outside(Vector({place: z for place, z in enumerate(separator) if z}))

    def exact(self) -> Inside | Outside | None:
        """The answer where all generators are independent: weights are unique."""
        count, size = self.generators.shape
        if count > size:
            return None
        answer = self._unique(np.arange(count), self.point)
        if isinstance(answer, Refutation):
            return Outside(negative(answer.multipliers))
        return None if answer is None else Inside(answer.point)

    def _unique(self, basis: Ints, point: Sequence[int]) -> Solution | Refutation | None:
        """Whether generators that are independent reach a point; None where they depend."""
        coordinates = independent(np.ascontiguousarray(self.rows[basis].T), len(basis))
        if len(coordinates) < len(basis):
            return None
        columns = self.generators.take(basis, range(len(point))).transposed
        try:
            return unique(columns, point, coordinates)
        except SingularMatrix:
            return None


def negative(vector: Vector) -> Vector:
    """The vector, turned."""
    turned = {place: -value for place, value in vector.numerators.items()}
    return Vector(turned, vector.denominator)


def members(generators: IntegerMatrix, points: IntegerMatrix) -> list[Vector] | int | None:
    """The weights of every point (row), or the number of the first point outside the cone; None
    where the generators (rows) depend on each other, or floats cannot tell.

    generators  the rows of a matrix
    points      the rows of another one

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
    return _touching(generators, total, [found.numerators.get(at, 0) for at in range(size)])


def _touching(generators: IntegerMatrix, total: list[int], found: list[int]) -> list[int]:
    """The best s where it is alone, and one that touches more generators where several are best.

    total  the sum c of the generators
    found  an s whose product with the point is largest

    Along a direction d with d · c = 0, and d · g = 0 for all g that s touches, s · point does not
    change: s is best, and both s + td and s - td are allowed for small t. So s moves along d until
    it touches another generator. The result is without a common factor.
    """
    while True:
        common = gcd(*found)
        found = [value // common for value in found]
        slack = generators.times(found)
        touched = [at for at, value in enumerate(slack) if not value]
        tight = dense(generators.take(touched, range(len(total)))).tolist()
        moved = _direction(generators, flint.fmpz_mat([*tight, total]))
        if moved is None:
            return found
        direction, speeds = moved
        step = min(Fraction(-s, v) for s, v in zip(slack, speeds, strict=True) if v > 0)
        found = [
            step.denominator * value + step.numerator * change
            for value, change in zip(found, direction, strict=True)
        ]


def _direction(
    generators: IntegerMatrix, fixed: flint.fmpz_mat
) -> tuple[list[int], list[int]] | None:
    """A d whose products with all rows of `fixed` are 0, and its products with the generators, one
    of them above 0; None where there is no such d."""
    if fixed.rank() == fixed.ncols():
        return None
    basis, nullity = fixed.nullspace()
    for column in basis.transpose().tolist()[:nullity]:
        direction = [int(value) for value in column]
        speeds = generators.times(direction)
        if any(speeds):
            sign = 1 if max(speeds) > 0 else -1
            return [sign * value for value in direction], [sign * value for value in speeds]
    return None

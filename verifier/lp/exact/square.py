"""Exact solutions of systems of integers that have one candidate at most.

A float factorisation gives some digits of the solution, the exact residual the next ones, and
from enough digits the rationals are read off (Z. Wan, An algorithm to solve integer linear systems
exactly using numerical methods, J. Symbolic Computation 41, 2006). What is returned has passed an
exact product. Small and ill-conditioned systems go to FLINT; a matrix is called singular only with
an exact proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import flint
import numpy as np

from verifier.lp.hints.digits import lift
from verifier.lp.model.integers import Floats, IntegerMatrix, Ints, equilibrate
from verifier.lp.model.program import Vector

SMALL, SMALL_LONG = 12, 60  # columns up to which FLINT alone is faster; with long entries
DENSE = 0.15  # share of entries from which a dense factorisation is faster
PRIMES = (2**63 - 25, 2**63 - 165, 2**63 - 259, 2**63 - 301, 2**63 - 375)

Rationals = tuple[list[int], int]  # numerators, positive common denominator


class SingularMatrix(Exception):
    """The matrix of a square system has no inverse."""


def solve_square(matrix: IntegerMatrix, right: Sequence[int]) -> Rationals:
    """A solution x of matrix · x = right: numerators and their least common denominator.

    Raises SingularMatrix only where the matrix is singular, which is proved; where it is and the
    system has solutions all the same, one of them may be returned. Raises ValueError where the
    matrix is not square.

    >>> solve_square(IntegerMatrix((2, 2), [0, 2, 3], [0, 1, 1], [2, 1, 3]), [1, 1])
    ([1, 1], 3)
    """
    return Square(matrix).solve(right)


class Square:
    """A square system, factored once for several right-hand sides, of it and its transpose."""

    def __init__(self, matrix: IntegerMatrix) -> None:
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a matrix of shape {matrix.shape} is not square")
        self.matrix = matrix

    def solve(self, right: Sequence[int]) -> Rationals:
        """The solution of matrix · x = right. Raises SingularMatrix."""
        return self._solve(self.matrix, right, False)

    def solve_transposed(self, right: Sequence[int]) -> Rationals:
        """The solution of matrixᵀ · x = right. Raises SingularMatrix."""
        return self._solve(self.matrix.transposed, right, True)

    def _solve(self, matrix: IntegerMatrix, right: Sequence[int], transposed: bool) -> Rationals:
        size = matrix.shape[0]
        if len(right) != size:
            raise ValueError(f"a right-hand side of {len(right)} integers, where {size} are needed")
        lifted = size > (SMALL_LONG if matrix.values.dtype == object else SMALL)
        if lifted and self._factor is not None:
            factor, (rows, columns) = self._factor, self._exponents
            if transposed:
                found = lift(matrix, right, columns, rows, lambda v: factor(v, True))
            else:
                found = lift(matrix, right, rows, columns, lambda v: factor(v, False))
            if found is not None:
                return found
        if lifted and is_singular(self.matrix):
            raise SingularMatrix
        return by_flint(matrix, right)

    @cached_property
    def _exponents(self) -> tuple[np.ndarray, np.ndarray]:
        return equilibrate(self.matrix)

    @cached_property
    def _factor(self) -> Callable[[Floats, bool], Floats] | None:
        """Solutions in floats of the equilibrated system, or of its transpose."""
        from scipy.linalg import lapack  # not loaded for programs that are small

        scaled = self.matrix.floats(*self._exponents)
        size = self.matrix.shape[0]
        if self.matrix.nnz > DENSE * size * size or size < 60:
            factors, pivots, failed = lapack.dgetrf(scaled.toarray())
            if failed:
                return None
            return lambda v, t: lapack.dgetrs(factors, pivots, v, trans=int(t))[0]
        from scipy.sparse.linalg import splu

        try:
            lu = splu(scaled.tocsc())
        except RuntimeError:
            return None
        return lambda v, t: lu.solve(v, "T" if t else "N")


def by_flint(matrix: IntegerMatrix, right: Sequence[int]) -> Rationals:
    """The solution x of `matrix` · x = `right` by FLINT. Raises SingularMatrix."""
    size = matrix.shape[0]
    if size == 0:
        return [], 1
    try:
        column = flint.fmpz_mat(size, 1, [int(value) for value in right])
        found = flint.fmpq_mat(dense(matrix)).solve(flint.fmpq_mat(column))
    except ZeroDivisionError:
        raise SingularMatrix from None
    numerators, denominator = found.numer_denom()
    return [int(value) for value in numerators.entries()], int(denominator)


def dense(matrix: IntegerMatrix) -> flint.fmpz_mat:
    """The matrix as FLINT holds it."""
    m, n = matrix.shape
    entries = [0] * (m * n)
    places = matrix.row_numbers * n + matrix.indices
    for place, value in zip(places.tolist(), matrix.values.tolist(), strict=True):
        entries[place] = value
    return flint.fmpz_mat(m, n, entries)


def is_singular(matrix: IntegerMatrix) -> bool:
    """Whether a square matrix is singular, proved exactly either way.

    A determinant that is not 0 modulo a prime is not 0. Otherwise the independent columns C and
    rows R modulo the prime give a vector: one more column as a combination of C on the rows R,
    exact by `solve_square`. Where it holds on all rows, the columns are dependent.
    """
    size = matrix.shape[0]
    whole = dense(matrix)
    for prime in PRIMES:
        reduced = flint.nmod_mat(whole, prime)
        columns = pivots(reduced)
        if len(columns) == size:
            return False
        rows = pivots(reduced.transpose())
        other = min(set(range(size)) - set(columns))
        column = [int(whole[row, other]) for row in range(size)]
        weights, scale = solve_square(matrix.take(rows, columns), [column[row] for row in rows])
        combined = matrix.take(range(size), columns).times(weights)
        if combined == [scale * value for value in column]:
            return True
    return bool(whole.det() == 0)


def pivots(matrix: flint.nmod_mat) -> list[int]:
    """The columns of `matrix` that are independent of those before them."""
    reduced, rank = matrix.rref()
    entries = np.array([[int(value) != 0 for value in row] for row in reduced.tolist()[:rank]])
    return [int(row.argmax()) for row in entries]


@dataclass(frozen=True)
class Solution:
    """x ≥ 0 with A x = b."""

    point: Vector


@dataclass(frozen=True)
class Refutation:
    """y with y·A ≥ 0 in every column and y·b < 0: no x ≥ 0 has A x = b (Farkas)."""

    multipliers: Vector


def unique(matrix: IntegerMatrix, right: Sequence[int], rows: Ints) -> Solution | Refutation:
    """The only candidate x for A x = b: its equations and signs decide.

    matrix  A, of full column rank
    right   b

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
    """Places of rows of `matrix` that are independent, `most` at most: those that pivoting meets
    first."""
    from scipy.linalg import lapack

    factors, pivots, _ = lapack.dgetrf(matrix)
    order = np.arange(len(matrix))
    for at, other in enumerate(pivots):
        order[[at, other]] = order[[other, at]]
    steps = np.abs(np.diag(factors))[:most]
    return np.sort(order[: len(steps)][steps > 1e-12 * steps.max(initial=0)])

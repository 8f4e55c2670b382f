"""Exact square systems, against Gauss's elimination in Fractions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import lapack

from tests.lp.model.test_integers import sparse
from verifier.lp.exact.square import SingularMatrix, Square, is_singular, solve_square
from verifier.lp.hints.digits import lift, reconstruct
from verifier.lp.model.integers import IntegerMatrix, equilibrate


def plain_solve(rows: list[list[int]], right: list[int]) -> list[Fraction] | None:
    """Elimination with Fractions; None where a pivot is missing."""
    size = len(rows)
    work = [[Fraction(v) for v in (*row, b)] for row, b in zip(rows, right, strict=True)]
    for k in range(size):
        pivot = next((i for i in range(k, size) if work[i][k]), None)
        if pivot is None:
            return None
        work[k], work[pivot] = work[pivot], work[k]
        work[k] = [value / work[k][k] for value in work[k]]
        for i in range(size):
            if i != k and work[i][k]:
                factor = work[i][k]
                work[i] = [a - factor * b for a, b in zip(work[i], work[k], strict=True)]
    return [row[-1] for row in work]


@st.composite
def systems(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Square systems: some singular, some with entries of very different sizes."""
    size = draw(st.integers(1, 16))
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = numbers.integers(-9, 10, (size, size)).astype(object)
    rows[numbers.random((size, size)) < draw(st.sampled_from([0.0, 0.5, 0.8]))] = 0
    huge = draw(st.sampled_from([0, 3, 40, 300]))
    rows = rows << numbers.integers(0, huge + 1, size)[:, None].astype(object)
    rows = rows << numbers.integers(0, huge + 1, size).astype(object)
    if draw(st.booleans()) and size > 1:
        rows[0] = 3 * rows[-1]
    right = draw(st.lists(st.integers(-99, 99), min_size=size, max_size=size))
    return [[int(v) for v in row] for row in rows], right


@settings(deadline=None)
@given(systems())
def test_solutions(case: tuple[list[list[int]], list[int]]) -> None:
    rows, right = case
    matrix = sparse(rows, len(right))
    for solve, lines in (
        (Square(matrix).solve, rows),
        (Square(matrix).solve_transposed, [list(line) for line in zip(*rows, strict=True)]),
    ):
        expected = plain_solve(lines, right)
        try:
            numerators, denominator = solve(right)
        except SingularMatrix:
            assert expected is None
            continue
        assert denominator > 0
        assert math.gcd(denominator, *numerators) == 1
        found = [Fraction(value, denominator) for value in numerators]
        if expected is not None:
            assert found == expected
        for line, value in zip(lines, right, strict=True):
            assert sum(a * x for a, x in zip(line, found, strict=True)) == value


def hilbert(size: int) -> list[list[int]]:
    common = math.lcm(*range(1, 2 * size))
    return [[common // (i + j + 1) for j in range(size)] for i in range(size)]


@pytest.mark.parametrize("size", [5, 13, 24])
def test_hilbert_matrices(size: int) -> None:
    """Row sums of the inverse: (−1)^(n+i) · C(n+i−1, i−1) · C(n, i) · i for rows i = 1..n."""
    numerators, denominator = solve_square(sparse(hilbert(size), size), [1] * size)
    common = math.lcm(*range(1, 2 * size))
    expected = [
        (-1) ** (size + i) * math.comb(size + i - 1, i - 1) * math.comb(size, i) * i
        for i in range(1, size + 1)
    ]
    assert [Fraction(v, denominator) for v in numerators] == [Fraction(v, common) for v in expected]


@pytest.mark.parametrize("gap", [1, 10, 30, 300])
def test_a_gap_keeps_a_matrix_from_being_singular(gap: int) -> None:
    """The matrix of ones, 10^gap on it, but one more on the diagonal: inverse by hand."""
    size, big = 30, 10**gap
    rows = [[big + (i == j) for j in range(size)] for i in range(size)]
    matrix = sparse(rows, size)
    assert not is_singular(matrix)
    numerators, denominator = solve_square(matrix, [1] + [0] * (size - 1))
    total = 1 + size * big
    assert denominator == total
    assert numerators == [total - big] + [-big] * (size - 1)


@pytest.mark.parametrize("size", [14, 40, 90])
def test_singular_matrices_are_found(size: int) -> None:
    numbers = np.random.default_rng(size)
    rows = numbers.integers(-99, 100, (size, size)).tolist()
    rows[-1] = [sum((i + 1) * rows[i][j] for i in range(size - 1)) for j in range(size)]
    with pytest.raises(SingularMatrix):
        solve_square(sparse(rows, size), [1] + [0] * (size - 1))


def test_a_solution_with_thousands_of_digits() -> None:
    """x_i = (1 − x_(i−1)) / 3^i: the denominator of the last is 3^(n(n+1)/2)."""
    size = 70
    rows = [[3 ** (i + 1) if j == i else int(j == i - 1) for j in range(size)] for i in range(size)]
    numerators, denominator = solve_square(sparse(rows, size), [1] * size)
    x = Fraction(0)
    for i in range(size):
        x = (1 - x) / 3 ** (i + 1)
        assert Fraction(numerators[i], denominator) == x


@given(st.lists(st.fractions(max_denominator=10**6), min_size=1, max_size=5))
def test_reconstruction(values: list[Fraction]) -> None:
    values = [Fraction(value.numerator % 10**6, value.denominator) for value in values]
    numerators, denominator = reconstruct([round(v * 2**400) for v in values], 400) or ([], 1)
    assert [Fraction(v, denominator) for v in numerators] == values


def test_no_equation_no_unknown() -> None:
    assert solve_square(IntegerMatrix((0, 0), [0], [], []), []) == ([], 1)


def test_what_is_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match="not square"):
        solve_square(sparse([[1, 2]], 2), [1])
    with pytest.raises(ValueError, match="1 are needed"):
        solve_square(sparse([[1]], 1), [1, 2])


def test_digits_that_lead_nowhere_are_given_up() -> None:
    """Entries from 1 to 10^60, and float solutions whose errors do not grow: the denominator has at
    most 13 · 205 bits, so that some 5,400 bits of digits, at 8 to 40 a step, are enough."""
    numbers = random.Random(34)
    size = 13
    rows = [
        [numbers.choice([1, 2, 3, -1]) * 10 ** numbers.choice([0, 15, 30, 60]) for _ in range(size)]
        for _ in range(size)
    ]
    matrix = sparse(rows, size)
    exponents = equilibrate(matrix)
    factors, order, failed = lapack.dgetrf(matrix.floats(*exponents).toarray())
    assert not failed
    calls = []

    def solved(v: np.ndarray) -> np.ndarray:
        calls.append(v)
        return np.asarray(lapack.dgetrs(factors, order, v)[0])

    assert lift(matrix, [numbers.randint(1, 9) for _ in range(size)], *exponents, solved) is None
    assert len(calls) < 2000

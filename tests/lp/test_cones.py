"""Membership in cones: every answer is proved in Fractions; which answer, by construction."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lp.exact.test_square import plain_solve
from tests.lp.model.test_integers import sparse
from verifier.lp.cones import Inside, Outside, membership

Rows = Sequence[Sequence[int]]


def decided(rows: Rows, point: Sequence[int]) -> bool:
    """The answer of `membership`, once its proof holds in plain arithmetic."""
    answer = membership(sparse(rows, len(point)), point)
    if isinstance(answer, Inside):
        assert answer.weights.denominator > 0
        assert all(value >= 0 for value in answer.weights.numerators.values())
        weights = answer.weights.dense(len(rows))
        for j, value in enumerate(point):
            assert sum(w * row[j] for w, row in zip(weights, rows, strict=True)) == value
        return True
    assert isinstance(answer, Outside)
    separator = answer.separator.dense(len(point))
    assert sum(z * value for z, value in zip(separator, point, strict=True)) > 0
    for row in rows:
        assert sum(z * value for z, value in zip(separator, row, strict=True)) <= 0
    return False


def plain_membership(rows: Rows, point: Sequence[int]) -> bool:
    """Carathéodory: some independent generators reach the point with weights ≥ 0."""
    if not any(point):
        return True
    for size in range(1, len(point) + 1):
        for chosen in combinations(rows, size):
            for places in combinations(range(len(point)), size):
                system = [[row[j] for row in chosen] for j in places]
                weights = plain_solve(system, [point[j] for j in places])
                if weights is None:
                    continue
                reached = [
                    sum(w * row[j] for w, row in zip(weights, chosen, strict=True))
                    for j in range(len(point))
                ]
                if min(weights) >= 0 and reached == list(point):
                    return True
                break
    return False


@st.composite
def cones(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Few generators, with zeros, duplicates and dependent ones; points on the boundary or near."""
    size, count = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    entry = st.integers(0, 3) if draw(st.booleans()) else st.integers(-2, 2)
    rows = draw(st.lists(st.lists(entry, min_size=size, max_size=size), min_size=count))[:5]
    if draw(st.booleans()):
        rows.append([2 * value for value in rows[0]])
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
        point = [sum(w * row[j] for w, row in zip(weights, rows, strict=True)) for j in range(size)]
        point[0] += draw(st.sampled_from([0, 0, 1, -1]))
    else:
        point = draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size))
    scale = draw(st.sampled_from([1, 1, 10**30]))
    return rows, [scale * value for value in point]


@given(cones())
def test_small_cones(case: tuple[list[list[int]], list[int]]) -> None:
    rows, point = case
    assert decided(rows, point) == plain_membership(rows, point)


def lumped(bits: int, keep: Fraction) -> list[list[int]]:
    """Randomized response on `bits` bits, by numbers of ones: integers with one denominator."""
    stay, flip = keep.numerator, keep.denominator - keep.numerator

    def entry(i: int, j: int) -> int:
        """j ones out of i: s ones stay, j − s zeros flip."""
        return sum(
            comb(i, s)
            * comb(bits - i, j - s)
            * stay ** (bits - i - j + 2 * s)
            * flip ** (i + j - 2 * s)
            for s in range(max(0, i + j - bits), min(i, j) + 1)
        )

    return [[entry(i, j) for i in range(bits + 1)] for j in range(bits + 1)]


@pytest.mark.parametrize("gap", [4, 8, 12, 20, 30, 100])
@pytest.mark.parametrize("keep", [Fraction(3, 4), Fraction(99, 100)])
@pytest.mark.parametrize("sign", [1, 0, -1])
def test_gaps(gap: int, keep: Fraction, sign: int) -> None:
    """Independent generators, so unique weights: 10^gap on each, on one of them sign · 1."""
    rows = lumped(8, keep)
    for place in (0, 3, 8):
        weights = [10**gap if i != place else sign for i in range(9)]
        point = [sum(w * row[j] for w, row in zip(weights, rows, strict=True)) for j in range(9)]
        assert decided(rows, point) == (sign >= 0)


def response(bits: int, keep: tuple[int, int]) -> np.ndarray:
    """Randomized response on `bits` bits, times a common denominator."""
    stay, flip = keep
    matrix = np.ones((1, 1), dtype=np.int64)
    for _ in range(bits):
        matrix = np.kron(matrix, [[stay, flip], [flip, stay]])
    return matrix


@pytest.mark.parametrize("bits", [1, 3, 5, 7])
@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_randomized_response(bits: int, two: bool, seed: int) -> None:
    """Combinations are inside; a single world is outside, since every generator is positive."""
    numbers = np.random.default_rng(seed)
    rows = response(bits, (3, 1))
    if two:
        rows = np.vstack([rows, response(bits, (2, 1))[:, numbers.permutation(2**bits)]])
    weights = numbers.integers(0, 10, len(rows)) * (numbers.random(len(rows)) < 0.5)
    weights[0] += 1
    assert decided(rows.tolist(), (weights @ rows).tolist())
    assert not decided(rows.tolist(), [1] + [0] * (2**bits - 1))
    assert decided(rows.tolist(), rows[-1].tolist())
    if not two:
        weights[1] = -1
        assert not decided(rows.tolist(), (weights @ rows).tolist())


def test_no_generator_and_zero_generators() -> None:
    assert decided([], [0, 0])
    assert not decided([], [1, 0])
    assert not decided([[0, 0], [0, 0]], [1, 0])
    assert decided([[0, 0], [1, 1], [1, 1]], [2, 2])


def test_a_whole_line() -> None:
    rows = [[1, 0], [-1, 0]]
    assert decided(rows, [-5, 0])
    assert not decided(rows, [-5, 1])


def test_generators_of_very_different_sizes() -> None:
    """Weights 10^-60 and 10^60, both needed."""
    rows = [[10**60, 1], [0, 1], [1, 10**60]]
    assert decided(rows, [10**60 + 1, 10**60 + 1])
    assert not decided(rows[:1], [10**60, 2])
    assert not decided([rows[0], rows[2]], [10**60, 0])


def test_a_point_of_the_wrong_size() -> None:
    with pytest.raises(ValueError, match="coordinates"):
        membership(sparse([[1, 2]], 2), [1])

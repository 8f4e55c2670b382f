"""Exact matrices: products at the edge of overflow, submatrices, scaling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loops import each
from verifier.lp.model.integers import (
    LARGEST,
    IntegerMatrix,
    equilibrate,
    exponents,
    join,
    limb_widths,
    split,
)

SIZES = (0, 1, 7, 31, 32, 52, 53, 54, 61, 62, 63, 64, 65, 200, 700)
EDGES = [sign * (2**size + by) for size in SIZES for by in (-1, 0, 1) for sign in (-1, 1)]
ENTRY = st.one_of(st.just(0), st.sampled_from(EDGES), st.integers(-9, 9))


def sparse(rows: Sequence[Sequence[int]], columns: int) -> IntegerMatrix:
    """The matrix with these rows, zeros left out."""
    places = [(j, value) for row in rows for j, value in enumerate(row) if value]
    indptr = np.cumsum([0, *(sum(map(bool, row)) for row in rows)])
    shape = (len(rows), columns)
    return IntegerMatrix(shape, indptr, [j for j, _ in places], [value for _, value in places])


def plain_times(rows: Sequence[Sequence[int]], vector: Sequence[int]) -> list[int]:
    return [sum(a * x for a, x in zip(row, vector, strict=True)) for row in rows]


@st.composite
def products(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """A matrix, full or sparse, and a vector."""
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 9))
    entry = draw(st.sampled_from([ENTRY, ENTRY | st.just(0) | st.just(0) | st.just(0)]))
    rows = draw(st.lists(st.lists(entry, min_size=n, max_size=n), min_size=m, max_size=m))
    return rows, draw(st.lists(ENTRY, min_size=n, max_size=n))


@given(products())
def test_products(case: tuple[list[list[int]], list[int]]) -> None:
    rows, vector = case
    matrix = sparse(rows, len(vector))
    assert matrix.times(vector) == plain_times(rows, vector)
    again = list(zip(*rows, strict=True))
    back = matrix.transposed.times([1] * len(rows))
    assert back == [sum(column) for column in again]
    assert matrix.transposed.transposed is matrix


@each("full", [True, False])
@each("bits", [1, 8, 20, 21, 31, 32, 40, 52, 53, 61, 62, 100])
@each("length", [1, 2, 3, 4, 7, 8, 64, 129])
@each("sign", [1, -1])
def test_products_with_every_limb_at_its_limit(
    full: bool, bits: int, length: int, sign: int
) -> None:
    """Rows of the largest entries times vectors of the largest limbs: sums reach the bound."""
    columns = length if full else 5 * length
    entry = sign * (2**bits - 1)
    matrix = IntegerMatrix((1, columns), [0, length], range(length), [entry] * length)
    for size in (1, 7, 8, 16, 24, 32, 40, 62, 63, 64, 80, 120, 500):
        for value in (2**size - 1, -(2**size), 2**size):
            assert matrix.times([value] * columns) == [length * entry * value]


@given(st.integers(1, 2000), st.integers(1, 10**6), st.sampled_from([2**53, 2**62]))
def test_sums_of_limb_products_stay_within_their_type(bits: int, row: int, largest: int) -> None:
    """Re-derives the bound: entries, limbs of each, largest limb of both sides."""
    width, step = limb_widths(bits, row, largest)
    limbs = -(-(bits + 1) // (width * step))
    entry = 2**bits if limbs == 1 else 2 ** (width * step)
    assert row * limbs * entry * 2**width <= largest


def test_the_widest_limbs_are_taken_exactly_at_the_limit() -> None:
    assert LARGEST == {True: 2**53, False: 2**62}
    assert limb_widths(7, 2**15, 2**62) == (40, 1)
    assert limb_widths(7, 2**15 + 1, 2**62) == (32, 1)
    assert limb_widths(10, 2**11, 2**53) == (32, 1)
    assert limb_widths(10, 2**11 + 1, 2**53) == (24, 1)
    with pytest.raises(ValueError, match="too long"):
        limb_widths(7, 2**53, 2**62)


@given(st.lists(st.sampled_from(EDGES) | st.integers(), min_size=1), st.sampled_from([8, 24, 56]))
def test_limbs_and_back(values: list[int], width: int) -> None:
    limbs = split(values, width)
    assert join(limbs, width) == values
    assert limbs[:, :-1].min(initial=0) >= 0
    for value, row in zip(values, limbs.tolist(), strict=True):
        assert value == sum(limb << (width * j) for j, limb in enumerate(row))


@given(st.lists(st.lists(st.integers(-(2**62), 2**62), min_size=3, max_size=3), min_size=1))
def test_joining_carries(rows: list[list[int]]) -> None:
    expected = [sum(limb << (8 * j) for j, limb in enumerate(row)) for row in rows]
    assert join(np.array(rows, dtype=np.int64), 8) == expected


@given(products(), st.randoms())
def test_submatrices(case: tuple[list[list[int]], list[int]], random: object) -> None:
    rows, vector = case
    matrix = sparse(rows, len(vector))
    chosen = list(range(0, len(rows), 2))[::-1]
    columns = list(range(len(vector)))[::-1][: len(vector) // 2 + 1]
    part = matrix.take(chosen, columns)
    assert part.shape == (len(chosen), len(columns))
    for j in range(len(columns)):
        unit = [int(j == i) for i in range(len(columns))]
        assert part.times(unit) == [rows[i][columns[j]] for i in chosen]


def test_a_vector_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="2 are needed"):
        sparse([[1, 2]], 2).times([1])


@pytest.mark.parametrize(
    ("indptr", "indices", "values"),
    [([0, 1], [2], [1]), ([0, 1], [-1], [1]), ([0, 2], [0], [1]), ([0, 1, 1], [0], [1])],
)
def test_parts_that_do_not_fit_are_refused(
    indptr: list[int], indices: list[int], values: list[int]
) -> None:
    with pytest.raises(ValueError, match="no matrix"):
        IntegerMatrix((1, 2), indptr, indices, values)


def test_empty_matrices() -> None:
    assert IntegerMatrix((2, 0), [0, 0, 0], [], []).times([]) == [0, 0]
    assert IntegerMatrix((0, 2), [0], [], []).times([1, 2]) == []
    assert IntegerMatrix((0, 2), [0], [], []).transposed.times([]) == [0, 0]


@given(st.lists(st.sampled_from(EDGES), min_size=1))
def test_exponents(values: list[int]) -> None:
    for value, f, e in zip(values, *(part.tolist() for part in exponents(values)), strict=True):
        if value == 0:
            assert f == 0
        else:
            mantissa = int(f * 2**53)
            below = e - 53
            near = mantissa << below if below >= 0 else mantissa >> -below
            assert abs(near - value) <= max(abs(value) >> 50, 1)


@given(products())
def test_equilibrated_entries_are_at_most_one(case: tuple[list[list[int]], list[int]]) -> None:
    rows, vector = case
    matrix = sparse(rows, len(vector))
    up, right = equilibrate(matrix)
    scaled = np.abs(matrix.floats(up, right).toarray())
    assert np.all(scaled <= 1)
    for i, row in enumerate(rows):
        assert not any(row) or scaled[i].max() >= 0.5

"""Columns against plain lists: one value per world."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verifier.world.mechanism import Column, combinations, compress, constant, join, lift
from verifier.world.space import TRUE

VALUES = [0, 1, -2, Fraction(1, 3), "a", TRUE, (1, "b"), 10**30]


def of_list(items: list[object]) -> Column:
    """The column of a list, with some unused values in its table."""
    codes = np.array([VALUES.index(item) for item in items], dtype=np.int16)
    return Column(tuple(VALUES), codes)


lists = st.integers(0, 12).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from(VALUES), min_size=n, max_size=n), min_size=1, max_size=4
    )
)


@given(lists)
def test_lift_is_the_operation_world_by_world(rows: list[list[object]]) -> None:
    columns = [of_list(row) for row in rows]
    result = lift(lambda *values: repr(values), *columns, "same")
    assert result.tolist() == [repr((*values, "same")) for values in zip(*rows, strict=True)]
    assert len(set(result.values)) == len(result.values)


def test_lift_calls_once_per_combination_that_occurs() -> None:
    calls = []
    column = Column((1, 2, 0), np.array([0, 1, 0, 1]))
    lift(lambda x, y: calls.append((x, y)), column, column)
    assert calls == [(1, 1), (2, 2)]


def test_lift_without_columns_is_a_plain_call() -> None:
    assert lift(lambda x, y: x + y, 1, 2) == 3


def test_truth_and_one_stay_apart() -> None:
    column = lift(lambda x: TRUE if x else 1, Column((0, 1), np.array([0, 1])))
    assert column.tolist() == [1, TRUE]
    assert len(column.values) == 2


@given(lists)
def test_combinations_decode_to_the_codes(rows: list[list[object]]) -> None:
    columns = [of_list(row) for row in rows]
    indices, codes = combinations([(len(c.values), c.codes) for c in columns])
    for column, index in zip(columns, indices, strict=True):
        assert index[codes].tolist() == column.codes.tolist()
    triples = list(zip(*(index.tolist() for index in indices), strict=True))
    assert triples == sorted(set(triples))


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_compress_with_a_large_table_of_codes(items: list[int]) -> None:
    present, codes = compress(np.array(items), 10**6 + 1)
    assert present.tolist() == sorted(set(items))
    assert present[codes].tolist() == items


def test_join_and_take() -> None:
    low, high = np.array([0, 3]), np.array([1, 2])
    column = join(4, [(low, Column(("a", "b"), np.array([1, 0]))), (high, "b")])
    assert column.tolist() == ["b", "b", "b", "a"]
    assert column.take(np.array([3, 0])).tolist() == ["a", "b"]
    assert constant(7, 2).tolist() == [7, 7]


def test_million_worlds() -> None:
    codes = (np.arange(10**6) % 7).astype(np.uint8)
    column = Column(tuple(range(7)), codes)
    total = lift(lambda x, y: x + y, column, column)
    assert total.values == (0, 2, 4, 6, 8, 10, 12)
    assert np.array_equal(total.codes, codes)

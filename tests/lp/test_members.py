"""Many points in one cone: against one point at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.lp import faces
from verifier.lp.cones import Inside, members, membership
from verifier.lp.model.integers import IntegerMatrix


def matrix(rows: list[list[int]]) -> IntegerMatrix:
    entries = [(at, value) for row in rows for at, value in enumerate(row) if value]
    starts = np.cumsum([0, *(sum(map(bool, row)) for row in rows)])
    places, values = ([e[k] for e in entries] for k in (0, 1))
    return IntegerMatrix((len(rows), len(rows[0])), starts, places, values)


@examples(60)
@given(st.data(), st.integers(1, 4))
def test_one_by_one(data: st.DataObject, size: int) -> None:
    row = st.lists(st.sampled_from([0, 1, 2, -1, 10**20]), min_size=size, max_size=size)
    generators = data.draw(st.lists(row, min_size=1, max_size=size))
    sums = st.lists(st.integers(0, 3), min_size=len(generators), max_size=len(generators))
    inside = [
        [sum(y * g[at] for y, g in zip(weights, generators, strict=True)) for at in range(size)]
        for weights in data.draw(st.lists(sums, min_size=1, max_size=3))
    ]
    points = [*inside, *data.draw(st.lists(row, max_size=2))]
    found = members(matrix(generators), matrix(points))
    one_by_one = [membership(matrix(generators), point) for point in points]
    outside = [at for at, one in enumerate(one_by_one) if not isinstance(one, Inside)]
    if found is None:
        assert faces.rank(generators, size) < len(generators) or any(
            10**20 in g for g in generators
        )
    elif isinstance(found, int):
        assert found == outside[0]
    else:
        assert not outside
        for vector, point in zip(found, points, strict=True):
            weights = vector.dense(len(generators))
            assert min(weights) >= 0
            made = [faces.dot(weights, column) for column in zip(*generators, strict=True)]
            assert made == point


def test_more_generators_than_coordinates() -> None:
    assert members(matrix([[1, 0], [1, 1], [0, 1]]), matrix([[1, 1]])) is None

"""Facets of row cones: against every hyperplane through rows, and by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.kernels.rows import cones
from tests.lp import faces
from verifier.kernels.rows import directions, row_cone
from verifier.kernels.rows.facets import is_coordinate

Rows = list[list[F]]
MECHANISMS = {
    "binary response": cones.response(2, F(2, 3)),
    "asymmetric response": cones.asymmetric(2, F(9, 10), F(3, 5)),
    "3-ary response": cones.kary(3, F(1, 2)),
    "5-ary response": cones.kary(5, F(99, 100)),
    "truncated geometric": cones.truncated_geometric(4, F(1, 2)),
    "a sharper one": cones.truncated_geometric(3, F(1, 10**30)),
    "exponential": cones.exponential([[0, 1, 2, 1], [2, 1, 0, 1], [1, 1, 1, 2]], F(2)),
    "more candidates than worlds": cones.exponential(
        [[0, 1, 2], [2, 1, 0], [1, 2, 1], [1, 0, 1], [2, 0, 2], [0, 0, 1]], F(3)
    ),
    "erasure": [[F(1, 2), F(0)], [F(0), F(1, 2)], [F(1, 2), F(1, 2)]],
    "nothing": [[F(1, 3), F(1, 3)], [F(2, 3), F(2, 3)]],
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_against_brute_force(name: str) -> None:
    agrees([MECHANISMS[name]])


def agrees(mechanisms: list[Rows]) -> None:
    """Facets, by the rows on them, and equations are those of the brute force on all rows."""
    found = row_cone(map(cones.mechanism, mechanisms))
    rows = [row for mechanism in mechanisms for row in mechanism]
    size = len(rows[0])
    on = faces.incidences(found.facets, rows)
    assert len(set(on)) == len(on)
    assert set(on) == faces.facets(rows)
    assert all(faces.dot(facet, row) >= 0 for facet in found.facets for row in rows)
    assert all(faces.dot(equation, row) == 0 for equation in found.equations for row in rows)
    assert len(found.equations) == size - faces.rank(rows, size)
    for facet, here in zip(found.facets, on, strict=True):
        zero = [w for w in range(size) if {i for i, r in enumerate(rows) if not r[w]} == here]
        same = [w for w in zero if is_multiple([r[w] for r in rows], facet, rows)]
        assert is_coordinate(facet) == bool(same)


def is_multiple(column: list[F], facet: tuple[int, ...], rows: Rows) -> bool:
    values = [faces.dot(facet, row) for row in rows]
    return all(
        a * y == b * x
        for a, x in zip(column, values, strict=True)
        for b, y in zip(column, values, strict=True)
    )


@st.composite
def mechanisms(draw: st.DrawFn, worlds: int) -> Rows:
    """Zeros, ties, proportional rows, columns that are equal."""
    weight = st.sampled_from([0, 0, 1, 1, 2, 3, 10**20])
    outputs = draw(st.integers(1, 5))
    columns = []
    for _ in range(worlds):
        if columns and draw(st.integers(0, 3)) == 0:
            columns.append(draw(st.sampled_from(columns)))
            continue
        weights = draw(st.lists(weight, min_size=outputs, max_size=outputs).filter(any))
        columns.append([F(w, sum(weights)) for w in weights])
    return [list(row) for row in zip(*columns, strict=True)]


@examples(60)
@given(st.data(), st.integers(1, 4), st.integers(1, 2))
def test_drawn_mechanisms_against_brute_force(data: st.DataObject, worlds: int, many: int) -> None:
    agrees([data.draw(mechanisms(worlds)) for _ in range(many)])


def test_directions_are_primitive_and_each_there_once() -> None:
    rows = [[F(1, 2), F(1, 4)], [F(1, 3), F(1, 6)], [F(0), F(0)], [F(1, 6), F(7, 12)]]
    assert directions([cones.mechanism(rows)]) == ((2, 1), (2, 7))


def test_coordinate_facets_come_last_and_plainly() -> None:
    """The third world is the mean of the others, so that x_3 ≥ 0 is no facet; the fourth is the
    first again, so that x_4 ≥ 0 says the same as x_1 ≥ 0."""
    rows = [[F(1), F(0), F(1, 2), F(1)], [F(0), F(1), F(1, 2), F(0)]]
    found = row_cone([cones.mechanism(rows)])
    assert found.facets == ((1, 0, 0, 0), (0, 1, 0, 0))
    assert len(found.equations) == 2
    # the hyperplanes through two of three rows: 4x − 2y − z, −4x + 4y + z, and z
    mixed = [[F(1, 2), F(1, 2), F(0)], [F(1, 4), F(0), F(1)], [F(1, 4), F(1, 2), F(0)]]
    facets = row_cone([cones.mechanism(mixed)]).facets
    assert [is_coordinate(facet) for facet in facets] == [False, False, True]

"""Facets as statements about attackers: the two forms, by plain Bayes."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from tests.kernels.rows import cones
from tests.kernels.rows.test_facets import MECHANISMS, mechanisms
from tests.lp import faces
from verifier.kernels.rows import Reading, read_row, row_cone


def test_equation_4() -> None:
    """9 x_00 − 3 x_01 − 3 x_10 + x_11 ≥ 0: prior 9/16, 3/16, 3/16, 1/16, even against odd."""
    found = read_row([9, -3, -3, 1])
    assert found == Reading((0, 3), (1, 2), (F(9, 16), F(3, 16), F(3, 16), F(1, 16)), F(3, 5))
    assert found and found.factor == F(5, 3)


@pytest.mark.parametrize("row", [[0, 0], [1, 0], [2, 3], [-1, 0]])
def test_no_two_sides(row: list[int]) -> None:
    assert read_row(row) is None


@pytest.mark.parametrize("name", MECHANISMS)
def test_both_forms_hold_and_are_attained(name: str) -> None:
    forms(MECHANISMS[name])


@examples(60)
@given(st.integers(2, 4).flatmap(mechanisms))
def test_drawn_mechanisms(rows: list[list[F]]) -> None:
    forms(rows)


def forms(rows: list[list[F]]) -> None:
    """Bayes' rule for the reading's own prior, and for others with the same two conditionals."""
    for facet in row_cone([cones.mechanism(rows)]).facets:
        found = read_row(facet)
        if found is None:
            continue
        assert sum(found.weights) == 1 and found.odds <= 1
        worst = F(0)
        for shift in (F(1), F(1, 7), F(10**9)):
            prior = [w * shift if at in found.negative else w for at, w in enumerate(found.weights)]
            before = sum(prior[w] for w in found.negative) / sum(prior[w] for w in found.positive)
            for row in rows:
                minus = sum(prior[w] * row[w] for w in found.negative)
                plus = sum(prior[w] * row[w] for w in found.positive)
                assert minus <= found.factor * before * plus
                if shift == 1:
                    assert minus <= plus
                if plus:
                    worst = max(worst, minus / plus / before)
        assert worst == found.factor


def test_any_other_factor_is_too_small_or_too_large() -> None:
    """Attacker 1 of Example 4.4: both bits 1 with probability 3/4."""
    rows = cones.response(2, F(3, 4))
    prior = [F(1, 16), F(3, 16), F(3, 16), F(9, 16)]
    changes = [
        faces.dot([0, prior[1], prior[2], 0], row) / faces.dot([prior[0], 0, 0, prior[3]], row)
        for row in rows
    ]
    assert max(changes) == 1  # odd parity never becomes likelier than even parity
    assert max(changes) / F(6, 10) == F(5, 3)

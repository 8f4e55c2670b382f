"""Figures as JSON: exact texts, floats to draw by, and a bounded size."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest

from verifier.base.level import Leakage, Level
from verifier.lab.figures import Bar, Curve, Event, Figures, Matrix, Odds, Runs
from verifier.report.figures import as_json

F = Fraction


def test_nothing_is_told_of_nothing() -> None:
    assert as_json(Figures()) == {}


def test_values_of_a_matrix_stand_once() -> None:
    rows = ((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
    matrix = Matrix(("yes", "no"), ("a", "b"), 0, rows, ((0,), (0, 1)), (2, 9))
    assert as_json(Figures(matrix=matrix)) == {
        "matrix": {
            "outputs": ["yes", "no"],
            "columns": ["a", "b"],
            "secrets": 0,
            "values": [["1/4", 0.25], ["3/4", 0.75]],
            "codes": [[1, 0], [0, 1]],
            "marked": [[0], [0, 1]],
            "size": [2, 9],
        }
    }


def test_levels_and_odds_are_drawn_by_their_logarithm() -> None:
    found = as_json(
        Figures(
            level=Level(exp_epsilon=F(3)),
            delta=F(1, 10),
            odds=Odds(("s", "t"), "o", F(1, 2), None),
            event=Event(("s", "t"), (F(3, 4), F(0))),
            curve=Curve(((F(1), F(1, 2)), (F(3), F(0))), True),
        )
    )
    assert found["asked"] == ["3", log(3), "1/10", 0.1]
    assert found["odds"]["before"] == ["1/2", -log(2)]
    assert found["odds"]["after"] == ["infinite", None]
    assert found["event"]["probabilities"] == [["3/4", 0.75], ["0", 0.0]]
    assert found["curve"]["points"] == [["1", 0.0, "1/2", 0.5], ["3", log(3), "0", 0.0]]


def test_a_level_may_be_given_by_its_logarithm() -> None:
    assert as_json(Figures(level=Level(epsilon=F(1, 2))))["asked"][:2] == ["e^(1/2)", 0.5]
    assert as_json(Figures(level=Level(epsilon=F(2))))["asked"][:2] == ["e^2", 2.0]


def test_the_linear_bound_is_told_where_it_is_another_one() -> None:
    nine, eight, none = Leakage(F(9)), Leakage(F(8)), Leakage()
    found = as_json(Figures(runs=(Runs(nine, nine), Runs(eight, nine), Runs(none, none))))["runs"]
    assert found == [["9", log(9)], ["8", log(8), "9", log(9)], ["infinite", None]]


def test_an_irrational_level_is_rounded() -> None:
    bounds = Leakage(bounds=(F(14142135623, 10**10), F(14142135624, 10**10)))
    assert as_json(Figures(runs=(Runs(bounds, bounds),)))["runs"][0][0] == "≈ 1.41421"


def test_long_numbers_and_names_are_shortened() -> None:
    huge = F(3) ** 100_000  # 10^47712.12547…, and 10^0.12547 = 1.33497
    tiny = F(1, 7**100)  # 10^-84.5098…, and 10^(85 - 84.5098) = 3.09169…
    bar = Bar("w" * 1000, tiny, None)
    found = as_json(Figures(prior=(bar,), runs=(Runs(Leakage(huge), Leakage(huge)),)))
    assert found["runs"] == [["≈ 1.33497e+47712", pytest.approx(100_000 * log(3))]]
    name, text, value, side = found["prior"][0]
    assert name == "w" * 39 + "…" and side is None
    assert text == "≈ 3.09169e-85"
    assert value == float(tiny)

"""What outcomes say, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.lp import Infeasible, Optimal, Program, Row, Unbounded, Vector, solve


def test_entries_of_a_vector() -> None:
    vector = Vector({0: 2, 3: -1}, 4)
    assert vector.dense(4) == [Fraction(1, 2), 0, 0, Fraction(-1, 4)]
    assert vector.fraction(7) == 0


def test_an_optimum_on_bounds() -> None:
    """maximise 2 x − y/3 + z/2 with x in [0, 5/2], y >= −3, z free, z <= x as a row: the row has
    multiplier 1/2, which leaves x the reduced cost 2 + 1/2 at its upper bound and y −1/3 at its
    lower one."""
    rows = [Row("r", {"z": 1, "x": -1}, "<=", 0)]
    objective = {"x": 2, "y": "-1/3", "z": "1/2"}
    lower, upper = {"y": -3, "z": None}, {"x": "5/2"}
    outcome = solve(Program.build(["x", "y", "z"], rows, objective, lower, upper))
    assert isinstance(outcome, Optimal)
    assert outcome.point.dense(3) == [Fraction(5, 2), -3, Fraction(5, 2)]
    assert outcome.value == Fraction(29, 4)
    assert outcome.multipliers.dense(1) == [Fraction(1, 2)]


def test_an_infeasible_program() -> None:
    """x + y <= 1 and x >= 2: the first row minus the second says y <= −1."""
    rows = [Row("a", {"x": 1, "y": 1}, "<=", 1), Row("b", {"x": 1}, ">=", 2)]
    outcome = solve(Program.build(["x", "y"], rows, {"x": 1}))
    assert isinstance(outcome, Infeasible)
    first, second = outcome.multipliers.dense(2)
    assert first >= -second > 0 and first + 2 * second < 0


def test_an_unbounded_program() -> None:
    """x − y <= 1, maximise x: along (1, 1)."""
    program = Program.build(["x", "y"], [Row("a", {"x": 1, "y": -1}, "<=", 1)], {"x": 1})
    outcome = solve(program)
    assert isinstance(outcome, Unbounded)
    x, y = outcome.point.dense(2)
    assert x >= 0 and y >= 0 and x - y <= 1
    x, y = outcome.ray.dense(2)
    assert x > 0 and x == y


@pytest.mark.parametrize("sign, kind", [(1, Unbounded), (-1, Optimal)])
def test_free_columns_run_both_ways(sign: int, kind: type) -> None:
    """maximise ±x with x <= 3 bounded by a row from above only, x free."""
    rows = [Row("a", {"x": 1}, "<=", 3)]
    outcome = solve(Program.build(["x"], rows, {"x": -sign}, lower={"x": None}))
    assert isinstance(outcome, kind)
    if isinstance(outcome, Optimal):
        assert outcome.value == 3

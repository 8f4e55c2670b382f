"""Programs as they are built and printed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from verifier.base.errors import InputError
from verifier.lp import Program, Row
from verifier.lp.model.integers import IntegerMatrix


def test_the_text_of_a_program() -> None:
    program = Program.build(
        ["x", "y", "free", "box", "down"],
        [
            Row("half", {"x": "1/2", "y": "-0.25"}, "<=", "1/3"),
            Row("tie", {"y": 1, "box": -1}, "=", 0),
            Row("none", {}, ">=", -2),
        ],
        {"x": "2/3", "free": -1},
        lower={"free": None, "box": "-1/2", "down": None},
        upper={"box": 7, "down": 0},
    )
    assert (
        program.text()
        == """\
maximise
  2/3 x - free
subject to
  half: 6 x - 3 y <= 4
  tie: y - box = 0
  none: 0 >= -2
bounds
  free free
  -1/2 <= box <= 7
  down <= 0
  x, y >= 0"""
    )


def test_names_where_none_are_given() -> None:
    matrix = IntegerMatrix((2, 2), [0, 1, 2], [1, 0], [3, 10**30])
    program = Program(matrix, np.array([1, 0], dtype=np.int8), [1, -1], [0, 5], 10)
    assert (
        program.text()
        == f"""\
maximise
  1/2 x2
subject to
  r1: 3 x2 >= 1
  r2: {10**30} x1 = -1
bounds
  x1, x2 >= 0"""
    )


def test_rows_are_scaled_to_integers_with_their_right_side() -> None:
    program = Program.build(["x"], [Row("r", {"x": "1e-30"}, ">=", "1/7")], {"x": "3/4"})
    assert program.matrix.values.tolist() == [7]
    assert program.right == [10**30]
    assert (program.objective, program.objective_scale) == ([3], 4)


@pytest.mark.parametrize(
    "row, lower",
    [
        (Row("r", {"x": 0.5}, "<=", 1), None),  # type: ignore[dict-item]
        (Row("r", {"x": 1}, "<=", 0.5), None),  # type: ignore[arg-type]
        (Row("r", {"x": 1}, "<=", 1), {"x": 0.5}),
        (Row("r", {"x": "half"}, "<=", 1), None),
    ],
)
def test_floats_and_words_are_refused(row: Row, lower: dict[str, Fraction] | None) -> None:
    with pytest.raises(InputError) as error:
        Program.build(["x"], [row], lower=lower)
    assert error.value.code == "S101"


def test_unknown_names_and_senses() -> None:
    with pytest.raises(LookupError):
        Program.build(["x"], [Row("r", {"y": 1}, "<=", 1)])
    with pytest.raises(LookupError):
        Program.build(["x"], [Row("r", {"x": 1}, "<", 1)])
    with pytest.raises(ValueError, match="same name"):
        Program.build(["x", "x"], [])


@pytest.mark.parametrize(
    "change",
    [
        {"right": [1, 2]},
        {"objective": []},
        {"senses": np.array([], dtype=np.int8)},
        {"lower": [None, None]},
        {"row_names": []},
        {"objective_scale": 0},
    ],
)
def test_parts_that_do_not_fit(change: dict[str, object]) -> None:
    parts: dict[str, object] = {
        "matrix": IntegerMatrix((1, 1), [0, 1], [0], [1]),
        "senses": np.array([0], dtype=np.int8),
        "right": [1],
        "objective": [1],
    }
    Program(**parts)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        Program(**parts | change)  # type: ignore[arg-type]


def test_another_objective_shares_the_matrix() -> None:
    program = Program.build(["x"], [Row("r", {"x": 1}, "<=", 2)], {"x": 1})
    other = program.with_(objective=[-1], right=[5])
    assert other.matrix is program.matrix
    assert (other.objective, other.right, program.right) == ([-1], [5], [2])

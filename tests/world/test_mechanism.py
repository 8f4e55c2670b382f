"""Likelihood matrices as tables of values and codes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifier
from tests.definitions import drawn
from tests.drawing import examples
from verifier.base.errors import InputError
from verifier.world.mechanism import Mechanism, merge_proportional_rows

F = Fraction
EXAMPLES = examples(80)


def of_columns(columns: list[list[Fraction]]) -> Mechanism:
    rows = list(zip(*columns, strict=True))
    return Mechanism.from_rows([f"o{k}" for k in range(len(rows))], rows)


@EXAMPLES
@given(st.integers(1, 5).flatmap(drawn.matrices))
def test_codes_ascend_with_values(columns: list[list[Fraction]]) -> None:
    made = of_columns(columns)
    assert list(made.values) == sorted({p for column in columns for p in column})
    assert [list(column) for column in zip(*made.rows(), strict=True)] == columns
    assert made.codes.dtype == np.uint8 and made.worlds == len(columns)
    assert made.probability(0, 0) == columns[0][0]
    again = Mechanism.from_columns(made.outputs, map(made.row, range(len(made.outputs))))
    assert again.values == made.values and (again.codes == made.codes).all()


def test_values_that_agree_in_128_binary_places() -> None:
    """They differ by 10^-60 only, and are given in the wrong order, twice, with one unused."""
    tiny = F(1, 10**60)
    third = F(1, 3)
    values = [third + tiny, F(2, 3), third, third + tiny, F(7), F(2, 3) - tiny]
    codes = np.array([[0, 2, 3], [5, 1, 5]])
    made = Mechanism.of(["a", "b"], values, codes)
    assert made.values == (third, third + tiny, F(2, 3) - tiny, F(2, 3))
    assert made.codes.tolist() == [[1, 0, 1], [2, 3, 2]]


def test_many_values_need_wider_codes() -> None:
    rows = [[F(k, 600) for k in range(600)], [1 - F(k, 600) for k in range(600)]]
    made = Mechanism.from_rows(["a", "b"], rows)
    assert made.codes.dtype == np.uint16
    assert [list(row) for row in made.rows()] == rows


@pytest.mark.parametrize(
    ("outputs", "rows", "code"),
    [
        (["a", "b"], [[F(1, 2)], [F(1, 3)]], "S103"),
        (["a", "b"], [[F(3, 2)], [F(-1, 2)]], "S104"),
        (["a", "a"], [[F(1, 2)], [F(1, 2)]], "S105"),
        (["a"], [[F(1, 2)], [F(1, 2)]], "S105"),
        ([], [], "S105"),
        (["a"], [[]], "S105"),
        (["a", "b"], [[F(1), F(1)], [F(0)]], "S105"),
        (["a", "b"], [[0.5], [0.5]], "S101"),
        (["a", "b"], [["1/2"], ["half"]], "S101"),
        (["a", "b"], [[1 - F(1, 10**50)], [F(2, 10**50)]], "S103"),
    ],
)
def test_what_is_no_mechanism(outputs: list[str], rows: Any, code: str) -> None:
    with pytest.raises(InputError, match=code):
        Mechanism.from_rows(outputs, rows)


def test_the_first_world_with_a_wrong_sum_is_named() -> None:
    with pytest.raises(InputError, match="world number 2 sum to 5/6"):
        Mechanism.from_rows(["a", "b"], [["1/2", "1/2"], ["1/2", "1/3"]])


@EXAMPLES
@given(st.integers(1, 4).flatmap(drawn.matrices))
def test_proportional_rows_are_merged(columns: list[list[Fraction]]) -> None:
    merged = merge_proportional_rows(of_columns(columns))
    rows = list(zip(*columns, strict=True))
    parts = [label.split(" | ") for label in merged.outputs]
    assert sorted(name for part in parts for name in part) == [f"o{k}" for k in range(len(rows))]
    for at, part in enumerate(parts):
        inside = [rows[int(name[1:])] for name in part]
        for w in range(len(columns)):
            assert merged.probability(at, w) == sum(row[w] for row in inside)
        assert all(are_proportional(inside[0], row) for row in inside)
    firsts = [rows[int(part[0][1:])] for part in parts]
    for i, row in enumerate(firsts):
        for other in firsts[:i]:
            assert not are_proportional(row, other) or not any(row) or not any(other)


def are_proportional(x: Any, y: Any) -> bool:
    return all(x[i] * y[j] == x[j] * y[i] for i in range(len(x)) for j in range(len(x)))


MAKERS = {"of": 5, "from_rows": 4, "from_columns": 4}  # constructors, the place of `parts`
READERS = {"read_mechanism", "read_run", "read_released", "mechanism_of", "released_of"}


def test_whoever_is_given_mechanisms_says_that_another_is_made_of_them() -> None:
    """Else the new one would lose the mark of real numbers, and more would be said of it."""
    root = Path(verifier.__file__).parent
    careless = [
        f"{path.relative_to(root)}:{call.lineno}"
        for path in root.rglob("*.py")
        if "checker" not in path.parts
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef) and _is_given_mechanisms(function)
        for call in _made(function)
        if not any(key.arg == "parts" for key in call.keywords)
        and len(call.args) < MAKERS[call.func.attr]  # type: ignore[attr-defined]
    ]
    assert not careless


def test_no_mechanism_is_made_without_its_constructors() -> None:
    """But for the ends of boxes, which are no distributions."""
    root = Path(verifier.__file__).parent
    made = {
        f"{path.relative_to(root)}"
        for path in root.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Mechanism"
    }
    assert made == {"world/box.py", "questions/boxes.py"}


def _is_given_mechanisms(function: ast.FunctionDef) -> bool:
    given = [one.annotation for one in (*function.args.args, *function.args.kwonlyargs)]
    annotated = any(
        isinstance(part, ast.Name) and part.id == "Mechanism"
        for one in given
        if one is not None
        for part in ast.walk(one)
    )
    called = (part.func for part in ast.walk(function) if isinstance(part, ast.Call))
    return annotated or any(ast.unparse(one) in READERS for one in called)


def _made(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """Where a mechanism is made by a constructor."""
    for call in ast.walk(function):
        named = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
        if named.removeprefix("Mechanism.") in MAKERS and "." in named:
            yield call  # type: ignore[misc]

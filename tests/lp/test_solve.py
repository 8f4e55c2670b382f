"""Exact outcomes against z3, against all vertices, and against answers known by construction."""

from __future__ import annotations

import sys
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples, wider
from tests.lp.small import by_enumeration, by_z3, drawn, said
from verifier.checker import check
from verifier.lp import Optimal, Program, Row, Solver, basic_solution, solve
from verifier.lp.model.certificate import document

SOLVE = sys.modules["verifier.lp.solve"]
SIMPLEX = sys.modules["verifier.lp.exact.simplex"]


@pytest.mark.oracle
@pytest.mark.parametrize("chunk", range(wider(5, 10)))
def test_small_programs_as_z3_decides_them(chunk: int) -> None:
    random = Random(f"small {chunk}")
    for _ in range(100):
        parts = drawn(random)
        outcome = solve(parts.program)
        assert said(outcome) == by_z3(parts), parts.program.text()
        assert check(document(parts.program, outcome)).outcome == "accepted"


@pytest.mark.oracle
@pytest.mark.parametrize("way", ["oracle", "refinement", "revised"])
def test_every_way_to_an_outcome(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways of larger programs, taken by small ones."""
    monkeypatch.setattr(SOLVE, "TINY", -1)
    monkeypatch.setattr(SOLVE, "TINY_FEASIBILITY", -1)
    if way != "oracle":
        monkeypatch.setattr(SOLVE, "SMALL_FEASIBILITY", -1)
    if way == "revised":
        monkeypatch.setattr(SIMPLEX, "DENSE", -1)
        monkeypatch.setattr(SOLVE, "refined", lambda form, oracle, rounds: None)
    random = Random(way)
    for _ in range(100):
        parts = drawn(random)
        outcome = solve(parts.program)
        assert said(outcome) == by_z3(parts), parts.program.text()
        assert check(document(parts.program, outcome)).outcome == "accepted"


@pytest.mark.oracle
def test_an_oracle_that_always_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SOLVE, "TINY", -1)
    monkeypatch.setattr("verifier.lp.hints.oracle.Oracle.solve", lambda *_: "failed")
    random = Random("failing")
    for _ in range(60):
        parts = drawn(random)
        assert said(solve(parts.program)) == by_z3(parts), parts.program.text()


@given(
    st.integers(1, 3).flatmap(
        lambda n: st.tuples(
            st.lists(
                st.tuples(st.lists(st.integers(-3, 3), min_size=n, max_size=n), st.integers(-4, 4)),
                max_size=4,
            ),
            st.lists(st.integers(-3, 3), min_size=n, max_size=n),
        )
    )
)
@examples(150)
def test_twice_said(case: tuple[list[tuple[list[int], int]], list[int]]) -> None:
    rows, costs = case
    outcome = solve(program_of(rows, costs))
    assert said(outcome) == by_enumeration(rows, costs)
    if isinstance(outcome, Optimal):  # a start that need not suit the program
        others = [([a[0] - 1, *a[1:]], -b) for a, b in rows]
        again = solve(program_of(others, costs), outcome.basis)
        assert said(again) == by_enumeration(others, costs)


def program_of(rows: list[tuple[list[int], int]], costs: list[int]) -> Program:
    named = [
        Row(f"r{at}", dict(enumerate(a)), "<=", b) if at % 2 else
        Row(f"r{at}", {column: -v for column, v in enumerate(a)}, ">=", -b)
        for at, (a, b) in enumerate(rows)
    ]  # fmt: skip
    return Program.build([f"x{at}" for at in range(len(costs))], named, dict(enumerate(costs)))


@pytest.mark.parametrize(
    "rows, expected",
    [
        ([], 0),
        ([Row("zero", {}, "=", 0)], 0),
        ([Row("zero", {}, "<=", 1)], 0),
        ([Row("zero", {}, "=", 1)], "infeasible"),
        ([Row("zero", {}, ">=", "1e-30")], "infeasible"),
    ],
)
def test_no_columns(rows: list[Row], expected: object) -> None:
    program = Program.build([], rows)
    outcome = solve(program)
    assert said(outcome) == expected
    assert check(document(program, outcome)).outcome == "accepted"


def test_no_rows() -> None:
    assert said(solve(Program.build(["x"], [], {"x": -1}))) == 0
    assert said(solve(Program.build(["x"], [], {"x": 1}))) == "unbounded"
    assert said(solve(Program.build(["x"], [], {"x": 2}, upper={"x": "1/3"}))) == Fraction(2, 3)


def test_tiny_coefficients_are_not_lost() -> None:
    """What a float solver calls infeasible: 1e-30 x >= 1."""
    program = Program.build(["x"], [Row("tiny", {"x": "1e-30"}, ">=", 1)], {"x": -1})
    assert said(solve(program)) == -(10**30)


def test_gaps_decide_however_small() -> None:
    """x + y = 1 and x + y >= 1 + gap."""
    rows = [Row("sum", {"x": 1, "y": 1}, "=", 1)]
    for gap, expected in (("1e-30", "infeasible"), ("0", 0), ("-1e-30", 0)):
        more = Row("more", {"x": 1, "y": 1}, ">=", 1 + Fraction(gap))
        assert said(solve(Program.build(["x", "y"], [*rows, more]))) == expected


def test_crossed_bounds_are_infeasible() -> None:
    program = Program.build(["x", "y"], [], {"y": 1}, lower={"x": 1}, upper={"x": "1/2"})
    outcome = solve(program)
    assert said(outcome) == "infeasible"
    assert check(document(program, outcome)).outcome == "accepted"


def test_a_solver_serves_many_objectives_and_right_sides() -> None:
    """A transport between 12 sources and 12 sinks, large enough for the oracle: all of it goes the
    cheapest way."""
    size = 12
    names = [f"x{i},{j}" for i in range(size) for j in range(size)]
    rows = [
        Row(f"from{i}", {i * size + j: 1 for j in range(size)}, "<=", 1) for i in range(size)
    ] + [Row(f"to{j}", {i * size + j: 1 for i in range(size)}, ">=", 1) for j in range(size)]
    solver = Solver(Program.build(names, rows, {0: 0}))
    assert size * size * 2 * size > SOLVE.TINY_FEASIBILITY
    costs = [-((i - j) % size) for i in range(size) for j in range(size)]
    assert said(solver.maximise(costs)) == 0  # everything from i to i
    shifted = [-((i - j + 1) % size) - 1 for i in range(size) for j in range(size)]
    assert said(solver.maximise(shifted)) == -size
    assert said(solver.maximise(shifted, [2] * 2 * size)) == -2 * size
    assert said(solver.maximise(None, [1] * size + [2] * size)) == "infeasible"


def test_the_basis_of_an_optimum_gives_it_again() -> None:
    """x + 2 y <= 4, 3 x + y <= 6: the optimum of x + y is (8/5, 6/5)."""
    rows = [Row("a", {"x": 1, "y": 2}, "<=", 4), Row("b", {"x": 3, "y": 1}, "<=", 6)]
    program = Program.build(["x", "y"], rows, {"x": 1, "y": 1})
    outcome = solve(program)
    assert isinstance(outcome, Optimal)
    assert outcome.point.dense(2) == [Fraction(8, 5), Fraction(6, 5)]
    assert outcome.multipliers.dense(2) == [Fraction(2, 5), Fraction(1, 5)]
    point, multipliers = basic_solution(program, outcome.basis)
    assert point.dense(2) == outcome.point.dense(2)
    assert multipliers.dense(2) == outcome.multipliers.dense(2)
    moved, _ = basic_solution(program, outcome.basis, right=[5, 5])
    assert moved.dense(2) == [1, 2]

"""Sifting gives the answers of the whole model: exact outcomes, with every proof checked."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from tests.drawing import wider
from verifier.lp.hints.oracle import pays
from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.program import Infeasible, Optimal, Program, Unbounded
from verifier.lp.solve import Solver


def wide(seed: int, columns: int, sense: int, right: int = 6) -> Program:
    """Six rows with this sense over many columns; entries 1 to 99, gains 0 to 49."""
    numbers = np.random.default_rng(seed)
    table = numbers.integers(1, 100, (6, columns))
    matrix = IntegerMatrix(
        (6, columns), np.arange(7) * columns, np.tile(np.arange(columns), 6), table.reshape(-1)
    )
    senses = np.full(6, sense, dtype=np.int8)
    return Program(matrix, senses, [right] * 6, numbers.integers(0, 50, columns).tolist())


def bound(program: Program, outcome: Optimal) -> Fraction:
    """y·b, once y bounds the objective: reduced costs ≤ 0, signs of y by sense."""
    y = outcome.multipliers.dense(6)
    assert all(value * sense <= 0 for value, sense in zip(y, program.senses.tolist(), strict=True))
    scale = outcome.multipliers.denominator
    prices = program.matrix.transposed.times([int(value * scale) for value in y])
    assert all(c * scale <= p for c, p in zip(program.objective, prices, strict=True))
    return sum((v * b for v, b in zip(y, program.right, strict=True)), Fraction(0))


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    solving = import_module("verifier.lp.solve")  # the package has a function of that name
    monkeypatch.setattr(solving, "pays", lambda form: True)


@pytest.mark.parametrize("seed", range(5))
def test_optima_with_other_objectives(seed: int) -> None:
    """The model stays hot between objectives."""
    program = wide(seed, 900, -1)
    solver = Solver(program)
    for turn in range(3):
        costs = program.objective[turn:] + program.objective[:turn]
        outcome = solver.maximise(costs)
        assert isinstance(outcome, Optimal)
        assert bound(program.with_(objective=costs), outcome) == outcome.value
        x = outcome.point.dense(900)
        assert min(x) >= 0
        assert sum(c * v for c, v in zip(costs, x, strict=True)) == outcome.value


@pytest.mark.parametrize("sifting", [True, False])
def test_directions_of_the_best_points(sifting: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats point where the exact optimum is: the same shares of all columns."""
    monkeypatch.setattr(import_module("verifier.lp.solve"), "pays", lambda form: sifting)
    program = wide(7, 400, -1)
    solver = Solver(program)
    for turn in range(wider(1, 3)):
        costs = program.objective[turn:] + program.objective[:turn]
        direction, outcome = solver.direction(costs), Solver(program).maximise(costs)
        assert direction is not None and isinstance(outcome, Optimal)
        found, exact = direction.dense(400), outcome.point.dense(400)
        shares = [x / sum(found) - y / sum(exact) for x, y in zip(found, exact, strict=True)]
        assert max(map(abs, shares)) < 1e-9


def test_a_program_that_needs_one_column() -> None:
    """Only column 777 may be positive in the last row, which asks for 1."""
    program = wide(1, 900, -1, right=10**6)
    table = np.zeros((7, 900), dtype=np.int64)
    table[program.matrix.row_numbers, program.matrix.indices] = program.matrix.values
    table[6] = -1
    table[6, 777] = 3
    matrix = IntegerMatrix(
        (7, 900), np.arange(8) * 900, np.tile(np.arange(900), 7), table.reshape(-1)
    )
    senses = np.array([-1] * 6 + [1], dtype=np.int8)
    right = [10**6] * 6 + [1]
    outcome = Solver(Program(matrix, senses, right, [0] * 900)).maximise()
    assert isinstance(outcome, Optimal)
    assert outcome.point.fraction(777) >= Fraction(1, 3)
    table[6, 777] = -3
    matrix = IntegerMatrix(
        (7, 900), np.arange(8) * 900, np.tile(np.arange(900), 7), table.reshape(-1)
    )
    assert isinstance(Solver(Program(matrix, senses, right, [0] * 900)).maximise(), Infeasible)


def test_unbounded() -> None:
    assert isinstance(Solver(wide(2, 900, 1)).maximise(), Unbounded)


def test_when_it_pays() -> None:
    """Decided by shape alone: many columns, and many for each row."""
    solver = Solver(wide(3, 900, -1))
    form = solver.translation.form(solver.program.objective, solver.program.right)
    assert not pays(form)
    large = wide(3, 25_000, -1)
    solver = Solver(large)
    assert pays(solver.translation.form(large.objective, large.right))


def test_nothing_is_printed() -> None:
    """Whoever calls from Python has the standard output for himself."""
    ask = "from verifier.lp.hints.oracle import Quiet; Quiet().run(); print('done')"
    run = subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True, text=True)
    assert run.stdout == "done\n"

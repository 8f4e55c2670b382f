"""The ways from floats to exact outcomes, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from benchmarks.programs import near_tie_odds, odds_over_marginals
from verifier.lp import Basis, Infeasible, Optimal, Program, Row, Solver, Unbounded, Vector
from verifier.lp.exact.simplex import (
    Corner,
    Revised,
    Simplex,
    Tableau,
    is_farkas,
    pivoted,
    regular_part,
)
from verifier.lp.exact.square import SingularMatrix
from verifier.lp.hints.oracle import DUAL, Oracle
from verifier.lp.hints.refine import inside, magnified, refined
from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.program import Standard, Translation
from verifier.lp.ratio import sliced


def standard(program: Program) -> Standard:
    return Translation(program).form(program.objective, program.right)


def basis(columns: Sequence[int], rows: Sequence[int]) -> Basis:
    return Basis(np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64))


def random_cover(size: int, seed: str) -> Standard:
    """maximise Σ x subject to dense random rows a·x <= b: feasible and bounded."""
    random = Random(seed)
    rows = [
        Row(f"r{i}", {j: random.randint(1, 999) for j in range(size)}, "<=", random.randint(1, 999))
        for i in range(size)
    ]
    names = [f"x{j}" for j in range(size)]
    return standard(Program.build(names, rows, dict.fromkeys(range(size), 1)))


def test_refinement_and_pivots_reach_the_same_optimum() -> None:
    for seed in ("a", "b", "c"):
        form = random_cover(12, seed)
        outcome, exact = refined(form, Oracle(form)), pivoted(form)
        assert isinstance(outcome, Optimal) and isinstance(exact, Optimal)
        assert outcome.value == exact.value


def test_optima_that_floats_cannot_tell_apart() -> None:
    """maximise Σ (1 + j/10^25) x_j with Σ x_j = 1: the last column, by 1e-25."""
    columns = [f"x{j}" for j in range(30)]
    rows = [Row("sum", dict.fromkeys(range(30), 1), "=", 1)]
    rows += [Row(f"most{j}", {j: 1}, "<=", 1) for j in range(30)]
    costs = {j: 1 + Fraction(j, 10**25) for j in range(30)}
    form = standard(Program.build(columns, rows, costs))
    outcome = refined(form, Oracle(form))
    assert isinstance(outcome, Optimal)
    assert outcome.point == Vector({29: 1})


def test_magnified_violations_have_size_one() -> None:
    costs = np.array([0.5, 0.75, -0.5, 0.0])
    values = magnified(costs, np.array([-100, -101, 40, 0]), 0)
    assert values.tolist() == [0.5, 0.375, -1e7, 0.0]
    turned = magnified(costs, np.array([-100, -101, 40, 0]), 0, -1)
    assert turned[2] == -0.5 and 0 < turned[0] < 1e-40


def test_rounded_rays_are_short() -> None:
    """A float ray, rounded to 40 bits and moved inside, proves that nothing is feasible; the exact
    one, by pivots, has long integers."""
    random = Random("short")
    size = 30
    rows = [Row(f"r{i}", {j: random.randint(1, 999) for j in range(size)}, "=", i) for i in (0, 1)]
    rows += [
        Row(f"r{i}", {j: random.randint(1, 999) for j in range(size)}, "=", 0)
        for i in range(2, size)
    ]
    form = standard(Program.build([f"x{j}" for j in range(size)], rows))
    outcome = refined(form, Oracle(form))
    assert isinstance(outcome, Infeasible) and is_farkas(form, outcome.multipliers)
    assert max(abs(value) for value in outcome.multipliers.numerators.values()) < 2**60


def test_moved_inside_by_the_rows_of_one_sign() -> None:
    """x − 2 y = −1 plus −x + y = −3 says −y = −4, which refutes nothing; with x + y = 0 added it
    says x = −4, which does."""
    rows = [
        Row("a", {"x": 1, "y": -2}, "=", -1),
        Row("b", {"x": -1, "y": 1}, "=", -3),
        Row("c", {"x": 1, "y": 1}, "=", 0),
    ]
    form = standard(Program.build(["x", "y"], rows))
    near = Vector({0: 1, 1: 1})
    assert not is_farkas(form, near)
    moved = inside(form, near)
    assert moved.numerators == {0: 1, 1: 1, 2: 1}
    assert is_farkas(form, moved)


@pytest.mark.parametrize(
    "numerators, proves",
    [({0: 1, 1: -1}, True), ({0: 1}, False), ({0: -1, 1: 1}, False), ({0: 2, 1: -1}, False)],
)
def test_exact_refutations(numerators: dict[int, int], proves: bool) -> None:
    """x + y <= 1, x + y >= 2."""
    rows = [Row("a", {"x": 1, "y": 1}, "<=", 1), Row("b", {"x": 1, "y": 1}, ">=", 2)]
    form = standard(Program.build(["x", "y"], rows))
    assert is_farkas(form, Vector(numerators)) == proves


def test_a_singular_basis_is_repaired() -> None:
    """Two equal columns are no basis; the repaired one and both tableaux reach the optimum."""
    rows = [Row("a", {"x": 1, "y": 1, "z": 2}, "<=", 4), Row("b", {"x": 1, "y": 1}, "<=", 3)]
    form = standard(Program.build(["x", "y", "z"], rows, {"x": 1, "z": 1}))
    wanted = basis([0, 1], [0, 1])
    with pytest.raises(SingularMatrix):
        _ = Corner(form, wanted).primal
    matrix = IntegerMatrix((2, 2), [0, 2, 4], [0, 1, 0, 1], [1, 1, 1, 1])
    assert [len(part) for part in regular_part(matrix)] == [1, 1]
    for tableau in (Revised(form, wanted), Tableau(form, wanted)):
        outcome = Simplex(form, tableau).run()
        assert isinstance(outcome, Optimal) and outcome.value == Fraction(7, 2)


def test_an_oracle_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = near_tie_odds(5, Fraction(9, 10), 12, -1)
    solver = Solver(instance.program)

    class Broken:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError(name)

    form = standard(instance.program)
    oracle = Oracle(form)
    monkeypatch.setattr(oracle, "highs", Broken())
    monkeypatch.setattr(oracle, "basis", lambda: None)
    assert refined(form, oracle) is None
    monkeypatch.setitem(solver.__dict__, "_oracle", oracle)
    assert isinstance(solver.maximise(), Infeasible)


def test_an_oracle_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS that stops after no pivots leaves a basis to go on from."""
    odds = odds_over_marginals(5)
    program = sliced(odds.cone).with_(objective=odds.above)
    expected = Solver(program).maximise()
    solver = Solver(program)
    solver._oracle.highs.setOptionValue("simplex_iteration_limit", 0)
    outcome = solver.maximise()
    assert isinstance(outcome, Optimal) and isinstance(expected, Optimal)
    assert outcome.value == expected.value


def test_unbounded_after_a_large_feasible_program() -> None:
    columns = [f"x{j}" for j in range(40)]
    rows = [Row(f"r{j}", {j: 1, (j + 1) % 40: -1}, "<=", j % 3) for j in range(40)]
    outcome = Solver(Program.build(columns, rows, {0: 1})).maximise()
    assert isinstance(outcome, Unbounded)
    assert set(outcome.ray.dense(40)) == {outcome.ray.fraction(0)}


def test_an_oracle_that_wrongly_finds_nothing_feasible() -> None:
    """Without a proof it is not believed, and its basis is refined all the same."""

    class Mistaken(Oracle):
        calls = 0

        def solve(
            self,
            costs: np.ndarray,
            lower: np.ndarray,
            right: np.ndarray,
            methods: tuple[int, ...] = DUAL,
        ) -> str:
            super().solve(costs, lower, right, methods)
            self.calls += 1
            return "infeasible"

    form = random_cover(15, "mistaken")
    oracle = Mistaken(form)
    assert isinstance(refined(form, oracle), Optimal)
    assert oracle.calls < 10

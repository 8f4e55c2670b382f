"""Post-processing between channels; programs that their equations decide."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lp.model.test_integers import sparse
from verifier.lp import channels
from verifier.lp.channels import (
    Channel,
    Equations,
    Garbling,
    NoGarbling,
    garbling,
    garbling_program,
)
from verifier.lp.exact.determined import determined
from verifier.lp.exact.simplex import pivoted
from verifier.lp.model.program import Infeasible, Optimal, Program, Row, Translation
from verifier.lp.solve import solve

Rows = Sequence[Sequence[int]]
T = TypeVar("T", int, Fraction)


def channel(rows: Rows) -> Channel:
    return Channel(sparse(rows, len(rows[0])), sum(rows[0]))


def solves(program: Program, point: Sequence[Fraction]) -> bool:
    """Whether x ≥ 0 meets every equation, in Fractions."""
    dense = rows_of(program)
    sums = [sum(a * x for a, x in zip(row, point, strict=True) if a) for row in dense]
    return min(point) >= 0 and sums == list(program.right)


def refutes(program: Program, multipliers: Sequence[Fraction]) -> bool:
    """Whether y·A ≥ 0 and y·b < 0, in Fractions."""
    columns = zip(*rows_of(program), strict=True)
    sums = [sum(y * a for y, a in zip(multipliers, line, strict=True) if a) for line in columns]
    total = sum(y * b for y, b in zip(multipliers, program.right, strict=True))
    return min(sums, default=0) >= 0 > total


def rows_of(program: Program) -> list[list[int]]:
    matrix, rows = program.matrix, [[0] * program.matrix.shape[1] for _ in program.right]
    for i, j, value in zip(matrix.row_numbers, matrix.indices, matrix.values, strict=True):
        rows[i][j] = int(value)
    return rows


def decided(first: Channel, second: Channel) -> bool:
    """The answer of `garbling`, once its proof holds."""
    answer, a, b = garbling(first, second), table(first), table(second)
    inner, outer = len(a[0]), len(b[0])
    if isinstance(answer, Garbling):
        flat = answer.channel.dense(inner * outer)
        x = [flat[at : at + outer] for at in range(0, len(flat), outer)]
        assert min(flat) >= 0 and all(sum(row) == 1 for row in x)
        assert after(a, x) == b
        return True
    assert isinstance(answer, NoGarbling)
    pays = answer.payoff.dense(len(a) * outer)
    earned = sum(u * v for u, v in zip(pays, [v for row in b for v in row], strict=True))
    best = sum(
        max(sum(pays[w * outer + j] * a[w][i] for w in range(len(a))) for j in range(outer))
        for i in range(inner)
    )
    assert earned > best
    return False


def table(channel: Channel) -> list[list[Fraction]]:
    """The probabilities, in Fractions."""
    matrix, scale = channel.entries, channel.scale
    found = [[Fraction(0)] * matrix.shape[1] for _ in range(matrix.shape[0])]
    for i, j, value in zip(matrix.row_numbers, matrix.indices, matrix.values, strict=True):
        found[i][j] = Fraction(int(value), scale)
    return found


def after(first: Sequence[Sequence[T]], second: Sequence[Sequence[T]]) -> list[list[T]]:
    return [
        [
            sum((a * row[j] for a, row in zip(line, second, strict=True)), start=line[0] * 0)
            for j in range(len(second[0]))
        ]
        for line in first
    ]


def stochastic(numbers: np.random.Generator, rows: int, columns: int) -> list[list[int]]:
    """Random entries, some zero, over the denominator 60."""
    found = []
    for _ in range(rows):
        cuts = np.sort(numbers.integers(0, 61, columns - 1))
        found.append(np.diff(np.concatenate([[0], cuts, [60]])).tolist())
    return found


def test_by_hand() -> None:
    """Keeping a bit with 3/4, then with 5/6, keeps it with 2/3; not the other way round."""
    good, worse = channel([[3, 1], [1, 3]]), channel([[2, 1], [1, 2]])
    answer = garbling(good, worse)
    assert isinstance(answer, Garbling)
    sixth = Fraction(1, 6)
    assert answer.channel.dense(4) == [1 - sixth, sixth, sixth, 1 - sixth]
    assert not decided(worse, good)
    assert decided(good, good)


@pytest.mark.parametrize("gap", [1, 5, 12, 30, 200])
def test_gaps(gap: int) -> None:
    """Keeping with 3/4 − 10^-gap is noisier than 3/4; keeping with 3/4 + 10^-gap is not."""
    size = 4 * 10**gap
    base = channel([[3, 1], [1, 3]])
    for by, expected in ((-4, True), (0, True), (4, False)):
        stay = 3 * 10**gap + by
        assert decided(base, channel([[stay, size - stay], [size - stay, stay]])) == expected


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.integers(1, 4))
def test_what_is_composed_is_a_garbling(seed: int, worlds: int, inner: int, outer: int) -> None:
    """Also where the first channel has dependent columns, and more outputs than worlds."""
    numbers = np.random.default_rng(seed)
    first, then = stochastic(numbers, worlds, inner), stochastic(numbers, inner, outer)
    assert decided(channel(first), channel(after(first, then)))


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 4), st.integers(2, 4))
def test_unrelated_channels(seed: int, worlds: int, inner: int, outer: int) -> None:
    """Whatever the answer, its proof holds; and no loss in total variation means it is no."""
    numbers = np.random.default_rng(seed)
    first, second = stochastic(numbers, worlds, inner), stochastic(numbers, worlds, outer)
    answer = decided(channel(first), channel(second))

    def distance(rows: Rows) -> int:
        return sum(abs(a - b) for a, b in zip(rows[0], rows[1], strict=True))

    if distance(second) > distance(first):
        assert not answer


def split_columns(rows: Rows) -> list[list[int]]:
    """Every output twice, once with a third of its probability: more outputs than worlds, and what
    is a garbling stays the same."""
    return [[part for v in row for part in (v, 2 * v)] for row in rows]


@pytest.mark.parametrize("gap", [1, 3, 6, 12, 30, 200])
@pytest.mark.parametrize("by", [1, 0, -1])
def test_near_ties_with_more_outputs_than_worlds(gap: int, by: int) -> None:
    """Keeping 3/4 and then 1 − x, for x = 10^-gap, 0 and −10^-gap: the only post-processing has the
    entry x, so the answer turns with its sign."""
    one = 10**gap
    base = [[3, 1], [1, 3]]
    second = after(base, [[one - by, by], [by, one - by]])
    assert decided(channel(split_columns(base)), channel(second)) == (by >= 0)


@pytest.mark.parametrize("seed", range(5))
def test_newton_decides_random_channels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wide channels without zeros: a garbling, and an unrelated channel that is none, as one of its
    outputs tells two worlds apart better than any of the first."""
    numbers = np.random.default_rng(seed)
    first = spread(numbers, 6, 9)
    then = spread(numbers, 9, 7)
    monkeypatch.setattr(channels, "_by_program", None)
    assert decided(channel(first), channel(after(first, then)))
    sharp = [[1, 0] if world else [0, 1] for world in range(6)]
    second = [[500 * a for a in row] + line for row, line in zip(sharp, then[:6], strict=True)]
    assert not decided(channel(first), channel(level(second)))


def spread(numbers: np.random.Generator, rows: int, columns: int) -> list[list[int]]:
    """Rows of positive integers with one sum."""
    return level(numbers.integers(1, 13, (rows, columns)).tolist())


def level(rows: Rows) -> list[list[int]]:
    """The rows, multiplied so that all have one sum."""
    whole = lcm(*map(sum, rows))
    return [[v * (whole // sum(row)) for v in row] for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_newton_decides_where_entries_are_zero(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs that are merged, of which some never occur; and a post-processing half of zeros."""
    numbers = np.random.default_rng(seed)
    monkeypatch.setattr(channels, "_by_program", None)
    first = spread(numbers, 6, 9)
    merged = [[int(j == i % 3) for j in range(4)] for i in range(9)]
    assert decided(channel(first), channel(after(first, merged)))
    half = [[v * ((i + j) % 2) for j, v in enumerate(row)] for i, row in enumerate(merged)]
    half = level([[v + (i + j) % 2 for j, v in enumerate(row)] for i, row in enumerate(half)])
    assert decided(channel(first), channel(after(first, half)))


def test_the_program_decides_what_newton_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry of 10^-30, which floats take for 0."""
    asked, by_program = [], channels._by_program
    monkeypatch.setattr(channels, "_by_program", lambda e: asked.append(e) or by_program(e))
    second = after([[3, 1], [1, 3]], [[10**30 - 1, 1], [1, 10**30 - 1]])
    assert decided(channel(split_columns([[3, 1], [1, 3]])), channel(second))
    assert len(asked) == 1


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 10**3, 10**8, 10**30]))
def test_wide_channels_against_pivots(seed: int, part: int) -> None:
    """Channels with zeros, and others that are a `part` away: as the exact simplex method says."""
    numbers = np.random.default_rng(seed)
    first, then = stochastic(numbers, 3, 5), stochastic(numbers, 5, 3)
    other = stochastic(numbers, 3, 3)
    near = [
        [(part - 1) * a + 60 * b for a, b in zip(*rows, strict=True)]
        for rows in zip(after(first, then), other, strict=True)
    ]
    a, b = channel(first), channel(near)
    program = garbling_program(Equations.of(a, b))
    expected = pivoted(Translation(program).form(program.objective, program.right))
    assert decided(a, b) == isinstance(expected, Optimal)


def test_denominators_beyond_floats() -> None:
    """Keeping a bit with 3/4, then with 1 − 10^-400, in a channel with more outputs than worlds."""
    one = 10**400
    base = [[3, 1], [1, 3]]
    second = after(base, [[one - 1, 1], [1, one - 1]])
    assert decided(channel(split_columns(base)), channel(second))
    assert not decided(channel(split_columns(second)), channel(base))


def test_worlds_that_repeat_and_contradict() -> None:
    """The first channel has a row twice: the second must have, too."""
    first = [[1, 2, 3], [3, 2, 1], [1, 2, 3]]
    assert decided(channel(first), channel([[2, 4], [3, 3], [2, 4]]))
    assert not decided(channel(first), channel([[2, 4], [3, 3], [3, 3]]))


def response(bits: int, stay: int, flip: int) -> list[list[int]]:
    matrix = np.ones((1, 1), dtype=np.int64)
    for _ in range(bits):
        matrix = np.kron(matrix, [[stay, flip], [flip, stay]])
    return [[int(value) for value in row] for row in matrix]


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_the_general_program_agrees(bits: int) -> None:
    """Keeping with 3/4 against 2/3: `determined`, `solve` and `garbling` decide alike."""
    good, worse = channel(response(bits, 3, 1)), channel(response(bits, 2, 1))
    for first, second, expected in ((good, worse, True), (worse, good, False)):
        assert decided(first, second) == expected
        program = garbling_program(Equations.of(first, second))
        for outcome in (determined(program), solve(program)):
            assert isinstance(outcome, Optimal) == expected
            if isinstance(outcome, Optimal):
                assert outcome.value == 0
                assert solves(program, outcome.point.dense(program.matrix.shape[1]))
            else:
                assert isinstance(outcome, Infeasible)
                assert refutes(program, outcome.multipliers.dense(program.matrix.shape[0]))


@st.composite
def equations(draw: st.DrawFn) -> Program:
    """Blocks of equations for the same unknowns, some repeated, in any order; one may be wrong."""
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, count = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    names = [f"x{j}" for j in range(size * count)]
    point = numbers.integers(-1, 6, size * count)
    big = 10 ** draw(st.sampled_from([0, 30]))
    rows = []
    for block in range(count):
        inside = range(size * block, size * (block + 1))
        for _ in range(size + draw(st.integers(0, 2))):
            terms = {j: int(numbers.integers(-4, 5)) for j in inside}
            rows.append((terms, big * sum(v * int(point[j]) for j, v in terms.items())))
    whole = dict.fromkeys(range(size * count), 1)
    rows.append((whole, big * int(point.sum())))
    order = draw(st.permutations(range(len(rows))))
    rows = [rows[at] for at in order]
    wrong = draw(st.sampled_from([0, 0, 1, -1]))
    rows[0] = (rows[0][0], rows[0][1] + wrong)
    lines = [Row(f"r{i}", terms, "=", right) for i, (terms, right) in enumerate(rows)]
    return Program.build(names, lines, {})


@given(equations())
def test_equations_that_determine(program: Program) -> None:
    """The proof holds, and the general solver agrees."""
    outcome = determined(program)
    expected = solve(program)
    if outcome is not None:
        assert type(outcome) is type(expected)
        if isinstance(outcome, Optimal):
            assert solves(program, outcome.point.dense(program.matrix.shape[1]))
        else:
            assert refutes(program, outcome.multipliers.dense(program.matrix.shape[0]))


def test_what_equations_do_not_determine() -> None:
    """Inequalities, an objective, bounds, or too few equations: another way must decide."""
    row = Row("r", {"x": 1}, "=", 1)
    assert determined(Program.build(["x"], [row], {})) is not None
    assert determined(Program.build(["x"], [row], {"x": 1})) is None
    assert determined(Program.build(["x"], [Row("r", {"x": 1}, "<=", 1)], {})) is None
    assert determined(Program.build(["x"], [row], {}, upper={"x": 2})) is None
    assert determined(Program.build(["x", "y"], [row, row], {})) is None
    twice = Row("s", {"x": 2, "y": 2}, "=", 2), Row("r", {"x": 1, "y": 1}, "=", 1)
    assert determined(Program.build(["x", "y"], twice, {})) is None


def test_what_is_no_channel() -> None:
    with pytest.raises(ValueError, match="sum"):
        Channel(sparse([[1, 2], [2, 2]], 2), 3)
    with pytest.raises(ValueError, match="negative"):
        Channel(sparse([[4, -1]], 2), 3)
    with pytest.raises(ValueError, match="worlds"):
        garbling(channel([[1]]), channel([[1], [1]]))


def test_large_programs_are_first_seen_as_equations() -> None:
    """Four bits, 272 equations and 256 unknowns: the equations decide, with no multipliers."""
    good, worse = channel(response(4, 3, 1)), channel(response(4, 2, 1))
    for first, second, expected in ((good, worse, True), (worse, good, False)):
        program = garbling_program(Equations.of(first, second))
        outcome = solve(program)
        assert isinstance(outcome, Optimal) == expected
        assert type(outcome) is type(determined(program))
        if isinstance(outcome, Optimal):
            assert not outcome.multipliers.numerators
            assert solves(program, outcome.point.dense(256))

"""Programs with powers of e: against all bases in 60 digits, and ties that are identities."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import mpmath
import pytest

from verifier.base.errors import LimitReached
from verifier.base.exponential import power
from verifier.lp import Infeasible, Optimal, Outcome, Row, Unbounded, solve_rows
from verifier.lp.exact import field
from verifier.lp.irrational import proposed, rounded
from verifier.lp.model.program import Vector

E = power(1)
CLEAR = mpmath.mpf(10) ** -40
PARTS: list[tuple[Fraction, Any]] = [  # a number, and how mpmath finds it
    (Fraction(0), lambda: mpmath.mpf(0)),
    (Fraction(0), lambda: mpmath.mpf(0)),
    (Fraction(1), lambda: mpmath.mpf(1)),
    (Fraction(-2), lambda: mpmath.mpf(-2)),
    (E, lambda: mpmath.e),
    (-power(Fraction(1, 2)), lambda: -mpmath.exp(0.5)),
    (1 / (1 + E), lambda: 1 / (1 + mpmath.e)),
    (E / (3 - E), lambda: mpmath.e / (3 - mpmath.e)),
    (E - Fraction(2718281828, 10**9), lambda: mpmath.e - mpmath.mpf(2718281828) / 10**9),
]


@pytest.fixture(autouse=True)
def digits() -> Any:
    with mpmath.workdps(80):
        yield


def drawn(random: Random) -> tuple[list[Row], dict[int, Fraction], Any]:
    """Rows, an objective, and the same in digits: rows of n + 1 numbers, senses, costs."""
    n, m = random.randint(2, 4), random.randint(1, 3)
    table = [[random.choice(PARTS) for _ in range(n + 1)] for _ in range(m)]
    table[0][0] = PARTS[4]
    senses = [random.choice(["<=", "<=", "=", ">="]) for _ in range(m)]
    costs = [random.choice(PARTS) for _ in range(n)]
    rows = [
        Row("", {at: value for at, (value, _) in enumerate(row[:n]) if value}, sense, row[n][0])
        for row, sense in zip(table, senses, strict=True)
    ]
    near = [[digits() for _, digits in row] for row in table]
    return (
        rows,
        {at: v for at, (v, _) in enumerate(costs) if v},
        (near, senses, [d() for _, d in costs]),
    )


def determinant(rows: list[list[Any]]) -> Any:
    """By the first column."""
    if not rows:
        return mpmath.mpf(1)
    minors = ([row[1:] for i, row in enumerate(rows) if i != at] for at in range(len(rows)))
    signed = enumerate(zip(rows, minors, strict=True))
    return sum((-1) ** at * row[0] * determinant(minor) for at, (row, minor) in signed)


def corners(near: list[list[Any]], senses: list[str]) -> list[list[Any]] | None:
    """All feasible corners in digits, by choosing columns and tight rows; None where some sign is
    not clear, unless the value is 0 for want of any term."""
    n, found = len(near[0]) - 1, []
    for k in range(min(n, len(near)) + 1):
        for columns in combinations(range(n), k):
            for tight in combinations(range(len(near)), k):
                x = [mpmath.mpf(0)] * n
                kernel = [[near[i][j] for j in columns] for i in tight]
                whole = determinant(kernel)
                if abs(whole) < CLEAR:
                    continue
                for at, j in enumerate(columns):
                    replaced = [
                        [*row[:at], near[i][n], *row[at + 1 :]]
                        for i, row in zip(tight, kernel, strict=True)
                    ]
                    value = determinant(replaced) / whole  # Cramer
                    x[j] = value if abs(value) > CLEAR else mpmath.mpf(0)
                slacks = [row[n] - sum(a * v for a, v in zip(row, x, strict=False)) for row in near]
                fits = all(
                    abs(s) < CLEAR or (sense != "=" and (s > 0) == (sense == "<="))
                    for s, sense in zip(slacks, senses, strict=True)
                )
                if fits and min(x) >= 0:
                    found.append(x)
    return found


def is_proved(outcome: Outcome, rows: list[Row], costs: dict[int, Fraction], n: int) -> bool:
    """What an outcome says of itself, multiplied out in exact numbers."""
    if isinstance(outcome, Unbounded):
        gain = sum(c * outcome.ray.fraction(at) for at, c in costs.items())
        return gain > 0 and _fits(outcome.ray, rows, 0) and _fits(outcome.point, rows, 1)
    y = outcome.multipliers.dense(len(rows))
    signed = all(
        value == 0 or row.sense == "=" or (value > 0) == (row.sense == "<=")
        for value, row in zip(y, rows, strict=True)
    )
    gains = [
        sum(v * row.terms.get(at, 0) for v, row in zip(y, rows, strict=True)) for at in range(n)
    ]
    bound = sum(v * row.right for v, row in zip(y, rows, strict=True))
    if isinstance(outcome, Infeasible):
        return signed and min(gains) >= 0 and bound < 0
    value = sum(c * outcome.point.fraction(at) for at, c in costs.items())
    proved = all(gains[at] >= costs.get(at, 0) for at in range(n))
    return signed and proved and value == bound == outcome.value and _fits(outcome.point, rows, 1)


def _fits(x: Vector, rows: list[Row], scale: int) -> bool:
    for row in rows:
        slack = row.right * scale - sum(a * x.fraction(at) for at, a in row.terms.items())
        if slack and (row.sense == "=" or (slack > 0) != (row.sense == "<=")):
            return False
    return all(value >= 0 for value in x.numerators.values())


@pytest.mark.parametrize("chunk", range(6))
def test_small_programs_against_all_their_bases(chunk: int) -> None:
    random, kinds = Random(f"field {chunk}"), set()
    for _ in range(60):
        rows, costs, (near, senses, digits) = drawn(random)
        n = len(digits)
        found = solve_rows(n, rows, costs)
        kinds.add(type(found))
        assert is_proved(found, rows, costs, n)
        known = corners(near, senses)
        assert isinstance(found, Infeasible) == (not known)
        if isinstance(found, Optimal):
            best = max(sum(c * v for c, v in zip(digits, x, strict=True)) for x in known or ())
            assert abs(mpmath.mpf(float(found.value)) - best) < 1e-9 * (1 + abs(best))
    assert len(kinds) > 1


def test_a_mixture_that_both_ends_of_an_enclosure_refuse() -> None:
    p, q = 1 / (1 + E), E / (1 + E)
    half = Fraction(1, 2)
    rows = [Row("", {0: p, 1: q}, "=", half), Row("", {0: q, 1: p}, "=", half)]
    found = solve_rows(2, [*rows, Row("", {0: 1, 1: 1}, "=", 1)])
    assert isinstance(found, Optimal)
    assert found.point.dense(2) == [half, half]
    for end in (Fraction(27, 10), Fraction(28, 10)):
        ends = [{0: 1 / (1 + end), 1: Fraction(73, 100)}, {0: Fraction(73, 100), 1: 1 / (1 + end)}]
        near = [Row("", terms, "=", half) for terms in ends]
        assert isinstance(solve_rows(2, [*near, Row("", {0: 1, 1: 1}, "=", 1)]), Infeasible)


@pytest.mark.parametrize("hair", [Fraction(1, 10**25), Fraction(-1, 10**25)])
def test_a_hair_beside_a_tie(hair: Fraction) -> None:
    """x <= e/(1 + e) and x >= e/(1 + e) + hair."""
    p = E / (1 + E)
    rows = [Row("", {0: 1}, "<=", p), Row("", {0: 1}, ">=", p + hair)]
    found = solve_rows(1, rows)
    assert isinstance(found, Infeasible) == (hair > 0)
    assert is_proved(found, rows, {}, 1)
    tied = solve_rows(1, [rows[0], Row("", {0: 1}, ">=", p)])
    assert isinstance(tied, Optimal)
    assert tied.point.fraction(0) == p


def test_free_columns_and_upper_ends() -> None:
    rows = [Row("", {0: 1, 1: E}, "=", 1), Row("", {1: 1}, "<=", 5)]
    found = solve_rows(2, rows, {0: Fraction(-1)}, free=[0], upper={1: 2})
    assert isinstance(found, Optimal)
    assert (found.value, found.point.dense(2)) == (2 * E - 1, [1 - 2 * E, 2])
    assert len(found.multipliers.dense(2)) == 2
    endless = solve_rows(2, rows[:1], {0: Fraction(-1)}, free=[0])
    assert isinstance(endless, Unbounded)
    assert endless.ray.fraction(0) == -E * endless.ray.fraction(1)


def test_exponents_that_are_far_apart() -> None:
    """No polynomial of so many terms is ever written out."""
    near = power(1 + Fraction(1, 10**30))
    found = solve_rows(
        2, [Row("", {0: E, 1: near}, "=", 1), Row("", {0: near}, "<=", 1)], {0: near}
    )
    assert isinstance(found, Optimal)
    assert found.value == 1
    assert found.point.fraction(1) == (near - E) / near**2


def test_what_takes_too_long_is_left_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row("", {0: E, 1: 1}, "<=", 1), Row("", {0: 1, 1: E}, "<=", 1)]
    gains = {0: Fraction(1), 1: Fraction(1)}
    with monkeypatch.context() as patch:
        patch.setattr(field, "MOST_ENTRIES", 8)
        with pytest.raises(LimitReached, match="irrational: a linear program of 2 rows"):
            solve_rows(2, rows, gains)
    with monkeypatch.context() as patch:
        patch.setattr(field, "MOST_WORK", 1)
        with pytest.raises(LimitReached, match="the numbers became too long"):
            solve_rows(2, rows, gains)
    with monkeypatch.context() as patch:
        patch.setattr("verifier.lp.irrational.proposed", lambda *_: None)
        assert isinstance(solve_rows(2, rows, gains), Optimal)  # pivots alone end there too
        patch.setattr(field, "MOST_PIVOTS", 1)
        with pytest.raises(
            LimitReached,
            match="exact pivots, to the basis of floats and from there, and it did not end",
        ):
            solve_rows(2, rows, gains)
        demands = [Row("", row.terms, ">=", 1) for row in rows]
        with pytest.raises(
            LimitReached,
            match="exact pivots, to the basis of floats and from there, and it did not end",
        ):
            solve_rows(2, demands)


def test_a_program_without_entries_has_no_basis_to_propose() -> None:
    assert proposed(1, [Row("", {}, "<=", E)], {}) is None
    assert isinstance(solve_rows(1, [Row("", {}, "<=", -E)]), Infeasible)


def test_an_unbounded_program_proposes_a_feasible_basis() -> None:
    found = proposed(2, [Row("", {0: 1, 1: -E}, "=", 1)], {0: Fraction(1)})
    assert found is not None
    assert len(found.rows) == 1


def test_rounded_vectors_come_near() -> None:
    first, second, _ = rounded(Vector({0: -E, 3: Fraction(1)}))
    assert first.numerators[0] == -(2**64)
    assert abs(Fraction(second.numerators[3], -second.numerators[0]) - 1 / E) < Fraction(1, 2**250)


def test_rational_vectors_are_not_rounded() -> None:
    """A proof by them may hold by nothing at all."""
    (found,) = rounded(Vector({0: Fraction(1, 3), 2: Fraction(-1, 2**2000)}))
    assert found.numerators == {0: 2**2000, 2: -3}

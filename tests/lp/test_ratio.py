"""Largest ratios, by hand and by the vertices of small polyhedra."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from random import Random

import pytest

from benchmarks.programs import odds_over_marginals, odds_over_sparse_bands
from tests.lp.small import dot, vertices
from verifier.lp import Program, Row, Solver
from verifier.lp.ratio import Empty, Infinite, Largest, Undefined, largest_ratio, sliced


def box(*rows: Row, columns: int = 2) -> Solver:
    return Solver(Program.build([f"x{at}" for at in range(columns)], rows))


SUM = Row("sum", {0: 1, 1: 1}, "=", 1)
HALF = Row("half", {0: 1}, "<=", "1/2")


def test_attained_at_a_corner() -> None:
    """(3 x + y) / (x + 2 y) on x + y = 1, x <= 1/2: largest at (1/2, 1/2), where it is 4/3."""
    found = largest_ratio(box(SUM, HALF), [3, 1], [1, 2])
    assert isinstance(found, Largest)
    assert (found.value, found.attained) == (Fraction(4, 3), True)
    assert found.point.dense(2) == [Fraction(1, 2), Fraction(1, 2)]
    assert found.proof.value == 0


@pytest.mark.parametrize("above, value", [([0, 0], 0), ([-1, -2], -1), ([-3, 0], 0)])
def test_ratios_that_are_not_positive(above: list[int], value: int) -> None:
    found = largest_ratio(box(SUM), above, [1, 1])
    assert isinstance(found, Largest) and found.value == value


def test_infinite() -> None:
    found = largest_ratio(box(SUM), [1, 0], [0, 1])
    assert isinstance(found, Infinite)
    assert found.point.dense(2) == [1, 0]


def test_nothing_is_compared() -> None:
    assert isinstance(largest_ratio(box(SUM), [0, 0], [0, 0]), Undefined)
    assert isinstance(largest_ratio(box(SUM), [0, -1], [0, 0]), Undefined)
    assert isinstance(largest_ratio(box(SUM, Row("no", {0: 1}, ">=", 2)), [1, 1], [1, 1]), Empty)


def test_a_corner_where_both_vanish_counts_for_nothing() -> None:
    """x / (x + y) over x + y + z = 1 with x <= y: 1/2, though all vanish at z = 1."""
    rows = [Row("sum", {0: 1, 1: 1, 2: 1}, "=", 1), Row("le", {0: 1, 1: -1}, "<=", 0)]
    found = largest_ratio(box(*rows, columns=3), [1, 0, 0], [1, 1, 0])
    assert isinstance(found, Largest) and found.value == Fraction(1, 2)
    found = largest_ratio(box(*rows, columns=3), [-1, -1, 0], [1, 1, 0])
    assert isinstance(found, Largest) and found.value == -1


def test_along_a_ray() -> None:
    """x / (1 + x), written as x / (z + x) with z = 1: tends to 1 and has no largest value."""
    found = largest_ratio(box(Row("one", {1: 1}, "=", 1)), [1, 0], [1, 1])
    assert isinstance(found, Largest)
    assert (found.value, found.attained) == (1, False)
    found = largest_ratio(box(Row("one", {1: 1}, "=", 1)), [1, 0], [0, 1])
    assert isinstance(found, Infinite)


def test_a_cone_is_cut_by_a_row() -> None:
    """x <= 3 y: x / y is at most 3."""
    cone = Program.build(["x", "y"], [Row("le", {"x": 1, "y": -3}, "<=", 0)])
    cut = sliced(cone)
    assert cut.text().splitlines()[4] == "  total: x + y = 1"
    found = largest_ratio(Solver(cut), [1, 0], [0, 1])
    assert isinstance(found, Largest)
    assert found.value == 3 and found.point.dense(2) == [Fraction(3, 4), Fraction(1, 4)]
    with pytest.raises(ValueError, match="cone"):
        sliced(cut)


def test_negative_denominators_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        largest_ratio(box(SUM), [1, 1], [-1, 1])
    free = Program.build(["x"], [], lower={"x": None})
    with pytest.raises(ValueError, match="negative"):
        largest_ratio(Solver(free), [1], [1])


def test_against_all_vertices() -> None:
    random = Random("ratios")
    seen = set()
    for _ in range(150):
        n = random.randint(1, 3)
        rows = [([random.randint(-3, 3) for _ in range(n)], random.randint(-1, 4)) for _ in "ab"]
        rows += [([1] * n, 1), ([-1] * n, -1)]
        program = Program.build(
            [f"x{at}" for at in range(n)],
            [Row(f"r{at}", dict(enumerate(a)), "<=", b) for at, (a, b) in enumerate(rows)],
        )
        above, below = ([random.randint(0, 3) for _ in range(n)] for _ in "ab")
        found = largest_ratio(Solver(program), above, below)
        corners = vertices([*rows, *(([-int(i == j) for j in range(n)], 0) for i in range(n))], n)
        pairs = [(dot(above, x), dot(below, x)) for x in corners]
        if not corners:
            expected: object = "Empty"
        elif any(a > 0 == b for a, b in pairs):
            expected = "Infinite"
        else:
            expected = max((a / b for a, b in pairs if b), default="Undefined")
        assert (found.value if isinstance(found, Largest) else type(found).__name__) == expected
        seen.add(type(found).__name__)
    assert len(seen) == 4


@pytest.mark.parametrize("family", [odds_over_marginals, odds_over_sparse_bands])
@pytest.mark.parametrize("keep", [Fraction(3, 4), Fraction(99, 100)])
def test_odds_of_larger_cones(family: type, keep: Fraction) -> None:
    """The point is in the cone and has the ratio; weak duality says that no other has more."""
    odds = family(6, keep, seed=1)
    program = sliced(odds.cone)
    found = largest_ratio(Solver(program), odds.above, odds.below)
    assert isinstance(found, Largest) and found.attained
    point = found.point.dense(64)
    assert dot(odds.above, point) == found.value * dot(odds.below, point) > 0
    matrix, rows = program.matrix, []
    for at in range(matrix.shape[0]):
        row = [0] * 64
        for place in range(matrix.indptr[at], matrix.indptr[at + 1]):
            row[matrix.indices[place]] = int(matrix.values[place])
        rows.append(row)
    y = found.proof.multipliers.dense(len(rows))
    p, q = found.value.numerator, found.value.denominator
    for row, sense, right, weight in zip(rows, program.senses, program.right, y, strict=True):
        over = dot(row, point) - right
        assert over == 0 or over * int(sense) > 0
        assert weight * int(sense) <= 0
    assert dot(program.right, y) == 0
    gains = [q * a - p * b for a, b in zip(odds.above, odds.below, strict=True)]
    for column, gain in enumerate(gains):
        assert Fraction(gain, gcd(*gains)) <= dot([row[column] for row in rows], y)

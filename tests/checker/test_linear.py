"""Sums of multiples of rows, solutions and multipliers, against plain loops."""

from fractions import Fraction
from itertools import combinations, product
from math import lcm
from random import Random

import pytest

from tests.lp.faces import null_space
from verifier.checker import numbers
from verifier.checker.document import Rejected
from verifier.checker.linear import (
    SENSES,
    Row,
    System,
    combined,
    coprime,
    corners,
    is_bounded,
    is_positive,
    signed,
)
from verifier.checker.reading import Table

F = Fraction


def test_a_polynomial_just_below_a_level_and_far_out() -> None:
    """By its values: no zero of these is within 1/1000 of a level, but where it is the level, nor
    beyond 1000."""
    for c in product(range(-3, 4), range(-3, 4), range(-3, 4)):

        def at(x: Fraction, c: tuple[int, ...] = c) -> Fraction:
            return c[0] + x * (c[1] + x * c[2])

        for level in (F(1), F(3, 2), F(2), F(3)):
            assert is_positive(c, level) == (at(level - F(1, 1000)) > 0), (c, level)
        assert is_positive(c, None) == (at(F(1000)) > 0), c


def test_multipliers_exceed_no_solution() -> None:
    """Every bound is at least what any point of a grid has that satisfies the system."""
    random, grid = Random(2), list(product(range(-2, 3), repeat=2))
    bounded = 0
    for _ in range(300):
        rows = []
        for _ in range(2):
            entries = {k: F(random.randint(-2, 2), random.randint(1, 3)) for k in range(2)}
            row = Row.of({k: x for k, x in entries.items() if x})
            sense = random.choice([-1, 0, 1])
            rows.append((Row(row.places, row.unit, sense), F(random.randint(-2, 3))))
        ends = [
            (random.choice([None, F(-1), F(0)]), random.choice([None, F(1), F(2)]))
            for _ in range(2)
        ]
        system, costs = System(rows, ends), Row.of({0: F(random.randint(-2, 2)), 1: F(1, 2)})
        multipliers = {k: F(random.randint(-2, 2)) for k in range(2)}
        try:
            most = system.most(costs, multipliers)
        except Rejected:
            continue
        bounded += 1
        for point in grid:
            x = {k: F(value) for k, value in enumerate(point)}
            inside = all(low is None or low <= x[k] for k, (low, _) in enumerate(ends)) and all(
                high is None or x[k] <= high for k, (_, high) in enumerate(ends)
            )
            for row, right in rows:
                left = row.value(x)
                inside &= (left <= right) if row.sense < 0 else (left >= right) or not row.sense
                inside &= bool(row.sense) or left == right
            assert system.allows(x) == inside
            assert not inside or costs.value(x) <= most
    assert bounded > 50


def test_multipliers_of_the_wrong_sign_are_rejected() -> None:
    for sense, good, bad in ((-1, F(1), F(-1)), (1, F(-1), F(1))):
        row = Row({1: [0]}, 1, sense)
        system = System([(row, F(3))], [(F(-5), F(5))])
        assert system.most(Row({}), {0: good}) is not None
        with pytest.raises(Rejected, match="wrong sign"):
            system.most(Row({}), {0: bad})
    for y in (F(1), F(-1)):
        assert System([(Row({1: [0]}, 1, 0), F(3))], [(F(-5), F(5))]).most(Row({}), {0: y}) == (
            3 * y + 5
        )


def test_a_direction_ignores_right_sides_and_keeps_its_sides() -> None:
    """x <= 3 and y >= 1: a direction has x <= 0 and y >= 0."""
    system = System([(Row({1: [0]}), F(3))], [(None, None), (F(1), None)])
    for x, y in product(range(-1, 2), repeat=2):
        assert system.allows({0: F(x), 1: F(y)}, times=0) == (x <= 0 <= y)
    assert not system.is_crossed()
    assert System([], [(None, F(0)), (F(1), F(0))]).is_crossed()
    assert not System([], [(F(1), F(1))]).is_crossed()


def test_a_sum_of_powers_of_e() -> None:
    """As of integers, one place where it is 0 is not enough; signs are not looked at."""
    e = numbers.power(F(1))
    for one in (F(1), e):
        row, other = Row.of({0: one, 1: one}), Row.of({0: one})
        for terms, expected in (
            ([(F(2), row), (F(-2), row)], [0, 0]),
            ([(F(1), row), (F(-1), other)], [0, 1]),
            ([(F(1), other)], [1, 0]),
            ([(e - 3, row), (F(3), row), (F(0), other)], [e, e]),
        ):
            unit, found = combined(2, terms)
            assert found == [unit * one * x for x in expected]
    table = Table([F(0), F(1)], [bytes([1, 0]), bytes([0, 1])])
    assert [row.at([e - 3, 2 * e - 5]) for row in Row.all_of(table)] == [e - 3, 2 * e - 5]


def test_corners_by_brute_force() -> None:
    """Of x >= 0 and rows each corner is 0 in all but one direction, and inside."""
    random, seen = Random(3), set()
    for size, count in product((1, 2, 3, 4), (0, 1, 2, 4)):
        for _ in range(12):
            listed = [[random.randint(-2, 2) for _ in range(size)] for _ in range(count)]
            senses = [random.choice([-1, -1, 0]) for _ in listed]
            units = [[-int(k == at) for k in range(size)] for at in range(size)]
            sides = [*zip(units, [-1] * size, strict=True), *zip(listed, senses, strict=True)]
            expected = set()
            for tight in combinations([row for row, _ in sides], size - 1):
                for line in null_space([list(map(F, row)) for row in tight], size):
                    for side in (1, -1):
                        x = coprime(
                            [side * int(v * lcm(*(w.denominator for w in line))) for v in line]
                        )
                        values = [
                            sum(a * b for a, b in zip(row, x, strict=True)) for row, _ in sides
                        ]
                        inside = all(
                            v <= 0 if s else v == 0 for v, (_, s) in zip(values, sides, strict=True)
                        )
                        on = [row for v, (row, _) in zip(values, sides, strict=True) if v == 0]
                        if inside and len(null_space([list(map(F, row)) for row in on], size)) == 1:
                            expected.add(x)
            rows = [
                Row(Row.over(1, dict(enumerate(row))).places, 1, s)
                for row, s in zip(listed, senses, strict=True)
            ]
            assert corners(size, rows) == sorted(expected, reverse=True), (listed, senses)
            seen.add(len(expected))
    assert {0, 1, 2, 3, 4} <= seen


def test_rows_have_no_zeros_and_are_bounded_from_above() -> None:
    assert SENSES == {"<=": -1, "=": 0, ">=": 1}
    row = Row({2: [1]})
    assert Row.over(1, {0: 0, 1: 2}) == row == Row({2: [1]}, 1, -1)
    assert Row.of({0: F(1, 2), 1: F(0), 2: F(1, 3)}) == Row({3: [0], 2: [2]}, 6)
    assert Row.of({0: F(1), 1: F(2)}).value({1: F(3)}) == 6
    for text, allowed in (("<=", (-1, 0)), ("=", (0,)), (">=", (0, 1))):
        one = Row({1: [0]}, 1, SENSES[text])
        assert [over for over in (-1, 0, 1) if one.allows(over)] == list(allowed)


def test_what_has_no_entry_is_0() -> None:
    """x + y <= 3 and x >= 0: so y = 3 is allowed, and y = 4 is not."""
    system = System([(Row({1: [0, 1]}), F(3))], [(F(0), F(0)), (None, None)])
    assert system.allows({1: F(3)})
    assert not system.allows({1: F(4)})


def test_bounds_by_ends_alone() -> None:
    """What costs nothing needs no end, and an end of 0 is one."""
    assert System([], [(None, None), (F(0), F(0))]).most(Row({1: [1]}), {}) == 0
    assert System([], [(None, None), (F(-1), F(5))]).most(Row({1: [1]}, 2), {}) == F(5, 2)
    for sign in (1, -1):
        ends = (F(1), None) if sign > 0 else (None, F(1))
        with pytest.raises(Rejected, match="no bound"):
            System([], [ends]).most(Row({sign: [0]}), {})


def test_multipliers_have_the_sign_of_their_rows() -> None:
    row = Row({1: [0]})
    assert signed([(F(1, 2), row), (F(0), row)]) == [(F(1, 2), row), (0, row)]
    with pytest.raises(Rejected, match="wrong sign"):
        signed([(F(1), row), (F(-1, 3), row)])


def test_a_sum_is_bounded_in_all_places_but_some() -> None:
    for entries in product((-1, 0, 1), repeat=3):
        terms = [(F(1, 2), Row.over(3, dict(enumerate(entries)))), (F(0), Row({1: [0]}))]
        for without in ((), (0,), (1, 2), (0, 1, 2)):
            expected = all(x >= 0 for k, x in enumerate(entries) if k not in without)
            assert is_bounded(3, terms, without) is expected


def test_lowest_terms() -> None:
    assert coprime([4, -6, 0]) == (2, -3, 0)
    assert coprime([0, 0]) == (0, 0)

"""Sums of multiples of rows, solutions and multipliers, against plain loops."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from verifier.checker import numbers
from verifier.checker.document import Rejected
from verifier.checker.linear import Row, System, is_positive, products, vanishes
from verifier.checker.reading import Table

F = Fraction


def test_products_are_those_of_a_plain_loop() -> None:
    random = Random(1)
    for _ in range(60):
        worlds, outputs = random.randint(1, 6), random.randint(1, 6)
        values = sorted({F(random.randint(0, 9), random.choice([9, 10**20])) for _ in range(4)})
        codes = range(len(values))
        table = Table(values, [bytes(random.choices(codes, k=outputs)) for _ in range(worlds)])
        size = random.choice([1, 9, 10**30])
        vectors = [[random.randint(-size, size) for _ in range(worlds)] for _ in range(3)]
        expected = [
            [
                sum(x * values[table.columns[w][o]] for w, x in enumerate(vector))
                for o in range(outputs)
            ]
            for vector in vectors
        ]
        assert products(table, []) == []
        found = products(table, vectors)
        assert [[F(x, table.whole[0]) for x in row] for row in found] == expected


def test_products_with_powers_of_e() -> None:
    """Of signs that are not looked at: e − 3 is below 0, and 2e − 5 above it."""
    e = numbers.power(F(1))
    table = Table([F(0), F(1)], [bytes([1, 0]), bytes([0, 1])])
    assert products(table, [[e - 3, 2 * e - 5]]) == [[e - 3, 2 * e - 5]]


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


def test_a_sum_vanishes_in_all_places() -> None:
    """Of powers of e as of integers one place where it is 0 is not enough."""
    e = numbers.power(F(1))
    for one in (F(1), e):
        row, other = Row.of({0: one, 1: one}), Row.of({0: one})
        assert vanishes(2, [(F(2), row), (F(-2), row)])
        for factor, rest in ((F(1), row), (F(1), other)):
            assert not vanishes(2, [(F(-1), row), (factor, other), (F(1), rest)])
        assert not vanishes(2, [(F(1), row), (F(-1), other)])
        assert not vanishes(2, [(F(1), other)])

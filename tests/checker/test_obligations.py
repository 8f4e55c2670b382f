"""Obligations against plain arithmetic, and signs on places against values at points of them.

Numbers are drawn with ties, zeros, gaps of 1e-30 and denominators of forty digits.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from verifier.checker.document import Rejected
from verifier.checker.levels import Level
from verifier.checker.numbers import Divided, Poly, functions_on, packed, value_at
from verifier.checker.obligations import Compared, compare_beliefs
from verifier.checker.reading import Table
from verifier.checker.signs import Cell, Spot
from verifier.checker.sturm import Real

ONE, TINY, LARGE = Fraction(1), Fraction(1, 10**30), 10**40 + 7
WEIGHTS = [*map(Fraction, (0, 0, 1, 1, 2, 3)), 1 + TINY, TINY, Fraction(LARGE, 3)]


def drawn_table(random: Random, outputs: int) -> Table:
    columns = []
    for _ in range(3):
        weights = [random.choice(WEIGHTS) for _ in range(outputs - 1)] + [ONE]
        columns.append([w / sum(weights) for w in weights])
    return Table.of(columns)


def plainly(table: Table, level: Fraction, delta: Fraction, distance: int) -> bool:
    """By the definition, for every two columns and every set of outputs."""
    for first, second in product(table.chances(), repeat=2):
        both = list(zip(first, second, strict=True))
        if delta:
            excess = sum((max(Fraction(0), p - level * q) for p, q in both), Fraction(0))
            if excess > delta:
                return False
        elif any(p > level**distance * q for p, q in both):
            return False
    return True


def test_obligations_and_codes_decide_as_the_definition_does() -> None:
    random, wrong, seen = Random(1), [], set()
    for number in range(400):
        table, distance = drawn_table(random, random.randint(2, 5)), random.randint(1, 3)
        ratios = [
            p / q
            for a, b in product(table.chances(), repeat=2)
            for p, q in zip(a, b, strict=True)
            if q
        ]
        level = max(ONE, random.choice([random.choice(ratios), max(ratios), max(ratios) - TINY]))
        delta = random.choice([Fraction(0), Fraction(0), Fraction(1, 7), TINY])
        distance = 1 if delta else distance
        compared = Compared(table, [(range(3), range(3), Fraction(distance))])
        expected = plainly(table, level, delta, distance)
        each = all(
            up <= level ** int(power) * down
            for up, down, power in compared.obligations(Level(level), delta)
        )
        seen.add(expected)
        if not each == compared.holds(Level(level), delta) == expected:
            wrong.append(number)
    assert not wrong and seen == {True, False}


def test_what_is_given_a_secret_is_compared_as_the_definition_says() -> None:
    """P(output, s) and masses P(s) against conditional probabilities, each divided here."""
    random, wrong, seen = Random(6), [], set()
    for number in range(400):
        table = drawn_table(random, random.randint(2, 4))
        beliefs = [
            {
                s: {w: random.choice([1, 2, 3, LARGE]) for w in random.sample(range(3), 2)}
                for s in "st"
            }
            for _ in range(2)
        ]
        given = Table.of(
            [
                [
                    sum((k * p for k, p in zip(own.values(), row, strict=True)), Fraction(0))
                    / sum(own.values())
                    for row in zip(*(table.chances()[w] for w in own), strict=True)
                ]
                for belief in beliefs
                for own in belief.values()
            ]
        )
        blocks = [([2 * k + side], [2 * k + 1 - side], ONE) for k in range(2) for side in range(2)]
        plain = Compared(given, blocks)
        compared = compare_beliefs(beliefs, [("s", "t"), ("t", "s")], table)
        level = random.choice([ONE, 1 + TINY, Fraction(3, 2), Fraction(3), Fraction(LARGE, 5)])
        delta = random.choice([Fraction(0), Fraction(0), Fraction(1, 7), TINY])
        told = [one.holds(Level(level), delta) for one in (plain, compared)]
        least = max(over / unit for over, unit in plain.excesses(level))
        told.append(compared.is_least(level, least) and not compared.is_least(level, least + TINY))
        each = all(up <= level * down for up, down, _ in compared.obligations(Level(level), delta))
        seen.add(told[0])
        if told != [told[0], told[0], True] or each != told[0]:
            wrong.append(number)
    assert not wrong and seen == {True, False}


def drawn_polynomial(random: Random, count: int) -> Poly:
    terms = {
        packed([random.randint(0, 3) for _ in range(count)]): random.choice(
            (1, -1, 2, -3, LARGE, 1 - LARGE, 10**30)
        )
        for _ in range(random.randint(1, 5))
    }
    return Poly(terms)


def squared(random: Random, a: Poly) -> Poly:
    return a.times(a) if random.random() < 0.3 else a


ENDS = [
    (Fraction(0), ONE),
    (Fraction(1, 3), Fraction(1, 3) + TINY),
    (Fraction(LARGE, 2 * LARGE + 1), Fraction(3)),
    (Fraction(-1), ONE),
]


def test_signs_of_one_parameter_are_those_at_all_points() -> None:
    """What is said of a piece is so at every point of it; what is not said is so of no part."""
    random, wrong, told = Random(2), [], 0
    for number in range(300):
        a, (low, high) = squared(random, drawn_polynomial(random, 1)), random.choice(ENDS)
        spot = Spot("p", Real(low, low), Real(high, high), is_point=False)
        at = [low + (high - low) * Fraction(k, 41) for k in range(1, 41)]
        signs = {(x > 0) - (x < 0) for x in (value_at(a, [x]) for x in at)}
        for asked, fits in ((spot.nonnegative, {0, 1}), (spot.positive, {1})):
            try:
                said = asked(a)
            except Divided:
                continue
            told += 1
            others = {-1} if fits == {0, 1} else {-1, 0}
            if not signs <= (fits if said else others):
                wrong.append((number, a, low, high))
    assert not wrong and told > 300


def near(root: Real) -> Fraction:
    for _ in range(200):
        root = root.halved()
    return root.low


def test_roots_divide_where_signs_change() -> None:
    random, wrong = Random(3), []
    for number in range(150):
        a, (low, high) = drawn_polynomial(random, 1), ENDS[0]
        gap = Spot("p", Real(low, low), Real(high, high), is_point=False).gap
        if not a or a.is_constant:
            continue
        dense = tuple(a.get(k, 0) for k in range(max(a) + 1))
        roots = [near(root) for root in gap.roots(dense)]
        ends = [low, *roots, high]
        for first, last in pairwise(ends):
            inner = {
                value_at(a, [first + (last - first) * Fraction(k, 7)]) > 0 for k in range(2, 6)
            }
            if len(inner) != 1 and last - first > TINY:
                wrong.append((number, a))
    assert not wrong


def test_signs_of_several_parameters_are_those_at_all_points() -> None:
    """Without a tree coefficients prove what is so at every point of the cell, or nothing."""
    random, wrong, proved = Random(4), [], 0
    for number in range(300):
        a = squared(random, drawn_polynomial(random, 2))
        sides = tuple(random.choice(ENDS) for _ in range(2))
        cell = Cell(("p", "q"), sides, [])
        grid = [[low + (high - low) * Fraction(k, 9) for k in range(1, 9)] for low, high in sides]
        least = min(value_at(a, point) for point in product(*grid))
        for asked, fits in ((cell.nonnegative, least >= 0), (cell.positive, least > 0)):
            try:
                said = asked(a)
            except Rejected:
                continue
            proved += said
            most = max(value_at(a, point) for point in product(*grid))
            if not (fits if said else most <= 0):
                wrong.append((number, a, sides))
    assert not wrong and proved > 30


@pytest.mark.parametrize("count", [1, 2])
def test_numbers_are_computed_as_their_values_are(count: int) -> None:
    """Sums, products, quotients and common denominators, at a point of the place."""
    random, names = Random(5), ("p", "q")[:count]
    place: Any = Cell(names, ((Fraction(1), Fraction(2)),) * count, [])
    if count == 1:
        place = Spot("p", Real(ONE, ONE), Real(2 * ONE, 2 * ONE), is_point=False)
    point = [Fraction(LARGE, LARGE - 3), Fraction(4, 3)][:count]

    def at(x: Any) -> Fraction:
        return (
            value_at(x.top, point) / value_at(x.bottom, point) if hasattr(x, "top") else Fraction(x)
        )

    with functions_on(place):
        for _ in range(60):
            bottoms = [
                Poly({m: abs(c) for m, c in drawn_polynomial(random, count).items()}) for _ in "ab"
            ]
            pairs = [(drawn_polynomial(random, count), bottom) for bottom in bottoms]
            x, y = (place.quotient(*pair) for pair in pairs)
            a, b = (value_at(top, point) / value_at(bottom, point) for top, bottom in pairs)
            assert (at(x + y), at(x - y), at(x * y), at(-x)) == (a + b, a - b, a * b, -a)
            assert at(y + 1) == b + 1 and at(2 * x) == 2 * a and x == x
            if hasattr(x, "top"):
                unit, (first, last) = x.whole([x, y])
                assert at(first) == a * at(unit) and at(last) == b * at(unit) and at(unit) > 0


def test_a_quotient_is_one_key_in_a_table_however_it_is_written() -> None:
    """Of several parameters it is found as (p² − q²)/(p − q) and as p + q."""
    p, q = Poly({packed((1, 0)): 1}), Poly({packed((0, 1)): 1})
    both, apart = Poly({**p, **q}), Poly({**p, packed((0, 1)): -1})
    squares = Poly({packed((2, 0)): 1, packed((0, 2)): -1})
    sides = ((Fraction(1, 2), ONE), (Fraction(0), Fraction(1, 2)))
    cell = Cell(("p", "q"), sides, [])
    with functions_on(cell):
        written = cell.quotient(squares, apart), cell.quotient(both, Poly({0: 1}))
        assert {written[0]: "found"}[written[1]] == "found"

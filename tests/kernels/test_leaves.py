"""Proofs without cuts that polynomials are nowhere positive, against their values at many points.

Drawn polynomials: quadratic forms of three variables, and of degree 2 in each of two pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

from tests.drawing import wider
from verifier.kernels.leaves import Line, Terms, exceeds, leaf, quadratic, serves

CASES = wider(60, 1000)
SHAPES = (
    ([range(3)], [m for m in product(range(3), repeat=3) if sum(m) == 2]),
    ([range(2), range(2, 4)], [(a, 2 - a, b, 2 - b) for a in range(3) for b in range(3)]),
)
GRID = (0, 1, 2, 3, Fraction(1, 3), 7)


def value(p: Terms, point: tuple[Fraction | int, ...]) -> Fraction:
    return sum((c * prod(x**e for x, e in zip(point, m, strict=True)) for m, c in p.items()), 0)


def drawn(random: Random) -> tuple[Terms, list[range]]:
    groups, monomials = random.choice(SHAPES)
    found = {m: random.choice((-5, -3, -2, -1, -1, 0, 1, 2, 3)) for m in monomials}
    for m in monomials:
        if max(m) == 2 and random.random() < 0.9:
            found[m] = -abs(found[m])
    return {m: c for m, c in found.items() if c}, groups


def test_what_is_proved_is_so() -> None:
    random, proved, open_ones = Random("leaves"), 0, 0
    for _ in range(CASES):
        p, groups = drawn(random)
        tree = leaf(p, groups)
        positive = any(value(p, x) > 0 for x in product(GRID, repeat=sum(map(len, groups))))
        assert tree is None or not positive
        if tree is not None:
            assert serves(tree, p)
            proved += tree != 0
            q = {**p, next(iter(p)): p[next(iter(p))] + 100}
            assert not serves(tree, q)
        open_ones += tree is None and not positive
    assert proved > CASES // 20 and open_ones < CASES // 4


def points(line: Line, out: int | None) -> Iterator[tuple[Any, ...]]:
    """Many points of a line, with many values of a variable that is left out."""
    steps = [Fraction(k, 8) ** 2 for k in range(1, 40)]
    for t in steps:
        x = [a + t * b for a, b in zip(*line, strict=True)]
        for y in steps if out is not None else (0,):
            yield tuple(y if k == out else e for k, e in enumerate(x))


def test_what_exceeds_on_a_line_is_positive_somewhere() -> None:
    random, found = Random("lines"), 0
    for _ in range(CASES):
        p, groups = drawn(random)
        count = sum(map(len, groups))
        line: Line = (
            [random.choice((0, 1, 1, 3)) for _ in range(count)],
            [random.choice((0, 1, 1, 3)) for _ in range(count)],
        )
        out = random.choice((None, *range(count)))
        if exceeds(p, line, out):
            found += 1
            assert any(value(p, x) > 0 for x in points(line, out))
        elif out is None:
            for t in (Fraction(1, 5), 1, 2, 9):
                x = tuple(a + t * b for a, b in zip(*line, strict=True))
                assert value(p, x) <= 0
    assert found >= CASES // 20


def test_by_hand() -> None:
    """-x² + 2·x·y - 3·y², and a form whose largest values are inside: −(x − y)² − (x − z)²."""
    pair = {(2, 0): -1, (1, 1): 2, (0, 2): -3}
    assert leaf(pair, [range(2)]) == {"quadratic": 0, "trees": [0, 0, 0]}
    inside = {(2, 0, 0): -2, (1, 1, 0): 2, (1, 0, 1): 2, (0, 2, 0): -1, (0, 0, 2): -1}
    assert leaf(inside, [range(3)]) is not None
    assert leaf({**inside, (0, 1, 1): 1}, [range(3)]) is None
    assert not serves({"square": [], "rest": [], "tree": 0}, pair)
    assert not serves({"quadratic": 0, "trees": [0, 0, 0]}, {(3, 0): -1, (0, 3): -1})
    merged = {(1, 0): -1, (0, 1): -1}
    assert serves({"merge": [0, 1], "tree": 0}, merged)
    assert not serves({"merge": [0, 1], "tree": 0}, {(1, 0): -1, (0, 1): -2})
    assert quadratic({(1, 0): 1}, 0) is None and quadratic({}, 0) is None

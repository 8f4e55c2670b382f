"""Neighbours that a file gives by itself, and a prior by a formula, by loops over worlds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from itertools import product

from tests.models.brute_force import (
    Level,
    Row,
    apply,
    coin,
    differential_privacy,
    independent,
)
from tests.models.model_files import decided

World = tuple[int, ...]
WORLDS = list(product((0, 1), repeat=3))


def answers(world: World) -> Row:
    truths = [coin(F(3, 4)) if bit else coin(F(1, 4)) for bit in world]
    return independent(truths)


def absences(world: World) -> Row:
    told = [coin(F(2, 3)) for bit in world if not bit]
    return apply(independent(told), sum) if told else {0: F(1)}


def level(of: Callable[[World], Row], near: Callable[[World, World], bool], **delta: F) -> Level:
    """Every ordered pair of different worlds that are near."""
    return differential_privacy(
        {w: of(w) for w in WORLDS}, lambda w, v: w != v and near(w, v), **delta
    )


def one_person(w: World, v: World) -> bool:
    return any(a == b for a, b in zip(w, v, strict=True))


def fewer(w: World, v: World) -> bool:
    gaps = [a - b for a, b in zip(w, v, strict=True)]
    return sorted(gaps) == [0, 0, 1]


def believed() -> F:
    """Of any friendship: the outputs given that there is one, and that there is none."""
    left = [w for w in WORLDS if sum(w) != 2]
    ratios = []
    for place in range(3):
        sides = [[answers(w) for w in left if w[place] == bit] for bit in (0, 1)]
        for output in WORLDS:
            none, one = (sum((row[output] for row in side), F(0)) / len(side) for side in sides)
            ratios += [one / none, none / one]
    return max(ratios)


def test_who_is_a_neighbour() -> None:
    results = decided("mechanisms/own-neighbours.yaml")
    assert all(result.status == "ok" for result in results)
    found = [result.leakage for result in results]
    expected: list[Level] = [
        level(answers, one_person),
        level(answers, one_person, delta=F(1, 10)),
        level(answers, lambda w, v: {w, v} == {(0, 0, 0), (1, 1, 1)}),
        level(absences, fewer),
    ]
    assert [known.exp_epsilon for known in found[:4] if known] == expected
    assert level(absences, lambda w, v: fewer(w, v) or fewer(v, w)) == float("inf")
    assert found[4] is not None and found[4].infinite
    assert found[5] is not None and found[5].exp_epsilon == believed()

"""Least products of ratios among many pairs of columns, against all products."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import check, opened
from tests.definitions.drawn import decide
from verifier.checker import numbers
from verifier.checker.document import Refused
from verifier.checker.losses import Answers, least_product, least_ratios
from verifier.checker.obligations import Block
from verifier.checker.reading import Table

NEAR = 10**30
WEIGHTS: list[list[Any]] = [[1, 2, 3], [NEAR, NEAR + 1, 7], [3, 5, 7], [1, 1, 1], [1, 1, 10**60]]
E = numbers.power(Fraction(1))


def drawn(random: Random, columns: int, more: list[list[Any]]) -> Table:
    found = []
    for _ in range(columns):
        weights = list(random.choice(WEIGHTS[: random.randint(1, len(WEIGHTS))] + more))
        random.shuffle(weights)
        found.append([Fraction(w) / sum(weights) if w else Fraction(0) for w in weights])
    return Table.of(found)


def least(answers: Answers, s: list[int], t: list[int]) -> Fraction:
    """The least product of the ratios of two columns: of all pairs."""
    found = []
    for i, j in product(s, t):
        ratio = Fraction(1)
        for table, runs in answers:
            pairs = zip(table.chances()[i], table.chances()[j], strict=True)
            ratio *= min(q / p for p, q in pairs if p) ** runs
        found.append(ratio)
    return min(found)


def test_the_least_product_of_many_pairs() -> None:
    for seed in range(60):
        random = Random(seed)
        more: list[list[Any]] = [[0, 1, 2]] if seed % 3 == 0 else []
        size, count = random.randint(2, 8), random.randint(1, 3)
        answers = [(drawn(random, size, more), random.choice([1, 1, 2, 5])) for _ in range(count)]
        s, t = ([w for w in range(size) if random.random() < 0.8] or [0] for _ in range(2))
        blocks: list[Block] = [(s, t, Fraction(1)), (t, s, Fraction(2))]
        assert least_ratios(answers, blocks) == {
            1: least(answers, s, t),
            2: least(answers, t, s),
        }


def test_irrational_ratios_are_all_compared() -> None:
    half = Fraction(1, 2)
    table = Table.of([[half, half], [E / (1 + E), 1 / (1 + E)], [1 / (1 + E), E / (1 + E)]])
    every = [0, 1, 2]
    found = least_ratios([(table, 1), (table, 2)], [(every, every, Fraction(1))])
    assert found == {1: 1 / (E * E * E)}


def test_what_is_looked_at_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table.of([[Fraction(k, 100), Fraction(100 - k, 100)] for k in range(1, 50)])
    asked: Any = [(table, 1), (table, 1)], [(range(49), range(49), Fraction(1))]
    assert least_ratios(*asked) == {1: Fraction(1, 49**2)}
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 60 * 49**2 - 1)
    with pytest.raises(Refused):
        least_ratios(*asked)


def test_the_least_product_within_a_room() -> None:
    """Of up to three records each of two kinds, against all choices of a change for each."""
    for seed in range(60):
        random = Random(seed)
        costs = [Fraction(k, random.choice([1, 2, 3])) for k in range(1, 5)]
        kinds = [
            {d: Fraction(random.randint(0, 9), 10) for d in random.sample(costs, k)}
            for k in random.choices([0, 1, 2, 3], k=2)
        ]
        several = [random.randint(1, 3), random.randint(1, 2)]
        rooms = [None, *map(Fraction, ("1/3", "1", "5/3", "2", "4", "9"))]
        own = [[(Fraction(0), Fraction(1)), *kinds[at].items()] for at in (0, 1)]
        every = list(product(*(own[at] for at, k in enumerate(several) for _ in range(k))))
        for room in rooms:
            fits = [c for c in every if room is None or sum(d for d, _ in c) <= room]
            expected = min(prod(ratio for _, ratio in c) for c in fits)
            assert least_product(kinds, several, room) == expected, (seed, room)


def test_all_histograms_of_three_cells() -> None:
    """15 people, 136 histograms: two cells change by 15 each at most, so 2^30."""
    cells = [f"draw(geometric(count(value == '{v}'), 1/2, 0, 15))" for v in "abc"]
    worlds = {"records": "15", "domain": ["a", "b", "c"], "exchangeable": "true"}
    asked = {"differential_privacy": {"exp_epsilon": str(2**30), "neighbours": "all"}}
    program = f"return [{', '.join(cells)}]"
    spec = {"worlds": worlds, "mechanism": {"program": program}, "checks": [asked]}
    answer = decide(spec)
    assert answer.verdict == "holds" and answer.leakage.exp_epsilon == 2**30
    for leakage in (2**30 - 1, 2**30 + 1):
        document = deepcopy(opened(answer.certificate))
        document["claim"]["leakage"] = {"exp_epsilon": str(leakage)}
        assert check(document).outcome == "rejected"

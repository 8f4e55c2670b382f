"""Largest products of ratios among many pairs of columns, against all products."""

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
from verifier.checker import exponentials
from verifier.checker.document import Budget, Refused
from verifier.checker.local import _Ratios
from verifier.checker.products import bound as bound_of
from verifier.checker.products import closest
from verifier.checker.reading import Table

NEAR = 10**30
WEIGHTS: list[list[Any]] = [[1, 2, 3], [NEAR, NEAR + 1, 7], [3, 5, 7], [1, 1, 1], [1, 1, 10**60]]
E = exponentials.power(Fraction(1))


@pytest.mark.parametrize(
    "ratio",
    [1, 2, 3, 2**64, 2**64 + 1, 2**200 - 1, 10**50, Fraction(NEAR + 1, NEAR), Fraction(9, 7)],
)
def test_bounds_of_a_ratio(ratio: Any) -> None:
    bound, power = bound_of(Fraction(ratio)), Fraction(ratio) ** 64
    assert 2 ** (bound - 3) < power <= 2**bound


def drawn(random: Random, columns: int, more: list[list[Any]]) -> Table:
    found = []
    for _ in range(columns):
        weights = list(random.choice(WEIGHTS[: random.randint(1, len(WEIGHTS))] + more))
        random.shuffle(weights)
        found.append([Fraction(w) / sum(weights) if w else Fraction(0) for w in weights])
    return Table.of(found)


@pytest.mark.parametrize("seed", range(60))
def test_the_largest_product_is_among_the_closest(seed: int) -> None:
    random, budget = Random(seed), Budget()
    more: list[list[Any]] = [[0, 1, 2]] if seed % 3 == 0 else []
    size, answers = random.randint(2, 8), random.randint(1, 3)
    tables = [(drawn(random, size, more), random.choice([1, 1, 2, 5])) for _ in range(answers)]
    each = [_Ratios(table, runs, budget) for table, runs in tables]
    s, t = ([w for w in range(size) if random.random() < 0.8] or [0] for _ in range(2))
    of_pairs = {tuple([one.number(i, j) for one in each]) for i, j in product(s, t)}

    def largest(listed: set[tuple[int, ...]]) -> Fraction | None:
        found = [[one.ratios[n] for one, n in zip(each, ns, strict=True)] for ns in listed]
        return None if any(None in ratios for ratios in found) else max(map(prod, found))

    close = closest(each, s, t, budget)
    assert close <= of_pairs
    assert largest(close) == largest(of_pairs)


def test_irrational_ratios_are_all_compared() -> None:
    half = Fraction(1, 2)
    table = Table.of([[half, half], [E / (1 + E), 1 / (1 + E)], [1 / (1 + E), E / (1 + E)]])
    each = [_Ratios(table, 1, Budget()), _Ratios(table, 2, Budget())]
    every = [0, 1, 2]
    found = closest(each, every, every, Budget())
    assert {tuple([one.number(i, j) for one in each]) for i, j in product(every, every)} == found


def test_what_is_looked_at_is_paid() -> None:
    table = Table.of([[Fraction(k, 100), Fraction(100 - k, 100)] for k in range(1, 50)])
    budget, every = Budget(), list(range(49))
    closest([_Ratios(table, 1, budget)], every, every, budget)
    assert budget.spent > 49 * 49
    budget.spent = 10**9 - 1000
    with pytest.raises(Refused):
        closest([_Ratios(table, 1, budget)], every, every, budget)


def test_all_histograms_of_three_cells() -> None:
    """25 people, 351 histograms: two cells change by 25 each at most, so 2^50."""
    cells = [f"draw(geometric(count(value == '{v}'), 1/2, 0, 25))" for v in "abc"]
    worlds = {"records": "25", "domain": ["a", "b", "c"], "exchangeable": "true"}
    asked = {"differential_privacy": {"exp_epsilon": str(2**50), "neighbours": "all"}}
    program = f"return [{', '.join(cells)}]"
    spec = {"worlds": worlds, "mechanism": {"program": program}, "checks": [asked]}
    answer = decide(spec)
    assert answer.verdict == "holds" and answer.leakage.exp_epsilon == 2**50
    for leakage in (2**50 - 1, 2**50 + 1):
        document = deepcopy(opened(answer.certificate))
        document["claim"]["leakage"] = {"exp_epsilon": str(leakage)}
        assert check(document).outcome == "rejected"

"""Weighted sums of likelihoods of multisets of outputs, against all orders of outputs."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import pytest

from verifier.checker.multisets import Listed, Packed, Vector, layers

RUNS = 7
ENTRIES = [0, 1, 2, 3, 5, 7, 10**20 + 39, 10**20 + 40]


def drawn(random: Random, steps: int, width: int) -> list[list[Vector]]:
    """Likelihoods of two or three outputs of each step; hardly ever do two multisets say the same
    where none is 0 or stands twice."""
    entries = ENTRIES if random.random() < 0.5 else ENTRIES[3:]
    sizes = [random.choice([2, 3]) for _ in range(steps)]
    return [[tuple(random.choices(entries, k=width)) for _ in range(n)] for n in sizes]


def likelihoods(steps: list[list[Vector]], runs: int) -> set[Vector]:
    orders = product(*(steps[run % len(steps)] for run in range(runs)))
    return {tuple(map(prod, zip(*rows, strict=True))) for rows in orders}


def gains_of(random: Random, vectors: set[Vector], width: int) -> list[int]:
    """Gains that are 0 at a vector or next to it, or any."""
    some = random.choice(sorted(vectors))
    if width == 2 and random.random() < 0.7:
        return [some[1] + random.choice([0, 0, 1, -1]), -some[0]]
    return [random.choice([-1, 0, 1, 1, 10**30, -3]) for _ in range(width)]


@pytest.mark.parametrize("seed", range(40))
def test_every_multiset_is_weighed(seed: int) -> None:
    random = Random(seed)
    width = random.choice([1, 2, 2, 3])
    steps = drawn(random, random.choice([1, 1, 2]), width)
    made: list[int] = []
    for run, layer in enumerate(layers(steps, width, RUNS, made.append), 1):
        every = likelihoods(steps, run)
        for _ in range(10):
            gains = gains_of(random, every, width)
            expected = all(sum(g * x for g, x in zip(gains, v, strict=True)) >= 0 for v in every)
            assert layer.fits(gains) == expected
    assert len(made) == run == RUNS


def test_multisets_are_packed_where_none_says_the_same() -> None:
    steps, made = [[(2, 3, 1), (5, 7, 1), (11, 13, 1)]], list[int]()
    kinds = [type(layer) for layer in layers(steps, 3, RUNS, made.append)]
    assert kinds == [Listed] * 4 + [Packed] * 3
    assert made == [3, 6, 10, 15, 21, 28, 36]  # (k + 2) (k + 1) / 2


def test_without_outputs_nothing_is_negative() -> None:
    assert all(layer.fits([-1, -1]) for layer in layers([[]], 2, RUNS, lambda _: None))

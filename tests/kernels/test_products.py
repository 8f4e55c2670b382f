"""Largest products of ratios among many pairs, where floats leave out most, against all of them."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from verifier.base.errors import LimitReached
from verifier.kernels import products
from verifier.kernels.products import largest_changes, powered
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks, Relation

NEAR = 10**30
WEIGHTS = [[1, 2, 3], [NEAR, NEAR + 1, 7], [3, 5, 7], [1, 1, 1], [1, 1, 10**60], [0, 1, 2]]


def drawn(random: Random, columns: int) -> Mechanism:
    found = []
    for _ in range(columns):
        weights = list(random.choice(WEIGHTS[: random.choice([1, 3, 5, 5, 6])]))
        random.shuffle(weights)
        found.append([Fraction(w, sum(weights)) for w in weights])
    return Mechanism.from_rows("xyz", list(zip(*found, strict=True)))


def related(random: Random, size: int) -> Relation:
    """All pairs of some columns, and some blocks of two at another cost."""
    some = np.array([sorted(random.sample(range(size), random.randint(2, size)))])
    twos = np.array([sorted(random.sample(range(size), 2)) for _ in range(5)])
    return Relation((Blocks(some, some), Blocks(twos, twos[::-1], Fraction(2))), {})


@pytest.mark.parametrize("chunk", [7, 50, 2**20])
@pytest.mark.parametrize("seed", range(25))
def test_the_same_change_is_found(seed: int, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    size = random.randint(2, 9)
    answers = [
        (drawn(random, size), random.choice([1, 2, 7])) for _ in range(random.choice([2, 3]))
    ]
    relation = related(random, size)
    expected = largest_changes(answers, relation)
    monkeypatch.setattr(products, "MAX_LISTED", 0)
    monkeypatch.setattr(products, "CHUNK", chunk)
    try:
        found = largest_changes(answers, relation)
    except LimitReached:
        assert chunk < 100
    else:
        assert found == expected


@pytest.mark.parametrize("limit", ["MAX_COMPARED", "MAX_TABLE", "CHUNK"])
def test_limits(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    flat = Mechanism.from_rows("xy", [["1/3", "2/3", "1/3"], ["2/3", "1/3", "2/3"]])
    every = np.array([[0, 1, 2]])
    monkeypatch.setattr(products, "MAX_LISTED", 0)
    monkeypatch.setattr(products, limit, 1)
    with pytest.raises(LimitReached):
        largest_changes([(flat, 1), (flat, 1)], Relation((Blocks(every, every),), {}))


@pytest.mark.parametrize("most", [0, 10**5])
@pytest.mark.parametrize("seed", range(30))
def test_powers_of_losses(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "MAX_TERMS", most)
    random = Random(seed)
    one = products.losses([(drawn(random, 2), 1)], (0, 1))
    expected: products.Losses = {Fraction(1): (Fraction(1), Fraction(1))}
    times = random.randint(0, 7)
    for _ in range(times):
        expected = products.convolved(expected, one)
    assert products.powered(one, times) == expected


def test_one_run_of_many_losses_is_itself() -> None:
    unit = Fraction(1, 2000)
    many = {Fraction(k + 1): (unit, unit / (k + 1)) for k in range(2000)}
    assert powered(many, 1) == many

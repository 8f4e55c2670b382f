"""Outputs about a record of a network: branch by branch, against all outputs."""

from __future__ import annotations

from fractions import Fraction as F
from random import Random

import pytest

from tests.drawing import wider
from tests.kernels.all_outputs import by_all_outputs, distribution, sets
from verifier.base.errors import NotDecided
from verifier.kernels.chains import Channel, Ratio, exceeds
from verifier.kernels.network import Branches, TooManyRays
from verifier.world.network import Network


def drawn(draw: Random, size: int, records: int) -> tuple[Network, list[Channel]]:
    parents = [draw.randint(-1, i - 1) if draw.random() < 0.9 else -1 for i in range(records)]
    tables = [tuple(distribution(draw, size) for _ in range(size)) for _ in range(2)]
    if draw.random() < 0.2:
        tables[0] = (tables[0][0],) * size
    order = list(range(records))
    draw.shuffle(order)  # parents may come after their children
    places = {record: at for at, record in enumerate(order)}
    moved = tuple(-1 if parents[i] < 0 else places[parents[i]] for i in order)
    chosen = tuple(-1 if parent < 0 else draw.randint(0, 1) for parent in moved)
    pool: list[Channel] = []
    for outputs in (draw.choice((1, 2, 3)), 2):
        columns = [distribution(draw, outputs) for _ in range(size)]
        pool.append(tuple(zip(*columns, strict=True)))
    tree = Network(distribution(draw, size), moved, tuple(tables), chosen)
    return tree, [draw.choice(pool) for _ in range(records)]


def equal(one: Ratio, other: Ratio) -> bool:
    return not exceeds(one, other) and not exceeds(other, one)


@pytest.mark.parametrize("seed", range(wider(30, 60)))
def test_the_largest_ratios_are_those_of_all_outputs(seed: int) -> None:
    draw = Random(seed)
    size = draw.choice((2, 2, 3, 3, 4))
    tree, channels = drawn(draw, size, draw.randint(1, {2: 5, 3: 4, 4: 2}[size]))
    expected = by_all_outputs(tree, channels, sets(len(tree.initial)))
    known = Branches(tree, channels, range(len(channels)))
    for one, ratio in expected.items():
        found = known.largest([one])
        assert found.asked == one and equal(found.enough, ratio)
        assert equal(found.ratio, ratio) and equal(known.ratio(*one, found.outputs), ratio)
    if expected:
        found = known.largest(expected)
        assert not any(exceeds(ratio, found.ratio) for ratio in expected.values())


@pytest.mark.parametrize("seed", range(wider(20, 40)))
def test_enclosures_are_around_the_largest_ratios(seed: int) -> None:
    draw = Random(seed)
    size = draw.choice((3, 3, 4))
    tree, channels = drawn(draw, size, draw.randint(2, {3: 4, 4: 2}[size]))
    expected = by_all_outputs(tree, channels, sets(len(tree.initial)))
    known = Branches(tree, channels, range(len(channels)), 44)
    for one, ratio in expected.items():
        try:
            found = known.largest([one])
        except NotDecided:
            assert size == 4
            continue
        assert not exceeds(ratio, found.enough) and not exceeds(found.ratio, ratio)


def test_what_is_enclosed_is_near() -> None:
    """Three values without zeros: 44 bits leave less than a billionth."""
    rows = tuple(tuple(F(w, 12) for w in row) for row in ((7, 3, 2), (2, 6, 4), (1, 5, 6)))
    channel = tuple(tuple(F(2 if o == v else 1, 4) for v in range(3)) for o in range(3))
    tree = Network((F(1, 3),) * 3, (-1, 0, 0, 1), (rows,), (-1, 0, 0, 0))
    expected = by_all_outputs(tree, [channel] * 4, sets(3))
    known = Branches(tree, [channel], [0] * 4, 44)
    for one, ratio in expected.items():
        found = known.largest([one])
        assert F(*found.enough) / F(*ratio) - 1 < F(1, 10**9)
        assert F(*found.ratio) / F(*ratio) > 1 - F(1, 10**9)


def test_too_many_rays(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(3)
    tree, channels = drawn(draw, 3, 4)
    monkeypatch.setattr("verifier.kernels.network.MOST_EXACT", 2)
    with pytest.raises(TooManyRays):
        Branches(tree, channels, range(len(channels))).largest([(0, (0,), (1,))])
    many = Network((F(1, 7),) * 7, (-1, 0), (((F(1, 7),) * 7,) * 7,), (-1, 0))
    with pytest.raises(TooManyRays):
        Branches(many, [((F(1),) * 7,)], [0] * 2, 44).largest([(0, (0,), (1,))])

"""Outputs about a record of a Markov chain: the words of both sides, against all outputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import permutations
from random import Random

import pytest

from tests.kernels.all_outputs import by_all_outputs as of_tree
from tests.kernels.all_outputs import distribution
from verifier.kernels.chains import (
    Channel,
    Ratio,
    Side,
    Sides,
    exceeds,
    largest,
)
from verifier.kernels.network import Branches
from verifier.world.network import Network

Key = tuple[int, int, int]


def drawn(draw: Random, size: int, records: int) -> tuple[Network, list[Channel]]:
    rows = [distribution(draw, size) for _ in range(size)]
    if draw.random() < 0.2:
        rows = [rows[0]] * size
    pool: list[Channel] = []
    for outputs in (draw.choice((1, 2, 3)), draw.choice((2, 3))):
        columns = [distribution(draw, outputs) for _ in range(size)]
        pool.append(tuple(zip(*columns, strict=True)))
    chain = Network.chain(distribution(draw, size), tuple(rows), records)
    return chain, [draw.choice(pool) for _ in range(records)]


def by_all_outputs(chain: Network, channels: Sequence[Channel]) -> dict[Key, Ratio]:
    """The largest P(o | X_i = a) / P(o | X_i = b), from the definition."""
    single = [((a,), (b,)) for a, b in permutations(range(len(chain.initial)), 2)]
    found = of_tree(chain, channels, single)
    return {(i, *a, *b): ratio for (i, a, b), ratio in found.items()}


def line(chain: Network, channels: Sequence[Channel]) -> tuple[Branches, Sides]:
    known = Branches(chain, channels, range(len(channels)), 40)
    return known, known.line


@pytest.mark.parametrize("seed", range(40))
def test_the_largest_ratios_are_those_of_all_outputs(seed: int) -> None:
    draw = Random(seed)
    size = draw.choice((2, 2, 3, 3, 4))
    chain, channels = drawn(draw, size, draw.randint(1, 4 if size == 2 else 3 if size == 3 else 2))
    expected = by_all_outputs(chain, channels)
    known, sides = line(chain, channels)
    for one, ratio in expected.items():
        found = sides.best(*one)
        assert not exceeds(found.ratio, ratio)
        assert found.proved and not exceeds(ratio, found.ratio)
        record, a, b = one
        again = known.ratio(record, (a,), (b,), found.outputs)
        assert not exceeds(again, ratio) and not exceeds(ratio, again)
        assert not exceeds(ratio, sides.bound(*one))
    if expected:
        enough, (worst, *_) = largest(sides, expected)
        assert not any(exceeds(ratio, enough) for ratio in expected.values())
        assert not exceeds(enough, worst.ratio)


def test_a_search_that_is_given_up_leaves_an_enclosure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.kernels.chains.MAX_NODES", 2)
    draw = Random(5)
    rows = tuple(tuple(F(w, 12) for w in row) for row in ((7, 3, 2), (2, 6, 4), (1, 5, 6)))
    channel = tuple(tuple(F(2 if o == v else 1, 4) for v in range(3)) for o in range(3))
    _, sides = line(Network.chain((F(1, 3),) * 3, rows, 4), [channel] * 4)
    asked = [(i, a, b) for i in range(4) for a, b in permutations(range(3), 2)]
    enough, found = largest(sides, asked)
    expected = by_all_outputs(Network.chain((F(1, 3),) * 3, rows, 4), [channel] * 4)
    assert not all(one.proved for one in found) and draw
    assert not any(exceeds(ratio, enough) for ratio in expected.values())
    assert exceeds(enough, found[0].ratio)


def test_a_cut_needs_the_functional_to_be_nowhere_positive() -> None:
    steps = [{0: ((1, 0, 0), (0, 1, 0), (0, 0, 1)), 1: ((2, 0, 0), (0, 1, 0), (0, 0, 1))}]
    side = Side((1, 1, 1), steps, [[(1, 1, 1)], [(1, 1, 1), (2, 1, 1)]])
    assert side.exceeding(1, (1, -2, 0)) == (None, True)
    assert side.exceeding(1, (2, -3, 0)) == ((1,), False)

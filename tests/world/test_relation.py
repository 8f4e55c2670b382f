"""Blocks of comparisons against plain grouping."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.world.relation import Blocks, Relation, crossings, lines, listed, listing_of

EXAMPLES = examples(100)
KEYS = st.lists(st.integers(0, 3), min_size=1, max_size=9)


def pairs(blocks: list[Blocks]) -> list[tuple[int, int]]:
    return [pair for part in blocks for pair in part.pairs()]


@EXAMPLES
@given(KEYS)
def test_lines_join_worlds_with_equal_keys(keys: list[int]) -> None:
    found = lines(np.array(keys), np.arange(len(keys)))
    worlds = range(len(keys))
    expected = [(i, j) for i, j in product(worlds, repeat=2) if i != j and keys[i] == keys[j]]
    assert sorted(pairs(found)) == expected
    assert sum(part.count() for part in found) == len(expected)


@EXAMPLES
@given(KEYS, st.data())
def test_crossings_join_two_sides(keys: list[int], data: st.DataObject) -> None:
    sides = st.lists(st.sampled_from("LR-"), min_size=len(keys), max_size=len(keys))
    side = np.array(data.draw(sides))
    found = crossings(np.array(keys), side == "L", side == "R")
    worlds = range(len(keys))
    expected = [
        (i, j)
        for i, j in product(worlds, repeat=2)
        if side[i] == "L" and side[j] == "R" and keys[i] == keys[j]
    ]
    assert sorted(pairs(found)) == expected
    assert sum(part.count() for part in found) == len(expected)
    assert Relation(tuple(found), {}).is_empty() == (not expected)


def test_overlapping_blocks_are_counted_once() -> None:
    blocks = (*listed([(0, 1), (2, 0)]), Blocks(np.array([[0, 1]]), np.array([[1, 2]])))
    relation = Relation(blocks, {}, overlapping=True)
    assert relation.pairs() == [(0, 1), (0, 2), (1, 2), (2, 0)]
    assert relation.count() == 4
    assert not relation.is_empty()


def test_a_single_world_is_compared_with_nothing() -> None:
    alone = np.array([[0]])
    assert Relation((Blocks(alone, alone),), {}).is_empty()


def test_the_statement_lists_pairs_by_distance() -> None:
    half = Fraction(1, 2)
    blocks = [*listed([(2, 0), (0, 1)]), Blocks(np.array([[1]]), np.array([[0, 2]]), half)]
    assert listing_of(3, blocks) == {
        "rule": "pairs",
        "distances": {"1": [[1], [], [0]], "1/2": [[], [0, 2], []]},
    }

"""Neighbour relations as sets of pairs, against the plain definitions."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.definitions.cases import GROUPED, METRICS, NUMERIC, graphs
from tests.definitions.drawn import Space
from tests.drawing import examples
from verifier.base import document
from verifier.base.errors import InputError, LimitReached
from verifier.world import worlds
from verifier.world.neighbours import distances, minimal
from verifier.world.neighbours import graphs as secret_graphs
from verifier.world.relation import Relation, by_rule, keys
from verifier.world.worlds import WorldSpace

EXAMPLES = examples(80)


def node(value: object) -> document.Node:
    return document.parse(json.dumps(value), "drawn.json")


def space_of(space: Space) -> WorldSpace:
    return worlds.read_worlds(node(space.node))


def pairs_of(relation: Relation) -> list[plain.Pair]:
    """All pairs; where blocks may not overlap, none stands in two."""
    everything = [pair for part in relation.blocks for pair in part.pairs()]
    assert relation.overlapping or len(set(everything)) == len(everything)
    assert relation.count() == len(set(everything)) == len(relation.pairs())
    assert relation.is_empty() == (not everything)
    return relation.pairs()


@EXAMPLES
@given(drawn.spaces(), st.sampled_from(sorted(GROUPED)), st.integers(1, 4))
def test_groups_of_changes(space: Space, rule: str, group: int) -> None:
    found = pairs_of(by_rule(space_of(space), rule, group))
    assert found == sorted(plain.pairs_of(space.databases, GROUPED[rule], group))


def test_groups_of_mixed_changes() -> None:
    """Two changes of presence: one record may come as the other goes."""
    space = worlds.database(["x", "y"], [0], absent=True)
    assert space.names(range(4)) == ["00", "0⊥", "⊥0", "⊥⊥"]
    assert (1, 2) in pairs_of(by_rule(space, "add_remove", 2))
    assert pairs_of(by_rule(space, "replace", 2)) == []


@EXAMPLES
@given(st.data(), st.sampled_from(METRICS))
def test_distances_at_most(data: st.DataObject, metric: str) -> None:
    space = data.draw(drawn.spaces() if metric == "hamming" else NUMERIC)
    limit = data.draw(
        st.sampled_from([Fraction(1), Fraction(2, 3), Fraction(1, 6), Fraction(10**30)])
    )
    databases = space.databases
    expected = {
        (i, j)
        for i, j in permutations(range(space.size), 2)
        if plain.distance(metric, databases[i], databases[j]) <= limit
    }
    assert pairs_of(distances.within(space_of(space), metric, limit)) == sorted(expected)


@pytest.mark.parametrize("metric", ["l1", "linf"])
def test_distances_beyond_64_bits(metric: str) -> None:
    large, tiny = 2**63, Fraction(1, 2**40)
    space = worlds.database(["x"], [-large, 0, large + tiny])
    at_most = {
        limit: pairs_of(distances.within(space, metric, limit)) for limit in (large, large + tiny)
    }
    assert at_most == {large: [(0, 1), (1, 0)], large + tiny: [(0, 1), (1, 0), (1, 2), (2, 1)]}
    with pytest.raises(LimitReached):
        distances.read_distance(space, node(metric))


def test_numbers_are_needed_for_numeric_distances() -> None:
    for domain, absent in ((["a", "b"], False), ([0, 1], True)):
        with pytest.raises(InputError, match="S604"):
            distances.within(worlds.database(["x"], domain, absent=absent), "l1", Fraction(1))
    with pytest.raises(InputError, match="S604"):
        distances.within(worlds.named(["a", "b"]), "hamming", Fraction(1))


@EXAMPLES
@given(st.data())
def test_blowfish_under_constraints_and_absence(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces())
    graph, edge = data.draw(graphs(space, len(space.databases[0])))
    engine = space_of(space)
    edges = (
        secret_graphs.full(engine)
        if graph is None
        else secret_graphs.read_adjacency(engine, node(graph))
    )
    expected = plain.blowfish(space.databases, edge)
    assert pairs_of(secret_graphs.neighbours(engine, edges)) == sorted(expected)
    found = minimal.blowfish(engine, edges)  # without the shortcut for complete spaces
    assert pairs_of(found) == sorted(expected)
    is_symmetric = all(pair[::-1] in expected for pair in expected)
    assert is_symmetric == (not found.notes)


def test_a_deletion_is_a_smaller_change_than_another_value() -> None:
    """E = {a-b}; from (a, a) the worlds (b, c) and (b, absent) break the same secret, and the
    tuples deleted and added are {a1, b1, a2, c2} against {a1, b1, a2}."""
    kept = ["x == 'a' and y.present and y == 'a'", "x == 'b' and not y.present"]
    kept.append("x == 'b' and y.present and y == 'c'")
    where = " or ".join(f"(x.present and {test})" for test in kept)
    space = worlds.database(["x", "y"], ["a", "b", "c"], absent=True, where=[where])
    assert space.names(range(3)) == ["aa", "bc", "b⊥"]
    edges = secret_graphs.read_adjacency(space, node({"edges": [["a", "b"]]}))
    assert (0, 2) in pairs_of(secret_graphs.neighbours(space, edges))
    assert (0, 1) not in pairs_of(secret_graphs.neighbours(space, edges))


def test_neighbours_need_not_be_symmetric() -> None:
    """E = {a-b, b-c}, worlds aa, bb, bc: (bb, aa) but not (aa, bb)."""
    kept = "(x, y) in [('a', 'a'), ('b', 'b'), ('b', 'c')]"
    space = worlds.database(["x", "y"], ["a", "b", "c"], where=[kept])
    edges = secret_graphs.read_adjacency(space, node({"edges": [["a", "b"], ["b", "c"]]}))
    relation = secret_graphs.neighbours(space, edges)
    assert (1, 0) in relation.pairs() and (0, 1) not in relation.pairs()
    assert relation.notes == ("the neighbour relation is not symmetric",)


@EXAMPLES
@given(drawn.spaces())
def test_induced_neighbours(space: Space) -> None:
    assert pairs_of(minimal.induced(space_of(space))) == sorted(plain.induced(space.databases))


@EXAMPLES
@given(st.data())
def test_minimal_vectors_by_table_and_by_pairs(data: st.DataObject) -> None:
    size, middle = data.draw(st.integers(2, 4)), data.draw(st.booleans())
    rows = data.draw(st.integers(1, 4))
    everything = [v for v in product(range(size), repeat=rows) if any(v)]
    chosen = data.draw(st.lists(st.sampled_from(everything), min_size=1, max_size=20))
    vectors, between = np.array(chosen).T, size - 1 if middle else None

    def is_below(low: int, high: int) -> bool:
        return low in (0, high) or (low == between and high != 0)

    expected = [not any(u != v and all(map(is_below, u, v)) for u in chosen) for v in chosen]
    assert minimal._minimal_by_table(vectors, [size] * rows, between).tolist() == expected
    assert minimal._minimal_by_pairs(vectors, between).tolist() == expected


def test_keys_beyond_64_bits() -> None:
    """Twenty rows of codes up to 2^20 need 400 bits; the keys still tell all worlds apart."""
    codes = np.array([[0, 2**20, 5, 5], [7, 7, 7, 2**20]] * 10)
    found = keys(codes, 4)
    assert len(set(found.tolist())) == 4
    repeated = keys(np.hstack([codes, codes]), 8)
    assert (repeated[:4] == repeated[4:]).all()


@pytest.mark.parametrize("size", [1, 2, 5])
def test_all_pairs(size: int) -> None:
    relation = by_rule(worlds.named([f"w{k}" for k in range(size)]), "all")
    expected = sorted(
        [*combinations(range(size), 2), *((j, i) for i, j in combinations(range(size), 2))]
    )
    assert pairs_of(relation) == expected

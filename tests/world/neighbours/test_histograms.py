"""Neighbours among histograms: those of all lists of records that have them."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import plain
from tests.definitions.histogram_cases import Case, cases
from tests.definitions.plain import Pair
from tests.drawing import examples
from verifier.base import document
from verifier.base.errors import InputError, LimitReached
from verifier.definitions import label_privacy
from verifier.world import transport, worlds
from verifier.world.neighbours import distances, graphs, plans
from verifier.world.relation import Relation, by_rule
from verifier.world.worlds import WorldSpace

EXAMPLES = examples(60)
GROUPED = {
    "replace": plain.is_replace,
    "add_remove": plain.is_add_remove,
    "entry": plain.is_entry,
}


def pairs_of(relation: Relation) -> list[Pair]:
    """All pairs; none stands in two blocks."""
    everything = [pair for part in relation.blocks for pair in part.pairs()]
    assert len(set(everything)) == len(everything) == relation.count()
    return sorted(everything)


def node(value: object) -> document.Node:
    return document.parse(json.dumps(value), "drawn.json")


@EXAMPLES
@given(cases(), st.sampled_from(sorted(GROUPED)), st.integers(1, 4))
def test_groups_of_changes(case: Case, rule: str, group: int) -> None:
    expected = case.among(plain.pairs_of(case.lists, GROUPED[rule], group))
    assert pairs_of(by_rule(case.space, rule, group)) == expected


@EXAMPLES
@given(st.data(), st.sampled_from(distances.METRICS))
def test_distances_at_most(data: st.DataObject, metric: str) -> None:
    case = data.draw(cases(numbers=metric != "hamming"))
    limit = data.draw(st.sampled_from([1, 2, 3, 4, 7]))
    near = plain.pairs_of(case.lists, lambda w, v: plain.distance(metric, w, v) <= limit)
    assert pairs_of(distances.within(case.space, metric, Fraction(limit))) == case.among(near)


@EXAMPLES
@given(st.data(), st.sampled_from(distances.METRICS))
def test_all_distances(data: st.DataObject, metric: str) -> None:
    """That of two histograms is the least of lists; where pairs are left out, chains of those that
    are compared add up to it."""
    case = data.draw(cases(numbers=metric != "hamming"))
    least: dict[Pair, Fraction] = {}
    for i, w in enumerate(case.lists):
        for j, v in enumerate(case.lists):
            pair, far = (case.of[i], case.of[j]), plain.distance(metric, w, v)
            least[pair] = min(far, least.get(pair, far))
    found = distances.all_distances(case.space, metric)
    compared = {pair: part.distance for part in found.blocks for pair in part.pairs()}
    assert all(least[pair] == far for pair, far in compared.items())
    size = range(case.space.size)
    if not found.notes:
        assert len(compared) == len(size) * (len(size) - 1)
    for k, i, j in product(size, repeat=3):  # shortest paths
        if (i, k) in compared and (k, j) in compared and i != j:
            around = compared[i, k] + compared[k, j]
            compared[i, j] = min(around, compared.get((i, j), around))
    assert {pair: far for pair, far in least.items() if pair[0] != pair[1]} == compared


@EXAMPLES
@given(cases(constrained=True) | cases(), st.data())
def test_blowfish_by_every_third_list(case: Case, data: st.DataObject) -> None:
    present = [v for v in case.values if v is not None]
    every = [(x, y) for i, x in enumerate(present) for y in present[:i]]
    joined = data.draw(st.just(every) | st.lists(st.sampled_from(every), unique=True))
    names = [case.space.record_text(v) for v in present]
    text = dict(zip(present, names, strict=True))
    graph = {"edges": [[text[x], text[y]] for x, y in joined]}
    edges = graphs.read_adjacency(case.space, node(graph))
    expected = plain.blowfish(case.lists, lambda i, x, y: (x, y) in joined or (y, x) in joined)
    assert pairs_of(graphs.neighbours(case.space, edges)) == case.among(expected)
    found = plans.blowfish(case.space, edges[0])  # without the shortcut for complete spaces
    assert pairs_of(found) == case.among(expected)


def test_a_difference_is_no_plan() -> None:
    """Edges a-b and b-c, and one record is b: one goes from c to b and one from b to a, in all
    from c to a, which is no edge."""
    space = worlds.exchangeable(3, ["a", "b", "c"], where=["count(value == 'b') == 1"])
    assert space.names(range(3)) == ["a×2 b×1", "a×1 b×1 c×1", "b×1 c×2"]
    edges = graphs.read_adjacency(space, node({"edges": [["a", "b"], ["b", "c"]]}))
    assert pairs_of(graphs.neighbours(space, edges)) == [(0, 1), (1, 0), (1, 2), (2, 1)]


@EXAMPLES
@given(cases(constrained=True))
def test_induced_neighbours(case: Case) -> None:
    assert pairs_of(plans.induced(case.space)) == case.among(plain.induced(case.lists))


@EXAMPLES
@given(cases(), st.sampled_from("AB"))
def test_labels(case: Case, label: str) -> None:
    if not case.space.attributes:
        with pytest.raises(InputError, match="S603"):
            label_privacy.neighbours_of(case.space, label)
        return
    expected = case.among(plain.pairs_of(case.lists, plain.is_label, "AB".index(label)))
    assert pairs_of(label_privacy.neighbours_of(case.space, label)) == expected


def test_many_values_and_large_counts() -> None:
    """Counts of which no 64 bits hold all digits."""
    space = worlds.exchangeable(2, [f"v{k}" for k in range(40)])
    assert by_rule(space, "replace").count() == 40 * 39 + 780 * 78
    large = worlds.exchangeable(10_000, [0, 1])
    assert by_rule(large, "replace").count() == 20_000


def test_a_graph_for_each_record_is_refused() -> None:
    space = worlds.exchangeable(2, ["a", "b"])
    with pytest.raises(InputError, match="S604 records that are not told apart have one graph"):
        graphs.read_adjacency(space, node({"records": {"r1": "full"}}))


def test_what_takes_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    space = worlds.exchangeable(30, list("abcd"))
    monkeypatch.setattr(transport, "MAX_COMPARED", 10**5)
    with pytest.raises(LimitReached):
        by_rule(space, "replace", 9)
    with pytest.raises(LimitReached):
        transport.bottleneck(space, np.eye(4, dtype=bool))
    monkeypatch.setattr(plans, "MAX_PLANS", 10)
    with pytest.raises(LimitReached):
        plans.induced(space)


def test_a_space_of_records_is_none_of_histograms() -> None:
    space: WorldSpace = worlds.database(["ann"], [0, 1])
    assert not space.is_histograms and worlds.exchangeable(1, [0, 1]).is_histograms

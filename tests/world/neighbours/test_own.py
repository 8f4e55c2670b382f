"""Neighbours that a file gives by itself, against plain loops over pairs of worlds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from itertools import permutations
from typing import Any

import pytest

from tests.definitions.drawn import decide
from verifier.base.document import tree
from verifier.base.errors import InputError, LimitReached
from verifier.definitions.differential_privacy import neighbours_of
from verifier.world.neighbours import own
from verifier.world.worlds import WorldSpace, database, named

Items = tuple[Any, ...]
BITS = database(["ann", "bob", "eve"], [0, 1])
PEOPLE = database(["ann", "bob"], {"age": [1, 2], "ill": ["no", "yes"]}, absent=True)
ONE_EACH = database(["ann", "bob"], {"age": [1, 2]})
CASES: list[tuple[WorldSpace, str, Callable[[Items, Items], bool]]] = [
    (BITS, "hamming(w, v) <= 1", lambda w, v: sum(a != b for a, b in zip(w, v, strict=True)) <= 1),
    (BITS, "w.ann != v.ann", lambda w, v: w[0] != v[0]),
    (BITS, "w.ann < v.ann and w.bob == v.bob", lambda w, v: w[0] < v[0] and w[1] == v[1]),
    (BITS, "w[0] + w[2] == v[0] + 1", lambda w, v: w[0] + w[2] == v[0] + 1),
    (BITS, "sum([w.ann, w.bob]) > sum([v.ann, v.eve])", lambda w, v: w[0] + w[1] > v[0] + v[2]),
    (BITS, "w == [0, 0, 1] or v in [w]", lambda w, v: w == (0, 0, 1) or v == w),
    (BITS, "True", lambda w, v: True),
    (
        PEOPLE,
        "w.ann.present and not v.ann.present and w.bob == v.bob",
        lambda w, v: w[0] is not None and v[0] is None and w[1] == v[1],
    ),
    (
        PEOPLE,
        "w.ann.present and v.bob.present and w.ann.ill == 'yes' and v.bob.age == 2",
        lambda w, v: bool(w[0] and v[1]) and w[0][1] == "yes" and v[1][0] == 2,
    ),
    (
        ONE_EACH,
        "w.ann.age < v.bob.age and w.bob == v.ann",
        lambda w, v: w[0] < v[1] and w[1] == v[0],
    ),
]


def items(space: WorldSpace, world: int) -> Items:
    found = (space.world(world)).records
    return tuple(None if repr(x) == "⊥" else x for x in found)


@pytest.mark.parametrize(("space", "text", "test"), CASES, ids=[text for _, text, _ in CASES])
def test_an_expression_about_two_worlds(
    space: WorldSpace, text: str, test: Callable[[Items, Items], bool]
) -> None:
    """As written, where directed; and both ways, where not."""
    worlds = range(space.size)
    expected = {
        (w, v) for w, v in permutations(worlds, 2) if test(items(space, w), items(space, v))
    }
    found = neighbours_of(space, {"where": text, "directed": "true"})
    assert set(found.pairs()) == expected
    both = neighbours_of(space, {"where": text})
    assert set(both.pairs()) == expected | {(v, w) for w, v in expected}
    rows: Any = both.statement["distances"]
    listed = {(w, v) for lists in rows.values() for w, row in enumerate(lists) for v in row}
    assert listed == set(both.pairs())


def test_pairs_by_name() -> None:
    """A name that looks like a number is a name; a pair that stands twice counts once."""
    pairs = [["000", "011"], ["011", "000"], ["100", "000"], ["100", "000"]]
    found = neighbours_of(BITS, {"pairs": pairs, "directed": "true"})
    assert found.pairs() == [(0, 3), (3, 0), (4, 0)]
    assert neighbours_of(BITS, {"pairs": pairs}).pairs() == [(0, 3), (0, 4), (3, 0), (4, 0)]
    node = tree({"pairs": [["000", "011"]], "directed": "false"}).mapping()
    assert own.stated(node) == {"pairs": [["000", "011"]]}
    assert neighbours_of(BITS, {"pairs": []}).is_empty()


def test_named_worlds() -> None:
    space = named(["sun", "rain", "snow"])
    found = neighbours_of(space, {"where": "w == sun and v != snow", "directed": "true"})
    assert found.pairs() == [(0, 1)]


def test_node_privacy_by_hand() -> None:
    """Three friendships, geometric noise of ratio 1/2 on how many there are: two of them may
    change, by 2^2; one way and from 1 to 0 for one of them, by 2."""
    spec: Any = {
        "worlds": {"records": ["ab", "ac", "bc"], "domain": ["0", "1"]},
        "mechanism": {"geometric": {"query": "ab + ac + bc", "ratio": "1/2"}},
    }
    about = [
        ("w.ab == v.ab or w.ac == v.ac or w.bc == v.bc", {}, F(4)),
        ("w.ab > v.ab and w.ac == v.ac and w.bc == v.bc", {"directed": "true"}, F(2)),
        ("w.ab + v.ab == 3", {}, F(1)),
    ]
    for text, more, level in about:
        options = {"exp_epsilon": "8", "neighbours": {"where": text, **more}}
        answer = decide({**spec, "checks": [{"differential_privacy": options}]})
        assert answer.leakage is not None and answer.leakage.exp_epsilon == level
        assert answer.leakage.vacuous == (level == 1)


def test_too_many_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "MAX_PAIRS", 63)
    with pytest.raises(LimitReached, match="two of 8 worlds"):
        neighbours_of(BITS, {"where": "w != v"})


def test_worlds_that_are_not_enumerated() -> None:
    names = [f"r{k}" for k in range(40)]
    spec: Any = {
        "worlds": {"records": names, "domain": ["0", "1"]},
        "mechanism": {"randomized_response": {"truth": "3/4"}},
        "checks": [
            {"differential_privacy": {"exp_epsilon": "3", "neighbours": {"where": "w != v"}}}
        ],
    }
    with pytest.raises(InputError, match="not enumerated"):
        decide(spec)

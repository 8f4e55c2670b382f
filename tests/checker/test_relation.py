"""Pairs of worlds of each rule, against a comparison of all worlds with each other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.loops import each
from verifier.checker import document
from verifier.checker import reading as read
from verifier.checker.document import Refused, Rejected
from verifier.checker.obligations import compared_at, read_blocks
from verifier.checker.reading import Model

Json = dict[str, Any]
Pair = tuple[int, int]
ONE = Fraction(1)
# worlds of two or three records of one or two entries: all of them, in some order, or not
WORLDS: list[tuple[int, list[list[int]]]] = [
    (1, [list(row) for row in product([-1, 0, 1], repeat=2)]),
    (1, [[0, 0, -1], [0, 1, -1], [1, 1, -1], [1, 1, 1], [-1, 1, 1], [-1, -1, 1], [0, 0, 0]]),
    (1, [list(row[::-1]) for row in product([5], [1, -1], [2, 0, -1, 1])]),
    (1, [list(row) for row in product([-1, 0], [0, 1, 2], [-1])][::-1]),
    (2, [[*x, *y] for x, y in product([(0, 0), (0, 1), (-1, -1)], [(1, 1), (-1, -1)])]),
    (2, [[*x, *y] for x, y in product([(0, 0), (0, 1), (1, 0), (1, 1)], repeat=2)]),
    (2, [[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1], [-1, -1, 1, 1], [-1, -1, 1, 0], [1, 1, -1, -1]]),
]


def model(rows: list[list[int]], width: int = 1) -> Model:
    worlds = [str(w) for w in range(len(rows))]
    return Model({"worlds": worlds, "records": rows, "entries_per_record": width})


def compared(relation: Json, about: Model) -> set[Pair]:
    """All pairs, each at distance 1."""
    blocks = read_blocks(relation, about)
    assert all(distance == ONE and s and t for s, t, distance in blocks)
    found = {(i, j) for s, t, _ in blocks for i in s for j in t if i != j}
    worlds = range(about.size)
    assert found == {(i, j) for i in worlds for j in worlds if compared_at(relation, about, i, j)}
    return found


def related(rule: str, group: int, width: int, rows: list[list[int]]) -> Iterator[Pair]:
    size = 1 if rule == "entry" else width
    split = [[tuple(row[k : k + size]) for k in range(0, len(row), size)] for row in rows]
    for i, j in product(range(len(rows)), repeat=2):
        changed = [(a, b) for a, b in zip(split[i], split[j], strict=True) if a != b]
        crossing = rule == "add_remove"
        if 1 <= len(changed) <= group and all(
            ((-1 in a) != (-1 in b)) == crossing for a, b in changed
        ):
            yield i, j


@each("rule", ["replace", "entry", "add_remove"])
@each("group", [1, 2, 3, 4, 10])
@each("width, rows", WORLDS)
def test_worlds_that_differ_in_some_places(
    rule: str, group: int, width: int, rows: list[list[int]]
) -> None:
    relation = {"rule": rule, "group": group}
    expected = set(related(rule, group, width, rows))
    assert expected or rule == "add_remove"
    assert compared(relation, model(rows, width)) == expected


@each("rule", ["replace", "entry", "add_remove"])
@each("group", [1, 2, 3])
@each("width, rows", WORLDS)
def test_worlds_of_one_kind_are_compared_as_one(
    rule: str, group: int, width: int, rows: list[list[int]]
) -> None:
    kinds = [w % 3 for w in range(len(rows))]
    expected = {(kinds[i], kinds[j]) for i, j in related(rule, group, width, rows)}
    blocks = read_blocks({"rule": rule, "group": group}, model(rows, width), kinds)
    found = {(i, j) for s, t, _ in blocks for i in s for j in t}
    own = {(kind, kind) for kind in range(3)}  # comparisons of a kind with itself prove nothing
    assert found | own == expected | own
    assert bool(found) == bool(expected)


def test_worlds_without_neighbours() -> None:
    for rule in ("replace", "entry", "add_remove"):
        assert read_blocks({"rule": rule, "group": 1}, model([[0, 0], [1, 1]])) == []
    assert read_blocks({"rule": "all"}, model([[0]])) == []
    assert read_blocks({"rule": "pairs", "distances": {"1": [[], []]}}, model([[0], [1]])) == []


@pytest.mark.parametrize("group", [0, -1, True, "1", None, 1.0, 2**60])
def test_what_is_no_group(group: Any) -> None:
    for rule in ("replace", "entry", "add_remove"):
        with pytest.raises(Refused):
            read_blocks({"rule": rule, "group": group}, model([[0], [1]]))


def test_all_and_listed_pairs() -> None:
    about = model([[0], [1], [2]])
    assert compared({"rule": "all"}, about) == {(i, j) for i in range(3) for j in range(3) if i - j}
    assert compared({"rule": "all"}, model([[0], [1]])) == {(0, 1), (1, 0)}
    relation = {"rule": "pairs", "distances": {"1": [[1], [], [1, 0]], "1/2": [[], [0], []]}}
    assert read_blocks(relation, about) == [
        ({0}, {1}, ONE),
        ({2}, {0, 1}, ONE),
        ({1}, {0}, Fraction(1, 2)),
    ]
    assert compared_at(relation, about, 2, 0) == {ONE}
    assert compared_at(relation, about, 1, 0) == {Fraction(1, 2)}
    assert compared_at(relation, about, 0, 0) == compared_at(relation, about, 0, 2) == set()
    for distances in (
        {"0": [[1], [], []]},
        {"-1": [[1], [], []]},
        {"1": [[0], [], []]},
        {"1": [[1], [], [0, 2]]},
        {"1": [[3], [], []]},
        {"1": [[-1], [], []]},
        {"1": [[True], [], []]},
        {"1": [[1], []]},
        {"1": [[1], [], [], []]},
        {"1": ((1,), (), ())},
        {"1": [1, [], []]},
        [["1", [[1], [], []]]],
    ):
        with pytest.raises((Refused, ValueError)):
            read_blocks({"rule": "pairs", "distances": distances}, about)
    for more in ({"rule": "all", "more": 0}, {**relation, "more": 0}, {"rule": "replace"}):
        with pytest.raises(Refused):
            read_blocks(more, about)


BITS = model([[0, 0], [0, 1], [1, 0], [1, 1]])
WIDE = model([[a, b] for a in range(3) for b in range(2)])  # world 2 a + b


def secrets(kind: str, pairs: list[list[str]], **worlds: list[int]) -> Json:
    return {"rule": "secrets", "secrets": worlds, "pairs": pairs, "priors": {"class": kind}}


def test_secrets_and_their_pairs() -> None:
    relation = secrets("all", [["s", "t"], ["u", "s"]], s=[2, 0], t=[3], u=[3, 1, 3])
    assert read.secrets(relation, BITS) == (
        {"s": [0, 2], "t": [3], "u": [1, 3]},
        [("s", "t"), ("t", "s"), ("u", "s"), ("s", "u")],
    )
    for wrong in ([["s", "s"]], [["t", "u"]], [["s", "t"], ["u", "t"]]):
        with pytest.raises(Rejected):
            read.secrets({**relation, "pairs": wrong}, BITS)
    for broken in ([["s"]], [["s", "t", "u"]], [["s", 1]], [("s", "t")], ["st"], (), [["s", "x"]]):
        with pytest.raises((Refused, KeyError)):
            read.secrets({**relation, "pairs": broken}, BITS)
    for worlds in ([4], [-1], [True], (0,), "0"):
        with pytest.raises(Refused):
            read.secrets({**relation, "secrets": {"s": [0], "t": worlds}}, BITS)
    with pytest.raises(Refused):
        read.secrets({**relation, "more": 0}, BITS)
    with pytest.raises(Refused):
        read.secrets({**relation, "secrets": [["s", [0]]]}, BITS)
    assert document.named_pair(["s", "t"]) == ("s", "t")


def test_all_priors_compare_all_worlds_across() -> None:
    relation = secrets("all", [["s", "t"], ["s", "u"], ["u", "v"]], s=[0, 1], t=[2, 3], u=[], v=[1])
    there = {(i, j) for i in (0, 1) for j in (2, 3)}
    assert compared(relation, BITS) == there | {(j, i) for i, j in there}


@pytest.mark.parametrize(
    ("about", "s", "t", "found"),
    [
        (BITS, [0, 1], [2, 3], {(0, 2), (1, 3)}),  # the first bit
        (BITS, [0, 2], [1, 3], {(0, 1), (2, 3)}),  # the second one
        (BITS, [0], [2], {(0, 2)}),
        (BITS, [1], [3], {(1, 3)}),
        (WIDE, [0, 1], [4, 5], {(0, 4), (1, 5)}),
        (WIDE, [0, 1], [2, 3, 4, 5], {(0, 2), (0, 4), (1, 3), (1, 5)}),
        (WIDE, [0, 2, 4], [1, 3, 5], {(0, 1), (2, 3), (4, 5)}),
        (WIDE, [0, 4], [1, 5], {(0, 1), (4, 5)}),
        (WIDE, [2], [3], {(2, 3)}),
    ],
)
def test_independent_records(about: Model, s: list[int], t: list[int], found: set[Pair]) -> None:
    both = found | {(j, i) for i, j in found}
    assert compared(secrets("product", [["s", "t"]], s=s, t=t), about) == both
    more = secrets("product", [["s", "u"], ["s", "t"]], s=s, t=t, u=[])
    assert compared(more, about) == both


@pytest.mark.parametrize(
    ("about", "s", "t"),
    [
        (BITS, [0], [3]),  # two records differ
        (BITS, [0, 1], [2]),
        (BITS, [0], [1, 3]),
        (BITS, [0, 3], [1, 2]),  # no choices of values
        (BITS, [0, 1, 2], [3]),
        (BITS, [3], [0, 1, 2]),
        (WIDE, [0, 3], [4, 5]),
        (WIDE, [0, 1, 2, 5], [3, 4]),
        (model([[0, 0], [0, 1], [1, 0]]), [0, 1], [2]),  # no complete product
        (model([[0, 0], [1, 1]]), [0], [1]),
    ],
)
def test_what_is_not_about_one_record(about: Model, s: list[int], t: list[int]) -> None:
    with pytest.raises(Rejected):
        read_blocks(secrets("product", [["s", "t"]], s=s, t=t), about)
    assert read_blocks(secrets("all", [["s", "t"]], s=s, t=t), about)


def test_an_incomplete_product_is_rejected_before_secrets_are_read() -> None:
    with pytest.raises(Rejected):
        read_blocks(secrets("product", [["s", "t"]], s=[0], t=[1]), model([[0, 0], [0, 1], [1, 0]]))


def test_other_classes_compare_no_worlds() -> None:
    for kind in ("list", "any", "", None, 1):
        with pytest.raises(Refused):
            read_blocks(secrets(kind, [["s", "t"]], s=[0], t=[1]), BITS)
    about = secrets("all", [["s", "t"]], s=[0], t=[1])
    about["priors"]["more"] = 0
    with pytest.raises(Refused):
        read_blocks(about, BITS)

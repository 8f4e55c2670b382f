"""Composition, repetition, post-processing, mixtures and merging, against enumeration."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn, plain
from tests.drawing import examples
from tests.mechanisms.building import NAMED, F, build, rows, table
from verifier.base.errors import InputError

EXAMPLES = examples(40)
FIRST = {"u": {"a": "1/2", "b": "1/2"}, "v": {"a": "1"}, "w": {"b": "1/3", "c": "2/3"}}
SECOND = {"u": {"x": "1/5", "y": "4/5"}, "v": {"y": "1"}, "w": {"x": "1"}}


def test_compose() -> None:
    made = rows(build({"compose": [table(FIRST), table(SECOND), table(FIRST)]}))
    for world in NAMED:
        expected = {
            f"({a}, {b}, {c})": F(p) * F(q) * F(r)
            for (a, p), (b, q), (c, r) in product(
                FIRST[world].items(), SECOND[world].items(), FIRST[world].items()
            )
        }
        assert made[world] == expected


def test_compose_refuses_labels_that_would_read_alike() -> None:
    left = table({w: {"a": "1/2", "a, b": "1/2"} for w in NAMED})
    right = table({w: {"b, c": "1/2", "c": "1/2"} for w in NAMED})
    with pytest.raises(InputError, match="S105"):
        build({"compose": [left, right]})


@EXAMPLES
@given(drawn.matrices(3), st.integers(1, 4))
def test_repeat_against_all_sequences(columns: list[list[Fraction]], runs: int) -> None:
    named = dict(zip(NAMED, columns, strict=True))
    once = {
        world: {f"o{k}": str(p) for k, p in enumerate(column)} for world, column in named.items()
    }
    made = rows(build({"repeat": {"of": table(once), "runs": runs}}))
    for world, column in named.items():
        expected: dict[frozenset[Any], Fraction] = defaultdict(Fraction)
        for sequence in product(range(len(column)), repeat=runs):
            expected[multiset(sequence)] += prod((column[k] for k in sequence), start=F(1))
        found = {read_multiset(label): p for label, p in made[world].items()}
        assert found == {key: p for key, p in expected.items() if p}


def multiset(sequence: tuple[int, ...]) -> frozenset[Any]:
    return frozenset(Counter(f"o{k}" for k in sequence).items())


def read_multiset(label: str) -> frozenset[Any]:
    pairs = (part.split(": ") for part in label.strip("{}").split(", "))
    return frozenset((output, int(times)) for output, times in pairs)


@EXAMPLES
@given(drawn.matrices(3), st.integers(2, 3))
def test_a_multiset_leaks_what_the_sequence_does(columns: list[list[Fraction]], runs: int) -> None:
    once = {
        w: {f"o{k}": str(p) for k, p in enumerate(c)} for w, c in zip(NAMED, columns, strict=True)
    }
    level = {
        kind: plain.smallest_alpha(columns_of(made), permutations(range(3), 2))
        for kind, made in (
            ("multiset", build({"repeat": {"of": table(once), "runs": runs}})),
            ("sequence", build({"compose": [table(once)] * runs})),
        )
        if len(made.outputs) <= 9
    }
    assert len(set(level.values())) <= 1


def columns_of(mechanism: Any) -> list[list[Fraction]]:
    return [list(column) for column in zip(*mechanism.rows(), strict=True)]


def test_post_process_by_a_map() -> None:
    made = build(
        {"post_process": {"of": table(FIRST), "map": {"c": "new", "a": "old", "b": "new"}}}
    )
    assert made.outputs == ("new", "old")
    assert rows(made) == {
        "u": {"new": F(1, 2), "old": F(1, 2)},
        "v": {"old": F(1)},
        "w": {"new": F(1)},
    }


def test_post_process_by_a_matrix() -> None:
    matrix = {"a": {"x": "1/7", "y": "6/7"}, "b": {"y": 1, "z": 0}, "c": {"x": "1"}}
    made = rows(build({"post_process": {"of": table(FIRST), "matrix": matrix}}))
    for world in NAMED:
        expected: dict[str, Fraction] = defaultdict(Fraction)
        for output, p in FIRST[world].items():
            for target, q in matrix[output].items():
                expected[target] += F(p) * F(q)
        assert made[world] == {target: p for target, p in expected.items() if p}


@pytest.mark.parametrize(
    "wrong",
    [
        {"map": {"a": "x", "b": "y"}},
        {"map": {"a": "x", "b": "y", "c": "z", "d": "z"}},
        {"matrix": {"a": {"x": "1/2"}, "b": {"x": 1}, "c": {"x": 1}}},
        {"matrix": {"a": {"x": 2, "y": -1}, "b": {"x": 1}, "c": {"x": 1}}},
        {},
        {"map": {"a": "x", "b": "y", "c": "z"}, "matrix": {}},
    ],
)
def test_post_process_takes_every_output_to_a_distribution(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        build({"post_process": {"of": table(FIRST), **wrong}})


def test_mixture_adds_up_equal_labels() -> None:
    parts = [
        {"weight": "1/3", "mechanism": table(FIRST)},
        {"weight": "2/3", "mechanism": table({w: {"b": "1/4", "new": "3/4"} for w in NAMED})},
    ]
    made = build({"mixture": parts})
    assert made.outputs == ("a", "b", "c", "new")
    assert rows(made) == {
        "u": {"a": F(1, 6), "b": F(1, 3), "new": F(1, 2)},
        "v": {"a": F(1, 3), "b": F(1, 6), "new": F(1, 2)},
        "w": {"b": F(5, 18), "c": F(2, 9), "new": F(1, 2)},
    }
    for weight in ("1/4", "-1/3", "4/3"):
        with pytest.raises(InputError):
            build({"mixture": [{**parts[0], "weight": weight}, parts[1]]})


def test_mixture_adds_up_equal_values() -> None:
    """The world and the list of its records' values, or its only record's value, in any names."""
    for domain in (["n", "y"], ["00", "01"], ["10", "11"], [0, 1]):
        for records, listed in ((["ann"], "ann"), (["ann", "bob"], "(ann, bob)")):
            parts = [
                {"weight": "1/3", "mechanism": {"deterministic": text}}
                for text in ("world", listed)
            ]
            parts.append({"weight": "1/3", "mechanism": {"randomized_response": {"truth": "1"}}})
            made = build({"mixture": parts}, {"records": records, "domain": domain})
            assert set(made.values) == {F(0), F(1)}, (domain, listed)
            twice = "return world if draw(bernoulli(1/2)) == 1 else " + listed
            assert (
                len(build({"program": twice}, {"records": records, "domain": domain}).values) == 2
            )


def test_merge_proportional() -> None:
    """a and c are proportional, d never happens; neither is b, though it has a's pattern."""
    columns = {
        "u": {"a": "1/8", "b": "1/8", "c": "1/4", "e": "1/2", "d": 0},
        "v": {"a": "1/4", "b": "1/8", "c": "1/2", "e": "1/8", "d": 0},
        "w": {"a": "1/4", "b": "1/8", "c": "1/2", "e": "1/8", "d": 0},
    }
    made = build({"merge_proportional": table(columns)})
    assert rows(made) == {
        "u": {"a | c": F(3, 8), "b": F(1, 8), "e": F(1, 2)},
        "v": {"a | c": F(3, 4), "b": F(1, 8), "e": F(1, 8)},
        "w": {"a | c": F(3, 4), "b": F(1, 8), "e": F(1, 8)},
    }
    assert made.notes == ("1 proportional outputs were merged into others",)


@EXAMPLES
@given(drawn.matrices(3))
def test_merging_changes_no_comparison(columns: list[list[Fraction]]) -> None:
    once = {
        w: {f"o{k}": str(p) for k, p in enumerate(c)} for w, c in zip(NAMED, columns, strict=True)
    }
    merged = columns_of(build({"merge_proportional": table(once)}))
    for i, j in permutations(range(3), 2):
        for alpha in (F(1), F(3, 2), F(10**6)):
            assert plain.excess(merged[i], merged[j], alpha) == plain.excess(
                columns[i], columns[j], alpha
            )


def test_named_mechanisms_and_one_made_of_itself() -> None:
    several = {"twice": {"compose": ["once", "once"]}, "once": table(FIRST)}
    assert build(None, mechanisms={"only": several["once"]}).outputs == ("a", "b", "c")
    with pytest.raises(InputError, match=r"S605.*twice, once"):
        build(None, mechanisms=several)
    with pytest.raises(InputError, match="S106"):
        build(None, mechanisms={"loop": {"compose": ["loop", "loop"]}})

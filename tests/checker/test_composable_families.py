"""Certificates that levels add up for priors with unknown distributions, made by hand: of three
bits two are 1, and who is nearly certain of one of the others compares two worlds."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.checker.drafts import between, check, digest_of, draft
from tests.checker.outcomes import parts, siblings, with_parts
from verifier.checker import Verdict

Json = dict[str, Any]

# the variables are the weights of 0 and of 1, of each bit in turn
ONES = ["1"] * 6
ALONE = [
    {"pair": ["a", "A"], "point": ONES, "powers": [0, 0, 1, 0, 0, 0]},  # 011 and 110
    {"pair": ["a", "A"], "point": ONES, "powers": [0, 0, 0, 0, 1, 0]},  # 011 and 101
]
MIDDLE = {"pair": ["a", "A"], "point": ONES, "powers": [0] * 6}
EDGE = [0, 1, 1, 1, 0, 0]  # on both sides of equal weights of 0 and of 1, for the first bit
WITNESS = "evidence__witness__"


def two_of_three() -> Json:
    model = {
        "worlds": ["110", "101", "011"],
        "records": [[1, 1, 0], [1, 0, 1], [0, 1, 1]],
        "entries_per_record": 1,
    }
    return draft(
        "composable",
        model,
        between({"a": [2], "A": [0, 1]}, [["a", "A"]], {"class": "product"}),
        {"alone": deepcopy(ALONE), "trees": []},
        one_run=None,
    )


def verdict_on(made: Json, **parts: Any) -> Verdict:
    made = with_parts(made, **parts)
    made["claim"]["digest"] = digest_of(made["model"])
    return check(made)


def test_accepts() -> None:
    assert verdict_on(two_of_three()).outcome == "accepted", verdict_on(two_of_three())


def test_the_smaller_secret_is_the_first() -> None:
    turned = {"relation__pairs": [["A", "a"]]}
    assert verdict_on(two_of_three(), **turned).outcome == "accepted"
    tree = [{"pair": ["a", "A"], "worlds": [2], "tree": EDGE}]
    assert verdict_on(two_of_three(), **turned, evidence__witness__trees=tree).outcome == "accepted"


@pytest.mark.parametrize(
    ("alone", "outcome"),
    [
        ([*ALONE, ALONE[0]], "accepted"),
        ([ALONE[0]], "rejected"),  # 101 has no neighbour
        ([ALONE[0], ALONE[0]], "rejected"),
        ([], "rejected"),
        ([*ALONE, MIDDLE], "rejected"),  # leaves 110 and 101
        ([ALONE[0], MIDDLE], "rejected"),
        ([ALONE[0], {**ALONE[1], "powers": [0, 0, 0, 0, 0, 1]}], "rejected"),  # 110 again
        ([ALONE[0], {**ALONE[1], "point": ["1", "1", "1", "1", "1", "0"]}], "rejected"),
        ([ALONE[0], {**ALONE[1], "pair": ["A", "b"]}], "refused"),
        ([ALONE[0], {**ALONE[1], "pair": ["A", "a"]}], "accepted"),
        ([ALONE[0], {**ALONE[1], "more": 1}], "refused"),
        ({}, "refused"),
    ],
)
def test_worlds_that_are_compared(alone: Any, outcome: str) -> None:
    found = verdict_on(two_of_three(), **{f"{WITNESS}alone": alone})
    assert found.outcome == outcome, found


@pytest.mark.parametrize(
    ("trees", "outcome"),
    [
        ([{"pair": ["a", "A"], "worlds": [2], "tree": EDGE}], "accepted"),
        ([{"pair": ["a", "A"], "worlds": [], "tree": EDGE}], "accepted"),  # 0 >= 0
        ([{"pair": ["a", "A"], "worlds": [2], "tree": 1}], "rejected"),
        ([{"pair": ["a", "A"], "worlds": [1], "tree": EDGE}], "refused"),
        ([{"pair": ["A", "a"], "worlds": [2], "tree": EDGE}], "refused"),
        ([{"pair": ["a", "A"], "worlds": [2], "tree": 0}] * 2, "refused"),
        ([{"pair": ["a", "A"], "worlds": [2]}], "refused"),
        ([{"pair": ["a"], "worlds": [2], "tree": 0}], "refused"),
    ],
)
def test_trees(trees: Any, outcome: str) -> None:
    found = verdict_on(two_of_three(), **{f"{WITNESS}trees": trees})
    assert found.outcome == outcome, found


test_other_claims = siblings(
    (two_of_three, "refused", "claim.one_run", "1"),
    (two_of_three, "rejected", "claim.verdict", "violated"),
    (two_of_three, "refused", "claim.leakage", {"vacuous": True}),
    (two_of_three, "refused", "relation.priors", {"class": "all"}, {"class": "any"}),
    (two_of_three, "refused", "relation.rule", "influence"),
    (two_of_three, "refused", "witness.more", []),
    (two_of_three, "accepted", "relation.pairs", [["a", "A"], ["A", "a"]]),
    (
        two_of_three,
        "refused",
        "",
        parts(model__outputs=["o"], model__values=["1"], model__columns=[[0]] * 3),
    ),
)


def test_nothing_is_compared() -> None:
    empty = {"relation__secrets": {"a": [], "A": [0, 1]}, f"{WITNESS}alone": []}
    vacuous = {**empty, "claim__leakage": {"vacuous": True}}
    assert verdict_on(two_of_three(), **vacuous).outcome == "accepted"
    assert verdict_on(two_of_three(), **empty).outcome == "refused"


def test_at_most_two_of_three_is_not_proved() -> None:
    """Given 1 the world 100 is compared with 000 only, which is less likely given 0."""
    made = two_of_three()
    rows = [[0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]]
    made["model"] |= {"worlds": ["".join(map(str, row)) for row in rows], "records": rows}
    made["relation"]["secrets"] = {"a": [0, 1, 2, 3], "A": [4, 5, 6]}
    powers = [[0, 0, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1], [0, 0, 0, 1, 1, 0]]
    powers += [[0, 0, 2, 0, 1, 0], [0, 0, 1, 0, 2, 0]]
    alone = [{"pair": ["a", "A"], "point": ONES, "powers": row} for row in powers]
    found = verdict_on(made, **{f"{WITNESS}alone": alone})
    assert found.outcome == "rejected" and "likelier" in found.reason

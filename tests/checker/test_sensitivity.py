"""Certificates of sensitivity: the largest L1 distance of a query over neighbours."""

from typing import Any

import pytest

from tests.checker.drafts import check

# two records with values 0, 1, 5/2: the query releases their sum and the first one
VALUES = ["0", "1", "5/2"]
RECORDS = [[a, b] for a in range(3) for b in range(3)]
SUMS = ["0", "1", "5/2", "1", "2", "7/2", "5/2", "7/2", "5"]
FIRST = ["0", "0", "0", "1", "1", "1", "5/2", "5/2", "5/2"]


@pytest.fixture
def model() -> Any:
    return {
        "worlds": [f"{a},{b}" for a in VALUES for b in VALUES],
        "records": RECORDS,
        "entries_per_record": 1,
        "functions": [SUMS, FIRST],
    }


def test_first_record_moves_both_components(build: Any, model: Any) -> None:
    replace = {"rule": "replace", "group": 1}
    document = build.sensitivity(model, replace, "5", None, "holds", [0, 6])
    assert check(document).outcome == "accepted"
    for equals, verdict, outcome in (
        ("5", "holds", "accepted"),
        ("5", "violated", "rejected"),
        ("4", "violated", "accepted"),
        ("4", "holds", "rejected"),
    ):
        claim = {"equals": equals, "verdict": verdict}
        edited = build.edited(document, lambda d, c=claim: d["claim"].update(c))
        assert check(edited).outcome == outcome


@pytest.mark.parametrize(
    ("value", "pair", "reason"),
    [
        ("4", [0, 6], "is another"),
        ("6", [0, 6], "is another"),
        ("5", [0, 3], "not attain"),
        ("15/2", [0, 8], "is another"),
        ("5", [0, 8], "not attain"),
    ],
)
def test_broken_siblings(build: Any, model: Any, value: str, pair: Any, reason: str) -> None:
    document = build.sensitivity(model, {"rule": "entry", "group": 1}, value, None, "holds", pair)
    assert check(document).outcome == "rejected"
    assert reason in check(document).reason


@pytest.mark.parametrize(
    ("relation", "value", "pair"),
    [
        ({"rule": "all"}, "15/2", [0, 8]),
        ({"rule": "replace", "group": 2}, "15/2", [8, 0]),
        ({"rule": "pairs", "distances": {"1": [[2], [0], *[[]] * 7]}}, "5/2", [0, 2]),
        ({"rule": "pairs", "distances": {"1": [[]] * 9}}, "0", None),
        ({"rule": "pairs", "distances": {}}, "0", None),
        ({"rule": "add_remove", "group": 1}, "0", None),
    ],
)
def test_relations(build: Any, model: Any, relation: Any, value: str, pair: Any) -> None:
    document = build.sensitivity(model, relation, value, value, "holds", pair)
    if pair is None:  # nothing is compared, which is to be said
        assert check(document).outcome == "refused"
        document["claim"]["leakage"] = {"vacuous": True}
    assert check(document).outcome == "accepted", check(document)
    document["claim"]["leakage"] = {"infinite": True} if pair is None else {"vacuous": True}
    assert check(document).outcome != "accepted"


def test_a_value_needs_a_witness(build: Any, model: Any) -> None:
    replace = {"rule": "replace", "group": 1}
    assert check(build.sensitivity(model, replace, "5", None, "holds")).outcome == "refused"
    for pair in ([0, 0], [0, 6, 6], [0, -3], [False, 6], [0, 9], "06"):
        document = build.sensitivity(model, replace, "5", None, "holds", pair)
        assert check(document).outcome != "accepted"


def test_a_bound(build: Any, model: Any) -> None:
    """`at_most` in place of `equals`: the value is 5."""
    document = build.sensitivity(model, {"rule": "replace", "group": 1}, "5", None, "holds", [0, 6])

    def bounded(at_most: Any, verdict: str, **more: Any) -> Any:
        def edit(made: Any) -> None:
            del made["claim"]["equals"]
            made["claim"].update(at_most=at_most, verdict=verdict, **more)

        return check(build.edited(document, edit)).outcome

    assert bounded("5", "holds") == bounded("11/2", "holds") == "accepted"
    assert bounded("49/10", "violated") == "accepted"
    assert bounded("49/10", "holds") == bounded("5", "violated") == "rejected"
    assert bounded("5", "holds", value="4") == "rejected"
    assert bounded(None, "holds") == bounded("5", "holds", equals="5") == "refused"


def test_a_world_is_no_pair_where_nothing_moves(build: Any) -> None:
    query = {"worlds": ["a", "b"], "functions": [["1", "1"]]}
    for pair, outcome in (([0, 1], "accepted"), ([0, 0], "rejected")):
        document = build.sensitivity(query, {"rule": "all"}, "0", None, "holds", pair)
        assert check(document).outcome == outcome

"""Attempts to have a false claim accepted, or to keep the checker busy for minutes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checker.drafts import between, check, sealed
from tests.checker.outcomes import accepted, rejected
from tests.loops import each
from tests.steps import at_most
from verifier.checker import check_file

LEAKY = {"a": ["1", "0"], "b": ["1/2", "1/2"], "c": ["1/2", "1/2"]}
QUIET = {"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]}


@each(
    "relation",
    [
        {"rule": "pairs", "distances": {"1": [[1.0], [], []]}},
        {"rule": "pairs", "distances": {"1": [[True], [], []]}},
        {"rule": "pairs", "distances": {"1": [[-2], [], []]}},
        {"rule": "pairs", "distances": {"1": [[3], [], []]}},
        {"rule": "pairs", "distances": {"1": [[0], [], []]}},
        {"rule": "pairs", "distances": {"1": [[], []]}},
        {"rule": "pairs", "distances": {"1": [[], [], [], []]}},
        {"rule": "pairs", "distances": {"0": [[1], [], []]}},
        {"rule": "pairs", "distances": {"-1": [[1], [], []]}},
        {"rule": "pairs", "distances": {"1/0": [[1], [], []]}},
        {"rule": "pairs", "distances": [[1, [[1], [], []]]]},
        {"rule": "replace", "group": 0},
        {"rule": "replace", "group": -1},
        {"rule": "replace", "group": 1.5},
        {"rule": "replace", "group": "1"},
        {"rule": "add_remove", "group": 0},
        {"rule": "all", "group": 1},
        {"rule": ["all"]},
        between({"s": [0]}, [["s", "t"]], {"class": "all"}),
        {"rule": "secrets", "secrets": {"s": [-3]}, "pairs": [], "priors": {"class": "all"}},
        {"rule": "secrets", "secrets": {"s": [True]}, "pairs": [], "priors": {"class": "all"}},
        {"rule": "secrets", "secrets": {}, "pairs": [], "priors": {"class": "some"}},
        between({}, [], {"class": "list", "priors": [[]]}),
    ],
)
@each("leakage", ["1", {"vacuous": True}, {"infinite": True}])
def test_relations_that_hide_comparisons(build: Any, relation: Any, leakage: Any) -> None:
    model = build.mechanism_model(LEAKY, [[0], [1], [2]])
    for verdict in ("holds", "violated"):
        for witness in (None, {"pair": [1, 0], "output": 1}):
            document = build.certificate(model, relation, leakage, verdict, witness)
            assert check(document).outcome != "accepted"


def test_repeated_worlds_and_outputs_count_once(build: Any) -> None:
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    level = {"exp_epsilon": "2", "delta": "1/4"}
    twice = {"pair": [0, 1], "outputs": [0, 0]}
    accepted(build.certificate(model, {"rule": "all"}, "2", "holds", twice, level))
    rejected(build.certificate(model, {"rule": "all"}, "5/2", "violated", twice, level))
    relation = between(
        {"s": [0, 0, 0, 1], "t": [2, 2]},
        [["s", "t"], ["s", "t"]],
        {"class": "list", "priors": [["1/3", "1/3", "1/3"]]},
    )
    model = build.mechanism_model({**LEAKY, "b": ["0", "1"]})
    accepted(build.certificate(model, relation, "1", "holds"))  # s: (1/2, 1/2), t the same


def test_a_pair_at_two_distances_is_compared_at_both(build: Any) -> None:
    model = build.mechanism_model({"s": ["4/5", "1/5"], "t": ["1/5", "4/5"]})
    both = build.listed(2, (0, 1, "2"), (0, 1, "2/2"))
    witness = {"pair": [0, 1], "output": 0}
    accepted(build.certificate(model, both, "4", "violated", witness))
    rejected(build.certificate(model, both, "2", "holds", witness), "too small")


@pytest.mark.parametrize(
    "ends", [("2", "1"), ("1/2", "1"), ("1", "2"), ("0", "0"), ("-1", "1"), ("4", "3"), ("3", "4")]
)
def test_bounds_in_the_wrong_order_or_place(build: Any, ends: tuple[str, str]) -> None:
    model = build.mechanism_model({"s": ["3/4", "1/4"], "t": ["1/4", "3/4"]})
    leakage = dict(zip(("lower", "upper"), ends, strict=True))
    for verdict in ("holds", "violated"):
        for witness in (None, {"pair": [0, 1], "output": 0}):
            document = build.certificate(model, {"rule": "all"}, leakage, verdict, witness)
            assert check(document).outcome != "accepted"


@pytest.mark.parametrize(
    "witness",
    [
        {"pair": [0, 0], "output": 0},
        {"pair": [0, -1], "output": 0},
        {"pair": [0], "output": 0},
        {"pair": [0, 1, 1], "output": 0},
        {"pair": [0, 1], "output": -1},
        {"pair": [0, 1], "output": False},
        {"pair": [0, 1], "output": 2},
        {"pair": [0, 1], "outputs": [0]},
        {"pair": [0, 1], "output": 0, "prior": 0},
        {},
        [],
        0,
    ],
)
def test_witnesses_of_nothing(build: Any, witness: Any) -> None:
    model = build.mechanism_model(QUIET)
    for leakage in ("1", "2", {"infinite": True}):
        document = build.certificate(model, {"rule": "all"}, leakage, "holds", witness)
        assert check(document).outcome != "accepted"


def test_delta_of_one_and_level_of_one(build: Any) -> None:
    model = build.mechanism_model({"s": ["1", "0"], "t": ["0", "1"]})
    event = {"pair": [0, 1], "outputs": [0]}
    one, less = {"delta": "1"}, {"delta": "999/1000"}
    infinite = {"infinite": True}
    accepted(build.certificate(model, {"rule": "all"}, "1", "holds", None, one))
    rejected(build.certificate(model, {"rule": "all"}, infinite, "violated", event, one))
    accepted(build.certificate(model, {"rule": "all"}, infinite, "violated", event, less))
    rejected(build.certificate(model, {"rule": "all"}, "1", "holds", None, less))
    more = build.certificate(model, {"rule": "all"}, "1", "holds", None, {"delta": "2"})
    assert check(more).outcome == "refused"
    quiet = build.certificate(build.mechanism_model(QUIET), {"rule": "all"}, "1", "holds")
    for verdict, outcome in (("holds", "accepted"), ("violated", "rejected")):
        quiet["claim"].update(level={"epsilon": "0", "delta": "0"}, verdict=verdict)
        assert check(quiet).outcome == outcome


@pytest.mark.parametrize("rule", ["replace", "entry", "add_remove"])
@pytest.mark.parametrize("group", [200, 10**9, 2**60, 10**400])
def test_groups_without_end(build: Any, rule: str, group: int, monkeypatch: Any) -> None:
    """Up to 200 of 400 records: more choices than can be made."""
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**6)
    model = build.mechanism_model(LEAKY, [[0] * 400, [-1] * 200 + [1] * 200, [-1] * 400])
    document = build.certificate(model, {"rule": rule, "group": group}, "1", "holds")
    with at_most(3 * 10**6):
        assert check(document).outcome != "accepted"


def test_too_many_pairs_with_delta(build: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 10**4)
    worlds = {str(w): [f"{w}/50", f"{50 - w}/50"] for w in range(45)}
    model = build.mechanism_model(worlds)
    document = build.certificate(
        model, {"rule": "all"}, {"infinite": True}, "holds", None, {"delta": "1/2"}
    )
    assert check(document).outcome == "rejected"
    document["claim"]["leakage"] = {"exp_epsilon": "7"}
    assert "steps" in check(document).reason


def test_names_that_look_alike(build: Any, tmp_path: Path) -> None:
    """A file with two secrets of one name, or two claims, is read by nobody as one of them."""
    model = build.mechanism_model(LEAKY)
    relation = {"rule": "secrets", "secrets": {"s": [0], "t": [1]}, "pairs": [["s", "t"]]}
    relation["priors"] = {"class": "all"}
    witness = {"pair": [1, 0], "output": 1}
    good = build.certificate(model, relation, {"infinite": True}, "violated", witness)
    path, text = tmp_path / "c.json", json.dumps(sealed(good))
    path.write_text(text)
    assert check_file(path).outcome == "accepted"
    for old, new in (('"s": [0]', '"s": [0], "s": [1]'), ('"verdict"', '"verdict": 1, "verdict"')):
        assert old in text
        path.write_text(text.replace(old, new, 1))
        assert "twice" in check_file(path).reason

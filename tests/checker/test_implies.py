"""Certificates that one definition implies another, made by hand; broken siblings are rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.checker.conftest import digest_of, listed, mechanism_model
from tests.checker.outcomes import accepted, rejected
from verifier.checker import check

Json = dict[str, Any]

# Worlds a, b, c in a line. The first definition compares neighbours at 2, the second the ends.
LINE = listed(3, (0, 1), (1, 0), (1, 2), (2, 1))
ENDS = listed(3, (0, 2), (2, 0))
WORST = {"a": ["2/3", "1/3"], "b": ["1/3", "2/3"], "c": ["1/6", "5/6"]}


def certificate(
    mechanism: Json,
    first: Json,
    second: Json,
    evidence: Json,
    leakage: Any,
    verdict: str = "holds",
    levels: tuple[str, str] = ("2", "4"),
) -> Json:
    model = mechanism_model(mechanism)
    return {
        "format": "verifier-certificate",
        "version": 1,
        "claim": {
            "definition": "made by hand",
            "kind": "implies",
            "verdict": verdict,
            "level": {"exp_epsilon": levels[1], "delta": "0"},
            "leakage": leakage,
            "digest": digest_of(model),
        },
        "model": model,
        "relation": {"if": first, "level": {"exp_epsilon": levels[0]}, "then": second},
        "evidence": {"witness": evidence},
    }


def ends() -> Json:
    """x_a <= 2 x_b and x_b <= 2 x_c, hence x_a <= 4 x_c; and back."""
    evidence = {
        "worst": {"pair": [0, 2], "output": 0},
        "inequalities": [
            [[0, "1"], [1, "-2"]],
            [[1, "1"], [2, "-2"]],
            [[2, "1"], [1, "-2"]],
            [[1, "1"], [0, "-2"]],
        ],
        "proofs": [
            {"inequality": [[0, "1"], [2, "-4"]], "multipliers": [[0, "1"], [1, "2"]]},
            {"inequality": [[2, "1"], [0, "-4"]], "multipliers": [[2, "1"], [3, "2"]]},
        ],
    }
    return certificate(WORST, LINE, ENDS, evidence, {"exp_epsilon": "4"})


def nothing() -> Json:
    """No two worlds are compared, so that the identity is of the first definition."""
    evidence = {"worst": {"pair": [0, 2], "output": 0}, "inequalities": [], "proofs": []}
    identity = {"a": ["1", "0", "0"], "b": ["0", "1", "0"], "c": ["0", "0", "1"]}
    none = {"rule": "pairs", "distances": {}}
    return certificate(identity, none, ENDS, evidence, {"infinite": True}, "violated")


def one_way() -> Json:
    """At level 1, x_a <= x_b is an equation: both sum to 1 over the outputs."""
    evidence = {
        "worst": None,
        "inequalities": [[[0, "-1"], [1, "1"]]],
        "proofs": [{"inequality": [[1, "1"], [0, "-1"]], "multipliers": [[0, "1"]]}],
    }
    coin = {"a": ["1/2", "1/2"], "b": ["1/2", "1/2"]}
    back = listed(2, (1, 0))
    first = listed(2, (0, 1))
    return certificate(coin, first, back, evidence, {"exp_epsilon": "1"}, levels=("1", "1"))


def root() -> Json:
    """Ends at distance 2: the level 2 is enough, since 2 squared is 4."""
    document = ends()
    document["relation"]["then"] = listed(3, (0, 2, "2"), (2, 0, "2"))
    document["claim"].update(leakage={"exp_epsilon": "2"})
    return document


def averages() -> Json:
    """One prior: a against b or c, half each; of every two worlds at 2 follows 2 for averages."""
    evidence = {
        "worst": {"prior": 0, "pair": ["s", "t"], "output": 0},
        "inequalities": [
            [[0, "1"], [1, "-2"]],
            [[0, "1"], [2, "-2"]],
            [[1, "1"], [0, "-2"]],
            [[2, "1"], [0, "-2"]],
        ],
        "proofs": [
            {
                "inequality": [[0, "1"], [1, "-1"], [2, "-1"]],
                "multipliers": [[0, "1/2"], [1, "1/2"]],
            },
            {
                "inequality": [[1, "1/2"], [2, "1/2"], [0, "-2"]],
                "multipliers": [[2, "1/2"], [3, "1/2"]],
            },
        ],
    }
    second = {
        "rule": "secrets",
        "secrets": {"s": [0], "t": [1, 2]},
        "pairs": [["s", "t"]],
        "priors": {"class": "list", "priors": [["1/2", "1/4", "1/4"]]},
    }
    worst = {"a": ["2/3", "1/3"], "b": ["1/3", "2/3"], "c": ["1/3", "2/3"]}
    return certificate(worst, {"rule": "all"}, second, evidence, {"exp_epsilon": "2"})


def closure() -> Json:
    """All that can be made of two responses: the one with more truth needs the level."""
    evidence = {"worst": {"pair": [0, 1], "output": 0}, "inequalities": [], "proofs": []}
    better = {"a": ["4/5", "1/5"], "b": ["1/5", "4/5"]}
    worse = {"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]}
    document = certificate(
        better, {"rule": "given"}, {"rule": "all"}, evidence, {"exp_epsilon": "4"}
    )
    given = []
    for name, columns in (("worse", worse), ("better", better)):
        model = mechanism_model(columns)
        given.append({"name": name, **{key: model[key] for key in model if key != "worlds"}})
    document["model"]["given"] = given
    document["claim"]["digest"] = digest_of(document["model"])
    document["relation"]["level"] = None
    return document


def into_cone(inside: bool = True) -> Json:
    """The row cone of a response with truth 3/4 is -3 x_a + x_b <= 0 and x_a - 3 x_b <= 0."""
    response = mechanism_model({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
    columns = {"a": ["4/5", "1/5"], "b": ["1/5", "4/5"]}
    evidence: Json = {
        "equations": [],
        "facets": [["3", "-1"], ["-1", "3"]],
        "inequalities": [[[1, "1"], [0, "-2"]], [[0, "1"], [1, "-2"]]],
        "proofs": [
            {"inequality": [[0, "-3"], [1, "1"]], "multipliers": [[0, "1"]]},
            {"inequality": [[0, "1"], [1, "-3"]], "multipliers": [[1, "1"]]},
        ],
    }
    if not inside:
        evidence = {"worst": {"output": 0, "inequality": ["-1", "3"]}}
    document = certificate(
        columns, {"rule": "all"}, {"rule": "row_cone"}, evidence, None, "holds", ("2", "1")
    )
    model = document["model"] if not inside else {"worlds": ["a", "b"]}
    given = {key: response[key] for key in response if key != "worlds"}
    document["model"] = {**model, "given": [{"name": "response", **given}]}
    for key in ("level", "leakage"):
        del document["claim"][key]
    document["relation"]["level"]["exp_epsilon"] = "2" if inside else "4"
    document["claim"].update(
        digest=digest_of(document["model"]), verdict="holds" if inside else "violated"
    )
    return document


def outside_cone() -> Json:
    """Differential privacy at 4 allows more truth."""
    return into_cone(inside=False)


@pytest.mark.parametrize(
    "make", [ends, nothing, one_way, root, averages, closure, into_cone, outside_cone]
)
def test_good_ones(make: Callable[[], Json]) -> None:
    accepted(make())


def evidence(document: Json) -> Json:
    found: Json = document["evidence"]["witness"]
    return found


def use_worse(document: Json) -> None:
    """The mechanism with less truth as the worst one, at its own level."""
    worse = document["model"]["given"][0]
    document["model"].update(values=worse["values"], columns=worse["columns"])
    document["claim"].update(leakage={"exp_epsilon": "3"})


BROKEN: list[tuple[Callable[[], Json], Callable[[Json], object], str]] = [
    (ends, lambda d: d["claim"].update(verdict="violated"), "verdict"),
    (ends, lambda d: d["claim"]["level"].update(exp_epsilon="399/100"), "verdict"),
    (ends, lambda d: d["claim"].update(leakage={"exp_epsilon": "3"}), "too small"),
    (ends, lambda d: d["claim"].update(leakage={"exp_epsilon": "5"}), "too large"),
    (ends, lambda d: d["relation"]["level"].update(exp_epsilon="19/10"), "first definition"),
    (ends, lambda d: d["relation"]["level"].update(exp_epsilon="3"), "another inequality"),
    (ends, lambda d: d["relation"].update({"if": ENDS}), "first definition"),
    (ends, lambda d: d["relation"].update(then=listed(3, (0, 2), (2, 0), (1, 0))), "not proved"),
    (ends, lambda d: evidence(d)["proofs"].pop(), "not proved"),
    (ends, lambda d: evidence(d)["proofs"][0]["multipliers"].pop(), "do not prove"),
    (ends, lambda d: evidence(d)["proofs"][0].update(multipliers=[]), "do not prove"),
    (ends, lambda d: evidence(d)["proofs"][0]["multipliers"].append([2, "-1"]), "negative"),
    (
        ends,
        lambda d: evidence(d)["proofs"][0].update(inequality=[[0, "1"], [2, "-5"]]),
        "not proved",
    ),
    (
        ends,
        lambda d: evidence(d)["inequalities"].__setitem__(0, [[0, "1"], [1, "-1"]]),
        "another inequality",
    ),
    (
        ends,
        lambda d: evidence(d)["inequalities"].append([[0, "1"], [2, "-4"]]),
        "another inequality",
    ),
    (ends, lambda d: evidence(d)["worst"].update(pair=[2, 0]), "too large"),
    (ends, lambda d: evidence(d)["worst"].update(pair=[0, 1]), ""),
    (nothing, lambda d: d["relation"].update({"if": LINE}), "first definition"),
    (nothing, lambda d: d["claim"].update(leakage={"exp_epsilon": "9"}), "too small"),
    (nothing, lambda d: evidence(d)["worst"].update(pair=[0, 1]), ""),
    (one_way, lambda d: d["relation"]["level"].update(exp_epsilon="2"), "another inequality"),
    (one_way, lambda d: evidence(d)["inequalities"].clear(), ""),
    (root, lambda d: d["claim"].update(leakage={"exp_epsilon": "3/2"}), "too small"),
    (root, lambda d: d["relation"].update(then=ENDS), "too small"),
    (averages, lambda d: d["claim"].update(leakage={"exp_epsilon": "3"}), "too large"),
    (closure, lambda d: d["model"]["given"].pop(), "none of the given"),
    (closure, lambda d: use_worse(d), "needs a larger level"),
    (closure, lambda d: d["relation"].update(level={"exp_epsilon": "2"}), ""),
    (closure, lambda d: d["model"].pop("given"), ""),
    (ends, lambda d: d["relation"].update({"if": {"rule": "given"}, "level": None}), ""),
    (into_cone, lambda d: d["claim"].update(verdict="violated"), "verdict"),
    (into_cone, lambda d: d["relation"]["level"].update(exp_epsilon="4"), "another inequality"),
    (into_cone, lambda d: evidence(d)["facets"].pop(), "missing"),
    (into_cone, lambda d: evidence(d)["facets"].__setitem__(0, ["4", "-1"]), "no facet"),
    (into_cone, lambda d: evidence(d)["proofs"].pop(), "not proved"),
    (into_cone, lambda d: evidence(d)["proofs"][0].update(multipliers=[]), "do not prove"),
    (into_cone, lambda d: evidence(d)["equations"].append(["1", "-1"]), "does not hold"),
    (outside_cone, lambda d: d["claim"].update(verdict="holds"), "verdict"),
    (outside_cone, lambda d: d["relation"]["level"].update(exp_epsilon="3"), "first definition"),
    (outside_cone, lambda d: evidence(d)["worst"].update(inequality=["-1", "4"]), "it holds"),
    (outside_cone, lambda d: evidence(d)["worst"].update(inequality=["-1", "2"]), "fails"),
    (outside_cone, lambda d: evidence(d)["worst"].update(output=1), "it holds"),
    (outside_cone, lambda d: d["claim"].update(level={"exp_epsilon": "1", "delta": "0"}), ""),
    (
        averages,
        lambda d: d["relation"]["then"]["priors"].update(priors=[["1/2", "1/3", "1/6"]]),
        "not proved",
    ),
]


@pytest.mark.parametrize(("make", "edit", "word"), BROKEN)
def test_broken_siblings(
    build: Any, make: Callable[[], Json], edit: Callable[[Json], object], word: str
) -> None:
    document = build.edited(make(), edit)
    assert check(document).outcome != "accepted"
    if word:
        rejected(document, word)


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d["relation"].pop("level"),
        lambda d: d["relation"].update(level={"epsilon": "1"}),
        lambda d: d["relation"].update(level={"exp_epsilon": "1/2"}),
        lambda d: d["claim"]["level"].update(delta="1/2"),
        lambda d: d["relation"]["if"]["distances"].update({"1/2": [[1], [], []]}),
        lambda d: d["relation"].update({"if": {"rule": "unheard of"}}),
        lambda d: evidence(d).pop("worst"),
        lambda d: evidence(d)["proofs"][0]["multipliers"].append([9, "1"]),
        lambda d: evidence(d)["inequalities"].append([[0, "1"], [0, "-2"]]),
        lambda d: evidence(d)["inequalities"].append([]),
        lambda d: evidence(d)["proofs"].append({"inequality": [], "multipliers": []}),
        lambda d: evidence(d)["inequalities"].append([["0", "1"], [1, "-2"]]),
    ],
)
def test_malformed(build: Any, edit: Callable[[Json], object]) -> None:
    assert check(build.edited(ends(), edit)).outcome != "accepted"

"""Certificates of mixtures, made by hand; broken siblings are rejected."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from verifier.checker import check

Json = dict[str, Any]
F = Fraction
HAIR = F(1, 10**50)


def certificate(
    columns: Sequence[str],
    priors: Sequence[Sequence[str]],
    leakage: Json,
    witness: Json | None,
    verdict: str = "holds",
    level: Json | None = None,
) -> Json:
    """P(yes | w) = columns[w], no otherwise; s is the first half of the worlds, t the other."""
    values = sorted({x for p in columns for x in (F(p), 1 - F(p))})
    model = {
        "worlds": [f"w{k}" for k in range(len(columns))],
        "outputs": ["yes", "no"],
        "values": [str(x) for x in values],
        "columns": [[values.index(F(p)), values.index(1 - F(p))] for p in columns],
    }
    text = json.dumps(model, sort_keys=True, separators=(",", ":"))
    half = len(columns) // 2
    worlds = range(len(columns))
    return {
        "format": "verifier-certificate",
        "version": 1,
        "claim": {
            "definition": "made by hand",
            "kind": "mixtures",
            "verdict": verdict,
            "level": level or {"exp_epsilon": "1000", "delta": "0"},
            "leakage": leakage,
            "digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}",
        },
        "model": model,
        "relation": {
            "rule": "secrets",
            "secrets": {"s": list(worlds[:half]), "t": list(worlds[half:])},
            "pairs": [["s", "t"]],
            "priors": {"class": "hull", "priors": [list(prior) for prior in priors]},
        },
        "evidence": {"witness": witness},
    }


def attained() -> Json:
    """Two harmless priors; 1/4 of one and 3/4 of the other leak 7/10 against 9/70."""
    return certificate(
        ["9/10", "1/10", "9/10", "1/10"],
        [["9/10", "0", "1/10", "0"], ["0", "1/10", "0", "9/10"]],
        {"exp_epsilon": "49/9"},
        {"pair": ["s", "t"], "output": 0, "mixture": ["1/4", "3/4"]},
    )


def limit() -> Json:
    """(2 − x) / (x + 4/5 (1 − x)) at weight x of the second: 5/2 as x falls to 0."""
    return certificate(
        ["1/2", "1/2", "1/2", "1/5"],
        [["0", "0", "0", "1"], ["1/2", "0", "1/2", "0"]],
        {"exp_epsilon": "5/2"},
        {"pair": ["s", "t"], "output": 0, "segment": [0, 1]},
    )


def infinite() -> Json:
    """(2 − x) / x at weight x of the second."""
    return certificate(
        ["1/2", "1/2", "1/2", "0"],
        [["0", "0", "0", "1"], ["1/2", "0", "1/2", "0"]],
        {"infinite": True},
        {"pair": ["s", "t"], "output": 0, "segment": [0, 1]},
        "violated",
    )


def endless_at_a_mixture() -> Json:
    """The first makes s possible, the second t: every proper mixture has 1/2 against 0."""
    return certificate(
        ["1/2", "0"],
        [["1", "0"], ["0", "1"]],
        {"infinite": True},
        {"pair": ["s", "t"], "output": 0, "mixture": ["1/3", "2/3"]},
        "violated",
    )


def enclosed() -> Json:
    """81u² + 114uv + 8v² over 81u² + 66uv + 8v²: (137 − 48 √2) / 49 = 1.41056630625…"""
    return certificate(
        ["9/10", "1/10", "9/10", "1/10"],
        [["1/2", "0", "1/2", "0"], ["0", "1/3", "0", "2/3"]],
        {"lower": "1410566306/1000000000", "upper": "1410566307/1000000000"},
        {"pair": ["s", "t"], "output": 0, "segment": [0, 1]},
    )


def harmless() -> Json:
    """One prior, for which yes is as likely given s and t."""
    return certificate(["1/2", "1/2"], [["1/3", "2/3"]], {"exp_epsilon": "1"}, None)


def vacuous() -> Json:
    """s is impossible."""
    return certificate(["1", "0"], [["0", "1"], ["0", "1"]], {"vacuous": True}, None)


GOOD = [attained, limit, infinite, endless_at_a_mixture, enclosed, harmless, vacuous]


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_made_by_hand(make: Any) -> None:
    assert check(make()).outcome == "accepted", check(make())


def outcome(document: Json, path: str, value: Any) -> str:
    """After one edit."""
    edited = deepcopy(document)
    *parents, last = path.split(".")
    place: Any = edited
    for key in parents:
        place = place[key]
    place[int(last) if isinstance(place, list) else last] = value
    return check(edited).outcome


LEVEL = "claim.level"
LEAKAGE = "claim.leakage"
WITNESS = "evidence.witness"


@pytest.mark.parametrize("make", GOOD, ids=lambda make: make.__name__)
def test_other_claims_are_rejected(make: Any) -> None:
    good = make()
    other = {"holds": "violated", "violated": "holds"}[good["claim"]["verdict"]]
    assert outcome(good, "claim.verdict", other) == "rejected"
    assert outcome(good, "claim.digest", "sha256:" + "0" * 64) == "rejected"
    forms = [{"infinite": True}, {"vacuous": True}, {"exp_epsilon": "1"}, {"exp_epsilon": "49/8"}]
    if "exp_epsilon" in good["claim"]["leakage"]:
        found = F(good["claim"]["leakage"]["exp_epsilon"])
        forms += [{"exp_epsilon": str(found + HAIR)}]
        forms += [{"exp_epsilon": str(found - HAIR)}]
    for form in forms:
        if form != good["claim"]["leakage"]:
            assert outcome(good, LEAKAGE, form) != "accepted", form
    if good["evidence"]["witness"]:
        assert outcome(good, WITNESS, None) != "accepted"
        assert outcome(good, WITNESS + ".pair", ["t", "s"]) == "rejected"
        assert outcome(good, WITNESS + ".output", 1) == "rejected"


@pytest.mark.parametrize(
    ("make", "path", "value"),
    [
        (attained, WITNESS + ".mixture", ["1/3", "2/3"]),
        (attained, WITNESS + ".mixture", ["1", "0"]),
        (attained, WITNESS + ".mixture", ["0", "0"]),
        (attained, WITNESS, {"pair": ["s", "t"], "output": 0, "segment": [0, 1]}),
        (limit, WITNESS + ".segment", [1, 0]),
        (limit, WITNESS + ".segment", [0, 0]),
        (limit, WITNESS, {"pair": ["s", "t"], "output": 0, "mixture": ["1", "0"]}),
        (infinite, WITNESS + ".segment", [1, 0]),
        (infinite, WITNESS + ".segment", [1, 1]),
        (infinite, WITNESS, {"pair": ["s", "t"], "output": 0, "mixture": ["1", "0"]}),
        (endless_at_a_mixture, WITNESS + ".mixture", ["0", "1"]),
        (enclosed, WITNESS + ".segment", [1, 1]),
        (enclosed, LEAKAGE, {"lower": "1410566307/1000000000", "upper": "1410566308/1000000000"}),
        (enclosed, LEAKAGE, {"lower": "1410566305/1000000000", "upper": "1410566306/1000000000"}),
        (harmless, "relation.priors.priors", [["1/3", "1/3"]]),
        (harmless, "relation.priors.priors", [["4/3", "-1/3"]]),
        (vacuous, "relation.priors.priors.1", ["1/2", "1/2"]),
    ],
)
def test_broken_siblings_are_rejected(make: Any, path: str, value: Any) -> None:
    assert outcome(make(), path, value) == "rejected"


@pytest.mark.parametrize(
    ("make", "path", "value"),
    [
        (attained, WITNESS + ".mixture", ["5/4", "-1/4"]),
        (attained, WITNESS + ".mixture", ["1/4"]),
        (attained, WITNESS + ".output", 2),
        (attained, WITNESS + ".pair", ["s", "s"]),
        (attained, WITNESS + ".segment", [0, 1]),
        (limit, WITNESS + ".segment", [0, 2]),
        (limit, WITNESS + ".segment", [0, -1]),
        (limit, WITNESS + ".segment", [0]),
        (limit, WITNESS, []),
        (attained, LEVEL, {"exp_epsilon": "1000", "delta": "1/2"}),
        (attained, "relation.priors", {"class": "list", "priors": [["1/4"] * 4]}),
        (attained, "relation.priors.priors", []),
        (attained, "relation.priors.priors.0", ["1/2", "1/2"]),
        (attained, "relation", {"rule": "all"}),
        (enclosed, LEAKAGE, {"lower": "7/5", "upper": "8/5"}),
        (enclosed, LEAKAGE, {"lower": "2", "upper": "1"}),
    ],
)
def test_broken_siblings_are_not_accepted(make: Any, path: str, value: Any) -> None:
    assert outcome(make(), path, value) != "accepted"


@pytest.mark.parametrize(
    ("make", "level", "verdict"),
    [
        (attained, {"exp_epsilon": "49/9"}, "holds"),
        (attained, {"exp_epsilon": str(F(49, 9) - HAIR)}, "violated"),
        (attained, {"epsilon": "1695/1000"}, "holds"),  # ln(49/9) = 1.69459…
        (attained, {"epsilon": "1694/1000"}, "violated"),
        (limit, {"exp_epsilon": "5/2"}, "holds"),
        (limit, {"epsilon": "9/10"}, "violated"),
        (enclosed, {"exp_epsilon": "1410566307/1000000000"}, "holds"),
        (enclosed, {"exp_epsilon": "1410566305/1000000000"}, "violated"),
        (infinite, {"epsilon": "1000"}, "violated"),
    ],
)
def test_levels(make: Any, level: Json, verdict: str) -> None:
    good = make()
    good["claim"] |= {"level": {**level, "delta": "0"}, "verdict": verdict}
    assert check(good).outcome == "accepted", check(good)
    wrong = {"holds": "violated", "violated": "holds"}[verdict]
    assert outcome(good, "claim.verdict", wrong) == "rejected"


@pytest.mark.parametrize("verdict", ["holds", "violated"])
def test_a_level_inside_the_bounds_proves_nothing(verdict: str) -> None:
    good = enclosed()
    good["claim"]["level"] = {"exp_epsilon": "14105663065/10000000000", "delta": "0"}
    good["claim"]["verdict"] = verdict
    assert check(good).outcome == "rejected"


def test_two_priors_may_be_worse_than_each_upper_side() -> None:
    """Each given prior leaks 1 at both outputs, and so the claim 1 must fall to the pair alone."""
    assert outcome(attained(), LEAKAGE, {"exp_epsilon": "1"}) == "rejected"
    alone = attained()
    alone["relation"]["priors"]["priors"].pop()
    alone["claim"]["leakage"], alone["evidence"]["witness"] = {"exp_epsilon": "1"}, None
    assert check(alone).outcome == "accepted"

"""Certificates of what guesses gain, made by hand; broken siblings are not accepted.

The world a says x with probability 3/4, b with 1/3. Who guesses the world is right with probability
3/4 + 2/3 of 1/2 + 1/2 under even odds, so the level is 17/12. With odds of 1 to 4 that is 1/5·3/4 +
4/5·2/3 = 41/60 of 4/5: b is guessed always, which gains 4/5. Who is paid 1 for naming a, 1/4 for b
gains 1/5 there before, and 3/20 + 2/15 = 17/60 after.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected

Json = dict[str, Any]
COLUMNS: dict[str, list[Any]] = {"a": ["3/4", "1/4"], "b": ["1/3", "2/3"]}
EVEN, UNEVEN = ["1/2", "1/2"], ["1/5", "4/5"]
PAID = [["1", "0"], ["0", "1/4"]]
ALL: Json = {"class": "all"}


def of(*priors: list[str]) -> Json:
    return {"class": "list", "priors": list(priors)}


def made(leakage: Any = "17/12", priors: Json = ALL, gains: Any = None, **parts: Any) -> Json:
    """At the level 2, without delta; a game has gains."""
    model = mechanism_model(COLUMNS) | ({} if gains is None else {"functions": gains})
    relation = {"rule": "leakage", "priors": priors}
    found = certificate(model, relation, leakage, parts.pop("verdict", "holds"), **parts)
    found["claim"]["kind"] = "divergence"
    return found


@pytest.mark.parametrize(
    ("level", "parts"),
    [
        ("17/12", {}),
        ("17/12", {"priors": of(EVEN)}),
        ("17/12", {"priors": of(UNEVEN, EVEN)}),
        ("1", {"priors": of(UNEVEN)}),
        ("17/12", {"priors": of(UNEVEN), "gains": PAID}),
        ("1", {"priors": of(EVEN), "gains": [["0", "0"]]}),
        ("1", {"level": {"delta": "5/24"}}),
        ("13/12", {"level": {"delta": "1/6"}}),
    ],
)
def test_the_smallest_level(level: str, parts: Json) -> None:
    """From both sides, with the verdict that follows."""
    accepted(made(level, **parts))
    rejected(made(level, verdict="violated", **parts), "the verdict must be holds")
    rejected(made("25/17", **parts), "too large for the witness")
    if level != "1":
        rejected(made("1", **parts), "the leakage is too small")
        low = {**parts, "level": {"exp_epsilon": "1", **parts.get("level", {})}}
        accepted(made(level, verdict="violated", **low))
    rejected(made({"infinite": True}, verdict="violated", **parts), "not proved infinite")
    rejected(made({"vacuous": True}, **parts), "vacuous is said of nothing else")


def test_what_nobody_gains_before() -> None:
    """Nothing is gained without the output, and something with it: no level is enough."""
    gains = [["1", "-1/2"], ["-1", "1/2"], ["0", "0"]]
    found = {"priors": of(["1/3", "2/3"]), "gains": gains}
    accepted(made({"infinite": True}, verdict="violated", **found))
    rejected(made("1", **found), "the leakage is too small")
    assert check(made("1", priors=of(EVEN), gains=[["-1", "0"]])).outcome == "refused"


def test_all_priors_are_gone_through() -> None:
    """With delta certainty counts too, where nothing is learned; of one prior it does not."""
    delta = {"level": {"delta": "1/6"}}
    accepted(made("13/12", **delta))
    found = made("17/12")
    found["claim"] |= {"tradeoff": [["1", "5/24"], ["5/4", "1/12"], ["2", "0"]]}
    accepted(found)
    for wrong in (["1", "5/23"], ["1", "0"]):
        found["claim"]["tradeoff"][0] = wrong
        rejected(found, "not the smallest delta")


@pytest.mark.parametrize(
    "parts",
    [
        {"priors": of()},  # without a prior nothing would be asked
        {"priors": {"class": "all", "priors": []}},
        {"priors": {"class": "product"}},
        {"priors": {"class": "hull", "priors": [EVEN]}},
        {"priors": ALL, "gains": PAID},
        {"priors": of(EVEN), "gains": []},
        {"priors": of(EVEN), "gains": [["1"]]},
        {"priors": of(EVEN), "gains": [["1", "0", "0"]]},
        {"priors": of(["1/2", "1/3"])},
        {"priors": of(["1"])},
        {"priors": of(EVEN), "witness": {"pair": [0, 1]}},
    ],
)
def test_what_is_not_there_proves_nothing(parts: Json) -> None:
    for leakage in ("1", "17/12", {"vacuous": True}):
        assert check(made(leakage, **parts)).outcome != "accepted"


def test_repeated_parts_prove_no_more() -> None:
    """A prior, or a guess, that stands twice is asked twice."""
    accepted(made(priors=of(EVEN, EVEN)))
    accepted(made(priors=of(UNEVEN), gains=[*PAID, *PAID]))
    rejected(made("1", priors=of(UNEVEN, UNEVEN, EVEN)), "the leakage is too small")


def test_many_points_of_many_priors_are_refused() -> None:
    """With a trade-off there are as many priors as sets of worlds."""
    few, many = 4, 17
    for worlds, points in ((few, 100), (many, 100)):
        model = mechanism_model({f"w{k}": ["1"] for k in range(worlds)})
        relation = {"rule": "leakage", "priors": ALL}
        found = certificate(model, relation, "1", "holds")
        found["claim"] |= {"kind": "divergence", "tradeoff": [["1", "0"]] * points}
        assert (check(found).outcome == "accepted") == (worlds == few)
        assert worlds == few or "more steps" in check(found).reason

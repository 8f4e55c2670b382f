"""Divergences of databases that differ in one record, by hand; broken siblings are not accepted.

The first record is told with probability 3/4, the second one twice with 2/3: the ratios are 3 and
1/3, and 4, 1 and 1/4 with probabilities 4/9, 4/9 and 1/9. So the range is 16, and order 2 gives
4 · 4/9 + 4/9 + 1/36 = 9/4 for the second and 9/4 + 1/12 = 7/3 for the first.
"""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from tests.checker.conftest import certificate, listed
from tests.checker.drafts import asking, check
from tests.checker.outcomes import accepted, outcome, rejected
from verifier.questions.answer import write
from verifier.run import verify

Json = dict[str, Any]
BOTH = listed(2, (0, 1), (1, 0))
ORDERS = [F(1), *(1 + F(2) ** k for k in range(-40, 3))]
NEAR = "1000000000001/1000000000000"


def answer(first: str, second: str, runs: int = 1, **others: Any) -> Json:
    """A bit that is told with a probability; its values ascend."""
    found = {"outputs": ["no", "yes"], "values": [first, second], "columns": [[1, 0], [0, 1]]}
    return {**found, "runs": runs, **others}


CHANNELS = [[answer("1/4", "3/4")], [answer("1/3", "2/3", 2)]]
HALF_TOLD = answer("0", "1", values=["0", "1/2", "1"], columns=[[1, 1], [2, 0]])


def made(
    rule: str,
    leakage: Any,
    witness: Any = None,
    verdict: str = "holds",
    order: str | None = None,
    channels: Any = CHANNELS,
    pairs: Any = BOTH,
    chosen: Any = (0, 1),
    **level: str,
) -> Json:
    """At the level 50 where none is given."""
    people = ["ann", "bob", "eve"][: len(chosen)]
    model = {"worlds": ["0", "1"], "channels": channels, "people": people, "chosen": list(chosen)}
    relation = {"rule": rule, "order": order, "pairs": pairs}
    found = certificate(model, relation, leakage, verdict, witness)
    found["claim"].update(
        kind="divergence", level={"delta": "0"} | (level or {"exp_epsilon": "50"})
    )
    return found


def at(record: int, *pair: int, **others: Any) -> Json:
    return {"record": record, "pair": list(pair or (0, 1)), **others}


def test_a_range() -> None:
    accepted(made("bounded_range", "16", at(1)))
    accepted(made("bounded_range", "16", at(1, 1, 0), "violated", exp_epsilon="15"))
    rejected(made("bounded_range", "16", at(1), exp_epsilon="15"), "verdict must be violated")
    rejected(made("bounded_range", "9", at(0)), "too small")
    rejected(made("bounded_range", "16", at(0)), "too large")
    rejected(made("bounded_range", "17", at(1)), "too large")
    rejected(made("bounded_range", "16"), "too large")
    rejected(made("bounded_range", {"infinite": True}, at(1), "violated"), "not proved infinite")
    rejected(made("bounded_range", "16", at(1), pairs=listed(2, (1, 0))), "no pair")
    accepted(
        made("bounded_range", "9", at(2), chosen=(1, 0, 0), channels=[CHANNELS[0], CHANNELS[0]])
    )


def test_an_order() -> None:
    accepted(made("renyi", "7/3", at(0), order="2"))
    rejected(made("renyi", "9/4", at(1), order="2"), "too small")
    rejected(made("renyi", "7/3", at(1), order="2"), "too large")
    twice = [CHANNELS[1]]
    accepted(made("renyi", "9/4", at(0), order="2", channels=twice, chosen=(0, 0)))
    rejected(made("renyi", {"infinite": True}, at(0), "violated", order="2"), "infinite")


def test_all_orders() -> None:
    """Of the first record ρ is ln(3)/2; of the second one twice that of 2/3, ln(2)/3."""
    root = {"lower": "1732050807/1000000000", "upper": "1732050808/1000000000"}
    several = {"order": NEAR, "orders": list(map(str, ORDERS))}
    accepted(made("zcdp", root, at(0, **several)))
    rejected(made("zcdp", root, at(1, **several)), "too large")
    silent = answer("1/2", "1/2", values=["1/2"], columns=[[0, 0], [0, 0]])
    accepted(made("zcdp", root, at(0, **several), channels=[CHANNELS[0], [silent]]))
    accepted(made("zcdp", "1", None, channels=[[silent], [silent]]))
    rejected(made("zcdp", "1", None, channels=[CHANNELS[0], [silent]]), "too small")
    rejected(made("zcdp", {"infinite": True}, at(0), "violated"), "not proved infinite")
    rejected(made("zcdp", root, at(0)))
    assert check(made("zcdp", root, at(0, order="1", orders=["1"]))).outcome == "refused"


def test_an_output_that_is_impossible() -> None:
    """From 0 a bit is told with 1/2 as 0; 1 is always told as 1, so 0 is impossible."""
    told = {"channels": [[HALF_TOLD], CHANNELS[0]], "verdict": "violated"}
    infinite = {"infinite": True}
    for pair in ((0, 1), (1, 0)):
        accepted(made("bounded_range", infinite, at(0, *pair), **told))
    for rule, order in (("renyi", "3"), ("zcdp", None)):
        accepted(made(rule, infinite, at(0, 0, 1), order=order, **told))
        rejected(made(rule, infinite, at(0, 1, 0), order=order, **told), "not proved infinite")
        rejected(made(rule, infinite, at(1, 0, 1), order=order, **told), "not proved infinite")
        rejected(made(rule, "9", at(0, 0, 1), order=order, channels=told["channels"]))
    several = {"order": NEAR, "orders": list(map(str, ORDERS))}
    assert check(made("zcdp", infinite, at(0, 0, 1, **several), **told)).outcome == "refused"


def test_nothing_is_told() -> None:
    flat = [[answer("1/2", "1/2", values=["1/2"], columns=[[0, 0], [0, 0]])]]
    accepted(made("bounded_range", "1", channels=flat, chosen=(0,)))
    accepted(made("renyi", "1", order="2", channels=flat, chosen=(0,)))
    rejected(made("renyi", "1", order="2"), "too small")
    vacuous = {"vacuous": True}
    accepted(made("renyi", vacuous, order="2", pairs=listed(2)))
    rejected(made("renyi", vacuous, order="2"), "vacuous")
    rejected(made("renyi", "1", order="2", pairs=listed(2)), "vacuous")


@pytest.mark.parametrize(
    "parts",
    [
        {"witness": {"pair": [0, 1]}},
        {"witness": {"record": 2, "pair": [0, 1]}},
        {"witness": {"record": -1, "pair": [0, 1]}},
        {"witness": {"record": 0, "pair": [0, 2]}},
        {"witness": {"record": 0, "pair": [0, 1], "outputs": [0, 1]}},
        {"chosen": (0, 2)},
        {"chosen": ()},
        {"channels": [[]]},
        {"pairs": listed(2, (0, 1, "2"), (1, 0))},
        {"order": "2"},
    ],
)
def test_broken_siblings(parts: Json) -> None:
    whole: Json = {"witness": at(1), "leakage": "16"} | parts
    assert check(made("bounded_range", **whole)).outcome in ("refused", "rejected")


def crowd(group: int, near: int, leakage: str, pair: list[int], **more: Any) -> str:
    """Histograms of two records of a bit, told by 4, 2, 1, by 2, 4, 1, and by 1, 2, 4, over 7."""
    told: Json = {"outputs": ["0", "1", "2"], "values": ["1/7", "2/7", "4/7"], "runs": 1}
    told["columns"] = [[2, 1, 0], [1, 2, 0], [0, 1, 2]]
    model = {
        "worlds": ["2 0", "1 1", "0 2"],
        "counts": [[2, 0], [1, 1], [0, 2]],
        "entries_of_values": [[0], [1]],
        "people": ["all"],
        "channels": [[told]],
        "chosen": [0],
        **more,
    }
    found = asking(
        "divergence",
        model,
        {"rule": "renyi", "order": "2", "pairs": {"rule": "replace", "group": near}},
        {"verdict": "holds", "leakage": {"exp_epsilon": leakage}},
        {"record": 0, "pair": pair},
        definition="renyi",
        options={"neighbours": "replace", "group": group, "order": "2"},
        level={"exp_epsilon": "50", "delta": "0"},
    )
    return outcome(found)


def test_a_group_of_a_crowd_is_that_of_its_histograms() -> None:
    """Of two neighbours 1, 2, 4 and 2, 4, 1 are farthest, 35/2 over 7; of all 4, 2, 1 and 1, 2, 4,
    73/4 over 7."""
    assert crowd(1, 1, "5/2", [2, 1]) == "accepted"
    assert crowd(2, 2, "73/28", [0, 2]) == "accepted"
    assert crowd(2, 1, "5/2", [2, 1]) == "rejected"
    assert crowd(1, 2, "73/28", [0, 2]) == "rejected"
    two = {"people": ["all", "more"], "chosen": [0, 0]}
    assert crowd(1, 1, "5/2", [2, 1], **two) == "refused"


LOCAL = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism:
  local: [{randomized_response: {truth: 3/4}}, {randomized_response: {truth: 2/3}}]
checks: [{bounded_range: {exp_epsilon: 9}}]
"""


def test_which_neighbours_are_asked(tmp_path: Path) -> None:
    """Those that differ in one record; others are no relation of single values."""
    path = tmp_path / "local.yaml"
    path.write_text(LOCAL)
    question = verify.load(path).questions[0].question
    assert question is not None
    found: Json = json.loads(write(verify.decide(question).certificate or {}))
    assert check(found).outcome == "accepted"

    def asked(neighbours: Any, group: int = 1, pairs: Any = None, people: int = 2) -> str:
        document = deepcopy(found)
        own, model = document["question"], document["question"]["model"]
        own["options"].update(neighbours=neighbours, group=group)
        own["relation"]["pairs"] = pairs or {"rule": "replace", "group": 1}
        for key in ("people", "chosen"):
            model[key] = model[key][:people]
        return outcome(document)

    assert asked("replace") == asked({"hamming": "1"}) == "accepted"
    assert asked("replace", 2) == asked({"hamming": "2"}) == asked({"l1": "1"}) == "rejected"
    assert asked("all", pairs={"rule": "all"}) == "rejected"
    assert asked("all", pairs={"rule": "all"}, people=1) == "accepted"
    assert asked("add_remove") == "rejected"
    assert asked({"pairs": [["0", "1"]]}) == "refused"
    document = deepcopy(found)
    document["question"]["model"].update(records=[[0, 0], [0, 1]])
    assert outcome(document) != "accepted"
    for key in ("records", "entries_per_record"):
        del document["question"]["model"][key]
    document["question"]["model"].update(counts=[[1, 0], [0, 1]], entries_of_values=[[0], [1]])
    assert outcome(document) != "accepted"

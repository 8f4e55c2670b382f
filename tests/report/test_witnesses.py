"""Every class of witness, and of what an answer has made, is told as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F

import pytest

from verifier.base.level import Level
from verifier.questions import witness as w

HALF = F(1, 2)
BEFORE = w.Belief(("s", "t"), {"i": HALF, "j": HALF}, F(3))
OUTPUT = w.OutputWitness(BEFORE, "yes", None)
EXAMPLES: list[w.Witness | w.Construction] = [
    OUTPUT,
    w.EntriesWitness(BEFORE, "(ann = 1)", F(2), ["bob"]),
    w.EventWitness(BEFORE, ["yes", "no"], (F(3, 4), F(1, 4))),
    w.RangeWitness(BEFORE, ["yes", "no"], F(9)),
    w.DivergenceWitness(BEFORE, F(3, 2), None, F(2)),
    w.DivergenceWitness(BEFORE, None, "yes", None),
    w.EndsWitness(F(2), [w.MissedRow(("s", "t"), "yes", F(3), (HALF, HALF), (F(0), HALF))], F(0)),
    w.LocalWitness([w.RecordWitness("ann", BEFORE, ["yes", "no"], [1, 2], F(2))], F(2)),
    w.ChangeWitness(("0", "1"), F(2)),
    w.GroupsWitness(("0", "1"), F(2), [["ann"], ["bob"]]),
    w.RunWitness(BEFORE, "0", {"yes": 2}, 3, Level(F(2)), F(729), False),
    w.TwoRunsWitness(
        ("s", "t"), {"i": HALF, "j": HALF}, {"a": {"i": F(1)}}, F(1), (F(0), F(1, 4)), ("a", "a")
    ),
    w.DemandsWitness(
        None, [w.Demand(1, "ann = 1", "z", ["a"], "yes", F(1, 3), "at most", F(1))], F(1, 9)
    ),
    w.ConflictsWitness(F(2), [w.Conflict("yes", [w.Case(1, None), w.Case(2, "z")])]),
    w.GuaranteeWitness("yes", "ann = 1", "ann = 0", {"0": HALF, "1": HALF}, F(1), None),
    w.InequalityWitness("yes", "P(o|0) ≤ 2·P(o|1)"),
    w.ErrorWitness(F(5, 6), "00"),
    w.GuessWitness({"0": HALF, "1": HALF}, "0", HALF, {"no": "0", "yes": "1"}, F(3, 4)),
    w.LossWitness(F(1, 3), {"0": HALF, "1": HALF}),
    w.PayoffWitness({"yes": {"0": 1}}, F(3, 4), HALF),
    w.RowPayoffWitness({"yes": {"0": 1}}, F(3, 4), HALF, "yes", {"0": F(1)}, ["0"], []),
    w.GivenWitness("first", OUTPUT),
    w.MechanismWitness(w.Table(("yes", "no"), {"0": (HALF, HALF)}), OUTPUT),
    w.BestMechanism(w.Table(("yes", "no"), {"0": (HALF, HALF)})),
    w.Simulator([w.Reply(["a"], {"yes": HALF}, HALF)]),
    w.Mixture([w.Part("first", F(1), {"a": {"b": F(1)}}, 1)]),
]


def subclasses(kind: type) -> Iterator[type]:
    """All classes below a class."""
    for sub in kind.__subclasses__():
        yield sub
        yield from subclasses(sub)


CLASSES = [*subclasses(w.Witness), *subclasses(w.Construction)]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_has_an_example(kind: type) -> None:
    assert kind in map(type, EXAMPLES), f"{kind.__name__} has no example in this test"


@pytest.mark.parametrize("found", EXAMPLES, ids=lambda found: type(found).__name__)
def test_every_form_has_text_and_json(found: w.Witness | w.Construction) -> None:
    lines = list(found.lines())
    assert lines or isinstance(found, w.BestMechanism)
    assert not [line for line in lines if "Fraction" in line or "None" in line]
    plain(found.as_json())


def plain(told: object) -> None:
    """Nothing but what JSON has, and no number that is not text or a count."""
    assert told is None or isinstance(told, str | int | list | dict)
    for part in told if isinstance(told, list) else []:
        plain(part)
    for key, part in told.items() if isinstance(told, dict) else []:
        assert isinstance(key, str)
        plain(part)


def test_a_wrapped_witness_keeps_its_own_words() -> None:
    assert w.GivenWitness("first", OUTPUT).as_json() == {**OUTPUT.as_json(), "given": "first"}
    (start, *rest) = w.GivenWitness("first", OUTPUT).lines()
    assert start == "the mechanism first needs more:" and rest == list(OUTPUT.lines())


def test_odds_after_are_the_ratio_times_those_before() -> None:
    assert w.OutputWitness(BEFORE, "yes", F(2)).after == 6
    assert OUTPUT.as_json()["posterior_odds"] == OUTPUT.as_json()["ratio"] == "infinite"


def test_runs_count_every_repetition() -> None:
    """Twice the output, three times over, are 6 runs, and 2 a run allow 2⁶ = 64."""
    found = w.RunWitness(BEFORE, "0", {"yes": 2}, 3, Level(F(2)), F(729), False)
    assert (found.runs, found.allowed) == (6, "(2)^6")
    assert list(found.lines())[-1] == (
        "after 6 runs with just these, 3 times over: odds 3 before; ratio 729 is above (2)^6"
    )
    unknown = w.RunWitness(BEFORE, "0", {"yes": 2}, None, Level(F(2)), None, False)
    assert unknown.as_json()["repetitions"] is None and "runs" not in unknown.as_json()


def test_records_that_are_answered_alike_are_told_together() -> None:
    known = w.Belief(("0", "1"), {"0": HALF, "1": HALF})
    records = [w.RecordWitness(name, known, ["0"], [2], F(9)) for name in ("ann", "bob")]
    assert list(w.LocalWitness(records, F(81)).lines()) == [
        "records {ann, bob}: pair 0 against 1; prior {0: 1/2, 1: 1/2}; answer 0 (2×), ratio 9",
        "all together: ratio 81",
    ]
    events = [w.RecordWitness("ann", known, [], [], None)]
    assert list(w.LocalWitness(events, F(5), (F(9, 16), F(1, 16))).lines())[-1] == (
        "answers at least 5 times as likely have probability 9/16 against 1/16"
    )


def test_what_was_made_has_its_key_in_the_report() -> None:
    made = w.Mixture([w.Part("first", F(1), None, 99)])
    assert made.key == "mixture"
    assert made.as_json() == [{"mechanism": "first", "weight": "1", "entries": 99}]

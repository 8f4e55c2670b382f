"""Reports on results made by hand, as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from verifier import __version__
from verifier.base.errors import InputError, Place
from verifier.base.level import Leakage, Level
from verifier.cli.jobs import _item
from verifier.questions.answer import Answer, Quantity
from verifier.questions.witness import (
    Belief,
    ChangeWitness,
    EventWitness,
    GivenWitness,
    MechanismWitness,
    OutputWitness,
    PayoffWitness,
    Table,
)
from verifier.report.errors import error_as_json
from verifier.report.findings import Document, Finding, counted, of_check, of_error, of_file
from verifier.report.formats import FORMATS
from verifier.report.formats.text import summary as sums
from verifier.report.view import View
from verifier.run.verify import Result

CERTIFICATE = {"question": {}}
WITNESS = OutputWitness(
    Belief(("s", "t"), {"i1": Fraction(9, 40), "j2": Fraction(31, 40)}, Fraction(3, 7)),
    "yes",
    Fraction(49, 9),
)
HOLDS = Result(
    file="spec.yaml",
    index=0,
    name=None,
    definition="pufferfish",
    mechanism=None,
    expected="holds",
    answer=Answer(
        "holds",
        Leakage(Fraction(3)),
        certificate=CERTIFICATE,
        scope={"worlds": 8, "outputs": 5, "pairs": 6, "priors": "all", "notes": []},
        level=Level(Fraction(7, 2)),
    ),
    status="ok",
    rule="inequality",
    seconds=0.123456,
    place=Place("spec.yaml", 7, 5),
    id="0123456789abcdef",
    label="pufferfish (exp_epsilon 7/2)",
    content="sha256:00",
)
VIOLATED = replace(
    HOLDS,
    index=1,
    name="as published",
    label="as published [survey]",
    mechanism="survey",
    answer=replace(
        HOLDS.answer, verdict="violated", leakage=Leakage(Fraction(49, 9)), shown=WITNESS
    ),
    status="failed",
    mismatch="expected holds, it is violated",
)
EXPECTED = replace(VIOLATED, expected="violated", status="ok", mismatch=None)
UNDECIDED = replace(
    HOLDS,
    answer=Answer("undecided", reason="the time limit of 1 s was reached"),
    status="undecided",
)
INTERNAL = replace(
    HOLDS,
    answer=replace(HOLDS.answer, verdict="undecided", reason="the checker rejected it"),
    status="internal",
)


def found(results: list[Result]) -> list[Finding]:
    return [of_check(_item(result)) for result in results]


def rendered(results: list[Result], colour: bool = False) -> str:
    """What is printed of results, after the name of their file."""
    writer = FORMATS["text"].writer(View(colour=colour))
    head, *lines = [line for one in found(results) for line in writer.add(one)]
    assert head == "spec.yaml"
    return "\n".join(lines)


def document(findings: list[Finding]) -> Document:
    return Document("check", tuple(findings), counted(findings))


def report(
    results: list[Result],
    errors: list[InputError] | None = None,
    stopped: list[tuple[str, str]] | None = None,
) -> str:
    """The report in JSON."""
    wrong = [of_error(error_as_json(error), str(error)) for error in errors or []]
    open_ = [of_file(file, "undecided", reason) for file, reason in stopped or []]
    return FORMATS["json"].render(document([*found(results), *wrong, *open_]))


def summary(results: list[Result]) -> str:
    return sums(document(found(results)))


def with_answer(result: Result, **changes: Any) -> Result:
    return replace(result, answer=replace(result.answer, **changes))


def test_one_line_where_all_is_well() -> None:
    assert rendered([HOLDS]) == (
        "  ok  pufferfish (exp_epsilon 7/2): holds; smallest e^ε 3 (ε 1.098612)"
    )


def test_an_unexpected_violation_shows_its_witness() -> None:
    assert rendered([VIOLATED]).splitlines() == [
        "  FAILED  as published [survey]: violated; smallest e^ε 49/9 (ε 1.694596)",
        "      expected holds, it is violated",
        "      pair s against t; prior {i1: 9/40, j2: 31/40}",
        "      output yes: odds 3/7 before, 7/3 after, ratio 49/9",
    ]


def test_an_expected_violation_does_not() -> None:
    assert rendered([EXPECTED]).splitlines() == [
        "  ok  as published [survey]: violated; smallest e^ε 49/9 (ε 1.694596)",
    ]
    pinned = replace(EXPECTED, status="failed", mismatch="expected the leakage 5, it is 49/9")
    assert "pair s against t" in rendered([pinned])


@pytest.mark.parametrize(
    ("leakage", "words"),
    [
        (Leakage(), "smallest e^ε infinite"),
        (Leakage(attained=False), "smallest e^ε infinite, approached but not attained"),
        (
            Leakage(bounds=(Fraction(17, 10), Fraction(9, 5))),
            "between 17/10 and 9/5 (ε [0.530628, 0.587787])",
        ),
    ],
)
def test_leakage_in_words(leakage: Leakage, words: str) -> None:
    assert words in rendered([with_answer(HOLDS, leakage=leakage)])


def test_other_endings() -> None:
    assert rendered([UNDECIDED]).splitlines() == [
        "  undecided  pufferfish (exp_epsilon 7/2): undecided",
        "      the time limit of 1 s was reached",
    ]
    said = rendered([INTERNAL])
    assert "INTERNAL ERROR" in said and "the checker rejected it" in said


def test_events_and_changes_of_a_query() -> None:
    half = Fraction(1, 2)
    before = Belief(("s", "t"), {"i": half, "j": half})
    outputs = [f"o{n}" for n in range(20)]
    lines = list(EventWitness(before, outputs, (Fraction(3, 4), Fraction(1, 4))).lines())
    assert lines[0] == "pair s against t; prior {i: 1/2, j: 1/2}"
    assert lines[1].startswith("the event {o0, o1, ") and "… (20 in all)" in lines[1]
    assert lines[1].endswith("has probability 3/4 against 1/4")
    assert "o12" not in lines[1]
    change = ChangeWitness(("000", "111"), Fraction(8))
    assert list(change.lines()) == ["between 000 and 111 the query changes by 8"]


def test_witnesses_about_what_can_be_made_of_mechanisms() -> None:
    payoff = PayoffWitness({"yes": {"a": 1}, "no": {"b": 1}}, Fraction(3, 2), Fraction(4, 3))
    start, *told = GivenWitness("response", payoff).lines()
    assert start == "the mechanism response cannot be made of the given ones:"
    assert told == list(payoff.lines())
    much, little = Fraction(3, 4), Fraction(1, 4)
    table = Table(["yes", "no"], {"a": (much, little), "b": (little, much)})
    start, *told = MechanismWitness(table, payoff).lines()
    assert start == "this mechanism says yes with probability {a: 3/4, b: 1/4}, no otherwise;"
    table = replace(table, outputs=["output 1", "output 2"])
    lines = list(MechanismWitness(table, payoff).lines())
    assert lines[:2] == ["this mechanism says", "  output 1 with probability {a: 3/4, b: 1/4}"]
    assert lines[3:] == told == list(payoff.lines())


def test_sensitivity_in_words() -> None:
    quantity = Quantity(Fraction(8), "sensitivity {}", {"alpha": 3, "xi": 4})
    said = rendered([with_answer(HOLDS, leakage=None, quantity=quantity, level=None)])
    assert said == "  ok  pufferfish (exp_epsilon 7/2): holds; sensitivity 8, alpha = 3, xi = 4"
    known = Quantity(Fraction(1), "together ε {}", remark="the condition of Theorem 4.3 is met")
    said = rendered([with_answer(HOLDS, leakage=None, quantity=known, level=None)])
    assert said.endswith(": holds; together ε 1; the condition of Theorem 4.3 is met")


def test_a_remark_is_told_once() -> None:
    noted = with_answer(HOLDS, scope={"notes": ["outputs were merged"]})
    assert rendered([noted, noted]).count("remark: outputs were merged") == 1


def test_colour_only_where_asked_for() -> None:
    everything = [HOLDS, VIOLATED, UNDECIDED, INTERNAL]
    assert "\033" not in rendered(everything)
    coloured = rendered(everything, True)
    for code in ("\033[32mok", "\033[31mFAILED", "\033[33mundecided", "\033[31mINTERNAL"):
        assert code in coloured
    assert coloured.count("\033[0m") == 4


def test_the_summary_counts() -> None:
    everything = [HOLDS, EXPECTED, VIOLATED, UNDECIDED, INTERNAL]
    assert summary(everything) == "2 ok, 1 failed, 1 undecided, 1 internal error"
    assert summary([HOLDS]) == "1 ok"
    nothing = replace(HOLDS, vacuous=True)
    assert "holds; vacuous: there was nothing to compare" in rendered([nothing])
    assert summary([HOLDS, nothing]) == "2 ok, 1 vacuous: nothing was compared"


def test_json_key_by_key() -> None:
    """The schema of version 1, in its order."""
    made = json.loads(report([VIOLATED]))
    assert made == {
        "version": 1,
        "results": [
            {
                "file": "spec.yaml",
                "line": 7,
                "column": 5,
                "index": 1,
                "id": "0123456789abcdef",
                "name": "as published",
                "label": "as published [survey]",
                "definition": "pufferfish",
                "mechanism": "survey",
                "status": "failed",
                "verdict": "violated",
                "expected": "holds",
                "ok": False,
                "level": {"exp_epsilon": "7/2", "delta": "0"},
                "level_epsilon": "1.252763",
                "leakage": {"exp_epsilon": "49/9", "attained": True},
                "epsilon": "1.694596",
                "scope": {"worlds": 8, "outputs": 5, "pairs": 6, "priors": "all", "notes": []},
                "witness": {
                    "pair": ["s", "t"],
                    "prior": {"i1": "9/40", "j2": "31/40"},
                    "prior_odds": "3/7",
                    "output": "yes",
                    "posterior_odds": "7/3",
                    "ratio": "49/9",
                },
                "tight": {
                    "pair": ["s", "t"],
                    "prior": {"i1": "9/40", "j2": "31/40"},
                    "prior_odds": "3/7",
                    "output": "yes",
                    "posterior_odds": "7/3",
                    "ratio": "49/9",
                },
                "asserted": None,
                "digest": "sha256:00",
                "promise": None,
                "asks": None,
                "certificate": {"rule": "inequality", "accepted": True, "path": None},
                "reason": "expected holds, it is violated",
                "seconds": 0.123,
            }
        ],
        "summary": {"ok": 0, "failed": 1, "undecided": 0},
        "tool": f"verifier {__version__}",
    }
    assert list(made["results"][0]) == [
        *("file", "line", "column", "index", "id", "name", "label", "definition", "mechanism"),
        *("status", "verdict", "expected", "ok", "level", "level_epsilon", "leakage", "epsilon"),
        *("scope", "witness", "tight", "asserted", "digest", "promise", "asks"),
        *("certificate", "reason", "seconds"),
    ]


@pytest.mark.parametrize(
    ("change", "leakage"),
    [
        ({"leakage": Leakage()}, {"infinite": True}),
        ({"leakage": Leakage(attained=False)}, {"infinite": True, "attained": False}),
        ({"leakage": Leakage(Fraction(1), vacuous=True)}, {"exp_epsilon": "1", "vacuous": True}),
        (
            {"leakage": Leakage(bounds=(Fraction(17, 10), Fraction(9, 5)))},
            {"lower": "17/10", "upper": "9/5", "attained": True},
        ),
        ({"leakage": None, "quantity": Quantity(Fraction(8), "{}")}, {"value": "8"}),
        ({"leakage": None}, None),
    ],
)
def test_leakage_in_json(change: dict[str, Any], leakage: object) -> None:
    made = json.loads(report([with_answer(HOLDS, **change)], []))
    assert made["results"][0]["leakage"] == leakage


def test_json_of_what_was_not_accepted_has_no_certificate() -> None:
    made = json.loads(report([UNDECIDED, INTERNAL], []))
    undecided, internal = made["results"]
    assert undecided["certificate"] is None and internal["certificate"] is None
    assert undecided["ok"] is False and internal["ok"] is False
    assert undecided["reason"] == "the time limit of 1 s was reached"
    assert made["summary"] == {"ok": 0, "failed": 1, "undecided": 1}


def test_json_of_errors_and_limits() -> None:
    wrong = InputError("S103", "row 's1' sums to 1/2", Place("spec.yaml", 5, 9), "s1: …")
    homeless = InputError("S701", "cannot write")
    made = json.loads(report([], [wrong, homeless], [("a.yaml", "undecided: time")]))
    assert made["results"] == []
    assert made["errors"][0] == {
        "file": "spec.yaml",
        "line": 5,
        "column": 9,
        "code": "S103",
        "message": "row 's1' sums to 1/2",
        "hint": "write probabilities that sum to 1, such as 1/3 and 2/3",
    }
    assert made["errors"][1]["code"] == "S701" and made["errors"][1]["file"] is None
    assert made["summary"]["undecided"] == 1, "a file that hit a limit is not forgotten"
    assert "a.yaml: undecided: time" in made["stopped"]


def test_names_stay_as_they_are_in_json() -> None:
    assert "naïve ⊥ 🙂" in report([replace(HOLDS, name="naïve ⊥ 🙂")], [])

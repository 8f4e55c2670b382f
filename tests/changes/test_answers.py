"""What is expected and found on two sides: levels, enclosures, deltas, numbers, by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.changes.made import PLAIN, line
from tests.changes.sides import compared
from verifier.changes.answers import differing_answers, order
from verifier.changes.compare import Side, compare
from verifier.changes.lines import Line
from verifier.changes.statements import Change, Statement, logarithm

LEVEL = "exp_epsilon"
INFINITE = {"infinite": True}
OTHER = "8" * 16


def exact(value: str) -> dict[str, Any]:
    return {LEVEL: value, "attained": True}


def enclosed(low: str, high: str) -> dict[str, Any]:
    return {"lower": low, "upper": high, "attained": True}


def test_smallest_levels() -> None:
    wrong = [
        (old, new, expected, order(old, new))
        for old, new, expected in (
            (exact("2"), exact("3"), 1),
            (exact("3"), exact("2"), -1),
            (exact("2"), {LEVEL: "2", "attained": False}, 0),
            (exact("2"), INFINITE, 1),
            (INFINITE, exact("2"), -1),
            (INFINITE, INFINITE, 0),
            (enclosed("2", "3"), INFINITE, 1),
            (exact("2"), enclosed("21/10", "3"), 1),
            (exact("2"), enclosed("2", "3"), None),
            (enclosed("2", "3"), exact("5/2"), None),
            (enclosed("2", "3"), enclosed("4", "5"), 1),
            (enclosed("4", "5"), enclosed("2", "3"), -1),
            (enclosed("2", "4"), enclosed("3", "5"), None),
            (enclosed("2", "3"), enclosed("3", "4"), None),
            (enclosed("2", "3"), enclosed("2", "3"), None),
            ({"closed": "exp(1)", **enclosed("2", "3")}, exact("271/100"), -1),
            ({"closed": "exp(1)", **enclosed("2", "3")}, exact("272/100"), 1),
        )
        if order(old, new) != expected
    ]
    assert not wrong


def test_logarithms() -> None:
    for value, signed, text in (
        ("1", False, "0.000000"),
        ("2", False, "0.693147"),
        ("2", True, "+0.693147"),
        ("1/2", True, "-0.693147"),
        (None, False, "infinite"),
        (None, True, "+infinite"),
    ):
        assert logarithm(value and Fraction(value), signed) == text


def told(before: Line, after: Line) -> list[tuple[str, str]]:
    change = compare(Side(line=before), Side(line=after))
    return [(each.status, each.about) for each in change.statements]


def statuses(before: Line, after: Line) -> list[str]:
    return [status for status, _ in told(before, after)]


def level(delta: str = "0", **number: str) -> dict[str, str]:
    return {**number, "delta": delta}


MORE, LESS, OTHERWISE = "promises more", "promises less", "promises otherwise"
FROM_PLAIN: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [  # another mechanism, and this
    ({}, []),
    ({"leakage": exact("7/2")}, [("leaks more", "level")]),
    ({"leakage": exact("2")}, [("leaks less", "level")]),
    ({"leakage": INFINITE}, [("leaks more", "level")]),
    ({"leakage": enclosed("31/10", "32/10")}, [("leaks more", "level")]),
    ({"leakage": enclosed("1", "2")}, [("leaks less", "level")]),
    ({"leakage": enclosed("2", "4")}, [(OTHERWISE, "overlap")]),  # 3 lies between
    ({"leakage": None}, [(LESS, "level found")]),
    ({"leakage": {LEVEL: "1", "vacuous": True}}, [(LESS, "vacuous")]),
    (
        {"verdict": "violated", "leakage": exact("5")},
        [("leaks more", "verdict"), ("leaks more", "level")],
    ),
    ({"verdict": "undecided", "leakage": None}, [(LESS, "verdict")]),
    ({"level": level(exp_epsilon="5")}, [(LESS, "level")]),
    ({"level": level(exp_epsilon="7/2")}, [(MORE, "level")]),
    # at another delta the smallest levels are those of another question
    ({"level": level("1/9", exp_epsilon="4")}, [(LESS, "delta"), (OTHERWISE, "verdict")]),
    (
        {"level": level("1/9", exp_epsilon="3"), "asks": PLAIN.asks},
        [(LESS, "delta"), (MORE, "level")],
    ),
    ({"level": None}, [(OTHERWISE, "verdict"), (OTHERWISE, "question")]),
    ({"expected": "violated"}, [(LESS, "expect")]),
    ({"expected": "vacuous"}, [(LESS, "expect")]),
    ({"asserted": "3"}, [(MORE, "leakage")]),
    ({"promise": "", "asks": None}, [(OTHERWISE, "verdict"), (OTHERWISE, "question")]),
]


def test_from_a_plain_line() -> None:
    wrong = [
        (parts, expected, told(PLAIN, line(2, **parts)))
        for parts, expected in FROM_PLAIN
        if told(PLAIN, line(2, **parts)) != expected
    ]
    assert not wrong


def asking(mechanism: str = "a" * 16, **parts: Any) -> Line:
    """The plain line of another promise, with parts of what is asked."""
    known = {"options": {"group": "1"}, "items": {}, "rest": "b" * 16}
    return line(2, promise="other", asks={**known, **parts, "mechanism": mechanism})


def test_what_lines_tell_of_two_questions() -> None:
    """Sets of pairs, priors and constraints have a direction; all else is another question. Of a
    mechanism that changed too it is not known what it leaks under the old question."""
    pairs, rows = {"pairs": ["1", "2"]}, {"pairs": ["1"], "rows": ["1", "2"]}
    listed = {"pairs": ["1"], "priors": ["1", "2"]}
    for one, other, expected in (
        ({"items": pairs}, {"items": {"pairs": ["1"]}}, [(LESS, "pairs")]),
        ({"items": {"pairs": ["1"]}}, {"items": pairs}, [(MORE, "pairs")]),
        ({"items": rows}, {"items": {**rows, "rows": ["1"]}}, [(MORE, "priors")]),
        ({"items": {**rows, "rows": ["1"]}}, {"items": rows}, [(LESS, "priors")]),
        ({"items": listed}, {"items": {**listed, "priors": ["1"]}}, [(LESS, "priors")]),
        ({"items": listed}, {"items": {**listed, "priors": ["1", "3"]}}, [(OTHERWISE, "priors")]),
        ({"bound": "2"}, {"bound": "3"}, [(LESS, "bound")]),
        ({"bound": "3"}, {"bound": "2"}, [(MORE, "bound")]),
        ({"bound": "3"}, {}, [(LESS, "bound")]),
        (
            {"options": {"group": "1"}},
            {"options": {"group": "2"}, "rest": OTHER},
            [(OTHERWISE, "question"), (OTHERWISE, "option")],
        ),
    ):
        old = replace(asking(**one), digest="sha256:old", promise="old")
        assert told(old, asking(**other)) == expected
        changed = told(old, asking(mechanism="c" * 16, **other))
        assert sorted(changed) == sorted([*expected, (OTHERWISE, "verdict")])


def test_a_changed_option_is_named() -> None:
    old = replace(asking(), digest="sha256:old", promise="old")
    new = asking(options={"group": "2"}, rest=OTHER)
    change = compare(Side(line=old), Side(line=new))
    assert [one.told for one in change.statements][-1] == "group: 1 -> 2"


def test_a_question_that_cannot_be_written_down() -> None:
    nothing = replace(PLAIN, digest="", promise="", verdict="undecided", leakage=None)
    assert statuses(PLAIN, nothing) == [LESS, LESS]
    assert statuses(nothing, PLAIN) == [MORE, MORE]
    assert statuses(nothing, nothing) == ["undecided"]


def test_asserted_leakages() -> None:
    wrong = [
        (old, new, expected)
        for old, new, expected in (
            ("3", "3", []),
            ("3", "[2, 3]", [LESS]),
            ("[2, 3]", "3", [MORE]),
            ("[2, 3]", "[2, 7/2]", [LESS]),
            ("3", None, [LESS]),
            (None, "3", [MORE]),
            ("infinite", "3", [MORE]),
            ("3", "infinite", [LESS]),
            ("3", "2", [MORE]),
            ("[2, 4]", "[3, 5]", [LESS]),
        )
        if statuses(line(1, asserted=old), line(1, asserted=new)) != expected
    ]
    assert not wrong


def test_an_expectation_that_turned() -> None:
    for old, new, expected in (
        ("holds", "violated", LESS),
        ("violated", "holds", MORE),
        ("vacuous", "violated", OTHERWISE),
    ):
        assert statuses(line(1, expected=old), line(1, expected=new)) == [expected]


def test_e_to_a_rational_is_held_against_a_rational() -> None:
    """e = 2.718281828459045…; its first 40 digits, cut off, are below it, one more is above."""
    digits = 2_7182818284590452353602874713526624977572
    for rational, expected in (
        ("2718281829/1000000000", [LESS]),
        ("2718281828/1000000000", [MORE]),
        (f"{digits}/{10**40}", [MORE]),
        (f"{digits + 1}/{10**40}", [LESS]),
    ):
        before, after = level(epsilon="1"), level(exp_epsilon=rational)
        assert statuses(line(1, level=before), line(2, level=after)) == expected
        opposite = [LESS if expected == [MORE] else MORE]
        assert statuses(line(1, level=after), line(2, level=before)) == opposite


def test_what_was_undecided() -> None:
    undecided = line(1, verdict="undecided", leakage=None)
    assert statuses(undecided, undecided) == []
    assert statuses(undecided, line(2, verdict="undecided", leakage=None)) == ["undecided"]
    assert statuses(undecided, PLAIN) == [MORE]
    assert statuses(undecided, line(2, verdict="violated")) == [OTHERWISE]


def test_values_of_sensitivity_have_an_order_and_others_do_not() -> None:
    for definition, expected in (("sensitivity", "leaks less"), ("optimal", OTHERWISE)):
        before = line(1, definition=definition, level=None, leakage={"value": "3"})
        after = line(2, definition=definition, level=None, leakage={"value": "2"})
        assert statuses(before, after) == [expected]


def test_a_mechanism_that_changed_under_a_level_that_is_not_known() -> None:
    for verdict in ("holds", "violated"):
        before, after = (line(number, verdict=verdict, leakage=None) for number in (2, 3))
        assert told(before, after) == [(OTHERWISE, "level found")]


def test_an_irrational_level_is_told() -> None:
    old = {"closed": "exp(1)", "lower": "2718/1000", "upper": "2719/1000", "attained": True}
    (one,) = differing_answers(line(1, leakage=old), line(2, leakage=exact("3")))
    assert one.told == "the smallest level e^ε: e -> 3 (ε 1.000264 -> 1.098612, +0.098348)"


def change(folder: Path, before: str, after: str) -> Change:
    (one,) = compared(folder, before, after)
    return one.change


CURVE = """
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [a, b], "0": [3/4, 1/4], "1": [1/4, 3/4]}}
checks:
  - differential_privacy: {exp_epsilon: 3, tradeoff: [1, 2]}
"""


def test_a_curve_that_rose_at_a_level(tmp_path: Path) -> None:
    """Mass 1/20 that tells all raises δ at e^ε = 1 from 1/2 to 1/20 + 19/20·1/2, and more at 2."""
    rows = 'outputs: [a, b, c, d], "0": [57/80, 19/80, 1/20, 0], "1": [19/80, 57/80, 0, 1/20]'
    after = CURVE.replace('outputs: [a, b], "0": [3/4, 1/4], "1": [1/4, 3/4]', rows)
    (curve,) = [e for e in change(tmp_path, CURVE, after).statements if e.about == "delta"]
    assert (curve.status, curve.before, curve.after) == ("leaks more", "1/4", "23/80")


def test_a_curve_that_is_asked_at_other_levels(tmp_path: Path) -> None:
    """The levels that only one side asks for are compared all the same."""
    rows = 'outputs: [a, b], "0": [2/3, 1/3], "1": [1/3, 2/3]'
    after = CURVE.replace('outputs: [a, b], "0": [3/4, 1/4], "1": [1/4, 3/4]', rows)
    after = after.replace("[1, 2]", "[3/2]")
    curves = [e for e in change(tmp_path, CURVE, after).statements if e.about == "delta"]
    assert [(e.status, e.before, e.after) for e in curves] == [("leaks less", "1/4", "0")]
    assert change(tmp_path, CURVE, CURVE.replace("[1, 2]", "[3/2]")).statements == ()


SUM = """
worlds: {records: [ann, bob], domain: [0, 1, 2]}
checks:
  - sensitivity: {query: ann + bob, equals: 2}
"""


def statements(folder: Path, before: str, after: str) -> dict[str, Statement]:
    return {each.about: each for each in change(folder, before, after).statements}


def test_a_sensitivity(tmp_path: Path) -> None:
    """Of another query it may rise; of the same one, over other pairs, nothing is told."""
    after = SUM.replace("ann + bob, equals: 2", "ann + 2*bob, equals: 4")
    about = statements(tmp_path, SUM, after)
    assert (about["value"].before, about["value"].after) == ("2", "4")
    assert {key: one.status for key, one in about.items()} == {
        "value": "leaks more",
        "question": OTHERWISE,
        "bound": LESS,
        "option": LESS,
    }
    fewer = statements(tmp_path, SUM, SUM.replace("equals: 2", "graph: {distance: 1}, equals: 1"))
    assert {key: one.status for key, one in fewer.items()} == {
        "comparisons": LESS,
        "bound": MORE,
        "option": LESS,
    }


def test_a_power_of_e_is_below_infinity() -> None:
    power = {"closed": "e", "attained": True}
    assert [order(power, INFINITE), order(INFINITE, power), order(INFINITE, INFINITE)] == [1, -1, 0]

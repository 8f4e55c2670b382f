"""What is found before and after a change: levels, enclosures, deltas, numbers and curves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.changes.sides import sides_of
from verifier.base.level import Leakage
from verifier.changes.compare import compare
from verifier.changes.measured import measured, order
from verifier.changes.statements import Change, Side, logarithm
from verifier.claims.answer import Answer


def exact(value: str) -> Leakage:
    return Leakage(Fraction(value))


def enclosed(low: str, high: str) -> Leakage:
    return Leakage(bounds=(Fraction(low), Fraction(high)))


INFINITE = Leakage()


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (exact("2"), exact("3"), 1),
        (exact("3"), exact("2"), -1),
        (exact("2"), Leakage(Fraction(2), attained=False), 0),
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
    ],
)
def test_smallest_levels(old: Leakage, new: Leakage, found: int | None) -> None:
    assert order(old, new) == found


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [
        ("1", False, "0.000000"),
        ("2", False, "0.693147"),
        ("2", True, "+0.693147"),
        ("1/2", True, "-0.693147"),
        (None, False, "infinite"),
        (None, True, "+infinite"),
    ],
)
def test_logarithms(value: str | None, signed: bool, text: str) -> None:
    assert logarithm(value and Fraction(value), signed) == text


def side(verdict: str, leakage: Leakage | None, delta: str = "0", vacuous: bool = False) -> Side:
    answer = Answer(verdict, leakage, delta=Fraction(delta))
    return Side(name="check", question=None, answer=answer, vacuous=vacuous)


def told(before: Side, after: Side, asks_more: bool = False) -> list[tuple[str, str]]:
    return [(each.status, each.about) for each in measured(before, after, asks_more)]


HOLDS = side("holds", exact("2"))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (HOLDS, HOLDS, []),
        (HOLDS, side("violated", exact("2")), [("leaks more", "verdict")]),
        (
            HOLDS,
            side("violated", exact("3")),
            [("leaks more", "verdict"), ("leaks more", "level")],
        ),
        (side("violated", exact("2")), HOLDS, [("leaks less", "verdict")]),
        (HOLDS, side("undecided", None), [("promises less", "verdict")]),
        (side("undecided", None), HOLDS, [("promises more", "verdict")]),
        (side("undecided", None), side("undecided", None), []),
        (
            replace(side("undecided", None), content="old"),
            side("violated", exact("9")),
            [("promises otherwise", "verdict")],
        ),
        (HOLDS, side("holds", None), [("promises less", "level found")]),
        (side("holds", None), HOLDS, []),
        (HOLDS, side("holds", exact("1"), vacuous=True), [("promises less", "vacuous")]),
        (side("holds", exact("1"), vacuous=True), HOLDS, [("promises more", "vacuous")]),
        (HOLDS, side("holds", INFINITE), [("leaks more", "level")]),
        (HOLDS, side("holds", enclosed("1", "3")), [("promises otherwise", "overlap")]),
        # at a larger delta a smaller level is no news, a larger one is; and the other way round
        (HOLDS, side("holds", exact("3"), "1/9"), [("leaks more", "level")]),
        (HOLDS, side("holds", exact("1"), "1/9"), [("promises otherwise", "level")]),
        (side("holds", exact("2"), "1/9"), side("holds", exact("1")), [("leaks less", "level")]),
        (
            side("holds", exact("2"), "1/9"),
            side("holds", exact("3")),
            [("promises otherwise", "level")],
        ),
    ],
)
def test_what_is_found(before: Side, after: Side, found: list[tuple[str, str]]) -> None:
    assert told(before, after) == found


def test_an_unchanged_mechanism_of_which_more_is_asked() -> None:
    before, after = HOLDS, side("holds", exact("3"))
    assert told(before, after, asks_more=True) == [("same", "level")]
    assert told(before, side("violated", exact("3")), asks_more=True)[0][0] == "leaks more"


def change(folder: Path, before: str, after: str) -> Change:
    (old,), (new,) = sides_of(folder, before), sides_of(folder, after)
    return compare(old, new)


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
    found = change(tmp_path, CURVE, after)
    (curve,) = [each for each in found.statements if each.about == "delta"]
    assert (curve.status, curve.before, curve.after) == ("leaks more", "1/4", "23/80")


def test_a_curve_that_is_asked_at_other_levels(tmp_path: Path) -> None:
    """The levels that only one side asks for are compared all the same."""
    rows = 'outputs: [a, b], "0": [2/3, 1/3], "1": [1/3, 2/3]'
    after = CURVE.replace('outputs: [a, b], "0": [3/4, 1/4], "1": [1/4, 3/4]', rows)
    after = after.replace("[1, 2]", "[3/2]")
    curves = [each for each in change(tmp_path, CURVE, after).statements if each.about == "delta"]
    assert [(each.status, each.before, each.after) for each in curves] == [
        ("leaks less", "1/4", "0")
    ]
    assert [
        e.about for e in change(tmp_path, CURVE, CURVE.replace("[1, 2]", "[3/2]")).statements
    ] == []


SUM = """
worlds: {records: [ann, bob], domain: [0, 1, 2]}
checks:
  - sensitivity: {query: ann + bob, equals: 2}
"""


def test_a_sensitivity(tmp_path: Path) -> None:
    found = change(tmp_path, SUM, SUM.replace("ann + bob, equals: 2", "ann + 2*bob, equals: 4"))
    assert found.status == "leaks more"
    about = {each.about: each for each in found.statements}
    assert (about["value"].before, about["value"].after) == ("2", "4")
    assert about["question"].status == "promises otherwise"
    assert about["bound"].status == "promises less"
    fewer = change(tmp_path, SUM, SUM.replace("equals: 2", "graph: {distance: 1}, equals: 1"))
    assert {each.about: each.status for each in fewer.statements} == {
        "comparisons": "promises less",
        "bound": "promises more",
        "value": "leaks less",
    }


WANTED = [
    ("3", "3", None),
    ("3", "[2, 3]", "promises less"),
    ("[2, 3]", "3", "promises more"),
    ("[2, 3]", "[2, 7/2]", "promises less"),
    ("3", None, "promises less"),
    (None, "3", "promises more"),
    ("infinite", "3", "promises more"),
    ("3", "infinite", "promises less"),
    ("3", "2", "promises more"),
]


@pytest.mark.parametrize(("old", "new", "status"), WANTED)
def test_the_interval_of_the_leakage(
    tmp_path: Path, old: str | None, new: str | None, status: str | None
) -> None:
    def ends(text: str | None) -> tuple[Fraction | None, Fraction | None] | None:
        if text is None or text == "infinite":
            return text and (None, None)  # type: ignore[return-value]
        parts = text.strip("[]").split(", ")
        return Fraction(parts[0]), Fraction(parts[-1])

    before, after = (replace(HOLDS, wanted=ends(text), content="x") for text in (old, new))
    found = [each.status for each in compare(before, after).statements]
    assert found == ([status] if status else [])

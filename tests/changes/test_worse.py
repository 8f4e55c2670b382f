"""What got worse by the numbers of two lines: each status, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.changes.made import PLAIN, line
from verifier.changes.worse import differences

LEVEL = "exp_epsilon"


def statuses(before: Any, after: Any) -> list[str]:
    return [one.status for one in differences(before, after)]


def level(delta: str = "0", **number: str) -> dict[str, str]:
    return {**number, "delta": delta}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, []),
        ({"leakage": {LEVEL: "7/2"}}, ["leaks more"]),
        ({"leakage": {LEVEL: "2"}}, ["leaks less"]),
        ({"leakage": {"infinite": True}}, ["leaks more"]),
        ({"leakage": {"lower": "31/10", "upper": "32/10"}}, ["leaks more"]),
        ({"leakage": {"lower": "1", "upper": "2"}}, ["leaks less"]),
        ({"leakage": {"lower": "2", "upper": "4"}}, ["leaks more"]),  # 3 lies between
        ({"leakage": None}, ["promises less"]),
        ({"leakage": {LEVEL: "1", "vacuous": True}}, ["promises less"]),
        ({"verdict": "violated", "leakage": {LEVEL: "5"}}, ["leaks more", "leaks more"]),
        ({"verdict": "undecided", "leakage": None}, ["promises less"]),
        ({"level": level(exp_epsilon="5")}, ["promises less"]),
        ({"level": level(exp_epsilon="7/2")}, ["promises more"]),
        ({"level": level("1/9", exp_epsilon="4")}, ["promises less"]),
        ({"level": level("1/9", exp_epsilon="3")}, ["promises less", "promises more"]),
        ({"level": None}, ["promises otherwise"]),
        ({"expected": "violated"}, ["promises less"]),
        ({"expected": "vacuous"}, ["promises less"]),
        ({"asserted": "3"}, ["promises more"]),
        ({"promise": "sha256:" + "8" * 64}, ["promises otherwise"]),
        ({"promise": ""}, ["promises otherwise"]),
    ],
)
def test_from_a_plain_line(parts: dict[str, Any], expected: list[str]) -> None:
    assert statuses(PLAIN, line(2, **parts)) == expected


def test_a_question_that_cannot_be_written_down() -> None:
    assert statuses(PLAIN, replace(PLAIN, digest="")) == ["undecided"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("3", None, "promises less"),
        ("3", "[3, 4]", "promises less"),
        ("[2, 4]", "[3, 4]", "promises more"),
        ("[2, 4]", "[3, 5]", "promises otherwise"),
        ("3", "infinite", "promises otherwise"),
    ],
)
def test_asserted_leakages(before: str, after: str | None, expected: str) -> None:
    assert statuses(line(1, asserted=before), line(1, asserted=after)) == [expected]


def test_e_to_a_rational_is_held_against_a_rational() -> None:
    """e = 2.718281828459045…"""
    for rational, expected in (
        ("2718281829/1000000000", "promises less"),
        ("2718281828/1000000000", "promises more"),
    ):
        before, after = level(epsilon="1"), level(exp_epsilon=rational)
        assert statuses(line(1, level=before), line(2, level=after)) == [expected]
        opposite = {"promises less": "promises more", "promises more": "promises less"}
        assert statuses(line(1, level=after), line(2, level=before)) == [opposite[expected]]


def test_levels_that_differ_late_are_told_apart() -> None:
    """The first 40 digits of e, cut off, are below it; with one more in the last place, above."""
    digits = 2_7182818284590452353602874713526624977572
    for last, expected in ((0, "promises more"), (1, "promises less")):
        after = level(exp_epsilon=f"{digits + last}/{10**40}")
        assert statuses(line(1, level=level(epsilon="1")), line(2, level=after)) == [expected]


def test_what_was_undecided() -> None:
    undecided = line(1, verdict="undecided", leakage=None)
    assert statuses(undecided, undecided) == []
    assert statuses(undecided, line(2, verdict="undecided", leakage=None)) == ["undecided"]
    assert statuses(undecided, PLAIN) == ["promises more"]
    assert statuses(undecided, line(2, verdict="violated")) == ["promises otherwise"]


def test_leakages_at_two_deltas_do_not_compare() -> None:
    after = line(level=level("1/9", exp_epsilon="4"), leakage={LEVEL: "2"})
    assert statuses(PLAIN, after) == ["promises less", "promises otherwise"]


def test_values_of_sensitivity_have_an_order_and_others_do_not() -> None:
    for definition, expected in (("sensitivity", "leaks less"), ("optimal", "promises otherwise")):
        before = line(1, definition=definition, level=None, leakage={"value": "3"})
        after = line(2, definition=definition, level=None, leakage={"value": "2"})
        assert statuses(before, after) == [expected]


@pytest.mark.parametrize(
    ("verdict", "found"), [("violated", ["promises otherwise"]), ("holds", [])]
)
def test_a_mechanism_that_changed_under_a_level_that_is_not_known(
    verdict: str, found: list[str]
) -> None:
    """What holds still keeps its level; of what is violated nothing is known."""
    before, after = (line(number, verdict=verdict, leakage=None) for number in (2, 3))
    assert statuses(before, after) == found

"""Universally composable priors: what is believed given two secrets, made of compared worlds; and
mixtures of priors that do not compose."""

from typing import Any

import pytest

from tests.checker.drafts import between, check, draft

WORLDS = ["a", "b", "c", "d"]
FIRST = ["1/3", "0", "2/3", "0"]  # a with c
SECOND = ["0", "3/4", "0", "1/4"]  # b with d
BOTH = ["1/6", "1/3", "1/6", "1/3"]  # given s a third is a, given t a third is c
ALONE: list[Any] = [[[0, 2, "1"]], [[1, 3, "1"]]]
MADE = [[0, 2, "1/3"], [1, 3, "2/3"]]


def made(build: Any, kind: str, priors: Any, witness: Any, columns: Any = None) -> Any:
    model = build.mechanism_model(columns) if columns else {"worlds": WORLDS, "functions": []}
    stated = {"class": kind} if priors is None else {"class": kind, "priors": priors}
    t = [2] if columns else [2, 3]
    said: Any = {"verdict": "violated", "one_run": "2"} if columns else {"one_run": None}
    relation = between({"s": [0, 1], "t": t}, [["s", "t"]], stated)
    return draft("composable", model, relation, witness, **said)


@pytest.mark.parametrize(
    ("couplings", "outcome"),
    [
        ([*ALONE, MADE], "accepted"),
        ([*ALONE, [[0, 2, "1/3"], [1, 3, "1/3"], [1, 3, "1/3"]]], "accepted"),
        (ALONE, "refused"),
        ([*ALONE, MADE, MADE], "refused"),
        ([*ALONE, []], "rejected"),
        ([MADE, *ALONE], "rejected"),
        ([*ALONE, MADE[:1]], "rejected"),
        ([*ALONE, [[0, 2, "1/3"], [1, 2, "2/3"]]], "rejected"),  # b and c are not compared
        ([*ALONE, [[2, 0, "1/3"], [3, 1, "2/3"]]], "rejected"),
        ([*ALONE, [[0, 2, "1/2"], [1, 3, "1/2"]]], "rejected"),
        ([*ALONE, [[0, 2, "1/3"], [1, 3, "1"], [1, 3, "-1/3"]]], "rejected"),
        ([*ALONE, [[0, 2, "1/3"], [1, 3, "2/3"], [0, 2, "0"]]], "rejected"),
        ([*ALONE, [[0, 2]]], "refused"),
    ],
)
def test_couplings(build: Any, couplings: Any, outcome: str) -> None:
    witness = {"couplings": couplings}
    document = made(build, "list", [FIRST, SECOND, BOTH], witness)
    assert check(document).outcome == outcome, check(document)


def test_without_them_more_is_to_be_compared(build: Any) -> None:
    assert check(made(build, "list", [FIRST, SECOND, BOTH], None)).outcome == "rejected"
    assert check(made(build, "list", [FIRST, SECOND], None)).outcome == "accepted"


def test_couplings_are_of_given_priors(build: Any) -> None:
    for kind in ("any", "all", "product"):
        document = made(build, kind, None, {"couplings": []})
        assert check(document).outcome != "accepted"
    assert check(made(build, "list", [FIRST], {"couplings": ALONE[:1], "more": 0})).outcome == (
        "refused"
    )


def test_couplings_of_mixtures(build: Any) -> None:
    """Of a and of b alone mixtures with a third prior, of c, come near: these are compared. Where
    both priors allow both secrets, mixtures do not come near the first of s and the other of t."""
    a, b, c = ["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "1", "0"]
    halves = ["1/2", "1/2", "0", "0"]
    each = {"couplings": [[[0, 2, "1"]], [[1, 2, "1"]], [[0, 2, "1/2"], [1, 2, "1/2"]]]}
    assert check(made(build, "hull", [a, b, halves, c], each)).outcome == "accepted"
    short = {"couplings": each["couplings"][:2]}
    assert check(made(build, "hull", [a, b, c], short)).outcome == "accepted"
    assert check(made(build, "hull", [a, b, c], None)).outcome == "accepted"
    assert check(made(build, "hull", [a, b, halves, c], short)).outcome == "refused"
    across = [*ALONE[:1], [[0, 3, "1"]], [[1, 2, "1"]], *ALONE[1:]]
    assert check(made(build, "hull", [FIRST, SECOND], {"couplings": across})).outcome == "rejected"


# yes: given s under HALVES on average 1/2 against 1/4, as 1/8 against 1/4 in a: 2. Twice yes: up to
# 25/64 against 1/16, with the half of each prior (5 + 3·49)/512 against 1/16: more than 4.
HALVES = ["1/2", "1/2", "0"]
ONE = ["1/3", "0", "2/3"]
TABLE = {"a": ["1/8", "7/8"], "b": ["7/8", "1/8"], "c": ["1/4", "3/4"]}


@pytest.mark.parametrize(
    ("prior", "outcome"),
    [
        (["1/2", "1/2"], "accepted"),
        (["99/100", "1/100"], "accepted"),
        (["1", "0"], "rejected"),  # does not allow t
        (["0", "1"], "rejected"),  # composes
        (["1/100", "99/100"], "rejected"),
        (["1/2", "1/3"], "rejected"),
        (["3/2", "-1/2"], "rejected"),
        (["1"], "rejected"),
        (0, "rejected"),
        (1, "rejected"),
        ("1/2", "refused"),
    ],
)
def test_mixtures_that_do_not_compose(build: Any, prior: Any, outcome: str) -> None:
    witness = {"prior": prior, "pair": ["t", "s"], "outputs": [0, 0]}
    document = made(build, "hull", [HALVES, ONE], witness, TABLE)
    assert check(document).outcome == outcome, check(document)
    listed = made(build, "list", [HALVES, ONE], witness, TABLE)
    assert check(listed).outcome != "accepted"

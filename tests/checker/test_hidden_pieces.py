"""Certificates of kind pieces about hidden records and entries, and siblings broken by hand.

Of three bits that stay with probability p the one in the middle is told by its neighbours: a factor
of p/(1 - p) each above 1/2, and of its inverse below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.test_pieces import EXAMPLE, Json, broken, pieces, shown, written

STEPS = "{0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}"
PRIORS = {
    "chain": f"{{list: [{{markov: {{initial: stationary, transition: {STEPS}}}}}]}}",
    "moving": f"{{list: [{{markov: {{initial: {{0: p**2, 1: 1-p**2}}, transition: {STEPS}}}}}]}}",
    "tree": "{list: [{tree: {parents: {r2: r1, r3: r1}, initial: {0: p, 1: 1-p}, transition: "
    f"{STEPS}}}}}]}}",
    "intervals": "{markov: {initial: stationary, transition: "
    "{0: {0: [0, 1], 1: [p/2, 2/3]}, 1: {0: [1/4, p], 1: [0, 1]}}}}",
    "worlds": '{list: [{weight: "(p if r1 == r2 else 1-p) * (p if r2 == r3 else 1-p)"}]}',
}


ENDING = f"{{list: [{{markov: {{initial: {{0: 1/3, 1: 2/3}}, transition: {STEPS}}}}}]}}"


@cache
def made(priors: str, domain: str = "1/3 < p < 1") -> Json:
    """The certificate of a file."""
    text = f"""
parameters: {{p: {domain}}}
worlds: {{records: 3, domain: [0, 1]}}
pairs: values
priors: {PRIORS.get(priors, ENDING)}
checks: [{{influence: {{entries: 1, exp_epsilon: 4}}}}]
"""
    with TemporaryDirectory() as folder:
        (found,) = written(text, Path(folder))
    return found


def witness(document: Json, at: int) -> Any:
    return shown(document)[at]["witness"]


@pytest.mark.parametrize("name", PRIORS)
def test_they_are_accepted(name: str) -> None:
    document = made(name)
    assert check(document).outcome == "accepted"
    kind = "influence" if name == "worlds" else "quilts"
    assert document["question"]["relation"]["kind"] == kind
    for at, piece in enumerate(pieces(document)):

        def larger(d: Json, at: int = at) -> None:
            pieces(d)[at]["leakage"] = {"exp_epsilon": "1000"}

        def least(d: Json, at: int = at) -> None:
            pieces(d)[at]["leakage"] = {"exp_epsilon": "1"}

        assert broken(larger, document) == "rejected"
        is_one = piece["leakage"] == {"exp_epsilon": "1"}
        assert broken(least, document) == ("accepted" if is_one else "rejected")


def without(key: str) -> Callable[[Json], None]:
    def edit(document: Json) -> None:
        witness(document, 0)[key] = None

    return edit


def wider(document: Json) -> None:
    """What is right above 1/2 is said of all values, for some of which it is below 1."""
    last = len(pieces(document)) - 1
    for listed in (pieces(document), shown(document)):
        del listed[:last]
    pieces(document)[0]["from"] = document["question"]["relation"]["from"]


EDITS: dict[str, tuple[Callable[[Json], object], str]] = {
    "nothing to hide": (without("upper"), "refused"),
    "no worst comparison": (without("worst"), "rejected"),
    "the record shown": (lambda d: witness(d, 0)["upper"].__setitem__(2, [[0, 0]]), "rejected"),
    "too many hidden": (lambda d: witness(d, 0)["upper"].__setitem__(2, [[0, 1]]), "refused"),
    "fewer comparisons": (lambda d: witness(d, 0)["upper"].pop(), "refused"),
    "one at an end is worst": (lambda d: witness(d, 0).update(worst=0), "rejected"),
    "another number of entries": (
        lambda d: d["question"]["relation"]["cells"][0].update(hidden=2),
        "rejected",
    ),
    "all values alike": (wider, "rejected"),
    "a chain that is none": (
        lambda d: d["question"]["relation"]["cells"][0]["priors"]["chains"][0].update(
            initial=["p", "p"]
        ),
        "rejected",
    ),
    "nobody": (lambda d: d["question"]["model"]["cells"][0].pop("people"), "refused"),
    "somebody less": (lambda d: d["question"]["model"]["cells"][0]["people"].pop(), "refused"),
    "people of all cells": (lambda d: d["question"]["model"].update(people=["ann"]), "refused"),
}


@pytest.mark.parametrize("name", EDITS)
def test_siblings(name: str) -> None:
    edit, outcome = EDITS[name]
    assert broken(edit, made("chain")) == outcome


def test_people_in_other_kinds() -> None:
    assert broken(lambda d: d["question"]["model"].update(people=["ann"])) == "refused"
    assert check(EXAMPLE).outcome == "accepted"


def test_everything_is_told_at_an_end() -> None:
    """At p = 1 all records are equal."""
    document = made("ending", "1/2 < p <= 1")
    assert check(document).outcome == "accepted"
    assert pieces(document)[-1]["leakage"] == {"infinite": True}
    before = dict(pieces(document)[-2])

    def infinite(d: Json) -> None:
        pieces(d)[-2].update(leakage={"infinite": True})
        shown(d)[-2] = shown(d)[-1]

    assert broken(infinite, document) == "rejected"
    assert "infinite" not in before["leakage"]


def test_intervals_of_records_with_more_values() -> None:
    def three(document: Json) -> None:
        document["question"]["model"].update(worlds=list("012"), records=[[0], [1], [2]])

    assert broken(three, made("intervals")) == "rejected"

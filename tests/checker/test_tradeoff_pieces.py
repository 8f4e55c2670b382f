"""Certificates of kind pieces with trade-offs: a bit told with p exceeds 2 times the other one by
3p − 2."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.checker.drafts import check
from tests.checker.test_pieces import Json, broken, pieces, shown, written
from tests.loops import each

BIT = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
priors: {list: [{worlds: {0: 1/2, 1: 1/2}}]}
checks:
  - differential_privacy: {exp_epsilon: 3, tradeoff: [2]}
  - distributional_privacy: {exp_epsilon: 3, tradeoff: [2]}
"""


@cache
def made() -> list[Json]:
    """The certificates of both checks."""
    with TemporaryDirectory() as folder:
        return written(BIT, Path(folder))


def traded(delta: str, *levels: str) -> Callable[[Any], object]:
    """The last piece, where 3p − 2 is above 0, says another trade-off."""
    points = [[level, delta] for level in levels]
    return lambda document: pieces(document)[-1].update(tradeoff=points)


def without(document: Any) -> None:
    """Of the last piece no trade-off is told."""
    del pieces(document)[-1]["tradeoff"]


def not_asked(document: Any) -> None:
    """The trade-off is told, and nobody has asked for it."""
    del document["question"]["tradeoff"]


def of_all(document: Any) -> None:
    """It stands beside the pieces."""
    document["answer"]["tradeoff"] = [["2", "0"]]


EDITS: dict[str, tuple[Callable[[Any], object], str]] = {
    "the same": (traded("3*p - 2", "2"), "accepted"),
    "the same level": (traded("3*p - 2", "4/2"), "accepted"),
    "less": (traded("2*p - 1", "2"), "rejected"),
    "more": (traded("p", "2"), "rejected"),
    "another level": (traded("4*p - 3", "3"), "refused"),
    "a level that is the same at one value": (traded("3*p - 2", "8*p/3"), "refused"),
    "two levels": (traded("3*p - 2", "2", "2"), "refused"),
    "no level": (traded("0"), "refused"),
    "no trade-off": (without, "refused"),
    "not asked": (not_asked, "refused"),
    "of all pieces": (of_all, "refused"),
}


@each("name", EDITS)
def test_siblings(name: str) -> None:
    edit, outcome = EDITS[name]
    assert broken(edit, made()[0]) == outcome


def test_simulators() -> None:
    """A coin is exceeded by 2·(1 − p) − 1/2 at most: each piece has a proof of its own."""
    (accepted, found) = made()
    assert check(accepted).outcome == "accepted"
    assert check(found).outcome == "accepted"
    assert pieces(found)[-1]["tradeoff"] == [["2", "(-3 + 4*p)/2"]]
    assert broken(traded("(-1 + 2*p)/2", "2"), found) == "rejected"
    assert broken(traded("0", "2"), found) == "rejected"
    assert broken(lambda d: shown(d)[-1]["witness"].pop("tradeoff"), found) == "refused"

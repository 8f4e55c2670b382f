"""Certificates of kind pieces about records that follow trees, and siblings broken by hand.

Two of Ann's children are equal to her with probability p and tell so with 3/4: by each she has the
odds (1 + 2p)/(3 - 2p) above 1/2, and by her own answer 3. With three values, of which each is kept
with probability p and told with 1/2, she has 2 by her own answer, and (1 + p)/(5 - p)·2 above 1/3.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.outcomes import siblings
from tests.checker.test_pieces import Json, broken, pieces, shown, written

TWO = "{0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}"
THREE = "".join(
    f"{a}: {{{', '.join(f'{b}: ' + ('p' if a == b else '(1-p)/2') for b in range(3))}}}, "
    for a in range(3)
)
TREE = "parents: {r2: r1, r3: r1}, initial: stationary"


INTERVALS = "{0: {0: [0, 1], 1: [p/4, 1/3]}, 1: {0: [p/5, p/2], 1: [0, 1]}}"
CHAINS = f"{{markov: {{initial: stationary, transition: {INTERVALS}}}}}"


@cache
def made(
    values: int = 2, domain: str = "1/3 < p < 1", truth: str = "3/4", priors: str = ""
) -> Json:
    """The certificate of a family, or of other priors."""
    family = f"{TREE}, transition: {TWO if values == 2 else f'{{{THREE}}}'}"
    text = f"""
parameters: {{p: {domain}}}
worlds: {{records: 3, domain: [{", ".join(map(str, range(values)))}]}}
pairs: values
priors: {priors or f"{{list: [{{tree: {{{family}}}}}]}}"}
mechanism: {{local: {{randomized_response: {{truth: {truth}}}}}}}
checks: [{{pufferfish: {{exp_epsilon: 12}}}}]
"""
    with TemporaryDirectory() as folder:
        (found,) = written(text, Path(folder))
    return found


@pytest.mark.parametrize(
    ("values", "domain", "truth"),
    [(2, "1/3 < p < 1", "3/4"), (3, "1/3 < p < 1", "1/2"), (2, "1/2 <= p < 1", "p")],
)
def test_they_are_accepted(values: int, domain: str, truth: str) -> None:
    document = made(values, domain, truth)
    assert check(document).outcome == "accepted"
    assert document["question"]["relation"]["kind"] == "network"
    for at, piece in enumerate(pieces(document)):

        def said(leakage: str, at: int = at) -> Callable[[Json], None]:
            return lambda d: pieces(d)[at].update(leakage={"exp_epsilon": leakage})

        assert broken(said("1000"), document) == "rejected"
        is_one = piece["leakage"] == {"exp_epsilon": "1"}
        assert broken(said("1"), document) == ("accepted" if is_one else "rejected")


def worst(document: Json, at: int = -1) -> Any:
    return shown(document)[at]["witness"]["worst"]


def tree(document: Json) -> Any:
    return document["question"]["relation"]["cells"][0]["priors"]["trees"][0]


test_siblings = siblings(
    (made, "rejected", "witness.pieces.-1.witness.worst", None),
    (made, "rejected", "witness.pieces.-1.witness.worst.record", 1),
    (made, "rejected", "witness.pieces.-1.witness.worst.outputs", [0, 0, 1]),
    (made, "refused", "witness.pieces.-1.witness.worst.record", 3),
    (made, "refused", "witness.pieces.-1.witness.bits", 9),
    (made, "accepted", "", lambda d: tree(d).update(initial=["p", "1 - p"])),
    (made, "rejected", "", lambda d: tree(d)["transitions"][0].__setitem__(0, ["1 - p", "p"])),
    (made, "rejected", "", lambda d: tree(d).update(initial=["p", "p"])),
    (made, "rejected", "answer.pieces.-1.verdict", "holds"),
    (made, "rejected", "answer.pieces.-1.leakage", {"infinite": True}, {"at_most": "11"}),
    (made, "rejected", "answer.pieces.-1.leakage", {"at_least": "12"}),
    (made, "accepted", "answer.pieces.-1.leakage", {"at_least": "(1195 + 6*p)/100"}, None),
)


def intervals(document: Json) -> Any:
    return document["question"]["relation"]["cells"][0]["priors"]


INTERVAL_EDITS: dict[str, tuple[Callable[[Json], object], str]] = {
    "nothing": (lambda d: None, "accepted"),
    "less change": (
        lambda d: intervals(d)["transition"][0].__setitem__(1, ["p/5", "1/3"]),
        "rejected",
    ),
    "more change": (
        lambda d: intervals(d)["transition"][0].__setitem__(1, ["p/3", "1/3"]),
        "rejected",
    ),
    "other upper ends": (
        lambda d: intervals(d)["transition"][0].__setitem__(1, ["p/4", "2/5"]),
        "accepted",
    ),
    "more often another value": (
        lambda d: intervals(d)["transition"][0].__setitem__(1, ["p/4", "1"]),
        "rejected",
    ),
    "another beginning": (lambda d: intervals(d).update(initial=[["1", "1"]] * 2), "refused"),
    "another class": (lambda d: intervals(d).update({"class": "chains"}), "refused"),
    "a list": (lambda d: intervals(d).update(trees=[]), "refused"),
}


@pytest.mark.parametrize("name", INTERVAL_EDITS)
def test_intervals(name: str) -> None:
    """Who changes least tells most: with p/4 and p/5."""
    edit, outcome = INTERVAL_EDITS[name]
    assert broken(edit, made(priors=CHAINS)) == outcome


@cache
def of_line() -> Json:
    """45 people in a line, each equal to the next one with probability p: at level 12 the odds of
    those far inside are 12 at p = 11/15 and above."""
    text = f"""
parameters: {{p: 1/2 < p < 1}}
worlds: {{records: 45, domain: [0, 1]}}
pairs: values
priors: {{list: [{{markov: {{initial: stationary, transition: {TWO}}}}}]}}
mechanism: {{local: {{randomized_response: {{truth: 3/4}}}}}}
checks: [{{pufferfish: {{exp_epsilon: 12}}}}]
"""
    with TemporaryDirectory() as folder:
        (found,) = written(text, Path(folder))
    return found


test_a_long_line = siblings(
    (of_line, "rejected", "witness.pieces.0.witness.reach", 5),
    (of_line, "refused", "witness.pieces.0.witness.reach", 0),
    (of_line, "rejected", "answer.pieces.0.leakage", {"at_most": "11"}),
    (of_line, "rejected", "", lambda d: worst(d).update(outputs=[-1] * 45)),
    (of_line, "accepted", "", lambda d: worst(d).update(outputs=[worst(d)["pair"][0][0]] * 45)),
    (of_line, "rejected", "", lambda d: worst(d).update(outputs=[worst(d)["pair"][1][0]] * 45)),
)


def test_no_tree() -> None:
    def none(document: Json) -> None:
        document["question"]["relation"]["cells"][0]["priors"]["trees"] = []

    assert broken(none, made()) == "refused"


def test_cones_of_functions() -> None:
    """With three values all vectors are kept, as these are functions."""
    document = made(3, "1/3 < p < 1", "1/2")
    assert check(document).outcome == "accepted"

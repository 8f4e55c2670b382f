"""Certificates of kind pieces about the form inference: a level that no simulator serves itself.

A bit that is 1 with probability 1/4 is told with probability p. When told 0, 1 is left with
(1 − p)/(1 + 2p), so that (1 + 2p)/(4 − 4p) is the smallest level, and it serves.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.checker.test_pieces import broken, pieces, shown, written

BIT = """
parameters: {p: 3/5 < p < 4/5}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
priors: {list: [{worlds: {0: 3/4, 1: 1/4}}]}
checks: [{distributional_privacy: {exp_epsilon: LEVEL, form: inference}}]
"""
SMALLEST = "(1 + 2*p)/(4 - 4*p)"


def refuted(document: Any, stated: str) -> None:
    """All pieces are violated, by their conflicts."""
    document["answer"].update(verdict="violated", region=[])
    for piece, evidence in zip(pieces(document), shown(document), strict=True):
        piece.update(verdict="violated", leakage={"at_least": stated})
        evidence["witness"]["simulator"] = None


@pytest.mark.parametrize(
    ("level", "stated", "outcome"),
    [
        ("11/10", "11/10", "accepted"),  # that of p = 17/32, below the domain
        ("11/10", "21/20", "rejected"),  # which leaves the level open
        (SMALLEST, SMALLEST, "rejected"),  # what is below is refuted, and it is not
        (SMALLEST, "1", "rejected"),
    ],
)
def test_a_level_at_the_end_is_refuted_itself(
    level: str, stated: str, outcome: str, tmp_path: Path
) -> None:
    (found,) = written(BIT.replace("LEVEL", level), tmp_path)
    assert broken(lambda document: refuted(document, stated), found) == outcome


@pytest.mark.parametrize("form", ["inference", "simulation"])
def test_evidence_of_an_end_that_is_not_stated(form: str, tmp_path: Path) -> None:
    """At most the smallest level for 4/5 is proved by the simulator alone, and what refutes less is
    then not read; so with at least, and the simulator."""
    (found,) = written(BIT.replace("LEVEL", "13/4").replace("inference", form), tmp_path)
    refuting = {"inference": "conflicts", "simulation": "demands"}[form]
    kept = {key: [one["witness"][key] for one in shown(found)] for key in ("simulator", refuting)}

    def one_sided(document: Any, side: str, key: str, part: Any) -> None:
        for piece, evidence in zip(pieces(document), shown(document), strict=True):
            piece.update(leakage={side: SMALLEST if side == "at_most" else "1"})
            evidence["witness"][key] = part
        if side == "at_least":
            document["answer"].update(verdict="violated", region=[])
            for piece in pieces(document):
                piece.update(verdict="violated")

    assert all(kept["simulator"]) and all(kept[refuting])
    for side, key, part, outcome in (
        ("at_most", refuting, [], "accepted"),
        ("at_most", refuting, kept[refuting][0], "refused"),
        ("at_least", "simulator", kept["simulator"][0], "refused"),
    ):
        edit = partial(one_sided, side=side, key=key, part=part)
        assert broken(edit, found) == outcome, (side, key)

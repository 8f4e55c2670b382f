"""Simulators that nothing binds: situations that are not held against each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checker.drafts import check
from tests.checker.drafts import draft as made_of

OUTPUTS = {"outputs": ["x", "y"], "values": ["0", "1"], "columns": [[0, 1], [1, 0]]}
MODEL = {"worlds": ["0", "1"], **OUTPUTS}  # the mechanism tells the world
HIDDEN = {"alt": [0, 0], "priv": [0, 1]}


def draft(prior: list[Any], kind: str, leakage: Any, witness: Any, verdict: str = "holds") -> Any:
    """A claim about a simulator that sees nothing, where which world it is is private."""
    relation = {"rule": "simulator", "views": [HIDDEN], "priors": prior, "given": None}
    level = {"exp_epsilon": "1", "delta": "0"}
    return made_of(kind, MODEL, relation, witness, verdict, level=level, leakage=leakage)


NOTHING = {
    "simulator": {"simulator": None, "demands": []},
    "inference": {"simulator": None, "conflicts": []},
}
CERTAIN = [[[0, 0, "1"]]]
EITHER = [[[0, 0, "1/2"], [1, 0, "1/2"]]]
TWO = [[[0, 0, "1"]], [[1, 0, "1"]]]


@pytest.mark.parametrize(
    "kind, prior, empty",
    [
        ("simulator", CERTAIN, True),
        ("simulator", EITHER, False),
        ("simulator", TWO, False),  # one simulator has to serve both priors
        ("inference", CERTAIN, True),
        ("inference", EITHER, False),
        ("inference", TWO, True),  # under each prior the private value is known already
    ],
)
def test_vacuous_is_said_exactly_where_nothing_is_compared(
    kind: str, prior: list[Any], empty: bool
) -> None:
    told = check(draft(prior, kind, {"vacuous": True}, NOTHING[kind]))
    assert (told.outcome == "accepted") == empty, told
    exact = check(draft(prior, kind, {"exp_epsilon": "1"}, NOTHING[kind]))
    assert exact.outcome != "accepted", exact


@pytest.mark.parametrize("part", ["simulator", "demands"])
def test_evidence_that_is_not_read_is_refused(part: str) -> None:
    other = {"simulator": [[[0], [[0, "1"]]]], "demands": [[[0, 0, 0, 0], 0, "1", "0"]]}
    witness = {**NOTHING["simulator"], part: other[part]}
    assert check(draft(CERTAIN, "simulator", {"vacuous": True}, witness)).outcome == "rejected"


def test_vacuous_never_violates() -> None:
    told = check(draft(CERTAIN, "simulator", {"vacuous": True}, NOTHING["simulator"], "violated"))
    assert told.outcome == "rejected"

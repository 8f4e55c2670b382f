"""Certificates of kind error, made by hand; broken siblings are not accepted.

A bit is told with probability 3/4 where it is a, 2/3 where it is b; a wrong one costs 1, 2 for b.
The error is 1/4 in a and 2/3 in b: 11/24 on average.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected

Json = dict[str, Any]
COLUMNS: dict[str, list[Any]] = {"a": ["3/4", "1/4"], "b": ["1/3", "2/3"]}
LOSS = [["0", "2"], ["1", "0"]]
HALF = ["1/2", "1/2"]


def made(
    value: str = "2/3", prior: Any = None, verdict: str = "holds", loss: Any = LOSS, **bound: Any
) -> Json:
    """With `equals` null where no bound is given."""
    model = mechanism_model(COLUMNS) | {"functions": loss}
    found = certificate(model, {"prior": prior}, "1", verdict)
    for key in ("level", "leakage"):
        del found["claim"][key]
    found["claim"].update(kind="error", value=value, **(bound or {"equals": None}))
    return found


def test_the_expected_loss() -> None:
    """Of the worst world, and on average."""
    for prior, value, other in ((None, "2/3", "11/24"), (HALF, "11/24", "2/3")):
        accepted(made(value, prior))
        rejected(made(other, prior), "the value is another")
        accepted(made(value, prior, equals=value))
        rejected(made(value, prior, equals=other), "the verdict must be violated")
        accepted(made(value, prior, "violated", equals=other))
        rejected(made(value, prior, "violated"), "the verdict must be holds")
    accepted(made("1/4", ["1", "0"]))


@pytest.mark.parametrize(
    ("at_most", "verdict"), [("2/3", "holds"), ("1", "holds"), ("333/500", "violated")]
)
def test_a_bound(at_most: str, verdict: str) -> None:
    accepted(made(verdict=verdict, at_most=at_most))
    other = "violated" if verdict == "holds" else "holds"
    rejected(made(verdict=other, at_most=at_most), "the verdict must be")
    assert check(made(verdict=verdict, at_most=at_most, equals=at_most)).outcome == "refused"


def test_losses_may_be_negative() -> None:
    accepted(made("-1/3", loss=[["0", "-1"], ["-2", "0"]]))


@pytest.mark.parametrize(
    "loss",
    [[], [[]], [LOSS[0]], [*LOSS, LOSS[0]], [LOSS[0], []], [LOSS[0], ["1"]], [["0"], ["1"]], None],
)
def test_there_is_a_loss_for_each_output_and_world(loss: Any) -> None:
    for value in ("0", "2/3", "1/4"):
        assert check(made(value, loss=loss)).outcome == "refused"


@pytest.mark.parametrize("prior", [[], ["1"], ["1/2", "1/3"], ["3/2", "-1/2"], ["1", "0", "0"]])
def test_a_prior_is_one_on_the_worlds(prior: Any) -> None:
    for value in ("0", "2/3", "11/24"):
        assert check(made(value, prior)).outcome != "accepted"


@pytest.mark.parametrize("witness", [{}, [], {"world": 1}, "null", 0, False])
def test_there_is_no_evidence(witness: Any) -> None:
    document = made()
    document["evidence"]["witness"] = witness
    assert check(document).outcome == "refused"


def test_nothing_is_vacuous_about_it() -> None:
    for leakage in ({"vacuous": True}, {"exp_epsilon": "1"}):
        document = made()
        document["claim"]["leakage"] = leakage
        assert check(document).outcome == "refused"
    document = made()
    document["relation"] = {"prior": None, "under": {"rule": "all"}}
    assert check(document).outcome == "refused"


def test_a_mechanism_is_needed() -> None:
    document = made()
    for key in ("outputs", "values", "columns"):
        del document["model"][key]
    assert check(document).outcome != "accepted"

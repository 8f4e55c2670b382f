"""Certificates of kind optimal, made by hand; broken siblings are not accepted.

A bit is told with 0-1 loss. Under all comparisons at level 3 the best mechanism is wrong with
probability 1/4: each share of 1/8 is paid by x_a <= 3 x_b or x_b <= 3 x_a with multiplier 1/8.
"""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import check, digest_of
from tests.checker.outcomes import GONE, accepted, rejected, siblings

Json = dict[str, Any]
LOSS = [["0", "1"], ["1", "0"]]
BEST = [["3/4", "1/4"], ["1/4", "3/4"]]
HALF = ["1/2", "1/2"]
PROOF: Json = {
    "rows": BEST,
    "prior": HALF,
    "shares": ["1/8", "1/8"],
    "inequalities": [[[0, "1"], [1, "-3"]], [[1, "1"], [0, "-3"]]],
    "multipliers": [[[0, "1/8"]], [[1, "1/8"]]],
    "use": None,
}
IDENTITY = {"answers": [["1", "0"], ["0", "1"]], "prior": HALF}


def made(
    verdict: str = "holds",
    equals: str | None = None,
    prior: Any = None,
    mechanism: Any = None,
    use: Any = None,
    value: str = "1/4",
) -> Json:
    model: Json = {"worlds": ["a", "b"]}
    if mechanism is not None:
        model = mechanism_model({w: list(p) for w, p in zip("ab", mechanism, strict=True)})
    model["functions"] = LOSS
    relation = {"under": {"rule": "all"}, "exp_epsilon": "3", "prior": prior}
    found = certificate(model, relation, "1", verdict, deepcopy(PROOF) | {"use": use})
    for key in ("level", "leakage"):
        del found["claim"][key]
    found["claim"].update(kind="optimal", value=value, equals=equals)
    return found


def test_the_smallest_loss() -> None:
    """Of the worse world, or on average."""
    for prior in (None, HALF):
        accepted(made(prior=prior))
        accepted(made(prior=prior, equals="1/4"))
        accepted(made("violated", prior=prior, equals="1/3"))
        rejected(made(prior=prior, value="1/5"), "another loss")
        rejected(made(prior=prior, value="1/3"), "prove less")
    rejected(made("violated"), "verdict")
    rejected(made(equals="1/3"), "verdict")
    rejected(made(prior=["1/3", "2/3"]))


def test_no_answers_are_no_loss() -> None:
    """Of no answers any shares would be proved."""
    document = made(prior=HALF, value="5")
    document["model"]["functions"] = []
    document["claim"]["digest"] = digest_of(document["model"])
    document["evidence"]["witness"].update(rows=[], multipliers=[], shares=["5/2", "5/2"])
    assert check(document).outcome == "refused"


@pytest.mark.parametrize(
    ("truth", "verdict", "use"),
    [
        ("3/4", "holds", IDENTITY),
        ("2/3", "violated", IDENTITY),  # wrong with probability 1/3
        ("4/5", "violated", None),  # 4/5 > 3/5
    ],
)
def test_a_mechanism(truth: str, verdict: str, use: Any) -> None:
    top, bottom = map(int, truth.split("/"))
    columns = [[truth, f"{bottom - top}/{bottom}"], [f"{bottom - top}/{bottom}", truth]]
    accepted(made(verdict, mechanism=columns, use=use))
    other = {"holds": "violated", "violated": "holds"}[verdict]
    for shown in (None, IDENTITY, {**IDENTITY, "answers": [["0", "1"], ["1", "0"]]}):
        assert check(made(other, mechanism=columns, use=shown)).outcome != "accepted"
    wrong = IDENTITY if use is None else None
    assert check(made(verdict, mechanism=columns, use=wrong)).outcome == "refused"


def test_a_use_is_read_whole_and_only_of_a_mechanism() -> None:
    assert check(made(use=IDENTITY)).outcome == "refused"
    turned = [["1/4", "3/4"], ["3/4", "1/4"]]  # read the other way round it is the best one
    back = {**IDENTITY, "answers": [["0", "1"], ["1", "0"]]}
    accepted(made(mechanism=turned, use=back))
    rejected(made("violated", mechanism=turned, use=IDENTITY), "no larger loss")
    for change in ({"prior": None}, {"prior": ["1", "1"]}, {"answers": [["1", "0"]]}):
        shown = back | change
        assert check(made(mechanism=turned, use=shown)).outcome != "accepted"
    for answers in ([["1", "1"], ["0", "0"]], [["2", "-1"], ["0", "1"]], [["1"], ["1"]]):
        shown = {**back, "answers": answers}
        assert check(made(mechanism=turned, use=shown)).outcome != "accepted"
    both = made("violated", equals="1/3", mechanism=turned, use=back)
    accepted(both)
    both["evidence"]["witness"]["use"] = None  # it is read though the value is another
    assert check(both).outcome == "refused"


test_broken_proofs = siblings(
    (made, "", "witness.rows", [["1", "0"], ["0", "1"]], [["1/2", "1/2"], ["1/2", "1/2"]]),
    (made, "", "witness.rows", [["3/4", "1/4"], ["1/2", "3/4"]], [["5/4", "1/4"], ["-1/4", "3/4"]]),
    (made, "", "witness.rows", [["1", "1"]], []),
    (made, "", "witness.prior", ["1", "0"], ["3/2", "-1/2"], None),
    (made, "", "witness.shares", ["1/8", "1/16"], ["1/4"], []),
    (made, "", "witness.inequalities", [], [[[0, "1"], [1, "-2"]], [[1, "1"], [0, "-3"]]]),
    (made, "", "witness.inequalities", [[[0, "1"]], [[1, "1"]]]),
    (made, "", "witness.inequalities.0+", [0, "1"], [2, "0"]),
    (made, "", "witness.inequalities.0", [[False, "1"], [True, "-3"]], [[0.0, "1"], [1.0, "-3"]]),
    (made, "", "witness.multipliers", [[], []], [[[0, "1/8"]]], [[[0, "-1/8"]], [[1, "1/8"]]]),
    (made, "", "witness.multipliers", [[[-2, "1/8"]], [[1, "1/8"]]], [[[0, "1/4"]], [[1, "1/4"]]]),
    (made, "", "witness.use", GONE),
    (made, "", "witness.more", None),
)


def test_inequalities_may_be_scaled() -> None:
    document = made()
    document["evidence"]["witness"]["inequalities"][0] = [[0, "1/3"], [1, "-1"], [1, "0"]][:2]
    document["evidence"]["witness"]["multipliers"][0] = [[0, "1/8"], [0, "1/4"]]
    accepted(document)  # together 3/8 of a third


def test_distances_are_powers_that_are_not_too_long() -> None:
    """At distance 2, x_a <= 9 x_b: one in ten is wrong."""
    document = made(value="1/10")
    both = {"1": [[1], []], "2": [[], [0]]}
    document["relation"]["under"] = {"rule": "pairs", "distances": {"2": [[1], [0]]}}
    document["evidence"]["witness"].update(
        rows=[["9/10", "1/10"], ["1/10", "9/10"]],
        shares=["1/20", "1/20"],
        inequalities=[[[0, "1"], [1, "-9"]], [[1, "1"], [0, "-9"]]],
        multipliers=[[[0, "1/20"]], [[1, "1/20"]]],
    )
    accepted(document)
    document["relation"]["under"]["distances"] = both
    assert check(document).outcome == "rejected"
    for distance in ("50001", "10000000", "1" + 1000 * "0"):
        document["relation"]["under"]["distances"] = {distance: [[1], []]}
        assert "too long" in check(document).reason
    document["relation"]["under"]["distances"] = {"1/2": [[1], []]}
    assert "whole number" in check(document).reason


def test_nothing_asked_is_vacuous() -> None:
    """Without comparisons the bit may be told; that nothing was compared is to be said."""
    document = made(value="0")
    document["relation"]["under"] = {"rule": "pairs", "distances": {}}
    document["evidence"]["witness"] = {
        "rows": [["1", "0"], ["0", "1"]],
        "prior": HALF,
        "shares": ["0", "0"],
        "inequalities": [],
        "multipliers": [[], []],
        "use": None,
    }
    assert check(document).outcome == "refused"
    document["claim"]["leakage"] = {"vacuous": True}
    accepted(document)
    compared = made()
    compared["claim"]["leakage"] = {"vacuous": True}
    assert check(compared).outcome == "refused"


def test_the_model_is_one_of_losses() -> None:
    for functions in ([], [["0"]], [["0", "1"]], "01", [["0", "1"], ["1", "0"], ["0", "0"]]):
        document = made()
        document["model"]["functions"] = functions
        document["claim"]["digest"] = digest_of(document["model"])
        assert check(document).outcome != "accepted"


def nothing_asked(value: str) -> Json:
    document = made(value=value)
    document["relation"]["under"] = {"rule": "pairs", "distances": {}}
    document["claim"]["leakage"] = {"vacuous": True}
    document["evidence"]["witness"] |= {
        "rows": [["1", "0"], ["0", "1"]],
        "shares": ["0", value],
        "inequalities": [],
        "multipliers": [[], []],
    }
    return document


def test_rows_are_distributions_in_every_world() -> None:
    """Rows of 0 lose nothing, and negative ones less than that."""
    document = made(value="0")
    for rows in ([["0", "0"], ["0", "0"]], [["1", "1"], ["1", "1"]]):
        document["evidence"]["witness"]["rows"] = rows
        rejected(document, "no mechanism")
    document = made()
    document["evidence"]["witness"]["rows"] = [["3/4", "0"], ["1/4", "0"]]
    rejected(document, "no mechanism")
    document["evidence"]["witness"]["rows"] = [["1", "1"], ["0", "0"]]
    rejected(document, "another loss")  # always 1 in the second world
    document["evidence"]["witness"]["rows"] = [["1", "0"], ["0", "1"], ["0", "0"]]
    assert check(document).outcome == "refused"
    accepted(nothing_asked("0"))
    document = nothing_asked("-1")
    document["evidence"]["witness"]["rows"] = [["2", "-1"], ["-1", "2"]]
    rejected(document, "no mechanism")
    longer = nothing_asked("0")
    for rows in ([["1", "0", "1"], ["0", "1", "0"]], [["1", "0", "1"], ["0", "1"]]):
        longer["evidence"]["witness"]["rows"] = rows
        assert check(longer).outcome == "refused"
    longer = made()
    longer["evidence"]["witness"]["rows"] = [["1", "0", "1"], ["0", "1"]]
    assert check(longer).outcome == "refused"


@pytest.mark.parametrize(
    "answers",
    [
        [["0", "0"], ["0", "0"]],
        [["2", "-1"], ["-1", "2"]],
        [["1", "0"], ["0", "0"]],
        [["1"], ["0"]],
        [["1"], ["1"]],
        [["1", "0", "0"], ["0", "1", "0"]],
        [["1", "0"]],
        [["1", "0"], ["0", "1"], ["1", "0"]],
        [["1", "0"], []],
    ],
)
def test_answers_are_distributions(answers: Any) -> None:
    """Wrong with 1/3; 2 minus 1 times the rows would always be right, and no answer never wrong."""
    columns = [["2/3", "1/3"], ["1/3", "2/3"]]
    document = made("holds", mechanism=columns, use={**IDENTITY, "answers": answers})
    assert check(document).outcome == "refused", check(document)


def test_only_some_use_is_rejected() -> None:
    columns = [["2/3", "1/3"], ["1/3", "2/3"]]
    other = {"answers": IDENTITY["answers"], "prior": ["1/3", "2/3"]}
    accepted(made("violated", mechanism=columns, use=other))
    rejected(made("violated", prior=HALF, mechanism=columns, use=other), "another prior")
    accepted(made("violated", prior=HALF, mechanism=columns, use=IDENTITY))
    rejected(made("violated", mechanism=columns, use={**IDENTITY, "prior": ["1", "0"]}), "larger")
    assert check(made("violated", mechanism=columns, use={**IDENTITY, "x": 1})).outcome == "refused"
    best = [["3/4", "1/4"], ["1/4", "3/4"]]
    turned = {**IDENTITY, "answers": [["0", "1"], ["1", "0"]]}
    rejected(made("violated", mechanism=best, use=turned), "no larger loss")  # it is as large


def test_claims_and_parts_have_their_keys_alone() -> None:
    for part in ("claim", "relation"):
        document = made()
        document[part]["more"] = "1"
        assert check(document).outcome == "refused", part
    document = made()
    document["relation"]["exp_epsilon"] = "1/2"
    assert "at least 1" in check(document).reason
    document = made()
    document["evidence"]["witness"]["multipliers"][0] = [[0, "1/4"], [0, "-1/8"]]
    rejected(document, "negative")
    document["evidence"]["witness"]["multipliers"][0] = [[0, "1/8"], [2, "0"]]
    assert check(document).outcome == "refused"
    document = made()
    document["evidence"]["witness"].update(inequalities=[[[0, "1"]], [[1, "1"]]])
    rejected(document, "another inequality")
    document["evidence"]["witness"].update(inequalities=[[[0, "1"], [0, "-3"]]])
    assert "twice" in check(document).reason


@pytest.mark.parametrize(
    "prior", [["3/2", "-1/2"], ["1/4", "1/4"], ["1/2", "1/2", "0"], ["1", "1"], ["1"]]
)
def test_a_prior_is_a_distribution(prior: list[str]) -> None:
    for document in (made(), made(prior=prior)):
        document["evidence"]["witness"]["prior"] = prior
        rejected(document, "no distribution")


def test_secrets_are_compared_world_by_world_or_on_average() -> None:
    about: Json = {"rule": "secrets", "secrets": {"s": [0], "t": [1]}, "pairs": [["s", "t"]]}
    given = {"s": ["1", "0"], "t": ["0", "1"]}
    for priors in (
        {"class": "all"},
        {"class": "list", "priors": [["1/3", "2/3"]]},
        {"class": "conditionals", "priors": [given]},
    ):
        document = made()
        document["relation"]["under"] = {**about, "priors": priors}
        accepted(document)


def test_at_level_1_nothing_is_told() -> None:
    document = made(value="1/2")
    document["relation"]["exp_epsilon"] = "1"
    document["evidence"]["witness"].update(
        rows=[HALF, HALF],
        shares=["1/4", "1/4"],
        inequalities=[[[0, "1"], [1, "-1"]], [[1, "1"], [0, "-1"]]],
        multipliers=[[[0, "1/4"]], [[1, "1/4"]]],
    )
    accepted(document)


def test_one_world_alone_is_compared_with_nothing() -> None:
    document = made(value="0")
    document["model"] = {"worlds": ["a"], "functions": [["0"]]}
    document["claim"]["digest"] = digest_of(document["model"])
    document["evidence"]["witness"] |= {
        "rows": [["1"]],
        "prior": ["1"],
        "shares": ["0"],
        "inequalities": [],
        "multipliers": [[]],
    }
    assert check(document).outcome == "refused"
    document["claim"]["leakage"] = {"vacuous": True}
    accepted(document)


TOLD = [["e/(1 + e)", "1/(1 + e)"], ["1/(1 + e)", "e/(1 + e)"]]


def with_e(**parts: Any) -> Json:
    """The same at the level e: the best mechanism is wrong with probability 1/(1 + e)."""
    found = made(value="1/(1 + e)")
    found["relation"]["exp_epsilon"] = "e"
    found["evidence"]["witness"] |= {
        "rows": TOLD,
        "shares": ["1/(2 + 2*e)", "1/(2 + 2*e)"],
        "inequalities": [[[0, "1"], [1, "-e"]], [[1, "1"], [0, "-e"]]],
        "multipliers": [[[0, "1/(2 + 2*e)"]], [[1, "1/(2 + 2*e)"]]],
        **parts,
    }
    return found


def test_the_smallest_loss_with_powers_of_e() -> None:
    accepted(with_e())
    accepted(
        with_e(
            inequalities=[[[0, "e"], [1, "-e^2"]], [[1, "1"], [0, "-e"]]],
            multipliers=[[[0, "1/(2*e + 2*e^2)"]], [[1, "1/(2 + 2*e)"]]],
        )
    )
    rejected(
        with_e(inequalities=[[[0, "1"], [1, "-3"]], [[1, "1"], [0, "-e"]]]), "another inequality"
    )
    rejected(with_e(rows=[["3/4", "1/4"], ["1/4", "3/4"]]), "not of the definition")
    rejected(with_e(rows=[["7/10", "3/10"], ["3/10", "7/10"]]), "another loss")
    rejected(with_e(shares=["1/(2 + 2*e - e^(-60))", "1/(2 + 2*e)"]), "do not prove")
    rejected(with_e(multipliers=[[[0, "-1/(2 + 2*e)"]], [[1, "1/(2 + 2*e)"]]]), "negative")
    rejected(with_e(prior=["1/(1 + e)", "e/(1 + e)"]), "do not prove")


def test_a_mechanism_with_powers_of_e_and_the_smallest_loss() -> None:
    found = with_e(use=IDENTITY)
    found["model"] = mechanism_model({w: list(p) for w, p in zip("ab", TOLD, strict=True)})
    found["model"]["functions"] = LOSS
    found["claim"]["digest"] = digest_of(found["model"])
    accepted(found)
    found["claim"]["equals"] = "1/(1 + e)"
    accepted(found)


def best_made(rows: list[list[str]], weights: Any, value: str) -> Json:
    """The best mixture of post-processings of a mechanism that is right with probability 3/4."""
    found = made(value=value)
    table = mechanism_model({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
    keys = ("outputs", "values", "columns")
    found["model"] = {
        "worlds": ["a", "b"],
        "functions": LOSS,
        "given": [{"name": "told", **{key: table[key] for key in keys}}],
    }
    found["relation"].update(under={"rule": "post_processing"}, exp_epsilon=None)
    found["evidence"]["witness"] = {"rows": rows, "prior": HALF, "weights": weights}
    found["claim"]["digest"] = digest_of(found["model"])
    return found


@pytest.mark.parametrize(("share", "value"), [("0", "0"), ("1/2", "1/8"), ("2", "1/4")])
def test_what_is_made_of_nothing_is_no_mechanism(share: str, value: str) -> None:
    """Rows that are used less than once lose less; the prior proves no more than 1/4."""
    accepted(best_made(BEST, [[[0, 0, "1"]], [[0, 1, "1"]]], "1/4"))
    rows = [[str(Fraction(share) * Fraction(p)) for p in row] for row in BEST]
    used = [[[0, 0, share]], [[0, 1, share]]] if share != "0" else [[], []]
    rejected(best_made(rows, used, value), "no mechanism")

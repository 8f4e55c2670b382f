"""Certificates that priors with unknown distributions imply comparisons, made by hand; what no
prior asks is rejected."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.checker.conftest import listed, mechanism_model
from tests.checker.drafts import between, check, digest_of
from tests.checker.outcomes import with_parts
from tests.checker.test_implies import certificate
from verifier.checker import Verdict

Json = dict[str, Any]
Change = Callable[[Json], None]

# Two bits, the second only with the first: the worlds 00, 10 and 11. Attackers compare the values
# of either; the variables are the weights of 0 and of 1, of the first bit and then of the second.
RECORDS = [[0, 0], [1, 0], [1, 1]]
SECRETS = {"a": [0], "A": [1, 2], "b": [0, 1], "B": [2]}
FIRST = between(SECRETS, [["a", "A"], ["b", "B"]], {"class": "product"})
ENDS = listed(3, (0, 2), (2, 0))
ONES = ["1", "1", "1", "1"]
COLUMNS = {"00": ["2/3", "1/3"], "10": ["1/3", "2/3"], "11": ["1/3", "2/3"]}


def ends(level: str = "2") -> Json:
    """If the second bit is rarely 0, then 11 is what remains of the first being 1."""
    evidence = {
        "worst": {"pair": [0, 2], "output": 0},
        "priors": [
            {"pair": ["a", "A"], "point": ONES, "powers": [0, 0, 1, 0]},
            {"pair": ["A", "a"], "point": ONES, "powers": [0, 0, 1, 0]},
        ],
        "meets": {"exp_epsilon": "2", "upper": []},
        "inequalities": [[[0, "1"], [2, "-2"]], [[0, "-2"], [2, "1"]]],
        "proofs": [
            {"inequality": [[0, "1"], [2, "-2"]], "multipliers": [[0, "1"]]},
            {"inequality": [[2, "1"], [0, "-2"]], "multipliers": [[1, "1"]]},
        ],
    }
    verdict = "holds" if level == "2" else "violated"
    levels = ("2", level)
    made = certificate(COLUMNS, FIRST, ENDS, evidence, {"exp_epsilon": "2"}, verdict, levels)
    made["model"] |= {"records": RECORDS, "entries_per_record": 1}
    return made


def averages() -> Json:
    """A prior, by which 10 and 11 are as likely, asks for their average; so does the list."""
    made = ends()
    witness = made["evidence"]["witness"]
    for one in witness["priors"]:
        one["powers"] = [0, 0, 0, 0]
    there, back = [[0, "1"], [1, "-1"], [2, "-1"]], [[0, "-2"], [1, "1/2"], [2, "1/2"]]
    witness["worst"] = {"prior": 0, "pair": ["a", "A"], "output": 0}
    witness["inequalities"] = [there, back]
    witness["proofs"] = [
        {"inequality": there, "multipliers": [[0, "1"]]},
        {"inequality": back, "multipliers": [[1, "1"]]},
    ]
    made["relation"]["then"] = {
        **FIRST,
        "pairs": [["a", "A"]],
        "priors": {"class": "list", "priors": [["1/2", "1/4", "1/4"]]},
    }
    return made


def nothing_known() -> Json:
    """The mechanism needs 2; what is enough is not said."""
    made = ends("3/2")
    made["claim"]["leakage"] = None
    made["evidence"]["witness"].update(inequalities=[], proofs=[], priors=[])
    return made


def infinite() -> Json:
    """Only the first bit is a secret, and one prior is asked: 10 and 11 may be told apart."""
    made = nothing_known()
    columns = {"00": ["1/2", "1/2"], "10": ["1", "0"], "11": ["0", "1"]}
    made["model"] |= mechanism_model(columns)
    made["relation"]["then"] = listed(3, (1, 2), (2, 1))
    made["relation"]["if"] = {
        **FIRST,
        "pairs": [["a", "A"]],
        "priors": {"class": "markov", "values": [[0], [1]], **CHAIN},
    }
    made["claim"]["leakage"] = {"infinite": True}
    made["evidence"]["witness"]["worst"] = {"pair": [1, 2], "output": 0}
    return made


# of the first bit 1 the second is either as likely
CHAIN = {
    "initial": [["1/2", "1/2"], ["1/2", "1/2"]],
    "transition": [[["1", "1"], ["0", "0"]], [["1/2", "1/2"], ["1/2", "1/2"]]],
}


def vacuous() -> Json:
    made = nothing_known()
    made["relation"]["then"] = listed(3)
    made["claim"].update(leakage={"vacuous": True}, verdict="holds")
    made["evidence"]["witness"]["worst"] = None
    return made


def constant() -> Json:
    """At level 1 all that is compared is equal."""
    made = ends()
    made["relation"]["level"]["exp_epsilon"] = "1"
    made["model"] |= mechanism_model({w: ["1/2", "1/2"] for w in COLUMNS})
    made["claim"].update(leakage={"exp_epsilon": "1"})
    there, back = [[0, "1"], [2, "-1"]], [[0, "-1"], [2, "1"]]
    made["evidence"]["witness"] |= {
        "worst": None,
        "meets": {"exp_epsilon": "1", "upper": None},
        "inequalities": [there, back],
        "proofs": [
            {"inequality": there, "multipliers": [[0, "1"]]},
            {"inequality": back, "multipliers": [[1, "1"]]},
        ],
    }
    return made


def wide() -> Json:
    """A mechanism that needs 3/2 is given, and 2 is proved."""
    made = ends()
    columns = {"00": ["3/5", "2/5"], "10": ["2/5", "3/5"], "11": ["2/5", "3/5"]}
    made["model"] |= mechanism_model(columns)
    made["claim"]["leakage"] = {"lower": "3/2", "upper": "2"}
    return made


GOOD = [ends, averages, nothing_known, infinite, vacuous, constant, wide]


def verdict_on(made: Json) -> Verdict:
    made["claim"]["digest"] = digest_of(made["model"])
    return check(made)


def accepted(made: Json) -> None:
    assert verdict_on(made).outcome == "accepted", verdict_on(made)


def rejected(made: Json, words: str) -> None:
    verdict = verdict_on(made)
    assert verdict.outcome == "rejected" and words in verdict.reason, verdict


@pytest.mark.parametrize("good", GOOD)
def test_accepts(good: Callable[[], Json]) -> None:
    accepted(good())


WITNESS = "evidence__witness__"


@pytest.mark.parametrize(
    ("path", "part", "words"),
    [
        # what the priors leave: both of 10 and 11; or 10, which is another world
        ("priors__0__powers", [0, 0, 0, 0], "another inequality"),
        ("priors__0__powers", [0, 0, 0, 1], "another inequality"),
        ("priors__0__point", ["1", "1", "1", "0"], "another inequality"),
        # one that says the same twice, and none
        ("priors__1", {"pair": ["a", "A"], "point": ONES, "powers": [0, 0, 1, 0]}, "inequality"),
        ("priors", [], "another inequality"),
        ("priors__1__pair", ["b", "B"], "another inequality"),
        # a prior under which the first bit is never 0
        ("priors__0__point", ["0", "1", "1", "1"], "no prior makes possible"),
        ("proofs", [], "not proved"),
        # of which definition the mechanism is
        ("meets__exp_epsilon", "3", "not of the first definition"),
        ("meets__exp_epsilon", "199/100", "not of the first definition"),
        ("meets__exp_epsilon", "1/2", "not of the first definition"),
        ("meets", {"exp_epsilon": "3/2", "upper": None}, "not of the first definition"),
        ("worst", None, "too large"),
        ("worst", {"pair": [0, 1], "output": 0}, "no pair"),
    ],
)
def test_broken_witnesses(path: str, part: Any, words: str) -> None:
    rejected(with_parts(ends(), **{WITNESS + path: part}), words)


def test_other_weights_leave_the_same_world() -> None:
    accepted(with_parts(ends(), **{f"{WITNESS}priors__0__point": ["3", "1/7", "1", "2"]}))


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("priors__0__pair", ["a", "b"]),  # is not compared
        ("priors__0__pair", ["a", "A", "b"]),
        ("priors__0__point", ["1", "1", "1"]),
        ("priors__0__point", ["1", "1", "0", "0"]),  # no distribution
        ("priors__0__point", ["1", "1", "1", "-1"]),
        ("priors__0__powers", [0, 0, 1]),
        ("priors__0__powers", [0, 0, 1, -1]),
        ("priors__0", {"pair": ["a", "A"], "point": ONES}),
        ("meets", {"exp_epsilon": "2"}),
        ("inequalities", []),
        ("meets__exp_epsilon", 2),
    ],
)
def test_what_is_no_prior_is_refused(path: str, part: Any) -> None:
    broken = with_parts(ends(), **{WITNESS + path: part})
    assert verdict_on(broken).outcome == "refused", verdict_on(broken)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"claim__leakage": {"exp_epsilon": "3/2"}, "claim__level__exp_epsilon": "2"}, "rejected"),
        ({"claim__leakage": {"exp_epsilon": "9/4"}}, "rejected"),
        ({"claim__leakage": {"infinite": True}}, "refused"),  # with proofs
        ({"claim__leakage": None}, "refused"),
        ({"claim__leakage": {"vacuous": True}}, "refused"),
        ({"claim__level__exp_epsilon": "3/2"}, "rejected"),  # holds
        ({"claim__level__delta": "1/2"}, "refused"),
        ({"relation__level__exp_epsilon": "1/2"}, "refused"),
        ({"relation__level__exp_epsilon": "exp(1)"}, "refused"),
        ({"relation__level": None}, "refused"),
        ({"relation__if__rule": "influence"}, "refused"),
        ({"relation__if__priors": {"class": "all"}}, "refused"),
        ({"relation__then": listed(3, (0, 1), (1, 0))}, "rejected"),
        ({"model__values": ["1/4", "3/4"]}, "rejected"),  # needs 3 itself
        ({"model__values": ["2/5", "3/5"]}, "rejected"),
    ],
)
def test_other_claims(change: Json, outcome: str) -> None:
    made = with_parts(ends(), **change)
    assert verdict_on(made).outcome == outcome, verdict_on(made)


def test_a_level_inside_the_bounds_is_rejected() -> None:
    made = wide()
    made["claim"]["level"]["exp_epsilon"] = "7/4"
    rejected(made, "inside the bounds")


def test_a_level_that_is_not_exceeded() -> None:
    made = nothing_known()
    made["claim"]["level"]["exp_epsilon"] = "2"
    rejected(made, "does not exceed")
    made["evidence"]["witness"]["worst"] = None
    assert verdict_on(made).outcome == "refused"


def test_a_secret_that_is_never_possible() -> None:
    """No prior asks anything of it."""
    made = ends()
    made["relation"]["if"] = deepcopy(FIRST)
    made["relation"]["if"]["secrets"]["c"] = []
    made["relation"]["if"]["pairs"].append(["a", "c"])
    accepted(made)
    made["evidence"]["witness"]["priors"][0]["pair"] = ["a", "c"]
    rejected(made, "no prior makes possible")
    made["relation"]["if"]["secrets"]["d"] = []
    made["relation"]["if"]["pairs"].append(["d", "c"])
    made["evidence"]["witness"]["priors"][0]["pair"] = ["d", "c"]
    assert verdict_on(made).outcome == "refused"

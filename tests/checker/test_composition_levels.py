"""Certificates of compositions: runs that refute a level, irrational and infinite leakages."""

import json
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest

from tests.checker.compositions import (
    BOTH,
    CASES,
    LEFT,
    LOWER,
    MIDDLE,
    SIDES,
    THREE,
    UNIFORM,
    UPPER,
    Json,
    composition,
    listed,
    lower,
    texts,
)
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected


def violated(case: Callable[[], Json], level: Json, repetitions: int | None) -> Json:
    document = case()
    document["claim"].update(verdict="violated", level={**level, "delta": "0"})
    known = document["evidence"]["witness"]["lower"]
    known.update(run=dict(known["counts"]), repetitions=repetitions)
    return document


@pytest.mark.parametrize("case", CASES)
def test_violations(case: Callable[[], Json]) -> None:
    """The run of two (or three) outputs is 4 (or 64) times as likely as in the others."""
    for level in ({"exp_epsilon": "19/10"}, {"epsilon": "13/20"}):
        for repetitions in (5, 50, None):
            accepted(violated(case, level, repetitions))
    assert check(violated(case, {"epsilon": "7/5"}, None)).outcome != "accepted"


def test_repetitions() -> None:
    """The world has probability 1/100 in s, where it is like LEFT else. Linear composition fails
    after r runs of both outputs if (4^r + 99) / 100 > (9/4)^r: from r = 9 on."""
    prior = ["1/200", "1/4", "1/4", "99/200"]
    upper = [[[0, [BOTH]], [3, [1]]], [[1, [0]], [2, [0]]]]
    run = {"0": 1, "1": 1}

    def document(repetitions: Any, level: Json) -> Json:
        known = lower(prior=prior, run=run, repetitions=repetitions)
        priors = {"class": "list", "priors": [prior]}
        return composition(
            [*THREE, LEFT],
            {"s": [0, 3], "t": [1, 2]},
            priors,
            upper,
            known,
            "2",
            "violated",
            level=level,
        )

    for level, least in (({"exp_epsilon": "3/2"}, 9), ({"epsilon": "2/5"}, 8)):  # e^(4/5) < 9/4
        for repetitions in (1, least - 1):
            rejected(document(repetitions, level), "run")
        accepted(document(least, level))
    for wrong in (10**9, 0, -1, True, "9", Fraction(9)):
        assert check(document(wrong, {"exp_epsilon": "3/2"})).outcome == "refused"


def test_runs_that_do_not_refute() -> None:
    """Outputs that some possible world finds as likely; or that the world never has."""
    good = violated(listed, {"exp_epsilon": "19/10"}, None)
    for run in ({"0": 1}, {"1": 5}, {"0": 3, "1": 1}, {"2": 1}, {"0": 1, "1": 1, "2": 9}, {}, None):
        good["evidence"]["witness"]["lower"]["run"] = run
        assert check(good).outcome != "accepted"
    good["evidence"]["witness"]["lower"]["run"] = {"0": 30, "1": 31}  # 4^30 > (19/10)^61
    accepted(good)


def irrational(ends: tuple[Any, Any], level: Json | None = None, verdict: str = "holds") -> Json:
    """Ratios 3 and 1, 1 and 3: the level is the root of 3, and 4/3 against the first."""
    columns = [MIDDLE, ["1/12", "1/4", "2/3"], ["1/4", "1/12", "2/3"]]
    leakage = dict(zip(("lower", "upper"), texts(ends), strict=True))
    document = composition(columns, SIDES, UNIFORM, UPPER, LOWER, leakage, verdict, level=level)
    if verdict == "violated":
        document["evidence"]["witness"]["lower"]["run"] = {"0": 1, "1": 1}
    return document


def test_an_irrational_leakage_has_narrow_bounds() -> None:
    for digits in (10, 40, 1000):
        root = isqrt(3 * 10 ** (2 * digits))
        low, high = Fraction(root, 10**digits), Fraction(root + 1, 10**digits)
        accepted(irrational((low, high)))
        accepted(irrational((low, high), {"exp_epsilon": str(high)}))
        accepted(irrational((low, high), {"epsilon": "11/20"}))
        accepted(irrational((low, high), {"epsilon": "1/2"}, "violated"))
        hair = Fraction(1, 10**digits)
        rejected(irrational((low - hair, low)), "too small")
        rejected(irrational((high, high + hair)), "too large")
        rejected(irrational((low, high), {"exp_epsilon": str(low)}, "violated"))
        rejected(irrational((low, low + 2 * hair), {"exp_epsilon": str(high)}), "inside")
    assert check(irrational((Fraction(17, 10), Fraction(9, 5)))).outcome == "refused"


def test_what_is_too_close_is_refused() -> None:
    """Bounds of 9,900 digits."""
    root = isqrt(3 * 10**19800)
    ends = Fraction(root, 10**9900), Fraction(root + 1, 10**9900)
    assert "close" in check(irrational(ends)).reason


def test_exponents_of_one_prime_are_never_too_close() -> None:
    """Betas that are wrong by 10^-12000, where all ratios are powers of 2."""
    document = listed()
    share = Fraction(1, 2) - Fraction(1, 10**12000)
    document["evidence"]["witness"]["upper"][0][0][1] = [{"1": str(share), "2": str(1 - share)}]
    rejected(document, "too small")


def infinite(columns: list[list[str]]) -> Json:
    known = lower(run={"0": 1, "1": 1}, repetitions=1)
    leakage = {"infinite": True}
    return composition(columns, SIDES, UNIFORM, None, known, leakage, "violated")


def test_collapse() -> None:
    """Each of the others excludes one of the two outputs."""
    accepted(infinite([["1/2", "1/2"], ["1", "0"], ["0", "1"]]))
    rejected(infinite([["1", "0"], ["1/2", "1/2"], ["0", "1"]]), "infinite")
    good = infinite([["1/2", "1/2"], ["1", "0"], ["0", "1"]])
    for run in ({"0": 1}, {"1": 7}):
        good["evidence"]["witness"]["lower"]["run"] = run
        rejected(good, "run")
    good["evidence"]["witness"]["upper"] = [[[0, []]], [[1, [0]], [2, [0]]]]
    assert check(good).outcome != "accepted"


def test_a_run_that_its_world_never_has() -> None:
    """World 0 never has the first output, so that counting it refutes nothing."""
    good = infinite([["0", "1/2", "1/2"], ["1/2", "0", "1/2"], ["1/2", "1/2", "0"]])
    good["evidence"]["witness"]["lower"].update(run={"1": 1, "2": 1}, repetitions=None)
    accepted(good)
    for run in ({"0": 1}, {"0": 1, "1": 1, "2": 1}):
        good["evidence"]["witness"]["lower"]["run"] = run
        rejected(good, "run")


def test_a_run_just_as_likely_as_the_level_allows() -> None:
    """The first output is 16 times as likely as in LEFT, the second as in RIGHT: one of the first
    and three of the second are 2^4 times as likely, which a level of 2 allows four runs."""
    columns = [MIDDLE, ["1/64", "1/4", "47/64"], ["1/4", "1/64", "47/64"]]
    known = lower(run={"0": 1, "1": 3})
    document = composition(columns, SIDES, UNIFORM, UPPER, known, "4", "violated")
    rejected(document, "run")
    document["claim"]["level"]["exp_epsilon"] = "199/100"
    accepted(document)


def test_worlds_that_exclude_an_output_are_no_help() -> None:
    """LEFT alone must serve; the other world, which may have the first output always, cannot."""
    upper = [[[0, [1]]], [[1, [0]], [2, [0]]]]
    columns = [MIDDLE, LEFT, ["1", "0", "0"]]
    known = lower(counts={"0": 1}, run={"0": 9, "1": 1})
    good = composition(columns, SIDES, UNIFORM, upper, known, "4", "violated")
    accepted(good)
    good["evidence"]["witness"]["lower"]["run"] = {"0": 9}
    rejected(good, "run")


def test_nothing_is_possible() -> None:
    """A prior for each secret, none for both; so with constraints that exclude a secret."""
    apart = {"class": "list", "priors": [["1", "0", "0"], ["0", "1/2", "1/2"]]}
    nothing: list[Any] = [[[0, []]], [[1, []], [2, []]]]
    accepted(composition(THREE, SIDES, apart, nothing, None, {"vacuous": True}))
    rejected(composition(THREE, SIDES, apart, nothing, None, "1"), "vacuous")
    rejected(composition(THREE, SIDES, apart, UPPER, None, {"vacuous": True}), "possible")
    rejected(composition(THREE, SIDES, UNIFORM, nothing, None, {"vacuous": True}), "covered")
    never = {"class": "constraints", "rows": [{"sense": "=", "coefficients": {"1": [0]}}]}
    here, there = [{"world": ["1"]}], [{"others": ["1"]}]
    proved: list[Any] = [[[0, [], here]], [[1, [], there], [2, [], there]]]
    accepted(composition(THREE, SIDES, never, proved, None, {"vacuous": True}))
    proved[1][1][2] = [{"world": ["1"]}]
    rejected(composition(THREE, SIDES, never, proved, None, {"vacuous": True}), "covered")


def test_equal_columns_leak_nothing() -> None:
    good = composition([MIDDLE] * 3, SIDES, UNIFORM, UPPER, None, "1", level={"exp_epsilon": "1"})
    accepted(good)
    good["evidence"]["witness"]["lower"] = LOWER
    assert check(good).outcome != "accepted"
    rejected(composition(THREE, SIDES, UNIFORM, UPPER, None, "1"), "too small")


def test_certificates_are_text() -> None:
    for case in CASES:
        accepted(json.loads(json.dumps(case())))


@pytest.mark.parametrize(
    "prior", [["2/3", "2/3", "-1/3"], ["-1/3", "2/3", "2/3"], ["1/3", "1/3", "2/3"], ["1/2", "1/2"]]
)
@pytest.mark.parametrize("kind", ["list", "hull"])
def test_weights_that_are_no_prior(kind: str, prior: list[str]) -> None:
    """Not in the class, and not as the prior of a witness."""
    document = listed()
    document["relation"]["priors"] = {"class": kind, "priors": [prior]}
    document["evidence"]["witness"]["lower"]["prior"] = prior
    rejected(document, "no distribution")
    document["relation"]["priors"] = UNIFORM
    rejected(document, "no distribution")
    document["relation"]["priors"] = {"class": "conditionals", "priors": [{"s": prior, "t": prior}]}
    assert check(document).outcome == "rejected"


def test_constraints_that_compare_something() -> None:
    """Equal columns, and w0 at most as likely as w1: the level is 1, which a prior must show to
    be about something. With x_1 = 0 besides nothing is compared, whatever the betas say."""
    upper = [[[0, [1], [{"world": ["1"]}]]], [[1, [0], [{"world": ["0"]}]], [2, [0], []]]]
    rows = [{"sense": "<=", "coefficients": {"1": [0], "-1": [1]}}]
    upper[1] = [[w, [0], [{"others": ["0"]}]] for w in (1, 2)]
    known = lower(counts={"0": 1, "1": 1, "2": 2})
    columns, level = [MIDDLE] * 3, {"exp_epsilon": "1"}
    sides: Any = {"priors": {"class": "constraints", "rows": rows}, "level": level}
    good = composition(columns, SIDES, upper=upper, lower=known, leakage="1", **sides)
    accepted(good)
    bare = composition(columns, SIDES, upper=upper, lower=None, leakage="1", **sides)
    rejected(bare, "too large")
    less = lower(counts={"0": 1, "1": 1, "2": 2}, prior=["1/2", "1/4", "1/4"])  # x_0 > x_1
    outside = composition(columns, SIDES, upper=upper, lower=less, leakage="1", **sides)
    rejected(outside, "class")


def test_repetitions_that_are_just_as_likely() -> None:
    """The world has 5/12 of s, which is like LEFT else: both outputs are (16 * 5 + 4 * 7) / 48
    = 9/4 times as likely in s as in t, which a level of 3/2 allows two runs."""
    prior = ["5/24", "1/4", "1/4", "7/24"]
    known = lower(prior=prior, run={"0": 1, "1": 1}, repetitions=1)
    document = composition(
        [*THREE, LEFT],
        {"s": [0, 3], "t": [1, 2]},
        {"class": "list", "priors": [prior]},
        [[[0, [BOTH]], [3, [1]]], [[1, [0]], [2, [0]]]],
        known,
        "2",
        "violated",
        level={"exp_epsilon": "3/2"},
    )
    rejected(document, "run")
    document["claim"]["level"]["exp_epsilon"] = "149999999/100000000"
    accepted(document)


def test_outputs_that_a_world_never_has_ask_nothing_of_a_mean() -> None:
    """Of the last two outputs world 0 has none; the others never have the last one either."""
    columns = [
        ["1/4", "1/4", "1/2", "0", "0"],
        ["1/16", "1/4", "5/8", "1/16", "0"],
        ["1/4", "1/16", "5/8", "1/16", "0"],
        ["1/8", "1/8", "11/16", "1/16", "0"],
    ]
    prior = ["1/4"] * 4
    upper = [[[0, [BOTH]], [3, [BOTH]]], [[1, [3]], [2, [3]]]]
    uniform = {"class": "list", "priors": [prior]}
    sides = {"s": [0, 3], "t": [1, 2]}
    accepted(composition(columns, sides, uniform, upper, lower(prior=prior)))

"""Certificates of compositions for hand-solved cases of every class; broken siblings are not
accepted."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.checker.compositions import (
    BOTH,
    CASES,
    HAIR,
    SIDES,
    THREE,
    UNIFORM,
    UPPER,
    Json,
    composition,
    constraints,
    dependent,
    everything,
    independent,
    listed,
    lower,
    texts,
)
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from tests.loops import each


@pytest.mark.parametrize("case", CASES)
def test_hand_solved_cases(case: Callable[[], Json]) -> None:
    accepted(case())


def of_upper(edit: Callable[[Any], object]) -> Callable[[Json], object]:
    return lambda c: edit(c["evidence"]["witness"]["upper"])


def of_lower(**changes: Any) -> Callable[[Json], object]:
    return lambda c: c["evidence"]["witness"]["lower"].update(changes)


def shifted(prior: list[str]) -> list[str]:
    """Another distribution with the same support."""
    numbers = [Fraction(p) for p in prior]
    first, last = (at for at in (0, -1)) if numbers[0] else (1, -1)
    last = max(at for at, p in enumerate(numbers) if p)
    numbers[first] -= numbers[first] * HAIR
    numbers[last] += 1 - sum(numbers)
    return texts(numbers)


SIBLINGS: dict[str, Callable[[Json], object]] = {
    "leakage too small": lambda c: c["claim"].update(leakage={"exp_epsilon": "15/8"}),
    "a hair too small": lambda c: c["claim"].update(
        leakage={"exp_epsilon": str(Fraction(c["claim"]["leakage"]["exp_epsilon"]) - HAIR)}
    ),
    "leakage too large": lambda c: c["claim"].update(leakage={"exp_epsilon": "17/4"}),
    "a hair too large": lambda c: c["claim"].update(
        leakage={"exp_epsilon": str(Fraction(c["claim"]["leakage"]["exp_epsilon"]) + HAIR)}
    ),
    "no leakage": lambda c: c["claim"].update(leakage={"exp_epsilon": "1"}),
    "vacuous": lambda c: c["claim"].update(leakage={"vacuous": True}),
    "infinite": lambda c: c["claim"].update(leakage={"infinite": True}),
    "infinite without betas": lambda c: (
        c["claim"].update(leakage={"infinite": True}, verdict="violated"),
        c["evidence"]["witness"].update(upper=None),
    ),
    "verdict": lambda c: c["claim"].update(verdict="violated"),
    "level": lambda c: c["claim"]["level"].update(exp_epsilon="3/2"),
    "delta": lambda c: c["claim"]["level"].update(delta="1/2"),
    "no upper": lambda c: c["evidence"]["witness"].update(upper=None),
    "no lower": lambda c: c["evidence"]["witness"].update(lower=None),
    "a world is missing": of_upper(lambda u: u[1].pop()),
    "a pair is missing": of_upper(lambda u: u.pop()),
    "betas swapped": of_upper(lambda u: u.reverse()),
    "no betas": of_upper(lambda u: u[1][0].__setitem__(1, [])),
    "too many parts": of_upper(lambda u: u[0][0].append([])),
    "a world that does not exist": of_upper(lambda u: u[1][0].__setitem__(1, [9])),
    "a world of its own secret": of_upper(lambda u: u[1][0].__setitem__(1, [u[1][0][0]])),
    "true for 1": of_upper(lambda u: u[1][0].__setitem__(1, [False])),
    "pair swapped": of_lower(pair=["t", "s"]),
    "pair unknown": of_lower(pair=["s", "s"]),
    "world of the other secret": of_lower(world=2),
    "no world": of_lower(world=True),
    "counts of nothing": of_lower(counts={}),
    "count 0": of_lower(counts={"0": 0, "1": 1}),
    "wrong counts": of_lower(counts={"0": 2, "1": 1}),
    "other output": of_lower(counts={"2": 1}),
    "output unknown": of_lower(counts={"3": 1}),
    "text of an output": of_lower(counts={"00": 1, "1": 1}),
    "run without violation": of_lower(run={"0": 1, "1": 1}),
    "repetitions without a run": of_lower(repetitions=1),
    "prior too short": of_lower(prior=["1/2", "1/2"]),
    "prior of 2": of_lower(prior=["1", "1", "0"]),
    "excludes the world": of_lower(prior=["0", "1/2", "1/2"]),
    "excludes the others": of_lower(prior=["1", "0", "0"]),
    "class": lambda c: c["relation"]["priors"].update({"class": "some"}),
    "rule": lambda c: c["relation"].update(rule="all"),
    "overlap": lambda c: c["relation"]["secrets"]["t"].append(0),
}


@each("case", CASES)
@each("name", SIBLINGS)
def test_broken_siblings(build: Any, case: Callable[[], Json], name: str) -> None:
    assert check(build.edited(case(), SIBLINGS[name])).outcome != "accepted"


@pytest.mark.parametrize("case", [c for c in CASES if c not in (everything, independent)])
@pytest.mark.parametrize(
    "beta",
    [
        ["1/2", Fraction(1, 2) + HAIR],
        [Fraction(1, 2) - HAIR, Fraction(1, 2) + HAIR],
        ["1/3", "2/3"],
        ["0", "1"],
        ["3/2", "-1/2"],
    ],
)
def test_betas_off_by_a_hair(case: Callable[[], Json], beta: list[Any]) -> None:
    document = case()
    entry = document["evidence"]["witness"]["upper"][0][-1]
    (right,) = entry[1]
    entry[1] = [dict(zip(right, texts(beta), strict=True))]
    assert check(document).outcome != "accepted"


@pytest.mark.parametrize("case", [c for c in CASES if c not in (everything, independent)])
def test_betas_on_part_of_what_is_possible(case: Callable[[], Json]) -> None:
    """A single world would need a level of 4, a larger beta need not be on possible worlds."""
    document = case()
    entry = document["evidence"]["witness"]["upper"][0][-1]
    (right,) = entry[1]
    entry[1] = [int(world) for world in right]
    assert check(document).outcome != "accepted"


@pytest.mark.parametrize("case", [everything, independent])
def test_betas_on_more_than_is_possible(case: Callable[[], Json]) -> None:
    """With both worlds a level of 2 would do, but each is possible without the other."""
    document = case()
    document["evidence"]["witness"]["upper"][0][0][1] = [BOTH]
    rejected(document, "not covered")
    for world in (1, 2):
        document["evidence"]["witness"]["upper"][0][0][1] = [world]
        rejected(document, "not covered")


@pytest.mark.parametrize(
    "case", [c for c in CASES if c not in (everything, constraints, dependent)]
)
def test_priors_outside_the_class(case: Callable[[], Json]) -> None:
    document = case()
    known = document["evidence"]["witness"]["lower"]
    known["prior"] = shifted(known["prior"])
    rejected(document, "of the class")


def test_points_outside_the_cone() -> None:
    for case in (constraints, dependent):
        document = case()
        document["evidence"]["witness"]["lower"]["prior"] = ["1/3", "1/2", "1/6"]
        rejected(document, "of the class")


@pytest.mark.parametrize(
    "leaves",
    [
        [],
        [{"others": ["0", "1"]}],
        [{"others": ["1", "0"]}, {"others": ["0", "1"]}],
        [{"others": ["0", "1"]}, {"others": ["1", "0"]}, {"others": ["1", "0"]}],
        [{"others": ["0", "1"]}, {"others": [str(1 - HAIR), "0"]}],
        [{"others": ["0", "1"]}, {"others": ["1"]}],
        [{"others": ["0", "1"]}, {"others": ["1", "-1"]}],
        [{"world": ["0", "1"]}, {"world": ["1", "0"]}],
        [{"others": ["0", "1"]}, {"nothing": ["1", "0"]}],
        [{"others": ["0", "1"]}, {"others": ["1", "0"], "world": ["1", "0"]}],
    ],
)
def test_multipliers_that_prove_nothing(leaves: Any) -> None:
    document = constraints()
    document["evidence"]["witness"]["upper"][0][0][2] = leaves
    assert check(document).outcome != "accepted"


def test_a_beta_is_a_distribution() -> None:
    """With a sum of 1/2 the means are larger: (1/16 * 1/4)^(1/4) is above 1/3, so that 3/2 would
    be enough."""
    document = listed()
    document["claim"]["leakage"] = {"exp_epsilon": "3/2"}
    for shares in (["1/4", "1/4"], ["1", "1"], ["3/2", "-1/2"], ["0", "1"]):
        beta = dict(zip(("1", "2"), shares, strict=True))
        document["evidence"]["witness"]["upper"][0][0][1] = [beta]
        rejected(document, "no distribution")
    document["evidence"]["witness"]["upper"][0][0][1] = [{"01": "1/2", "2": "1/2"}]
    assert "index" in check(document).reason
    document["evidence"]["witness"]["upper"][0][0][1] = [{"0": "1/2", "2": "1/2"}]
    assert "other secret" in check(document).reason


@pytest.mark.parametrize(
    "change",
    [
        {"counts": None},
        {"counts": {}},
        {"counts": {"-1": 1}},
        {"counts": {"3": 1}},
        {"counts": {"0": 0, "1": 1}},
        {"counts": {"0": 10**3000, "1": 1}},
        {"counts": {"00": 1, "1": 1}},
        {"run": {}},
        {"run": {"-1": 1}},
        {"world": -1},
        {"world": 3},
        {"repetitions": 1},
        {"more": 1},
    ],
)
def test_counts_are_of_outputs(change: Json) -> None:
    """Counts of nothing would be as likely everywhere, and prove any level."""
    document = listed()
    document["claim"].update(leakage={"exp_epsilon": "3"})
    document["claim"]["level"]["exp_epsilon"] = "3"
    document["evidence"]["witness"]["lower"].update(change)
    assert check(document).outcome == "refused", check(document)


def test_the_worlds_of_a_secret_are_listed_as_they_ascend() -> None:
    for wrong in (True, 2, "1", 1.0):
        document = listed()
        document["evidence"]["witness"]["upper"][1][0][0] = wrong
        assert check(document).outcome == "refused"
    document = listed()
    document["claim"]["steps"] = "1"
    assert check(document).outcome == "refused"
    document = listed()
    document["evidence"]["witness"]["more"] = None
    assert check(document).outcome == "refused"


def test_a_pair_that_is_not_compared() -> None:
    """Only s and t are asked about; against u the world leaks more."""
    columns = [*THREE, ["1/64", "1/4", "47/64"]]
    secrets = {**SIDES, "u": [3]}
    priors = {"class": "list", "priors": [["1/4"] * 4]}
    known = lower(prior=["1/4"] * 4)
    good = composition(columns, secrets, priors, UPPER, known)
    accepted(good)
    for pair in (["s", "u"], ["u", "s"]):
        good["evidence"]["witness"]["lower"]["pair"] = pair
        rejected(good, "not compared")
    other = composition(columns, secrets, priors, UPPER, {**known, "world": 3})
    rejected(other, "excludes a side")


def test_betas_prove_a_finite_level_only() -> None:
    columns = [["1/2", "1/2"], ["1", "0"], ["0", "1"]]
    known = lower(run={"0": 1, "1": 1}, repetitions=1)
    leakage = {"infinite": True}
    endless = composition(columns, SIDES, UNIFORM, None, known, leakage, "violated")
    accepted(endless)
    endless["evidence"]["witness"]["upper"] = UPPER
    assert check(endless).outcome == "refused"
    document = listed()
    document["evidence"]["witness"]["upper"] = None
    assert check(document).outcome != "accepted"

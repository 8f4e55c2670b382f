"""Certificates of compositions for hand-solved cases of every class; broken siblings are not
accepted."""

import json
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest

from tests.checker.compositions import BOTH, LEFT, LOWER, MIDDLE, RIGHT, composition, texts
from tests.checker.outcomes import accepted, rejected
from verifier.checker import check

Json = dict[str, Any]
HAIR = Fraction(1, 10**30)
THREE = [MIDDLE, LEFT, RIGHT]
SIDES = {"s": [0], "t": [1, 2]}
UPPER = [[[0, [BOTH]]], [[1, [0]], [2, [0]]]]
UNIFORM = {"class": "list", "priors": [["1/3", "1/3", "1/3"]]}
ROWS = [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]


def implied(*pairs: tuple[int, int]) -> Json:
    """The constraints x_i <= x_j."""
    rows = [{"sense": "<=", "coefficients": {"1": [i], "-1": [j]}} for i, j in pairs]
    return {"class": "constraints", "rows": rows}


def lower(**changes: Any) -> Json:
    return LOWER | changes


def listed() -> Json:
    return composition(THREE, SIDES, UNIFORM, UPPER, LOWER)


def hull() -> Json:
    """No given prior has both secrets, their mixtures have all worlds."""
    priors = {"class": "hull", "priors": [["1", "0", "0"], ["0", "1/3", "2/3"]]}
    known = lower(prior=["1/2", "1/6", "1/3"])
    return composition(THREE, SIDES, priors, UPPER, known)


def conditionals() -> Json:
    priors = [{"s": ["1", "0", "0"]}, {"s": ["1", "0", "0"], "t": ["0", "1/3", "2/3"]}]
    known = lower(prior=["1/2", "1/6", "1/3"])
    return composition(THREE, SIDES, {"class": "conditionals", "priors": priors}, UPPER, known)


def iid() -> Json:
    """The world 00 and both 01 and 10, as records have one distribution."""
    return composition(
        THREE, SIDES, {"class": "iid"}, UPPER, LOWER, records=[[0, 0], [0, 1], [1, 0]]
    )


def everything() -> Json:
    """All priors: each other world by itself is possible."""
    known = lower(prior=["1/5", "4/5", "0"], counts={"0": 3})
    upper = [[[0, [1, 2]]], [[1, [0]], [2, [0]]]]
    return composition(
        THREE, SIDES, {"class": "all"}, upper, known, "4", level={"exp_epsilon": "4"}
    )


def independent() -> Json:
    """00 with 01 or with 10; where 11 is possible, 01 and 10 are."""
    known = lower(prior=["1/2", "1/2", "0", "0"], counts={"0": 3})
    upper = [[[0, [1, 2]]], [[1, [0]], [2, [0]], [3, [0]]]]
    return composition(
        [*THREE, ["1/4", "1/4", "1/2"]],
        {"s": [0], "t": [1, 2, 3]},
        {"class": "product"},
        upper,
        known,
        "4",
        records=[[0, 0], [0, 1], [1, 0], [1, 1]],
        level={"exp_epsilon": "4"},
    )


def hedging() -> Json:
    """01 needs f(1) > 0, which leaves 11 of t; and the known distribution leaves 10."""
    priors = {"class": "hedging", "weight": "1/3", "known": [[[0], "1"], [[1], "0"]]}
    mixed = {"2": "1/2", "3": "1/2"}
    upper = [[[0, [2]], [1, [mixed]]], [[2, [0]], [3, [1]]]]
    return composition(
        [LEFT, MIDDLE, LEFT, RIGHT],
        {"s": [0, 1], "t": [2, 3]},
        priors,
        upper,
        lower(world=1, prior=["1/6", "1/3", "1/6", "1/3"]),
        records=[[0, 0], [0, 1], [1, 0], [1, 1]],
    )


def markov() -> Json:
    """After 0 comes 1, so 00 is impossible. Half way up the intervals, 1 is followed by 0 with
    5/8."""
    priors = {
        "class": "markov",
        "values": [[0], [1]],
        "initial": [["1/4", "3/4"], ["1/4", "3/4"]],
        "transition": [[["0", "0"], ["1/2", "1"]], [["1/4", "1"], ["1/4", "1/2"]]],
    }
    upper = [[[0, []], [1, [{"2": "1/2", "3": "1/2"}]]], [[2, [1]], [3, [1]]]]
    return composition(
        [RIGHT, MIDDLE, LEFT, RIGHT],
        {"s": [0, 1], "t": [2, 3]},
        priors,
        upper,
        lower(world=1, prior=["0", "1/2", "5/16", "3/16"]),
        records=[[0, 0], [0, 1], [1, 0], [1, 1]],
    )


def constraints() -> Json:
    """The worlds 1 and 2 are equally likely. Where one is impossible, so is t."""
    upper = [
        [[0, [BOTH], [{"others": ["0", "1"]}, {"others": ["1", "0"]}]]],
        [[w, [0], [{"others": ["0", "0"]}]] for w in (1, 2)],
    ]
    return composition(THREE, SIDES, implied((1, 2), (2, 1)), upper, LOWER)


def dependent() -> Json:
    """Where 0 is possible, so is 1: with 2 alone it is impossible itself. Where 1 is, so is 2."""
    upper = [
        [[0, [BOTH], [{"world": ["1", "0"]}, {"world": ["1", "1"]}]]],
        [[w, [0], [{"others": ["0", "0"]}]] for w in (1, 2)],
    ]
    return composition(THREE, SIDES, implied((0, 1), (1, 2)), upper, LOWER)


CASES = [
    listed,
    hull,
    conditionals,
    iid,
    everything,
    independent,
    hedging,
    markov,
    constraints,
    dependent,
]


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


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", SIBLINGS)
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
    for repetitions in (10**9, 0, -1, True, "9", Fraction(9)):
        assert check(document(repetitions, {"exp_epsilon": "3/2"})).outcome == "refused"


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

"""What classes of priors make possible, by hand, and classes that are none."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from tests.checker.compositions import (
    THREE,
    UPPER,
    Json,
    composition,
    conditionals,
    constraints,
    everything,
    hedging,
    hull,
    iid,
    independent,
    listed,
    lower,
    markov,
)
from tests.checker.drafts import check
from tests.checker.outcomes import accepted, rejected
from tests.checker.test_composition_classes import covers, of_hedging
from verifier.checker.document import Refused, Rejected
from verifier.checker.reading import Model
from verifier.checker.supports import read_supports

BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
FIRST = {"s": [0, 1], "t": [2, 3]}


def outcome(priors: Json, secrets: Json = FIRST, rows: Any = BITS) -> str:
    relation = {"rule": "secrets", "secrets": secrets, "pairs": [], "priors": priors}
    worlds = list(map(str, range(len(rows))))
    model = Model({"worlds": worlds, "records": rows, "entries_per_record": 1})
    try:
        read_supports(relation, model, secrets)
    except Rejected:
        return "rejected"
    except Refused:
        return "refused"
    return "read"


@pytest.mark.parametrize(
    "make", [listed, hull, conditionals, iid, everything, independent, hedging, markov, constraints]
)
def test_a_class_has_its_keys_alone(make: Any) -> None:
    document = make()
    document["relation"]["priors"]["more"] = 0
    assert check(document).outcome == "refused"
    if make is not constraints:
        document = make()
        document["evidence"]["witness"]["upper"][0][0].append([])
        document["evidence"]["witness"]["upper"][0][0][2] = [0]
        assert check(document).outcome == "refused"


HALF = ["1/2", "1/2"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([HALF, HALF], "read"),
        ([["1/4", "3/4"], ["1/4", "3/4"]], "read"),
        ([["0", "0"], ["1", "1"]], "read"),
        ([["0", "0"], ["0", "1"]], "read"),
        ([["0", "3/4"], ["1/2", "3/4"]], "read"),  # the first is at least 1/4
        ([["0", "1/2"], ["1/4", "3/4"]], "read"),
        ([["0", "1"], ["0", "1"]], "read"),  # either value alone, or both
        ([["1/2", "1"], ["0", "1/2"]], "read"),
        ([["3/4", "1/4"], ["1/4", "3/4"]], "rejected"),
        ([["1/4", "3/4"], ["3/4", "1/4"]], "rejected"),
        ([["-1/4", "3/4"], ["1/4", "3/4"]], "rejected"),
        ([["1/4", "5/4"], ["1/4", "3/4"]], "rejected"),
        ([["3/4", "1"], ["1/2", "1"]], "rejected"),
        ([["0", "1/4"], ["0", "1/2"]], "rejected"),
        ([HALF], "refused"),
        ([HALF, HALF, ["0", "0"]], "refused"),
        ([["1/2"], ["1/2"]], "refused"),
    ],
)
def test_intervals(row: Any, expected: str) -> None:
    priors = {
        "class": "markov",
        "values": [[0], [1]],
        "initial": row,
        "transition": [[HALF] * 2] * 2,
    }
    assert outcome(priors) == expected
    for at in range(2):
        steps = [[HALF] * 2, [HALF] * 2]
        steps[at] = row
        other = {**priors, "initial": [HALF, HALF], "transition": steps}
        assert outcome(other) == expected
        assert outcome({**other, "initial": "stationary"}) == expected
    assert outcome({**priors, "initial": [HALF] * 2, "transition": [[HALF] * 2]}) == "refused"
    assert outcome({**priors, "initial": [HALF] * 2, "transition": [[HALF] * 2] * 3}) == "refused"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "read"),
        ({"weight": "0"}, "read"),
        ({"weight": "1"}, "read"),
        ({"weight": "2"}, "rejected"),
        ({"weight": "-1"}, "rejected"),
        ({"known": [[[0], "1/2"], [[1], "1/4"]]}, "read"),
        ({"known": [[[0], "1/2"], [[1], "3/4"]]}, "rejected"),
        ({"known": [[[0], "3/2"], [[1], "-1/2"]]}, "rejected"),
        ({"known": [[[0], "1/2"]]}, "refused"),
        ({"known": [[[0], "1/2"], [[1], "1/4"], [[2], "1/4"]]}, "refused"),
        ({"known": [[[0], "1/2"], [[1], "1/4"], [[1], "1/4"]]}, "refused"),
        ({"known": [[[0], "1/2"], [[True], "1/2"]]}, "refused"),
    ],
)
def test_known_distributions(change: Json, expected: str) -> None:
    priors = {"class": "hedging", "weight": "1/3", "known": [[[0], "1"], [[1], "0"]]}
    assert outcome({**priors, **change}) == expected


def test_secrets_of_hedging_are_one_value_of_one_record() -> None:
    priors = {"class": "hedging", "weight": "1/3", "known": [[[0], "1"], [[1], "0"]]}
    assert outcome(priors, {"s": [0, 2], "t": [1, 3]}) == "read"
    for other in ([0], [0, 3], [], [0, 1, 2, 3]):
        assert outcome(priors, {"s": other, "t": [2, 3]}) == "rejected"
    same = [[0, 0], [1, 1]]  # the value of either record
    assert outcome(priors, {"s": [0], "t": [1]}, same) == "rejected"


def test_attackers_that_know_one_secret_alone() -> None:
    known = {"s": ["1", "0", "0"], "t": ["0", "1/3", "2/3"]}
    good = conditionals()
    for alone in ({"s": known["s"]}, {"t": known["t"]}, {}):
        good["relation"]["priors"]["priors"] = [alone, known]
        accepted(good)
        good["relation"]["priors"]["priors"] = [alone]
        assert check(good).outcome == "rejected"
    for wrong in ({"u": known["s"]}, {**known, "s": ["0", "1", "0"]}, {**known, "s": ["1/2"] * 3}):
        good["relation"]["priors"]["priors"] = [known, wrong]
        assert check(good).outcome != "accepted"


def test_means_of_given_priors() -> None:
    """Of a hull the mean of two priors is one; of a list it is not."""
    rows = [["1/2", "1/2", "0"], ["1/2", "0", "1/2"]]
    apart = {"s": [0], "t": [1, 2]}
    upper: Any = [[[0, [1, 2]]], [[1, [0]], [2, [0]]]]
    mean = lower(prior=["1/2", "1/4", "1/4"], counts={"0": 3})
    own = lower(prior=rows[0], counts={"0": 3})
    level = {"exp_epsilon": "4"}
    for name, known, expected in (
        ("list", own, "accepted"),
        ("list", mean, "rejected"),
        ("hull", own, "accepted"),
    ):
        priors = {"class": name, "priors": rows}
        document = composition(THREE, apart, priors, upper, known, "4", level=level)
        assert check(document).outcome == expected, name
    hulls = {"class": "hull", "priors": rows}
    document = composition(THREE, apart, hulls, upper, mean, "4", level=level)
    rejected(document, "too large")  # both are possible under it, and 2 is enough
    third = lower(prior=["1/2", "1/6", "1/3"], counts={"0": 3})
    rejected(composition(THREE, apart, hulls, upper, third, "4", level=level), "of the class")
    assert check(composition(THREE, apart, hulls, UPPER, own, "2")).outcome != "accepted"


def test_a_stationary_chain_of_three_values() -> None:
    """4/9, 3/9 and 2/9 of the time."""
    exact = [["0", "1/2", "1/2"], ["1", "0", "0"], ["1/2", "1/2", "0"]]
    steps = [[[p, p] for p in row] for row in exact]
    values = [[0], [1], [2]]
    priors = {"class": "markov", "values": values, "initial": "stationary", "transition": steps}
    model = Model({"worlds": list("abc"), "records": values, "entries_per_record": 1})
    found = read_supports({"priors": priors}, model, {"s": [0], "t": [1, 2]})
    ninths = [[4, 3, 2], [3, 3, 3], [4, 2, 3], [3, 4, 2]]
    for parts in ninths:
        prior = [Fraction(part, 9) for part in parts]
        assert found.has(prior, 0, "s", "t") == (parts == ninths[0])


@pytest.mark.parametrize("weight", ["0", "1/3", "1"])
@pytest.mark.parametrize("known", [("1", "0"), ("0", "1"), ("1/2", "1/2"), ("0", "0")])
def test_what_hedging_makes_possible(weight: str, known: tuple[str, str]) -> None:
    """By all supports of the unknown distribution, for all sets of bases."""
    priors = {"class": "hedging", "weight": weight, "known": [[[0], known[0]], [[1], known[1]]]}
    sides = [cut for cut in of_hedging(priors, BITS, FIRST) if all(cut)]
    choices = [frozenset([2]), frozenset([3]), frozenset([2, 3])]
    for world in FIRST["s"]:
        possible = [t for s, t in sides if world in s]
        for size in range(4):
            for bases in map(list, combinations(choices, size)):
                holds = all(any(base <= t for base in bases) for t in possible)
                expected = holds and bool(bases) == bool(possible)
                assert covers(priors, BITS, FIRST, world, "s", "t", bases, []) == expected

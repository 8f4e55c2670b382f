"""Single priors by hand and by plain sums."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.drawn import Space
from tests.drawing import examples
from verifier.base import document
from verifier.base.errors import InputError
from verifier.base.exponential import power
from verifier.questions.beliefs.prior import read_prior
from verifier.world import worlds

F = Fraction
EXAMPLES = examples(60)


def weights(prior: Any, space: Any) -> list[Fraction]:
    """The probabilities of all worlds under the prior of a file."""

    def node(value: Any) -> document.Node:
        return document.parse(json.dumps(value), "made.json")

    found = read_prior(node(prior), worlds.read_worlds(node(space)))
    assert sum(found.tolist()) == 1
    return found.tolist()


def conditioned(space: Space, mass: Any) -> list[Fraction] | None:
    """mass of each database, conditioned on the worlds that are left."""
    found = [mass(database) for database in space.databases]
    return [p / sum(found) for p in found] if any(found) else None


def values_of(space: Space) -> list[Any]:
    return [*space.values, *([None] if space.absent else [])]


@st.composite
def over_values(draw: drawn.Draw, space: Space) -> tuple[dict[str, str], dict[Any, Fraction]]:
    """A distribution over the values of a record, as written and as a mapping."""
    values = values_of(space)
    found = dict(zip(values, draw(drawn.distributions(len(values))), strict=True))
    return {drawn.value_text(v): str(p) for v, p in found.items() if p}, found


def check(prior: Any, space: Space, expected: list[Fraction] | None) -> None:
    if expected is None:
        with pytest.raises(InputError, match="S503"):
            weights(prior, space.node)
    else:
        assert weights(prior, space.node) == expected


@EXAMPLES
@given(st.data())
def test_independent_and_iid_records(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces())
    rows = [data.draw(over_values(space)) for _ in space.databases[0]]

    def independent(database: Any) -> Fraction:
        mass = F(1)
        for x, (_, row) in zip(database, rows, strict=True):
            mass *= row[x]
        return mass

    check({"independent": [text for text, _ in rows]}, space, conditioned(space, independent))
    rows = [rows[0]] * len(rows)
    check({"iid": rows[0][0]}, space, conditioned(space, independent))


@EXAMPLES
@given(st.data())
def test_markov_chains(data: st.DataObject) -> None:
    space = data.draw(drawn.spaces())
    first, start = data.draw(over_values(space))
    table = {v: data.draw(over_values(space)) for v in values_of(space)}

    def chain(database: Any) -> Fraction:
        mass = start[database[0]]
        for before, after in pairwise(database):
            mass *= table[before][1][after]
        return mass

    transition = {drawn.value_text(v): text for v, (text, _) in table.items()}
    prior = {"markov": {"initial": first, "transition": transition}}
    check(prior, space, conditioned(space, chain))


BITS = {"records": 2, "domain": [0, 1]}


def test_a_stationary_chain_by_hand() -> None:
    """pi_0 = 2/3 pi_0 + 1/4 pi_1 gives (3/7, 4/7)."""
    transition = {0: {0: "2/3", 1: "1/3"}, 1: {0: "1/4", 1: "3/4"}}
    prior = {"markov": {"initial": "stationary", "transition": transition}}
    assert weights(prior, BITS) == [F(2, 7), F(1, 7), F(1, 7), F(3, 7)]


def test_a_stationary_chain_with_states_that_are_left_for_good() -> None:
    transition = {0: {1: 1}, 1: {1: "1/2", 2: "1/2"}, 2: {1: 1}}
    prior = {"markov": {"initial": "stationary", "transition": transition}}
    assert weights(prior, {"records": 1, "domain": [0, 1, 2]}) == [0, F(2, 3), F(1, 3)]


@pytest.mark.parametrize(
    "transition",
    [
        {0: {0: 1}, 1: {1: 1}},  # two stationary distributions
        {0: {1: 1}},  # no way on from 1
        {},
    ],
)
def test_no_stationary_distribution(transition: Any) -> None:
    with pytest.raises(InputError, match="S502"):
        weights({"markov": {"initial": "stationary", "transition": transition}}, BITS)


def test_a_chain_needs_a_way_on() -> None:
    prior = {"markov": {"initial": {0: "1/2", 1: "1/2"}, "transition": {0: {0: 1}}}}
    with pytest.raises(InputError, match="S502"):
        weights(prior, BITS)
    assert weights(prior, {"records": 1, "domain": [0, 1]}) == [F(1, 2), F(1, 2)]


def test_uniform_is_over_the_worlds_that_are_left() -> None:
    assert weights("uniform", {**BITS, "where": "r1 <= r2"}) == [F(1, 3)] * 3
    assert weights("uniform", ["a", "b"]) == [F(1, 2)] * 2


def test_worlds_are_not_conditioned() -> None:
    space = {**BITS, "where": "r1 <= r2"}
    assert weights({"worlds": {"11": "1/4", "00": "3/4"}}, space) == [F(3, 4), 0, F(1, 4)]
    for wrong in ({"11": "1/4"}, {"10": 1}, {"11": 2, "00": -1}):
        with pytest.raises(InputError, match="S504"):
            weights({"worlds": wrong}, space)


def test_mixture_by_hand() -> None:
    """Half of (1/10, 9/10) twice, half of (9/10, 1/10) twice."""
    parts = [{"iid": {0: "1/10", 1: "9/10"}}, {"iid": {0: "9/10", 1: "1/10"}}]
    prior = {"mixture": [{"weight": "1/2", "prior": part} for part in parts]}
    assert weights(prior, BITS) == [F(41, 100), F(9, 100), F(9, 100), F(41, 100)]
    prior["mixture"][0]["weight"] = "1/3"
    with pytest.raises(InputError, match="S504"):
        weights(prior, BITS)


def test_parts_of_a_mixture_are_conditioned_one_by_one() -> None:
    """P(11) = 1/100 and P(00) = 81/100 in the first: its weight stays 1/2 under r1 == r2."""
    parts = [{"iid": {0: "9/10", 1: "1/10"}}, {"iid": {1: 1}}]
    prior = {"mixture": [{"weight": "1/2", "prior": part} for part in parts]}
    assert weights(prior, {**BITS, "where": "r1 == r2"}) == [F(81, 164), F(83, 164)]


@pytest.mark.parametrize(
    ("prior", "code"),
    [
        ({"iid": {"0.5": "1/4", "1/2": "1/2", 0: "1/2"}}, "S504.*twice"),
        ({"markov": {"initial": {0: 1}, "transition": {"0.5": {0: 1}, "1/2": {0: 1}}}}, "S504"),
        ({"iid": {0: "1/2", "1/2": "1/3"}}, "S504"),
        ({"iid": {0: "3/2", "1/2": "-1/2"}}, "S504"),
        ({"iid": {0: 1, 7: 0}}, "S504"),
        ({"independent": [{0: 1}]}, "S502"),
        ({"unknown": {}}, "S501"),
        ({"mixture": []}, "S504"),
    ],
)
def test_errors(prior: Any, code: str) -> None:
    with pytest.raises(InputError, match=code):
        weights(prior, {"records": 2, "domain": [0, "1/2"]})


def test_priors_over_records_need_records() -> None:
    for prior in ({"iid": {"a": 1}}, {"independent": [{"a": 1}]}, {"markov": {}}):
        with pytest.raises(InputError, match="S502"):
            weights(prior, ["a", "b"])


def test_many_records() -> None:
    """2^12 worlds: the product by plain multiplication."""
    found = weights({"iid": {0: "1/3", 1: "2/3"}}, {"records": 12, "domain": [0, 1]})
    assert found == [F(2 ** sum(w), 3**12) for w in product([0, 1], repeat=12)]


FORMULAS: dict[str, Any] = {  # of the values of two records
    "1": lambda a, b: 1,
    "a * b + 1/3": lambda a, b: a * b + F(1, 3),
    "2 ** (a + b)": lambda a, b: F(2) ** (a + b),
    "7 if a == b else 10**-30": lambda a, b: F(7) if a == b else F(1, 10**30),
    "max(0, a - b)": lambda a, b: max(0, a - b),
    "a if b == 0 else 0": lambda a, b: a if b == 0 else 0,
}


@pytest.mark.parametrize("where", [[], ["a <= b"], ["a + b >= 2"], ["a != b", "b != 0"]])
@pytest.mark.parametrize("formula", FORMULAS)
def test_weights_by_a_formula(formula: str, where: list[str]) -> None:
    """Each weight over the sum of those of all worlds that are left."""
    tests = {"a <= b": lambda a, b: a <= b, "a + b >= 2": lambda a, b: a + b >= 2}
    tests |= {"a != b": lambda a, b: a != b, "b != 0": lambda a, b: b != 0}
    left = [
        (a, b) for a, b in product(range(3), repeat=2) if all(tests[text](a, b) for text in where)
    ]
    found = [F(FORMULAS[formula](a, b)) for a, b in left]
    node: Any = {"records": ["a", "b"], "domain": [0, 1, 2]}
    node |= {"where": where} if where else {}
    if not any(found):
        with pytest.raises(InputError, match="S503"):
            weights({"weight": formula}, node)
        return
    assert weights({"weight": formula}, node) == [x / sum(found) for x in found]


def test_weights_of_named_worlds_in_a_mixture_and_of_histograms() -> None:
    """The parts of a mixture are normalised each by itself; a histogram has one weight."""
    parts = [
        {"weight": "1/2", "prior": {"weight": "3 if world == sun else 1"}},
        {"weight": "1/2", "prior": "uniform"},
    ]
    assert weights({"mixture": parts}, ["sun", "rain"]) == [F(5, 8), F(3, 8)]
    crowd = {"records": 3, "domain": [0, 1], "exchangeable": "true"}
    found = weights({"weight": "1 + count(value == 1)"}, crowd)
    assert sorted(found) == [F(k, 10) for k in range(1, 5)]


def test_weights_with_powers_of_e() -> None:
    """e and 1: the odds are e."""
    space = worlds.named(["sun", "rain"])
    node = document.parse(json.dumps({"weight": "exp(1) if world == sun else 1"}), "made.json")
    sun, rain = read_prior(node, space).weights.tolist()
    assert sun + rain == 1
    assert sun / rain == power(F(1))

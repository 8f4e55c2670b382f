"""Mechanisms with powers of e against their formulas, on balls of another library."""

from __future__ import annotations

from fractions import Fraction
from textwrap import dedent
from typing import Any

import pytest
from flint import arb

from tests.mechanisms.building import build
from verifier.base import intervals
from verifier.base.errors import InputError
from verifier.base.exponential import power
from verifier.world.mechanism import Mechanism

ONE_BIT = {"records": ["ann"], "domain": [0, 1]}
E = power(1)


def near(value: Fraction, expected: Any) -> bool:
    """Whether a number lies in a ball of 50 binary digits around what is expected."""
    low, high = intervals.ends((value + 0).enclosed(60))  # type: ignore[attr-defined]
    middle = arb(low.numerator) / low.denominator
    return bool(abs(middle - expected) < 1e-14) and low < high


def likelihoods(made: Mechanism, world: int) -> dict[str, Fraction]:
    return {o: made.probability(k, world) for k, o in enumerate(made.outputs)}


def test_responses() -> None:
    told = likelihoods(build({"randomized_response": {"epsilon": "1"}}, ONE_BIT), 1)
    assert told == {"0": 1 / (1 + E), "1": E / (1 + E)}
    worlds = {"records": ["ann"], "domain": {"a": [0, 1], "b": ["x", "y", "z"]}}
    both = likelihoods(build({"randomized_response": {"epsilon": "1"}}, worlds), 0)
    assert both["0x"] == E / (1 + E) * E / (2 + E) and both["1z"] == 1 / (1 + E) / (2 + E)
    whole = build({"randomized_response": {"epsilon": "1", "per": "record"}}, worlds)
    assert set(likelihoods(whole, 0).values()) == {E / (5 + E), 1 / (5 + E)}
    none = likelihoods(build({"randomized_response": {"epsilon": "0"}}, ONE_BIT), 0)
    assert none == {"0": Fraction(1, 2), "1": Fraction(1, 2)}


def test_geometric_noise() -> None:
    made = build({"geometric": {"query": "ann", "epsilon": "1/10", "low": -5, "high": 5}}, ONE_BIT)
    ratio = (-arb(1) / 10).exp()
    for world in (0, 1):
        for z, p in likelihoods(made, world).items():
            distance = abs(int(z) - world)
            inside = (1 - ratio) / (1 + ratio) * ratio**distance
            expected = ratio**distance / (1 + ratio) if abs(int(z)) == 5 else inside
            assert near(p, expected)


def test_exponential_mechanism() -> None:
    options = {"candidates": [0, 1, 2], "score": "-abs(candidate - ann)"}
    made = build({"exponential": {**options, "epsilon": "1", "sensitivity": "1/2"}}, ONE_BIT)
    by_base = build({"exponential": {**options, "base": "exp(1)"}}, ONE_BIT)
    expected = {"0": E**2 / (E**2 + E + 1), "1": E / (E**2 + E + 1), "2": 1 / (E**2 + E + 1)}
    assert likelihoods(made, 0) == likelihoods(by_base, 0) == expected


def test_discrete_gaussian_noise() -> None:
    options = {"candidates": list(range(-6, 8)), "score": "-(candidate - ann)**2"}
    made = build({"exponential": {**options, "base": "exp(1/8)"}}, ONE_BIT)
    weights = {k: (-arb((k - 1) ** 2) / 8).exp() for k in range(-6, 8)}
    for k, p in likelihoods(made, 1).items():
        assert near(p, weights[int(k)] / sum(weights.values()))


def test_programs() -> None:
    text = """
    flip = draw(bernoulli(exp(-1/2)))
    share = exp(1) / (1 + exp(1))
    other = draw({0: share, 1: 1 - share})
    noise = draw(geometric(ann, exp(-1/4), -1, 2))
    if share > 3/4:
        return 9
    return noise if flip == 1 else other
    """
    told = likelihoods(build({"program": dedent(text)}, ONE_BIT), 0)
    flip, share, ratio = (-arb(1) / 2).exp(), arb(1).exp() / (1 + arb(1).exp()), (-arb(1) / 4).exp()
    inside = (1 - ratio) / (1 + ratio)
    noise = {-1: ratio / (1 + ratio), 0: inside, 1: inside * ratio, 2: ratio**2 / (1 + ratio)}
    assert set(told) == {"-1", "0", "1", "2"} and sum(told.values()) == 1
    for z, p in told.items():
        other = {"0": share, "1": 1 - share}.get(z, arb(0))
        assert near(p, flip * noise[int(z)] + (1 - flip) * other)


def test_combinations_of_mechanisms() -> None:
    once = {"randomized_response": {"epsilon": "1"}}
    twice = likelihoods(build({"compose": [once, once]}, ONE_BIT), 0)
    assert sorted(twice.values()) == sorted(
        [1 / (1 + E) ** 2, E / (1 + E) ** 2, E / (1 + E) ** 2, E**2 / (1 + E) ** 2]
    )
    counted = build({"repeat": {"of": once, "runs": 3}}, ONE_BIT)
    assert sum(likelihoods(counted, 1).values()) == 1
    mixed = {"mixture": [{"weight": "exp(-1)", "mechanism": once}] * 1}
    mixed["mixture"].append({"weight": "1 - exp(-1)", "mechanism": {"deterministic": "0"}})
    assert sum(likelihoods(build(mixed, ONE_BIT), 1).values()) == 1


@pytest.mark.parametrize(
    ("mechanism", "code"),
    [
        ({"randomized_response": {}}, "S016"),
        ({"randomized_response": {"truth": "1/2", "epsilon": "1"}}, "S016"),
        ({"randomized_response": {"epsilon": "-1"}}, "S110"),
        ({"randomized_response": {"epsilon": "exp(1)"}}, "S116"),
        ({"randomized_response": {"epsilon": "20000"}}, "S116"),
        ({"randomized_response": {"truth": "exp(1)"}}, "S104"),
        ({"randomized_response": {"truth": "exp(1"}}, "S115"),
        ({"geometric": {"query": "ann", "epsilon": "0"}}, "S110"),
        ({"geometric": {"query": "ann", "ratio": "exp(1)"}}, "S110"),
        ({"geometric": {"query": "ann", "epsilon": "1", "ratio": "1/2"}}, "S016"),
        ({"geometric": {"query": "ann * exp(1)", "ratio": "1/2"}}, "S110"),
        ({"geometric": {"query": "ann", "ratio": "1/2", "low": "exp(1)"}}, "S118"),
        ({"exponential": {"candidates": [0], "score": "0", "epsilon": "1"}}, "S016"),
        (
            {"exponential": {"candidates": [0], "score": "0", "epsilon": "1", "sensitivity": "0"}},
            "S110",
        ),
        ({"exponential": {"candidates": [0], "score": "exp(1)", "base": "2"}}, "S110"),
        ({"program": "return draw(geometric(exp(1), 1/2, 0, 1))"}, "S306"),
        ({"program": "return exp(1) // 2"}, "S118"),
        ({"program": "return exp(exp(1))"}, "S116"),
        ({"program": "return draw(bernoulli(exp(1)))"}, "S311"),
        ({"program": "return draw({0: exp(-1), 1: 0.6})"}, "S311"),
        ({"deterministic": "exp('1')"}, "S306"),
    ],
)
def test_bad_input(mechanism: Any, code: str) -> None:
    with pytest.raises(InputError) as caught:
        build(mechanism, ONE_BIT)
    assert caught.value.code == code and caught.value.place is not None and caught.value.hint

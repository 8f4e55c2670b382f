"""Randomized response, geometric noise and the exponential mechanism against closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.mechanisms.building import BITS, F, build, rows
from verifier.base.errors import InputError


@pytest.mark.parametrize("truth", ["3/4", "0", "1", "1/2", "1/1000000000000000000000000000001"])
@pytest.mark.parametrize(("domain", "count"), [([0, 1], 3), (["a", "b", "c"], 2), (["x", "yy"], 2)])
def test_randomized_response(truth: str, domain: list[Any], count: int) -> None:
    made = build({"randomized_response": {"truth": truth}}, {"records": count, "domain": domain})
    p, lie = F(truth), (1 - F(truth)) / (len(domain) - 1)
    everything = list(product(domain, repeat=count))
    short = max(len(str(v)) for v in domain) == 1
    assert list(made.outputs) == [
        "".join(map(str, v)) if short else f"({', '.join(map(str, v))})" for v in everything
    ]
    for k, answer in enumerate(everything):
        for w, world in enumerate(everything):
            expected = F(1)
            for said, true in zip(answer, world, strict=True):
                expected *= p if said == true else lie
            assert made.probability(k, w) == expected


def test_randomized_response_of_entries_and_of_records() -> None:
    worlds = {"records": 1, "domain": {"A": [0, 1], "B": ["x", "y", "zz"]}, "where": "r1.A == 0"}
    by_entry = build({"randomized_response": {"truth": "3/4"}}, worlds)
    expected = {
        f"({a}, {b})": (F(3, 4) if a == 0 else F(1, 4)) * (F(3, 4) if b == "y" else F(1, 8))
        for a, b in product([0, 1], ["x", "y", "zz"])
    }
    assert rows(by_entry, ["x", "y", "zz"])["y"] == expected
    by_record = build({"randomized_response": {"truth": "3/4", "per": "record"}}, worlds)
    assert rows(by_record, ["x", "y", "zz"])["zz"] == {
        f"({a}/{b})": F(3, 4) if (a, b) == (0, "zz") else F(1, 20)
        for a, b in product([0, 1], ["x", "y", "zz"])
    }


def test_randomized_response_with_many_values() -> None:
    """More than 255 values, so that codes of one byte would wrap."""
    made = build(
        {"randomized_response": {"truth": "1/2"}}, {"records": 1, "domain": list(range(300))}
    )
    assert made.probability(299, 299) == made.probability(43, 43) == F(1, 2)
    assert made.probability(299, 43) == made.probability(43, 299) == F(1, 598)


@pytest.mark.parametrize(
    "worlds",
    [
        {"records": 2, "domain": [0, 1], "absent": True},
        {"records": 2, "domain": [0]},
        {"records": 1, "domain": {"A": [0], "B": [0, 1]}},
        ["u", "v"],
    ],
)
def test_randomized_response_needs_present_records_with_choices(worlds: Any) -> None:
    if isinstance(worlds, dict) and "absent" in worlds:
        worlds = {**worlds, "absent": "true"}
    with pytest.raises(InputError, match="S109"):
        build({"randomized_response": {"truth": "3/4"}}, worlds)


def noise(z: int, ratio: Fraction) -> Fraction:
    return (1 - ratio) / (1 + ratio) * ratio ** abs(z)


def upwards(d: int, ratio: Fraction) -> Fraction:
    """P(noise >= d): the sum of a geometric series, by symmetry also below 0."""
    return ratio**d / (1 + ratio) if d >= 0 else 1 - upwards(1 - d, ratio)


def test_the_tails_are_sums() -> None:
    for d in range(-5, 6):
        for ratio in (F(1, 2), F(2, 3)):
            assert upwards(d, ratio) - upwards(d + 1, ratio) == noise(d, ratio)
            truncated = sum(noise(z, ratio) for z in range(d, 120))
            assert 0 < upwards(d, ratio) - truncated < F(1, 10**18)


CLAMPS = [(None, None), (0, 3), (-4, None), (None, 9), (1, 1), (7, 9), (-9, -7), (7, None)]
CLAMPS += [(-9, None), (None, -7), (None, 2), (2, None), (2, 3)]


@pytest.mark.parametrize(("low", "high"), CLAMPS)
@pytest.mark.parametrize("query", ["count(value == 1)", "5", "3 * r1 - 2 * r2"])
def test_geometric_noise(low: int | None, high: int | None, query: str) -> None:
    """Every released value by itself: below and above all query values the rows of unclamped
    noise are proportional, and merged into one output each."""
    options = {"query": query, "ratio": "1/3"}
    options |= {k: str(v) for k, v in (("low", low), ("high", high)) if v is not None}
    made = build({"geometric": options}, BITS)
    ratio = F(1, 3)
    databases = list(product([0, 1], repeat=2))
    centers = [
        {"count(value == 1)": a + b, "5": 5, "3 * r1 - 2 * r2": 3 * a - 2 * b}[query]
        for a, b in databases
    ]
    bottom, top = -60 if low is None else low, 60 if high is None else high
    for world, center in enumerate(centers):
        released = {z: noise(z - center, ratio) for z in range(bottom, top + 1)}
        released[bottom] = upwards(center - bottom, ratio)
        released[top] = upwards(top - center, ratio)
        if bottom == top:
            released[top] = F(1)
        total = dict.fromkeys(made.outputs, F(0))
        for z, p in released.items():
            total[label(z, list(made.outputs))] += p
        assert [made.probability(k, world) for k in range(len(made.outputs))] == list(
            total.values()
        )
    plain = [name for name in made.outputs if name[0] not in "≤≥a"]
    if low is not None:
        assert made.outputs[0] == str(low)
    if high is not None:
        assert made.outputs[-1] == str(high)
    middle = [z for z in range(min(centers) + 1, max(centers)) if bottom < z < top]
    assert set(map(str, middle)) <= set(plain), "only outputs beyond all query values are merged"


def label(z: int, outputs: list[str]) -> str:
    """The output that a released value belongs to."""
    if str(z) in outputs:
        return str(z)
    if outputs == ["any"]:
        return "any"
    low, high = outputs[0], outputs[-1]
    if low.startswith("≤") and z <= int(low[1:]):
        return low
    assert high.startswith("≥") and z >= int(high[1:])
    return high


def test_geometric_levels_and_errors() -> None:
    as_ratio = build({"geometric": {"query": "r1", "ratio": "2/5"}}, BITS)
    as_level = build({"geometric": {"query": "r1", "exp_epsilon": "5/2"}}, BITS)
    assert as_ratio.values == as_level.values and (as_ratio.codes == as_level.codes).all()
    for wrong in (
        {"query": "r1"},
        {"query": "r1", "ratio": "1/2", "exp_epsilon": 2},
        {"query": "r1", "ratio": 1},
        {"query": "r1", "exp_epsilon": 1},
        {"query": "r1 / 2", "ratio": "1/2"},
        {"query": "r1 == 1", "ratio": "1/2"},
        {"query": "r1", "ratio": "1/2", "low": 3, "high": 2},
        {"query": "r1 * 1000000", "ratio": "1/2"},
    ):
        with pytest.raises(InputError):
            build({"geometric": wrong}, BITS)


@pytest.mark.parametrize("base", ["2", "1/3", "1"])
def test_exponential(base: str) -> None:
    score = "count(value == candidate) - 2 * candidate"
    made = build({"exponential": {"candidates": [0, 1, "1/2"], "score": score, "base": base}}, BITS)
    assert made.outputs == ("0", "1", "1/2")
    for world, database in enumerate(product([0, 1], repeat=2)):
        weights = [F(base) ** int(database.count(c) - 2 * c) for c in (0, 1, F(1, 2))]
        for k, weight in enumerate(weights):
            assert made.probability(k, world) == weight / sum(weights)


def test_exponential_with_words_and_errors() -> None:
    options = {"candidates": ["a", "b"], "score": "-10 if candidate == 'a' else 0", "base": 10}
    made = build({"exponential": options})
    assert rows(made)["u"] == {"a": F(1, 10**10 + 1), "b": F(10**10, 10**10 + 1)}
    for wrong in ({"base": 0}, {"candidates": []}, {"candidates": ["1", "1.0"]}, {"score": "1/2"}):
        with pytest.raises(InputError, match="S110"):
            build({"exponential": {**options, **wrong}})

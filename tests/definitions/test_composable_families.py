"""Levels add up for independent records under a constraint: couplings at many priors, and two runs
of drawn mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.definitions.drawn import Json, decide
from tests.definitions.test_implied_by_families import (
    bits,
    constraints,
    node_of,
    priors_of,
    values_of,
)
from tests.drawing import examples, wider
from verifier.base.errors import LimitReached, NotDecided
from verifier.engines.composition import family_composes

F = Fraction
World = tuple[int, ...]
EXAMPLES = examples(wider(8, 40))


def spec_of(worlds: Json, priors: Any = "product") -> Json:
    check = {"universally_composable": {"pairs": "values", "priors": priors}}
    return {"worlds": worlds, "checks": [check]}


@pytest.mark.parametrize(
    ("records", "where"),
    [
        (3, "r1 >= r2"),
        (3, "r1 + r2 + r3 <= 1"),
        (4, "r1 + r2 + r3 + r4 == 2"),
        (3, "r1 + r2 != 1"),
    ],
)
def test_levels_add_up(records: int, where: str) -> None:
    """As docs/theory.md proves for a free record, a public count and at most one; two
    records that are equal are like one."""
    assert decide(spec_of(bits(records, where))).verdict == "holds"


def test_records_alike_and_chains() -> None:
    assert decide(spec_of(bits(3, "r1 + r2 != 1"), "iid")).verdict == "holds"
    step = {0: {0: [0, 1], 1: [0, 1]}, 1: {0: [0, 1], 1: [0, 1]}}
    chains = {"markov": {"initial": {0: [0, 1], 1: [0, 1]}, "transition": step}}
    assert decide(spec_of(bits(2), chains)).verdict == "holds"


@pytest.mark.parametrize(
    ("where", "priors"),
    [("r1 + r2 + r3 <= 2", "product"), ("r1 + r2 + r3 != 2", "product"), (None, "iid")],
)
def test_what_is_not_proved(where: str | None, priors: str) -> None:
    """Of at most two of three levels do not add up, by docs/theory.md; three bits of one unknown
    distribution have 001 and 010 together."""
    with pytest.raises(NotDecided, match=r"compared by themselves: given 'r[123] = [01]'"):
        decide(spec_of(bits(3, where), priors))


def test_what_has_no_family() -> None:
    with pytest.raises(NotDecided, match="'constraints' are universally composable"):
        decide(spec_of(bits(2), {"constraints": ["P(r1 == 1) >= 1/3"]}))


def test_too_many_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_composes, "MAX_SETS", 3)
    with pytest.raises(LimitReached, match="more than 3 sets of worlds"):
        decide(spec_of(bits(4, "r1 + r2 + r3 + r4 == 2")))


def nearly_alone(
    values: int, worlds: Sequence[World], sides: tuple[Sequence[World], Sequence[World]]
) -> set[tuple[World, World]]:
    """Worlds of two secrets that have nearly all probability, each of its own, where values have
    the weights 10^(-4 h), h from 0 to 2."""
    found = set()
    for powers in product(range(3), repeat=values * len(worlds[0])):
        weight = {
            w: F(1, 10 ** (4 * sum(powers[values * i + x] for i, x in enumerate(w))))
            for w in worlds
        }
        v, w = (max(s, key=weight.__getitem__) for s in sides)
        if all(
            weight[x] * 100 > 99 * sum(map(weight.get, s))
            for x, s in zip((v, w), sides, strict=True)
        ):
            found.add((v, w))
    return found


def coupled(
    prior: Mapping[World, Fraction],
    sides: Sequence[Sequence[World]],
    near: set[tuple[World, World]],
) -> bool:
    """Whether what is believed given two secrets is a coupling of worlds that are near, by Hall."""
    s, t = ([w for w in side if prior[w]] for side in sides)
    p, q = (sum((prior[w] for w in side), F(0)) for side in (s, t))
    for size in range(len(s) + 1):
        for some in combinations(s, size):
            others = [w for w in t if any((v, w) in near for v in some)]
            if sum((prior[v] for v in some), F(0)) * q > sum((prior[w] for w in others), F(0)) * p:
                return False
    return True


@EXAMPLES
@given(constraints())
def test_couplings_at_many_priors(drawn: tuple[int, list[World]]) -> None:
    """What is decided to hold has couplings; where it is not proved, some prior of a few has none
    of the worlds that these single out, or secrets share worlds that others compare."""
    values, worlds = drawn
    try:
        decide(spec_of(node_of(values, worlds)))
        composes = True
    except NotDecided:
        composes = False
    near: set[tuple[World, World]] = set()
    for sides in values_of(worlds):
        found = nearly_alone(values, worlds, sides)
        near |= found | {(w, v) for v, w in found}
    priors = list(priors_of(values, worlds))[:: 1 if len(worlds[0]) == 2 else 3]
    have = all(
        coupled(prior, sides, near)
        for prior in priors
        for sides in values_of(worlds)
        if all(any(prior[w] for w in s) for s in sides)
    )
    assert composes <= have


@EXAMPLES
@given(constraints(), st.data())
def test_two_runs(drawn: tuple[int, list[World]], data: st.DataObject) -> None:
    """Where levels add up, two runs of a mechanism leak at most the square of its level."""
    values, worlds = drawn
    names = ["".join(map(str, w)) for w in worlds]
    try:
        decide(spec_of(node_of(values, worlds)))
    except NotDecided:
        return
    table: Json = {"outputs": ["yes", "no"]}
    for name in names:
        yes = data.draw(st.integers(1, 9))
        table[name] = [f"{yes}/10", f"{10 - yes}/10"]
    spec = {"worlds": node_of(values, worlds), "mechanism": {"table": table}, "pairs": "values"}
    once = decide({**spec, "checks": [{"pufferfish": {"exp_epsilon": "99", "priors": "product"}}]})
    assert once.leakage is not None
    high = once.leakage.bounds[1] if once.leakage.bounds else once.leakage.exp_epsilon
    assert high is not None
    rows = [[F(table[name][o]) for name in names] for o in (0, 1)]
    for prior in list(priors_of(values, worlds))[::7]:
        for sides in values_of(worlds):
            masses = [sum((prior[w] for w in s), F(0)) for s in sides]
            for first, second in product(rows, repeat=2) if all(masses) else ():
                both = {
                    w: prod(x) for w, x in zip(worlds, zip(first, second, strict=True), strict=True)
                }
                p, q = (
                    sum((prior[w] * both[w] for w in s), F(0)) / m
                    for s, m in zip(sides, masses, strict=True)
                )
                assert p <= high**2 * q and q <= high**2 * p

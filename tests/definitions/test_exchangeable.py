"""Exchangeable records: what is decided on histograms is what is decided on lists."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, digest_of, opened
from tests.definitions import drawn
from tests.definitions.cases import DELTAS
from tests.definitions.drawn import Draw, Json, decide
from tests.drawing import examples
from verifier import checker
from verifier.base.level import Leakage

EXAMPLES = examples(25)
Pair = tuple[Json, Json]  # a check on lists and the same one on histograms


def histogram(database: Any) -> str:
    counts = Counter(drawn.value_text(v) for v in database)
    order = sorted(counts, key=lambda text: (text == "⊥", text))
    return " ".join(f"{text}×{counts[text]}" for text in order)


@st.composite
def questions(draw: Draw, canonical: bool = False) -> Pair:
    absent = canonical or draw(st.booleans())
    domain = draw(st.sampled_from([["0", "1"], ["0", "1", "2"], ["a"]]))
    values = [*map(drawn.value, domain), *([None] if absent else [])]
    records = draw(st.integers(1, 3 if len(values) <= 2 else 2))
    lists = list(product(values, repeat=records))
    names = [drawn.world_name(d, values[: len(domain)], absent) for d in lists]
    kinds = list(dict.fromkeys(map(histogram, lists)))
    times = Counter(map(histogram, lists))
    rows = dict(zip(kinds, draw(drawn.matrices(len(kinds))), strict=True))
    outputs = [f"o{k}" for k in range(len(rows[kinds[0]]))]

    def mechanism(worlds: dict[str, str]) -> Json:
        table = {name: [str(p) for p in rows[kind]] for name, kind in worlds.items()}
        return {"table": {"outputs": outputs, **table}}

    def prior() -> tuple[Any, Any]:
        kind = draw(st.sampled_from(["uniform", "iid", "worlds", "worlds"]))
        if kind == "uniform":
            return kind, kind
        if kind == "iid":
            weights = draw(drawn.distributions(len(values)))
            texts = [*domain, *["⊥"] * absent]
            return ({"iid": dict(zip(texts, map(str, weights), strict=True))},) * 2
        weights = dict(zip(kinds, draw(drawn.distributions(len(kinds))), strict=True))
        each = {
            name: str(weights[histogram(d)] / times[histogram(d)])
            for name, d in zip(names, lists, strict=True)
        }
        return {"worlds": each}, {"worlds": {kind: str(p) for kind, p in weights.items()}}

    everything = draw(st.integers(0, 4)) == 0
    priors = [prior() for _ in range(draw(st.integers(1, 2)))]
    known = draw(st.none() | st.fixed_dictionaries({k: st.sampled_from("xy") for k in kinds}))
    options: Json = {"indexed": draw(st.sampled_from(["true", "false"]))}
    options["delta"] = str(draw(st.sampled_from(DELTAS)))
    if canonical:
        options["simulator"] = "canonical"

    def spec(side: int, worlds: dict[str, str]) -> Json:
        about = {"priors": "all" if everything else {"list": [pair[side] for pair in priors]}}
        if known:
            about["auxiliary"] = {name: known[kind] for name, kind in worlds.items()}
        space = {"records": str(records), "domain": domain, "absent": str(absent).lower()}
        return {
            "worlds": {**space, **({"exchangeable": "true"} if side else {})},
            "mechanism": mechanism(worlds),
            "checks": [{"distributional_privacy": {"exp_epsilon": "2", **options, **about}}],
        }

    of_lists = dict(zip(names, map(histogram, lists), strict=True))
    return spec(0, of_lists), spec(1, {kind: kind for kind in kinds})


@EXAMPLES
@given(questions() | questions(canonical=True))
def test_histograms_decide_as_lists_do(pair: Pair) -> None:
    lists, histograms = map(decide, pair)
    assert histograms.verdict == lists.verdict
    # what lists tell apart, and compare with itself, histograms may not compare at all
    found = replace(histograms.leakage, vacuous=lists.leakage.vacuous)
    assert lists.leakage == found or both_enclose(histograms, lists)
    assert histograms.leakage.vacuous >= lists.leakage.vacuous


def both_enclose(left: Any, right: Any) -> bool:
    """Whether two enclosures of an irrational level meet."""
    (a, b), (c, d) = left.leakage.bounds, right.leakage.bounds
    return bool(a <= d and c <= b)


def exact_sum(records: int, delta: str, level: str = "2", priors: Any = None) -> Json:
    return {
        "worlds": {"records": str(records), "domain": ["0", "1"], "exchangeable": "true"},
        "mechanism": {"deterministic": "sum(value)"},
        "priors": {"list": priors or ["uniform"]},
        "checks": [{"distributional_privacy": {"exp_epsilon": level, "delta": delta}}],
    }


def test_the_sum_of_two_hundred_coins() -> None:
    """At level 1 a simulator can do no better than half the distance of the two values, which is
    the largest of the probabilities C(199, k)/2^199."""
    half = Fraction(comb(199, 99), 2**200)
    answer = decide(exact_sum(200, str(half), "1"))
    assert answer.leakage == Leakage(Fraction(1)) and answer.scope["worlds"] == 201
    assert decide(exact_sum(200, str(half * Fraction(99, 100)), "1")).verdict == "violated"
    assert decide(exact_sum(200, "0")).leakage == Leakage()


def test_a_program_and_a_constraint() -> None:
    """At least one of three records is a 1; the number of ones with a fair bit added."""
    given_worlds = {"records": "3", "domain": ["0", "1"], "where": ["count(value == 1) >= 1"]}
    check = {"distributional_privacy": {"exp_epsilon": "2", "delta": "1/5"}}
    leakages = [
        decide(
            {
                "worlds": {**given_worlds, **more},
                "mechanism": {"program": "k = sum(value)\nreturn k + draw(uniform(0, 1))"},
                "priors": {"list": [{"iid": {"0": "1/3", "1": "2/3"}}, "uniform"]},
                "checks": [check],
            }
        ).leakage
        for more in ({}, {"exchangeable": "true"})
    ]
    assert leakages[0] == leakages[1] or leakages[0].bounds == leakages[1].bounds  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["counts", "priors", "simulator", "views", "sum", "values"])
def test_certificates_that_do_not_hold(key: str) -> None:
    certificate = decide(exact_sum(4, "1/4")).certificate
    assert certificate and checker.check(certificate).outcome == "accepted"
    broken = deepcopy(opened(certificate))
    if key == "counts":
        broken["model"]["counts"][0], broken["model"]["counts"][1] = (
            broken["model"]["counts"][1],
            broken["model"]["counts"][0],
        )
    elif key == "priors":
        broken["relation"]["priors"][0].pop()
    elif key == "simulator":
        broken["evidence"]["witness"]["simulator"].pop()
    elif key == "views":
        broken["relation"]["views"] = []
    elif key == "sum":
        broken["model"]["counts"][0][0] += 1
    else:
        broken["model"]["counts"][0].append(0)
    if key in ("counts", "sum", "values"):  # a digest that fits
        broken["claim"]["digest"] = digest_of(broken["model"])
    assert check(broken).outcome != "accepted"

"""Certificates that comparisons imply a definition about a class of priors, and broken siblings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.checker.outcomes import GONE, accepted, outcome, with_parts
from tests.drawing import wider
from verifier.run import verify

Json = dict[str, Any]
Write = Callable[[str], str]
CONSTRAINED = """
worlds: {records: [ann, bob], domain: [0, 1], where: ann >= bob}
pairs: values
checks:
  - implies:
      if: {differential_privacy: {exp_epsilon: 2}}
      then: {pufferfish: {exp_epsilon: 3, priors: product}}
"""
EQUAL = """
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
checks:
  - implies:
      if: {differential_privacy: {exp_epsilon: 2}}
      then: {pufferfish: {exp_epsilon: 2, priors: iid}}
"""
CHAIN = """
worlds: {records: [ann, bob], domain: [0, 1]}
pairs: values
checks:
  - implies:
      if: {differential_privacy: {exp_epsilon: 2}}
      then:
        pufferfish:
          exp_epsilon: LEVEL
          priors:
            markov:
              initial: stationary
              transition: {0: {0: [1/2, 3/4], 1: [1/4, 1/2]}, 1: {0: [1/4, 1/2], 1: [1/2, 3/4]}}
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file, and return its path."""

    def do(text: str) -> str:
        path = tmp_path / "spec.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return do


def answered(write: Write, text: str) -> verify.Result:
    (result,) = verify.run(write(text))
    return result


def document(write: Write, text: str) -> Json:
    made = answered(write, text).certificate
    assert made is not None
    accepted(made)
    return made


def test_under_a_constraint_two_changed_records_are_compared(write: Write) -> None:
    """Of 00, 10 and 11 each step is worth 2; nearly certain that Bob is like Ann, an attacker
    compares 00 with 11. At 4 it holds."""
    found = answered(write, CONSTRAINED)
    assert found.verdict == "violated" and found.leakage and found.leakage.exp_epsilon == 4
    assert answered(write, CONSTRAINED.replace("3,", "4,")).verdict == "holds"


def test_equal_distributions_need_no_more_than_one_record(write: Write) -> None:
    found = answered(write, EQUAL)
    assert found.verdict == "holds" and found.leakage and found.leakage.exp_epsilon == 2


def test_no_prior_and_no_mechanism_exceeds_what_is_enough() -> None:
    """Mechanisms of the premise with small numbers, and drawn distributions of both records: none
    needs more than 4, and none of the equal ones more than 2."""
    random, grid = Random(3), [Fraction(n, 12) for n in range(1, 13)]
    worlds, tried = list(product((0, 1), repeat=2)), 0
    for _ in range(wider(400, 4000)):
        x = {w: random.choice(grid) for w in worlds}
        rows = [x, {w: 1 - p for w, p in x.items()}]
        near = [(v, w) for v in worlds for w in worlds if sum(map(int.__ne__, v, w)) == 1]
        if any(row[v] > 2 * row[w] for row in rows for v, w in near):
            continue
        tried += 1
        one, other = (Fraction(random.randint(1, 9), 10) for _ in "xy")
        for shares, allowed, most in (
            ((one, other), [w for w in worlds if w[0] >= w[1]], 4),
            ((one, one), worlds, 2),
        ):
            weight = {w: _share(shares[0], w[0]) * _share(shares[1], w[1]) for w in allowed}
            for record, row in product((0, 1), rows):
                given = [[w for w in allowed if w[record] == v] for v in (0, 1)]
                left, right = (
                    sum(weight[w] * row[w] for w in side) / sum(weight[w] for w in side)
                    for side in given
                )
                assert left <= most * right and right <= most * left
    assert tried > 10


def _share(p: Fraction, value: int) -> Fraction:
    return p if value else 1 - p


def test_between_the_bounds_it_is_undecided(write: Write) -> None:
    """4, 2, 2, 1 for 00, 01, 10, 11 under 3/8, 1/8, 1/8, 3/8 need (3·4 + 2)/(2 + 3)."""
    for level, verdict in (("2", "violated"), ("3", "undecided"), ("4", "holds")):
        found = answered(write, CHAIN.replace("LEVEL", level))
        assert found.verdict == verdict
        if found.leakage is not None:
            assert found.leakage.bounds == (Fraction(14, 5), 4)
    accepted(document(write, CHAIN.replace("LEVEL", "2")))


def test_broken_siblings(write: Write) -> None:
    made = document(write, CONSTRAINED.replace("3,", "4,"))
    worst = made["evidence"]["witness"]["worst"]
    assert worst["within"] == "all" and made["answer"]["leakage"] == {"exp_epsilon": "4"}
    curve = worst["curve"]
    changes: list[tuple[str, Any]] = [
        ("answer__leakage", {"exp_epsilon": "3"}),
        ("answer__leakage", {"exp_epsilon": "5"}),
        ("answer__leakage", {"infinite": True}),
        ("answer__leakage", {"vacuous": True}),
        ("answer__leakage", None),
        ("answer__verdict", "violated"),
        ("witness__worst", None),
        ("witness__worst", {}),
        ("witness__worst__output", 1),
        ("witness__worst__output", 2),
        ("witness__worst__output", -1),
        ("witness__worst__output", True),
        ("witness__worst__within", "product"),
        ("witness__worst__within", "iid"),
        ("witness__worst__within", None),
        ("witness__worst__within", GONE),
        ("witness__worst__more", 0),
        ("witness__worst__curve", {}),
        ("witness__worst__curve__pair", curve["pair"][::-1]),
        ("witness__worst__curve__pair", [curve["pair"][0]] * 2),
        ("witness__worst__curve__pair", []),
        ("witness__worst__curve__point", []),
        ("witness__worst__curve__point", ["0"] * len(curve["point"])),
        ("witness__worst__curve__point", [*curve["point"], "1"]),
        ("witness__worst__curve__powers", [0] * len(curve["powers"])),
        ("witness__worst__curve__powers", [-1] * len(curve["powers"])),
        ("witness__proofs", []),
        ("witness__inequalities", []),
        ("mechanism__values", ["0", "1"]),
    ]
    for path, value in changes:
        assert outcome(with_parts(made, **{path: value})) != "accepted", (path, value)


def test_a_larger_class_is_that_of_independent_records_only_for_equal_ones(write: Write) -> None:
    made = document(write, EQUAL)
    assert made["evidence"]["witness"]["worst"]["within"] == "product"
    assert outcome(with_parts(made, witness__worst__within="all")) == "rejected"


def test_what_stays_undecided(write: Write) -> None:
    """With δ, and of hedging, where another definition is asked of values."""
    known = "{hedging: {weight: 1/2, known: {0: 1/2, 1: 1/2}}}"
    for text in (
        EQUAL.replace("2, priors", "2, delta: 1/4, priors"),
        EQUAL.replace("iid", known),
    ):
        assert answered(write, text).verdict == "undecided"

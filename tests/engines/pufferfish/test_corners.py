"""Priors found without products of polynomials: their levels are needed, here the smallest ones."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from tests.definitions.drawn import Json, decide
from tests.priors.test_several_parameters import spec
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.engines.pufferfish import polynomials
from verifier.questions.witness import OutputWitness

BETWEEN = {"0": {"0": ["1/2", "9/10"], "1": ["1/10", "1/2"]}}
BETWEEN["1"] = {"1": BETWEEN["0"]["0"], "0": BETWEEN["0"]["1"]}
BITS: Json = {
    "worlds": {"records": ["ann", "bob"], "domain": [0, 1]},
    "secrets": {"yes": "ann == 1", "no": "ann == 0"},
    "mechanism": {"randomized_response": {"truth": "3/4"}},
    "priors": {"markov": {"initial": {"0": "1/2", "1": "1/2"}, "transition": BETWEEN}},
}


def bits(level: str, **more: Any) -> Json:
    """At 9/10 Ann's bit leaks 3·(3·9/10 + 1/10)/(9/10 + 3/10) = 7."""
    check = {"pufferfish": {"pairs": [["yes", "no"]], "exp_epsilon": level}}
    return {**BITS, **more, "checks": [check]}


@pytest.fixture(autouse=True)
def _without_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomials, "MAX_TERMS", 0)


@pytest.mark.parametrize(
    ("asked", "leakage"),
    [(bits("6"), Leakage(F(7))), (spec("1442/1000"), Leakage(bounds=(F(13, 9), F(3))))],
    ids=["corner", "middle"],
)
def test_a_violation_is_a_complete_answer(asked: Json, leakage: Leakage) -> None:
    """Where all votes but Ann's differ, yes has 3/4 given s, and 1/4 given t: 3 is enough."""
    answer = decide(asked)
    assert (answer.verdict, answer.leakage) == ("violated", leakage)
    assert isinstance(answer.shown, OutputWitness) and answer.shown.ratio == leakage.low


def test_what_is_known_is_told() -> None:
    assert decide(bits("7")).leakage == Leakage(F(7))
    with pytest.raises(NotDecided, match=r"it is at least 1\.44444444444, at most 3; .*terms"):
        decide(spec("13/9"))
    assert decide(spec("3")).verdict == "holds"


def test_an_infinite_level() -> None:
    """Bob's bit tells 9/10 against 1/10 of Ann's, her own all of it."""
    answer = decide(bits("7", mechanism={"deterministic": "bob"}))
    assert answer.leakage == Leakage(F(9)) and isinstance(answer.shown, OutputWitness)
    assert answer.shown.ratio == 9
    answer = decide(bits("7", mechanism={"deterministic": "ann"}))
    assert answer.leakage is not None and answer.leakage.infinite

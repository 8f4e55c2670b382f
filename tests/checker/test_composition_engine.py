"""Certificates of the engine for every class are accepted, what is made of them is not."""

import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checker.drafts import check, opened
from tests.definitions.drawn import decide
from tests.drawing import examples
from verifier.base.errors import NotDecided
from verifier.questions.answer import write

Json = dict[str, Any]
HAIR = Fraction(1, 10**30)
NAMES = ["00", "01", "10", "11"]
ALICE = {"s": "r1 == 0", "t": "r1 == 1"}
PRIORS: dict[str, Any] = {
    "list": {"list": ["uniform", {"worlds": {"00": "1/2", "11": "1/3", "10": "1/6"}}]},
    "hull": {
        "hull": [{"worlds": {"00": "1/2", "01": "1/2"}}, {"worlds": {"11": "1/3", "10": "2/3"}}]
    },
    "conditionals": {
        "conditionals": [
            {"s": {"worlds": {"00": "1"}}, "t": {"worlds": {"11": "1/3", "10": "2/3"}}},
            {"s": {"worlds": {"00": "1/9", "01": "8/9"}}, "t": {"worlds": {"11": "1"}}},
        ]
    },
    "iid": "iid",
    "known": {"hedging": {"weight": "1", "known": {"0": "1/3", "1": "2/3"}}},
    "unknown": {"hedging": {"weight": "0", "known": {"0": "1/3", "1": "2/3"}}},
    "hedging": {"hedging": {"weight": "1/7", "known": {"0": "1"}}},
    "markov": {
        "markov": {
            "initial": {"0": ["1/4", "1/2"], "1": ["1/3", "3/4"]},
            "transition": {"0": {"1": "1"}, "1": {"0": ["1/9", "1"], "1": ["1/8", "1/3"]}},
        }
    },
    "stationary": {
        "markov": {
            "initial": "stationary",
            "transition": {"0": {"1": "1"}, "1": {"0": ["1/9", "1"], "1": ["1/8", "1/3"]}},
        }
    },
    "constraints": {"constraints": ["P(10) == P(11)", "P(00) <= 3 * P(01)"]},
    "chained": {"constraints": ["P(00) <= P(10)", "P(10) <= 2 * P(11)", "P(01) <= P(00)"]},
}
SOME = [Fraction(x) for x in (1, 1, 2, 3, 4, 16)]


def columns(zeros: bool) -> st.SearchStrategy[list[list[Fraction]]]:
    parts = st.sampled_from([*SOME, *([Fraction(0)] * 2 * zeros)])
    column = st.lists(parts, min_size=3, max_size=3).filter(any)
    whole = column.map(lambda c: [x / sum(c) for x in c])
    return st.lists(whole, min_size=4, max_size=4)


def answered(priors: Any, table: list[list[Fraction]], alpha: str) -> Json | None:
    """The certificate, which was accepted; None where the engine does not decide."""
    rows = {name: list(map(str, column)) for name, column in zip(NAMES, table, strict=True)}
    spec = {
        "worlds": {"records": "2", "domain": ["0", "1"]},
        "mechanism": {"table": {"outputs": ["a", "b", "c"], **rows}},
        "secrets": ALICE,
        "pairs": [["s", "t"]],
        "priors": priors,
        "checks": [{"composition": {"exp_epsilon": alpha}}],
    }
    try:
        found = decide(spec).certificate
    except NotDecided:
        return None
    return opened(json.loads(write(found))) if found else None


def broken(good: Json) -> Iterator[Json]:
    """Siblings that claim or prove something else."""
    claim, witness = good["claim"], good["evidence"]["witness"]

    def sibling(*path: Any, to: Any) -> Json:
        copy = deepcopy(good)
        inner = copy
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to
        return copy

    yield sibling(
        "claim", "verdict", to={"holds": "violated", "violated": "holds"}[claim["verdict"]]
    )
    for other in ({"vacuous": True}, {"infinite": True}, {"exp_epsilon": "1"}):
        if other != claim["leakage"]:
            yield sibling("claim", "leakage", to=other)
    if "exp_epsilon" in claim["leakage"]:
        value = Fraction(claim["leakage"]["exp_epsilon"])
        for off in (1 - HAIR, 1 + HAIR):
            yield sibling("claim", "leakage", to={"exp_epsilon": str(value * off)})
    if "lower" in claim["leakage"]:
        low, high = (Fraction(claim["leakage"][end]) for end in ("lower", "upper"))
        for ends in ((low * (1 - HAIR), low), (high, high * (1 + HAIR)), (low, low)):
            yield sibling(
                "claim", "leakage", to=dict(zip(("lower", "upper"), map(str, ends), strict=True))
            )
    upper = ("evidence", "witness", "upper")
    for at, entries in enumerate(witness["upper"] or ()):
        yield sibling(*upper, at, to=entries[1:])
        for k, (_, betas, *_) in enumerate(entries):
            if betas:
                yield sibling(*upper, at, k, 1, to=[])
            if betas and not isinstance(betas[0], int):
                (one, share), (two, rest) = list(betas[0].items())[:2]
                hair = {
                    one: str(Fraction(share) / 2),
                    two: str(Fraction(rest) + Fraction(share) / 3),
                }
                yield sibling(*upper, at, k, 1, 0, to=hair)
    lower = ("evidence", "witness", "lower")
    if witness["lower"]:
        yield sibling(*lower, to=None)
        yield sibling(*lower, "pair", to=witness["lower"]["pair"][::-1])
        yield sibling(*lower, "counts", to={})
        if claim["verdict"] == "violated":
            yield sibling(*lower, "run", to=None)
            yield sibling(*lower, "repetitions", to=0)
        if good["relation"]["priors"]["class"] != "constraints":
            prior = [Fraction(p) for p in witness["lower"]["prior"]]
            first, *_, last = (w for w, p in enumerate(prior) if p)
            prior[first], prior[last] = prior[first] * HAIR, prior[last] + prior[first] * (1 - HAIR)
            yield sibling(*lower, "prior", to=list(map(str, prior)))


@pytest.mark.parametrize("name", PRIORS)
@examples(10)
@given(table=st.booleans().flatmap(columns), alpha=st.sampled_from(["1", "3/2", "2", "50"]))
def test_certificates_of_the_engine(name: str, table: list[list[Fraction]], alpha: str) -> None:
    good = answered(PRIORS[name], table, alpha)
    if good is not None:
        assert good["claim"]["kind"] == "composition"
        for document in broken(good):
            assert check(document).outcome != "accepted"


@pytest.mark.parametrize("name", PRIORS)
def test_the_engine_decides_a_case_of_every_class(name: str) -> None:
    """Columns whose ratios need two worlds, or one."""
    middle, left, right = [[1, 1, 2], [1, 4, 11], [4, 1, 11]]
    table = [[Fraction(x, sum(c)) for x in c] for c in (middle, middle, left, right)]
    good = answered(PRIORS[name], table, "3/2")
    assert good is not None and good["claim"]["verdict"] == "violated"
    assert good["evidence"]["witness"]["lower"]["repetitions"] is not None


@pytest.mark.parametrize("digits", [1, 60, 1500])
def test_runs_are_no_longer_than_the_checker_takes(digits: int) -> None:
    """A world of no weight has a long denominator: 619 repetitions where it is short enough."""
    long = 10**digits + 1
    spec = {
        "worlds": ["a1", "a2", "b", "c"],
        "secrets": {"s": ["a1", "a2"], "t": ["b", "c"]},
        "pairs": [["s", "t"]],
        "priors": {"list": [{"worlds": {"a1": "1/1000", "a2": "499/1000", "b": "1/2"}}]},
        "mechanism": {
            "table": {
                "outputs": ["x", "y"],
                "a1": ["2/3", "1/3"],
                "a2": ["1/3", "2/3"],
                "b": ["1/3", "2/3"],
                "c": [f"1/{long}", f"{long - 1}/{long}"],
            }
        },
        "checks": [{"composition": {"exp_epsilon": "99/50"}}],
    }
    certificate = decide(spec).certificate
    assert certificate is not None
    times = certificate["evidence"]["witness"]["lower"]["repetitions"]
    assert times == (619 if digits < 100 else None)

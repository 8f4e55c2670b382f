"""Levels that coefficients show to be enough, against chains on a grid and against the products."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction as F
from itertools import pairwise, product
from math import prod
from random import Random

import pytest

from tests.definitions.drawn import Json, decide, read
from verifier import checker
from verifier.base.errors import NotDecided
from verifier.base.level import Leakage
from verifier.engines.pufferfish import polynomials
from verifier.questions.answer import write
from verifier.run import verify

Grid = list[tuple[list[F], tuple[list[F], list[F]]]]  # the first bit, and the rows
ENDS = (F(1, 10), F(1, 3), F(1, 2), F(7, 10), F(9, 10))


@pytest.fixture
def _without_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomials, "MAX_TERMS", 0)


def drawn(random: Random, records: int) -> tuple[Json, list[list[F]], list[list[F]]]:
    """A question about the first and the last bit, the intervals of P(0) after either bit, and a
    row for each of three outputs."""
    zero = [sorted(random.choices(ENDS, k=2)) for _ in range(2)]
    if zero[0][0] == zero[0][1]:
        zero[0] = [F(1, 5), F(4, 5)]
    parts = [[random.choice((1, 2, 9)) for _ in range(3)] for _ in range(2**records)]
    rows = [[F(part[o], sum(part)) for part in parts] for o in range(3)]
    names = ["".join(bits) for bits in product("01", repeat=records)]
    table = {name: [str(row[w]) for row in rows] for w, name in enumerate(names)}
    transition = {
        str(a): {"0": [str(low), str(high)], "1": [str(1 - high), str(1 - low)]}
        for a, (low, high) in enumerate(zero)
    }
    initial = random.choice(["stationary", {"0": "1/3", "1": "2/3"}])
    return (
        {
            "worlds": {"records": records, "domain": [0, 1]},
            "mechanism": {"table": {"outputs": ["x", "y", "z"], **table}},
            "pairs": "values",
            "priors": {"markov": {"initial": initial, "transition": transition}},
        },
        zero,
        rows,
    )


def chains(spec: Json, zero: list[list[F]]) -> Iterator[tuple[list[F], list[list[F]]]]:
    """Chains on a grid within the intervals."""
    grids = [[low + (high - low) * k / 4 for k in range(5)] for low, high in zero]
    for p, q in product(*grids):
        first = (
            F(1, 3) if isinstance(spec["priors"]["markov"]["initial"], dict) else q / (1 - p + q)
        )
        yield [first, 1 - first], [[p, 1 - p], [q, 1 - q]]


def level(first: list[F], rows: list[list[F]], records: int, chances: list[list[F]]) -> F:
    """The largest P(o | X_i = a) / P(o | X_i = b), world by world."""
    worlds = list(product((0, 1), repeat=records))
    prior = [first[w[0]] * prod(rows[a][b] for a, b in pairwise(w)) for w in worlds]
    found = []
    for i, a, row in product(range(records), (0, 1), chances):
        given = []
        for value in (a, 1 - a):
            inside = [at for at, w in enumerate(worlds) if w[i] == value]
            total = sum(prior[at] for at in inside)
            given.append(sum(prior[at] * row[at] for at in inside) / total)
        found.append(given[0] / given[1])
    return max(found)


def asked(spec: Json, bound: F | int | str) -> Json:
    return {**spec, "checks": [{"pufferfish": {"exp_epsilon": str(bound)}}]}


@pytest.mark.parametrize("seed", range(12))
def test_no_chain_of_a_grid_needs_more(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    records = 2 + seed % 2
    spec, zero, rows = drawn(random, records)
    known = decide(asked(spec, 10**6)).leakage
    assert known is not None
    monkeypatch.setattr(polynomials, "MAX_TERMS", 0)
    found = decide(asked(spec, 10**6)).leakage  # the checker accepts
    assert found is not None
    low, high = found.bounds or (found.exp_epsilon, found.exp_epsilon)
    assert low is not None and high is not None
    worst = max(level(*chain, records, rows) for chain in chains(spec, zero))
    assert worst <= high
    least, most = known.bounds or (known.exp_epsilon, known.exp_epsilon)
    assert least is not None and most is not None
    assert low <= most and least <= high
    assert decide(asked(spec, high)).verdict == "holds"
    if low < high:
        with pytest.raises(NotDecided, match=r"it is at least .*, at most "):
            decide(asked(spec, low))


@pytest.mark.usefixtures("_without_products")
@pytest.mark.parametrize(("delta", "low"), [(None, 3), ("1/1000", 1)])
def test_independent_records_by_hand(delta: str | None, low: int) -> None:
    """The answers of others are as likely under either secret: one answer tells 3. No prior is
    looked for with delta."""
    spec = {
        "worlds": {"records": 2, "domain": [0, 1]},
        "mechanism": {"randomized_response": {"truth": "3/4"}},
        "pairs": "values",
        "priors": "iid",
    }
    spec = asked(spec, 3)
    spec["checks"][0]["pufferfish"] |= {"delta": delta} if delta else {}
    assert decide(spec).leakage == Leakage.within((F(low), F(3)))


@pytest.mark.usefixtures("_without_products")
def test_nothing_to_compare_is_vacuous() -> None:
    spec: Json = {
        "worlds": {"records": 2, "domain": [0, 1], "where": "r1 == 0 and r2 == 0"},
        "mechanism": {"deterministic": "r1"},
        "pairs": "values",
        "priors": "iid",
    }
    answer = decide(asked(spec, 3))
    assert answer.leakage is not None and answer.leakage.vacuous


def certificate(spec: Json) -> Json:
    (check,) = read(spec)
    found: Json = json.loads(write(verify.decide(verify.asked(check)).certificate or {}))
    assert checker.check(found).outcome == "accepted"
    return found


@pytest.mark.usefixtures("_without_products")
def test_forged_bounds_are_refused() -> None:
    """A smaller bound, and a proof of no level."""
    spec, _, _ = drawn(Random(3), 3)
    found = certificate(asked(spec, 10**6))
    assert found["evidence"]["witness"]["upper"] is None
    leakage = found["answer"]["leakage"]
    low, high = F(leakage["lower"]), F(leakage["upper"])
    for changed in (
        {"lower": str(low), "upper": str(high - F(1, 10**30))},
        {"lower": str(low + F(1, 10**30)), "upper": str(high)},
        {"vacuous": True},
        {"infinite": True},
        None,
    ):
        forged = deepcopy(found)
        forged["answer"]["leakage"] = changed
        assert checker.check(forged).outcome != "accepted"


@pytest.mark.usefixtures("_without_products")
def test_terms_that_one_secret_lacks() -> None:
    """With y and z for P(1) and P(2), yes has (y + z)²/2 given 0, (y² + z²)/2 given 1, which lacks
    y·z: no coefficient bounds it. At y = z that is 2."""
    program = (
        "if r2 > 0 and r3 > 0 and (r1 == 0 or (r1 == 1 and r2 == r3)):\n"
        "    return draw({'yes': 1/2, 'no': 1/2})\n"
        "return 'no'\n"
    )
    spec = {
        "worlds": {"records": 3, "domain": [0, 1, 2]},
        "secrets": {"s": "r1 == 0", "t": "r1 == 1"},
        "pairs": [["s", "t"]],
        "mechanism": {"program": program},
        "priors": "iid",
    }
    with pytest.raises(NotDecided, match="it is at least 2; the"):
        decide(asked(spec, 2))
    forged = certificate(asked(spec, "3/2"))
    assert forged["answer"] == {"verdict": "violated", "leakage": None}
    forged["evidence"]["witness"]["upper"] = None
    assert checker.check(forged).outcome != "accepted"
    forged["answer"]["leakage"] = {"lower": "2", "upper": "1000"}
    assert checker.check(forged).outcome == "rejected"

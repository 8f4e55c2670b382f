"""Certificates whose privacy losses are enclosed on grids, and what is no such certificate."""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from mpmath import mp, workdps

from tests.checker.drafts import digest_of
from verifier.base.level import Level
from verifier.checker import check, grids
from verifier.checker.document import Refused, limited
from verifier.checker.losses import Losses, all_together, excess
from verifier.checker.numbers import Place, parts
from verifier.checker.reading import number
from verifier.definitions import differential_privacy
from verifier.questions.answer import write
from verifier.run.verify import certified
from verifier.world.local import Channel, LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import named

Json = dict[str, Any]
DELTA = Fraction(1, 10**5)
WEIGHTS = [(10, 31), (24, 24), (32, 29), (40, 43), (21, 22), (22, 19), (37, 35), (23, 25), (31, 6)]


def document(level: str, rows: list[list[str]], runs: int) -> Json:
    """So many draws of a table: a certificate of the smallest e^ε at δ = 10^-5, and a level."""
    mechanism = Mechanism.from_rows([f"o{at}" for at in range(len(rows))], rows)
    space = named(["x", "y"])
    local = LocalMechanism.of(space, ("",), [Channel.of((mechanism, runs))])
    question = differential_privacy.question(
        space=space,
        mechanism=local,
        level=Level.of_exp_epsilon(level),
        delta=DELTA,
        neighbours="all",
    )
    found: Json = json.loads(write(certified(question).certificate or {}))
    return found


def coarse(document: Json) -> Json:
    """The same from ends that are a tenth further apart, for which a small grid will do."""
    leakage = document["answer"]["leakage"]
    leakage["lower"] = str(Fraction(leakage["lower"]) * Fraction(9, 10))
    leakage["upper"] = str(Fraction(leakage["upper"]) * Fraction(11, 10))
    document["evidence"]["witness"] = {"points": 256}
    return document


SUMS = [sum(side) for side in zip(*WEIGHTS, strict=True)]
ROWS = [[str(Fraction(w, s)) for w, s in zip(own, SUMS, strict=True)] for own in WEIGHTS]
FINE = document("1000000000000", ROWS, 40)  # of nine outputs
HOLDS, VIOLATED = coarse(deepcopy(FINE)), coarse(document("2", ROWS, 40))
LOW, HIGH = (Fraction(HOLDS["answer"]["leakage"][end]) for end in ("lower", "upper"))


def outcome(document: Json, level: str | None = None, **parts: Any) -> str:
    """Of a certificate with another witness, leakage or verdict; or about another level."""
    found = deepcopy(document)
    found["answer"] |= {key: parts[key] for key in parts if key != "witness"}
    found["evidence"]["witness"] = parts.get("witness", found["evidence"]["witness"])
    if level is not None:
        found["question"]["level"]["exp_epsilon"] = level
        found["digest"] = digest_of(found["question"])
    return check(found).outcome


def test_both_verdicts_are_accepted() -> None:
    assert outcome(FINE) == outcome(HOLDS) == outcome(VIOLATED) == "accepted"
    assert outcome(HOLDS, witness={"points": 300}) == "accepted"


def test_other_witnesses() -> None:
    """A grid is needed, of a number of points within limits, and one that decides."""
    for document in (HOLDS, VIOLATED):
        bad: list[Any] = [None, [], {}, 64, {"points": "64"}, {"points": True}, {"points": [64]}]
        bad += [{"points": n} for n in (-1, 0, 1, 2, 63, 2**16 + 1, 10**30)]
        assert {outcome(document, witness=one) for one in bad} == {"refused"}
        assert outcome(document, witness={"points": 64}) == "rejected"


def test_other_ends() -> None:
    """Neither end may be on the other side of the smallest level, nor the level between them."""
    for lower, upper in ((LOW / 2, LOW * 9 / 10), (HIGH * 10 / 9, 2 * HIGH)):
        said = {"lower": str(lower), "upper": str(upper)}
        assert outcome(HOLDS, leakage=said) == outcome(VIOLATED, leakage=said) == "rejected"
    for said in ({"exp_epsilon": str(HIGH)}, {"exp_epsilon": str(LOW)}, {"exp_epsilon": "1"}):
        assert outcome(HOLDS, leakage=said) == "rejected"
    for document in (HOLDS, VIOLATED):
        assert outcome(document, leakage={"infinite": True}) == "rejected"
        assert outcome(document, leakage={"vacuous": True}) == "rejected"
    assert outcome(HOLDS, leakage={"lower": "1", "upper": str(HIGH)}) == "accepted"
    assert outcome(HOLDS, verdict="violated") == outcome(VIOLATED, verdict="holds") == "rejected"


def test_levels_near_the_ends() -> None:
    assert outcome(HOLDS, level=str(HIGH)) == outcome(HOLDS, level=str(2 * HIGH)) == "accepted"
    assert outcome(HOLDS, level=str((LOW + HIGH) / 2)) == "rejected"
    assert outcome(VIOLATED, level=str(LOW - 1)) == "accepted"
    assert outcome(VIOLATED, level=str(LOW)) == "rejected"


def test_what_is_too_much() -> None:
    """Losses too far apart for any grid, and numbers that are no rationals."""
    with pytest.raises(Refused):
        grids.step(grids.MOST_LEVEL)
    far = {Fraction(1, 10**60_000): Fraction(1)}
    for runs in (10**6, 10**4):
        with limited(), pytest.raises(Refused):
            grids.enclosed([(far, runs)], 64, DELTA).lower(Fraction(2))
    with pytest.raises(TypeError):
        grids.enclosed([], 64, DELTA)


@pytest.mark.parametrize("points", [64, 300])
def test_exact_sums_are_enclosed(points: int) -> None:
    """Of drawn answers, Q far above or below P, or 0: exact sums lie between both ends."""
    random = Random(points)
    for _ in range(30):
        answers = []
        for _ in range(random.randint(1, 2)):
            weights = [[random.choice((0, 1, 3, 10, 10**25)) for _ in range(4)] for _ in "pq"]
            (p, q) = ([Fraction(w, sum(own) or 1) for w in own] for own in weights)
            pairs = [(x, y) for x, y in zip(p, q, strict=True) if x]
            found: Losses = {}
            for x, y in pairs or [(Fraction(1), Fraction(1))]:
                found[y / x] = found.get(y / x, 0) + x
            answers.append((found, random.randint(1, 5)))
        exact = all_together(answers)
        with limited():
            grid = grids.enclosed(answers, points, DELTA)
            assert grid.infinite() <= exact.get(0, 0)
            for alpha in map(Fraction, ("1", "3/2", "4", "1000")):
                assert grid.lower(alpha) <= excess(exact, alpha) <= grid.upper(alpha)


def test_numbers_with_powers_of_e() -> None:
    """An answer with odds e, 500 times: both verdicts, and ends that are wrong."""
    truth, other = "e/(1 + e)", "1/(1 + e)"
    found = coarse(document("2", [[truth, other], [other, truth]], 500))
    found["evidence"]["witness"] = {"points": 1024}
    low, high = (Fraction(found["answer"]["leakage"][end]) for end in ("lower", "upper"))
    assert outcome(found) == "accepted"
    assert outcome(found, level=str(high), verdict="holds") == "accepted"
    assert outcome(found, verdict="holds") == outcome(found, level=str(high)) == "rejected"
    for lower, upper in ((low / 2, low * 9 / 10), (high * 10 / 9, 2 * high)):
        said = {"lower": str(lower), "upper": str(upper)}
        assert outcome(found, leakage=said) == "rejected"
    assert outcome(found, leakage={"infinite": True}) == "rejected"


def test_numbers_that_no_grid_has() -> None:
    """One that is too close to 0 for bounds, and a polynomial of no certain place."""
    e = number("e")
    with workdps(300):
        near = Fraction(int(mp.e * 10**200), 10**200)
    for bad in (e - near, Place().number(parts(e)[0])):
        for losses in ({bad: Fraction(1)}, {Fraction(1): bad}):
            with limited(), pytest.raises(Refused):
                grids.enclosed([(losses, 2)], 64, DELTA)

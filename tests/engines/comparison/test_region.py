"""Regions and levels as functions, against the definition at many values of the parameter.

Drawn mechanisms have entries that are polynomials over their sum, some of which vanish at a point
or everywhere; the definition is evaluated there by plain loops.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from verifier import checker
from verifier.base import parameters
from verifier.base.cell import Cell
from verifier.base.level import Level
from verifier.base.rational_function import function_value, parameter
from verifier.definitions import differential_privacy, metric_privacy
from verifier.kernels.regions import Interval
from verifier.kernels.roots import enclosed
from verifier.questions.answer import Answer, write
from verifier.questions.cells import region_question
from verifier.questions.question import Question
from verifier.questions.witness import Belief, OutputWitness
from verifier.run import verify
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

P: Any = parameter("p")
ZERO, ONE = Fraction(0), Fraction(1)
TINY = Fraction(1, 10**30)
SAMPLE = Fraction(31415926, 10**8)
OUTPUTS = ("x", "y", "z")
WEIGHTS = (  # not negative on [0, 1]
    *(P, 1 - P, P * P, (2 * P - 1) ** 2, (3 * P - 1) ** 2 / 5, ZERO, ONE, ONE / 3),
    *(1 + P, (1 - 2 * P * P) ** 2, P * (1 - P), 1 - P**3, ONE / 10**30, P / 7 + ONE / 2),
)
LEVELS = (Fraction(2), Fraction(3), 1 + P, 1 + 2 * P * P, 2 - P, Fraction(10))
DELTAS = (ZERO, ZERO, Fraction(1, 10), P / 10, Fraction(1, 3))
CASES = wider(12, 60)
POINTS = 90  # of each: 5,400 values in all, besides those near the ends


@cache
def space(folder: Path) -> WorldSpace:
    path = folder / "worlds.yaml"
    path.write_text(
        "worlds: [a, b]\nmechanism: {deterministic: 1}\nchecks:\n"
        "  - differential_privacy: {epsilon: 0, neighbours: all}\n"
    )
    question = verify.load(path).questions[0].question
    assert question is not None
    return question.space


def draw(seed: int, space: WorldSpace) -> tuple[Question, list[list[Any]], Any, Any, int]:
    """A question over (0, 1), its columns, the level, delta and the distance of the worlds."""
    random = Random(seed)
    columns = []
    while len(columns) < 2:
        weights = [random.choice(WEIGHTS) for _ in OUTPUTS]
        total = sum(weights, ZERO)
        if total and all(function_value(total, Fraction(k, 12)) for k in range(13)):
            columns.append([weight / total for weight in weights])
    level, delta = random.choice(LEVELS), random.choice(DELTAS)
    distance = random.choice((1, 1, 2, 3)) if not delta else 1
    with Cell("p", ZERO, ONE, SAMPLE):
        mechanism = Mechanism.from_rows(OUTPUTS, list(zip(*columns, strict=True)))
        about: dict[str, Any] = {"space": space, "mechanism": mechanism}
        if distance > 1:
            about |= {
                "level": Level(exp_epsilon=level),
                "distance": {"graph": [["a", "b", str(distance)]]},
            }
            question = metric_privacy.question(**about)
        else:
            about |= {"level": Level(exp_epsilon=level), "delta": delta, "neighbours": "all"}
            question = differential_privacy.question(**about)
    whole = region_question(
        "p", Interval(ZERO, ONE), [(ZERO, ONE, question)], lambda cell: question
    )
    return whole, columns, level, delta, distance


def smallest(columns: list[list[Fraction]], delta: Fraction) -> Fraction | None:
    """The smallest alpha >= 1 with P(S) <= alpha Q(S) + delta for all events; None for none."""
    found = ONE
    events = [s for k in (1, 2, 3) for s in combinations(range(len(OUTPUTS)), k)]
    for one, other in permutations(columns):
        for event in events:
            p, q = sum(one[o] for o in event), sum(other[o] for o in event)
            if p > delta and not q:
                return None
            if q:
                found = max(found, (p - delta) / q)
    return found


def values(answer: Answer, random: Random) -> Iterator[Fraction]:
    """Values of the parameter: drawn ones, and those near all ends."""
    assert answer.curve is not None
    yield from (Fraction(random.randint(1, 10**4 - 1), 10**4) for _ in range(POINTS))
    for one in answer.curve.stretches:
        for end in (one.interval.low, one.interval.high):
            low, high = enclosed(end, TINY)
            yield from (x for x in (low - TINY, low, high, high + TINY) if 0 < x < 1)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path_factory: Any) -> None:
    question, columns, level, delta, distance = draw(seed, space(tmp_path_factory.getbasetemp()))
    answer = verify.certified(question)
    curve = answer.curve
    assert curve is not None
    for x in values(answer, Random(seed)):
        here = [[function_value(entry, x) for entry in column] for column in columns]
        least, stretch = smallest(here, function_value(delta, x)), curve.at(x)
        assert stretch.is_infinite == (least is None), x
        if least is not None:
            assert stretch.at(x) ** (distance if stretch.root == 1 else 1) == least, (x, stretch)
        holds = least is not None and least <= function_value(level, x) ** distance
        assert curve.region.has(x) == holds, x
    assert (answer.verdict == "holds") == (curve.region.same(type(curve.region)((curve.domain,))))


def test_a_proof_is_read_again(tmp_path: Path) -> None:
    """What is told follows from the certificate; a violation has a witness of its own."""
    question, *_ = draw(3, space(tmp_path))
    answer = verify.certified(question)
    document = json.loads(write(answer.certificate or {}))
    assert checker.check(document).outcome == "accepted"
    again = verify.answer_of_proof(
        question, verify.read_proof(question.claim, document["answer"], document["evidence"])
    )
    assert again.curve is not None and answer.curve is not None
    assert again.curve.region.same(answer.curve.region) and again.reason == answer.reason


def test_a_witness_has_the_numbers_of_its_value(tmp_path: Path) -> None:
    """By hand at p = 2/3: two records that are 0 with probability p, so 4/9, 2/9, 2/9, 1/9."""
    path = tmp_path / "prior.yaml"
    path.write_text(
        "parameters: {p: 1/2 < p < 1}\nworlds: {records: [ann, bob], domain: [0, 1]}\n"
        "pairs: values\npriors: {list: [{iid: {0: p, 1: 1-p}}]}\n"
        "mechanism: {randomized_response: {truth: 3/4}}\n"
        "checks:\n  - pufferfish: {exp_epsilon: 4*p}\n"
    )
    (result,) = verify.run(str(path))
    assert result.answer.reason == "violated at p = 2/3"
    ninths = {"00": 4, "01": 2, "10": 2, "11": 1}
    prior = {world: Fraction(k, 9) for world, k in ninths.items()}
    before = Belief(("ann = 0", "ann = 1"), prior, Fraction(2), 1)
    assert result.answer.shown == OutputWitness(before, "00", Fraction(3))


def test_a_delta_alone_depends_on_the_parameter_at_an_irrational_value(tmp_path: Path) -> None:
    """At p = √½ output x is impossible in world a, where it has 1/2 in b: that is above delta, and
    the entries are rational numbers there, 0, 1 and 1/2, while delta is √½/4."""
    path = tmp_path / "file.yaml"
    path.write_text("""
parameters: {p: 2/3 < p < 3/4}
worlds: [a, b]
mechanism: {table: {outputs: [x, y], a: [(2*p**2-1)**2, 4*p**2-4*p**4], b: [p**2, 1-p**2]}}
checks: [{differential_privacy: {exp_epsilon: 1000, delta: p/4, neighbours: all}}]
""")
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        (asked,) = verify.load(path).questions
        assert asked.question is not None
        answer = verify.certified(asked.question)
    assert answer.curve is not None and not answer.curve.undecided
    (at_root,) = [s for s in answer.curve.stretches if s.is_infinite]
    low, high = enclosed(at_root.interval.low, TINY)
    assert at_root.interval.is_point and 2 * low**2 < 1 < 2 * high**2

"""Regions of claims that need linear programs, against the ordinary check at single values.

Files are drawn with functions in their tables, priors and levels. At drawn values of the parameter,
at rational ends and within 1e-30 of all ends, the ordinary check decides without a parameter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from verifier import checker
from verifier.base import parameters
from verifier.base.errors import NotDecided
from verifier.engines.pieces import _stretches
from verifier.kernels.roots import enclosed
from verifier.questions.answer import Answer, write
from verifier.run import verify

TINY = Fraction(1, 10**30)
CASES = wider(2, 30)
ROWS = (  # of two or three outputs, distributions for 1/4 < p < 3/4
    *("[p, 1-p]", "[1-p, p]", "[1/3, 2/3]", "[p**2, 1-p**2]", "[(1+p)/3, (2-p)/3]"),
    *("[2*p*(1-p), 1-2*p*(1-p)]", "[1/(1+p), p/(1+p)]", "[3/4, 1/4]"),
)
WEIGHTS = ("{a: p, b: 1-p}", "{a: 1/3, c: 2/3}", "{b: 1/2, c: p/2, a: (1-p)/2}", "{a: 1/2, b: 1/2}")
LIMITS = (
    "P(a) <= 1/2",
    "P(b | t) in [1/4, 3/5]",
    "P(b | t) >= 1/5",
    "P(s) >= 1/4",
    "P(c | t) <= 2/3",
    "P(a) >= p/4",
    "P(b | t) <= (1 + p)/2",
    "P(c) >= p*P(a)",
)
LEVELS = ("3/2", "2", "1 + p", "3", "5/4")


def drawn(random: Random) -> str:
    """A file with a check of each kind."""
    tables = [
        "{table: {outputs: [x, y], "
        + ", ".join(f"{world}: {random.choice(ROWS)}" for world in "abc")
        + "}}"
        for _ in range(2)
    ]
    first, second = random.sample(WEIGHTS, 2)
    limits = json.dumps(random.sample(LIMITS, 2))
    level, delta = random.choice(LEVELS), random.choice(("0", "0", "1/10"))
    asked = f"exp_epsilon: {level}, delta: {delta}"
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: [a, b, c]
secrets: {{s: [a], t: [b, c]}}
pairs: [[s, t]]
mechanisms: {{one: {tables[0]}, other: {tables[1]}}}
priors:
  mixtures: {{hull: [{{worlds: {first}}}, {{worlds: {second}}}]}}
  limited: {{constraints: {limits}}}
  known: {{list: [{{worlds: {first}}}, {{worlds: {second}}}]}}
checks:
  - {{pufferfish: {{{asked}, priors: mixtures}}, mechanism: one}}
  - {{pufferfish: {{exp_epsilon: {level}, priors: limited}}, mechanism: one}}
  - {{coupled_worlds: {{{asked}, priors: known, alt: "1", priv: s}}, mechanism: one}}
  - {{post_processing: {{of: one}}, mechanism: other}}
  - {{row_cone: {{of: one}}, mechanism: other}}
"""


def answers(path: Path, *values: Fraction, checks: slice = slice(None)) -> list[Answer | None]:
    """What is answered to some checks, for all values of the parameter or for one; None where that
    is undecided."""
    (choice,) = verify.choices(path, {"p": list(map(str, values))} if values else {})
    found: list[Answer | None] = []
    with parameters.given(choice):
        for asked in verify.load(path).questions[checks]:
            try:
                assert asked.question is not None, asked.reason
                found.append(verify.certified(asked.question))
            except NotDecided:
                found.append(None)
    return found


def values(answer: Answer, random: Random) -> Iterator[Fraction]:
    """Values of the parameter: drawn ones, and those near all ends of the region."""
    assert answer.curve is not None
    yield from (Fraction(random.randint(251, 749), 1000) for _ in range(4))
    for interval in answer.curve.region.intervals:
        for end in (interval.low, interval.high):
            low, high = enclosed(end, TINY)
            yield from (x for x in (low - TINY, low, high + TINY) if answer.curve.domain.has(x))


def confirm(answer: Answer, x: Fraction, plain: Answer) -> None:
    """An answer for all values says of one what is found there without a parameter."""
    curve = answer.curve
    assert curve is not None
    if any(interval.has(x) for interval in curve.undecided):
        return
    assert curve.region.has(x) == (plain.verdict == "holds"), x
    if plain.leakage is None:
        return
    stretch, known = curve.at(x), plain.leakage
    low, high = known.bounds or (known.exp_epsilon, known.exp_epsilon)
    assert stretch.is_infinite == known.infinite, x
    if low is not None and high is not None:
        said, low, high = stretch.at(x), low**stretch.root, high**stretch.root
        below = said <= high if stretch.sense == "at least" else said >= low
        assert below if stretch.sense else low <= said <= high, (x, stretch)


def same_everywhere(
    path: Path,
    random: Random,
    confirm: Callable[[Answer, Fraction, Answer], None],
    complete: bool = False,
) -> None:
    """The region of each check of a file is where it holds at single values, as far as it has one,
    and for all values if it is to be `complete`; and each single answer is confirmed."""
    for number, answer in enumerate(answers(path)):
        if complete:
            assert answer is not None, path.read_text()
            assert answer.curve is None or not answer.curve.undecided
        if answer is None or answer.curve is None:
            continue
        whole = type(answer.curve.region)((answer.curve.domain,))
        assert (answer.verdict == "holds") == answer.curve.region.same(whole)
        for x in values(answer, random):
            (plain,) = answers(path, x, checks=slice(number, number + 1))
            assert plain is not None
            confirm(answer, x, plain)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"pieces {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    same_everywhere(path, random, confirm)


def one(path: Path, text: str) -> Any:
    """The answer to the only check of a file."""
    path.write_text(text)
    (found,) = answers(path)
    return found


HULL = """
parameters: {p: 1/2 < p < 1}
worlds: [i1, i2, j1, j2]
secrets: {s: [i1, i2], t: [j1, j2]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], i1: [p, 1-p], i2: [1-p, p], j1: [p, 1-p], j2: [1-p, p]}}
priors: {hull: [{worlds: {i1: 1/2, j1: 1/2}}, {worlds: {i2: 1/3, j2: 2/3}}]}
checks: [{pufferfish: {exp_epsilon: LEVEL}}]
"""


def test_a_level_that_is_no_function_is_decided_from_one_side(tmp_path: Path) -> None:
    """At p = 9/10 the smallest level is (137 − 48 √2)/49 near 1.4106 (pufferfish/
    mixtures-irrational-level); at p near 1/2 it is near 1."""
    answer = one(tmp_path / "hull.yaml", HULL.replace("LEVEL", "1.3"))
    assert answer.verdict == "violated"
    assert answer.curve.region.has(Fraction(51, 100))
    assert not answer.curve.region.has(Fraction(9, 10))
    senses = {stretch.sense for stretch in answer.curve.stretches}
    assert {"at least", "at most"} <= senses
    again = one(tmp_path / "hull.yaml", HULL.replace("LEVEL", "1.41056630624677 + (9/10 - p)"))
    assert again.curve.region.has(Fraction(9, 10))


def test_a_number_that_nobody_could_read_is_not_told(tmp_path: Path) -> None:
    """At an irrational value a level may have more digits than any file."""
    path = tmp_path / "hull.yaml"
    path.write_text(HULL.replace("LEVEL", "3"))
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        claim: Any = verify.load(path).questions[0].question.claim  # type: ignore[union-attr]
    for digits, count in ((9_999, 1), (10_000, 1), (10_001, 0)):
        said = {"leakage": {"lower": "9" * (digits - 4) + " + p"}}
        assert len(list(_stretches(claim, claim.domain, said))) == count


BELIEVED = """
parameters: {p: 1/4 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
priors:
  hull: [{worlds: {00: p/2, 11: p/2, 01: (1-p)/2, 10: (1-p)/2}}, {iid: {0: 1/2, 1: 1/2}}]
checks: [{pufferfish: {exp_epsilon: 3, delta: DELTA, pairs: values}}]
"""


@pytest.mark.parametrize("delta", ["0", "1/10"])
def test_a_parameter_in_priors_alone(delta: str, tmp_path: Path) -> None:
    """Each bit is 1 as often as 0, and the mechanism has numbers, so that P(s) has too."""
    path = tmp_path / "believed.yaml"
    path.write_text(BELIEVED.replace("DELTA", delta))
    same_everywhere(path, Random(f"believed {delta}"), confirm, complete=True)


IMPLIED = """
parameters: {p: 1/4 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1]}
priors: {list: [{worlds: {00: p/2, 11: p/2, 01: (1-p)/2, 10: (1-p)/2}}]}
checks:
  - implies:
      if: {differential_privacy: {exp_epsilon: 2}}
      then: {pufferfish: {exp_epsilon: LEVEL, pairs: values}}
"""


@pytest.mark.parametrize("level", ["5/2", "2 + p"])
def test_what_is_implied_under_priors_with_a_parameter(level: str, tmp_path: Path) -> None:
    """Rows 4, 2, 2, 1 and 2, 4, 1, 2 are worst: 4p + 2(1 − p) against 2(1 − p) + p, and with p and
    1 − p exchanged."""
    path = tmp_path / "implied.yaml"
    path.write_text(IMPLIED.replace("LEVEL", level))
    same_everywhere(path, Random(f"implied {level}"), confirm, complete=True)
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None
    for p in (Fraction(3, 10), Fraction(1, 2), Fraction(7, 10)):
        rows = [(4 * q + 2 * (1 - q)) / (2 * (1 - q) + q) for q in (p, 1 - p)]
        assert answer.curve.at(p).at(p) == max(rows)


SEEN = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
priors: {list: [{worlds: {00: 3/8, 11: 3/8, 01: 1/8, 10: 1/8}}]}
checks: [{coupled_worlds: {exp_epsilon: LEVEL, alt: bob, priv: ann}}]
"""


def test_a_simulator_from_one_side(tmp_path: Path) -> None:
    """Without delta, for a single input, P(o | 0) <= α S(o) <= α² P(o | 1) and the like."""
    path = tmp_path / "seen.yaml"
    answer = one(path, SEEN.replace("LEVEL", "3/2"))
    for x in (Fraction(5, 8), Fraction(2, 3), Fraction(7, 8)):
        plain = answers(path, x)[0]
        assert plain is not None
        confirm(answer, x, plain)


def test_a_proof_is_read_again(tmp_path: Path) -> None:
    """What is told follows from the certificate."""
    path = tmp_path / "hull.yaml"
    path.write_text(HULL.replace("LEVEL", "3"))
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        question = verify.load(path).questions[0].question
        assert question is not None
        answer = verify.certified(question)
        document = json.loads(write(answer.certificate or {}))
        assert checker.check(document).outcome == "accepted"
        proof = verify.read_proof(question.claim, document["answer"], document["evidence"])
        again = verify.answer_of_proof(question, proof)
    assert again.curve is not None and answer.curve is not None
    assert again.curve.region.same(answer.curve.region) and again.reason == answer.reason


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("zcdp: {rho: 1}", "zcdp"),
    ],
)
def test_what_has_no_method_is_undecided(asked: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    path.write_text(SEEN[: SEEN.index("checks")] + f"checks: [{{{asked}}}]\n")
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        (asked_,) = verify.load(path).questions
    assert asked_.question is None and said in (asked_.reason or "")


INSIDE = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
checks:
  - implies:
      if: {differential_privacy: {exp_epsilon: p/(1-p)}}
      then: {differential_privacy: {exp_epsilon: 3}}
"""


def test_a_definition_inside_keeps_its_parameters(tmp_path: Path) -> None:
    """It is asked of a mechanism when the file has been read; p/(1 − p) <= 3 up to 3/4."""
    path = tmp_path / "inside.yaml"
    path.write_text(INSIDE)
    (asked,) = verify.load(path).questions
    assert asked.question is not None
    curve = verify.certified(asked.question).curve
    assert curve is not None and curve.region.has(Fraction(3, 4))
    assert not curve.region.has(Fraction(3, 4) + TINY)


def test_payoffs_that_are_no_integers(tmp_path: Path) -> None:
    """What publishes a world with probability p, and else nothing, is no way to publish it, though
    the rows are in its row cone; against guessing with 1/2 for nothing, (1 + p)/2 < 1 is earned."""
    found = one(
        tmp_path / "erasure.yaml",
        """
parameters: {p: 1/3 < p < 2/3}
worlds: [left, right]
mechanisms:
  erasure: {table: {outputs: [l, r, none], left: [p, 0, 1 - p], right: [0, p, 1 - p]}}
  identity: {deterministic: world}
checks: [{post_processing: {of: erasure}, mechanism: identity}]
""",
    )
    assert found.verdict == "violated" and not found.curve.region.intervals
    assert not found.curve.undecided

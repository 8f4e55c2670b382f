"""Trade-offs with a real parameter, against the ordinary check at single values.

Files are drawn with functions in tables, priors, levels and delta.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import ROWS, WEIGHTS, confirm, one, same_everywhere
from verifier.base import parameters
from verifier.base.rational_function import function_value
from verifier.questions.answer import Answer
from verifier.run import verify

CASES = wider(1, 20)
LEVELS = ("3/2", "2", "1 + p", "3", "5/4")
DELTAS = ("0", "1/10", "p/8")
SEEN = ("'1'", "{a: x, b: x, c: y}")


def drawn(random: Random) -> str:
    """A file with a comparison and a simulator."""
    table = ", ".join(f"{world}: {random.choice(ROWS)}" for world in "abc")
    first, second = random.sample(WEIGHTS, 2)
    listed = f"[{{worlds: {first}}}, {{worlds: {second}}}]"
    traded = f"tradeoff: [{', '.join(random.sample(LEVELS, 2))}]"
    asked = [f"exp_epsilon: {random.choice(LEVELS)}, {traded}" for _ in range(2)]
    compared = f"{asked[0]}, delta: {random.choice(DELTAS)}"
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: [a, b, c]
secrets: {{s: [a], t: [b, c]}}
pairs: [[s, t]]
mechanism: {{table: {{outputs: [x, y], {table}}}}}
priors: {{list: {listed}}}
checks:
  - pufferfish: {{{compared}}}
  - coupled_worlds: {{{asked[1]}, alt: {random.choice(SEEN)}, priv: s}}
"""


def confirm_traded(answer: Answer, x: Fraction, plain: Answer) -> None:
    """The smallest delta of each level is the one that is found there without a parameter."""
    confirm(answer, x, plain)
    assert answer.curve is not None and len(answer.curve.tradeoff) == len(plain.tradeoff) == 2
    for (alpha, stretches), (level, delta) in zip(
        answer.curve.tradeoff, plain.tradeoff, strict=True
    ):
        (there,) = [found for found in stretches if found.interval.has(x)]
        assert (function_value(alpha, x), there.at(x)) == (level, delta), x


@pytest.mark.parametrize("seed", [8, *range(CASES)])  # of 8 the worst comparison changes late
def test_each_delta_is_the_smallest_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"trade-off {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    same_everywhere(path, random, confirm_traded, complete=True)


BIT = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{ASKED}]
"""


@pytest.mark.parametrize(
    ("asked", "smallest"),
    [
        ("differential_privacy: {exp_epsilon: 3, tradeoff: [2]}", lambda p: p - 2 * (1 - p)),
        ("differential_privacy: {exp_epsilon: 3, tradeoff: [1 + p]}", lambda p: p - (1 - p * p)),
        ("distributional_privacy: {exp_epsilon: 3, tradeoff: [2]}", lambda p: p - 1),
    ],
)
def test_a_bit(asked: str, smallest: object, tmp_path: Path) -> None:
    """It exceeds α times the other one by p − α(1 − p); a coin, which a simulator throws, by less
    than nothing at 2."""
    assert callable(smallest)
    extra = "priors: {list: [{worlds: {0: 1/2, 1: 1/2}}]}\n" if "distrib" in asked else ""
    answer = one(tmp_path / "bit.yaml", extra + BIT.replace("ASKED", asked))
    ((_, stretches),) = answer.curve.tradeoff
    for x in (Fraction(k, 97) for k in range(49, 97)):
        (there,) = [found for found in stretches if found.interval.has(x)]
        reverse = Fraction(1, 2) - 2 * (1 - x) if "distrib" in asked else 0
        assert there.at(x) == max(0, smallest(x), reverse)


def test_several_parameters_have_none(tmp_path: Path) -> None:
    """It is not left out without a word."""
    path = tmp_path / "several.yaml"
    path.write_text("""
parameters: {p: 1/2 < p < 1, q: 1/2 < q < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {table: {outputs: [a, b], 0: [p, 1-p], 1: [1-q, q]}}
checks: [{differential_privacy: {exp_epsilon: 3, tradeoff: [1, 2]}}]
""")
    (asked,) = verify.load(path).questions
    assert asked.question is None and "for one parameter" in (asked.reason or "")


def test_corners_are_no_levels(tmp_path: Path) -> None:
    path = tmp_path / "corners.yaml"
    path.write_text(
        BIT.replace("ASKED", "differential_privacy: {exp_epsilon: 3, tradeoff: corners}")
    )
    (choice,) = verify.choices(path)
    with parameters.given(choice):
        (asked,) = verify.load(path).questions
    assert asked.question is None and "no corners" in (asked.reason or "")


KNOWN = """
parameters: {p: 1/4 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{single_prior_privacy: {exp_epsilon: 2, delta: DELTA, known: {0: 2/3, 1: 1/3}}}]
"""


@pytest.mark.parametrize("delta", ["1/10", "p/5"])
def test_a_known_distribution_with_delta(delta: str, tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    path.write_text(KNOWN.replace("DELTA", delta))
    same_everywhere(path, Random(f"known {delta}"), confirm, complete=True)


def test_a_level_that_meets_an_irrational_one(tmp_path: Path) -> None:
    """The numbers do not depend on p, and the level that is asked for passes the smallest one."""
    path = tmp_path / "seen.yaml"
    path.write_text("""
parameters: {p: 1/4 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
priors: {list: [{worlds: {00: 3/8, 11: 3/8, 01: 1/8, 10: 1/8}}]}
checks: [{coupled_worlds: {exp_epsilon: 3/4 + p, alt: bob, priv: ann}}]
""")
    same_everywhere(path, Random("irrational"), confirm, complete=True)

"""Regions of the form inference, against the ordinary check at single values and by hand.

Files are drawn with functions in tables, priors, levels and delta.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import ROWS, WEIGHTS, answers, confirm, same_everywhere

CASES = wider(1, 20)
LEVELS = ("3/2", "2", "1 + p", "3", "5/4")
DELTAS = ("0", "0", "1/10", "p/8")
SEEN = ("'1'", "{a: x, b: x, c: y}")


def drawn(random: Random) -> str:
    """A file with two checks of one mechanism of three worlds."""
    table = ", ".join(f"{world}: {random.choice(ROWS)}" for world in "abc")
    first, second = random.sample(WEIGHTS, 2)
    asked = f"exp_epsilon: {random.choice(LEVELS)}, delta: {random.choice(DELTAS)}"
    other = f"exp_epsilon: {random.choice(LEVELS)}"
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: [a, b, c]
secrets: {{s: [a], t: [b, c]}}
mechanism: {{table: {{outputs: [x, y], {table}}}}}
priors:
  one: {{list: [{{worlds: {first}}}]}}
  two: {{list: [{{worlds: {first}}}, {{worlds: {second}}}]}}
checks:
  - coupled_worlds: {{{asked}, priors: one, alt: {random.choice(SEEN)}, priv: s, form: inference}}
  - coupled_worlds: {{{other}, priors: two, alt: '1', priv: s, form: inference}}
"""


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"inference {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    same_everywhere(path, random, confirm)


SIDES = """
parameters: {p: 2/5 < p < 3/5}
worlds: [a, b, c]
mechanism: {table: {outputs: [x, y], a: [3/4, 1/4], b: [p**2, 1-p**2], c: [3/4, 1/4]}}
priors: {list: [{worlds: {b: 1/2, c: p/2, a: (1-p)/2}}]}
checks:
  - coupled_worlds:
      exp_epsilon: LEVEL
      alt: {a: x, b: x, c: y}
      priv: {a: u, b: v, c: w}
      form: inference
"""


@pytest.mark.parametrize(("level", "side"), [("3/2", "at least"), ("5 - 4*p", "at most")])
def test_a_level_that_is_no_function_is_decided_from_one_side(
    level: str, side: str, tmp_path: Path
) -> None:
    path = tmp_path / "sides.yaml"
    path.write_text(SIDES.replace("LEVEL", level))
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None
    assert side in {stretch.sense for stretch in answer.curve.stretches}
    for x in (Fraction(21, 50), Fraction(1, 2), Fraction(29, 50)):
        (plain,) = answers(path, x)
        assert plain is not None
        confirm(answer, x, plain)


def test_what_is_rarely_published_is_bad_within_delta(tmp_path: Path) -> None:
    """With probability 1 - p a bit is published, and else nothing: each published value has
    (1 - p)/2, both together 1 - p, which a delta of 1/5 lets be bad from p = 4/5 on."""
    path = tmp_path / "rarely.yaml"
    path.write_text("""
parameters: {p: 3/4 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
priors: {list: [uniform]}
mechanism:
  program: |
    if draw(bernoulli(1 - p)) == 1:
        return (ann, bob)
    return 'nothing'
checks: [{distributional_privacy: {exp_epsilon: 2, delta: 1/5, form: inference}}]
""")
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None and not answer.curve.undecided
    assert [(s.told("p"), s.interval.has(Fraction(4, 5))) for s in answer.curve.stretches] == [
        ("infinite", False),
        ("1", True),
    ]
    assert answer.curve.region.has(Fraction(4, 5))
    assert not answer.curve.region.has(Fraction(4, 5) - Fraction(1, 10**30))

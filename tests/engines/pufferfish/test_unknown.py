"""Regions where one distribution of two values is unknown, against the ordinary check at values.

Files are drawn with functions in tables, levels and delta. At drawn values of the parameter, at
rational ends and within 1e-30 of all ends, the ordinary check decides without a parameter.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import LEVELS, ROWS, confirm, one, same_everywhere
from verifier.base.cell import Root

CASES = wider(2, 40)
NAMES = ("ann", "bob", "cat")


def drawn(random: Random) -> str:
    """A file with one check of one to three records; a number of ones may be impossible."""
    count = random.choice((1, 2, 2, 3))
    absent = random.choice((None, *range(count + 1))) if count > 1 else None
    names = NAMES[:count]
    worlds = [w for w in product((0, 1), repeat=count) if sum(w) != absent]
    rows = ", ".join(f"'{''.join(map(str, w))}': {random.choice(ROWS)}" for w in worlds)
    where = f", where: {' + '.join(names)} != {absent}" if absent is not None else ""
    delta = random.choice(("0", "0", "0", "1/10", "p/10"))
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {{records: [{", ".join(names)}], domain: [0, 1]{where}}}
mechanism: {{table: {{outputs: [x, y], {rows}}}}}
priors: iid
checks:
  - pufferfish: {{exp_epsilon: {random.choice(LEVELS)}, delta: {delta}, pairs: values}}
"""


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"unknown {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    same_everywhere(path, random, confirm, complete=True)


SEVERAL = (  # worlds, priors and secrets with several unknown numbers
    ("{records: [ann, bob], domain: [0, 1, 2], where: ann < 2}", "iid", "ann == 0", "ann == 1"),
    ("{records: [ann, bob], domain: [0, 1]}", "product", "ann == bob", "ann != bob"),
    (
        "{records: [ann, bob], domain: [0, 1]}",
        "{markov: {initial: stationary, transition: {0: {0: [1/2, 3/4], 1: [1/4, 1/2]}, "
        "1: {0: [1/4, 1/2], 1: [1/2, 3/4]}}}}",
        "ann == 0",
        "ann == 1",
    ),
)


def several(random: Random, number: int) -> str:
    """A file with one check of two records."""
    worlds, priors, first, second = SEVERAL[number % len(SEVERAL)]
    values = (0, 1, 2) if "2]" in worlds.split("where")[0] else (0, 1)
    rows = ", ".join(f"'{a}{b}': {random.choice(ROWS)}" for a, b in product((0, 1), values))
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {worlds}
mechanism: {{table: {{outputs: [x, y], {rows}}}}}
priors: {priors}
secrets: {{s: {first}, t: {second}}}
pairs: [[s, t]]
checks: [{{pufferfish: {{exp_epsilon: {random.choice(LEVELS)}}}}}]
"""


@pytest.mark.parametrize("seed", range(wider(3, 30)))
def test_with_several_unknown_numbers_nothing_wrong_is_said(seed: int, tmp_path: Path) -> None:
    """All is decided, and so."""
    random, path = Random(f"several {seed}"), tmp_path / "several.yaml"
    path.write_text(several(random, seed))
    same_everywhere(path, random, confirm, complete=True)


OWN = (  # classes of priors whose own numbers are functions
    "{markov: {initial: {0: 1/2, 1: 1/2}, transition: {0: {0: [p, 3/4], 1: [1/4, 1-p]}, "
    "1: {0: [1/5, (1+p)/2], 1: [(1-p)/2, 4/5]}}}}",
    "{markov: {initial: stationary, transition: {0: {0: [p/2, p], 1: [1-p, 1-p/2]}, "
    "1: {0: [1/4, 1/2], 1: [1/2, 3/4]}}}}",
    "{markov: {initial: {0: [p, (1+p)/2], 1: [(1-p)/2, 1-p]}, "
    "transition: {0: {0: p**2, 1: 1-p**2}, 1: {0: 1/3, 1: 2/3}}}}",
)
HEDGING = (
    "weight: 1/3, known: {0: p, 1: 1 - p}",
    "weight: 3/4, known: {0: p**2, 1: 1 - p**2}",
    "weight: p, known: {0: 1/3, 1: 2/3}",
    "weight: 1/(1 + 3*p), known: {0: p, 1: 1 - p}, pairs: values",
)


def of_own_numbers(random: Random, number: int) -> str:
    """A file with one check of two records, of priors that depend on the parameter."""
    asked = f"exp_epsilon: {random.choice(LEVELS)}"
    if number % 2:
        check = f"hedging_privacy: {{{asked}, {random.choice(HEDGING)}}}"
    else:
        check = f"pufferfish: {{{asked}, priors: {random.choice(OWN)}, pairs: values}}"
    rows = ", ".join(f"'{a}{b}': {random.choice(ROWS)}" for a, b in product((0, 1), repeat=2))
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism: {{table: {{outputs: [x, y], {rows}}}}}
checks: [{{{check}}}]
"""


@pytest.mark.parametrize("seed", range(wider(3, 40)))
def test_priors_whose_numbers_depend_on_the_parameter(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"own numbers {seed}"), tmp_path / "own.yaml"
    path.write_text(of_own_numbers(random, seed))
    same_everywhere(path, random, confirm, complete=True)


TWO = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1], where: ann + bob < 2}
mechanism: {randomized_response: {truth: p}}
priors: iid
secrets: {ann_yes: ann == 1, ann_no: ann == 0}
pairs: [[ann_yes, ann_no]]
checks: [{pufferfish: {exp_epsilon: 4}}]
"""


def test_a_limit(tmp_path: Path) -> None:
    """If ann has 1, bob has 0; else he has 1 as likely as one likes: p²/(1 − p)² in the limit."""
    answer = one(tmp_path / "two.yaml", TWO)
    (stretch,) = answer.curve.stretches
    (interval,) = answer.curve.region.intervals
    assert (interval.low, interval.high) == (Fraction(1, 2), Fraction(2, 3))
    for x in (Fraction(k, 31) for k in range(16, 31)):
        assert stretch.at(x) == (x / (1 - x)) ** 2


def test_an_output_that_shows_all(tmp_path: Path) -> None:
    """No level serves."""
    table = "{table: {outputs: [x, y], 00: [p, 1-p], 01: [p, 1-p], 10: [0, 1]}}"
    text = TWO.replace("{randomized_response: {truth: p}}", table)
    answer = one(tmp_path / "shown.yaml", text)
    assert [stretch.is_infinite for stretch in answer.curve.stretches] == [True]
    assert not answer.curve.region.intervals


def test_the_end_where_the_worst_prior_is_on_an_edge(tmp_path: Path) -> None:
    """As models/parameters/unknown-crowd.yaml, with a third value of the others that changes
    nothing: 2 is enough up to 1/2 + √5/8."""
    rows = {0: "[1/4, 3/4]", 1: "[p, 1-p]", 2: "[3/16, 13/16]"}
    table = ", ".join(
        f"'{ann}{bob}{cat}': {rows[ann * ((bob == 1) + (cat == 1))]}"
        for ann, bob, cat in product((0, 1), (0, 1, 2), (0, 1, 2))
    )
    text = TWO.replace("1/2 < p < 1", "7/9 < p < 25/32").replace("exp_epsilon: 4", "exp_epsilon: 2")
    text = text.replace("[ann, bob], domain: [0, 1], where: ann + bob < 2", "[ann, bob, cat], W")
    text = text.replace("W", "domain: [0, 1, 2], where: ann < 2")
    text = text.replace(
        "{randomized_response: {truth: p}}", f"{{table: {{outputs: [x, y], {table}}}}}"
    )
    curve = one(tmp_path / "edge.yaml", text).curve
    (interval,) = curve.region.intervals
    assert interval.low == Fraction(7, 9) and not curve.undecided
    assert isinstance(interval.high, Root) and interval.high_closed
    assert interval.high.polynomial == (11, -64, 64)

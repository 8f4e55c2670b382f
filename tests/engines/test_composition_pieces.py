"""Regions of `composition` for listed priors, by hand and against the check at single values.

D says yes and no with 1/2 each. Where one other world has p and 1 - p and another one 1 - p and p,
half of each has √(p(1 - p)) for both: D needs 1/(2 √(p(1 - p))), and each of them needs 2p. The
latter is larger up to the root of 8p³ - 4p² - 2p - 1 near 0.9196.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import ROWS, TINY, answers, confirm, values
from verifier.base import parameters
from verifier.base.cell import Root
from verifier.base.level import Leakage
from verifier.questions.curve import Curve
from verifier.run import verify

CASES = wider(2, 60)
MIDDLE = ("[1/2, 1/2]", "[p, 1-p]", "[1/3, 2/3]", "[(1+p)/3, (2-p)/3]")
FAR = (
    *("[p/10, 1-p/10]", "[1-p/10, p/10]", "[p**2/8, 1-p**2/8]", "[1/20, 19/20]"),
    *("[19/20, 1/20]", "[1-p/20, p/20]", "[(1-p)/9, (8+p)/9]", "[0, 1]"),
)
WEIGHTS = (
    "{a: p, c: 1-p}",
    "{a: 1/3, b: 1/6, c: 1/4, d: 1/4}",
    "{a: 1/4, b: 1/4, c: 1/6, d: 1/6, e: 1/6}",
    "{b: 1/2, d: (2*p**2-1)**2/8, e: 1/2-(2*p**2-1)**2/8}",
    "{a: 1/2, d: p/2, e: (1-p)/2}",
)
LEVELS = ("9/8", "3/2", "2", "1 + p", "7/2", "4 + p", "5 - p", "100")


def drawn(random: Random) -> str:
    """A file with one check, whose rows are near each other or far apart."""
    near, far = random.choice(((ROWS, ROWS), (MIDDLE, FAR)))
    rows = [f"{world}: {random.choice(near if world in 'ab' else far)}" for world in "abcde"]
    priors = ", ".join(f"{{worlds: {one}}}" for one in random.sample(WEIGHTS, 2))
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: [a, b, c, d, e]
secrets: {{s: [a, b], t: [c, d, e]}}
pairs: [[s, t]]
mechanism: {{table: {{outputs: [x, y], {", ".join(rows)}}}}}
priors: {{{random.choice(("list", "hull"))}: [{priors}]}}
checks: [{{composition: {{exp_epsilon: {random.choice(LEVELS)}}}}}]
"""


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"composition {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None
    whole = type(answer.curve.region)((answer.curve.domain,))
    assert (answer.verdict == "holds") == answer.curve.region.same(whole)
    for x in values(answer, random):
        (plain,) = answers(path, x)
        assert plain is not None
        confirm(answer, x, plain)


OWN = (  # classes with the parameter in their own numbers, where what is possible may change
    "{constraints: [P(bob == 1) >= p]}",
    '{constraints: ["P(bob == 1 | ann == 1) in [p/2, p]", P(00) <= (2*p-1)*(2*p-1)]}',
    "{constraints: [P(ann == bob) >= 2*P(ann > bob)*p, P(bob == 1) <= (2*p-1)*(2*p-1)]}",
    "{constraints: [(2*p-1)*(2*p-1)*P(01) <= (3*p-1)*(3*p-1)*P(00), P(10) <= p*P(11)]}",
    "{hedging: {weight: p, known: {0: p, 1: 1-p}}}",
    "{hedging: {weight: 1 - (2*p*p-1)*(2*p*p-1), known: {0: 1/2, 1: 1/2}}}",
    "{hedging: {weight: 1/3, known: {0: (2*p-1)*(2*p-1), 1: 1 - (2*p-1)*(2*p-1)}}}",
    "{markov: {initial: stationary, transition: {0: {0: [0, p], 1: [1-p, 1]}, 1: {0: 1}}}}",
    "{markov: {initial: {0: p, 1: 1-p}, transition: "
    "{0: {0: [(2*p-1)*(2*p-1), 1], 1: [0, 4*p*(1-p)]}, 1: {0: p, 1: 1-p}}}}",
)


def of_own(random: Random) -> str:
    """A file with one check about two records, whose priors depend on the parameter."""
    rows = [f"'{world}': {random.choice(ROWS)}" for world in ("00", "01", "10", "11")]
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {{records: [ann, bob], domain: [0, 1]}}
secrets: {{s: ann == 0, t: ann == 1}}
pairs: [[s, t]]
mechanism: {{table: {{outputs: [x, y], {", ".join(rows)}}}}}
priors: {random.choice(OWN)}
checks: [{{composition: {{exp_epsilon: {random.choice(LEVELS)}}}}}]
"""


@pytest.mark.parametrize("seed", range(CASES))
def test_classes_that_depend_on_the_parameter(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"classes {seed}"), tmp_path / "drawn.yaml"
    path.write_text(of_own(random))
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None
    for x in (*values(answer, random), Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)):
        (plain,) = answers(path, x)
        assert plain is not None
        confirm(answer, x, plain)


def found(path: Path, text: str, **replaced: str) -> list[Any]:
    """What is answered to the checks of a file."""
    for key, value in replaced.items():
        text = text.replace(key, value)
    path.write_text(text)
    return answers(path)


TWO = """
parameters: {p: 1/2 < p < 1}
worlds: [d, u, v]
secrets: {s: [d], t: [u, v]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], d: [1/2, 1/2], u: [p, 1-p], v: VVV}}
priors: {list: [uniform]}
checks: [{composition: {exp_epsilon: LEVEL}}]
"""


def senses(curve: Curve) -> list[str]:
    return [stretch.sense for stretch in curve.stretches]


def test_one_world_decides_on_a_piece(tmp_path: Path) -> None:
    """Up to 0.9196 the smallest level is 2p, and beyond it the root of 1/(4p(1 - p))."""
    (answer,) = found(tmp_path / "two.yaml", TWO, VVV="[1-p, p]", LEVEL="100")
    curve = answer.curve
    first, *_ = curve.stretches
    assert (first.top, first.bottom, first.sense) == ((0, 2), (1,), "")
    end, last = first.interval.high, curve.region.intervals[0].high
    assert isinstance(end, Root) and end.polynomial == (-1, -2, -4, 8)
    # 1/(2 √(p(1 - p))) = 100 where 40000 p(1 - p) = 1
    assert isinstance(last, Root) and last.polynomial == (1, -40000, 40000)
    (second,) = curve.stretches[1:]
    assert (second.top, second.bottom, second.root, second.sense) == ((1,), (0, 4, -4), 2, "")
    x = last.enclosed(TINY)[0]
    assert curve.region.has(x) and curve.region.has(last) and not curve.region.has(x + 2 * TINY)


def test_a_violation_by_half_of_each(tmp_path: Path) -> None:
    """At 5/4 it decides that the others need 2p; 5p/2 is more, and D needs more than that where
    25 p³(1 - p) < 1."""
    small, large = (
        found(tmp_path / "two.yaml", TWO, VVV="[1-p, p]", LEVEL=level)[0].curve
        for level in ("5/4", "5*p/2")
    )
    assert small.region.has(Fraction(5, 8)) and not small.region.has(Fraction(5, 8) + TINY)
    assert [(one.top, one.root) for one in small.stretches] == [((0, 2), 1), ((1,), 2)]
    (interval,) = large.region.intervals
    assert isinstance(interval.high, Root) and interval.high.polynomial == (1, 0, 0, -25, 25)


def test_room_for_fixed_weights(tmp_path: Path) -> None:
    """u and v need 2p and 3/2, and at this level there is room for weights of D's that are not
    best: the smallest level is known, though what D needs by itself is no function."""
    (answer,) = found(tmp_path / "two.yaml", TWO, VVV="[1/4, 3/4]", LEVEL="6/5")
    assert answer.verdict == "violated" and not answer.curve.undecided
    for x, level in ((Fraction(7, 10), Fraction(3, 2)), (Fraction(4, 5), Fraction(8, 5))):
        assert answer.curve.at(x).at(x) == level and not answer.curve.at(x).sense


def test_squares_that_are_rational_at_an_irrational_number(tmp_path: Path) -> None:
    """u has p² and 1/3 - p²/3 and the rest, and is as far from d as v at the root of 1/10."""
    text = TWO.replace("1/2 < p < 1", "1/4 < p < 3/4").replace("yes, no", "x, y, z")
    text = text.replace("[1/2, 1/2]", "[1/3, 1/3, 1/3]")
    text = text.replace("[p, 1-p]", "[p**2, (1-p**2)/3, 2*(1-p**2)/3]")
    (answer,) = found(tmp_path / "two.yaml", text, VVV="[1/10, 4/5, 1/10]", LEVEL="3/2")
    ends = [one.interval.high for one in answer.curve.stretches]
    assert any(isinstance(end, Root) and end.polynomial == (-1, 0, 10) for end in ends)
    assert not answer.curve.region.intervals and not answer.curve.undecided


VANISHING = """
parameters: {p: 1/2 < p < 1}
worlds: [d, u, v]
secrets: {s: [d], t: [u, v]}
pairs: [[s, t]]
mechanism: {table: {outputs: [yes, no], d: [1/2, 1/2], u: [3/4, 1/4], v: [1/4, 3/4]}}
priors: {list: [{worlds: {d: 1/2, u: "1/2 - (2*p**2-1)**2/8", v: "(2*p**2-1)**2/8"}}]}
checks: [{composition: {exp_epsilon: LEVEL}}]
"""


@pytest.mark.parametrize("level", ["8/5", "1 + p"])
def test_a_violation_at_one_irrational_number(level: str, tmp_path: Path) -> None:
    """The prior allows v but at √½, where D needs 2 of u alone; else half of each needs 2/√3, and u
    and v need 3/2."""
    (answer,) = found(tmp_path / "root.yaml", VANISHING, LEVEL=level)
    assert answer.verdict == "violated" and "single irrational" in answer.reason
    before, after = answer.curve.region.intervals
    assert before.high == after.low and isinstance(before.high, Root)
    root = before.high
    assert root.polynomial == (-1, 0, 2) and 1 < 2 * root.high**2 < 1 + Fraction(1, 10**9)
    assert [stretch.at(Fraction(3, 4)) for stretch in answer.curve.stretches] == [
        Fraction(3, 2),
        2,
        Fraction(3, 2),
    ]


ROOTED = """
parameters: {p: 1/10 < p < 3/5}
worlds: [d, u, v]
secrets: {s: [d], t: [u, v]}
pairs: [[s, t]]
priors: {list: [uniform]}
mechanism:
  table:
    outputs: [yes, no, other]
    d: [2/5, 2/5, 1/5]
    u: [p, 7/10-p, 3/10]
    v: [7/10-p, p, 3/10]
checks: [{composition: {exp_epsilon: 3/2}}]
"""


def test_a_level_that_is_a_root(tmp_path: Path) -> None:
    """D needs (2/5)/√(p(7/10 - p)), u and v need 3/2: the former is at most 3/2 where
    225 p(7 - 10 p) >= 160, which is 450 p² - 315 p + 32 <= 0."""
    (answer,) = found(tmp_path / "rooted.yaml", ROOTED)
    (interval,) = answer.curve.region.intervals
    assert interval.low_closed and interval.high_closed
    assert interval.low.polynomial == interval.high.polynomial == (32, -315, 450)
    assert senses(answer.curve) == ["", "", ""]
    below, within, above = answer.curve.stretches
    assert (below.root, within.root, above.root) == (2, 1, 2)
    x = Fraction(1, 10)  # 4/25 over 1/10 · 6/10
    assert below.at(x) == Fraction(8, 3) and within.at(x) == Fraction(3, 2)


RUNS = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms:
  once: {randomized_response: {truth: p}}
  twice: {repeat: {of: once, runs: 2}}
  both: {compose: [once, twice]}
priors: {list: [{worlds: {00: 3/8, 11: 3/8, 01: 1/8, 10: 1/8}}]}
checks:
  - {composition: {exp_epsilon: 9, pairs: values}, mechanism: twice}
  - composition: {exp_epsilon: 9, pairs: values, sequence: [once, once]}
  - {composition: {exp_epsilon: 9, pairs: values}, mechanism: both}
  - {pufferfish: {exp_epsilon: 9, pairs: values}, mechanism: twice}
"""


def test_repeated_runs(tmp_path: Path) -> None:
    """A run needs p/(1 - p), k runs in one the k-th power of this; what they leak in fact, and all
    of these at one value, is said by the check without a parameter."""
    path = tmp_path / "runs.yaml"
    told = found(path, RUNS)
    x = Fraction(4, 5)
    levels = [answer.curve.at(x).at(x) for answer in told[:3]]
    assert levels == [16, 16, 64]
    for answer, plain in zip(told, answers(path, x), strict=True):
        confirm(answer, x, plain)


NOTHING = """
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
priors: {list: [{worlds: {0: 1}}]}
checks: [{composition: {exp_epsilon: 2, pairs: values}}]
"""


def test_nothing_is_compared(tmp_path: Path) -> None:
    """The prior allows one value only."""
    (answer,) = found(tmp_path / "nothing.yaml", NOTHING)
    assert answer.verdict == "holds" and answer.leakage.vacuous


def test_no_level_is_enough(tmp_path: Path) -> None:
    """An output of D that no other world has rules these out."""
    text = TWO.replace("[p, 1-p]", "[0, 1]").replace("1/2, 1/2", "p, 1-p")
    (answer,) = found(tmp_path / "two.yaml", text, VVV="[0, 1]", LEVEL="2 + p")
    assert answer.verdict == "violated" and answer.curve.region.intervals == ()
    assert all(stretch.is_infinite for stretch in answer.curve.stretches)


def test_a_piece_is_divided_where_the_weights_change(tmp_path: Path) -> None:
    """The share b of the first world has to be in an interval, which is empty up to about 0.544:

    (p/10)^b·(19/20)^(1-b) >= 2/9 and (1-p/10)^b·(1/20)^(1-b) >= 2/9.

    At 14/25 it has 21/41; at 13/25 it is empty, as one yes and one no show together.
    """
    text = TWO.replace("1/2 < p < 1", "1/4 < p < 3/4").replace("[p, 1-p]", "[p/10, 1-p/10]")
    (answer,) = found(tmp_path / "two.yaml", text, VVV="[19/20, 1/20]", LEVEL="9/4")
    curve = answer.curve
    assert answer.verdict == "violated" and curve is not None
    assert curve.region.intervals[-1].has(Fraction(14, 25))
    assert not curve.region.has(Fraction(13, 25))
    (unknown,) = curve.undecided  # the end is where two quotients of logarithms are equal

    def room(p: float) -> float:
        """The length of the interval for b."""
        most = log(19 / 20 / (2 / 9)) / log(19 / 20 / (p / 10))
        return most - log(2 / 9 * 20) / log((1 - p / 10) * 20)

    low, high = unknown.low, unknown.high
    assert isinstance(low, Fraction) and isinstance(high, Fraction)
    assert high - low < Fraction(1, 10**7)
    assert room(float(low)) < 0 < room(float(high))
    assert [one.sense for one in curve.stretches if one.interval.has(Fraction(541, 1000))]
    for x in (low, high):
        (plain,) = answers(tmp_path / "two.yaml", x)
        assert plain is not None and plain.verdict == ("violated" if x == low else "holds")


BITS = """
parameters: {p: 1/4 < p < 3/4}
worlds: {records: [ann, bob], domain: [0, 1]}
secrets: {ann_0: ann == 0, ann_1: ann == 1}
pairs: [[ann_0, ann_1]]
mechanism: {randomized_response: {truth: (1 + p)/2}}
priors: CLASS
checks: [{composition: {exp_epsilon: 20}}]
"""


@pytest.mark.parametrize(
    ("priors", "power"),
    [
        *(("all", 2), ("product", 1), ("iid", 1)),
        ("{constraints: [P(bob == 1) >= 1/3]}", 2),
        ("{hedging: {weight: 1/2, known: {0: 1/2, 1: 1/2}}}", 1),
        (
            "{markov: {initial: stationary, transition: "
            "{0: {0: [0, 1/2], 1: [1/2, 1]}, 1: {0: 1}}}}",
            2,
        ),
        ("{conditionals: {ann_0: {worlds: {00: p, 01: 1-p}}, ann_1: uniform}}", 1),
        ("{conditionals: {ann_0: {worlds: {00: 1}}, ann_1: {worlds: {11: p, 10: 1-p}}}}", 2),
    ],
)
def test_classes_that_make_the_same_possible(tmp_path: Path, priors: str, power: int) -> None:
    """With odds a = (1 + p)/(1 - p) of each bit, a world that differs in both bits needs a², if it
    is the only one; where bob's bit is free, a world with the same bit needs a."""
    priors = priors.replace("uniform", "{worlds: {10: 1/2, 11: 1/2}}")
    (answer,) = found(tmp_path / "bits.yaml", BITS, CLASS=priors)
    assert answer is not None and answer.curve is not None and not answer.curve.undecided
    (stretch,) = answer.curve.stretches
    x = Fraction(1, 3)  # a = 2
    assert stretch.at(x) == 2**power and stretch.sense == ""
    (plain,) = answers(tmp_path / "bits.yaml", x)
    assert plain is not None
    confirm(answer, x, plain)


def test_one_value_is_an_ordinary_check(tmp_path: Path) -> None:
    """At 9/10 with level 100 the question is the ordinary one."""
    path = tmp_path / "two.yaml"
    path.write_text(TWO.replace("VVV", "[1-p, p]").replace("LEVEL", "100"))
    (choice,) = verify.choices(path, {"p": ["9/10"]})
    with parameters.given(choice):
        (asked,) = verify.load(path).questions
        assert asked.question is not None
        assert verify.decide(asked.question).leakage == Leakage(Fraction(9, 5))

"""Regions of `influence`, by hand and against the check at single values.

A chain of bits stays with probability p. With l = 2p - 1 a record at distance d tells a ratio of
(1 + l^d)/(1 - l^d), or the inverse where this is below 1.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.checker.drafts import opened
from tests.drawing import wider
from tests.engines.test_pieces import answers, confirm, same_everywhere
from verifier.questions.answer import Answer

CASES = wider(2, 40)
ROWS = ("p, 1-p", "1-p, p", "1/3, 2/3", "p**2, 1-p**2", "1/5, 4/5", "p/50, 1-p/50")
THREE = ("p/2, p/2, 1-p", "1/4, 1/2, 1/4", "p**2, 0, 1-p**2", "1/7, p, 6/7-p", "1, 0, 0")
LEVELS = ("3/2", "1 + p", "4", "9", "2/p")


def row(names: str, chances: str) -> str:
    return f"{{{', '.join(map(': '.join, zip(names, chances.split(', '), strict=True)))}}}"


def chain(random: Random, names: str) -> str:
    rows = ROWS if names == "01" else THREE
    listed = ", ".join(f"{value}: {row(names, random.choice(rows))}" for value in names)
    return f"initial: {row(names, random.choice(rows))}, transition: {{{listed}}}"


def intervals(random: Random) -> str:
    change = random.choice(("[1/3, p+1/4]", "[p, 1]", "[p/2, p]", "[1/9, p/8+1/3]", "[(1-p)/2, 1]"))
    back = random.choice(("[1/4, 1/2]", "[1/4, 1-p/4]", "2/3"))
    return f"0: {{0: [0, 1], 1: {change}}}, 1: {{0: {back}, 1: [0, 1]}}"


def priors(random: Random, names: str, count: int) -> str:
    """Chains, a tree, intervals, or weights of worlds."""
    two = [f"{{markov: {{{chain(random, names)}}}}}" for _ in range(random.randint(1, 2))]
    first = row(names, random.choice(ROWS if names == "01" else THREE))
    worlds = "(1 + p if r1 == r2 else 1) * (2 if r2 == 0 else p)"
    kinds = [
        f"{{list: [{', '.join(two)}]}}",
        f"{{list: [{{weight: '{worlds}'}}, {{iid: {first}}}]}}",
        "{conditionals: [{s: {weight: '0 if r1 != 0 else p if r2 == 0 else 1'}, "
        "t: {weight: '0 if r1 != 1 else 1 if r2 == 0 else 2*p'}}]}",
    ]
    if names == "01":
        told = ", ".join(f"r{i}: r{random.randint(1, i - 1)}" for i in range(2, count + 1))
        stays = row(names, "p, 1-p"), row(names, random.choice(ROWS))
        tree = f"initial: {random.choice(stays)}, transition: {{0: {stays[0]}, 1: {stays[1]}}}"
        kinds.append(f"{{list: [{{tree: {{parents: {{{told}}}, {tree}}}}}]}}")
        kinds.append(f"{{markov: {{initial: stationary, transition: {{{intervals(random)}}}}}}}")
    return random.choice(kinds)


def drawn(random: Random) -> str:
    """A file with one check."""
    names, count = random.choice(("01", "01", "012")), random.randint(2, 4)
    entries = random.choice((0, count, *[*range(1, count)] * 5))
    known = priors(random, names, count)
    pairs = "[[s, t]]" if "{s: " in known or random.random() < 0.2 else "values"
    return f"""
parameters: {{p: 1/4 < p < 3/4}}
worlds: {{records: {count}, domain: [{", ".join(names)}]}}
secrets: {{s: r1 == 0, t: r1 == 1}}
pairs: {pairs}
priors: {known}
checks: [{{influence: {{entries: {entries}, exp_epsilon: {random.choice(LEVELS)}}}}}]
"""


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"influence {seed}"), tmp_path / "drawn.yaml"
    path.write_text(drawn(random))
    same_everywhere(path, random, confirm, complete=True)


def asked(priors: str, entries: int, level: str = "9", **parts: str) -> str:
    """A file about such records, for 0 < p < 1."""
    given = {"parameters": "{p: 0 < p < 1}", "pairs": "values", **parts}
    lines = "\n".join(f"{key}: {value}" for key, value in given.items())
    check = f"{{influence: {{entries: {entries}, exp_epsilon: {level}}}}}"
    return f"{lines}\npriors: {priors}\nchecks: [{check}]\n"


def said(text: str, path: Path) -> Answer:
    (path / "file.yaml").write_text(text)
    (answer,) = answers(path / "file.yaml")
    assert answer is not None
    return answer


STEPS = "initial: stationary, transition: {0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}"
STEADY = f"{{list: [{{markov: {{{STEPS}}}}}]}}"


def told(p: Fraction, distance: int) -> Fraction:
    ratio = (1 + (2 * p - 1) ** distance) / (1 - (2 * p - 1) ** distance)
    return max(ratio, 1 / ratio)


@pytest.mark.parametrize("records", [7, 30])
def test_a_chain_that_stays_or_changes(records: int, tmp_path: Path) -> None:
    """Alike on both sides of 1/2, where nothing is told. Three hidden: two at distance 2."""
    worlds = f"{{records: {records}, domain: [0, 1]}}"
    for hidden, distances in ((1, (1, 1)), (2, (1, 2)), (3, (2, 2))):
        answer = said(asked(STEADY, hidden, worlds=worlds), tmp_path)
        assert answer.curve is not None and not answer.curve.undecided
        for x in (Fraction(k, 10) for k in range(1, 10)):
            expected = told(x, distances[0]) * told(x, distances[1])
            assert answer.curve.at(x).at(x) == expected
            assert answer.curve.region.has(x) == (expected <= 9)


def test_a_violation_is_shown_at_a_simple_value(tmp_path: Path) -> None:
    answer = said(asked(STEADY, 1, worlds="{records: 3, domain: [0, 1]}"), tmp_path)
    assert answer.reason == "violated at p = 1/6" and answer.verdict == "violated"
    witness: Any = answer.witness
    assert (witness.ratio, witness.hidden) == (25, ["r2"])


def test_nothing_or_everything_is_told(tmp_path: Path) -> None:
    """All are hidden; none is; two records are one and the same from the end of the interval on."""
    worlds = "{records: 3, domain: [0, 1]}"
    for hidden, level in ((3, Fraction(1)), (0, None)):
        curve = said(asked(STEADY, hidden, worlds=worlds), tmp_path).curve
        assert curve is not None
        stretch = curve.at(Fraction(1, 3))
        assert stretch.is_infinite == (level is None)
        assert level is None or stretch.at(Fraction(1, 3)) == level
    closed = asked(STEADY, 1, worlds=worlds, parameters="{p: 1/2 <= p <= 1}")
    curve = said(closed.replace("initial: stationary", "initial: {0: 1/3, 1: 2/3}"), tmp_path).curve
    assert curve is not None and curve.at(Fraction(1)).is_infinite


def test_a_value_that_makes_a_secret_impossible(tmp_path: Path) -> None:
    """At p = 1 the first record is 0: nobody compares its values, and it tells nothing. Before, r2
    = 1 tells 3/2 for r1 = 1; r1 = 1 tells m(0)/m(1) for r2 = 1, m(1) = p/3 + (1 - p)/2."""
    table = "{0: {0: 2/3, 1: 1/3}, 1: {0: 1/2, 1: 1/2}}"
    first = f"{{list: [{{markov: {{initial: {{0: p, 1: 1-p}}, transition: {table}}}}}]}}"
    parts = {"worlds": "{records: 2, domain: [0, 1]}", "parameters": "{p: 1/2 <= p <= 1}"}
    curve = said(asked(first, 1, **parts), tmp_path).curve
    assert curve is not None
    for x, level in ((1, 2), Fraction(3, 2)), ((9, 10), Fraction(13, 7)), ((1, 1), Fraction(1)):
        assert curve.at(Fraction(*x)).at(Fraction(*x)) == level


def test_worlds_that_are_enumerated(tmp_path: Path) -> None:
    """Two bits are equal with p: one tells p/(1 - p) of the other."""
    worlds = "{records: 2, domain: [0, 1]}"
    answer = said(
        asked('{list: [{weight: "p if r1 == r2 else 1 - p"}]}', 1, "4", worlds=worlds), tmp_path
    )
    assert answer.certificate is not None and answer.curve is not None
    assert opened(answer.certificate)["relation"]["kind"] == "influence"
    for x in (Fraction(1, 7), Fraction(1, 2), Fraction(4, 5), Fraction(5, 6)):
        assert answer.curve.at(x).at(x) == max(x / (1 - x), (1 - x) / x)
        assert answer.curve.region.has(x) == (Fraction(1, 5) <= x <= Fraction(4, 5))


def test_an_end_of_an_interval_that_does_not_count(tmp_path: Path) -> None:
    """Changes of 1/4 to 1/2 and 1/5 to p: the chain that changes least is the worst for all p, with
    l = 11/20; its neighbours tell (4 + 5l)/(4 - 4l) = 15/4 each."""
    steps = "{0: {0: [1/2, 3/4], 1: [1/4, 1/2]}, 1: {0: [1/5, p], 1: [0, 1]}}"
    known = f"{{markov: {{initial: stationary, transition: {steps}}}}}"
    about = {"parameters": "{p: 1/4 < p < 1/2}", "worlds": "{records: 7, domain: [0, 1]}"}
    answer = said(asked(known, 1, "225/16", **about), tmp_path)
    assert answer.verdict == "holds" and answer.curve is not None
    assert answer.curve.at(Fraction(2, 5)).at(Fraction(2, 5)) == Fraction(225, 16)

"""Regions of chains and trees whose records answer by themselves.

Each is compared with the check at single values, and with the region of the same file over
enumerated worlds. By hand: of two fair bits that are equal with probability c, and are told with
probability p, both answers have the odds p/(1 − p)·(cp + (1 − c)(1 − p))/(c(1 − p) + (1 − c)p).
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import answers, confirm, one, same_everywhere

CASES, MOST = wider((2, 3), (60, 4))  # drawn files, and their records
DOMAINS = ("1/4 < p < 3/4", "0 < p < 1", "0 <= p <= 1", "1/4 <= p < 1", "1/8 <= p <= 4/5")
LEVELS = ("3/2", "1 + p", "4", "9", "3 - p**2")
TWO = ("p, 1-p", "1-p, p", "1/3, 2/3", "p**2, 1-p**2", "1, 0", "p/50, 1-p/50", "1/2, 1/2")
THREE = ("p/2, p/2, 1-p", "1/4, 1/2, 1/4", "p**2, 0, 1-p**2", "p/7, 6/7-p/7, 1/7", "1, 0, 0")
OUTPUTS = {"x": ("1",), "x, y": TWO, "x, y, z": THREE}


def row(random: Random, names: str) -> str:
    chances = random.choice(TWO if len(names) == 2 else THREE).split(", ")
    return f"{{{', '.join(map(': '.join, zip(names, chances, strict=True)))}}}"


def table(random: Random, names: str) -> str:
    return "{" + ", ".join(f"{value}: {row(random, names)}" for value in names) + "}"


def prior(random: Random, names: str, count: int) -> str:
    order = random.sample(range(1, count + 1), count)
    parents = [f"r{order[i]}: r{order[random.randrange(i)]}" for i in range(1, count)]
    parents = parents[: random.randint(1, 2 * count)]  # or all
    steps = f"initial: {row(random, names)}, transition: {table(random, names)}"
    if random.random() < 0.5:
        return f"{{markov: {{{steps}}}}}"
    return f"{{tree: {{parents: {{{', '.join(parents)}}}, {steps}}}}}"


def channel(random: Random, names: str) -> str:
    outputs = random.choice(list(OUTPUTS))
    rows = "".join(f", {value}: [{random.choice(OUTPUTS[outputs])}]" for value in names)
    return f"{{table: {{outputs: [{outputs}]{rows}}}}}"


def drawn(random: Random, names: str, count: int) -> list[str]:
    """A file with channels, and the same over enumerated worlds."""
    local = f"{{local: [{', '.join(channel(random, names) for _ in range(count))}]}}"
    priors = ", ".join(prior(random, names, count) for _ in range(random.randint(1, 2)))
    text = f"""
parameters: {{p: {random.choice(DOMAINS)}}}
worlds: {{records: {count}, domain: [{", ".join(names)}]}}
pairs: values
priors: {{list: [{priors}]}}
checks: [{{pufferfish: {{exp_epsilon: {random.choice(LEVELS)}}}}}]
mechanism: """
    return [text + local, text + f"{{mixture: [{{weight: 1, mechanism: {local}}}]}}"]


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_that_of_all_worlds(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"chains {seed}"), tmp_path / "drawn.yaml"
    text, enumerated = drawn(random, "01", random.randint(2, MOST))
    path.write_text(text)
    same_everywhere(path, random, confirm, complete=True)
    (local,) = answers(path)
    path.write_text(enumerated)
    (other,) = answers(path)
    assert local is not None and other is not None
    assert local.verdict == other.verdict
    if local.curve is None or other.curve is None:
        assert local.leakage == other.leakage and local.curve is other.curve
        return
    assert local.curve.region.same(other.curve.region)
    for stretch in other.curve.stretches:
        for end in (stretch.interval.low, stretch.interval.high):
            if isinstance(end, Fraction) and other.curve.domain.has(end):
                assert same_level(local.curve, other.curve, end)
    for x in (Fraction(random.randint(500, 749), 1000) for _ in range(5)):
        assert same_level(local.curve, other.curve, x)


def same_level(local: Any, other: Any, x: Fraction) -> bool:
    found = [curve.at(x) for curve in (local, other)]
    if any(stretch.is_infinite for stretch in found):
        return all(stretch.is_infinite for stretch in found)
    return bool(found[0].at(x) == found[1].at(x) and not found[0].sense)


def of_line(people: int, level: str, priors: str = "") -> str:
    """So many people in a line, neighbours equal with probability p, who tell with 3/4."""
    steps = "initial: stationary, transition: {0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}"
    return f"""
parameters: {{p: 1/2 < p < 1}}
worlds: {{records: {people}, domain: [0, 1]}}
mechanism: {{local: {{randomized_response: {{truth: 3/4}}}}}}
pairs: values
priors: {{list: [{priors or f"{{markov: {{{steps}}}}}"}]}}
checks: [{{pufferfish: {{exp_epsilon: {level}}}}}]
"""


def odds(people: int, p: Fraction) -> Fraction:
    """Those of the one in the middle of a line: by each neighbour, with odds x by their own answer
    and those further out, (px + 1 − p)/((1 − p)x + p)."""
    left, right = Fraction(1), Fraction(1)
    for side in range(people - 1):
        x = 3 * (right if side % 2 else left)
        told = (p * x + 1 - p) / ((1 - p) * x + p)
        left, right = (left, told) if side % 2 else (told, right)
    return 3 * left * right


@pytest.mark.parametrize("people", [1, 6, 30])
def test_a_line(people: int, tmp_path: Path) -> None:
    answer = one(tmp_path / "line.yaml", of_line(people, "12"))
    assert answer.curve is not None and not answer.curve.undecided
    for x in (Fraction(k, 100) for k in range(51, 100, 4)):
        assert answer.curve.at(x).at(x) == odds(people, x)
        assert answer.curve.region.has(x) == (odds(people, x) <= 12)


def test_a_long_line(tmp_path: Path) -> None:
    """Far inside, the odds t by a neighbour are those that stay: 3(1 − p)t² − 2pt = 1 − p. At level
    12 = 3t² that is p = 11/15; those near the middle of 60 tell it to nine digits and more."""
    answer = one(tmp_path / "line.yaml", of_line(60, "12"))
    curve, end, hair = answer.curve, Fraction(11, 15), Fraction(1, 10**9)
    assert curve is not None and answer.verdict == "violated"
    assert curve.region.has(end - hair) and not curve.region.has(end + hair)
    (unknown,) = curve.undecided
    assert unknown.has(end) and not unknown.has(end - hair) and not unknown.has(end + hair)
    assert [stretch.sense for stretch in curve.stretches] == ["at most", "at least"]


@pytest.mark.parametrize("seed", range(CASES // 2))
def test_many_records_by_those_near(seed: int, tmp_path: Path) -> None:
    """What is told of a stationary chain is so at single values, by all records."""
    random, path = Random(f"many {seed}"), tmp_path / "many.yaml"
    steps = (
        f"{{0: {row(random, '01')}, 1: {random.choice(('{0: 1/3, 1: 2/3}', '{0: p, 1: 1-p}'))}}}"
    )
    prior = f"{{markov: {{initial: stationary, transition: {steps}}}}}"
    text = of_line(wider(30, 60), random.choice(LEVELS), prior)
    text = text.replace("1/2 < p < 1", "1/4 < p < 3/4")
    path.write_text(text.replace("truth: 3/4", random.choice(("truth: 3/4", "truth: (2+p)/4"))))
    same_everywhere(path, random, confirm)


def test_levels_alone_depend_on_the_parameter(tmp_path: Path) -> None:
    """Thirty people whose chain and answers are numbers."""
    text = of_line(30, "6 + 6*p").replace("{0: p, 1: 1-p}", "{0: 2/3, 1: 1/3}")
    answer = one(tmp_path / "level.yaml", text.replace("{0: 1-p, 1: p}", "{0: 1/3, 1: 2/3}"))
    level = odds(30, Fraction(2, 3))
    assert answer.curve is not None and not answer.curve.undecided
    for x in (Fraction(k, 100) for k in range(51, 100)):
        assert answer.curve.region.has(x) == (level <= 6 + 6 * x)


@pytest.mark.parametrize("seed", range(CASES // 2))
def test_one_method_for_all_values(seed: int, tmp_path: Path) -> None:
    """Channels decide three values, or no delta, where the parameter is a number at an end; for
    what lies between worlds are enumerated, and so they are for all."""
    random, path = Random(f"one method {seed}"), tmp_path / "drawn.yaml"
    names, delta = random.choice((("012", "0"), ("01", "p - 1/4"), ("012", "p/9")))
    text, _ = drawn(random, names, 2)
    domain = "1/4 <= p <= 3/4"
    for other in DOMAINS:
        text = text.replace(f"{{p: {other}}}", f"{{p: {domain}}}")
    path.write_text(text.replace("exp_epsilon: ", f"delta: {delta}, exp_epsilon: "))
    same_everywhere(path, random, confirm, complete=True)


def test_hidden_records_where_neighbours_are_equal(tmp_path: Path) -> None:
    """The middle one of three that stay with p tells p/(1 − p) by each neighbour, and at p = 1
    everything; a tree with zeros is decided by its worlds, and so it is for all values."""
    steps = "initial: {0: 1/2, 1: 1/2}, transition: {0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}"
    text = f"""
parameters: {{p: 1/2 <= p <= 1}}
worlds: {{records: 5, domain: [0, 1]}}
pairs: values
priors: {{list: [{{tree: {{parents: {{r2: r1, r3: r1}}, {steps}}}}}]}}
checks: [{{influence: {{entries: 1, exp_epsilon: 4}}}}]
"""
    answer = one(tmp_path / "tree.yaml", text)
    curve = answer.curve
    assert curve is not None and not curve.undecided and curve.at(Fraction(1)).is_infinite
    for x in (Fraction(k, 20) for k in range(10, 20)):
        assert curve.at(x).at(x) == (x / (1 - x)) ** 2
        assert curve.region.has(x) == (x <= Fraction(2, 3))


CHANGES = ("[p/3, 1/2]", "[1/5, (1+p)/4]", "[p/2, p/2+1/9]", "1/3", "[1/9, 1/3]", "(1-p)/2")


@pytest.mark.parametrize("seed", range(CASES // 2))
def test_intervals_of_change(seed: int, tmp_path: Path) -> None:
    """Two values that change less often than they stay: the chain that changes least is the worst
    one, and its region the same."""
    random, path = Random(f"intervals {seed}"), tmp_path / "drawn.yaml"
    count, changes = random.choice((2, 3, 7)), random.choices(CHANGES, k=2)
    if not any("[" in change for change in changes):
        changes[0] = CHANGES[0]
    least = [change.strip("[").split(",")[0] for change in changes]
    stays = [f"1-({change})" for change in least]
    found = []
    for (a, b), (x, y), form in (
        (changes, ("[0, 1]", "[0, 1]"), "{markov: STEPS}"),
        (least, stays, "{list: [{markov: STEPS}]}"),
    ):
        steps = f"{{0: {{0: {x}, 1: {a}}}, 1: {{0: {b}, 1: {y}}}}}"
        text = of_line(count, LEVELS[seed % 5], "IT").replace("1/2 < p < 1", "1/4 <= p < 3/4")
        text = text.replace("{list: [IT]}", form).replace("truth: 3/4", "truth: (1+p)/2")
        path.write_text(text.replace("STEPS", f"{{initial: stationary, transition: {steps}}}"))
        same_everywhere(path, random, confirm, complete=True)
        found += answers(path)
    one_of, other = (answer.curve for answer in found if answer is not None)
    assert one_of is not None and other is not None and one_of.region.same(other.region)
    for x in (Fraction(random.randint(250, 749), 1000) for _ in range(5)):
        assert same_level(one_of, other, x)

"""Regions and levels as functions of models/parameters, against plain sums at many values.

The definition is evaluated at each value by itself: products of probabilities, summed over worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import yaml

from tests.models.model_files import MODELS, decided, files
from verifier.kernels.roots import enclosed
from verifier.verify import Result

FOLDER = "parameters"
HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
HAIR = Fraction(1, 10**12)
Column = Mapping[Any, Fraction]


def largest(one: Column, other: Column) -> Fraction:
    """The largest ratio of two distributions, either way."""
    ratios = [one[o] / other[o] for o in one if one[o] or other[o]]
    return max(*ratios, *(1 / ratio for ratio in ratios))


def given(joint: Mapping[tuple[Any, Any], Fraction], says: Callable[[Any], bool]) -> Column:
    """The distribution of outputs, given what a world says."""
    total = sum(p for (world, _), p in joint.items() if says(world))
    found: dict[Any, Fraction] = {}
    for (world, output), p in joint.items():
        found[output] = found.get(output, Fraction(0)) + (p / total if says(world) else 0)
    return found


def of_chain(p: Fraction) -> Fraction:
    """Bob's bit against its opposite, from all eight worlds and eight outputs."""
    step = {(0, 0): 2 * THIRD, (0, 1): THIRD, (1, 0): QUARTER, (1, 1): 3 * QUARTER}
    start = (Fraction(3, 7), Fraction(4, 7))
    joint = {}
    for world, output in product(product((0, 1), repeat=3), repeat=2):
        chance = start[world[0]] * step[world[:2]] * step[world[1:]]
        for bit, told in zip(world, output, strict=True):
            chance *= p if bit == told else 1 - p
        joint[world, output] = chance
    return largest(given(joint, lambda w: w[1] == 0), given(joint, lambda w: w[1] == 1))


def of_bits(p: Fraction) -> Fraction:
    """A bit against its opposite, told by itself."""
    return largest({0: p, 1: 1 - p}, {0: 1 - p, 1: p})


def of_answers(p: Fraction, k: int) -> Fraction:
    """Two of k answers."""
    wrong = (1 - p) / (k - 1)
    one = {j: p if j == 0 else wrong for j in range(k)}
    return largest(one, {**one, 0: wrong, 1: p})


def of_exam(p: Fraction) -> Fraction:
    """Each student's result, from the five worlds; of the noise its powers of 1/2 alone, as the
    rest of it is the same everywhere, and outputs beyond the ends are as the ends."""
    weights = [(1 - p) ** 3, (1 - p) ** 3, p * (1 - p) ** 2, p**2 * (1 - p), p**3]
    joint = {
        (passed, output): weights[passed] * HALF ** abs(output - passed)
        for passed in range(5)
        for output in range(5)
    }
    below, above = Fraction(2), Fraction(2)  # all powers from an end on
    for passed in range(5):
        joint[passed, 0] *= below
        joint[passed, 4] *= above
    return max(
        largest(given(joint, lambda w, i=i: w >= i), given(joint, lambda w, i=i: w < i))
        for i in range(1, 5)
    )


def values(result: Result) -> Iterator[Fraction]:
    """Values of the parameter within the domain: a grid, and a hair from each end."""
    curve = result.answer.curve
    assert curve is not None
    yield from (x for x in (Fraction(k, 97) for k in range(1, 97)) if curve.domain.has(x))
    for one in (*curve.region.intervals, *(stretch.interval for stretch in curve.stretches)):
        for end in (one.low, one.high):
            middle = end if isinstance(end, Fraction) else enclosed(end, HAIR)[0]
            near = (middle - 2 * HAIR, middle, middle + 2 * HAIR)
            yield from (x for x in near if curve.domain.has(x))


def confirm_curve(result: Result, least: Callable[[Fraction], Fraction], level: Any) -> None:
    """Region and function have what the definition has, value by value."""
    curve = result.answer.curve
    assert curve is not None and result.status == "ok", result.mismatch
    for x in values(result):
        smallest, asked = least(x), level(x) if callable(level) else level
        assert curve.at(x).at(x) == smallest, x
        assert curve.region.has(x) == (smallest <= asked), x


def asserted(file: str, index: int, name: str, x: Fraction) -> bool:
    """Whether the inequalities that a file expects are true at a value."""
    document = yaml.safe_load((MODELS / FOLDER / file).read_text(encoding="utf-8"))
    said = document["checks"][index]["expect"]["holds"]
    return all(eval(one, {name: x}) for one in ([said] if isinstance(said, str) else said))


def test_correlated_records() -> None:
    file = "correlated-records.yaml"
    assert of_chain(Fraction(3, 5)) == Fraction(512, 243)
    assert of_chain(Fraction(7, 10)) == Fraction(2023, 432)
    chain, alone, three = decided(f"{FOLDER}/{file}")
    confirm_curve(chain, of_chain, 3)
    confirm_curve(alone, of_bits, of_bits)
    confirm_curve(three, of_bits, 3)
    for x in values(chain):
        assert asserted(file, 0, "p", x) == (of_chain(x) <= 3)
        assert asserted(file, 2, "p", x) == (of_bits(x) <= 3)


def test_answers() -> None:
    results = decided(f"{FOLDER}/k-ary.yaml")
    for k, result in zip((2, 3, 10), results, strict=True):
        confirm_curve(result, lambda p, k=k: of_answers(p, k), 3)
        assert result.answer.curve is not None
        (interval,) = result.answer.curve.region.intervals
        assert (interval.low, interval.high) == (Fraction(1, 3 * k - 2), Fraction(3, k + 2))


def test_exam() -> None:
    """At 9/10 it is what the other model of the exam has."""
    file = "exam.yaml"
    assert of_exam(Fraction(9, 10)) == Fraction(1235, 82)
    results = decided(f"{FOLDER}/{file}")
    for index, (result, level) in enumerate(zip(results, (8, 15, 16), strict=True)):
        confirm_curve(result, of_exam, level)
        if level < 16:
            for x in values(result):
                assert asserted(file, index, "p", x) == (of_exam(x) <= level)


@pytest.mark.parametrize("file", files(FOLDER))
def test_it_is_derived(file: str) -> None:
    known = {"correlated-records.yaml", "exam.yaml", "k-ary.yaml"}
    assert file in known

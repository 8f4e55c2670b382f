"""Regions of simulators for priors under constraints with the parameter in them, against the
ordinary check at single values; and corners with functions against corners at a value."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.drawing import wider
from tests.engines.test_pieces import ROWS, answers, confirm, values
from verifier.base.cell import Cell
from verifier.base.errors import LimitReached
from verifier.base.rational_function import function_value, parameter
from verifier.kernels.cones import Cone, Row, rays, rays_of_functions

CASES = wider(2, 20)
LIMITS = (
    "P(b | t) in [p/2, (1 + p)/2]",
    "P(a) >= p/4",
    "P(s) == p",
    "P(c | t) <= p",
    "P(b | t) >= 1/5",
    "P(b) + P(c) <= 1 - p",
    "P(c) >= (2*p - 1)*P(a)",
)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_region_is_the_verdict_at_every_value(seed: int, tmp_path: Path) -> None:
    random, path = Random(f"simulators {seed}"), tmp_path / "drawn.yaml"
    limits = ", ".join(f'"{one}"' for one in random.sample(LIMITS, 2))
    rows = ", ".join(f"{world}: {random.choice(ROWS)}" for world in "abc")
    level, seen = random.choice(("3/2", "1 + p", "3")), random.choice(('"1"', "world == 'c'"))
    path.write_text(f"""
parameters: {{p: 3/8 < p < 5/8}}
worlds: [a, b, c]
secrets: {{s: [a], t: [b, c]}}
mechanism: {{table: {{outputs: [x, y], {rows}}}}}
priors: {{constraints: [{limits}]}}
checks: [{{coupled_worlds: {{exp_epsilon: {level}, alt: {seen}, priv: s}}}}]
""")
    (answer,) = answers(path)
    assert answer is not None and answer.curve is not None and not answer.curve.undecided
    for x in (*values(answer, random), Fraction(2, 5), Fraction(1, 2)):
        if answer.curve.domain.has(x):
            (plain,) = answers(path, x)
            assert plain is not None
            confirm(answer, x, plain)


@pytest.mark.parametrize("seed", range(30))
def test_corners_with_functions_are_those_at_a_value(seed: int) -> None:
    """Of drawn rows a + b·p with small integers, at a drawn value."""
    random, p = Random(f"corners {seed}"), parameter("p")
    size = random.randint(2, 5)
    drawn = [
        (
            random.choice(("<=", "<=", "=")),
            [(random.randint(-3, 3), random.randint(-3, 3)) for _ in range(size)],
        )
        for _ in range(random.randint(1, 3))
    ]
    x = Fraction(random.randint(30, 70), 101)
    functions = [grouped(sense, [a + b * p for a, b in pairs]) for sense, pairs in drawn]
    integers = [
        grouped(sense, [int(101 * (a + b * x)) for a, b in pairs]) for sense, pairs in drawn
    ]
    with Cell("p", Fraction(0), Fraction(1), x):
        found = rays_of_functions(Cone(size, functions), 1000)
    expected = {tuple(sorted(scaled(ray).items())) for ray in rays(Cone(size, integers), 1000)}
    told = [{k: function_value(Fraction(0) + v, x) for k, v in ray.items()} for ray in found]
    assert {tuple(sorted(scaled(ray).items())) for ray in told} == expected
    assert len(found) == len(expected)


def grouped(sense: str, entries: list[Any]) -> Row:
    """The row with these entries."""
    places: dict[Any, list[int]] = {}
    for place, value in enumerate(entries):
        places.setdefault(value, []).append(place)
    return Row(sense, places)


def scaled(ray: dict[int, Fraction]) -> dict[int, Fraction]:
    """A ray of sum 1."""
    return {k: Fraction(x) / sum(ray.values()) for k, x in ray.items()}


def test_too_many_corners() -> None:
    """{x_0 = x_1} with three coordinates has two corners."""
    cone = Cone(3, [Row("=", {1: [0], -1: [1]})])
    assert len(rays_of_functions(cone, 2)) == 2
    with pytest.raises(LimitReached):
        rays_of_functions(cone, 1)

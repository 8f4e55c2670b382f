"""Drawn programs: what is decided of free draws against the same program with far clamps."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from verifier.programs.run import run_program
from verifier.world.worlds import database

SPACE = database(["r1", "r2"], [0, 1])
REACH = 9

IN_A_LIST = [
    "kept = [0, x1] * 1",
    "kept[r1] += x0",
    "for v in [kept[0], kept[1] - 1]:",
    "    if v > 0:",
    "        out.append('up')",
]
IN_A_DICTIONARY = [
    "kept = {'a': x2, 'b': 0}",
    "kept['b'] -= x1",
    "for name, v in sorted(kept.items()):",
    "    if v >= 1 and 'c' not in kept:",
    "        out.append(name)",
]


def program(rng: random.Random) -> str:
    """A program of three draws whose tests are sums, maxima, windows and earlier answers."""
    lines = []
    for i in range(3):
        ratio = rng.choice(["1/4", "1/5", "1/6"])
        center = rng.choice(["0", "r1", "r2", "r1 + r2", "-1"])
        lines.append(f"x{i} = draw(geometric({center}, {ratio}))")
    lines.append("out = []")
    for _ in range(rng.randint(1, 3)):
        lines.append(f"if {test(rng)}:")
        lines.append(f"    out.append({rng.randint(1, 3)})")
        if rng.random() < 0.5:
            kept = rng.choice(["max(x0, x1)", "min(x1, x2)", "x2 + 1", "-x0", "abs(x1)"])
            lines.append(f"    x{rng.randrange(3)} = {kept}")
        elif rng.random() < 0.5:
            lines += ["else:", f"    out.append({rng.choice(['argmax(x0, x1, x2)', '0'])})"]
    if rng.random() < 0.7:
        lines += rng.choice([IN_A_LIST, IN_A_DICTIONARY])
    low, high = rng.choice([(0, 1), (-1, 1)])
    released = rng.choice(["x0", "x0 - x1", "x2", "floor(x1 / 2)", "sorted([x1, x0, 1])[1]"])
    lines.append(f"out.append(max({low}, min({high}, {released})))")
    return "\n".join([*lines, "return out"])


def test(rng: random.Random) -> str:
    """A comparison of draws."""
    a, b, c = rng.sample(["x0", "x1", "x2"], 3)
    return rng.choice(
        [
            f"{a} > {b}",
            f"{a} >= {b} + 1",
            f"{a} + {b} <= {c}",
            f"{a} == {b}",
            f"2 * {a} < {b} + {c}",
            f"-1 <= {a} < 2 and {b} > {a}",
            f"max({a}, {b}) > {c}",
            f"abs({a} - {b}) <= 1 or {c} > 0",
            f"{a} / 2 >= {b}",
            f"{a} != 0",
        ]
    )


test.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(10))
def test_far_clamps_come_close(seed: int) -> None:
    text = program(random.Random(seed))
    clamped = text
    for ratio in ("1/4", "1/5", "1/6"):
        clamped = clamped.replace(f"{ratio}))", f"{ratio}, {-REACH}, {REACH}))")
    free, near = run_program(SPACE, text), run_program(SPACE, clamped)
    exact = dict(zip(free.outputs, free.rows(), strict=True))
    close = dict(zip(near.outputs, near.rows(), strict=True))
    nothing = [Fraction(0)] * SPACE.size
    for output in {*exact, *close}:
        for a, b in zip(exact.get(output, nothing), close.get(output, nothing), strict=True):
            assert abs(a - b) < Fraction(1, 20_000), text

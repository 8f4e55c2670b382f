"""Drawn programs: what is decided of free draws against the same program with far clamps."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from verifier.programs import front as fronts
from verifier.programs.run import run_program
from verifier.world.mechanism import Mechanism
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


ANSWERS = database("abc", [0, 1])


def loop(rng: random.Random) -> str:
    """A program that compares each of three noisy answers with a threshold or the best so far."""
    law = rng.choice(["laplace(0, 2)", "exponential(2)", "geometric(0, 1/2)", "interval(0, 3)"])
    lines = [
        f"t = draw({rng.choice(['laplace(0, 1)', law, law])})",
        "out = []",
        "n = 0",
        "best = t",
    ]
    if "geometric" in law:
        lines[0] = f"t = draw({law})"
    lines += ["for i in range(3):", f"    v = world[i] + draw({law})"]
    test = rng.choice(["v >= t", "v > best", "v >= t + n", "v - t >= 1"])
    then = ["out.append(1)", "n += 1", "best = v", "t = v", "n = i"]
    lines += [f"    if {test}:", f"        {rng.choice(then)}", f"        {rng.choice(then)}"]
    end = rng.choice(
        ["", "        return [i, n]", "        break", "    else:\n        out.append(0)"]
    )
    lines += [end] if end else []
    return "\n".join(
        [*lines, f"return {rng.choice(['out', 'n', '[n, best > 1]', 'out + [t > n]'])}"]
    )


@pytest.mark.parametrize("seed", range(12))
def test_other_names_of_draws_change_no_chance(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the names that draws are given, and with those of the draws that were made."""
    text = loop(random.Random(seed))
    found = run_program(ANSWERS, text)
    monkeypatch.setattr(fronts, "rename", lambda front: front)
    plain = run_program(ANSWERS, text)
    assert (found.outputs, list(found.rows())) == (plain.outputs, list(plain.rows())), text


def test_worlds_that_differ_in_order_alone_are_run_once() -> None:
    """Above and below a threshold: of six answers only the number of ones on each side counts."""
    text = (
        "t = draw(laplace(0, 2))\nout = []\nfor i in range(6):\n"
        "    out.append(world[i] + draw(laplace(0, 2)) >= t)\nreturn out"
    )
    found = run_program(database("abcdef", [0, 1]), text)
    types = {
        (up, ones, others) for up in range(7) for ones in range(up + 1) for others in range(7 - up)
    }
    assert isinstance(found, Mechanism)
    assert found.noise is not None
    assert len(found.noise.sums) == len(types)

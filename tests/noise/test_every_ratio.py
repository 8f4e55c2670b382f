"""Whole draws whose ratios are powers of a parameter: functions of it, at many of its values."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from pathlib import Path

import pytest

from tests.models.model_files import MODELS, decided
from verifier.run import verify

FILE = "noise/every-epsilon.yaml"
REACH = 80  # what is left out at x = 1/3 is below 3^(-80)


def weight(z: int, ratio: F) -> F:
    return (1 - ratio) / (1 + ratio) * ratio ** abs(z)


def at_least(z: int, ratio: F) -> F:
    """P(draw >= z)."""
    return ratio**z / (1 + ratio) if z > 0 else 1 - ratio ** (1 - z) / (1 + ratio)


def first_above(world: tuple[int, ...], x: F) -> list[F]:
    """P(the k-th query is the first above), then none, by sums over the threshold's noise."""
    found = [F(0)] * (len(world) + 1)
    for t in range(-REACH, REACH + 1):
        left = weight(t, x**2)
        for k, query in enumerate(world):
            above = at_least(t - query, x)
            found[k] += left * above
            left *= 1 - above
        found[-1] += left
    return found


def smallest(queries: int, x: F, changes: int) -> F:
    rows = {world: first_above(world, x) for world in product((0, 1), repeat=queries)}
    return max(
        p / q
        for v in rows
        for w in rows
        if 0 < sum(a != b for a, b in zip(v, w, strict=True)) <= changes
        for p, q in zip(rows[v], rows[w], strict=True)
    )


@pytest.mark.parametrize("x", [F(1, 3), F(1, 7), F(1, 50)])
def test_the_level_at_single_values(x: F) -> None:
    """Also that it is what the file says about this x."""
    cases = [(4, 4, 4), (4, 4, 3), (3, 3, 3), (3, 3, 2), (2, 2, 2), (2, 1, 1)]
    results = decided(FILE)
    assert len(cases) == len(results)
    for result, (queries, changes, power) in zip(results, cases, strict=True):
        curve = result.answer.curve
        assert curve is not None
        stretch, level = curve.at(x), smallest(queries, x, changes)
        assert abs(stretch.at(x) / level - 1) < F(1, 10**30)
        assert curve.region.has(x) == (level <= 1 / x**power)


@pytest.mark.parametrize("x", [F(1, 2), F(2, 3), F(9, 10)])
def test_likelihoods_with_a_fixed_ratio_are_the_same(tmp_path: Path, x: F) -> None:
    """The draws of a file with x = 1/2 have rational ratios, and another way to be summed."""
    text = (MODELS / FILE).read_text(encoding="utf-8").replace("0 < x < 1", f"[{x}]")
    file = tmp_path / "fixed.yaml"
    file.write_text(text)
    for result, over_all in zip(verify.run(str(file)), decided(FILE), strict=True):
        curve, leakage = over_all.answer.curve, result.answer.leakage
        assert curve is not None and leakage is not None
        assert curve.at(x).at(x) == leakage.exp_epsilon

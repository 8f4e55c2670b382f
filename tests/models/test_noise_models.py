"""Noise that is not clamped: the numbers of models/noise, again by quadrature with 30 digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
import pytest

from tests.models.model_files import decided, files
from verifier.base.exponential import Exponential, bounds

FOLDER = "noise"
Leaf = tuple[int, bool]  # center of a leaf, and whether it is at least the root


def density(x: Any, scale: int) -> Any:
    return mpmath.exp(-abs(x) / scale) / (2 * scale)


def below(x: Any, scale: int) -> Any:
    """P(draw <= x)."""
    return mpmath.exp(x / scale) / 2 if x < 0 else 1 - mpmath.exp(-x / scale) / 2


@cache
def star(center: int, root: int, scale: int, leaves: tuple[Leaf, ...]) -> Any:
    """The probability that all leaves are on their side of the root, by quadrature."""

    def integrand(x: Any) -> Any:
        value = density(x - center, root)
        for c, above in leaves:
            p = below(x - c, scale)
            value *= 1 - p if above else p
        return value

    with mpmath.workdps(30):
        return mpmath.quad(integrand, [-2000, -200, -40, -8, 0, 1, 8, 40, 200, 2000])


World = tuple[int, ...]
WORLDS = list(product((0, 1), repeat=3))


def leakage(rows: Iterable[Callable[[World], Any]]) -> Any:
    """The largest ratio of two probabilities of one output."""
    found = []
    for row in rows:
        values = [row(world) for world in WORLDS]
        found.append(max(values) / min(values))
    return max(found)


def first_above(root: int, scale: int) -> list[Callable[[World], Any]]:
    """Which query is the first above the threshold, or none."""

    def row(i: int) -> Callable[[World], Any]:
        def likely(world: World) -> Any:
            leaves = [(c, False) for c in world[:i]] + [(c, True) for c in world[i : i + 1]]
            return star(0, root, scale, tuple(sorted(leaves)))

        return likely

    return [row(i) for i in range(4)]


def every(root: int, scale: int) -> list[Callable[[World], Any]]:
    """For each query whether it is above the threshold."""

    def row(said: Sequence[bool]) -> Callable[[World], Any]:
        return lambda world: star(0, root, scale, tuple(sorted(zip(world, said, strict=True))))

    return [row(said) for said in product((False, True), repeat=3)]


def largest(scale: int) -> list[Callable[[World], Any]]:
    """Which query is the largest."""

    def row(i: int) -> Callable[[World], Any]:
        def likely(world: World) -> Any:
            leaves = tuple((c, False) for c in sorted(world[:i] + world[i + 1 :]))
            return star(world[i], scale, scale, leaves)

        return likely

    return [row(i) for i in range(3)]


EXPECTED: dict[tuple[str, int], Callable[[], Any]] = {
    ("sparse-vector-variants.yaml", 0): lambda: leakage(first_above(2, 4)),
    ("sparse-vector-variants.yaml", 6): lambda: leakage(every(2, 2)),
    ("noisy-max.yaml", 0): lambda: leakage(largest(2)),
    ("noisy-max.yaml", 3): lambda: leakage(largest(20)),
}


@pytest.mark.parametrize(("file", "check"), EXPECTED)
def test_levels_by_quadrature(file: str, check: int) -> None:
    found = decided(f"{FOLDER}/{file}")[check].leakage
    assert found is not None
    assert isinstance(found.exp_epsilon, Exponential)
    low, high = bounds(found.exp_epsilon, 25)
    expected = EXPECTED[file, check]()
    assert abs(mpmath.mpf(low.numerator) / low.denominator - expected) < mpmath.mpf(10) ** -14
    assert high - low < Fraction(1, 10**20)


@pytest.mark.parametrize("file", files(FOLDER))
def test_every_expectation_is_met(file: str) -> None:
    assert all(result.status == "ok" for result in decided(f"{FOLDER}/{file}"))

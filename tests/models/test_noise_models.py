"""Noise that is not clamped: the numbers of models/noise, again by quadrature with 30 digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

import mpmath
import pytest

from tests.drawing import wider
from tests.models.model_files import decided
from verifier.base.exponential import Exponential, bounds

FOLDER = "noise"
Leaf = tuple[int, bool]  # center of a leaf, and whether it is at least the root


def density(x: Any, scale: Any) -> Any:
    return mpmath.exp(-abs(x) / scale) / (2 * scale)


def below(x: Any, scale: Any) -> Any:
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


def first_above(root: int, scale: Any) -> list[Callable[[World], Any]]:
    """Which query is the first above the threshold, or none."""

    def row(i: int) -> Callable[[World], Any]:
        def likely(world: World) -> Any:
            leaves = [(c, False) for c in world[:i]] + [(c, True) for c in world[i : i + 1]]
            return star(0, root, scale, tuple(sorted(leaves)))

        return likely

    return [row(i) for i in range(4)]


def tail(k: int, epsilon: Any) -> Any:
    """P(a geometric draw is at least k)."""
    rho = mpmath.exp(-epsilon)
    return rho**k / (1 + rho) if k > 0 else 1 - rho ** (1 - k) / (1 + rho)


def whole_first_above(root: Any, epsilon: Any) -> list[Callable[[World], Any]]:
    """Which whole answer is the first above a real threshold: a sum over its integer part."""

    def row(i: int) -> Callable[[World], Any]:
        def likely(world: World) -> Any:
            total = mpmath.mpf(0)
            for n in range(-1000, 1000):
                value = below(mpmath.mpf(n + 1), root) - below(mpmath.mpf(n), root)
                for c in world[:i]:
                    value *= 1 - tail(n + 1 - c, epsilon)
                for c in world[i : i + 1]:
                    value *= tail(n + 1 - c, epsilon)
                total += value
            return total

        return likely

    return [row(i) for i in range(4)]


def real_first_above(epsilon: Any, scale: int) -> list[Callable[[World], Any]]:
    """Which real answer is the first above a whole threshold: a sum over this."""
    rho = mpmath.exp(-epsilon)

    def row(i: int) -> Callable[[World], Any]:
        def likely(world: World) -> Any:
            total = mpmath.mpf(0)
            for n in range(-200, 200):
                value = (1 - rho) / (1 + rho) * rho ** abs(n)
                for c in world[:i]:
                    value *= below(mpmath.mpf(n - c), scale)
                for c in world[i : i + 1]:
                    value *= 1 - below(mpmath.mpf(n - c), scale)
                total += value
            return total

        return likely

    return [row(i) for i in range(4)]


def answered(root: int, scale: int, answer: int) -> list[Callable[[World], Any]]:
    """Which query is the first above the threshold, and its answer with new noise, 0 or 1."""
    first = first_above(root, scale)

    def row(i: int, one: bool) -> Callable[[World], Any]:
        def likely(world: World) -> Any:
            zero = below(mpmath.mpf(1) / 2 - world[i], answer)
            return first[i](world) * (1 - zero if one else zero)

        return likely

    return [*(row(i, one) for i in range(3) for one in (False, True)), first[3]]


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


VERTICES = range(4)
EDGES = [(a, b) for b in VERTICES for a in range(b)]


def cover(order: Sequence[int], graph: frozenset[tuple[int, int]], weights: Sequence[Any]) -> Any:
    """The probability of an order of vertices: each by its uncovered degree plus a weight."""
    left, likely = set(VERTICES), Fraction(1)
    for vertex, weight in zip(order, weights, strict=False):
        open_ = [edge for edge in graph if left.issuperset(edge)]
        likely *= sum(vertex in edge for edge in open_) + weight
        likely /= 2 * len(open_) + weight * len(left)
        left.remove(vertex)
    return likely


def covers(size: int) -> Fraction:
    """The largest ratio for graphs that differ in one edge, weights of four over epsilon."""
    weights = [Fraction(root) * size for root in ("1", "1.154700", "1.414213")]
    found = Fraction(0)
    for bits in product((False, True), repeat=len(EDGES)):
        graph = frozenset(edge for edge, bit in zip(EDGES, bits, strict=True) if bit)
        for edge in graph:
            for order in permutations(VERTICES):
                one = cover(order, graph, weights)
                other = cover(order, graph - {edge}, weights)
                found = max(found, one / other, other / one)
    return found


_one = mpmath.mpf(1)
EXPECTED: dict[tuple[str, int], Callable[[], Any]] = {
    ("sparse-vector-variants.yaml", 0): lambda: leakage(first_above(2, 4)),
    ("sparse-vector-variants.yaml", 6): lambda: leakage(every(2, 2)),
    ("sparse-vector-variants.yaml", 3): lambda: leakage(first_above(4, mpmath.mpf(4) / 3)),
    ("sparse-vector-variants-at-a-tenth.yaml", 0): lambda: leakage(first_above(20, 40)),
    ("sparse-vector-variants-at-a-tenth.yaml", 3): lambda: leakage(
        first_above(40, mpmath.mpf(40) / 3)
    ),
    ("sparse-vector-variants-at-a-tenth.yaml", 6): lambda: leakage(every(20, 20)),
    ("counts-and-sums.yaml", 6): lambda: leakage(answered(4, 8, 2)),
    ("counts-and-sums-at-a-tenth.yaml", 6): lambda: leakage(answered(40, 80, 20)),
    ("whole-answers-real-threshold.yaml", 0): lambda: leakage(whole_first_above(2, _one / 4)),
    ("whole-answers-real-threshold.yaml", 1): lambda: leakage(whole_first_above(20, _one / 40)),
    ("whole-answers-real-threshold.yaml", 2): lambda: leakage(real_first_above(_one / 2, 4)),
    ("noisy-max.yaml", 0): lambda: leakage(largest(2)),
    ("noisy-max.yaml", 3): lambda: leakage(largest(20)),
}


LONG = (
    *(("whole-answers-real-threshold.yaml", k) for k in (0, 1)),
    *(("sparse-vector-variants-at-a-tenth.yaml", k) for k in (0, 3, 6)),
    ("counts-and-sums-at-a-tenth.yaml", 6),
)
ASKED = [key for key in EXPECTED if key not in wider(LONG, ())]


@pytest.mark.parametrize(("file", "check"), ASKED)
def test_levels_by_quadrature(file: str, check: int) -> None:
    found = decided(f"{FOLDER}/{file}")[check].leakage
    assert found is not None
    assert isinstance(found.exp_epsilon, Exponential)
    low, high = bounds(found.exp_epsilon, 25)
    expected = EXPECTED[file, check]()
    assert abs(mpmath.mpf(low.numerator) / low.denominator - expected) < mpmath.mpf(10) ** -14
    assert high - low < Fraction(1, 10**20)


@pytest.mark.parametrize(("check", "size"), wider([(0, 4)], [(0, 4), (1, 40)]))
def test_vertex_cover_by_all_orders(check: int, size: int) -> None:
    found = decided(f"{FOLDER}/vertex-cover.yaml")[check].leakage
    assert found is not None
    assert found.exp_epsilon == covers(size)

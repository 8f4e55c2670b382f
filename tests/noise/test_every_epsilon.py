"""Laplace and exponential noise for every ε: the model's levels by quadrature, at some ε."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from mpmath import exp, mpf, quad

from tests.loops import each
from tests.models.model_files import decided

FILE = "noise/laplace-every-epsilon.yaml"
FAR = 120  # in units of 1/ε, beyond which there is less than e^(−28)
World = tuple[int, ...]
Rows = Callable[[World, mpf], list[mpf]]


def laplace(x: mpf, scale: mpf) -> mpf:
    return exp(-abs(x) / scale) / (2 * scale)


def at_most(x: mpf, scale: mpf) -> mpf:
    """P(Laplace noise <= x)."""
    half = exp(-abs(x) / scale) / 2
    return half if x < 0 else 1 - half


def first_above(world: World, e: mpf) -> list[mpf]:
    """P(the k-th query is the first above the threshold), then none."""

    def mass(k: int) -> mpf:
        def f(t: mpf) -> mpf:
            left = laplace(t, 2 / e)
            for query in world[:k]:
                left *= at_most(t - query, 4 / e)
            return left * (1 - at_most(t - world[k], 4 / e)) if k < len(world) else left

        return quad(f, [-FAR / e, 0, 1, FAR / e])

    return [mass(k) for k in range(len(world) + 1)]


def largest(world: World, e: mpf) -> list[mpf]:
    """P(query k with its noise is the largest)."""

    def mass(k: int) -> mpf:
        def f(t: mpf) -> mpf:
            left = laplace(t - world[k], 2 / e)
            for j, query in enumerate(world):
                left *= at_most(t - query, 2 / e) if j != k else 1
            return left

        return quad(f, [-FAR / e, 0, 1, FAR / e])

    return [mass(k) for k in range(len(world))]


def test_the_level_of_three_by_quadrature() -> None:
    """Noisy max, and the pair of worlds that needs the most: the first query falls, others rise."""
    curve, e = decided(FILE)[10].answer.curve, mpf(5)
    assert curve is not None
    worst = largest((1, 0, 0), e)[0] / largest((0, 1, 1), e)[0]
    assert abs(curve.at(Fraction(5)).near(Fraction(5)) / float(worst) - 1) < 1e-9


def ratios(rows: Rows, queries: int, e: mpf) -> Iterator[mpf]:
    """Of all worlds, which may all be neighbours."""
    known = {world: rows(world, e) for world in product((0, 1), repeat=queries)}
    for v, w in product(known.values(), repeat=2):
        yield from (p / q for p, q in zip(v, w, strict=True))


@each(
    "check, rows, queries, e",
    [
        (3, first_above, 2, "1/2"),
        (4, first_above, 2, "6"),
        (9, largest, 2, "2/3"),
    ],
)
def test_levels_by_quadrature(check: int, rows: Rows, queries: int, e: str) -> None:
    x, curve = Fraction(e), decided(FILE)[check].answer.curve
    assert curve is not None
    worst = max(ratios(rows, queries, mpf(x.numerator) / x.denominator))
    assert abs(curve.at(x).near(x) / float(worst) - 1) < 1e-9

"""Probabilities of comparisons: known answers, quadrature, and sums over clamped draws."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import mpmath
import pytest

from verifier.base.exponential import Exponential, bounds, power
from verifier.noise.draws import (
    EXPONENTIAL,
    GEOMETRIC,
    GEOMETRIC_EPSILON,
    INTERVAL,
    LAPLACE,
    Condition,
    Draw,
    Law,
    Linear,
    Path,
    is_possible,
    one_of_them,
)
from verifier.noise.events import events
from verifier.noise.probability import Probabilities
from verifier.world.noise import numbers

F = Fraction
Form = tuple[Sequence[F | int], F | int]  # factors of the draws, constant: the sum is >= 0


def path_of(laws: Sequence[Law], forms: Sequence[Form], first: int = 0) -> Path:
    """The path on which all forms are at least 0."""
    draws = [Draw(first + i, law) for i, law in enumerate(laws)]
    found = set()
    for factors, constant in forms:
        terms = {d: F(f) for d, f in zip(draws, factors, strict=True)}
        condition = Condition.of(Linear.of(terms, constant))
        assert isinstance(condition, Condition)
        found.add(condition)
    return Path(frozenset(found))


def chance(laws: Sequence[Law], forms: Sequence[Form]) -> Fraction:
    """The exact probability that all forms are at least 0."""
    known = Probabilities()
    found = known.of(events(path_of(laws, forms)))
    return prod(numbers(found, known.m), start=F(1))


def laplace(*scales: int | Fraction) -> list[Law]:
    return [Law(LAPLACE, F(scale)) for scale in scales]


def geometric(*ratios: str) -> list[Law]:
    return [Law(GEOMETRIC, F(ratio)) for ratio in ratios]


def test_a_whole_draw_against_half_of_another() -> None:
    """P(2Y >= X) = 4/7 for ratio 1/2; the formula for real factors says 0.616."""
    assert chance(geometric("1/2", "1/2"), [([-1, 2], 0)]) == F(4, 7)


def test_the_sum_of_two_laplace_draws() -> None:
    """The density of the sum is e^(−|z|/b)(|z| + b)/(4b²), whose tail at 3 for b = 2 is this."""
    assert chance(laplace(2, 2), [([-1, -1], -3)]) == power(F(-3, 2)) * F(7, 8)
    assert float(power(F(-3, 2)) * F(7, 8)) == pytest.approx(0.195238890129876, abs=1e-15)


def test_order_does_not_decide_offsets() -> None:
    """x1 >= x2 >= x3 given, x1 <= x3 + 1 has a probability between 0 and 1: 0.198 for scale 2."""
    ordered: list[Form] = [([1, -1, 0], 0), ([0, 1, -1], 0)]
    both = chance(laplace(2, 2, 2), [*ordered, ([-1, 0, 1], 1)])
    assert chance(laplace(2, 2, 2), ordered) == F(1, 6)
    assert float(both * 6) == pytest.approx(_within_one() * 6, abs=1e-12)


def _within_one() -> float:
    """P(x1 >= x2 >= x3, x1 <= x3 + 1) by quadrature: over x3 and, in closed form, the others."""
    law = Law(LAPLACE, F(2))
    f, _ = density(law)

    def pair(x: mpmath.mpf) -> mpmath.mpf:
        """P(x <= x2 <= x1 <= x + 1)."""
        return (distribution(law, x + 1) - distribution(law, x)) ** 2 / 2

    return float(mpmath.quad(lambda x: f(x) * pair(x), [-60, -10, -1, 0, 10, 60]))


def density(law: Law) -> tuple[Callable[[mpmath.mpf], mpmath.mpf], list[Fraction]]:
    """A density and where it has corners."""
    b = mpmath.mpf(law.parameter.numerator) / law.parameter.denominator
    if law.kind == LAPLACE:
        return lambda x: mpmath.exp(-abs(x) / b) / (2 * b), [F(0)]
    if law.kind == EXPONENTIAL:
        return lambda x: mpmath.exp(-x / b) / b if x >= 0 else mpmath.mpf(0), [F(0)]
    return lambda x: 1 / b if 0 <= x <= b else mpmath.mpf(0), [F(0), law.parameter]


def distribution(law: Law, x: mpmath.mpf) -> mpmath.mpf:
    """P(draw <= x)."""
    b = mpmath.mpf(law.parameter.numerator) / law.parameter.denominator
    if law.kind == LAPLACE:
        return mpmath.exp(x / b) / 2 if x < 0 else 1 - mpmath.exp(-x / b) / 2
    if law.kind == EXPONENTIAL:
        return 1 - mpmath.exp(-x / b) if x > 0 else mpmath.mpf(0)
    return min(max(x / b, mpmath.mpf(0)), mpmath.mpf(1))


@pytest.mark.parametrize("seed", range(6))
def test_stars_by_quadrature(seed: int) -> None:
    """Draws compared with one other: 40 digits of quadrature against the exact number."""
    rng = random.Random(seed)
    kinds, scales = (LAPLACE, EXPONENTIAL, INTERVAL), (F(1), F(2), F(3, 2))
    laws = [Law(rng.choice(kinds), rng.choice(scales)) for _ in range(4)]
    leaves = [(rng.choice([1, -1]), F(rng.randint(-2, 2), rng.choice([1, 2]))) for _ in range(3)]
    forms: list[Form] = []
    for i, (sign, offset) in enumerate(leaves, 1):  # sign · (leaf − root − offset) >= 0
        factors = [-sign, 0, 0, 0]
        factors[i] = sign
        forms.append((factors, -sign * offset))
    with mpmath.workdps(40):
        root, corners = density(laws[0])
        points = {c - o for (_, o), law in zip(leaves, laws[1:], strict=True) for c in _ends(law)}
        ends = sorted({*corners, *points, F(-150), F(-20), F(20), F(150)})

        def integrand(x: mpmath.mpf) -> mpmath.mpf:
            value = root(x)
            for (sign, offset), law in zip(leaves, laws[1:], strict=True):
                below = distribution(law, x + mpmath.mpf(offset.numerator) / offset.denominator)
                value *= 1 - below if sign > 0 else below
            return value

        expected = mpmath.quad(integrand, [mpmath.mpf(e.numerator) / e.denominator for e in ends])
        found = chance(laws, forms)
        rational = not isinstance(found, Exponential)
        low, high = (found, found) if rational else bounds(found, 38)
        middle = mpmath.mpf(low.numerator) / low.denominator
        assert high - low < F(1, 10**36)
        assert abs(middle - expected) < mpmath.mpf(10) ** -30


def _ends(law: Law) -> list[Fraction]:
    return density(law)[1]


def by_summing(laws: Sequence[Law], forms: Sequence[Form], reach: int) -> float:
    """The probability with all draws between −reach and reach, the rest left out."""

    def weight(law: Law, z: int) -> float:
        rho = float(law.parameter if law.kind == GEOMETRIC else power(-law.parameter))
        return (1 - rho) / (1 + rho) * rho ** abs(z)

    return sum(
        prod(weight(law, z) for law, z in zip(laws, values, strict=True))
        for values in product(range(-reach, reach + 1), repeat=len(laws))
        if all(sum(f * z for f, z in zip(fs, values, strict=True)) + c >= 0 for fs, c in forms)
    )


WHOLE: list[tuple[list[Law], list[Form]]] = [
    (geometric("1/2", "1/3", "1/2"), [([1, -1, 0], 1), ([0, -1, 1], F(-1, 2))]),
    (geometric("1/3", "1/3", "1/4"), [([1, -1, 0], 0), ([0, 1, -1], 0), ([-1, 0, 1], 2)]),
    (geometric("1/3", "1/3", "1/4"), [([1, 1, -1], 1)]),
    (geometric("1/3", "1/4", "1/3"), [([2, -3, 0], 1), ([0, 1, -2], 0)]),
    (geometric("1/3", "1/4"), [([2, -3], 1), ([1, 0], 2), ([-2, 3], 5)]),
    (geometric("1/4", "1/4"), [([1, 1], 0), ([1, -1], -1), ([-1, 1], 3)]),
    ([Law(GEOMETRIC_EPSILON, F(3, 2))] * 3, [([1, -1, 0], 1), ([0, -1, 1], -1)]),
    ([Law(GEOMETRIC_EPSILON, F(3, 2))] * 2, [([1, -2], 1)]),
    ([Law(GEOMETRIC_EPSILON, F(1)), Law(GEOMETRIC_EPSILON, F(2))], [([1, 1], -1), ([1, -1], 2)]),
]


@pytest.mark.parametrize("case", range(len(WHOLE)))
def test_whole_draws_by_summing(case: int) -> None:
    """Sums over all values up to 14, whose tails are below 1e-5."""
    laws, forms = WHOLE[case]
    assert float(chance(laws, forms)) == pytest.approx(by_summing(laws, forms, 14), abs=3e-5)


def test_growing_clamps_converge() -> None:
    laws, forms = WHOLE[1]
    exact = float(chance(laws, forms))
    errors = [abs(by_summing(laws, forms, reach) - exact) for reach in (2, 4, 8, 16)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-7


@pytest.mark.parametrize("kind", [LAPLACE, EXPONENTIAL, GEOMETRIC, GEOMETRIC_EPSILON])
def test_all_orders_together_are_certain(kind: str) -> None:
    """Trees, triangles with offsets and sums of draws: the two sides of each cut sum to 1."""
    laws = [Law(kind, F(1, p)) for p in (2, 3, 2)]
    cuts: list[Form] = [([1, -1, 0], 1), ([0, 1, -1], 0), ([-1, 0, 1], 2), ([1, 1, -1], 0)]
    draws = [Draw(i, law) for i, law in enumerate(laws)]
    known = Probabilities()
    total = F(0)
    paths = []
    for sides in product((True, False), repeat=len(cuts)):
        conditions = []
        for (factors, constant), side in zip(cuts, sides, strict=True):
            terms = {d: F(f) for d, f in zip(draws, factors, strict=True)}
            found = Condition.of(Linear.of(terms, constant))
            assert isinstance(found, Condition)
            conditions.append(found if side else found.contrary)
        paths.append(Path(frozenset(conditions)))
    wanted = [event for path in paths for event in events(path)]
    values = dict(zip(wanted, numbers(known.of(wanted), known.m), strict=True))
    for path in paths:
        total += prod((values[e] for e in events(path)), start=F(1))
    assert total == 1


def test_names_and_order_of_draws_do_not_matter() -> None:
    forms: list[Form] = [([1, -1, 0, 0], 1), ([1, 0, -1, 0], 0), ([0, 0, 1, -1], 2)]
    laws = laplace(2, 3, 3, 3)
    one = events(path_of(laws, forms))
    turned = [([*reversed(fs)], c) for fs, c in forms]
    other = events(path_of(laws[::-1], turned, first=7))
    assert one == other
    assert len(one) == 1


def test_what_is_impossible() -> None:
    laws = laplace(1, 1, 1)
    circle: list[Form] = [([1, -1, 0], 0), ([0, 1, -1], 0), ([-1, 0, 1], -1)]
    assert not is_possible(tuple(path_of(laws, circle).conditions))
    loose: list[Form] = [([1, -1, 0], 0), ([0, 1, -1], 0), ([-1, 0, 1], 1)]
    assert is_possible(tuple(path_of(laws, loose).conditions))
    flat: list[Form] = [([1, -1, 0], 0), ([-1, 1, 0], 0)]
    assert not is_possible(tuple(path_of(laws, flat).conditions))  # of probability 0
    assert is_possible(tuple(path_of(geometric("1/2", "1/2", "1/2"), flat).conditions))


def test_the_largest_of_several_is_one_path() -> None:
    """The draw 3 above each of the others, whichever of these is the largest."""
    draws = [Draw(i, Law(GEOMETRIC, F(1, 2))) for i in range(4)]

    def above(i: int, j: int) -> Condition:
        """Draw i is above draw j; or equal, if it comes first."""
        found = Condition.of(Linear.of({draws[i]: 1, draws[j]: -1}, 0), strict=i > j)
        assert isinstance(found, Condition)
        return found

    paths = [
        Path(frozenset([above(3, j), *(above(j, i) for i in range(3) if i != j)])) for j in range(3)
    ]
    assert one_of_them(paths) == Path(frozenset(above(3, j) for j in range(3)))
    assert one_of_them(paths[:2]) is None
    other = Path(frozenset([above(3, 2), above(2, 0), above(1, 2)]))
    assert one_of_them([*paths[:2], other]) is None


@pytest.mark.parametrize("seed", range(10))
def test_paths_grow_while_they_are_possible(seed: int) -> None:
    """One comparison after the other, against all of them at once: draws with an end on neither
    side, on one or on both."""
    rng = random.Random(seed)
    kinds = (LAPLACE, EXPONENTIAL, INTERVAL)
    for _ in range(20):
        laws = [Law(rng.choice(kinds), F(rng.choice([1, 2]))) for _ in range(4)]
        forms = [
            ([rng.choice([0, 0, 1, -1]) for _ in laws], F(rng.randint(-3, 2), 2)) for _ in range(6)
        ]
        conditions = sorted(
            path_of(laws, [form for form in forms if any(form[0])]).conditions,
            key=lambda condition: (condition.terms, condition.constant),
        )
        path: Path | None = Path()
        for at, condition in enumerate(conditions, 1):
            path = path.plus([condition]) if path is not None else None
            assert (path is not None) == is_possible(tuple(conditions[:at]))

"""Real roots and regions against numbers that are known by hand, and plain evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest

from verifier.base.cell import Root
from verifier.kernels.regions import Interval, Region, joined, refined, satisfying
from verifier.kernels.roots import between, compare, enclosed, may_vanish, real_roots, sign_at

ZERO, HALF, ONE, TWO = map(Fraction, ("0", "1/2", "1", "2"))
SQUARE = (-2, 0, 1)  # x² - 2


def times(*factors: Sequence[int]) -> tuple[int, ...]:
    """The product of polynomials."""
    found = [1]
    for factor in factors:
        more = [0] * (len(found) + len(factor) - 1)
        for i, a in enumerate(found):
            for j, b in enumerate(factor):
                more[i + j] += a * b
        found = more
    return tuple(found)


def value(polynomial: Sequence[int], x: Fraction) -> Fraction:
    return sum((c * x**k for k, c in enumerate(polynomial)), ZERO)


def test_roots_of_known_factors() -> None:
    """Rational roots are divided out at the ends, and each is told once; others as they lie."""
    polynomial = times(SQUARE, SQUARE, (-1, 2), (-1, 2), (0, 1), (-3, 1), (1, 0, 1))
    found = real_roots(polynomial, ZERO, Fraction(3))
    assert found[0] == HALF and isinstance(found[1], Root) and len(found) == 2
    assert found[1].polynomial == SQUARE and value(SQUARE, found[1].low) < 0 < value(
        SQUARE, found[1].high
    )
    (left,) = real_roots(polynomial, Fraction(-5), Fraction(-1))
    assert compare(left, found[1]) == -1 and compare(left, left) == 0
    assert real_roots(polynomial, left, ZERO) == [] and real_roots(polynomial, found[1], TWO) == []


def test_near_roots_are_told_apart() -> None:
    """Roots 1e-30 apart, rational and not."""
    tiny = Fraction(1, 10**30)
    near = ONE + tiny
    listed = times((-1, 1), (-near.numerator, near.denominator))
    assert real_roots(listed, ZERO, TWO) == [ONE, near]
    shifted = (-2 * 10**30 - 1, 0, 10**30)  # x² = 2 + 1e-30
    first, second = real_roots(times(SQUARE, shifted), ZERO, TWO)
    assert compare(first, second) == -1 and compare(second, first) == 1
    middle = between(first, second)
    assert compare(first, middle) == -1 == compare(middle, second)
    assert sign_at(shifted, first) == -1 and sign_at(SQUARE, second) == 1
    assert sign_at(times(SQUARE, (5, 1)), first) == 0 and sign_at((7,), first) == 1
    low, high = enclosed(first, tiny)
    assert low < high <= low + tiny and not may_vanish(SQUARE, high, TWO)


def test_near_roots_of_one_factor() -> None:
    """Both roots of (x − 1)² = 2e-60."""
    near = (10**60 - 2, -2 * 10**60, 10**60)
    first, second = real_roots(near, ZERO, TWO)
    assert compare(first, second) == -1 and compare(first, ONE) == -1 == compare(ONE, second)
    assert enclosed(second, Fraction(1, 10**40))[0] > 1 + Fraction(14, 10**31)


@pytest.mark.parametrize("seed", range(20))
def test_roots_of_drawn_factors(seed: int) -> None:
    """Products of linear factors with multiplicities, and one without real roots."""
    random = Random(seed)
    roots = [Fraction(random.randint(-9, 9), random.randint(1, 7)) for _ in range(4)]
    factors = [(-x.numerator, x.denominator) for x in roots for _ in range(random.randint(1, 3))]
    polynomial = times(*factors, (random.randint(1, 5), 0, 1))
    low, high = sorted(random.sample(range(-9, 10), 2))
    wanted = sorted({x for x in roots if low < x < high})
    assert real_roots(polynomial, Fraction(low), Fraction(high)) == wanted
    assert may_vanish(polynomial, Fraction(low), Fraction(high)) or not wanted


def test_between_is_inside() -> None:
    assert between(Fraction(-3), Fraction(-1)) == -2 and between(-ONE, TWO) == 0
    (root,) = real_roots(SQUARE, ZERO, TWO)
    assert ONE < between(ONE, root) ** 2 < TWO < between(root, TWO) ** 2 < 4


@pytest.mark.parametrize("seed", range(20))
def test_regions_are_what_is_evaluated(seed: int) -> None:
    """At drawn points a region has those where the inequalities hold; sets of them likewise."""
    random = Random(seed)
    drawn = [
        ((*(random.randint(-6, 6) for _ in range(4)), 1), random.choice(["<", "<=", ">="]))
        for _ in range(3)
    ]
    domain = Interval(Fraction(-2), TWO, seed % 2 == 0, seed % 3 == 0)
    regions = [satisfying([condition], domain) for condition in drawn]
    both = satisfying(drawn, domain)
    assert both.same(refined(regions, all)) and both.same(both.within(regions[0]))
    either = refined(regions, any)
    for k in range(-21, 22):
        x = Fraction(k, 10)
        fits = [
            domain.has(x) and {"<": v < 0, "<=": v <= 0, ">=": v >= 0}[sense]
            for polynomial, sense in drawn
            for v in [value(polynomial, x)]
        ]
        assert both.has(x) == all(fits) and either.has(x) == any(fits)
        assert [region.has(x) for region in regions] == fits


def test_ends_and_points() -> None:
    """Ends that belong or not; a single point; a missing one; words."""
    domain = Interval(ZERO, TWO, True, True)
    touching = satisfying([((1, -2, 1), "<=")], domain)  # (x - 1)² <= 0
    assert touching.intervals == (Interval.point(ONE),) and touching.told("q") == "q = 1"
    missing = satisfying([((1, -2, 1), ">")], domain)
    assert missing.told("p") == "0 <= p < 1 or 1 < p <= 2"
    assert not missing.same(touching) and not missing.same(Region((domain,)))
    assert refined([touching, missing], any).same(Region((domain,)))
    assert satisfying([((1,), "<")], domain).told("p") == "nowhere" == str(Region())
    assert satisfying([], domain).same(Region((domain,)))
    assert satisfying([((0,), "==")], domain).same(Region((domain,)))
    at = satisfying([(SQUARE, "==")], domain)
    assert at.told("p") == "p = 1.41421356237" and at.intervals[0].is_point
    whole = joined([ZERO, ONE, TWO], [True, True], [False, True, False])
    assert whole.told("p") == "0 < p < 2"
    assert not Region((domain,)).same(whole)
    assert satisfying([((-1, 1), "<=")], Interval.point(ONE)).has(ONE)

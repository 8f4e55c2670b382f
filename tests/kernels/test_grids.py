"""Enclosures on grids of ratios: around the exact values, and as the checker finds them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, log
from random import Random

import pytest

from tests.drawing import wider
from verifier.base.errors import LimitReached
from verifier.checker import grids as checked
from verifier.checker.losses import excess as exact_excess
from verifier.checker.losses import powered as exact_power
from verifier.kernels.grids import enclosed, smallest_level
from verifier.kernels.products import Losses

Sides = list[tuple[Fraction, Fraction]]  # P and Q of each output
DELTAS = [Fraction(1, 10), Fraction(1, 10**5), Fraction(1, 10**40)]


def losses_of(sides: Sides) -> Losses:
    """By their ratios P / Q, None where Q is 0."""
    found: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
    for p, q in sides:
        if p:
            a, b = found.get(p / q if q else None, (Fraction(0), Fraction(0)))
            found[p / q if q else None] = a + p, b + q
    return found


def turned(losses: Losses) -> dict[Fraction, tuple[Fraction, Fraction]]:
    """By Q / P, as the checker has them."""
    return {Fraction(q, p): (p, q) for p, q in losses.values()}


def drawn(random: Random) -> Sides:
    """Of up to four outputs; some are never given on one side, some ratios are close to 1."""
    size, spread = random.randint(1, 4), random.choice([1, 3, 100, 10**6])
    sides = []
    for _ in range(2):
        weights = [
            random.choice([0, spread, spread + random.randint(0, 2), 7]) for _ in range(size)
        ]
        weights[random.randrange(size)] += 1
        sides.append([Fraction(w, sum(weights)) for w in weights])
    return list(zip(*sides, strict=True))


def plain(several: list[tuple[Sides, int]], alpha: Fraction) -> Fraction:
    """The sum of max(0, P − alpha·Q) over all sequences of outputs, one by one."""
    total, every = Fraction(0), [sides for sides, runs in several for _ in range(runs)]
    for outputs in product(*every):
        p = q = Fraction(1)
        for a, b in outputs:
            p, q = p * a, q * b
        total += max(Fraction(0), p - alpha * q)
    return total


def test_enclosures_hold_what_all_sequences_of_outputs_tell() -> None:
    """And the checker finds the same numbers by itself."""
    for seed in range(wider(40, 1000)):
        random = Random(seed)
        several = [(drawn(random), random.randint(1, 3)) for _ in range(random.randint(1, 2))]
        delta, points = random.choice(DELTAS), random.choice([64, 100, 256])
        draws = [(losses_of(sides), runs) for sides, runs in several]
        found = enclosed(draws, points, delta)
        other = checked.enclosed([(turned(one), runs) for one, runs in draws], points, delta)
        for alpha in (Fraction(1), Fraction(9, 8), Fraction(3), Fraction(10**9)):
            exact = plain(several, alpha)
            low, high = found.at_least(alpha), found.at_most(alpha)
            assert low <= exact <= high, (seed, alpha)
            assert (low, high) == (other.lower(alpha), other.upper(alpha)), (seed, alpha)
        never = plain(several, Fraction(10**40))
        assert found.infinite() == other.infinite() <= never, seed


def test_many_runs_of_two_outputs_against_the_binomial_distribution() -> None:
    """Response with truth 11/20, 1,000 times: P(n) = C(1000, n) 11^n 9^(1000-n) / 20^1000."""
    one = losses_of([(Fraction(11, 20), Fraction(9, 20)), (Fraction(9, 20), Fraction(11, 20))])
    for alpha in (Fraction(8), Fraction(10**12)):
        terms = (
            (comb(1000, n), 11**n * 9 ** (1000 - n), 9**n * 11 ** (1000 - n)) for n in range(1001)
        )
        gaps = (ways * max(Fraction(0), p - alpha * q) for ways, p, q in terms)
        exact = sum(gaps, Fraction(0)) / 20**1000
        for points, width in ((256, 0.1), (1024, 0.01)):
            found = enclosed([(one, 1000)], points, Fraction(1, 10**5))
            assert found.at_least(alpha) <= exact <= found.at_most(alpha)
            assert found.at_most(alpha) - found.at_least(alpha) < width * min(exact, 1 - exact)


def test_errors_fall_with_the_square_of_the_points() -> None:
    one = losses_of([(Fraction(1, 2), Fraction(2, 5)), (Fraction(1, 3), Fraction(7, 20))])
    one = {**one, Fraction(2, 3): (Fraction(1, 6), Fraction(1, 4))}
    widths = []
    for points in (128, 512):
        found = enclosed([(one, 300)], points, Fraction(1, 10**5))
        widths.append(found.at_most(Fraction(8)) - found.at_least(Fraction(8)))
    assert widths[1] * 6 < widths[0]


def test_the_smallest_level_of_several_choices() -> None:
    """Of drawn choices, against a search for the level among the corners of the exact curve."""
    for seed in range(wider(8, 200)):
        random = Random(seed)
        choices = [(losses_of(drawn(random)), random.randint(1, 40)) for _ in range(3)]
        delta = random.choice(DELTAS[:2])
        exact = [exact_power(turned(one), runs) for one, runs in choices]
        found = smallest_level([[one] for one in choices], delta, lambda low, high: True)
        never = max(sum(p for p, q in one.values() if not q) for one in exact)
        if found.low is None or found.high is None:
            assert never > delta
            continue
        assert all(exact_excess(one, found.high) <= delta for one in exact), seed
        worst = exact[found.worst]
        assert found.low == 1 or exact_excess(worst, found.low) > delta, seed
        assert found.high - found.low <= Fraction(1, 1000) * found.low, seed


def test_a_level_that_no_grid_decides() -> None:
    one = losses_of([(Fraction(11, 20), Fraction(9, 20)), (Fraction(9, 20), Fraction(11, 20))])
    with pytest.raises(LimitReached, match="between"):
        smallest_level([[(one, 10)]], Fraction(1, 10), lambda low, high: False)


def test_levels_of_a_million_runs() -> None:
    """ε of k runs of response is close to that of normal losses of the same mean and variance."""
    odds = log(11 / 9)
    one = losses_of([(Fraction(11, 20), Fraction(9, 20)), (Fraction(9, 20), Fraction(11, 20))])
    found = enclosed([(one, 10**6)], 256, Fraction(1, 10**5))
    low, high = found.most(Fraction(1, 10**5)), found.least(Fraction(1, 10**5))
    assert high is not None
    mean, deviation = 10**6 * odds / 10, 1000 * odds * (1 - 0.01) ** 0.5
    near = mean + 4.26 * deviation  # P(N > 4.26) is 10^-5
    ends = [log(end.numerator) - log(end.denominator) for end in (low, high)]
    assert ends[0] < near < ends[1] < 1.05 * ends[0]

"""Enclosures on grids of ratios: around the exact values, and as the checker finds them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, log
from random import Random
from typing import Any

import pytest
from mpmath import exp, mpf, workdps

from tests.drawing import wider
from verifier.base.errors import LimitReached
from verifier.base.exponential import power
from verifier.checker import grids as checked
from verifier.checker.losses import excess as exact_excess
from verifier.checker.losses import powered as exact_power
from verifier.checker.reading import number
from verifier.kernels.grids import enclosed, smallest_level
from verifier.kernels.products import Losses

Sides = list[tuple[Fraction, Fraction]]  # P and Q of each output
SLIGHT = Fraction(1, 10**40)  # beyond the error of sixty digits
DELTAS = [Fraction(1, 10), Fraction(1, 10**5), Fraction(1, 10**40)]


def losses_of(sides: Sides) -> Losses:
    """By their ratios P / Q, None where Q is 0."""
    found: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
    for p, q in sides:
        if p:
            a, b = found.get(p / q if q else None, (Fraction(0), Fraction(0)))
            found[p / q if q else None] = a + p, b + q
    return found


def turned(losses: Losses) -> dict[Fraction, Fraction]:
    """P by Q / P, as the checker has them."""
    return {q / p: p for p, q in losses.values()}


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


def drawn_of_e(random: Random) -> tuple[Sides, list[tuple[Any, Any]]]:
    """Of up to four outputs, with shares of powers of e; and the same in sixty digits."""
    size, sides, near = random.randint(2, 4), [], []
    for _ in range(2):
        weights = [random.choice([None, 0, random.randint(-9, 9)]) for _ in range(size)]
        weights[random.randrange(size)] = random.randint(-300, 300)
        sums = [0 if w is None else power(Fraction(w, 7)) for w in weights]
        sides.append([w / sum(sums, Fraction(0)) for w in sums])
        decimals = [mpf(0) if w is None else exp(mpf(w) / 7) for w in weights]
        near.append([w / sum(decimals) for w in decimals])
    return list(zip(*sides, strict=True)), list(zip(*near, strict=True))


def plain(several: list[tuple[Any, int]], alpha: Any) -> Any:
    """The sum of max(0, P − alpha·Q) over all sequences of outputs, one by one."""
    total, every = alpha * 0, [sides for sides, runs in several for _ in range(runs)]
    for outputs in product(*every):
        p = q = alpha / alpha
        for a, b in outputs:
            p, q = p * a, q * b
        total += max(alpha * 0, p - alpha * q)
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


@workdps(60)
def test_powers_of_e_are_enclosed() -> None:
    """Against all sequences of outputs in sixty digits; and the checker finds the same numbers."""
    for seed in range(wider(25, 500)):
        random = Random(seed)
        several = [(*drawn_of_e(random), random.randint(1, 3)) for _ in range(random.randint(1, 2))]
        delta, points = random.choice(DELTAS), random.choice([64, 100, 256])
        draws = [(losses_of(sides), runs) for sides, _, runs in several]
        found = enclosed(draws, points, delta)
        read = [([(number(str(p)), number(str(q))) for p, q in s], runs) for s, _, runs in several]
        again = [(turned(losses_of(sides)), runs) for sides, runs in read]
        other = checked.enclosed(again, points, delta)
        near = [(sides, runs) for _, sides, runs in several]
        for alpha in (1, Fraction(9, 8), 3, 10**9):
            exact = plain(near, _near(Fraction(alpha)))
            low, high = found.at_least(Fraction(alpha)), found.at_most(Fraction(alpha))
            assert _near(low - SLIGHT) <= exact <= _near(high + SLIGHT), (seed, alpha)
            assert (low, high) == (other.lower(Fraction(alpha)), other.upper(Fraction(alpha))), seed
        assert found.infinite() == other.infinite(), seed


@workdps(60)
def test_many_runs_with_odds_of_e_between_odds_a_little_less_and_more() -> None:
    """Two hundred answers with truth e^(1/8)/(1 + e^(1/8)): by binomial sums of fractions at both
    ends of an interval of 2·10^-25, as more is told the larger the truth."""
    e = power(Fraction(1, 8))
    truth = e / (1 + e)
    one = losses_of([(truth, 1 - truth), (1 - truth, truth)])
    shift = Fraction(1, 10**25)
    near = Fraction(int(1 / (1 + exp(-mpf(1) / 8)) * 10**45), 10**45)
    found = enclosed([(one, 200)], 1024, Fraction(1, 10**5))
    for alpha in (Fraction(8), Fraction(10**6)):
        least, most = (binomial(p, 200, alpha) for p in (near - shift, near + shift))
        low, high = found.at_least(alpha), found.at_most(alpha)
        assert low <= most and least <= high
        assert high - low < min(least, 1 - most) / 100


def _near(value: Fraction) -> Any:
    return mpf(value.numerator) / value.denominator


def binomial(truth: Fraction, runs: int, alpha: Fraction) -> Fraction:
    """The sum of max(0, P − alpha·Q) over the numbers of true answers."""
    a, b = truth.numerator, truth.denominator - truth.numerator
    up, down, total = alpha.numerator, alpha.denominator, 0
    for n in range(runs + 1):
        p, q = (x**n * y ** (runs - n) for x, y in ((a, b), (b, a)))
        total += comb(runs, n) * max(0, down * p - up * q)
    return Fraction(total, down * truth.denominator**runs)


def test_many_runs_of_two_outputs_against_the_binomial_distribution() -> None:
    """Response with truth 11/20, 1,000 times: P(n) = C(1000, n) 11^n 9^(1000-n) / 20^1000."""
    one = losses_of([(Fraction(11, 20), Fraction(9, 20)), (Fraction(9, 20), Fraction(11, 20))])
    for alpha in (Fraction(8), Fraction(10**12)):
        exact = binomial(Fraction(11, 20), 1000, alpha)
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
        never = max(one.get(Fraction(0), Fraction(0)) for one in exact)
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

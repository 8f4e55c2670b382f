"""Coupled worlds of many exchangeable people, by binomial sums."""

from collections.abc import Callable
from fractions import Fraction as F
from math import comb

import pytest

from tests.models.brute_force import ZERO, Level, Row, add_up, smallest_level
from tests.models.model_files import confirm, confirm_engine, once
from tests.models.simulators import FOLDER, unseen

pytestmark = pytest.mark.oracle


def either(pairs: list[tuple[Row, Row]], delta: F = ZERO) -> Level:
    """The level of pairs of distributions, both ways."""
    return max(smallest_level(p, q, delta) for pair in pairs for p, q in (pair, pair[::-1]))


def binomial(number: int, p: F) -> Row:
    return add_up((k, comb(number, k) * p**k * (1 - p) ** (number - k)) for k in range(number + 1))


def histogram_of_a_large_sample() -> list[Level]:
    rare, common = F(1, 20), F(1, 2)
    size = binomial(20, rare + common)
    within = [n for n in size if n and F(1, 2) <= size[n] / size[n - 1] <= 2]
    assert 1 - sum(size[n] for n in within) < F(3, 25)
    inside = [
        (a, b, chance * p)
        for a, chance in binomial(19, rare).items()
        for b, p in binomial(19 - a, common / (1 - rare)).items()
    ]

    def level(least: int, delta: F) -> Level:
        """With somebody in either bin, and without."""

        def released(x: int, y: int) -> Row:
            counts = (((a + x, b + y), p) for a, b, p in inside)
            return add_up((tuple(c if c >= least else 0 for c in pair), p) for pair, p in counts)

        return either([(released(1, 0), released(0, 0)), (released(0, 1), released(0, 0))], delta)

    return [
        level(0, F("0.37")),
        level(2, F(9, 25)),
        level(2, F(19, 10000)),
        level(2, F(18, 10000)),
        level(6, F(28, 100000)),
        level(6, F(27, 100000)),
    ]


def majority_of_a_crowd() -> list[Level]:
    hundred = binomial(100, F(1, 2))

    def released(function: Callable[[int], int]) -> Row:
        return add_up((function(others), p) for others, p in hundred.items())

    real = [released(lambda k, x=x: 2 * (k + x) >= 101) for x in (0, 1)]  # type: ignore[misc]
    ideal = released(lambda k: 2 * k >= 100)
    c, mu = real[0][True], hundred[50]
    assert c == min(p for row in real for p in row.values())
    assert F("1.418") < (c + mu) / (c - mu) < F("1.419")
    canonical = either([(row, ideal) for row in real])
    best = unseen(real, F(1, 2) / c)  # a coin, against the smallest probability
    number = [(released(lambda k, x=x: k + x), hundred) for x in (0, 1)]  # type: ignore[misc]
    return [
        *[canonical] * 3,
        *[best] * 2,
        either(number, F(3, 100000)),
        either(number, F(1, 100000)),
    ]


DERIVED: dict[str, Callable[[], list[Level]]] = {
    "histogram-of-a-large-sample.yaml": histogram_of_a_large_sample,
    "majority-of-a-crowd.yaml": majority_of_a_crowd,
}


@pytest.mark.parametrize("file", DERIVED)
def test_pinned_numbers_follow_from_the_definition(file: str) -> None:
    confirm(f"{FOLDER}/{file}", *once(DERIVED[file]))


@pytest.mark.parametrize("file", DERIVED)
def test_engine_finds_the_same(file: str) -> None:
    confirm_engine(FOLDER, file, *once(DERIVED[file]))

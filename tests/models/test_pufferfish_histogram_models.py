"""Algorithms 2 and 4 of the Pufferfish paper: what exact counts of several cells prove."""

from itertools import product
from math import floor

import pytest

from tests.models.brute_force import INFINITE
from tests.models.by_definition import F, Fraction, Row, together
from tests.models.model_files import confirm, confirm_engine
from tests.models.test_pufferfish_application_models import algorithm_1

VALUES = "abc"
FILES = {
    "pufferfish/single-prior-histogram.yaml": (F(1, 2), [(1, 1)] * 3, 2),
    "pufferfish/single-prior-histogram-small-epsilon.yaml": (F(9, 11), [(1, 1), (1, 1), (1, 0)], 1),
    "pufferfish/hedging-histogram.yaml": (F(1, 64), [(1, 1), (1, 1), (1, 0)], 1),
}


def histogram(ratio: Fraction, ranges: list[tuple[int, int]], world: tuple[str, ...]) -> Row:
    """Algorithm 1 on each cell; exact counts within its range."""
    cells = zip(VALUES, ranges, strict=True)
    return together(*(algorithm_1(2, ratio, *ends)[world.count(v)] for v, ends in cells))


@pytest.mark.parametrize("file", FILES)
def test_two_exact_counts_prove_that_nobody_has_the_third_value(file: str) -> None:
    """So that the leakage is infinite for every prior that allows all values."""
    ratio, ranges, checks = FILES[file]
    rows = {w: histogram(ratio, ranges, w) for w in product(VALUES, repeat=2)}
    proof = (("true", 1), ("true", 1), ("noisy", 0))
    telling = {w for w, row in rows.items() if row.get(proof)}
    assert telling == {("a", "b"), ("b", "a")}
    confirm(file, *[INFINITE] * checks)
    confirm_engine(*file.split("/"), *[INFINITE] * checks)


def single_prior_range(q: Fraction, alpha: Fraction) -> tuple[int, int]:
    """k_lo and k_hi of Algorithm 1 for two records, with e^ε = α; no range where k_hi is 0."""
    low, high = q / (q + alpha * (1 - q)), alpha * q / (alpha * q + 1 - q)
    return max(1, -floor(-2 * low)), min(1, floor(2 * high))


def test_ranges_of_exact_counts() -> None:
    assert single_prior_range(F(1, 3), F(2)) == (1, 1)
    assert single_prior_range(F(9, 20), F(11, 9)) == (1, 1)
    assert single_prior_range(F(1, 10), F(11, 9)) == (1, 0)


def hedging_range(q: Fraction, odds: Fraction, weight: Fraction) -> tuple[int, int]:
    """k_lo and k_hi of Algorithm 3 for two records by its inequalities, with e^(ε/3) the odds."""
    low, high = q / (q + odds * (1 - q)), odds * q / (odds * q + 1 - q)
    factor = (1 - weight) / (weight * (odds - 1))
    fits = [1 - q >= factor * (1 - low), q >= factor * high]  # at k = 1
    return (1 if fits[0] else 2), (1 if fits[1] else 0)


def test_ranges_of_hedging() -> None:
    assert hedging_range(F(9, 20), F(4), F(49, 100)) == (1, 1)
    assert hedging_range(F(1, 10), F(4), F(49, 100))[1] == 0

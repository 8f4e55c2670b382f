"""Logarithms as decimals, against sums of their series in exact arithmetic."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.decimals import enclosed, logarithm, rounded

F = Fraction


def bounds(value: Fraction) -> tuple[Fraction, Fraction]:
    """Numbers below and above ln(value), value >= 1: 2 artanh(z) for z = (value - 1)/(value + 1),
    by 200 terms of Σ 2 z^(2k+1) / (2k+1) after halving, with the rest of the series bounded."""
    halvings = 0
    while value > 2:
        value, halvings = value / 2, halvings + 1
    low, high = series(value)
    if halvings:
        two = series(F(2))
        low, high = low + halvings * two[0], high + halvings * two[1]
    return low, high


def series(value: Fraction) -> tuple[Fraction, Fraction]:
    z = (value - 1) / (value + 1)
    terms = 40
    total = sum((2 * z ** (2 * k + 1) / (2 * k + 1) for k in range(terms)), F(0))
    rest = 2 * z ** (2 * terms + 1) / ((2 * terms + 1) * (1 - z * z))
    return total, total + rest


@given(st.integers(1, 10**6), st.integers(0, 10**9))
def test_a_logarithm_is_rounded_correctly(bottom: int, more: int) -> None:
    value = F(bottom + more, bottom)
    low, high = bounds(value)
    said = logarithm(value)
    half = F(1, 2) / 10 ** len(said.split(".")[1]) if "e" not in said else abs(F(said)) / 10**5
    assert low - half <= F(said) <= high + half
    assert F(logarithm(value, ROUND_FLOOR)) <= high
    assert F(logarithm(value, ROUND_CEILING)) >= low


@pytest.mark.parametrize(
    ("value", "said"),
    [  # of tables: ln 2 = 0.69314718…, ln 10 = 2.30258509…, ln 1.01 = 0.00995033085…
        (F(2), "0.693147"),
        (F(10), "2.302585"),
        (F(101, 100), "0.00995033"),
        (F(1), "0.000000"),
        (F(1, 2), "-0.693147"),
        (1 + F(1, 10**30), "1.00000e-30"),  # x - x²/2 + …
        (F(10**3000), "6907.755279"),  # 3000 · 2.302585092994…
    ],
)
def test_logarithms_of_tables(value: Fraction, said: str) -> None:
    assert logarithm(value) == said


def test_an_interval_only_where_six_digits_differ() -> None:
    assert enclosed(F(2), F(2) + F(1, 10**12)) == "0.693147"
    assert enclosed(F(2), F(10)) == "[0.693147, 2.302586]", "rounded outwards"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (F(1, 3), "0.333333"),
        (F(2, 3), "0.666667"),
        (F(1, 700), "0.00142857"),
        (F(3, 2 * 10**6) + 1, "1.000002"),  # half of the last place: to the even digit
        (F(1, 2 * 10**6) + 1, "1.000000"),
        (F(1, 2 * 10**6) + 1 + F(1, 10**99), "1.000001"),  # just above half of the last place
        (F(0), "0.000000"),
    ],
)
def test_numbers(value: Fraction, said: str) -> None:
    assert rounded(value) == said

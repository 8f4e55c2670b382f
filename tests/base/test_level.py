"""Levels: comparisons with e^ε that are exact for ties and rigorous otherwise."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.errors import InputError
from verifier.base.level import Level, at_most_exp

ONE = Fraction(1)
POSITIVE = st.fractions(min_value=Fraction(1, 10**6), max_value=20, max_denominator=10**6)


def exponential(x: Fraction, terms: int = 120) -> tuple[Fraction, Fraction]:
    """e^x within two rationals, for 0 <= x <= 60: the Taylor sum of so many terms, and with the
    rest bounded by a geometric series: x^n/n! · 1/(1 − x/(n+1)) for the term n that comes next."""
    total, term = Fraction(0), ONE
    for n in range(1, terms + 1):
        total += term
        term = term * x / n
    return total, total + term / (1 - x / (terms + 1))


def test_the_enclosure_of_this_file() -> None:
    low, high = exponential(ONE)
    assert low < high < low + Fraction(1, 10**190)
    assert str(low.numerator * 10**30 // low.denominator) == "2718281828459045235360287471352"


@given(POSITIVE)
def test_rational_epsilon_decides_close_to_the_exponential(epsilon: Fraction) -> None:
    low, high = exponential(epsilon)
    level = Level.of_epsilon(epsilon)
    assert level.admits(low)
    assert not level.admits(high)


@given(POSITIVE, st.fractions(min_value=Fraction(1, 10), max_value=3, max_denominator=10))
def test_distances_multiply_epsilon(epsilon: Fraction, distance: Fraction) -> None:
    low, high = exponential(epsilon * distance, 240)
    level = Level.of_epsilon(epsilon)
    assert level.admits(low, distance)
    assert not level.admits(high, distance)


def test_a_tiny_epsilon_is_not_zero() -> None:
    """e^x lies strictly between 1 + x and 1 + x + x^2 for 0 < x < 1."""
    for digits in (30, 1000, 9999):
        x = Fraction(1, 10**digits)
        level = Level.of_epsilon(f"1e-{digits}")
        assert level.admits(ONE + x)
        assert not level.admits(ONE + x + x * x)


@pytest.mark.parametrize("zero", ["0", "0.0", "-0", "ln(1)", "ln(7/7)", "0/5", 0, Fraction(0)])
def test_epsilon_zero_is_the_rational_level_one(zero: str | int | Fraction) -> None:
    level = Level.of_epsilon(zero)
    assert level == Level(exp_epsilon=ONE)
    assert level.admits(ONE)
    assert not level.admits(ONE + Fraction(1, 10**100))


@pytest.mark.parametrize(
    ("text", "alpha"),
    [
        ("ln(3)", Fraction(3)),
        ("ln(3/2)", Fraction(3, 2)),
        (" ln( 1.5 ) ", Fraction(3, 2)),
        ("ln(1e3)", Fraction(1000)),
    ],
)
def test_logarithms_are_rational_levels(text: str, alpha: Fraction) -> None:
    level = Level.of_epsilon(text)
    assert level == Level.of_exp_epsilon(alpha)
    assert level.admits(alpha), "a tie is admitted"
    assert not level.admits(alpha + Fraction(1, 10**60))
    assert level.as_json() == {"exp_epsilon": str(alpha)}


def test_rational_levels_at_rational_distances_compare_powers() -> None:
    """2 <= 4^(1/2) is a tie; 8 <= 4^(3/2) too."""
    level = Level.of_exp_epsilon(4)
    assert level.admits(Fraction(2), Fraction(1, 2))
    assert not level.admits(Fraction(2) + Fraction(1, 10**40), Fraction(1, 2))
    assert level.admits(Fraction(8), Fraction(3, 2))
    assert not level.admits(Fraction(8) + Fraction(1, 10**40), Fraction(3, 2))
    assert level.admits(ONE, Fraction(0))
    assert not level.admits(ONE + Fraction(1, 10**40), Fraction(0))


def test_ratios_at_most_one_are_always_admitted() -> None:
    for level in (Level.of_epsilon("1/7"), Level.of_exp_epsilon("8/7"), Level.of_epsilon(0)):
        assert level.admits(Fraction(0)) and level.admits(ONE)
    assert at_most_exp(Fraction(1, 2), Fraction(0))


@pytest.mark.parametrize("text", ["-1", "-1e-9", "ln(1/2)", "ln(0)", "ln(-3)", "10001", "1e9999"])
def test_epsilon_outside_its_range(text: str) -> None:
    with pytest.raises(InputError, match="S601"):
        Level.of_epsilon(text)


@pytest.mark.parametrize("text", ["0", "-2", "0.999999999999999999999", "1/2"])
def test_exp_epsilon_below_one(text: str) -> None:
    with pytest.raises(InputError, match="S601"):
        Level.of_exp_epsilon(text)


@pytest.mark.parametrize("text", ["ln()", "ln(x)", "ln(3", "log(3)", "", "ln(ln(3))", "LN(3)"])
def test_what_is_no_level(text: str) -> None:
    with pytest.raises(InputError, match="S101"):
        Level.of_epsilon(text)


def test_floats_are_refused() -> None:
    for read in (Level.of_epsilon, Level.of_exp_epsilon):
        with pytest.raises(InputError, match="S101"):
            read(1.5)  # type: ignore[arg-type]


def test_levels_are_shown_as_they_were_given() -> None:
    assert Level.of_epsilon("0.5").as_json() == {"epsilon": "1/2"}
    assert str(Level.of_epsilon("0.5")) == "ε = 1/2"
    assert str(Level.of_exp_epsilon("1.5")) == "e^ε = 3/2"

"""Numbers in text: whole, or the first digits and how many there are."""

from __future__ import annotations

from fractions import Fraction

from verifier.base.exponential import power
from verifier.base.shortened import number, written_out_whole

LONG = Fraction(10**100 + 1, 3**100)  # 101 digits over 48


def test_long_fractions_are_shortened() -> None:
    assert number(LONG) == "≈ 1.94032521748e+52 (a fraction of 149 digits)"
    assert number(10**120) == "≈ 1.00000000000e+120 (a number of 121 digits)"


def test_what_is_short_or_irrational_is_whole() -> None:
    short = Fraction(10**49, 3**100)  # 50 digits, /, 48 digits
    assert number(short) == str(short)
    assert number(power(1)) == "e"


def test_verbose_reports_have_all_digits() -> None:
    with written_out_whole():
        assert number(LONG) == str(LONG)

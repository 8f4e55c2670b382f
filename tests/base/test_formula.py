"""Numbers written with powers of e: what is read, and what is refused and why."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.base.exponential import power

E = power(1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(1)", E),
        ("e", E),
        (" exp( 1/2 ) ", power(Fraction(1, 2))),
        ("exp(0.25)", power(Fraction(1, 4))),
        ("exp(-1/2)", 1 / power(Fraction(1, 2))),
        ("exp(1)/(1 + exp(1))", E / (1 + E)),
        ("1 - exp(1)/(1+exp(1))", 1 / (1 + E)),
        ("(1 + e)/2", (1 + E) / 2),
        ("2*e^(1/2) - 3/4", 2 * power(Fraction(1, 2)) - Fraction(3, 4)),
        ("e^2", E * E),
        ("e**-1", 1 / E),
        ("-e^2", -E * E),
        ("exp(1/2)^3", power(Fraction(3, 2))),
        ("exp(2)^(1/2)", E),
        ("(1 + exp(1))**2 / 2", (1 + E) * (1 + E) / 2),
        ("2/3/exp(1)", Fraction(2, 3) / E),
        ("2 - 1 - exp(1)", 1 - E),
        ("exp(1) * 1e-3", E / 1000),
        ("exp(exp(0) - 1)", Fraction(1)),
        ("exp(2 - 3/2)", power(Fraction(1, 2))),
    ],
)
def test_what_is_read(text: str, value: Fraction) -> None:
    assert exact.number(text) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("exp 1", "S115"), ("exp(1", "S115"), ("exp()", "S115"), ("2 e", "S115")),
        *(("exp(1) 2", "S115"), ("exp(1)/0", "S115"), ("exp(1)/(e - e)", "S115")),
        *(("exp(x)", "S115"), ("e +", "S115"), ("(" * 60 + "e" + ")" * 60, "S115")),
        *(("e^" * 60 + "0", "S115"), ("exp(1) == 2", "S115"), ("exp(²)", "S115")),
        *(("exp(exp(1))", "S116"), ("exp(10001)", "S116"), ("e^e", "S116"), ("exp(1e9)", "S116")),
        *(("2^(1/2) * e", "S117"), ("(1 + e)^(1/2)", "S117"), ("2^e", "S117")),
        *(("e * 3**1001", "S102"), ("e * 1e99999", "S102"), ("e + " * 5000 + "e", "S102")),
        *(("ex(1)", "S101"), ("Exp(1)", "S101"), ("1e", "S101")),
    ],
)
def test_what_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        exact.number(text)
    assert caught.value.code == code and caught.value.hint


def test_words_of_domains_are_no_numbers() -> None:
    assert not exact.looks_like_number("e") and not exact.looks_like_number("exp(1)")

"""The door for numbers: what is written is what is meant."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base import exact
from verifier.base.errors import InputError, LimitReached

INTEGERS = st.integers(-(10**40), 10**40)
RATIONALS = st.fractions() | st.builds(Fraction, INTEGERS, st.integers(1, 10**40))


@given(RATIONALS)
def test_text_comes_back(value: Fraction) -> None:
    assert exact.number(exact.text(value)) == value
    assert exact.looks_like_number(exact.text(value))


@given(INTEGERS, st.integers(0, 30), st.integers(-50, 50))
def test_decimals_mean_what_is_written(digits: int, places: int, exponent: int) -> None:
    """A point `places` digits from the right, and a power of ten, done by hand."""
    sign, body = ("-" if digits < 0 else ""), str(abs(digits)).rjust(places + 1, "0")
    whole, part = body[: len(body) - places], body[len(body) - places :]
    point = f".{part}" if places else ""
    value = Fraction(digits, 10**places) * Fraction(10) ** exponent
    assert exact.number(f"{sign}{whole}{point}e{exponent}") == value
    assert exact.number(f" {sign}{whole}{point}E{exponent:+}\n") == value


@given(INTEGERS, st.integers(1, 10**40))
def test_fractions_need_not_be_reduced(p: int, q: int) -> None:
    assert exact.number(f"{p}/{q}") == Fraction(p, q)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("1e-9", Fraction(1, 10**9)),
        ("1e0005", 10**5),
        ("2.50", Fraction(5, 2)),
        ("-1/3", Fraction(-1, 3)),
        ("0/7", 0),
        ("6/4", Fraction(3, 2)),
    ],
)
def test_numbers(text: str, value: Fraction | int) -> None:
    assert exact.number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "a", "1/0", "0/0", "1.2.3", "1,5", "1 2", "1/", "3-", "1 - 01", "2024-01-01",
        "2024-11-23", "2024-1-2",
        ".", "e5", "1e", "1e5.0", "5.", "01", "00", "-01", "1/02", "0x10", "0b1", "1_000", "1:30",
        "inf", ".inf", "nan", "-inf", "٣", "１", "½", "1e-", "50%", "ln(2)", "True",
    ],
)  # fmt: skip
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(InputError) as caught:
        exact.number(text)
    assert caught.value.code == "S101"
    assert not exact.looks_like_number(text) or "/0" in text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2 - 1/3", Fraction(1, 6)),
        ("1 / 2", Fraction(1, 2)),
        ("1/2/3", Fraction(1, 6)),
        ("1.5/2", Fraction(3, 4)),
        ("2**3 - 2^2*(1 + .5)", Fraction(2)),
        ("-(1 - 1/3)/2", Fraction(-1, 3)),
        ("1/2 - -1/4", Fraction(3, 4)),
        ("1e-2+1e1", Fraction(1001, 100)),
        ("(3)", Fraction(3)),
        ("2024 - 11 - 23", Fraction(1990)),
    ],
)
def test_arithmetic(text: str, value: Fraction) -> None:
    """It is a number where one is expected, and a word elsewhere."""
    assert exact.number(text) == value and exact.is_arithmetic(text)
    assert not exact.looks_like_number(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(
            ("1//2", "S115"),
            ("1/(2 - 2)", "S115"),
            ("(1", "S115"),
            ("1)", "S115"),
            ("3(2)", "S115"),
        ),
        *(
            ("2^(1/2)", "S117"),
            ("2^1001", "S102"),
            ("1 + 1e99999", "S102"),
            ("(" * 60 + "1", "S115"),
        ),
        ("1+" * 5000 + "1", "S102"),
    ],
)
def test_arithmetic_that_cannot_be_read(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        exact.number(text)
    assert caught.value.code == code


@pytest.mark.parametrize("value", [0.1, 1.0, float("nan"), True, False, None, [1], b"1"])
def test_values_that_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="S101"):
        exact.number(value)  # type: ignore[arg-type]


def test_integers_and_fractions_pass() -> None:
    assert exact.number(3) == 3
    assert exact.number(Fraction(1, 3)) == Fraction(1, 3)
    assert type(exact.number(3)) is Fraction


def test_the_caps_are_tested_before_anything_large_is_built() -> None:
    longest = "9" * exact.MAX_DIGITS
    assert exact.number(longest) == 10**exact.MAX_DIGITS - 1
    assert exact.number(f"1e{exact.MAX_EXPONENT}") == 10**exact.MAX_EXPONENT
    assert exact.number("1e-10000") == Fraction(1, 10**10_000)
    for text in (longest + "9", "1e10001", "1e-10001", "1e" + "9" * 10**6, "0." + "3" * 10**6):
        with pytest.raises(InputError) as caught:
            exact.number(text)
        assert caught.value.code == "S102"
        assert len(caught.value.message) < 100


def test_long_exact_numbers_can_be_written() -> None:
    """Answers may be longer than the interpreter's own limit of 4300 digits."""
    assert len(exact.text(Fraction(10**5000 + 1))) == 5001


def test_several_texts_at_once() -> None:
    texts = ["1", "flu", "011", "-2/4", "1/0"]
    assert exact.numbers(texts) == [1, None, None, Fraction(-1, 2), None]
    with pytest.raises(InputError, match="divides by zero"):
        exact.number("1/0")


@given(st.lists(RATIONALS, max_size=8))
def test_total_is_the_sum(values: list[Fraction]) -> None:
    assert exact.total(values) == sum(values, Fraction(0))
    assert type(exact.total(values)) is Fraction


def test_a_total_of_enormous_length_is_refused() -> None:
    same = [Fraction(1, 3**20_000)] * 1000
    assert exact.total(same) == Fraction(1000, 3**20_000)
    different = [Fraction(1, 3**20_000 + n) for n in range(0, 200, 2)]
    with pytest.raises(LimitReached):
        exact.total(different)


@given(st.fractions(0, 5, max_denominator=60), st.fractions(0, 1, max_denominator=60))
def test_simplest_has_the_smallest_denominator(low: Fraction, width: Fraction) -> None:
    found = exact.simplest(low, low + width)
    assert low <= found <= low + width
    for denominator in range(1, found.denominator):
        assert (low * denominator).__ceil__() > (low + width) * denominator

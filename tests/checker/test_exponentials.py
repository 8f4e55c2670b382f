"""The checker's irrational numbers against those of the package, which share no code with them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from verifier.base import exponential
from verifier.checker import exponentials as checked
from verifier.checker.exponentials import Number, read

E = checked.power(Fraction(1))


def both(rng: random.Random, depth: int) -> tuple[Fraction, Fraction]:
    """One number by the same random steps, in the arithmetic of the package and of the checker."""
    if depth == 0:
        q = Fraction(rng.randint(-9, 9), rng.choice((1, 2, 3, 8, 12345)))
        c = Fraction(rng.randint(-5, 5), rng.randint(1, 7))
        return c * exponential.power(q), c * checked.power(q)
    (x, a), (y, b) = (both(rng, depth - 1) for _ in range(2))
    kind = rng.choice("+-*/" if y else "+-*")
    if kind == "/":
        return x / y, a / b
    return {"+": (x + y, a + b), "-": (x - y, a - b), "*": (x * y, a * b)}[kind]


def test_drawn_numbers_are_the_same_and_read_back() -> None:
    rng = random.Random(4)
    for _ in range(200):
        mine, its = both(rng, 2)
        if type(its) is Fraction:
            assert type(mine) is Fraction and mine == its
            continue
        again = read(str(mine))
        assert again == its and hash(again) == hash(its)
        assert (its > 0, its > Fraction(1, 3)) == (mine > 0, mine > Fraction(1, 3))
        assert again - its == 0 and type(again / its) is Fraction


def test_drawn_order() -> None:
    rng = random.Random(5)
    for _ in range(100):
        (x, a), (y, b) = both(rng, 1), both(rng, 1)
        assert (x < y, x <= y, x == y, x > y, x >= y) == (a < b, a <= b, a == b, a > b, a >= b)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e", E),
        ("e^2", E * E),
        ("-e", -E),
        ("(1 + e)/2", (1 + E) / 2),
        ("2*e/(1 + e)", 2 * E / (1 + E)),
        ("1/(1 - 2*e^(-1/2))", 1 / (1 - 2 * checked.power(Fraction(-1, 2)))),
        ("3/e", 3 / E),
        ("e^(1/2) - 1", checked.power(Fraction(1, 2)) - 1),
    ],
)
def test_texts_by_hand(text: str, expected: Fraction) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "e/", "e//2", "e^", "e^(1/0)", "exp(1)", "1e5", "e+1", "e + e", "(e", "e)", "2e"),
        *("1 + e/2", "(1 + e)/(1 + e)/2", "e^(1.5)", "e^(100001)", "e/0", "1/(e - e)"),
        *("--e", "- e", "e +  1", "e ^2", "e^-1", "١*e", "e/(1 - 1)", "e\n"),
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises((ValueError, ZeroDivisionError)):
        read(text)


def test_what_is_rational_is_a_fraction() -> None:
    truth = E / (1 + E)
    for value, expected in [(truth + 1 / (1 + E), 1), ((2 + 2 * E) / (3 + 3 * E), Fraction(2, 3))]:
        assert value == expected and type(value) is Fraction
    assert type(read("(2 + 2*e)/(1 + e)")) is Fraction
    with pytest.raises(ValueError, match="rational"):
        _ = E.numerator


def test_a_hair_apart() -> None:
    hair = Fraction(1, 10**60)
    assert E + hair > E and E + hair != E and E * (1 - hair) < E
    assert type(E + hair) is Number and E + hair - E == hair


@pytest.mark.parametrize("q", ["0", "1", "1/3", "7/2", "1/100000", "300"])
def test_enclosures_are_those_of_the_package(q: str) -> None:
    x = Fraction(q)
    for bits in (1, 64, 300):
        low, high = checked.enclosure(x.numerator, x.denominator, bits)
        mine = exponential.power(x) * 2**bits
        assert low <= mine <= high and high - low <= 2

"""The checker's irrational numbers against those of the package, which share no code with them."""

from __future__ import annotations

import random
from fractions import Fraction
from math import prod

import pytest

from tests.checker.conftest import certificate, mechanism_model
from tests.checker.drafts import check
from verifier.base import exponential
from verifier.checker import numbers as checked
from verifier.checker.document import Refused, limited
from verifier.checker.numbers import NUMBERS, Number, read_function
from verifier.checker.powers import enclosure

E = checked.power(Fraction(1))


def read(text: str) -> Fraction:
    return NUMBERS.quotient(*read_function(text, ()))


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
    with pytest.raises((Refused, ZeroDivisionError)):
        read(text)


def test_what_is_rational_is_a_fraction() -> None:
    truth = E / (1 + E)
    for value, expected in [(truth + 1 / (1 + E), 1), ((2 + 2 * E) / (3 + 3 * E), Fraction(2, 3))]:
        assert value == expected and type(value) is Fraction
    assert type(read("(2 + 2*e)/(1 + e)")) is Fraction
    with pytest.raises(ValueError, match="rational"):
        _ = E.numerator


def test_equal_numbers_are_in_no_order() -> None:
    for x, y in ((E, E * E / E), ((1 + E) / E, 1 + 1 / E)):
        assert x == y and x >= y and x <= y and not (x > y or x < y or x != y)


def test_powers() -> None:
    """Of e, and of a quotient: exponents below 0, 0, and above."""
    q = (1 + E) / (2 - E)
    for x in (E, q):
        for k in range(4):
            assert x**k == prod([x] * k, start=Fraction(1)) and x**-k * x**k == 1
    assert read("e^(-2)") == E**-2 and abs(-E) == E == abs(E)


def test_a_hair_apart() -> None:
    hair = Fraction(1, 10**60)
    assert E + hair > E and E + hair != E and E * (1 - hair) < E
    assert type(E + hair) is Number and E + hair - E == hair


@pytest.mark.parametrize("q", ["0", "1", "1/3", "7/2", "1/100000", "300"])
def test_enclosures_are_those_of_the_package(q: str) -> None:
    x = Fraction(q)
    for bits in (1, 64, 300):
        low, high = enclosure(x.numerator, x.denominator, bits)
        mine = exponential.power(x) * 2**bits
        assert low <= mine <= high and high - low <= 2


def below_e(bits: int) -> Fraction:
    """What e exceeds by less than 2^-bits."""
    return Fraction(enclosure(1, 1, bits)[0], 2**bits)


def test_what_is_too_close_is_not_guessed() -> None:
    near, nearer = below_e(1000), below_e(checked.MAX_BITS + 1000)
    assert near < E and abs(near - E) == abs(E - near) == E - near > 0
    with pytest.raises(ArithmeticError, match="too close"):
        _ = nearer < E
    assert nearer != E  # which is rational


def test_hashes_of_numbers_that_are_nearly_rational() -> None:
    """Equal numbers, written in two ways, have one hash."""
    for bits in (10, 200, 1000):
        near = below_e(bits)
        for one, other in ((E - near, (E * E - near * E) / E), (near - E, (near - E) * E / E)):
            assert one == other and hash(one) == hash(other)
            assert hash(1 / one) == hash(1 / other)


def test_exponents_have_an_end() -> None:
    most = Fraction(checked.MOST_OF_E)
    assert checked.power(most) * checked.power(-most) == 1
    for beyond in (most + Fraction(1, 2), -most - Fraction(1, 2)):
        with pytest.raises(Refused, match="too large"):
            checked.power(beyond)


def test_products_of_many_terms_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.checker.document.MAX_BYTES", 1999)
    assert (1 + E) * (1 - E) == 1 - E * E
    with pytest.raises(Refused, match="more memory"):
        _ = (1 + E) * (1 + E + E * E)


def test_common_denominators(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit times each number is a sum; of long ones the unit is 1."""
    numbers = [1 / (1 + E), E / (1 + E), 1 / (2 - E), Fraction(1, 6), 3 * E]
    unit, parts = numbers[0].whole(numbers)
    assert unit == 6 * (1 + E) * (2 - E) or unit == -6 * (1 + E) * (2 - E)
    assert [part / unit for part in parts] == numbers
    assert all(checked.parts(part)[1] == {0: 1} for part in parts)
    monkeypatch.setattr(checked, "MAX_SHARED", 2)
    assert numbers[0].whole(numbers) == (1, numbers)
    assert numbers[0].whole(numbers[:2]) == (1 + E, [1, E])


def test_steps_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of work counts, and that of another check does not."""
    near, far = below_e(1000), checked.power(Fraction(checked.MOST_OF_E))
    bottoms = [1 / (k + E) for k in range(1, 30)]
    works = (
        lambda: [E + k for k in range(100)],
        lambda: [E * E for _ in range(100)],
        lambda: [near < E for _ in range(10)],
        lambda: far - 1 > E,
        lambda: bottoms[0].whole(bottoms),
    )
    with limited():
        for work in works:
            assert work()
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 1000)
    for work in works:
        with limited(), pytest.raises(Refused, match="more steps"):
            work()
    for _ in range(100):
        with limited():
            assert E + 1 > 0


def test_a_check_has_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mechanism_model({"a": ["e/(1 + e)", "1/(1 + e)"], "b": ["1/(1 + e)", "e/(1 + e)"]})
    witness = {"pair": [0, 1], "output": 0}
    document = certificate(model, {"rule": "all"}, "e", "violated", witness)
    assert check(document).outcome == "accepted"
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 100)
    found = check(document)
    assert found.outcome == "refused" and "takes more steps than" in found.reason

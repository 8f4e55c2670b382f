"""Quotients of exponential sums against hand calculations and enclosures by another library."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx, fmpq

from verifier.base import intervals
from verifier.base.errors import LimitReached
from verifier.base.exponential import Exponential, Irrational, bounds, power, total

E = power(1)


def ball(value: Fraction) -> Any:
    return arb(fmpq(value.numerator, value.denominator))


@pytest.fixture(autouse=True)
def digits() -> Any:
    """Balls of 400 binary digits, about 120 decimal ones."""
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def drawn(rng: random.Random, depth: int) -> tuple[Fraction, Any]:
    """A number made by random arithmetic, and a ball around it made by the same steps."""
    if depth == 0:
        exponent = Fraction(rng.randint(-9, 9), rng.choice((1, 2, 3, 8, 12345)))
        factor = Fraction(rng.randint(-5, 5), rng.randint(1, 7))
        return factor * power(exponent), ball(factor) * ball(exponent).exp()
    (x, a), (y, b) = (drawn(rng, depth - 1) for _ in range(2))
    kind = rng.choice("+-*/" if y else "+-*")
    if kind == "/":
        return x / y, a / b
    return {"+": (x + y, a + b), "-": (x - y, a - b), "*": (x * y, a * b)}[kind]


def test_drawn_numbers_lie_where_balls_say() -> None:
    rng = random.Random(1)
    irrational = 0
    for _ in range(300):
        value, expected = drawn(rng, 3)
        if not isinstance(value, Exponential):
            assert expected.overlaps(ball(value))
            continue
        irrational += 1
        low, high = intervals.ends(value.enclosed(200))  # 60 digits
        assert low < high and high - low <= min(abs(low), abs(high)) / 2**200
        assert ball(low) <= expected <= ball(high)
        assert float(value) == float(expected.mid())
        assert (value > 0) == (expected > 0)
    assert irrational > 200


def test_drawn_order_and_arithmetic() -> None:
    rng = random.Random(2)
    for _ in range(100):
        (x, a), (y, b) = drawn(rng, 2), drawn(rng, 2)
        assert (x < y, x > y, x == y) == (bool(a < b), bool(a > b), x - y == 0)
        assert x + y - y == x and hash(x + y - y) == hash(x)
        if y:
            assert x / y * y == x and hash(x / y * y) == hash(x)


def test_one_number_written_in_two_ways() -> None:
    two_ways = [
        ((E**2 - 1) / (E - 1), E + 1),
        (1 / (1 + 1 / E), E / (E + 1)),
        ((power(Fraction(3, 2)) - 1) / (power(Fraction(1, 2)) - 1), E + power(Fraction(1, 2)) + 1),
        (E / (1 + E) / (1 + E), (1 / (1 + E)) ** 2 * E),
    ]
    for one, other in two_ways:
        assert one == other and hash(one) == hash(other) and not one < other and one <= other
        assert one - other == 0 and type(one - other) is Fraction
        assert one / other == 1 and type(one / other) is Fraction


def test_what_is_rational_is_a_fraction() -> None:
    truth = E / (1 + E)
    for value, expected in [
        (truth + (1 - truth), Fraction(1)),
        (power(Fraction(1, 3)) ** 3 / E, Fraction(1)),
        (3 * E / (2 * E), Fraction(3, 2)),
        ((2 + 2 * E) / (3 + 3 * E), Fraction(2, 3)),
        ((E**2 - 1) / (E - 1) - E, Fraction(1)),
        (power(0), Fraction(1)),
        (E - E, Fraction(0)),
    ]:
        assert value == expected and type(value) is Fraction
    eleven = sum((truth**k * (1 - truth) ** (10 - k) * c for k, c in enumerate(ROW)), Fraction(0))
    assert eleven == 1


ROW = (1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1)  # of Pascal's triangle


def test_nearest_rationals_on_both_sides() -> None:
    convergents = [(2, 1), (3, 1)]  # e = [2; 1, 2, 1, 1, 4, 1, 1, 6, …]
    for i in range(2, 120):
        term = 2 * (i + 1) // 3 if i % 3 == 2 else 1
        convergents.append(
            tuple(term * x + y for x, y in zip(convergents[-1], convergents[-2], strict=True))
        )
    for i, (p, q) in enumerate(convergents):
        assert (Fraction(p, q) > E) == (i % 2 == 1), (p, q)
        assert (Fraction(p, q) > E) == (i % 2 == 1)


def test_a_hair_apart() -> None:
    hair = Fraction(1, 10**200)
    assert E + hair > E and E + hair != E and E - hair < E
    assert E * (1 + hair) > E


def test_extremes_are_decided() -> None:
    assert power(10_000) > 10**4342 and power(-10_000) > 0
    assert power(-10_000) < Fraction(1, 10**4342)
    assert 1 + power(-10_000) > 1 and float(1 + power(-10_000)) == 1.0
    assert power(-10_000) + 1 - power(-10_000) == 1


def test_powers() -> None:
    assert (1 + E) ** 3 == 1 + 3 * E + 3 * E**2 + E**3
    assert (1 + E) ** -2 == 1 / (1 + 2 * E + E * E)
    assert (1 + E) ** 0 == 1
    assert sorted([E**2, Fraction(3), E, Fraction(0)]) == [0, E, 3, E**2]
    assert max(E, Fraction(2)) is E and abs(2 - E) == E - 2


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((1 + E) / 2, "(1 + e)/2"),
        (E / (1 + E), "e/(1 + e)"),
        (1 / (1 + E), "1/(1 + e)"),
        (power(Fraction(1, 2)), "e^(1/2)"),
        (power(-2) * 3, "3*e^(-2)"),
        ((E**2 - 1) / (E - 1), "1 + e"),
        (2 - E, "2 - e"),
        (E**2 / (3 * E + 3), "e^2/(3 + 3*e)"),
        (
            (power(Fraction(3, 2)) - 1) / ((E - 1) * (1 + power(Fraction(1, 2)))),
            "(1 + e^(1/2) + e)/(1 + 2*e^(1/2) + e)",
        ),
    ],
)
def test_closed_forms(value: Fraction, text: str) -> None:
    assert str(value) == text


def test_total_of_terms() -> None:
    half = Fraction(1, 2)
    assert total([(half, Fraction(2)), (Fraction(0), half), (half, Fraction(1))]) == (
        3 * power(half) + half
    )
    assert total({}) == 0


def test_bounds_have_twelve_digits() -> None:
    assert bounds(E) == (Fraction("2.71828182845"), Fraction("2.71828182846"))
    low, high = bounds(power(-20))
    assert low < power(-20) < high and high - low <= low / 10**11
    assert bounds(-E) == (Fraction("-2.71828182846"), Fraction("-2.71828182845"))


def test_what_asks_for_a_numerator_is_told() -> None:
    for ask in (
        lambda: E.numerator,
        lambda: E.as_integer_ratio(),
        lambda: Fraction(E),
        lambda: int(E),
        lambda: round(E, 2),
        lambda: E**E,
        lambda: E // 2,
        lambda: E ** Fraction(1, 2),
        lambda: Fraction(1, 2) ** E,
        lambda: E.limit_denominator(),
    ):
        with pytest.raises(Irrational):
            ask()
    with pytest.raises(ZeroDivisionError):
        E / 0


def test_numbers_can_be_sent_to_workers() -> None:
    value = E / (1 + E)
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("q", ["1", "1/3", "-7/2", "1/100000", "12345/1000", "300", "-700"])
@pytest.mark.parametrize("bits", [8, 53, 200])
def test_enclosures_of_powers(q: str, bits: int) -> None:
    x = Fraction(q)
    low, high = intervals.ends(intervals.exponential(x.numerator, x.denominator, bits))
    expected = ball(x).exp()
    assert ball(low) <= expected <= ball(high) and (high - low) * 2 ** (bits - 3) <= low


def test_operations_on_intervals_round_outwards() -> None:
    rng = random.Random(3)
    for _ in range(300):
        x, y = ((rng.randint(-50, 50), rng.randint(0, 9), rng.randint(-3, 3)) for _ in range(2))
        x = (x[0], x[0] + x[1], x[2])
        y = (abs(y[0]) + 1, abs(y[0]) + 1 + y[1], y[2])
        (a, b), (c, d) = intervals.ends(x), intervals.ends(y)
        for made, parts in (
            (intervals.multiply(x, y, 4), [s * t for s in (a, b) for t in (c, d)]),
            (intervals.divide(x, y, 4), [s / t for s in (a, b) for t in (c, d)]),
            (
                intervals.combine([(-3, x), (2, y)], 4),
                [2 * t - 3 * s for s in (a, b) for t in (c, d)],
            ),
        ):
            low, high = intervals.ends(made)
            assert low <= min(parts) and max(parts) <= high


@pytest.mark.parametrize(
    "make",
    [
        lambda: power(9_000) * power(1_001),
        lambda: power(-9_000) / power(1_001),
        lambda: 1 / (1 + power(5_001)) ** 2,  # the end of the denominator is e^10002
        lambda: 1 - power(-(10**9)) / 2,  # its hash would take 10^9 digits
    ],
)
def test_powers_that_no_certificate_has_are_refused(make: Any) -> None:
    with pytest.raises(LimitReached, match="beyond e"):
        make()


def test_the_largest_powers_are_numbers() -> None:
    assert power(9_000) * power(1_000) == power(10_000)
    assert float(power(5_000) / (1 + power(5_000))) == 1.0

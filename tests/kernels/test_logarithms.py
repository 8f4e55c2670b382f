"""Signs of sums of logarithms, and weights of products of powers, on cases worked by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.kernels import games
from verifier.kernels.logarithms import coprime_base, exponents, scaled, sign

TINY = F(1, 10**60)
NUMBERS = st.sampled_from([F(2), F(3), F(12), F(18), F(1, 6), F(9, 8), 1 + TINY, F(10**40 + 7, 3)])


@given(st.lists(st.tuples(st.integers(-6, 6), NUMBERS), max_size=5))
@examples(60)
def test_signs_are_those_of_products(powers: list[tuple[int, F]]) -> None:
    product = F(1)
    for k, r in powers:
        product *= r**k
    assert sign(powers) == (product > 1) - (product < 1)


@pytest.mark.parametrize(
    ("powers", "exponent", "expected"),
    [
        ([], F(0), 0),
        ([], F(-1, 7), -1),
        ([(10**30, F(9)), (-2 * 10**30, F(3))], F(0), 0),  # powers that nobody can write out
        ([(10**30, F(9)), (-2 * 10**30, F(3)), (1, 1 + TINY)], F(0), 1),
        ([(1, F(271828182845904523536, 10**20))], F(-1), -1),  # e = 2.71828182845904523536 0287…
        ([(1, F(271828182845904523537, 10**20))], F(-1), 1),
    ],
)
def test_signs(powers: list[tuple[int, F]], exponent: F, expected: int) -> None:
    assert sign(powers, exponent) == expected


def test_coprime_base() -> None:
    base = coprime_base([12, 18, 35, 1])
    assert base == [2, 3, 35]  # as far as the numbers show
    assert exponents(F(12, 35), base) == [2, 1, -1]


def test_scaled_logarithms() -> None:
    assert scaled(F(1), 64) == 0
    assert abs(scaled(F(2), 64) - 12786308645202655659) <= 1  # 2^64 · 0.693147180559945309417


def test_weights() -> None:
    assert games.weights([[F(2), F(1, 2)], [F(1, 2), F(2)]]) == [F(1, 2), F(1, 2)]
    assert games.weights([[F(1, 2), F(8)], [F(2), F(1, 8)]]) == [F(3, 4), F(1, 4)]  # only these
    assert games.weights([[F(2), F(1, 3)], [F(1, 2), F(3)]]) is None  # ln 3 / ln 6 only
    assert games.weights([[F(2), F(1, 3)], [F(1, 3), F(2)]]) is None


def test_weights_between_irrational_corners() -> None:
    """Row 1 is met by all weights with equality, rows 2 and 3 between irrational bounds."""
    found = games.weights([[F(1), F(1)], [F(3), F(1, 2)], [F(1, 2), F(2**10)]])
    assert found is not None
    first, second = found
    assert 3**first.numerator >= 2**second.numerator and first + second == 1
    assert games.serves([[F(3), F(1, 2)], [F(1, 2), F(2**10)]], found)


def test_weights_with_two_ties() -> None:
    """x1 = x2 from one pair of rows; the third column is excluded by a row of its own."""
    rows = [[F(2), F(1, 2), F(5)], [F(1, 2), F(2), F(5)], [F(1), F(1), F(1, 7)]]
    assert games.weights(rows) == [F(1, 2), F(1, 2), F(0)]


def test_value() -> None:
    scaled_value, point = games.game_value([[F(2), F(1, 2)], [F(1, 2), F(2)]], 80)
    assert abs(scaled_value) <= 2 and abs(point[0] - F(1, 2)) < F(1, 2**70)

"""Functions of a parameter against arithmetic with the numbers that they are at points."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from verifier.base import exact, exponential
from verifier.base.cell import AtRoot, Cell, Root, Symbolic
from verifier.base.errors import InputError, LimitReached
from verifier.base.parameters import Choice, given
from verifier.base.rational_function import function_value, parameter, parts, quotient

P = parameter("p")
POINT = Fraction(355, 1130)  # no root of the small polynomials drawn here
POLYNOMIALS = st.lists(st.integers(-4, 4), max_size=4)
FUNCTIONS = st.builds(
    lambda top, bottom: quotient("p", top, bottom), POLYNOMIALS, POLYNOMIALS.filter(any)
)


def cell(low: object = 0, high: object = 1, sample: object = POINT) -> Cell:
    return Cell("p", Fraction(str(low)), Fraction(str(high)), Fraction(str(sample)))


@drawn(FUNCTIONS, FUNCTIONS)
def test_arithmetic_is_that_of_the_values(x: Fraction, y: Fraction) -> None:
    a, b = function_value(x, POINT), function_value(y, POINT)
    assert function_value(x + y, POINT) == a + b
    assert function_value(x - y, POINT) == a - b
    assert function_value(x * y, POINT) == a * b
    assert function_value(2 - x, POINT) == 2 - a and function_value(
        x + Fraction(1, 3), POINT
    ) == a + Fraction(1, 3)
    if b:
        assert function_value(x / y, POINT) == a / b and function_value(1 / y, POINT) == 1 / b
        assert function_value(y**-2, POINT) == b**-2
    assert function_value(x**3, POINT) == a**3
    assert function_value(exact.total([x, y, x, Fraction(1, 7)]), POINT) == 2 * a + b + Fraction(
        1, 7
    )


@drawn(FUNCTIONS, FUNCTIONS)
def test_comparisons_are_those_at_the_sample_and_equality_is_identity(
    x: Fraction, y: Fraction
) -> None:
    a, b = function_value(x, POINT), function_value(y, POINT)
    with cell() as here:
        assert (x < y) == (a < b) and (x >= y) == (a >= b) and max(x, y) in (x, y)
        assert function_value(abs(x), POINT) == abs(a)
    assert (x == y) == (a == b)  # as the point is a root of no difference
    assert all(polynomial[-1] > 0 and len(polynomial) > 1 for polynomial in here.recorded)
    assert x != y or hash(x) == hash(y)


@drawn(FUNCTIONS)
def test_there_is_one_way_to_write_a_function_and_it_is_kept(x: Fraction) -> None:
    top, bottom = parts(x)
    assert bottom[-1] > 0 and quotient("p", top, bottom) == x
    assert pickle.loads(pickle.dumps(x)) == x
    with given(Choice({}, ("p",))):
        assert exact.number(str(x)) == x


def test_a_function_without_the_parameter_is_a_number() -> None:
    assert type(P / P) is Fraction and type((1 - P) + P) is Fraction
    assert type(exact.total([P, 1 - P])) is Fraction
    assert quotient("p", (), (3,)) == 0


def test_text() -> None:
    assert str(P / (1 - P)) == "p/(1 - p)"
    assert str(1 / P) == "1/p" and str(P / 2) == "p/2" and str(-3 / P**2) == "-3/(p^2)"
    assert exact.text((2 * P**2 - 1) ** 2 / 8) == "(1 - 4*p^2 + 4*p^4)/8"
    assert exact.text(1 - P) == "1 - p"


def test_what_vanishes_within_the_interval_is_recorded() -> None:
    with cell() as here:
        assert P - Fraction(1, 2)
        assert 1 / (P - Fraction(1, 3)) != P
    # p − 1/2, the divisor p − 1/3, and p² − p/3 − 1, where both sides are equal
    assert {(-1, 2), (-1, 3), (-3, -1, 3)} <= here.recorded.keys()


def test_a_sample_that_is_a_root_is_no_answer() -> None:
    with cell(sample="1/2"), pytest.raises(AtRoot):
        P.__le__(Fraction(1, 2))


def test_nothing_is_compared_without_a_cell_nor_is_there_a_numerator() -> None:
    for question in (
        lambda: P < 1,
        lambda: P.numerator,
        lambda: int(P),
        lambda: float(P),
        lambda: P // 2,
        lambda: 2**P,
        lambda: P ** Fraction(1, 2),
    ):
        with pytest.raises(Symbolic):
            question()
    with pytest.raises(TypeError):
        P.__lt__("1")
    assert P != "p"


def test_a_float_is_the_value_at_the_sample() -> None:
    with cell(sample="0.25"):
        assert float(P / (1 - P)) == 1 / 3


def test_what_does_not_go_together() -> None:
    with pytest.raises(LimitReached, match="parameter p and the parameter q in one"):
        P + parameter("q")
    with pytest.raises(LimitReached, match="parameter p and the parameter q in one"):
        exact.total([P, parameter("q")])
    with pytest.raises(InputError, match="powers of e"):
        parameter("p", ("p", "q")) * exponential.power(1)
    with pytest.raises(LimitReached, match="above 5000"):
        P**5001
    with pytest.raises(ZeroDivisionError):
        P / 0
    with pytest.raises(ZeroDivisionError):
        function_value(1 / P, Fraction(0))


def test_the_field_of_an_irrational_point() -> None:
    half = Root((-1, 0, 2), Fraction(1, 2), Fraction(1))
    with Cell("p", half, half, half):
        p = parameter("p")
        assert p * p == Fraction(1, 2) and type(p * p) is Fraction
        assert 1 / p == 2 * p and hash(1 / p) == hash(2 * p)
        assert p > Fraction(7, 10) and p < Fraction(71, 100)
        assert abs(float(p) - 0.5**0.5) < 1e-15
        with pytest.raises(ZeroDivisionError):
            1 / (p * p - Fraction(1, 2))
        with pytest.raises(ZeroDivisionError):
            quotient("p", (1,), (-1, 0, 2))


def test_what_is_near_an_irrational_value_is_near_it_however_much_its_terms_cancel() -> None:
    """a - b p at sqrt(2), where a^2 - 2 b^2 = ±1, is ±1/(a + b p): about ±1/(2a)."""
    a, b = 1, 1
    for _ in range(150):
        a, b = a + 2 * b, a + b
    point = Root((-2, 0, 1), Fraction(1), Fraction(2))
    with Cell("p", point, point, point):
        small, expected = a - b * P, Fraction(a * a - 2 * b * b, 2 * a)
        assert abs(exact.near(small, 64) / expected - 1) < Fraction(1, 2**60)
        assert float(1 / small) == pytest.approx(float(1 / expected))
        assert exact.near(P * small / a - (a * P - 2 * b) / a, 64) == 0

"""Cells: signs at a sample, recorded, and roots that are only known by an interval."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.cell import AtRoot, Cell, Root, active, sign_at, variations

HALF = Root((-1, 0, 2), Fraction(1, 2), Fraction(1))  # the square root of 1/2
COEFFICIENTS = st.lists(st.integers(-9, 9), min_size=1, max_size=5).filter(lambda c: c[-1] != 0)


def value(polynomial: list[int], x: Fraction) -> Fraction:
    return sum((c * x**k for k, c in enumerate(polynomial)), Fraction(0))


@given(COEFFICIENTS, st.fractions(-3, 3, max_denominator=20))
def test_a_sign_at_a_rational_is_that_of_the_value(polynomial: list[int], x: Fraction) -> None:
    found = value(polynomial, x)
    assert sign_at(polynomial, x) == (found > 0) - (found < 0)


@given(st.lists(st.fractions(-2, 2, max_denominator=6), min_size=1, max_size=4))
def test_descartes_counts_at_least_the_roots_inside(roots: list[Fraction]) -> None:
    polynomial = [1]
    for root in roots:  # times (denominator·x − numerator)
        longer = [0, *(c * root.denominator for c in polynomial)]
        for k, c in enumerate(polynomial):
            longer[k] -= c * root.numerator
        polynomial = longer
    inside = sum(Fraction(-1, 3) < root < Fraction(5, 4) for root in roots)
    found = variations(polynomial, Fraction(-1, 3), Fraction(5, 4))
    assert found >= inside and (found - inside) % 2 == 0


def test_a_sign_is_recorded_once_as_a_primitive_polynomial() -> None:
    with Cell("p", Fraction(0), Fraction(1), Fraction(1, 3)) as cell:
        assert cell.sign((2, -4)) == 1  # 2 − 4p at 1/3
        assert cell.sign((-3, 6)) == -1
        assert cell.sign((5,)) == 1 and cell.sign(()) == 0 and cell.sign((-5,)) == -1
    assert cell.recorded == {(-1, 2): -1}


def test_an_open_cell_whose_sample_is_a_root_is_to_be_divided() -> None:
    with (
        Cell("p", Fraction(0), Fraction(1), Fraction(1, 2)) as cell,
        pytest.raises(AtRoot) as found,
    ):
        cell.sign((-1, 2))
    assert found.value.sample == Fraction(1, 2) and found.value.polynomial == (-1, 2)
    at = Fraction(1, 2)
    assert Cell("p", at, at, at).sign((-1, 2)) == 0


def test_the_innermost_cell_of_a_parameter_is_active() -> None:
    outer = Cell("p", Fraction(0), Fraction(1), Fraction(1, 3))
    inner = Cell("p", Fraction(0), Fraction(1), Fraction(2, 3))
    with outer, inner:
        assert active("p") is inner and active("q") is None
    assert active("p") is None


def test_signs_at_an_irrational_point() -> None:
    assert HALF.sign((-1, 0, 2)) == 0 and HALF.sign((0, 1, 0, -2)) == 0
    near = Fraction(70710678118654752440, 10**20)  # just below
    assert HALF.sign((-near.numerator, near.denominator)) == 1
    above = near + Fraction(1, 10**20)
    assert HALF.sign((-above.numerator, above.denominator)) == -1
    low, high = HALF.enclosed(Fraction(1, 10**6))
    assert 2 * low * low < 1 < 2 * high * high and high - low <= Fraction(1, 10**6)

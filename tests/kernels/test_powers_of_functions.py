"""Products of powers of functions above 1, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.base.cell import Cell, Root
from verifier.base.rational_function import parameter
from verifier.kernels.powers_of_functions import is_above_one
from verifier.kernels.roots import End, real_roots

P = parameter("p")
HALF, ONE = Fraction(1, 2), Fraction(1)


@pytest.mark.parametrize(
    ("function", "end"),
    [(2 * P, HALF), (2 / (3 - 2 * P), HALF), (P / (1 - P), HALF), (4 * P**2, HALF)],
)
def test_the_ends_are_near_those_of_the_interval(function: Fraction, end: Fraction) -> None:
    """A millionth power is above 1 from 1/2 on; nearly all of this is shown."""
    with Cell("p", Fraction(0), ONE, Fraction(3, 4)) as cell:
        assert is_above_one([(function, 10**6)], cell)
    ends = sorted(Fraction(-a, b) for a, b in cell.recorded)
    assert all(cell.sign(key) for key in cell.recorded)
    assert end < ends[0] < end + Fraction(1, 50)
    with Cell("p", Fraction(0), ONE, Fraction(1, 3)) as cell:
        assert not is_above_one([(function, 10**6)], cell) and not cell.recorded


def test_all_of_a_cell() -> None:
    """(9/5 - p)^1000 is above 1 on all of it, and no end is recorded."""
    with Cell("p", Fraction(0), Fraction(3, 4), HALF) as cell:
        assert is_above_one([(Fraction(9, 5) - P, 1000)], cell)
        assert not is_above_one([(ONE, 1000), (Fraction(9, 5) - P, 0)], cell)
    assert not cell.recorded


@pytest.mark.parametrize(("factor", "above"), [(71, True), (70, False)])
def test_at_an_irrational_point(factor: int, above: bool) -> None:
    """The root of 1/2 is above 50/71, and below 50/70."""
    root: End
    (root,) = real_roots((-1, 0, 2), Fraction(0), ONE)
    assert isinstance(root, Root)
    with Cell("p", root, root, root) as cell:
        assert is_above_one([(Fraction(factor, 50) * P, 10**6)], cell) == above

"""Laws on the grid of random numbers, against hand and a count of every number."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.base.errors import LimitReached, NotDecided
from verifier.lab.adapters.grid import GRID, law


def test_ends_between_numbers_of_the_grid() -> None:
    """1/3 of 2⁵³ is 3002399751580330 and a third: so many numbers and 0 are below."""
    found = law(lambda number: "low" if 3 * Fraction(number) < 1 else "high")
    assert found == {
        "low": Fraction(3002399751580331, GRID),
        "high": 1 - Fraction(3002399751580331, GRID),
    }


def test_an_end_at_the_first_and_the_last_number() -> None:
    assert law(lambda number: str(number == 0))["True"] == Fraction(1, GRID)
    assert law(lambda number: str(number == 1 - 2**-53))["True"] == Fraction(1, GRID)
    assert law(lambda number: "always") == {"always": 1}


def test_small_pieces_are_counted_as_one_by_one() -> None:
    """A step is at the square of each whole number, on the first ten thousand numbers."""

    def outcome(number: float) -> str:
        at = number * GRID
        return "rest" if at >= 10_000 else str(int(at**0.5))

    found = law(outcome)
    for root in range(100):
        assert found[str(root)] == Fraction(2 * root + 1, GRID)
    assert found["rest"] == 1 - Fraction(10_000, GRID)


def test_a_turn_lets_outcomes_come_back() -> None:
    def outcome(number: float) -> str:
        return "middle" if 0.25 <= number < 0.75 else "ends"

    assert law(outcome, [GRID // 2]) == {"ends": Fraction(1, 2), "middle": Fraction(1, 2)}


def test_what_comes_back_near_an_end_is_not_decided() -> None:
    """Bisection sees one end; the numbers around it show that it is not the only one."""

    def outcome(number: float) -> str:
        far = int(number * GRID) - GRID // 2
        return "even" if far < 0 or (far < 20 and far % 2) else "odd"

    with pytest.raises(NotDecided, match="alternate"):
        law(outcome)


def test_many_outcomes_are_a_limit() -> None:
    with pytest.raises(LimitReached, match="more than 10 outcomes"):
        law(lambda number: str(int(number * 11)), most=10)

"""Whether polynomials are positive above 0, against another way to count roots."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from tests.drawing import wider
from tests.one_parameter import nowhere_positive_above
from verifier.base.cell import Cell
from verifier.base.rational_function import parameter
from verifier.kernels.sturm import is_nowhere_positive, times

CASES = wider(100, 2000)


def drawn(random: Random) -> list[int]:
    """A product of some factors, each once or twice, with a sign."""
    found = [random.choice((1, -1, -1))]
    for _ in range(random.randint(0, 3)):
        factor = [random.randint(-3, 3) for _ in range(random.randint(1, 3))]
        for _ in range(random.randint(1, 2)):
            found = times(found, factor)
    return found


def test_drawn_polynomials() -> None:
    random = Random("sturm")
    cases = [drawn(random) for _ in range(CASES)]
    answers = [is_nowhere_positive(form) for form in cases]
    assert answers == list(map(nowhere_positive_above, cases))
    assert 0.2 < answers.count(True) / len(answers) < 0.8


@pytest.mark.parametrize(("sample", "holds"), [(Fraction(3, 2), True), (Fraction(5, 2), False)])
def test_signs_are_recorded(sample: Fraction, holds: bool) -> None:
    """−1 + p t − t² is positive somewhere exactly from p = 2 on, so p² − 4 decides."""
    p = parameter("p")
    with Cell("p", Fraction(1), Fraction(3), sample) as cell:
        assert is_nowhere_positive([Fraction(-1), p, Fraction(-1)]) == holds
    assert (-4, 0, 1) in cell.recorded


def test_squares_of_functions() -> None:
    """−(1 − p t)², and −(1 − p t)² (2 − t), which is positive from 2 on."""
    p = parameter("p")
    square = [-1 + 0 * p, 2 * p, -p * p]
    with Cell("p", Fraction(1), Fraction(3), Fraction(3, 2)):
        assert is_nowhere_positive(square)
        assert not is_nowhere_positive(times(square, [2, -1]))
        assert is_nowhere_positive(times(square, square)) is False
        assert is_nowhere_positive([0, *square]) and is_nowhere_positive([])

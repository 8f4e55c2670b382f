"""Weights given by equalities, on cases worked by hand."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from verifier.kernels import games, ties

A, B, C = F(2), F(3), F(5)
# the skew-symmetric game (0, ln 2, -ln 3), (-ln 2, 0, ln 5), (ln 3, -ln 5, 0): its value is 0, its
# weights are ln 5 : ln 3 : ln 2
SKEW = [[F(1), A, 1 / B], [1 / A, F(1), C], [B, 1 / C, F(1)]]


def test_weights_that_are_logarithms() -> None:
    two = [[F(2), F(1, 3)], [F(1, 4), F(9)]]  # ln 3 : ln 2
    assert games.weights(two) is None
    assert ties.tied(two) == ([0, 1], (0,))
    assert games.weights(SKEW) is None
    assert ties.tied(SKEW) == ([0, 1, 2], (0, 1))


@pytest.mark.parametrize(
    ("factors", "rows", "expected"),
    [
        (SKEW, (0, 1), True),
        (SKEW, (1, 2), True),
        (SKEW, (0, 0), False),  # no one solution
        ([*SKEW, [F(1), F(1), 1 - F(1, 10**30)]], (0, 1), False),
        ([*SKEW, [F(1), F(1), 1 + F(1, 10**30)]], (0, 1), True),
        ([[F(2), F(3)], [F(5), F(5)]], (0,), False),  # weights of both signs
        ([[F(1, 2), F(3)], [F(1, 5), F(5)]], (0,), False),  # ln 3 : ln 2, the second < 0
        # too close to 1 for the bits that are tried
        ([[F(2), F(1, 3)], [F(2), (1 + F(1, 10**3000)) / 3]], (0,), False),
    ],
)
def test_what_serves(factors: list[list[F]], rows: tuple[int, ...], expected: bool) -> None:
    assert ties.serves(factors, rows) == expected


def test_none_where_the_value_is_not_0_or_minors_are_long() -> None:
    assert ties.tied([[F(2), F(1, 3)], [F(1, 3), F(2)]]) is None
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79]
    many = [[F(primes[6 * i + j], primes[6 * j + i]) for j in range(4)] for i in range(4)]
    assert not ties.serves(many[:4], (0, 1, 2))

"""Signs of products of powers, by hand: with exact equality, and with digits of e."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verifier.checker.document import Refused, limited
from verifier.checker.powers import sign

E = 2718281828459045235360287471352662497757  # the first 40 digits, 10^39 times
UNIT = 10**39
HAIR = Fraction(1, 10**60)


@pytest.mark.parametrize(
    ("powers", "expected"),
    [
        ([], 0),
        ([("1", 5)], 0),
        ([("2", 0)], 0),
        ([("4", 1), ("2", -2)], 0),
        ([("6", 1), ("2", -1), ("3", -1)], 0),
        ([("1/6", 2), ("36", 1)], 0),
        ([("12", 5), ("18", 5), ("6", -15)], 0),
        ([("12", 5), ("18", 5), ("6", -14)], 1),
        ([("12", 5), ("18", 5), ("6", -16)], -1),
        ([("3", 2), ("2", -3)], 1),
        ([("2", 3), ("3", -2)], -1),
        ([("3", 12), ("2", -19)], 1),  # a fifth beyond seven octaves
        ([("3", 53), ("2", -84)], 1),
        ([("2", 84), ("3", -53)], -1),
        ([("1/2", 1)], -1),
        ([("1/2", -1)], 1),
    ],
)
def test_products_of_powers(powers: list[tuple[str, int]], expected: int) -> None:
    read = [(Fraction(r), k) for r, k in powers]
    assert sign(read) == expected
    assert sign([(1 / r, k) for r, k in read]) == -expected
    assert sign([*read, (1 + HAIR, 1)]) == (expected or 1)
    assert sign([*read, (1 + HAIR, -1)]) == (expected or -1)


@pytest.mark.parametrize("times", [1, 2, 7])
def test_powers_of_e(times: int) -> None:
    """E is too small by less than one."""
    below, above = Fraction(E, UNIT), Fraction(E + 1, UNIT)
    for minus in (Fraction(times), Fraction(-times)):
        way = 1 if minus > 0 else -1
        assert sign([(below, times * way)], minus) == -way
        assert sign([(above, times * way)], minus) == way
        assert sign([], minus) == -way
        assert sign([(Fraction(2), times * way)], minus) == -way  # ln 2 < 1
        assert sign([(Fraction(3), times * way)], minus) == way
        assert sign([(Fraction(3, 2), way), (Fraction(2), way)], minus / times) == way
    assert sign([(Fraction(2), 3)], Fraction(2)) == 1  # 2.0794
    assert sign([(Fraction(2), 3)], Fraction(21, 10)) == -1
    assert sign([(Fraction(1, 2), 3)], Fraction(-2)) == -1
    assert sign([(Fraction(1, 2), 3)], Fraction(-21, 10)) == 1


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are taken apart, and compared only where something is left, in so many steps."""
    power, root = Fraction(2**200), Fraction(2**100)
    assert sign([(power, 1), (root, -2)]) == 0
    monkeypatch.setattr("verifier.checker.document.MAX_STEPS", 560)  # of one logarithm
    with limited():
        assert sign([(power, 1), (root, -2)]) == 0
    with limited(), pytest.raises(Refused, match="steps"):
        sign([(power, 1), (root, -1)])

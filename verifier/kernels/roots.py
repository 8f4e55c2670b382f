"""Powers with rational exponents: exact comparison, exact roots, enclosures."""

from __future__ import annotations

from fractions import Fraction

PRECISION = 2**40  # steps per unit of an enclosure of a number >= 1


def exceeds(a: Fraction, d: Fraction, b: Fraction, e: Fraction) -> bool:
    """Whether a^(1/d) > b^(1/e), for a, b > 0 and d, e > 0.

    >>> exceeds(Fraction(9), Fraction(2), Fraction(3), Fraction(1))
    False
    """
    left, right = e.numerator * d.denominator, d.numerator * e.denominator
    return a**left > b**right


def level_of(ratio: Fraction, distance: Fraction) -> Fraction | tuple[Fraction, Fraction]:
    """ratio^(1/distance) for ratio >= 1: exact where rational, otherwise a (lower, upper)
    enclosure of relative width below 1e-9.

    >>> level_of(Fraction(9, 4), Fraction(2))
    Fraction(3, 2)
    """
    power, degree = ratio**distance.denominator, distance.numerator
    top, bottom = root(power.numerator, degree), root(power.denominator, degree)
    if top**degree == power.numerator and bottom**degree == power.denominator:
        return Fraction(top, bottom)
    scaled = power.numerator * PRECISION**degree // power.denominator
    steps = root(scaled, degree)
    return Fraction(steps, PRECISION), Fraction(steps + 1, PRECISION)


def root(value: int, degree: int) -> int:
    """The integer part of the degree-th root of value >= 0."""
    from flint import fmpz

    return int(fmpz(value).root(degree))

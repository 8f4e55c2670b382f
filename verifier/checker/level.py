"""Levels alpha or e^epsilon, and comparisons with their powers, always decided."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .reading import fields, need, number

ONE = Fraction(1)


@dataclass(frozen=True)
class Level:
    """alpha, or epsilon where alpha = e^epsilon; and delta."""

    alpha: Fraction | None
    epsilon: Any
    delta: Fraction

    def allows(self, p: Fraction, q: Fraction, distance: Fraction = ONE) -> bool:
        """p <= alpha^distance q, by j-th and k-th powers where the distance is j/k."""
        if self.alpha is None:
            return p <= q or (q > 0 and at_most_exp(p / q, self.epsilon * distance))
        (a, b), (j, k) = self.alpha.as_integer_ratio(), distance.as_integer_ratio()
        left, right = p.numerator * q.denominator, q.numerator * p.denominator
        return bool(left**k * b**j <= right**k * a**j)


def read_level(level: Any) -> Level:
    """The level of a claim, with epsilon >= 0 and 0 <= delta <= 1."""
    key = "epsilon" if "epsilon" in level else "exp_epsilon"
    fields(level, f"{key} delta")
    value, delta = number(level[key]), number(level["delta"])
    need(value >= (key == "exp_epsilon") and 0 <= delta <= 1, "a level out of range")
    return Level(None, value, delta) if key == "epsilon" else Level(value, None, delta)


def at_most_exp(ratio: Fraction, x: Fraction) -> bool:
    """ratio <= e^x, x >= 0. Equality needs x = 0 (Lindemann), so refining bounds ends.

    low <= 2^bits e^x <= high: terms are rounded down and up; the series stops at a term k >= 2x
    that rounds down to 0, and the later ones, which at least halve, add up to at most that term.
    """
    if ratio <= 1 or x >= ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1:
        return True  # because e > 2
    (n, d), bits = x.as_integer_ratio(), 64
    while n:
        low = high = down = up = 1 << bits
        k = 0
        while down or k * d < 2 * n:
            k += 1
            down, up = down * n // (d * k), -(-up * n // (d * k))
            low, high = low + down, high + up
        scaled = ratio.numerator << bits
        if scaled <= low * ratio.denominator:
            return True
        if scaled >= (high + up) * ratio.denominator:
            return False
        bits *= 2
    return False

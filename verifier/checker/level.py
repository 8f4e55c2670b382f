"""Levels alpha or e^epsilon, and comparisons with their powers, always decided."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .reading import Refused, fields, number

ONE = Fraction(1)


@lru_cache(maxsize=16)
def _power(base: int, exponent: int) -> int:
    power: int = base**exponent
    return power


@dataclass(frozen=True)
class Level:
    """A level: alpha, or epsilon where alpha = e^epsilon; and delta."""

    alpha: Fraction | None
    epsilon: Fraction | None
    delta: Fraction

    def allows(self, p: Fraction, q: Fraction, distance: Fraction) -> bool:
        """p <= alpha^distance q, decided by j-th and k-th powers where the distance is j/k."""
        if self.epsilon is not None:
            return p <= q or (q > 0 and is_at_most_exp(Fraction(p, q), self.epsilon * distance))
        assert self.alpha is not None
        j, k = distance.numerator, distance.denominator
        left = (p.numerator * q.denominator) ** k * _power(self.alpha.denominator, j)
        right = (q.numerator * p.denominator) ** k * _power(self.alpha.numerator, j)
        return bool(left <= right)


def read_level(level: Any) -> Level:
    """The level of a claim, with epsilon >= 0 and 0 <= delta <= 1."""
    key = "epsilon" if type(level) is dict and "epsilon" in level else "exp_epsilon"
    fields(level, "the level", (key, "delta"))
    value, delta = number(level[key], "the level"), number(level["delta"], "delta")
    if value < (1 if key == "exp_epsilon" else 0) or not 0 <= delta <= 1:
        raise Refused("a level has epsilon at least 0, and delta from 0 to 1")
    return Level(None, value, delta) if key == "epsilon" else Level(value, None, delta)


def is_at_most_exp(ratio: Fraction, exponent: Fraction) -> bool:
    """ratio <= e^exponent, for an exponent >= 0; always decided.

    Equality needs exponent = 0 (Lindemann: e^x is transcendental for rational x other than 0), so
    refining the enclosure ends. Exponents beyond log2(ratio) need none, because e > 2.
    """
    above_log2 = ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1
    if ratio <= 1 or exponent >= above_log2:
        return True
    if exponent == 0:
        return False
    bits = 64
    while True:
        low, high = exp_bounds(exponent, bits)
        scaled = ratio.numerator << bits
        if scaled <= low * ratio.denominator:
            return True
        if scaled >= high * ratio.denominator:
            return False
        bits *= 2


def exp_bounds(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Integers with low <= 2^bits e^exponent <= high, for an exponent >= 0.

    Terms are rounded down in `low`, up in `high`. The series stops at a term k >= 2 exponent that
    rounds down to 0: later terms at least halve, so together they are at most that term.
    """
    n, d = exponent.as_integer_ratio()
    low = high = down = up = 1 << bits
    k = 0
    while down or k * d < 2 * n:
        k += 1
        down = down * n // (d * k)
        up = -(-up * n // (d * k))
        low, high = low + down, high + up
    return low, high + up

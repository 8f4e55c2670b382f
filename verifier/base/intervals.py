"""Rigorous enclosures of e^q and of what is made of it, in integers.

An interval (low, high, power) stands for all x with low · 2^power <= x <= high · 2^power. Every
operation rounds its ends outwards, to about as many binary digits as it is asked for.

By hand: e = 1 + 1 + 1/2 + 1/6 + … lies in (2, 3, 0), and in (173, 174, −6), as e · 64 = 173.97….
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

Interval = tuple[int, int, int]


@lru_cache(maxsize=2**14)
def exponential(top: int, bottom: int, bits: int) -> Interval:
    """An interval around e^(`top`/`bottom`), `bottom` > 0.

    The series is used where the exponent is below 1/256, squaring leads there.

    >>> exponential(1, 1, 8)[:2]
    (173, 174)
    """
    if top < 0:
        return divide((1, 1, 0), exponential(-top, bottom, bits + 2), bits)
    halvings = max(0, (top // bottom).bit_length() + 8)
    wide = bits + 2 * halvings + 8
    term, low, count = 1 << wide, 0, 0
    while term:
        low += term
        count += 1
        term = term * top // ((bottom << halvings) * count)
    # each floor lost less than 2, as the terms fall; what is left out is less than 4
    found = (low, low + 2 * count + 4, -wide)
    for _ in range(halvings):
        found = multiply(found, found, wide)
    return trim(found, bits)


def trim(x: Interval, bits: int) -> Interval:
    """The interval `x` with ends of at most so many binary digits, or one more."""
    low, high, power = x
    spare = max(abs(low), abs(high)).bit_length() - bits
    if spare <= 0:
        return x
    return low >> spare, -(-high >> spare), power + spare


def multiply(x: Interval, y: Interval, bits: int) -> Interval:
    """All products of two numbers, the second of them not negative."""
    low = x[0] * (y[0] if x[0] >= 0 else y[1])
    high = x[1] * (y[1] if x[1] >= 0 else y[0])
    return trim((low, high, x[2] + y[2]), bits)


def divide(x: Interval, y: Interval, bits: int) -> Interval:
    """All quotients of two numbers, the second of them positive."""
    shift = max(0, bits + y[1].bit_length())
    low = (x[0] << shift) // (y[1] if x[0] >= 0 else y[0])
    high = -((-x[1] << shift) // (y[0] if x[1] >= 0 else y[1]))
    return trim((low, high, x[2] - y[2] - shift), bits)


def combine(terms: Iterable[tuple[int, Interval]], bits: int) -> Interval:
    """The sums Σ c·x of one number x out of each interval, for integers c."""
    scaled = [(c * x[c < 0], c * x[c >= 0], x[2]) for c, x in terms]
    power = max(p + max(abs(low), abs(high)).bit_length() for low, high, p in scaled) - bits - 4
    low = high = 0
    for least, most, own in scaled:
        shift = own - power
        low += least << shift if shift >= 0 else least >> -shift
        high += most << shift if shift >= 0 else -(-most >> -shift)
    return low, high, power


def ends(x: Interval) -> tuple[Fraction, Fraction]:
    """Both ends of an interval."""
    low, high, power = x
    if power >= 0:
        return Fraction(low << power), Fraction(high << power)
    return Fraction(low, 1 << -power), Fraction(high, 1 << -power)


def ends_of_ball(ball: Any) -> tuple[Fraction, Fraction]:
    """Both ends of a ball of FLINT, exactly.

    Its own `lower` and `upper` are rounded to the precision of the moment, 53 digits by default.
    """
    middle, radius = (_exact(part) for part in (ball.mid(), ball.rad()))
    return middle - radius, middle + radius


def _exact(point: Any) -> Fraction:
    mantissa, power = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(power)


def is_close(x: Interval, bits: int) -> bool:
    """Whether an interval without 0 has so small a relative width as 2^-`bits`."""
    low, high, _ = x
    return (low > 0 or high < 0) and (high - low) << bits <= min(abs(low), abs(high))

"""Exact signs of sums of logarithms of rationals.

Σ k_i ln r_i is 0 exactly where Π r_i^k_i = 1, which a coprime base of all numerators and
denominators shows; otherwise rigorous enclosures, refined until they exclude 0, show the sign.

By hand: 2 ln 6 − ln 4 − ln 9 = 0, because 6² = 4 · 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd

from verifier.base.intervals import ends_of_ball

BITS = 64  # of the first enclosure


def sign(powers: Iterable[tuple[int, Fraction]], exponent: Fraction | int = 0) -> int:
    """The sign (-1, 0, 1) of Σ k ln(r) + `exponent` over the (k, r) of `powers`, r > 0.

    With a rational exponent other than 0 the sum is never 0 (Lindemann).

    >>> sign([(2, Fraction(3)), (-1, Fraction(9))]), sign([(1, Fraction(2))], Fraction(-7, 10))
    (0, -1)
    """
    terms = [(k, r) for k, r in powers if k and r != 1]
    if not terms:
        return (exponent > 0) - (exponent < 0)
    bits, slack = BITS, sum(abs(k) for k, _ in terms) + 1
    while True:
        total = sum(k * scaled(r, bits) for k, r in terms) + int(exponent * 2**bits)
        if abs(total) > slack:
            return 1 if total > 0 else -1
        if bits == BITS and not exponent and _is_one(terms):
            return 0
        bits *= 2


@lru_cache(maxsize=2**16)
def scaled(value: Fraction, bits: int) -> int:
    """An integer that differs from 2^bits · ln(value), value > 0, by at most 1."""
    from flint import arb, ctx, fmpq

    before, extra = ctx.prec, 64
    try:
        while True:
            ctx.prec = bits + extra
            ball = arb(fmpq(value.numerator, value.denominator)).log() * arb(2) ** bits
            whole = ball.mid().floor().unique_fmpz()
            if whole is not None and abs(ball - whole) <= 1:
                return int(whole)
            extra *= 2
    finally:
        ctx.prec = before


def bounds(value: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of ln(value), value > 0, to so many binary digits after the point."""
    near = scaled(value, bits)
    return Fraction(near - 1, 1 << bits), Fraction(near + 1, 1 << bits)


def exponential(low: int, high: int, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals below e^(low / 2^bits) and above e^(high / 2^bits), close to them."""
    from flint import arb, ctx, fmpq

    before = ctx.prec
    try:
        ctx.prec = bits + 64 + max(abs(low), abs(high), 1).bit_length()
        ends = [arb(fmpq(end, 2**bits)).exp() for end in (low, high)]
        return ends_of_ball(ends[0])[0], ends_of_ball(ends[1])[1]
    finally:
        ctx.prec = before


def _is_one(terms: Sequence[tuple[int, Fraction]]) -> bool:
    """Whether Π r^k = 1."""
    base = coprime_base(part for _, r in terms for part in r.as_integer_ratio())
    totals = [0] * len(base)
    for k, r in terms:
        totals = [t + k * e for t, e in zip(totals, exponents(r, base), strict=True)]
    return not any(totals)


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Integers > 1, coprime in pairs, of which all the positive integers `numbers` are products.

    >>> coprime_base([12, 18])
    [2, 3]
    """
    base: list[int] = []
    todo = [number for number in set(numbers) if number > 1]
    while todo:
        number = todo.pop()
        for at, known in enumerate(base):
            common = gcd(number, known)
            if common > 1:
                if known != number:
                    del base[at]
                    parts = common, number // common, known // common
                    todo += [part for part in parts if part > 1]
                break
        else:
            base.append(number)
    return sorted(base)


def exponents(value: Fraction, base: Sequence[int]) -> list[int]:
    """value > 0 as a product of powers of a coprime base of its numerator and denominator.

    >>> exponents(Fraction(8, 9), [2, 3])
    [3, -2]
    """
    found = []
    top, bottom = value.as_integer_ratio()
    for factor in base:
        power = 0
        while top % factor == 0:
            top, power = top // factor, power + 1
        while bottom % factor == 0:
            bottom, power = bottom // factor, power - 1
        found.append(power)
    return found

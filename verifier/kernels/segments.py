"""Pufferfish over the mixtures of two priors: one quadratic, decided exactly.

A prior enters through (A, B, C, D) = (P(s, o), P(s), P(t, o), P(t)), scaled as one likes; mixing
priors adds them. (With δ, o is an event, and A is P(s, o) − δ P(s), which may be negative.) The
condition A·D <= α·C·B at a mixture u·p + v·q of two priors is

    F_p u² + 2 G u v + F_q v² <= 0,   F_p = n − α d of form(p, p), G likewise of form(p, q).

It holds for all u, v >= 0 iff F_p <= 0, F_q <= 0 and (G <= 0 or G² <= F_p F_q).

Two are enough. Scale mixtures of any number of priors so that B + D = 1; then (B, A, C) ranges
over a polytope whose corners are priors. Where B is fixed, A·D − α·C·B is linear, so it is
largest at a corner of that slice, on an edge of the polytope: at a mixture of two priors, with
the same B. Where it is positive or A > 0, the mixture has B > 0, and D > 0 likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

Ends = Sequence[int]  # A, B, C, D
Weights = tuple[int, int]


@dataclass(frozen=True)
class Root:
    """The irrational number 1 / (rational + √square) > 1; equal numbers have equal fields."""

    rational: Fraction
    square: Fraction

    def bounds(self, bits: int) -> tuple[Fraction, Fraction]:
        """An enclosure, in multiples of 2^-bits, of relative width below 2^(2 - bits)."""
        unit = 1 << bits
        relative = self.square / self.rational**2
        steps = isqrt((relative.numerator << 2 * bits) // relative.denominator)
        low, high = (unit / (self.rational * (1 + Fraction(s, unit))) for s in (steps + 1, steps))
        return max(Fraction(1), Fraction(int(low), unit)), Fraction(int(high) + 1, unit)


Smallest = Fraction | Root | None  # None is infinite


def form(p: Ends, q: Ends) -> tuple[int, int]:
    """The coefficients (n, d) of u·v in A·D and C·B at u·p + v·q; at p = q twice those of u²."""
    return p[0] * q[3] + q[0] * p[3], p[2] * q[1] + q[2] * p[1]


def signed(p: Ends, q: Ends, alpha: Fraction) -> tuple[int, int, int]:
    """F_p, F_q and G at alpha, times twice its denominator."""
    a, b = alpha.as_integer_ratio()
    forms = form(p, p), form(q, q), form(p, q)
    f_p, f_q, g = (n * b - d * a for n, d in forms)
    return f_p, f_q, g


def holds(p: Ends, q: Ends, alpha: Fraction) -> bool:
    """Whether the condition holds at alpha for all mixtures of p and q."""
    f_p, f_q, g = signed(p, q, alpha)
    return f_p <= 0 and f_q <= 0 and (g <= 0 or g * g <= f_p * f_q)


def smallest(p: Ends, q: Ends) -> Smallest:
    """The smallest alpha >= 1 at which the condition holds for all mixtures of p and q.

    If not already where the given priors hold, it is the smaller root of G² − F_p F_q =
    y α² − 2 e α + x, that is x / (e + √(e² − x y)); y is a square, so the parabola opens upwards.

    >>> smallest((81, 90, 9, 10), (1, 10, 9, 90))
    Fraction(49, 9)
    """
    (n_p, d_p), (n_q, d_q), (n, d) = form(p, p), form(q, q), form(p, q)
    if n_p > 0 == d_p or n_q > 0 == d_q or n > 0 == d:
        return None
    given = max([Fraction(1), *(Fraction(a, b) for a, b in ((n_p, d_p), (n_q, d_q)) if b)])
    if holds(p, q, given):
        return given
    x, y = n * n - n_p * n_q, d * d - d_p * d_q
    e = Fraction(2 * n * d - n_p * d_q - n_q * d_p, 2 * x)
    square = e * e - Fraction(y, x)
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return 1 / (e + Fraction(top, bottom))
    return Root(e, square)


def bounds(level: Fraction | Root, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around a level, equal to it where it is rational."""
    return level.bounds(bits) if isinstance(level, Root) else (level, level)


def attaining(p: Ends, q: Ends, alpha: Fraction | None) -> Weights | None:
    """Weights of a mixture of both with the ratio alpha (None: infinite), which is the smallest
    level of all mixtures; None where no such mixture has it. For p = q, the prior itself."""
    n, d = form(p, q)
    if alpha is None:
        (n_p, d_p), (n_q, d_q) = form(p, p), form(q, q)
        if not n > 0 == d == d_p == d_q:
            return None
        return (1, 1) if n_p + 2 * n + n_q > 0 else exceeding(p, q, Fraction(1))
    f_p, f_q, g = signed(p, q, alpha)
    if f_p == f_q == g == 0 < d:
        return 1, 1
    return (g, -f_p) if g > 0 and g * g == f_p * f_q else None


def exceeding(p: Ends, q: Ends, alpha: Fraction) -> Weights:
    """Small weights of a mixture whose ratio is above alpha, where the condition fails."""
    f_p, f_q, g = signed(p, q, alpha)
    if f_p > 0 or f_q > 0:
        return (1, 0) if f_p > 0 else (0, 1)
    if f_p == 0:
        return -f_q // (2 * g) + 1, 1
    best = Fraction(g, g - f_p)  # the share of p where F_p u² + 2 G u v + F_q v² is largest
    size = 1
    while True:
        share = best.limit_denominator(size)
        u, v = share.numerator, share.denominator - share.numerator
        if f_p * u * u + 2 * g * u * v + f_q * v * v > 0:
            return u, v
        size *= 2

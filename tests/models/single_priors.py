"""Algorithm 1 of the Pufferfish paper, Section 7, and what it tells under one prior."""

from collections.abc import Hashable
from math import comb

from tests.models.by_definition import (
    F,
    Fraction,
    Row,
    geometric,
    smallest_level,
)


def algorithm_1(n: int, rho: Fraction, k_lo: int, k_hi: int) -> dict[int, Row]:
    """Count -> distribution of ('noisy', r) or ('true', k); the left-over mass is derived."""
    rows = {}
    for k in range(n + 1):
        row: dict[Hashable, Fraction] = {
            ("noisy", r): p for r, p in geometric(k, rho, 0, n).items()
        }
        if k_lo <= k <= k_hi:
            for r in range(k_lo, k_hi + 1):
                bend = min(abs(r - k_lo) + abs(k_lo - k), abs(r - k_hi) + abs(k_hi - k))
                row["noisy", r] = (1 - rho) / (1 + rho) * rho ** (2 + bend)
            row["true", k] = 1 - sum(row.values())
        rows[k] = row
    return rows


def mixed(rows: dict[int, Row], weights: dict[int, Fraction]) -> Row:
    out: dict[Hashable, Fraction] = {}
    for k, x in weights.items():
        for o, p in rows[k].items():
            out[o] = out.get(o, F(0)) + x * p
    return out


def binomial(n: int, q: Fraction, shift: int = 0) -> dict[int, Fraction]:
    return {k + shift: comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)}


def both(p: Row, q: Row) -> Fraction | float:
    return max(smallest_level(p, q), smallest_level(q, p))


def single_prior_levels(
    n: int, q: Fraction, rho: Fraction, k_lo: int, k_hi: int
) -> tuple[Fraction | float, Fraction | float]:
    """Leakage between the two values, and between a value and "not in the data"."""
    rows = algorithm_1(n, rho, k_lo, k_hi)
    one, zero = mixed(rows, binomial(n - 1, q, 1)), mixed(rows, binomial(n - 1, q))
    absent = mixed(rows, binomial(n, q))
    return both(one, zero), max(both(one, absent), both(zero, absent))

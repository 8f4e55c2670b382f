"""Products of powers: rational weights x >= 0 of sum 1 with Π_j r_ij^x_j >= 1 in every row i.

In logarithms this is a matrix game with irrational entries. Exact linear programs with rounded
logarithms guide; a row that every solution meets with equality is replaced by exact equations
between exponents over a coprime base; exact signs decide.

By hand: for the rows (2, 1/2) and (1/2, 2), x = (1/2, 1/2) gives √2 · √(1/2) = 1 in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from verifier.kernels.logarithms import coprime_base, exponents, scaled, sign

if TYPE_CHECKING:
    from verifier.lp.model.program import Outcome

Factors = Sequence[Sequence[Fraction]]  # rows of r_ij > 0, all of one length
COARSE = 40  # bits of the first logarithms
DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 256, 1024, 2**15, 2**20, 2**30)


def precision(factors: Factors) -> int:
    """Bits of logarithms of the `factors` with which exact equality of small products shows."""
    longest = max((length(r) for row in factors for r in row), default=1)
    return 128 + 4 * longest


def weights(factors: Factors) -> list[Fraction] | None:
    """Rational weights for the `factors` as above, simple ones if possible; or None: there are
    none, or only irrational ones, or they need more than `precision` bits."""
    for bits in (COARSE, precision(factors)):
        logs = logarithms(factors, bits)
        found = optimum(logs, [])
        assert found is not None
        point, least, _ = found
        if least > 2:  # every logarithm is off by at most 1, and the weights sum to 1
            return _simple(factors, point) or point
        if least < -2:
            return None
        simple = _simple(factors, point)
        if simple is not None:
            return simple
    return _with_ties(factors, logs)


def game_value(factors: Factors, bits: int) -> tuple[int, list[Fraction]]:
    """The maximum over x of the smallest Σ_j x_j ln r_ij for r = `factors`, times 2^`bits`, and
    such x."""
    found = optimum(logarithms(factors, bits), [])
    assert found is not None
    return int(found[1].__floor__()), found[0]


def serves(factors: Factors, point: Sequence[Fraction]) -> bool:
    """Whether Π_j r_ij^x_j >= 1 in every row of r = `factors` at x = `point`, exactly."""
    unit = lcm(*(x.denominator for x in point))
    powers = [(at, int(x * unit)) for at, x in enumerate(point) if x]
    return all(sign([(k, row[at]) for at, k in powers]) >= 0 for row in factors)


def _with_ties(factors: Factors, logs: list[list[int]]) -> list[Fraction] | None:
    """Weights where some rows are met with equality only, found one after the other."""
    ties: set[int] = set()
    while True:
        equations = [e for row in sorted(ties) for e in _equations(factors[row])]
        rest = [row for at, row in enumerate(logs) if at not in ties]
        found = optimum(rest, equations)
        if found is None:
            return None
        point, least, multipliers = found
        simple = _simple(factors, point)
        if simple is not None:
            return simple
        if least > 2 or not rest:
            return point if serves(factors, point) else None
        if least < -2:
            return None
        places = [at for at in range(len(logs)) if at not in ties]
        limit = Fraction(1, 8 * len(logs))
        ties |= {at for at, y in zip(places, multipliers, strict=True) if y > limit}


def _equations(row: Sequence[Fraction]) -> list[list[int]]:
    """Integer equations Σ_j e_j x_j = 0 that say Π_j r_j^x_j = 1 for rational x."""
    base = coprime_base(part for r in row for part in r.as_integer_ratio())
    return [list(e) for e in zip(*(exponents(r, base) for r in row), strict=True)]


def optimum(
    logs: list[list[int]], equations: list[list[int]]
) -> tuple[list[Fraction], Fraction, list[Fraction]] | None:
    """Weights x for which the smallest Σ_j x_j logs_ij is largest, that number, and multipliers of
    the rows (>= 0, of sum 1); None where the equations have no solution."""
    from verifier.lp.model.program import Optimal

    width = len(logs[0]) if logs else len(equations[0])
    outcome = _solved(logs, equations, width)
    if not isinstance(outcome, Optimal):
        return None
    point = outcome.point.dense(width)
    multipliers = [-outcome.multipliers.fraction(row) for row in range(len(logs))]
    return point, outcome.value, multipliers


def _solved(logs: list[list[int]], equations: list[list[int]], width: int) -> Outcome:
    """maximise t subject to logs · x - t >= 0, equations · x = 0, Σ x = 1, x >= 0; without logs
    any such x."""
    import numpy as np

    from verifier.lp.model.integers import IntegerMatrix
    from verifier.lp.model.program import Program
    from verifier.lp.solve import solve

    rows = [[*row, -1] for row in logs] + [[*row, 0] for row in equations] + [[1] * width + [0]]
    starts, places, entries = [0], list[int](), list[int]()
    for row in rows:
        listed = [at for at, entry in enumerate(row) if entry]
        places += listed
        entries += [row[at] for at in listed]
        starts.append(len(places))
    height = len(rows)
    return solve(
        Program(
            IntegerMatrix((height, width + 1), starts, places, entries),
            np.array([1] * len(logs) + [0] * (height - len(logs)), dtype=np.int8),
            [0] * (height - 1) + [1],
            [0] * width + [1 if logs else 0],
            lower=[Fraction(0)] * width + [None if logs else Fraction(0)],
        )
    )


def _simple(factors: Factors, point: Sequence[Fraction]) -> list[Fraction] | None:
    """Weights near a point with a small denominator, if such serve."""
    tried: set[tuple[Fraction, ...]] = set()
    for denominator in DENOMINATORS:
        near = rounded(point, denominator)
        if near not in tried and serves(factors, near):
            return list(near)
        tried.add(near)
    return None


def rounded(point: Sequence[Fraction], denominator: int) -> tuple[Fraction, ...]:
    """Weights of sum 1 with this denominator near those of a point (largest remainders)."""
    parts = [(x * denominator).__floor__() for x in point]
    order = sorted(range(len(point)), key=lambda at: parts[at] - point[at] * denominator)
    for at in order[: denominator - sum(parts)]:
        parts[at] += 1
    return tuple(Fraction(part, denominator) for part in parts)


def logarithms(factors: Factors, bits: int) -> list[list[int]]:
    """The logarithms of the factors, nearly, times 2**bits."""
    return [[scaled(r, bits) for r in row] for row in factors]


def length(r: Fraction) -> int:
    """Bits of numerator and denominator of `r`."""
    return r.numerator.bit_length() + r.denominator.bit_length()

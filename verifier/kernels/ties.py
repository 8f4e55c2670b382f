"""Weights that are no rationals, given by the equalities that they meet.

Let rows of numbers r_ij > 0 be given, and look for weights x > 0 with Π_j r_ij^x_j >= 1 in every
row i. If k columns have one solution of k − 1 equalities, x is proportional to the minors of these
logarithms. Minors are polynomials in the logarithms of coprime integers. One of which no term is
left is 0; the sign of another one shows in enclosures, or it stays open.

By hand: for the rows (2, 1/3) and (1/4, 9) the weights are ln 3 and ln 2, divided by ln 6, since
ln 2 · ln 3 − ln 3 · ln 2 is 0, and ln(1/4) · ln 3 + ln 9 · ln 2 is 0 too.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, islice
from math import prod

from verifier.base.polynomial import Polynomial, add, multiply
from verifier.kernels.games import Factors, logarithms, optimum, precision
from verifier.kernels.logarithms import coprime_base, exponents, scaled

MOST_TRIED = 20  # choices of equalities
MOST_TERMS = 10**5  # of a minor
MOST_BITS = 2**12  # of enclosures


def tied(factors: Factors) -> tuple[list[int], tuple[int, ...]] | None:
    """Columns and rows of the `factors`: weights of these columns that meet these rows with
    equality serve. None where none are found."""
    bits = precision(factors)
    logs = logarithms(factors, bits)
    found = optimum(logs, [])
    if found is None or abs(found[1]) > 2:
        return None
    point = found[0]
    columns = [at for at, x in enumerate(point) if x * 2 ** (bits // 4) > 1]
    slack = [sum(row[at] * point[at] for at in columns) for row in logs]
    near = [at for at, size in enumerate(slack) if abs(size) < 2 ** (bits // 2)]
    part = [[row[at] for at in columns] for row in factors]
    tries = islice(combinations(near, len(columns) - 1), MOST_TRIED)
    rows = next((rows for rows in tries if serves(part, rows)), None)
    return None if rows is None else (columns, rows)


def serves(factors: Factors, rows: Sequence[int]) -> bool:
    """Whether weights > 0 of all columns of the `factors` that meet some `rows` with equality, one
    less than columns, exist and serve in every row; False too where that stays open."""
    base = coprime_base(part for row in factors for r in row for part in r.as_integer_ratio())
    if len(base) ** len(factors[0]) > MOST_TERMS:
        return False
    forms = [[_form(exponents(r, base)) for r in row] for row in factors]
    weights = _kernel([forms[row] for row in rows], len(base))
    signs = {_sign(weight, base) for weight in weights}
    if signs not in ({1}, {-1}):
        return False
    (side,) = signs
    sums = (_sum(zip(weights, row, strict=True)) for row in forms)
    return all(_sign(total, base) in (0, side) for total in sums)


def _form(powers: Sequence[int]) -> Polynomial:
    """Σ e_k x_k for the exponents e; x_k stands for the logarithm of the k-th number of a base."""
    size = range(len(powers))
    return {tuple(int(at == k) for at in size): e for k, e in enumerate(powers) if e}


def _sum(products: zip[tuple[Polynomial, Polynomial]]) -> Polynomial:
    total: Polynomial = {}
    for p, q in products:
        total = add(total, multiply(p, q))
    return total


def _kernel(rows: Sequence[Sequence[Polynomial]], count: int) -> list[Polynomial]:
    """The minors of k − 1 rows of k columns without each column in turn, with alternating signs:
    up to one sign for all of them. By Laplace's expansion, row after row."""
    columns = range(len(rows) + 1)
    minors: dict[tuple[int, ...], Polynomial] = {(): {(0,) * count: 1}}
    for size, row in enumerate(rows, 1):
        wider: dict[tuple[int, ...], Polynomial] = {}
        for chosen in combinations(columns, size):
            wider[chosen] = {}
            for at, column in enumerate(chosen):
                rest = minors[chosen[:at] + chosen[at + 1 :]]
                wider[chosen] = add(wider[chosen], multiply(rest, row[column]), (-1) ** at)
        minors = wider
    without = [minors[tuple(c for c in columns if c != column)] for column in columns]
    return [add({}, minor, (-1) ** at) for at, minor in enumerate(without)]


def _sign(p: Polynomial, base: Sequence[int]) -> int | None:
    """The sign of a polynomial at the logarithms of a base, None where enclosures leave it open."""
    bits = 64
    while p and bits <= MOST_BITS:
        logs = [scaled(Fraction(b), bits) for b in base]
        low = high = 0
        for powers, c in p.items():
            ends = [
                c * prod((x + up) ** e for x, e in zip(logs, powers, strict=True)) for up in (-1, 1)
            ]
            low, high = low + min(ends), high + max(ends)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        bits *= 2
    return None if p else 0

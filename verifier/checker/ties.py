"""Weights that are no rationals, given by equalities: signs of determinants of logarithms.

Determinants are polynomials in the logarithms of pairwise coprime integers above 1. One without
terms is 0; what is not 0 shows in bounds of growing precision, and what does not show soon is an
ArithmeticError, which `check` refuses.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod

from .cuts import Polynomial, multiply, summed
from .document import spend
from .powers import coprime, divided, logarithm, settled

MOST_BITS = 2**13  # of logarithms


def serve(rows: Sequence[Sequence[Fraction]], tied: Sequence[int]) -> bool:
    """Whether there are weights x > 0 of the columns, unique up to a factor, with prod_j r_ij^x_j =
    1 in the `tied` of the `rows`, one less than columns; and with at least 1 in every row."""
    base = list(coprime({n: 1 for row in rows for r in row for n in r.as_integer_ratio()}))
    spend(10 * len(rows) * (len(tied) + 1) * len(base))
    forms = [[_form(r, base) for r in row] for row in rows]
    weights = list(_kernel([forms[i] for i in tied], len(base)))
    signs = {_sign(weight, base) for weight in weights}
    if signs not in ({1}, {-1}):
        return False
    (side,) = signs
    for row in forms:
        total = summed((multiply(p, q), side) for p, q in zip(weights, row, strict=True) if q)
        if _sign(total, base) < 0:
            return False
    return True


def _form(r: Fraction, base: Sequence[int]) -> Polynomial:
    """ln r = sum e_k ln b_k, as a polynomial in the ln b_k."""
    powers = [divided(r.numerator, b)[0] - divided(r.denominator, b)[0] for b in base]
    return {tuple(int(i == k) for i in range(len(base))): e for k, e in enumerate(powers) if e}


def _kernel(rows: Sequence[Sequence[Polynomial]], count: int) -> Iterator[Polynomial]:
    """The minors of `rows` that have a column more than there are rows, without each column, with
    alternating signs: up to a sign of all, what every row is orthogonal to."""
    columns = range(len(rows) + 1)
    minors: dict[tuple[int, ...], Polynomial] = {(): {(0,) * count: 1}}
    for size, row in enumerate(rows, 1):
        wider = {}
        for chosen in combinations(columns, size):
            parts = [(minors[chosen[:k] + chosen[k + 1 :]], row[i]) for k, i in enumerate(chosen)]
            spend(20 * len(parts))
            signed = (((-1) ** k, p, q) for k, (p, q) in enumerate(parts) if p and q)
            wider[chosen] = summed((multiply(p, q), sign) for sign, p, q in signed)
        minors = wider
    for i in columns:
        yield summed([(minors[tuple(k for k in columns if k != i)], (-1) ** i)])


def _sign(p: Polynomial, base: Sequence[int]) -> int:
    """The sign of a polynomial at the logarithms of a base."""
    terms = [(m, c) for m, c in p.items() if c]

    def bounds(bits: int) -> tuple[int, int]:
        spend(len(terms) * bits)
        logs = [logarithm(Fraction(b), bits) for b in base]
        low = high = 0
        for powers, c in terms:
            ends = [c * prod(map(pow, side, powers)) for side in zip(*logs, strict=True)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    return settled(bounds, MOST_BITS) if terms else 0

"""The NfC conditions by brute force: all supports of a class, and matrix games by all kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, product

Matrix = Sequence[Sequence[Fraction]]  # rows: outputs
DIGITS = 220
TINY = Decimal(10) ** -100  # closer numbers are taken to be equal
INFINITE = Decimal("Infinity")


def order(left: Decimal, right: Decimal) -> int:
    """-1, 0 or 1: 0 where both are taken to be equal."""
    with localcontext(prec=DIGITS):
        gap = left - right
        return 0 if abs(gap) < TINY else (1 if gap > 0 else -1)


@cache
def ln(value: Fraction) -> Decimal:
    with localcontext(prec=DIGITS):
        return Decimal(value.numerator).ln() - Decimal(value.denominator).ln()


def log_level(rows: Matrix, world: int, others: Sequence[int]) -> Decimal:
    """min over β on the others of max_o log(M[o, D] / Π M[o, l]^β_l): the value of a matrix game,
    among the solutions of its square parts (Shapley, Snow 1950)."""
    seen = [row for row in rows if row[world]]
    kept = [w for w in others if all(row[w] for row in seen)]
    table = sorted({tuple(ln(row[world] / row[w]) for w in kept) for row in seen})
    best = INFINITE
    with localcontext(prec=DIGITS):
        for size in range(1, min(len(table), len(kept)) + 1):
            for places in combinations(range(len(kept)), size):
                for part in combinations(table, size):
                    beta = equalizer([[row[at] for at in places] for row in part])
                    if beta and min(beta) >= -TINY:
                        values = (
                            sum(x * row[at] for x, at in zip(beta, places, strict=True))
                            for row in table
                        )
                        best = min(best, max(values))
    return best


def equalizer(table: list[list[Decimal]]) -> list[Decimal] | None:
    """Weights of sum 1 of the columns with which all rows have the same mean."""
    size = len(table)
    rows = [[*row, Decimal(-1), Decimal(0)] for row in table]
    rows.append([*[Decimal(1)] * size, Decimal(0), Decimal(1)])
    for at in range(size + 1):
        pivot = max(range(at, size + 1), key=lambda k: abs(rows[k][at]))
        if abs(rows[pivot][at]) < TINY:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for k, row in enumerate(rows):
            if k != at and row[at]:
                factor = row[at] / rows[at][at]
                rows[k] = [x - factor * y for x, y in zip(row, rows[at], strict=True)]
    return [rows[at][-1] / rows[at][at] for at in range(size)]


def smallest(
    rows: Matrix, pairs: Iterable[tuple[set[int], set[int]]], supports: Iterable[frozenset[int]]
) -> Decimal | None:
    """The log of the smallest level, over the supports of all priors of a class; None: vacuous."""
    conditions = {
        (world, tuple(sorted(t & support)))
        for pair in pairs
        for s, t in (pair, pair[::-1])
        for support in supports
        for world in s & support
        if t & support
    }
    return max((log_level(rows, *condition) for condition in conditions), default=None)


def unions(supports: Sequence[frozenset[int]]) -> set[frozenset[int]]:
    """The supports of all mixtures."""
    picked = product((False, True), repeat=len(supports))
    return {
        frozenset().union(*(s for s, chosen in zip(supports, pick, strict=True) if chosen))
        for pick in picked
    }


def boxes(databases: Sequence[Sequence[object]]) -> set[frozenset[int]]:
    """The supports of independent records: all choices of values for each."""
    records = list(zip(*databases, strict=True))
    choices = [subsets(sorted(set(values), key=repr)) for values in records]
    return {
        frozenset(
            w for w, d in enumerate(databases) if all(x in c for x, c in zip(d, box, strict=True))
        )
        for box in product(*choices)
    }


def powers(databases: Sequence[Sequence[object]]) -> set[frozenset[int]]:
    """The supports of independent records with one distribution."""
    values = sorted({x for d in databases for x in d}, key=repr)
    return {
        frozenset(w for w, d in enumerate(databases) if set(d) <= set(chosen))
        for chosen in subsets(values)
    }


def subsets(values: Sequence[object]) -> list[tuple[object, ...]]:
    return [c for size in range(len(values) + 1) for c in combinations(values, size)]

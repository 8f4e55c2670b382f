"""Extreme rows by trying equations; combinations of rows and mixtures by real arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from tests.oracles import z3
from verifier.definitions._plain import Matrix

F = Fraction
Row = list[Fraction]


def extreme_rows(size: int, alpha: Fraction) -> Iterator[Row]:
    """Rows with x_w <= alpha x_v for all worlds on which so many of these and of x_w >= 0 are
    equations that only multiples satisfy them."""
    asked = [[F(w == v) for v in range(size)] for w in range(size)]
    for w, v in permutations(range(size), 2):
        asked.append([alpha * (u == v) - F(u == w) for u in range(size)])
    for chosen in combinations(asked, size - 1):
        ray = only_direction([list(row) for row in chosen], size)
        for row in (ray, [-x for x in ray]) if ray else ():
            if all(sum(a * x for a, x in zip(h, row, strict=True)) >= 0 for h in asked):
                yield row


def only_direction(rows: list[Row], size: int) -> Row | None:
    """The solution of homogeneous equations, if only its multiples are others: Gauss-Jordan."""
    pivots: list[int] = []
    for column in range(size):
        row = next((r for r in rows[len(pivots) :] if r[column]), None)
        if row is None:
            continue
        at = len(pivots)
        rows.remove(row)
        rows.insert(at, [x / row[column] for x in row])
        for k, other in enumerate(rows):
            if k != at and other[column]:
                rows[k] = [x - other[column] * y for x, y in zip(other, rows[at], strict=True)]
        pivots.append(column)
    if len(pivots) != size - 1:
        return None
    (free,) = set(range(size)) - set(pivots)
    found = [F(0)] * size
    found[free] = F(1)
    for k, column in enumerate(pivots):
        found[column] = -rows[k][free]
    return found


def is_combination(row: Row, given: Sequence[Row]) -> bool:
    """Whether weights >= 0 exist, by real arithmetic."""
    solver = z3.Solver()
    weights = z3.RealVector("y", len(given))
    solver.add(*(y >= 0 for y in weights))
    for w, x in enumerate(row):
        terms = [y * z3.RealVal(str(g[w])) for y, g in zip(weights, given, strict=True)]
        solver.add(z3.Sum(terms) == z3.RealVal(str(x)))
    found = solver.check()
    assert found != z3.unknown
    return bool(found == z3.sat)


def exists(given: Sequence[Matrix], wanted: Matrix) -> bool:
    """Whether p and Y_k exist, by real arithmetic."""
    solver = z3.Solver()
    weights = z3.RealVector("p", len(given))
    solver.add(z3.Sum(weights) == 1, *(p >= 0 for p in weights))
    parts = []
    for k, rows in enumerate(given):
        y = [z3.RealVector(f"y{k}_{o}", len(rows)) for o in range(len(wanted))]
        solver.add(*(entry >= 0 for line in y for entry in line))
        solver.add(*(z3.Sum([line[i] for line in y]) == weights[k] for i in range(len(rows))))
        parts.append(y)
    for o, row in enumerate(wanted):
        for w, p in enumerate(row):
            terms = [
                parts[k][o][i] * z3.RealVal(str(line[w]))
                for k, rows in enumerate(given)
                for i, line in enumerate(rows)
            ]
            solver.add(z3.Sum(terms) == z3.RealVal(str(p)))
    found = solver.check()
    assert found != z3.unknown
    return bool(found == z3.sat)

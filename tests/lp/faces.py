"""Facets of small cones by trying every hyperplane through generators, in plain fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Rows = Sequence[Sequence[int | Fraction]]


def null_space(rows: Rows, size: int) -> list[list[Fraction]]:
    """A basis of {h : h·row = 0 for all rows}."""
    table = [[Fraction(value) for value in row] for row in rows]
    pivots: list[int] = []
    for at in range(size):
        done = len(pivots)
        found = next((i for i in range(done, len(table)) if table[i][at]), None)
        if found is None:
            continue
        table[done], table[found] = table[found], table[done]
        table[done] = [value / table[done][at] for value in table[done]]
        for i, row in enumerate(table):
            if i != done and row[at]:
                table[i] = [v - row[at] * p for v, p in zip(row, table[done], strict=True)]
        pivots.append(at)
    basis = []
    for free in (at for at in range(size) if at not in pivots):
        line = [Fraction(int(at == free)) for at in range(size)]
        for row, at in zip(table, pivots, strict=False):
            line[at] = -row[free]
        basis.append(line)
    return basis


def rank(rows: Rows, size: int) -> int:
    return size - len(null_space(rows, size))


def dot(left: Sequence[int | Fraction], right: Sequence[int | Fraction]) -> Fraction:
    return sum((Fraction(a) * b for a, b in zip(left, right, strict=True)), Fraction(0))


def facets(generators: Rows) -> set[frozenset[int]]:
    """For each facet of the cone, which generators lie on it: a hyperplane of the span through
    independent generators, one fewer than the dimension, with none beyond."""
    size = len(generators[0])
    equations = null_space(generators, size)
    found: set[frozenset[int]] = set()
    if len(equations) == size:
        return found
    for chosen in combinations(generators, size - len(equations) - 1):
        normals = null_space([*chosen, *equations], size)
        if len(normals) > 1:
            continue
        values = [dot(normals[0], g) for g in generators]
        if all(v >= 0 for v in values) or all(v <= 0 for v in values):
            found.add(frozenset(i for i, v in enumerate(values) if not v))
    return found


def incidences(normals: Rows, generators: Rows) -> list[frozenset[int]]:
    """Which generators lie on each hyperplane."""
    return [frozenset(i for i, g in enumerate(generators) if not dot(h, g)) for h in normals]

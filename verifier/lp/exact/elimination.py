"""Fourier–Motzkin elimination: the shadow of a cone on some of its coordinates, exactly."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from verifier.lp.cones import Inside, membership
from verifier.lp.exact.double_description import Row, primitive
from verifier.lp.model.integers import IntegerMatrix


def projection(rows: Sequence[Sequence[int]], kept: Collection[int]) -> list[Row]:
    """Inequalities h·x ≥ 0 for {(x_j), j kept : rows·x ≥ 0 for some values of the others}.

    The coordinates are those of the rows, those not kept being 0; no inequality follows from the
    others.

    >>> projection([(1, -1, 0), (0, 1, -2)], [0, 2])
    [(1, 0, -2)]
    """
    found = irredundant(rows)
    others = set(range(len(rows[0]) if rows else 0)) - set(kept)
    while others:
        place = min(others, key=lambda at: (_growth(found, at), at))
        found = irredundant(eliminated(found, place))
        others.remove(place)
    return found


def eliminated(rows: Sequence[Row], place: int) -> list[Row]:
    """The inequalities that follow from `rows` for the coordinates other than `place`
    (Fourier–Motzkin)."""
    level = [row for row in rows if not row[place]]
    above = [row for row in rows if row[place] > 0]
    below = [row for row in rows if row[place] < 0]
    return level + [
        primitive([p[place] * b - n[place] * a for a, b in zip(p, n, strict=True)])
        for p in above
        for n in below
    ]


def irredundant(rows: Sequence[Sequence[int]]) -> list[Row]:
    """The inequalities `rows` without those that follow from the others (Farkas: combinations of
    them)."""
    kept = sorted({primitive(row) for row in rows if any(row)})
    for row in list(kept):
        others = [other for other in kept if other != row]
        if others and isinstance(membership(_matrix(others), row), Inside):
            kept = others
    return kept


def _growth(rows: Sequence[Row], place: int) -> int:
    """How many more inequalities there are without a coordinate, at most."""
    above = sum(row[place] > 0 for row in rows)
    below = sum(row[place] < 0 for row in rows)
    return above * below - above - below


def _matrix(rows: Sequence[Row]) -> IntegerMatrix:
    entries = [(at, value) for row in rows for at, value in enumerate(row) if value]
    starts = np.cumsum([0, *(sum(map(bool, row)) for row in rows)])
    places, values = zip(*entries, strict=True)
    return IntegerMatrix((len(rows), len(rows[0])), starts, places, values)

"""The row cone of some mechanisms: all that an output of them, however processed, may tell.

By hand: a mechanism with the outputs (3/4, 1/4) and (1/4, 3/4) over two worlds has the row cone
3 x₀ ≥ x₁, 3 x₁ ≥ x₀ in x ≥ 0, whose facets are the rows (3, −1) and (−1, 3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd, lcm

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.mechanism import Mechanism

Row = tuple[int, ...]
MOST = 200_000  # facets, at any time while they are found
WORLDS = 1_500


@dataclass(frozen=True)
class RowCone:
    """The non-negative combinations of all rows of some mechanisms (Lin, Kifer, Definition 3.5;
    post-processing and mixing add no other rows, Theorem 3.4).

    worlds     the number of worlds
    rows       the directions of the mechanisms' rows: primitive integers, each once, ascending
    equations  Σ a_w x_w = 0 all over the cone: a basis of them
    facets     Σ a_w x_w ≥ 0: with the equations, the least inequalities that describe the cone;
               primitive, those that only say x_w ≥ 0 last
    """

    worlds: int
    rows: tuple[Row, ...]
    equations: tuple[Row, ...]
    facets: tuple[Row, ...]


def row_cone(mechanisms: Iterable[Mechanism], most: int = MOST) -> RowCone:
    """The row cone of mechanisms over the same worlds, at least one; LimitReached where there are
    too many worlds, or more than `most` facets.

    >>> row_cone([Mechanism.from_rows(["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])]).facets
    ((3, -1), (-1, 3))
    """
    from verifier.lp.exact.double_description import dual

    rows = directions(mechanisms)
    if len(rows[0]) > WORLDS:
        raise LimitReached(
            f"a row cone over {len(rows[0])} worlds, more than {WORLDS}, is too large"
        )
    found = dual(rows, most)
    facets = list(found.rays)
    if found.lines:  # else a facet is written in one way only
        columns = _columns(rows)
        facets = [_plain(facet, rows, columns) for facet in facets]
    facets.sort(key=lambda facet: (is_coordinate(facet), [-a for a in facet]))
    return RowCone(len(rows[0]), rows, found.lines, tuple(facets))


def directions(mechanisms: Iterable[Mechanism]) -> tuple[Row, ...]:
    """The rows of mechanisms as primitive integers, each direction once, ascending; impossible
    outputs have none."""
    found = set()
    for mechanism in mechanisms:
        scale = lcm(*(value.denominator for value in mechanism.values))
        whole = [value.numerator * (scale // value.denominator) for value in mechanism.values]
        for codes in np.unique(mechanism.codes, axis=0).tolist():
            found.add(_primitive([whole[code] for code in codes]))
    return tuple(sorted(row for row in found if any(row)))


def is_coordinate(facet: Row) -> bool:
    """Whether a facet only says that some x_w is not negative."""
    return sum(map(bool, facet)) == 1


def _columns(rows: tuple[Row, ...]) -> dict[Row, int]:
    """The first world for each direction that x_w has along the rows."""
    found: dict[Row, int] = {}
    for world, column in enumerate(zip(*rows, strict=True)):
        found.setdefault(_primitive(column), world)
    return found


def _plain(facet: Row, rows: tuple[Row, ...], columns: dict[Row, int]) -> Row:
    """The facet, or x_w ≥ 0 where that is the same all over the span of the cone."""
    along = _primitive([sum(a * x for a, x in zip(facet, row, strict=True)) for row in rows])
    world = columns.get(along)
    return facet if world is None else tuple(int(w == world) for w in range(len(facet)))


def _primitive(row: Iterable[int]) -> Row:
    row = tuple(row)
    divisor = gcd(*row) or 1
    return tuple(value // divisor for value in row)

"""What linear inequalities imply, with the multipliers that prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.lp.model.program import Vector

MOST = 10**6  # entries of all rows

Row = Mapping[int, Fraction] | Mapping[int, Fraction | int]  # coordinate -> coefficient


def implied(rows: Sequence[Row], wanted: Row, size: int) -> bool:
    """Whether every x >= 0 with row · x <= 0 for all `rows` has wanted · x <= 0.

    rows    the inequalities that are known
    wanted  the one in question
    size    how many coordinates x has

    By Farkas' lemma it does exactly where `wanted` is a combination of `rows`, with weights >= 0,
    minus something >= 0. An exact program finds the weights; they are multiplied out here.
    """
    signs = [{at: Fraction(-1)} for at in range(size)]
    return combined([*rows, *signs], wanted, size)


def combined(generators: Sequence[Row], point: Row, size: int) -> bool:
    """Whether a `point` of `size` coordinates is a combination of `generators` with weights >= 0;
    False where there are too many to be tried."""
    if (len(generators) + 1) * size > MOST:
        return False
    from verifier.lp.cones import Inside, membership
    from verifier.lp.model.integers import IntegerMatrix

    whole = [_whole(row) for row in generators]
    target = _whole(point)
    ends = [0]
    for row in whole:
        ends.append(ends[-1] + len(row))
    places = [at for row in whole for at in row]
    values = [value for row in whole for value in row.values()]
    matrix = IntegerMatrix((len(whole), size), ends, places, values)
    found = membership(matrix, [target.get(at, 0) for at in range(size)])
    return isinstance(found, Inside) and _reaches(whole, found.weights, target, size)


def _whole(row: Row) -> dict[int, int]:
    """A positive multiple of a row in integers, by ascending coordinate."""
    common = lcm(*(Fraction(value).denominator for value in row.values()))
    return {at: int(value * common) for at, value in sorted(row.items()) if value}


def _reaches(
    rows: Sequence[Mapping[int, int]], weights: Vector, target: Mapping[int, int], size: int
) -> bool:
    """Whether rows with these weights >= 0 add up to a target."""
    total = [0] * size
    for at, weight in weights.numerators.items():
        for place, value in rows[at].items():
            total[place] += weight * value
    wanted = [target.get(at, 0) * weights.denominator for at in range(size)]
    return (
        total == wanted and weights.denominator > 0 and min([0, *weights.numerators.values()]) == 0
    )

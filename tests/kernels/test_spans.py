"""Cones around vectors hold each of them, and corners are no others."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations_with_replacement
from operator import mul
from random import Random

import pytest

from verifier.checker.cones import corners as hulled
from verifier.checker.cones import rounded
from verifier.kernels.spans import Vector, enclosed, polygon


@pytest.mark.parametrize("size", [3, 4, 5])
def test_vectors_are_within_corners(size: int) -> None:
    """Nothing linear is larger at a vector than at all corners, each scaled to a sum of 1; of a
    polygon its largest value at a corner is that of the vectors."""
    draw = Random(size)
    for _ in range(60):
        vectors = [
            (*(draw.choice((0, 1, 2, 7, 10**20)) for _ in range(size - 1)), 1)
            for _ in range(draw.randint(1, 6))
        ]
        corners, near = enclosed(vectors, 12)
        assert all(sum(corner) == 2**12 and min(corner) >= 0 for corner in corners)
        assert len(near) == len(corners) and {*near} <= {*range(len(vectors))}
        assert {*map(tuple, spanned(vectors, 12))} == {*corners}
        exact = [vectors[at] for at in polygon(vectors)] if size == 3 else vectors
        for _ in range(30):
            row = [draw.randint(-9, 9) for _ in range(size)]
            most = largest(row, vectors)
            assert most <= largest(row, corners) and most == largest(row, exact)


def spanned(vectors: Sequence[Vector], bits: int) -> Sequence[Sequence[int]]:
    """The corners that the checker makes."""
    found = rounded([list(v) for v in vectors], bits)
    different = [list(v) for v in {*map(tuple, found)}]
    return hulled(different) if len(vectors[0]) == 3 else different


def largest(row: Sequence[int], vectors: Sequence[Sequence[int]]) -> F:
    return max(F(sum(map(mul, row, v)), sum(v)) for v in vectors)


def turn(p: Sequence[F], q: Sequence[F], r: Sequence[F]) -> F:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def is_beside(point: Sequence[F], others: Sequence[Sequence[F]]) -> bool:
    """Whether a point of the plane is in no triangle of others, nor between two of them."""
    for p, q, r in combinations_with_replacement(others, 3):
        sides = [turn(a, b, point) for a, b in ((p, q), (q, r), (r, p))]
        inside = all(s >= 0 for s in sides) or all(s <= 0 for s in sides)
        corners = zip(p, q, r, strict=True)
        if inside and all(min(x) <= c <= max(x) for c, x in zip(point, corners, strict=True)):
            return False
    return True


def test_a_polygon_has_the_corners_alone() -> None:
    draw = Random(1)
    for _ in range(20):
        drawn = [tuple(draw.randint(0, 4) for _ in range(3)) for _ in range(9)]
        vectors = [v for v in drawn if any(v)]
        points = [tuple(F(x, sum(v)) for x in v) for v in vectors]
        kept = {points[at] for at in polygon(vectors)}
        different = set(points)
        assert kept == {p for p in different if is_beside(p, [q for q in different if q != p])}

"""Cones around vectors: every vector is the sum that is said, and corners are no others."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from itertools import combinations_with_replacement
from random import Random

import pytest

from verifier.kernels.spans import Sum, Vector, enclosed, polygon, sums


def is_sum(corners: Sequence[Vector], vector: Vector, parts: Sum) -> bool:
    """Whether corners with factors above 0 add up to a multiple of a vector."""
    total = [sum(x * corners[at][k] for at, x in parts) for k in range(len(vector))]
    alike = {F(t, v) for t, v in zip(total, vector, strict=True) if v}
    zeros = all(not t for t, v in zip(total, vector, strict=True) if not v)
    different = len({at for at, _ in parts}) == len(parts)
    return different and zeros and len(alike) == 1 and all(x > 0 for _, x in parts)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_vectors_are_sums_of_corners(size: int) -> None:
    draw = Random(size)
    for _ in range(60):
        vectors = [
            (*(draw.choice((0, 1, 2, 7, 10**20)) for _ in range(size - 1)), 1)
            for _ in range(draw.randint(1, 6))
        ]
        corners, near, parts = enclosed(vectors, 12)
        assert all(sum(corner) == 2**12 and min(corner) >= 0 for corner in corners)
        assert len(near) == len(corners) and {*near} <= {*range(len(vectors))}
        assert all(is_sum(corners, v, one) for v, one in zip(vectors, parts(), strict=True))
        if size == 3:
            exact = [vectors[at] for at in polygon(vectors)]
            found = sums(exact, vectors)
            assert all(is_sum(exact, v, one) for v, one in zip(vectors, found, strict=True))


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

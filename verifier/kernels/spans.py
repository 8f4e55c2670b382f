"""Generators of a cone around vectors.

A vector counts up to scale, so that it is a point of the simplex. Of three values a cone is a
polygon. Exactly it is the hull of its points; in short numbers the hull of the corners of the boxes
of a grid in which they are, or of more values the corners of the least box around all of them.

>>> polygon([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
[2, 0, 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from verifier.base import exact

Vector = tuple[int, ...]
Point = tuple[Any, Any]  # of the plane, of integers or of fractions


def polygon(vectors: Sequence[Vector]) -> list[int]:
    """Of three values: which of some vectors span the cone of all, in their order around it."""
    points = {}
    for at, v in enumerate(vectors):
        total = sum(v)
        points[exact.over(v[0], total), exact.over(v[1], total)] = at
    return [points[point] for point in hull(sorted(points))]


def enclosed(vectors: Sequence[Vector], bits: int) -> tuple[list[Vector], list[int]]:
    """Corners, whole numbers >= 0 of sum 2^bits, of a polytope around vectors scaled so, and for
    each the number of a vector near it."""
    one, boxes = 1 << bits, []
    for v in vectors:
        total = sum(v)
        boxes.append([((x << bits) // total, -((-x << bits) // total)) for x in v])
    if len(boxes[0]) == 3:
        grid = {
            (x, y): at
            for at, (first, second, (low, high)) in enumerate(boxes)
            for x, y in product(first, second)
            if low <= one - x - y <= high
        }
        points = hull(sorted(grid))
        triples: list[Vector] = [(x, y, one - x - y) for x, y in points]
        return triples, [grid[point] for point in points]
    axes = [*zip(*boxes, strict=True)]
    ends = [(min(low for low, _ in axis), max(high for _, high in axis)) for axis in axes]
    largest = [max(range(len(boxes)), key=lambda at: axis[at][1]) for axis in axes]
    found = sorted(set(_corners(ends, one)))
    near = [_near(corner, ends, largest) for corner in found]
    return found, near


def _near(corner: Vector, ends: Sequence[tuple[int, int]], largest: Sequence[int]) -> int:
    """The vector that is largest at the first value where a corner is."""
    sides = zip(largest, corner, ends, strict=True)
    return next((at for at, x, (_, high) in sides if x == high), largest[0])


def _corners(ends: Sequence[tuple[int, int]], one: int) -> Iterator[Vector]:
    """The corners of a box within the points of a sum: all but one coordinate at an end.

    ends  of each coordinate, the lower one first
    one   the sum
    """
    for free, (low, high) in enumerate(ends):
        for chosen in product(*ends[:free], *ends[free + 1 :]):
            if low <= one - sum(chosen) <= high:
                yield (*chosen[:free], one - sum(chosen), *chosen[free:])


def hull(points: list[Point]) -> list[Point]:
    """The corners of the convex hull of ascending `points` (Andrew 1979)."""
    if len(points) < 3:
        return points
    lower, upper = _half(points), _half(points[::-1])
    return lower[:-1] + upper[:-1]


def _half(points: list[Point]) -> list[Point]:
    found: list[Point] = []
    for x, y in points:
        while len(found) > 1:
            (u, v), (s, t) = found[-2:]
            if (s - u) * (y - v) > (t - v) * (x - u):
                break
            found.pop()
        found.append((x, y))
    return found

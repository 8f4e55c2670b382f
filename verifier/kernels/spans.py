"""Generators of a cone around vectors, and how each vector is a sum of them.

A vector counts up to scale, so that it is a point of the simplex. Of three values a cone is a
polygon. Exactly it is the hull of its points; in short numbers the hull of the corners of the boxes
of a grid in which they are, or of more values the corners of the least box around all of them.

>>> polygon([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
[2, 0, 1]
>>> sums([(1, 0, 0), (0, 1, 0), (0, 0, 1)], [(1, 1, 2)])
[[(0, 1), (1, 1), (2, 2)]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from operator import mul
from typing import Any

from verifier.base import exact

Vector = tuple[int, ...]
Point = tuple[Any, Any]  # of the plane, of integers or of fractions
Sum = list[tuple[int, Any]]  # generators, by number, with factors: a multiple of a vector
Sums = Callable[[], list[Sum]]  # how each vector is a sum, which takes longer than to find corners
Held = tuple[list[Vector], list[int], Sums]  # generators, for each a vector near it, the sums


def polygon(vectors: Sequence[Vector]) -> list[int]:
    """Of three values: which of some vectors span the cone of all, in their order around it."""
    points = {}
    for at, v in enumerate(vectors):
        total = sum(v)
        points[exact.over(v[0], total), exact.over(v[1], total)] = at
    return [points[point] for point in hull(sorted(points))]


def sums(corners: Sequence[Vector], vectors: Sequence[Vector]) -> list[Sum]:
    """How some vectors are sums of the corners of a polygon around them, in their order."""
    return [_in_fan(corners, v) for v in vectors]


def _in_fan(corners: Sequence[Vector], v: Vector) -> Sum:
    """How a vector is a sum of the first corner and of two that follow each other."""
    if len(corners) == 1:
        return [(0, 1)]
    first, second = corners[:2]
    beside = _cross(first, v)
    side = 1 if len(corners) < 3 or _dot(_cross(first, second), corners[2]) > 0 else -1
    low, high = 1, max(1, len(corners) - 2)
    while low < high:  # the last corner that the vector is not before
        middle = (low + high + 1) // 2
        if _dot(beside, corners[middle]) * side <= 0:
            low = middle
        else:
            high = middle - 1
    second = corners[low]
    third = corners[low + 1] if len(corners) > 2 else _cross(first, second)
    parts = [
        _dot(_cross(v, second), third) * side,
        _dot(beside, third) * side,
        _dot(_cross(first, second), v) * side,
    ]
    assert all(part >= 0 for part in parts), "a vector lies outside its polygon"
    places = zip((0, low, low + 1), exact.coprime(parts), strict=True)
    return [(place, part) for place, part in places if part]


def _dot(v: Sequence[Any], w: Sequence[Any]) -> Any:
    return sum(map(mul, v, w))


def _cross(v: Sequence[Any], w: Sequence[Any]) -> tuple[Any, ...]:
    (a, b, c), (x, y, z) = v, w
    return b * z - c * y, c * x - a * z, a * y - b * x


def enclosed(vectors: Sequence[Vector], bits: int) -> Held:
    """Corners, whole numbers >= 0 of sum 2^bits, of a polytope around vectors scaled so."""
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
        return triples, [grid[point] for point in points], partial(sums, triples, vectors)
    axes = [*zip(*boxes, strict=True)]
    ends = [(min(low for low, _ in axis), max(high for _, high in axis)) for axis in axes]
    largest = [max(range(len(boxes)), key=lambda at: axis[at][1]) for axis in axes]
    found = sorted(set(_corners(ends, one)))
    near = [_near(corner, ends, largest) for corner in found]
    return found, near, partial(_in_boxes, found, vectors, ends, one)


def _in_boxes(
    corners: Sequence[Vector],
    vectors: Sequence[Vector],
    ends: Sequence[tuple[int, int]],
    one: int,
) -> list[Sum]:
    """How some vectors are sums of the corners of a box around them."""
    places, found = {corner: at for at, corner in enumerate(corners)}, []
    for v in vectors:
        near, factors = zip(*_in_box(v, ends, one), strict=True)
        found.append([*zip(map(places.__getitem__, near), exact.coprime(factors), strict=True)])
    return found


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


def _in_box(
    v: Vector, ends: Sequence[tuple[int, int]], one: int
) -> Iterator[tuple[Vector, Fraction]]:
    """How a vector is a sum of corners of a box: a line from a corner through its point leaves the
    box at a point that has one coordinate more at an end."""
    point, share = [Fraction(x * one, sum(v)) for x in v], Fraction(1)
    while True:
        corner = _corner_of(point, ends, one)
        steps = [
            ((high if p > c else low) - p) / (p - c)
            for p, c, (low, high) in zip(point, corner, ends, strict=True)
            if p != c
        ]
        step = min(steps, default=None)
        if step is None:
            yield corner, share
            return
        if step:
            yield corner, share * step / (1 + step)
        point = [p + step * (p - c) for p, c in zip(point, corner, strict=True)]
        share /= 1 + step


def _corner_of(point: Sequence[Fraction], ends: Sequence[tuple[int, int]], one: int) -> Vector:
    """A corner of a box that is at an end wherever a point is."""
    found = [int(p) if p in near else near[0] for p, near in zip(point, ends, strict=True)]
    left = one - sum(found)
    for at, (p, (low, high)) in enumerate(zip(point, ends, strict=True)):
        if low < p < high:
            found[at] += min(left, high - low)
            left -= found[at] - low
    return tuple(found)


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

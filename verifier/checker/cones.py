"""Cones of vectors without negative numbers, given by generators.

What is linear in a vector is so at all vectors of a cone if it is so at its generators. So a cone
around the images, or around the products, of the generators of others holds all images or products.
With two numbers a vector counts by their ratio: a cone has two ends, the largest and the smallest.
With three it is a point of a plane, and those at the corners of the convex hull span the others.
Where generators become too many or too long, they are replaced by points of a grid around them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import gcd
from operator import mul
from typing import Any

from . import reading as read
from .document import keep, prove, spend

Vector = list[Any]  # of integers, or of polynomials of a parameter
Matrix = Sequence[Sequence[Any]]
Cone = list[Vector]  # generators
MANY = 200  # vectors of more than three numbers that are rounded, too


@dataclass
class Cones:
    """Cones around products and images of others. Those of two numbers have two ends; of others
    those of products have generators of so many `bits`, if there are some. Equal ones are one list.
    """

    size: int
    bits: int | None = None
    known: dict[Any, Any] = field(default_factory=dict)
    kept: int = 0  # binary digits of all that is known

    def around(self, vectors: Iterable[Vector], are_products: bool = False) -> Cone:
        """A cone that holds some vectors."""
        found = [v for v in vectors if any(v)]
        prove(found, "outputs are impossible")
        if self.size == 2 and len(found) > 1:
            return [highest(found, 0, 1), highest(found, 1, 0)]
        found = list(map(reduced, found))
        if {*map(type, (x for v in found for x in v))} == {int}:
            short = are_products or (self.size > 3 and len(found) > MANY)
            found = rounded(found, self.bits) if short and self.bits else found
            found = list(map(list, dict.fromkeys(map(tuple, found))))
            found = corners(found) if self.size == 3 else found
            found = self.known.setdefault(tuple(map(tuple, found)), found)
        keep(len(found), self.size * max(map(digits, found)))
        return found

    def moved(self, matrix: Matrix, cone: Cone) -> Cone:
        """A cone that holds the images of one under a `matrix`."""
        images = (times(matrix, v) for v in cone)
        return self._once(matrix, cone, len(cone), lambda: self.around(images))

    def product(self, one: Cone, other: Cone) -> Cone:
        """A cone that holds the products of the vectors of two cones."""
        pairs = list(product(one, other))

        def made() -> Cone:
            ends = [multiplied(*pair) for pair in (pairs[0], pairs[-1])]
            if self.size == 2 < len(one) + len(other) and all(map(any, ends)):
                return ends
            return self.around((multiplied(*pair) for pair in pairs), are_products=True)

        return self._once(one, other, len(pairs), made)

    def _once(self, one: Any, other: Cone, count: int, made: Callable[[], Cone]) -> Cone:
        """What is `made` of two lists, so many vectors; of the same lists once."""
        if (id(one), id(other)) not in self.known:
            sizes = [max(map(digits, side)) for side in (one, other)]
            long, each = sum(sizes), 30 + 10 * len(other[0])
            divided = long**2 // 100_000 if self.size > 2 or count == 1 else 0
            spend(count * (each * (1 + max(sizes) // 300) + divided))
            cone = made()
            self.kept += sum(self.size * digits(v) for v in cone)
            keep(1, self.kept)
            self.known[id(one), id(other)] = cone, one, other
        found: Cone = self.known[id(one), id(other)][0]
        return found

    def others(self, start: Cone, branches: list[Cone]) -> Iterator[Cone]:
        """For each of some `branches` the products of a cone and all other branches."""
        rest: list[Cone | None] = [None]
        for branch in branches[:0:-1]:
            rest.append(self.product(branch, rest[-1]) if rest[-1] is not None else branch)
        for branch in branches:
            after = rest.pop()
            yield self.product(start, after) if after is not None else start
            start = self.product(start, branch) if rest else start


def rounded(vectors: Cone, bits: int) -> Cone:
    """Whole numbers of sum 2^bits that span a cone around some vectors: of three numbers the points
    of a grid next to each; else the corners of the least box around all, cut by their sum."""
    one, boxes = 1 << bits, list[list[tuple[int, int]]]()
    for v in vectors:
        total = sum(v)
        boxes.append([((x << bits) // total, -((-x << bits) // total)) for x in v])
    if len(vectors[0]) != 3:
        axes = [[*zip(*axis, strict=True)] for axis in zip(*boxes, strict=True)]
        boxes = [[(min(low), max(high)) for low, high in axes]]
    return [
        [*chosen[:free], one - sum(chosen), *chosen[free:]]
        for box in boxes
        for free, (low, high) in enumerate(box)
        for chosen in product(*box[:free], *box[free + 1 :])
        if low <= one - sum(chosen) <= high
    ]


def corners(vectors: Cone) -> Cone:
    """Of vectors of three numbers those that span the cone of all: the corners of the convex hull
    of their points v / (sum of v), in order (Andrew 1979)."""
    if len(vectors) < 3:
        return vectors
    points = sorted(vectors, key=lambda v: [Fraction(x, sum(v)) for x in v[:2]])
    return [*_turning(points)[:-1], *_turning(points[::-1])[:-1]]


def _turning(points: Cone) -> Cone:
    """Those of ordered points at which a line around them on one side turns left."""
    found: Cone = []
    for w in points:
        while len(found) > 1 and not _is_left(found[-2], found[-1], w):
            found.pop()
        found.append(w)
    return found


def _is_left(u: Vector, v: Vector, w: Vector) -> bool:
    (a, b, c), (d, e, f), (g, h, i) = u, v, w
    return bool(a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0)


def highest(vectors: Cone, a: int, b: int) -> Vector:
    """The vector with the largest v[a] / v[b]."""
    found, *others = [v for v in vectors if v[a]] or vectors
    for v in others:
        found = v if exceeds((v[a], v[b]), (found[a], found[b])) else found
    return found


def exceeds(one: Any, other: Any) -> bool:
    """Whether a ratio, `one`, exceeds an `other`; each is a numerator and a denominator."""
    return bool(one[0] * other[1] > other[0] * one[1])


def times(matrix: Matrix, vector: Sequence[Any]) -> Vector:
    """The product of a `matrix` and a `vector`."""
    return [sum(map(mul, row, vector)) for row in matrix]


def multiplied(one: Sequence[Any], other: Sequence[Any]) -> Vector:
    """The products of the numbers of two vectors."""
    return list(map(mul, one, other))


def pulled(functional: Vector, matrix: Matrix) -> Vector:
    """The product of a row and a `matrix`."""
    return [sum(map(mul, functional, column)) for column in zip(*matrix, strict=True)]


def reduced(vector: Sequence[Any]) -> Vector:
    """A `vector`, not of zeros alone, without the common divisor of its numbers."""
    if {*map(type, vector)} != {int}:
        for x in vector:
            if read.is_other(x):
                found: list[Any] = x.without_common(vector)
                return found
        vector = read.in_integers(vector)[1]
    common = gcd(*vector)
    return [x // common for x in vector] if common > 1 else list(vector)


def written(vector: Vector) -> Any:
    """What is equal for vectors that are written alike."""
    return tuple(map(read.written, vector))


def digits(vector: Iterable[Any]) -> int:
    """How long the integers of a `vector` are; functions are paid for where they are used."""
    return max(x.bit_length() if type(x) is int else 0 for x in vector)

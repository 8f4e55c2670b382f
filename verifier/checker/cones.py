"""Cones of vectors without negative numbers, given by generators.

What is linear in a vector is so at all vectors of a cone if it is so at its generators. So a cone
around the images, or around the products, of the generators of others holds all images or products.
With two numbers a vector counts by their ratio: a cone has two ends, the largest and the smallest.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import gcd
from operator import mul
from typing import Any

from . import reading as read
from .document import Budget, fields, items, need, prove

Vector = list[Any]  # of integers, or of polynomials of a parameter
Matrix = Sequence[Sequence[Any]]
Cone = list[Vector]  # generators
MOST_VECTORS = 30_000  # of a cone that is not stated


@dataclass
class Cones:
    """Cones around products and images of others. Those of two values may have two `ends`. Others
    are `stated`, in the order in which they are needed; one has just these generators where it is
    null, or none is left. Equal ones are one list."""

    ends: bool
    stated: list[Any]
    budget: Budget
    used: int = 0
    known: dict[Any, Any] = field(default_factory=dict)

    def around(self, vectors: Iterable[Vector]) -> Cone:
        """A cone that holds some vectors."""
        found = [v for v in vectors if any(v)]
        prove(found, "outputs are impossible")
        if self.ends and len(found) > 1:
            first = last = found[0]
            for v in found:
                first = v if exceeds(v, first) else first
                last = v if exceeds(last, v) else last
            return [first, last]
        found = list(map(reduced, found))
        whole = {*map(type, (x for v in found for x in v))} == {int}
        found = list(map(list, dict.fromkeys(map(tuple, found)))) if whole else found
        self.used += 1
        cone = self._holding(found)
        return self.known.setdefault(tuple(map(tuple, cone)), cone) if whole else cone

    def _holding(self, vectors: Cone) -> Cone:
        """The generators that are `stated`, once some vectors are proved to be sums of them."""
        stated = self.stated[self.used - 1] if self.used <= len(self.stated) else None
        if stated is None:
            need(len(vectors) <= MOST_VECTORS, "so many vectors need a cone")
            return vectors
        listed, sums = fields(stated, "generators sums")
        cone = [read.whole(row)[1] for row in read.matrix(listed)]
        need(all(len(v) == len(vectors[0]) and all(x >= 0 for x in v) for v in cone), "a cone")
        for v, parts in zip(vectors, items(sums), strict=True):
            factors = read.sparse(parts, len(cone))
            self.budget.spend(20 * len(parts) * len(v))
            weights = read.whole([*factors.values()])[1]
            prove(all(x >= 0 for x in weights), "a factor is negative")
            total = times([*zip(*map(cone.__getitem__, factors), strict=True)], weights)
            k = next(k for k, x in enumerate(v) if x)
            same = all(x * v[k] == total[k] * y for x, y in zip(total, v, strict=True))
            prove(total[k] > 0 and same, "a vector is not in its cone")
        return cone

    def moved(self, matrix: Matrix, cone: Cone) -> Cone:
        """A cone that holds the images of one under a `matrix`."""
        return self._once(matrix, cone, len(cone), lambda: self._moved(matrix, cone))

    def _moved(self, matrix: Matrix, cone: Cone) -> Cone:
        images = [times(matrix, v) for v in cone]
        if len(cone) == 1:
            return self.around(map(short, images))
        if not self.ends:
            return self.around(images)
        (p, q), (r, s) = matrix
        images = [v for v in images if any(v)]
        return images if p * s >= q * r else images[::-1]  # the largest one stays so, or is least

    def product(self, one: Cone, other: Cone) -> Cone:
        """A cone that holds the products of the vectors of two cones."""
        count = len(one) * len(other)
        return self._once(one, other, count, lambda: self._product(one, other))

    def _product(self, one: Cone, other: Cone) -> Cone:
        if self.ends and len(one) + len(other) > 2:
            ends = [multiplied(one[at], other[at]) for at in (0, -1)]
            if all(map(any, ends)):
                return ends
        return self.around(multiplied(v, w) for v, w in product(one, other))

    def _once(self, one: Any, other: Cone, count: int, made: Callable[[], Cone]) -> Cone:
        """What is `made` of two lists, so many vectors; of the same lists once."""
        if (id(one), id(other)) not in self.known:
            longest = max(map(digits, other))
            each = 30 if self.ends else 150 + 150 * len(other[0])
            self.budget.spend(count * each * (1 + longest // 300))
            self.known[id(one), id(other)] = made(), one, other
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
    for x in vector:
        if read.is_other(x):
            found: list[Any] = x.without_common(vector)
            return found
    parts = read.whole(vector)[1]
    common = gcd(*parts)
    return [x // common for x in parts]


def short(vector: Vector) -> Vector:
    """A vector; of functions without their common factors."""
    return vector if {*map(type, vector)} == {int} or not any(vector) else reduced(vector)


def written(vector: Vector) -> Any:
    """What is equal for vectors that are written alike."""
    return tuple(map(read.written, vector))


def digits(vector: Iterable[Any]) -> int:
    """How long the integers of a `vector` are; functions are paid for where they are used."""
    return max(x.bit_length() if type(x) is int else 0 for x in vector)

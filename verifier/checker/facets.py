"""The facets of a cone that rows generate: that those listed are all.

Let K be a pointed cone of dimension d ≥ 2 and F some of its facets, at least one, such that for
each f in F the intersections f ∩ g of dimension d − 2, g in F, are all facets of f. Then F has all
facets of K. For every facet of f lies on exactly one other facet of K, which then is in F: from f
one reaches only members of F by stepping across, and all facets of a polytope are reached so. The
facets of f are settled likewise, down to faces that are simplices: d independent rows, of which any
d − 1 span a facet. Ranks are taken modulo a prime: that makes them smaller, if anything.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd
from operator import and_, mul
from typing import Any

from . import reading as read
from .document import Budget, afford, need, prove
from .numbers import NEEDS_RATIONAL
from .reading import whole

PRIME = 2**127 - 1  # a rank modulo a prime is at most the rank
Whole = tuple[int, ...]


def read_facets(
    rows: Iterable[Sequence[Fraction]], equations: Any, facets: Any
) -> tuple[list[Whole], list[Whole]]:
    """The `equations` and `facets` of the cone of some `rows`, which are rational, if these are
    all. For some z the products with all rows but 0 are positive.

    The facets are also all extreme rays z of the cone where no product with a row is below 0."""
    integers = [whole(row)[1] for row in rows if any(row)]
    need(all(type(x) is int for row in integers for x in row), NEEDS_RATIONAL)
    divided = ((row, gcd(*row)) for row in integers)  # of each direction one
    found = list(dict.fromkeys(tuple([x // divisor for x in row]) for row, divisor in divided))
    listed = _read_whole(equations, len(found[0])), _read_whole(facets, len(found[0]))
    _check_facets(found, *listed)
    return listed


def _read_whole(listed: Any, width: int) -> list[Whole]:
    found = read.matrix(listed)
    need(all(len(part) == width for part in found), "one coefficient for each entry of a row")
    need(all(x.denominator == 1 for part in found for x in part), "coefficients are integers")
    return [tuple([x.numerator for x in part]) for part in found]


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """The rank of `rows` modulo a prime: at most the rank."""
    integers = [tuple(whole(row)[1]) for row in rows]
    afford(len(integers) ** 2 * max(map(len, integers)))
    return _rank(integers)


def _check_facets(rows: list[Whole], equations: list[Whole], facets: list[Whole]) -> None:
    """These are the facets of the cone that the rows generate, and its dimension is right."""
    size, count = len(rows[0]), len(rows)
    afford(count * size * size + count * size * (len(facets) + len(equations)))
    same = all(not _product(e, row) for e in equations for row in rows)
    prove(same, "an equation does not hold")
    prove(_rank(equations) == len(equations), "the equations depend on each other")
    dimension = size - len(equations)
    prove(_rank(rows) == dimension, "there are more equations")
    if count > dimension:  # else they are independent, and so are some of them
        afford(count * size * dimension * len(facets))
    faces = []
    for facet in facets:
        values = [_product(facet, row) for row in rows]
        prove(min(values) >= 0 < max(values), "a facet is not valid")
        faces.append(sum(1 << at for at, value in enumerate(values) if not value))
        on = [row for row, value in zip(rows, values, strict=True) if not value]
        rank = _rank(on) if count > dimension else len(on)
        prove(rank == dimension - 1, "an inequality is no facet")
    prove(len(set(faces)) == len(faces), "a facet stands twice")
    _Faces(rows).check((1 << count) - 1, faces, dimension)


class _Faces:
    """Faces of a cone as sets of rows, written as the bits of an integer."""

    def __init__(self, rows: list[Whole]) -> None:
        self.rows, self.budget = rows, Budget()
        self.known: dict[int, set[int]] = {}  # face -> all its facets

    def check(self, outer: int, faces: list[int], dimension: int) -> None:
        """Reject unless these facets of a face of this dimension are all its facets."""
        prove(faces, "a facet is missing")
        if outer.bit_count() == dimension:
            self.known[outer] = {outer ^ bit for bit in _bits(outer)}
        if outer in self.known:
            prove(set(faces) == self.known[outer], "a facet is missing")
            return
        self.budget.spend(sum(face.bit_count() for face in faces))
        on = {  # row -> the faces on it
            row: sum(1 << at for at, face in enumerate(faces) if face & row) for row in _bits(outer)
        }
        for face in faces:
            if face.bit_count() == dimension - 1:
                self._check_simplex(face, on, len(faces))
            else:
                self.check(face, self._ridges(face, faces, dimension), dimension - 1)
        self.known[outer] = set(faces)

    def _check_simplex(self, face: int, on: dict[int, int], count: int) -> None:
        """Each ridge of a simplex, all its rows but one, lies on another facet too."""
        rows = _bits(face)
        self.budget.spend(len(rows) * len(rows) * (1 + count // 500))
        for left_out in rows:
            both = reduce(and_, (on[row] for row in rows if row != left_out), (1 << count) - 1)
            prove(both.bit_count() >= 2, "a facet is missing")

    def _ridges(self, face: int, faces: list[int], dimension: int) -> list[int]:
        """The intersections with other facets that have one dimension less than the face."""
        self.budget.spend(3 * len(faces))
        met = {face & other for other in faces if other != face}
        return [ridge for ridge in met if self._has_dimension(ridge, dimension - 2)]

    def _has_dimension(self, face: int, dimension: int) -> bool:
        if face.bit_count() < dimension:
            return False
        on = [row for at, row in enumerate(self.rows) if face >> at & 1]
        self.budget.spend(len(on) * len(self.rows[0]) * (dimension + 2))
        return _rank(on) == dimension


def _rank(rows: list[Whole]) -> int:
    """The rank modulo a prime: at most the rank, and hardly ever less."""
    table, rank = [[value % PRIME for value in row] for row in rows], 0
    while table:
        row = table.pop()
        place = next((at for at, value in enumerate(row) if value), None)
        if place is None:
            continue
        rank += 1
        inverse = pow(row[place], -1, PRIME)
        for other in table:
            if other[place]:
                factor = other[place] * inverse % PRIME
                for at in range(place, len(row)):
                    other[at] = (other[at] - factor * row[at]) % PRIME
    return rank


def _bits(number: int) -> list[int]:
    """The powers of two that make up a number."""
    found = (1 << at for at in range(number.bit_length()))
    return [bit for bit in found if number & bit]


def _product(left: Sequence[int], right: Sequence[Any]) -> Any:
    return sum(map(mul, left, right))

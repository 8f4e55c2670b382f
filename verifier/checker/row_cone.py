"""Certificates of kind "row_cone": how many facets the row cone of given mechanisms has, or whether
it holds every row of another mechanism.

That all facets are there rests on this. Let K be a pointed cone of dimension d ≥ 2 and F some of
its facets, at least one, such that for each f in F the intersections f ∩ g of dimension d − 2,
g in F, are all facets of f. Then F has all facets of K. For every facet of f lies on exactly one
other facet of K, which then is in F: from f one reaches only members of F by stepping across, and
all facets of a polytope are reached so. The facets of f are settled likewise, down to faces that
are simplices: d independent rows, of which any d − 1 span a facet.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from operator import mul
from typing import Any

from .reading import (
    COMMON,
    ONE,
    Budget,
    Table,
    afford,
    fields,
    index,
    items,
    need,
    number,
    numbers,
    prove,
    read_given,
    read_table,
    whole,
)
from .rules import Row, multiples, vanishes

PRIME = 2**127 - 1  # a rank modulo a prime is at most the rank
Whole = tuple[int, ...]


def check_row_cone(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the number of facets is the one that a `claim` asks for, or the cone of the given
    mechanisms of a `model` holds all rows of its own, if the `witness` proves either; else raise.
    There is no `relation`."""
    need(relation is None, "this kind has no relation")
    if "facets" in claim:
        *_, asked, value = fields(claim, f"{COMMON} facets value")
        need("outputs" not in model, "the model has no mechanism of its own")
        listed = fields(witness, "equations facets")
        _, facets = read_facets(read_given(model), *listed)
        prove(number(value) == len(facets), "the number of facets is another")
        return number(asked) == len(facets)
    fields(claim, COMMON)
    wanted, given = read_table(model), read_given(model)
    if "weights" in witness:
        check_inside(wanted, given, *fields(witness, "weights"))
        return True
    _check_outside(wanted, given, *fields(witness, "output inequality"))
    return False


def read_facets(
    given: Sequence[Table], equations: Any, facets: Any
) -> tuple[list[Whole], list[Whole]]:
    """The `equations` and `facets` of the row cone of `given` mechanisms, if these are all."""
    rows = _directions(given)
    listed = _read_whole(equations, rows), _read_whole(facets, rows)
    _check_facets(rows, *listed)
    return listed


def read_rays(rows: Sequence[Sequence[Fraction]], rays: Any) -> list[Whole]:
    """The `rays`, if they are all extreme ones of the cone of all z with row · z >= 0 for all
    `rows`, of which one z has all products positive: facets of the cone that the rows generate."""
    found = list(dict.fromkeys(_direction(whole(row)[1]) for row in rows))
    listed = _read_whole(rays, found)
    _check_facets(found, [], listed)
    return listed


def check_inside(wanted: Table, given: Sequence[Table], weights: Any) -> None:
    """Each row of the `wanted` mechanism is the sum of weight · row over those of `weights`, lists
    of [number of a `given` mechanism, output, weight]."""
    parts, worlds = list(map(Row.all_of, given)), len(wanted.columns)
    rows = Row.all_of(wanted)
    for row, terms in zip(rows, items(weights), strict=True):
        afford(4 * worlds * len(rows) * len(items(terms, 3)))
        chosen = [(weight, output, parts[index(k, len(parts))]) for k, output, weight in terms]
        made = multiples((weight, part[index(o, len(part))]) for weight, o, part in chosen)
        prove(vanishes(worlds, [(-ONE, row), *made]), "the combination is another row")


def _check_outside(wanted: Table, given: Sequence[Table], output: Any, inequality: Any) -> None:
    """The inequality holds for all rows of the given mechanisms, and for this output not."""
    rows = _directions(given)
    own = wanted.whole_rows()[1]
    (found,) = _read_whole([inequality], rows)
    row = own[index(output, len(own))]
    prove(all(_product(found, row) >= 0 for row in rows), "the inequality fails")
    prove(_product(found, row) < 0, "it holds")


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
        on = dict.fromkeys(_bits(outer), 0)  # row -> the faces on it
        for at, face in enumerate(faces):
            for bit in _bits(face):
                on[bit] |= 1 << at
        for face in faces:
            if face.bit_count() == dimension - 1:
                self._check_simplex(face, on, len(faces))
            else:
                self.check(face, self._ridges(face, faces, dimension), dimension - 1)
        self.known[outer] = set(faces)

    def _check_simplex(self, face: int, on: dict[int, int], count: int) -> None:
        """Each ridge of a simplex, all its rows but one, lies on another facet too."""
        bits = _bits(face)
        self.budget.spend(len(bits) * len(bits) * (1 + count // 500))
        for left_out in bits:
            both = (1 << count) - 1
            for bit in bits:
                if bit != left_out:
                    both &= on[bit]
            prove(both.bit_count() >= 2, "a facet is missing")

    def _ridges(self, face: int, faces: list[int], dimension: int) -> list[int]:
        """The intersections with other facets that have one dimension less than the face."""
        self.budget.spend(3 * len(faces))
        met = {face & other for other in faces if other != face}
        found = []
        for ridge in met:
            if ridge.bit_count() >= dimension - 2:
                on = [row for at, row in enumerate(self.rows) if ridge >> at & 1]
                self.budget.spend(len(on) * len(self.rows[0]) * dimension)
                if _rank(on) == dimension - 2:
                    found.append(ridge)
        return found


def _directions(given: Sequence[Table]) -> list[Whole]:
    """The different directions of the rows of some mechanisms."""
    rows = (row for table in given for row in table.whole_rows()[1] if any(row))
    return list(dict.fromkeys(map(_direction, rows)))


def _direction(row: Sequence[int]) -> Whole:
    """A row that is not 0, without a common divisor."""
    divisor = gcd(*row)
    return tuple([value // divisor for value in row])


def _read_whole(listed: Any, rows: list[Whole]) -> list[Whole]:
    """Lists of integers, one for each world."""
    found = [tuple(numbers(part)) for part in items(listed)]
    need(all(len(part) == len(rows[0]) for part in found), "one coefficient for each world")
    need(all(v.denominator == 1 for part in found for v in part), "coefficients are integers")
    return [tuple(value.numerator for value in part) for part in found]


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """The rank of `rows` modulo a prime: at most the rank."""
    integers = [tuple(whole(row)[1]) for row in rows]
    afford(len(integers) ** 2 * max(map(len, integers)))
    return _rank(integers)


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
    found = []
    while number:
        found.append(number & -number)
        number &= number - 1
    return found


def _product(left: Whole, right: Whole) -> int:
    return sum(map(mul, left, right))

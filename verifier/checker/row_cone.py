"""Certificates of kind "row_cone": how many facets the row cone of given mechanisms has, or whether
it holds every row of another mechanism.

That all facets are there rests on this. Let K be a pointed cone of dimension d ≥ 2 and F some of
its facets, at least one, such that for each f in F the intersections f ∩ g of dimension d − 2,
g in F, are all facets of f. Then F has all facets of K. For every facet of f lies on exactly one
other facet of K, which then is in F: from f one reaches only members of F by stepping across, and
all facets of a polytope are reached so. The facets of f are settled likewise, down to faces that
are simplices: d independent rows, of which any d − 1 span a facet.
"""

from fractions import Fraction
from math import gcd
from operator import mul
from typing import Any

from .reading import (
    Rejected,
    Table,
    afford,
    denominator,
    fields,
    indices,
    items,
    need,
    number,
    numbers,
    read_given,
    read_table,
)

PRIME = 2**127 - 1  # a rank modulo a prime is at most the rank
Row = tuple[int, ...]


def check_row_cone(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the number of facets is the one asked for, or the cone holds all rows, if the
    evidence proves either; else raise."""
    need(relation is None, "this kind has no relation")
    if "facets" in claim:
        fields(claim, "definition kind verdict digest facets value")
        need("outputs" not in model, "the model has no mechanism of its own")
        fields(witness, "equations facets")
        rows = _directions(read_given(model))
        equations, facets = (_integers(witness[key], rows) for key in ("equations", "facets"))
        _check_facets(rows, equations, facets)
        need(number(claim["value"]) == len(facets), "the number of facets is another", Rejected)
        return number(claim["facets"]) == len(facets)
    fields(claim, "definition kind verdict digest")
    wanted, given = read_table(model), read_given(model)
    if "weights" in witness:
        fields(witness, "weights")
        _check_inside(_rows(wanted), list(map(_rows, given)), witness["weights"])
        return True
    fields(witness, "output inequality")
    _check_outside(_rows(wanted), given, witness)
    return False


def check_rays(rows: list[list[Fraction]], rays: Any) -> list[Row]:
    """The extreme rays of the cone of all z with row · z ≥ 0 for all rows, of which one z has all
    products positive: they are facets of the cone that the rows generate."""
    whole = [_whole(row)[1] for row in rows]
    found = list(dict.fromkeys(tuple(v // gcd(*row) for v in row) for row in whole))
    listed = _integers(rays, found)
    _check_facets(found, [], listed)
    return listed


def rank(rows: list[list[Fraction]]) -> int:
    """The rank modulo a prime: at most the rank."""
    whole = [tuple(_whole(row)[1]) for row in rows]
    afford(len(whole) ** 2 * max(map(len, whole)))
    return _rank(whole)


def _check_facets(rows: list[Row], equations: list[Row], facets: list[Row]) -> None:
    """These are the facets of the cone that the rows generate, and its dimension is right."""
    size, count = len(rows[0]), len(rows)
    afford(count * size * size + count * size * (len(facets) + len(equations)))
    same = all(not _product(e, row) for e in equations for row in rows)
    need(same, "an equation does not hold", Rejected)
    need(_rank(equations) == len(equations), "the equations depend on each other", Rejected)
    dimension = size - len(equations)
    need(_rank(rows) == dimension, "there are more equations", Rejected)
    if count > dimension:  # else they are independent, and so are some of them
        afford(count * size * dimension * len(facets))
    faces = []
    for facet in facets:
        values = [_product(facet, row) for row in rows]
        need(min(values) >= 0 < max(values), "a facet is not valid", Rejected)
        faces.append(sum(1 << at for at, value in enumerate(values) if not value))
        on = [row for row, value in zip(rows, values, strict=True) if not value]
        rank = _rank(on) if count > dimension else len(on)
        need(rank == dimension - 1, "an inequality is no facet", Rejected)
    need(len(set(faces)) == len(faces), "a facet stands twice", Rejected)
    _Faces(rows).check((1 << count) - 1, faces, dimension)


class _Faces:
    """Faces of a cone as sets of rows, written as the bits of an integer."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows, self.steps = rows, 0
        self.known: dict[int, set[int]] = {}  # face -> all its facets

    def check(self, whole: int, faces: list[int], dimension: int) -> None:
        """Reject unless these facets of a face of this dimension are all its facets."""
        need(faces, "a facet is missing", Rejected)
        if whole.bit_count() == dimension:
            self.known[whole] = {whole ^ bit for bit in _bits(whole)}
        if whole in self.known:
            need(set(faces) == self.known[whole], "a facet is missing", Rejected)
            return
        self.afford(sum(face.bit_count() for face in faces))
        on = dict.fromkeys(_bits(whole), 0)  # row -> the faces on it
        for at, face in enumerate(faces):
            for bit in _bits(face):
                on[bit] |= 1 << at
        for face in faces:
            if face.bit_count() == dimension - 1:
                self._check_simplex(face, on, len(faces))
            else:
                self.check(face, self._ridges(face, faces, dimension), dimension - 1)
        self.known[whole] = set(faces)

    def _check_simplex(self, face: int, on: dict[int, int], count: int) -> None:
        """Each ridge of a simplex, all its rows but one, lies on another facet too."""
        bits = _bits(face)
        self.afford(len(bits) * len(bits) * (1 + count // 500))
        for left_out in bits:
            both = (1 << count) - 1
            for bit in bits:
                if bit != left_out:
                    both &= on[bit]
            need(both.bit_count() >= 2, "a facet is missing", Rejected)

    def _ridges(self, face: int, faces: list[int], dimension: int) -> list[int]:
        """The intersections with other facets that have one dimension less than the face."""
        self.afford(3 * len(faces))
        met = {face & other for other in faces if other != face}
        found = []
        for ridge in met:
            if ridge.bit_count() >= dimension - 2:
                on = [row for at, row in enumerate(self.rows) if ridge >> at & 1]
                self.afford(len(on) * len(self.rows[0]) * dimension)
                if _rank(on) == dimension - 2:
                    found.append(ridge)
        return found

    def afford(self, steps: int) -> None:
        """Refuse more work than a minute or two, all in all."""
        self.steps += steps
        afford(self.steps)


def _check_inside(wanted: list[list[Fraction]], given: list[Any], weights: Any) -> None:
    """Each row is the sum of weight · row over its list of [mechanism, output, weight]."""
    parts, worlds = [list(map(_whole, rows)) for rows in given], len(wanted[0])
    for row, terms in zip(wanted, items(weights), strict=True):
        afford(4 * worlds * len(wanted) * len(items(terms, 3)))
        found = []
        for mechanism, output, weight in terms:
            indices([mechanism], len(parts))
            indices([output], len(parts[mechanism]))
            need(number(weight) >= 0, "a weight is negative", Rejected)
            scale, part = parts[mechanism][output]
            found.append((number(weight) * Fraction(1, scale), part))
        common, made = denominator(y for y, _ in found), [0] * worlds
        for y, part in found:
            factor = y.numerator * (common // y.denominator)
            made = [m + factor * x for m, x in zip(made, part, strict=True)]
        scale, asked = _whole(row)
        same = all(m * scale == x * common for m, x in zip(made, asked, strict=True))
        need(same, "the combination is another row", Rejected)


def _whole(row: list[Fraction]) -> tuple[int, list[int]]:
    """A common denominator, and the row times it."""
    common = denominator(row)
    return common, [value.numerator * (common // value.denominator) for value in row]


def _check_outside(wanted: list[list[Fraction]], given: list[Table], witness: Any) -> None:
    """An inequality that holds for all rows of the given mechanisms and for this output not."""
    indices([witness["output"]], len(wanted))
    rows = _directions(given)
    (inequality,) = _integers([witness["inequality"]], rows)
    need(all(_product(inequality, row) >= 0 for row in rows), "the inequality fails", Rejected)
    row = wanted[witness["output"]]
    need(sum(a * x for a, x in zip(inequality, row, strict=True)) < 0, "it holds", Rejected)


def _rows(table: Table) -> list[list[Fraction]]:
    """A likelihood matrix by outputs."""
    values, columns = table
    return [[values[code] for code in row] for row in zip(*columns, strict=True)]


def _directions(tables: list[Table]) -> list[Row]:
    """The different directions of rows, as integers without a common divisor."""
    found: dict[Row, None] = {}
    for table in tables:
        common = denominator(table[0])
        whole = [value.numerator * (common // value.denominator) for value in table[0]]
        for codes in zip(*table[1], strict=True):
            row = [whole[code] for code in codes]
            divisor = gcd(*row)
            if divisor:
                found[tuple(value // divisor for value in row)] = None
    return list(found)


def _integers(listed: Any, rows: list[Row]) -> list[Row]:
    """Lists of integers, one for each world."""
    found = [tuple(numbers(part)) for part in items(listed)]
    need(all(len(part) == len(rows[0]) for part in found), "one coefficient for each world")
    need(all(v.denominator == 1 for part in found for v in part), "coefficients are integers")
    return [tuple(value.numerator for value in part) for part in found]


def _rank(rows: list[Row]) -> int:
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


def _product(left: Row, right: Row) -> int:
    return sum(map(mul, left, right))

"""Certificates about what given mechanisms make: mixtures of post-processings, and row cones.

Kind "post_processing": M' is such a mixture, or payoffs with which it earns more than any of them.

Kind "row_cone": how many facets the row cone of given mechanisms has, or whether it holds every row
of another mechanism. That all facets are there rests on this. Let K be a pointed cone of dimension
d ≥ 2 and F some of its facets, at least one, such that for each f in F the intersections f ∩ g of
dimension d − 2, g in F, are all facets of f. Then F has all facets of K. For every facet of f lies
on exactly one other facet of K, which then is in F: from f one reaches only members of F by
stepping across, and all facets of a polytope are reached so. The facets of f are settled likewise,
down to faces that are simplices: d independent rows, of which any d − 1 span a facet.

Of all mechanisms with rows in the row cone of one mechanism, with rows w_1, …, w_n, some are
extreme. A mechanism with rows x_o = Σ_i y_oi w_i, y ≥ 0, is a post-processing of the one with rows
λ_i w_i for λ_i = Σ_o y_oi, and Σ_i λ_i w_i = (1, …, 1). So all are mixtures of post-processings of
those for the extreme λ ≥ 0 with this sum: such a λ is a mean of extreme ones. The λ ≥ 0 for which
Σ_i λ_i w_i is the same in every world are a cone; its extreme rays are settled as facets are.
"""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd
from operator import and_, mul
from typing import Any

from . import exponentials
from . import reading as read
from .document import Budget, afford, fields, index, indices, items, mapping, need, prove
from .reading import COMMON, ONE, Case, Table, ratio, whole
from .rules import Row, multiples, vanishes

PRIME = 2**127 - 1  # a rank modulo a prime is at most the rank
Whole = tuple[int, ...]


def check_post_processing(case: Case) -> bool:
    """Whether the mechanism of a `case` is a mixture of given ones, as its witness proves or
    refutes."""
    fields(case.claim, COMMON)
    need(case.relation is None, "this kind has no relation")
    return is_mixture(case.model.table, case.model.given, case.witness)


def is_mixture(wanted: Table, given: Sequence[Table], witness: Any) -> bool:
    """Whether a `witness` proves that the `wanted` mechanism is a mixture of post-processings of
    `given` ones. It may prove the contrary, or else is rejected."""
    if "mixture" in mapping(witness):
        check_mixture(wanted, given, *fields(witness, "mixture"))
        return True
    _check_payoff(wanted, given, *fields(witness, "payoff earns best"))
    return False


def check_mixture(wanted: Table, given: Sequence[Table], parts: Any) -> None:
    """Σ_k p_k A_k M_k is the `wanted` mechanism, for `given` M_k and `parts`, p_k and A_k of each.

    For each output of M_k its column of A_k is listed, as pairs of an output of the wanted one and
    a probability; with p_k = 0 nothing is.
    """
    made: list[list[tuple[Fraction, Row]]] = [[(-ONE, row)] for row in Row.all_of(wanted)]
    worlds, weights = len(wanted.columns), []
    for part, table in zip(items(parts), given, strict=True):
        stated, listed = fields(part, "weight post_processing")
        weight, rows = read.number(stated), Row.all_of(table)
        weights.append(weight)
        need(listed == [] or weight, "a mechanism with weight 0 is not processed")
        for row, column in zip(rows if weight else (), items(listed), strict=True):
            chances = read.sparse(column, len(made))
            fits = read.is_distribution([*chances.values()], len(chances))
            prove(fits, "a post-processing is negative, or does not sum to 1")
            for place, p in chances.items():
                made[place].append((weight * p, row))
    prove(read.is_distribution(weights, len(given)), "weights are negative, or do not sum to 1")
    afford(4 * worlds * sum(map(len, made)))
    prove(all(vanishes(worlds, terms) for terms in made), "the mixture is another mechanism")


def _check_payoff(
    wanted: Table, given: Sequence[Table], payoff: Any, earns: Any, best: Any
) -> None:
    """M' earns so much, the given mechanisms at best so little. Outputs not listed pay 0."""
    (scale, target), worlds = wanted.whole_rows(), len(wanted.columns)
    pays = {o: read.numbers(u) for o, u in read.by_integer(payoff).items()}
    indices([*pays], len(target))
    need(all(len(u) == worlds for u in pays.values()), "a payoff for each world")
    unit, parts = whole([x for u in pays.values() for x in u])
    entries = iter(parts)
    scaled = {output: tuple([next(entries) for _ in u]) for output, u in pays.items()}
    earned = sum(_product(u, target[output]) for output, u in scaled.items())
    prove(read.number(earns) == ratio(earned, scale * unit), "the mechanism earns another sum")
    announced = set(scaled.values())
    if len(scaled) < len(target):
        announced.add((0,) * worlds)
    afford(4 * worlds * len(announced) * sum(len(t.columns[0]) for t in given))
    most = max(_most(table, announced) for table in given) * ratio(1, unit)
    prove(read.number(best) == most, "the best is another")
    prove(read.number(earns) > most, "a post-processing may earn as much")


def _most(table: Table, announced: Collection[Whole]) -> Fraction:
    """What a mechanism earns if one of the payoffs announced is chosen for each output."""
    scale, rows = table.whole_rows()
    return ratio(sum(max(_product(pays, row) for pays in announced) for row in rows), scale)


def read_extreme(table: Table, sums: Any, rays: Any) -> list[Table]:
    """The extreme mechanisms with rows in the row cone of a `table`, if these are all.

    `sums` has n rows: the λ with Σ_i λ_i w_i the same in every world are λ_i = Σ_k sums[i][k] z_k;
    `rays` are the z of the extreme λ ≥ 0.
    """
    worlds, basis, rows = table.chances(), read.matrix(sums), table.rows()
    size, width = len(rows), len(basis[0])
    need(len(basis) == size and all(len(part) == width for part in basis), "one entry for each row")
    afford(4 * size * width * len(worlds))
    for part in zip(*basis, strict=True):
        made = {sum(map(mul, part, world)) for world in worlds}
        prove(len(made) == 1, "a sum is not the same in every world")
    differences = [[p - q for p, q in zip(world, worlds[0], strict=True)] for world in worlds]
    prove(rank(differences) + width >= size, "there are more sums")
    found = read_rays(basis, rays)
    afford(4 * len(found) * size * (width + len(worlds)))
    return [_scaled([sum(map(mul, part, ray)) for part in basis], rows) for ray in found]


def _scaled(factors: Sequence[Fraction], rows: Sequence[Sequence[Fraction]]) -> Table:
    """The mechanism with rows λ_i w_i in the proportions of some factors, those with 0 left out."""
    share = Fraction(1, sum(y * row[0] for y, row in zip(factors, rows, strict=True)))
    kept = [[y * share * p for p in row] for y, row in zip(factors, rows, strict=True) if y]
    return Table.of(list(zip(*kept, strict=True)))


def check_row_cone(case: Case) -> bool:
    """Whether what a `case` claims of a row cone is so, as its witness proves or refutes.

    It says how many facets there are, or that the rows of a mechanism are in the cone.
    """
    need(case.relation is None, "this kind has no relation")
    if "facets" in case.claim:
        *_, asked, value = fields(case.claim, f"{COMMON} facets value")
        need("outputs" not in case.model.parts, "the model has no mechanism of its own")
        listed = fields(case.witness, "equations facets")
        _, facets = read_facets(case.model.given, *listed)
        prove(read.number(value) == len(facets), "the number of facets is another")
        return read.number(asked) == len(facets)
    fields(case.claim, COMMON)
    return is_inside(case.model.table, case.model.given, case.witness)


def is_inside(wanted: Table, given: Sequence[Table], witness: Any) -> bool:
    """Whether a `witness` proves that all rows of the `wanted` mechanism are in the row cone of
    `given` ones. It may prove the contrary, or else is rejected."""
    if "weights" in witness:
        check_inside(wanted, given, *fields(witness, "weights"))
        return True
    output, inequality = fields(witness, "output inequality")
    rows, own = list(dict.fromkeys(_every(given))), wanted.whole_rows()[1]
    (found,) = _read_whole([inequality], rows)
    prove(all(_product(found, row) >= 0 for row in rows), "the inequality fails")
    prove(_product(found, own[index(output, len(own))]) < 0, "it holds")
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
    """The `rays`, if these are all extreme ones of the z with row · z >= 0 for all `rows`.

    They are facets of the cone that the rows generate. For some z all products are positive.
    """
    found = _reduced(whole(row)[1] for row in rows)
    listed = _read_whole(rays, found)
    _check_facets(found, [], listed)
    return listed


def check_inside(wanted: Table, given: Sequence[Table], weights: Any) -> None:
    """Each row of the `wanted` mechanism is the sum of weight · row over its list of `weights`.

    It has [number of a `given` mechanism, output, weight]."""
    rows, worlds = Row.all_of(wanted), len(wanted.columns)
    parts = {
        (k, o): row for k, table in enumerate(given) for o, row in enumerate(Row.all_of(table))
    }
    for row, terms in zip(rows, items(weights), strict=True):
        afford(4 * worlds * len(rows) * len(items(terms, 3)))
        indices([place for term in terms for place in term[:2]], read.CODES)
        made = multiples((weight, parts[k, output]) for k, output, weight in terms)
        prove(vanishes(worlds, [(-ONE, row), *made]), "the combination is another row")


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


def _every(given: Sequence[Table]) -> list[Whole]:
    """The rows of some mechanisms, times what is positive: integers, unless one is irrational."""
    return [row for table in given for row in table.whole_rows()[1] if any(row)]


def _directions(given: Sequence[Table]) -> list[Whole]:
    """The different directions of the rows of some mechanisms, which are rational."""
    rows = _every(given)
    need(all(type(x) is int for row in rows for x in row), exponentials.NEEDS_RATIONAL)
    return _reduced(rows)


def _reduced(rows: Iterable[Sequence[int]]) -> list[Whole]:
    """Rows that are not 0 without a common divisor, each once."""
    divided = ((row, gcd(*row)) for row in rows)
    return list(dict.fromkeys(tuple([x // divisor for x in row]) for row, divisor in divided))


def _read_whole(listed: Any, rows: list[Whole]) -> list[Whole]:
    """Lists of integers, or of functions, one for each world."""
    found = read.matrix(listed)
    need(all(len(part) == len(rows[0]) for part in found), "one coefficient for each world")
    return [tuple(map(_integer, part)) for part in found]


def _integer(value: Fraction) -> Any:
    """The integer that a value is; on a piece of a parameter's domain it may be a function."""
    if read.FUNCTIONS.get() and read.is_other(value):
        return value
    need(value.denominator == 1, "coefficients are integers")
    return value.numerator


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
    found = (1 << at for at in range(number.bit_length()))
    return [bit for bit in found if number & bit]


def _product(left: Sequence[int], right: Sequence[Any]) -> Any:
    return sum(map(mul, left, right))

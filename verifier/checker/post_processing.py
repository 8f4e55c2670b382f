"""Certificates of kind "post_processing": M' as a mixture of post-processings of given mechanisms,
or payoffs with which M' earns more than any of them.

Of all mechanisms that have their rows in the row cone of one mechanism, with rows w_1, …, w_n, some
are extreme. A mechanism with rows x_o = Σ_i y_oi w_i, y ≥ 0, is a post-processing of the one with
rows λ_i w_i for λ_i = Σ_o y_oi, and Σ_i λ_i w_i = (1, …, 1). So all are mixtures of
post-processings of those with rows λ_i w_i for the extreme λ ≥ 0 with this sum: such a λ is a mean
of extreme ones. The λ ≥ 0 for which Σ_i λ_i w_i is the same in every world are a cone, and its
extreme rays are known to be all by the argument for facets of row cones.
"""

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from .reading import (
    COMMON,
    ONE,
    Table,
    afford,
    denominator,
    distribution,
    fields,
    index,
    indices,
    items,
    mapping,
    need,
    number,
    numbers,
    prove,
    read_given,
    read_table,
)
from .row_cone import rank, read_rays
from .rules import Row, vanishes


def check_post_processing(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the `witness` is a mixture rather than payoffs, for the mechanism of the `model` and
    those that it gives, if it proves what it says; the `claim` has nothing else, and there is no
    `relation`."""
    fields(claim, COMMON)
    need(relation is None, "this kind has no relation")
    return is_mixture(read_table(model), read_given(model), witness)


def is_mixture(wanted: Table, given: Sequence[Table], witness: Any) -> bool:
    """Whether the `witness` proves that the `wanted` mechanism is a mixture of post-processings of
    `given` ones, rather than that it is not."""
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
    weights = []
    for part, table in zip(items(parts), given, strict=True):
        weight, listed = fields(part, "weight post_processing")
        weights.append(number(weight))
        prove(weights[-1] >= 0, "a weight is negative")
        if not weights[-1]:
            need(listed == [], "a mechanism with weight 0 is not processed")
            continue
        rows = Row.all_of(table)
        need(len(items(listed)) == len(rows), "each output is processed")
        for row, column in zip(rows, listed, strict=True):
            for place, p in _read_column(column, len(made)).items():
                made[place].append((weights[-1] * p, row))
    prove(sum(weights) == 1, "weights do not sum to 1")
    worlds = len(wanted.columns)
    afford(4 * worlds * sum(map(len, made)))
    prove(all(vanishes(worlds, terms) for terms in made), "the mixture is another mechanism")


def _read_column(column: Any, outputs: int) -> dict[int, Fraction]:
    """A distribution of outputs, as pairs."""
    places = indices([place for place, _ in items(column, 2)], outputs)
    need(len(set(places)) == len(places), "an output stands twice")
    chances = distribution([p for _, p in column], len(places), "a post-processing")
    return dict(zip(places, chances, strict=True))


def _check_payoff(
    wanted: Table, given: Sequence[Table], payoff: Any, earns: Any, best: Any
) -> None:
    """M' earns so much, the given mechanisms at best so little. Outputs not listed pay 0."""
    scale, target = wanted.whole_rows()
    pays = {index(int(output), len(target)): numbers(u) for output, u in mapping(payoff).items()}
    need(list(map(str, pays)) == list(payoff), "an output is the text of a number")
    need(all(len(u) == len(wanted.columns) for u in pays.values()), "a payoff for each world")
    unit = denominator(x for u in pays.values() for x in u)
    whole = {output: tuple([int(x * unit) for x in u]) for output, u in pays.items()}
    earned = sum(_dot(u, target[output]) for output, u in whole.items())
    prove(number(earns) == Fraction(earned, scale * unit), "the mechanism earns another sum")
    announced = set(whole.values())
    if len(whole) < len(target):
        announced.add((0,) * len(wanted.columns))
    afford(4 * len(wanted.columns) * len(announced) * sum(len(t.columns[0]) for t in given))
    most = max(
        Fraction(sum(max(_dot(u, row) for u in announced) for row in rows), own * unit)
        for own, rows in (table.whole_rows() for table in given)
    )
    prove(number(best) == most, "the best is another")
    prove(number(earns) > most, "a post-processing may earn as much")


def _dot(pays: Sequence[int], row: Sequence[int]) -> int:
    return sum(map(mul, pays, row))


def read_extreme(table: Table, sums: Any, rays: Any) -> list[Table]:
    """The extreme mechanisms with rows in the row cone of a `table`, if these are all.

    `sums` has n rows: the λ with Σ_i λ_i w_i the same in every world are λ_i = Σ_k sums[i][k] z_k;
    `rays` are the z of the extreme λ ≥ 0.
    """
    worlds, basis = table.chances(), list(map(numbers, items(sums)))
    rows = table.rows()
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
    return [_mechanism([sum(map(mul, part, ray)) for part in basis], rows) for ray in found]


def _mechanism(factors: Sequence[Fraction], rows: Sequence[Sequence[Fraction]]) -> Table:
    """The mechanism with rows λ_i w_i in the proportions of some factors, those with 0 left out."""
    share = Fraction(1, sum(y * row[0] for y, row in zip(factors, rows, strict=True)))
    scaled = [[y * share * p for p in row] for y, row in zip(factors, rows, strict=True) if y]
    return Table.of(list(zip(*scaled, strict=True)))

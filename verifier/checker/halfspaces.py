"""The inequalities that a pure definition asks of every row of a mechanism, re-derived.

A comparison of columns i and j at distance d is column_i <= alpha^d column_j. Of the mechanism in
which every world is its own output, column_i lists the weights with which i averages the worlds.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .comparison import condition
from .reading import afford, indices, items, need, number
from .relation import read_blocks

MOST_BITS = 10**5  # of a power of a level
Row = dict[int, Fraction]  # world -> coefficient, of an inequality <= 0
Key = tuple[tuple[int, Fraction], ...]


def key(row: Row) -> Key:
    """An inequality up to a positive factor."""
    kept = [(w, h) for w, h in sorted(row.items()) if h]
    return tuple((w, Fraction(h, abs(kept[0][1]))) for w, h in kept)


def read_row(listed: Any, worlds: int) -> Row:
    """World -> coefficient, out of pairs."""
    row = {w: number(h) for w, h in items(listed, 2)}
    need(len(indices([w for w, _ in listed], worlds)) == len(row), "a world stands twice")
    return row


def read_halfspaces(relation: Any, model: Any, alpha: Fraction) -> Iterator[Row]:
    """Every inequality of a relation at a level; some may repeat."""
    worlds = range(len(model["worlds"]))
    table = [Fraction(0), Fraction(1)], [[int(w == o) for o in worlds] for w in worlds]
    if relation["rule"] == "secrets" and relation["priors"]["class"] in ("list", "conditionals"):
        table, _, blocks = condition(relation, model, table)
    else:
        blocks = read_blocks(relation, model)
    values, columns = table
    sides = [{w: values[c] for w, c in enumerate(column) if values[c]} for column in columns]
    steps, size = 0, max(map(int.bit_length, alpha.as_integer_ratio()))
    for left, right, distance in blocks:
        need(distance.denominator == 1, "a distance is a whole number")
        need(distance == 1 or distance * size <= MOST_BITS, "a power of the level is too long")
        steps += len(left) * len(right) * 4 * len(worlds)
        afford(steps)
        factor = alpha**distance.numerator
        for i in left:
            for j in (j for j in right if j != i):
                row = dict(sides[i])
                for w, weight in sides[j].items():
                    row[w] = row.get(w, Fraction(0)) - factor * weight
                yield row

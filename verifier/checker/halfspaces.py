"""The inequalities that a pure definition asks of every row of a mechanism, re-derived.

A comparison of columns i and j at distance d is column_i <= alpha^d column_j. Of the mechanism in
which every world is its own output, column_i lists the weights with which i averages the worlds.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from .comparison import read_compared
from .reading import ONE, ZERO, Budget, Table, afford, indices, items, need, number, prove
from .rules import Row, Terms, multiples

MOST_BITS = 10**5  # of a power of a level
Halfspace = dict[int, Fraction]  # world -> coefficient, of an inequality <= 0
Key = tuple[tuple[int, Fraction], ...]


def key(halfspace: Halfspace) -> Key:
    """A `halfspace` up to a positive factor."""
    kept = [(w, h) for w, h in sorted(halfspace.items()) if h]
    return tuple((w, Fraction(h, abs(kept[0][1]))) for w, h in kept)


def read_halfspace(listed: Any, worlds: int) -> Halfspace:
    """The inequality `listed` by pairs of a world, one of so many `worlds`, and a coefficient."""
    found = {w: number(h) for w, h in items(listed, 2)}
    need(len(indices([w for w, _ in listed], worlds)) == len(found), "a world stands twice")
    return found


def read_used(listed: Any, asked: Collection[Key], worlds: int) -> list[Row]:
    """The inequalities `listed` for proofs, each of them `asked` of rows over so many `worlds`."""
    used = [read_halfspace(one, worlds) for one in items(listed)]
    prove(all(key(one) in asked for one in used), "another inequality")
    return [Row.of(one) for one in used]


def read_multiples(listed: Any, used: Sequence[Row]) -> Terms:
    """Multiples of some inequalities that are `used`, `listed` by pairs of a place and a number."""
    indices([at for at, _ in listed], len(used))
    return multiples((y, used[at]) for at, y in listed)


def admits(asked: Collection[Halfspace], rows: Sequence[Sequence[Fraction]]) -> bool:
    """Whether all `rows` of a mechanism satisfy every inequality that is `asked`."""
    afford(4 * len(rows) * sum(map(len, asked)))
    return all(sum(h * row[w] for w, h in one.items()) <= 0 for row in rows for one in asked)


def read_halfspaces(relation: Any, model: Any, alpha: Fraction) -> Iterator[Halfspace]:
    """Every inequality that a `relation` of the worlds of a `model` asks at the level `alpha`; some
    may repeat."""
    worlds = range(len(model["worlds"]))
    identity = Table([ZERO, ONE], [[int(w == o) for o in worlds] for w in worlds])
    compared = read_compared(relation, model, identity)
    sides = [{w: p for w, p in enumerate(chances) if p} for chances in compared.table.chances()]
    budget, size = Budget(), max(map(int.bit_length, alpha.as_integer_ratio()))
    for left, right, distance in compared.blocks:
        need(distance.denominator == 1, "a distance is a whole number")
        need(distance == 1 or distance * size <= MOST_BITS, "a power of the level is too long")
        budget.spend(len(left) * len(right) * 4 * len(worlds))
        yield from _against(sides, left, right, alpha**distance.numerator)


def _against(
    sides: Sequence[Halfspace], left: Iterable[int], right: Sequence[int], factor: Fraction
) -> Iterator[Halfspace]:
    """Each column of the left minus a factor times each other one of the right."""
    for i in left:
        for j in (j for j in right if j != i):
            row = dict(sides[i])
            for w, weight in sides[j].items():
                row[w] = row.get(w, ZERO) - factor * weight
            yield row

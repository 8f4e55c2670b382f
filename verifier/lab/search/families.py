"""Tables of small numbers, all of them up to symmetry.

A table has a distribution over the outputs for each world. Worlds come in classes. Tables that
differ by the order of the outputs, by the order of worlds in a class, or by that of two classes
that may be swapped, are the same; one of them is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from random import Random

Row = tuple[Fraction, ...]  # a distribution over the outputs
Table = tuple[tuple[Row, ...], ...]  # rows of the worlds of each class


def tables(sizes: Sequence[int], outputs: int, denominator: int, swap: bool) -> Iterator[Table]:
    """Each table of some size, once up to symmetry.

    sizes        how many worlds each class has
    outputs      how many there are, each of which some world can give
    denominator  the largest one of the numbers
    swap         whether the first two classes may be swapped

    >>> [[str(p) for ((p, _), ) in table] for table in tables([1, 1], 2, 2, True)]
    [['0', '1/2'], ['1/2', '1/2']]
    """
    rows = distributions(outputs, denominator)
    for table in product(*(combinations_with_replacement(rows, size) for size in sizes)):
        every = [row for part in table for row in part]
        if max(p.denominator for row in every for p in row) != denominator:
            continue
        if all(map(any, zip(*every, strict=True))) and _is_first(table, swap):
            yield table


def drawn(sizes: Sequence[int], outputs: int, denominator: int, random: Random) -> Table:
    """Any table with no larger denominators."""
    rows = distributions(outputs, denominator)
    return tuple(tuple(random.choices(rows, k=size)) for size in sizes)


@lru_cache(maxsize=64)
def distributions(size: int, denominator: int) -> tuple[Row, ...]:
    """All distributions over so many things, the denominator of each number at most the given one.

    >>> [tuple(map(str, row)) for row in distributions(2, 2)]
    [('0', '1'), ('1/2', '1/2'), ('1', '0')]
    """
    numbers = sorted({Fraction(a, b) for b in range(1, denominator + 1) for a in range(b + 1)})

    def rest(count: int, left: Fraction) -> Iterator[Row]:
        if count == 1:
            yield from [(left,)] if left.denominator <= denominator else []
            return
        for number in numbers:
            if number <= left:
                yield from ((number, *others) for others in rest(count - 1, left - number))

    return tuple(rest(size, Fraction(1)))


def _is_first(table: Table, swap: bool) -> bool:
    """Whether no table that is the same comes before it."""
    for order in permutations(range(len(table[0][0]))):
        other = tuple(
            tuple(sorted(tuple(row[at] for at in order) for row in part)) for part in table
        )
        if other < table or (swap and (other[1], other[0], *other[2:]) < table):
            return False
    return True

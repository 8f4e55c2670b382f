"""Cells of a complete product of digits, in the order of their numbers, by the digits that move.

The number of a cell is that of its digits, the first one counting ones. So every n-th cell has the
same first digit, where n is how many it can be; and the cells, taken by their first digits, are
those of the numbers whose last digit that one is.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

T = TypeVar("T")


def arranged(numbers: Sequence[int], entries: Sequence[Any], size: int) -> list[Any] | None:
    """The `entries` in the order of their `numbers`, if these are all below `size`, each once."""
    if not len(set(numbers)) == len(numbers) == size:
        return None
    cells: list[Any] = [None] * size
    for number, entry in zip(numbers, entries, strict=True):
        cells[number] = entry
    return cells


def splits(
    parts: list[list[Any]], places: Sequence[Sequence[T]], count: int
) -> Iterator[tuple[list[Sequence[T]], list[list[Any]]]]:
    """For each choice of `count` places those chosen, and the cells by the digits there.

    parts   cells in the order of their numbers, one list or several
    places  what the digits of each place stand for, in their order

    At one position of all lists there are cells that differ only in the digits of the choice. The
    first of these changes slowest."""
    if not count:
        yield [], parts
        return
    place, *rest = places
    turned = [[part[digit :: len(place)] for digit in range(len(place))] for part in parts]
    for chosen, found in splits(list(chain.from_iterable(turned)), rest, count - 1):
        yield [place, *chosen], found
    if count <= len(rest):
        yield from splits([list(chain.from_iterable(pieces)) for pieces in turned], rest, count)

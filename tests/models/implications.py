"""The smallest level of one definition that another implies, by trying all extreme rows.

Where every two neighbours are within a factor α of each other, and neighbours connect all worlds,
an extreme row has as many equations x_w = α x_v as connect its worlds: it consists of powers of α.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from tests.models.brute_force import (
    INFINITE,
    Level,
    databases,
    one_differs,
)

Near = Callable[[Any, Any], bool]


def along_paths(worlds: Sequence[Any], near: Near, alpha: Fraction, pairs: Iterable[Any]) -> Level:
    """α to the longest of the shortest paths between pairs: no ratio is larger along a path, and
    the row α^-(distance from a world) has it."""
    lengths = {start: _lengths(worlds, near, start) for start in worlds}
    found = [lengths[w].get(v) for w, v in pairs]
    return INFINITE if None in found else alpha ** max(k for k in found if k is not None)


def _lengths(worlds: Sequence[Any], near: Near, start: Any) -> dict[Any, int]:
    """The length of a shortest path to each world that can be reached."""
    lengths, edge = {start: 0}, [start]
    while edge:
        found = {v for w in edge for v in worlds if near(w, v)} - set(lengths)
        lengths |= dict.fromkeys(found, lengths[edge[0]] + 1)
        edge = sorted(found)
    return lengths


def extreme_rows(
    worlds: Sequence[Any], near: Near, alpha: Fraction
) -> Iterator[dict[Any, Fraction]]:
    """Rows of powers of α, the extreme ones among them."""
    for powers in product(range(len(worlds)), repeat=len(worlds)):
        row = dict(zip(worlds, powers, strict=True))
        if all(row[w] - row[v] <= 1 for w in worlds for v in worlds if near(w, v)):
            yield {w: alpha**k for w, k in row.items()}


def policies_compared() -> list[Level]:
    worlds, two = databases(3, (0, 1, 2)), Fraction(2)
    ordered = [(w, v) for w in worlds for v in worlds if w != v]
    neighbours = [pair for pair in ordered if one_differs(*pair)]

    def distance(w: tuple[int, ...], v: tuple[int, ...]) -> int:
        return sum(abs(x - y) for x, y in zip(w, v, strict=True))

    def in_line(w: tuple[int, ...], v: tuple[int, ...]) -> bool:
        return distance(w, v) == 1

    def within(w: tuple[int, ...], v: tuple[int, ...]) -> bool:
        return one_differs(w, v) and all(
            x == y or 2 not in (x, y) for x, y in zip(w, v, strict=True)
        )

    assert all(along_paths(worlds, in_line, two, [p]) == two ** distance(*p) for p in ordered[:99])
    return [
        along_paths(worlds, in_line, two, neighbours),
        along_paths(worlds, one_differs, two, [p for p in ordered if in_line(*p)]),
        along_paths(worlds, within, two, neighbours),
        along_paths(worlds, in_line, two, ordered),
        two,  # a factor 2 for each unit of distance, as asserted above
    ]

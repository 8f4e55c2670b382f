"""The smallest level of one definition that another implies, by trying all extreme rows.

Where every two neighbours are within a factor α of each other, and neighbours connect all worlds,
an extreme row has as many equations x_w = α x_v as connect its worlds: it consists of powers of α.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from tests.models.brute_force import (
    INFINITE,
    Level,
    Prior,
    Row,
    coin,
    databases,
    differential_privacy,
    independent,
    one_differs,
)
from tests.models.closures import is_refuted_by

Near = Callable[[Any, Any], bool]
Average = Mapping[Any, Fraction]  # world -> weight


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


def over_extreme_rows(
    worlds: Sequence[Any],
    near: Near,
    alpha: Fraction,
    compared: Iterable[tuple[Average, Average]],
) -> Fraction:
    """The largest ratio of two averages over rows of powers of α."""
    listed = list(compared)
    return max(
        sum(p * row[w] for w, p in left.items()) / sum(p * row[w] for w, p in right.items())
        for row in extreme_rows(worlds, near, alpha)
        for left, right in (*listed, *((b, a) for a, b in listed))
    )


def extreme_rows(
    worlds: Sequence[Any], near: Near, alpha: Fraction
) -> Iterator[dict[Any, Fraction]]:
    """Rows of powers of α, the extreme ones among them."""
    for powers in product(range(len(worlds)), repeat=len(worlds)):
        row = dict(zip(worlds, powers, strict=True))
        if all(row[w] - row[v] <= 1 for w in worlds for v in worlds if near(w, v)):
            yield {w: alpha**k for w, k in row.items()}


def definitions_compared() -> list[Level]:
    worlds, two = databases(2, (0, 1)), Fraction(2)
    ordered = [(w, v) for w in worlds for v in worlds if w != v]
    neighbours = [pair for pair in ordered if one_differs(*pair)]
    steps = along_paths(worlds, one_differs, two, neighbours)
    all_pairs = along_paths(worlds, one_differs, two, ordered)

    def sides(prior: Prior) -> list[tuple[Row, Row]]:
        """P(. | record = 0) and P(. | record = 1), as averages."""
        found = []
        for record in (0, 1):
            halves = [{w: p for w, p in prior.items() if w[record] == x} for x in (0, 1)]
            first, second = ({w: p / sum(h.values()) for w, p in h.items()} for h in halves)
            found.append((first, second))
        return found

    twins = {(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}
    siblings = {w: Fraction(3, 8) if w[0] == w[1] else Fraction(1, 8) for w in worlds}
    uniform = independent([coin(Fraction(1, 2))] * 2)
    response = {w: independent([coin(Fraction(1 + 2 * x, 4)) for x in w]) for w in worlds}
    loud = {w: coin(Fraction(1 + 2 * (sum(w) % 2), 4)) for w in worlds}
    assert differential_privacy(loud, one_differs) == 3
    # Theorem 4.3 for the string 00, turned: coefficients p^ham (p - 1)^(2 - ham), times 16
    facet = {w: Fraction(-(3 ** sum(w)) * (-1) ** sum(w)) for w in worlds}
    even = {w: Fraction(sum(w) % 2 == 0) for w in worlds}
    for halves in sides(uniform):
        masses = [sum(p * even[w] for w, p in half.items()) for half in halves]
        assert masses == [Fraction(1, 2), Fraction(1, 2)]
    assert even[0, 0] > 0 == even[0, 1]
    return [
        all_pairs,
        along_paths(worlds, anybody_else, two, neighbours),
        steps,  # Theorem 6.1 both ways: the same comparisons
        steps,
        over_extreme_rows(worlds, one_differs, two, sides(twins)),
        over_extreme_rows(worlds, one_differs, two, sides(siblings)),
        INFINITE,
        # Theorem 3.1: any two worlds differ in some record
        along_paths(worlds, anybody_else, two, ordered),
        all_pairs,
        differential_privacy(response, one_differs),  # each of its rows is one of the cone
        is_refuted_by({1: facet}, loud, [response]),
    ]


def anybody_else(w: object, v: object) -> bool:
    return w != v


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

"""Histograms that are near each other: how cheaply records can be moved from one to another.

Two histograms are as far apart as the nearest lists of records that have them. So a distance that
adds up over the records is the cost of an optimal transport, which depends on the difference of
the counts alone. Differences are found from 0 on, one move after the other, and then looked up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heappop, heappush
from itertools import combinations

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.space import WorldSpace

MAX_COMPARED = 2 * 10**8  # counts of a histogram that are compared with those of another
MAX_VALUES = 12  # of a record, where every set of values is tried

Move = tuple[int, int]  # of one record, from a value to another one, by their codes
Found = tuple[np.ndarray, np.ndarray]  # worlds, and as many neighbours of theirs


def moves(space: WorldSpace, rule: str) -> dict[Move, int]:
    """The moves of one record of `space` that a `rule` knows, and how many changes each is.

    replace     from one value to another, one change
    add_remove  from a value to ⊥, or back, one change
    entry       from one value to another, as many as attributes that differ
    """
    values, gone = range(len(space.record_values)), space.absent_code
    rows = space.of_one_record().entry_codes.T

    return {
        (x, y): int((rows[x] != rows[y]).sum()) if rule == "entry" else 1
        for x in values
        for y in values
        if x != y and (gone in (x, y)) == (rule == "add_remove")
    }


def costs(
    space: WorldSpace, steps: Mapping[Move, int], limit: int | None
) -> dict[tuple[int, ...], int]:
    """The differences of counts that moves of one record each bring about, and their least costs.

    space  of histograms
    steps  the moves, and the cost of each, above 0
    limit  the largest cost that matters; None: any, where no two moves are cheaper than one

    LimitReached where they are too many.
    """
    assert space.counts is not None
    size, records = len(space.record_values), space.record_count
    widest = np.full(size, records) if limit is not None else np.ptp(space.counts, axis=1)
    most = widest.tolist()  # of records that a value gains or loses
    found: dict[tuple[int, ...], int] = {}
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, (0,) * size)]
    while waiting:
        cost, here = heappop(waiting)
        if here in found:
            continue
        found[here] = cost
        if len(found) * size * space.size > MAX_COMPARED:
            raise LimitReached(f"neighbours of {space.size} histograms are too many")
        for (x, y), more in steps.items():
            there = list(here)
            there[x], there[y] = there[x] - 1, there[y] + 1
            within = limit is None or cost + more <= limit
            within = within and abs(there[x]) <= most[x] and abs(there[y]) <= most[y]
            if within and sum(map(abs, there)) <= 2 * records and tuple(there) not in found:
                heappush(waiting, (cost + more, tuple(there)))
    del found[(0,) * size]
    return found


def change(values: int, move: Move) -> tuple[int, ...]:
    """The difference of counts of so many `values` that one `move` makes.

    >>> change(3, (0, 2))
    (-1, 0, 1)
    """
    x, y = move
    return tuple((v == y) - (v == x) for v in range(values))


def displaced(space: WorldSpace, differences: Collection[tuple[int, ...]]) -> Iterator[Found]:
    """For each of some `differences` of counts the histograms of `space` that differ by it."""
    assert space.counts is not None
    counts, base = space.counts, space.record_count + 1
    wide = base ** len(counts) >= 2**62
    digits = np.array([base**v for v in range(len(counts))], dtype=object if wide else np.int64)
    keys = digits @ counts
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    for difference in differences:
        change = np.array(difference)
        falls = np.flatnonzero(change < 0)
        left = np.flatnonzero((counts[falls] + change[falls, None] >= 0).all(axis=0))
        wanted = keys[left] + digits @ change
        place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        there = ordered[place] == wanted
        yield left[there], order[place[there]]


def near(space: WorldSpace, rule: str, group: int) -> list[Found]:
    """The pairs of different histograms of `space` that up to `group` changes by a `rule` join."""
    found = displaced(space, costs(space, moves(space, rule), group))
    return [_with_room(space, *pair) for pair in found] if rule == "add_remove" else list(found)


def _with_room(space: WorldSpace, left: np.ndarray, right: np.ndarray) -> Found:
    """Those pairs in which only records are added that were absent before: a record that is
    removed cannot come back with another value."""
    assert space.counts is not None and space.absent_code is not None
    change = np.delete(space.counts[:, right] - space.counts[:, left], space.absent_code, axis=0)
    room = np.maximum(change, 0).sum(axis=0) <= space.counts[space.absent_code, left]
    return left[room], right[room]


def bottleneck(space: WorldSpace, joined: np.ndarray) -> list[Found]:
    """The pairs of different histograms of `space` such that every record can keep its value, or
    move to one that is joined with it.

    joined  shape (values, values), Boolean

    By Hall's theorem they are those where no set of values has more records than the values that
    it can move to, in the other histogram. LimitReached for too many values.
    """
    assert space.counts is not None
    counts, values = space.counts, len(space.record_values)
    if values > MAX_VALUES or space.size**2 * 2**values > MAX_COMPARED:
        raise LimitReached(f"pairs of {space.size} histograms of {values} values are too many")
    reach = joined | np.eye(values, dtype=bool)
    fits = np.ones((space.size, space.size), dtype=bool)
    for size in range(1, values):
        for chosen in combinations(range(values), size):
            targets = reach[list(chosen)].any(axis=0)
            here, there = counts[list(chosen)].sum(axis=0), counts[targets].sum(axis=0)
            fits &= here[:, None] <= there[None, :]
    np.fill_diagonal(fits, False)
    left, right = np.nonzero(fits)
    return [(left, right)]

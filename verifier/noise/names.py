"""Draws named by what is known of them, so that what differs in names of draws alone is equal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from verifier.noise.draws import Condition, Draw, Law, Number, Path

MANY = 10**9  # more draws than a program makes, whose numbers begin at 1
NONE = frozenset[Draw]()
Placed = tuple[tuple[tuple[int, int], ...], Number]  # of draws by their places; a constant
Row = tuple[list[tuple[int, int]], Number]


@lru_cache(maxsize=2**14)
def renamed(path: Path, live: frozenset[Draw] = NONE) -> Path:
    """A `path` after one-to-one names of its draws that are not `live`: names which other draws
    with the same laws and comparisons would get too.

    They are told apart by their laws, by the comparisons that they are in, and by the draws that
    these are with, as far as this tells: of two that are alike the first stays the first. So equal
    results have equal probabilities, jointly with live draws; but what is alike is not always found
    to be.
    """
    dead = path.draws - live
    if not dead:
        return path
    kept = sorted(path.draws & live)
    draws = [*kept, *sorted(dead)]
    at = {draw: place for place, draw in enumerate(draws)}
    rows = [
        ([(at[draw], factor) for draw, factor in terms], constant)
        for terms, constant in path.tight.items()
    ]
    order = [*range(len(kept)), *_order([draw.law for draw in draws], len(kept), rows)]
    place = {old: new for new, old in enumerate(order)}
    conditions = frozenset(
        (tuple(sorted([(place[old], factor) for old, factor in terms])), constant)
        for terms, constant in rows
    )
    return _path(tuple(kept), tuple(draws[old].law for old in order[len(kept) :]), conditions)


@lru_cache(maxsize=2**14)
def _path(kept: tuple[Draw, ...], laws: tuple[Law, ...], conditions: frozenset[Placed]) -> Path:
    """The path with `conditions` on some draws that are kept, and on others with these laws."""
    draws = [*kept, *(Draw(place - MANY, law) for place, law in enumerate(laws))]
    found = (
        Condition(tuple(sorted((draws[at], factor) for at, factor in terms)), constant)
        for terms, constant in conditions
    )
    return Path(frozenset(found))


def _order(laws: Sequence[Law], kept: int, rows: Sequence[Row]) -> list[int]:
    """All draws but those that are `kept`, the first ones, by what tells them apart: at first laws,
    then again and again their comparisons, `rows`, with others that have been told apart."""
    ranks = {law: rank for rank, law in enumerate(sorted({*laws[kept:]}))}
    colors = [-1 - at for at in range(kept)] + [ranks[law] for law in laws[kept:]]
    order, count = list(range(kept, len(laws))), len(ranks)
    while True:
        told: list[list[Any]] = [[] for _ in laws]
        for terms, constant in rows:
            colored = [(colors[draw], factor) for draw, factor in terms]
            for at, (draw, factor) in enumerate(terms):
                others = sorted(colored[:at] + colored[at + 1 :])
                told[draw].append((factor, others, constant))
        keys = {draw: (colors[draw], sorted(told[draw])) for draw in order}
        order = sorted(order, key=keys.__getitem__)
        rank, last = -1, None
        for draw in order:
            rank += keys[draw] != last
            colors[draw], last = rank, keys[draw]
        if rank + 1 in (count, len(order)):
            return order
        count = rank + 1

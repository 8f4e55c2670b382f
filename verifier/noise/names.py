"""Draws named by what is known of them, so that what differs in names of draws alone is equal."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from verifier.noise.draws import Condition, Draw, Law, Number, Path

MANY = 10**9  # more draws than a program makes, whose numbers begin at 1
NONE = frozenset[Draw]()
Placed = tuple[tuple[tuple[int, int], ...], Number]  # of draws by their places; a constant


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
    order = [*kept, *_order(path, sorted(dead), kept)]
    place = {draw: at for at, draw in enumerate(order)}
    conditions = frozenset(
        (tuple(sorted((place[draw], factor) for draw, factor in terms)), constant)
        for terms, constant in path.tight.items()
    )
    return _path(tuple(kept), tuple(draw.law for draw in order[len(kept) :]), conditions)


@lru_cache(maxsize=2**14)
def _path(kept: tuple[Draw, ...], laws: tuple[Law, ...], conditions: frozenset[Placed]) -> Path:
    """The path with `conditions` on some draws that are kept, and on others with these laws."""
    draws = [*kept, *(Draw(place - MANY, law) for place, law in enumerate(laws))]
    found = (
        Condition(tuple(sorted((draws[at], factor) for at, factor in terms)), constant)
        for terms, constant in conditions
    )
    return Path(frozenset(found))


def _order(path: Path, dead: list[Draw], kept: list[Draw]) -> list[Draw]:
    """The `dead` draws of a `path` by what tells them apart: at first laws, then again and again
    their comparisons with others that have been told apart."""
    ranks = {law: rank for rank, law in enumerate(sorted({draw.law for draw in dead}))}
    colors = {draw: ranks[draw.law] for draw in dead}
    colors |= {draw: -1 - at for at, draw in enumerate(kept)}
    order, count = dead, len(ranks)
    while True:
        told: dict[Draw, list[Any]] = {draw: [] for draw in colors}
        for terms, constant in path.tight.items():
            for draw, factor in terms:
                others = tuple([(colors[d], f) for d, f in terms if d is not draw])
                told[draw].append((factor, tuple(sorted(others)), constant))
        keys = {draw: (colors[draw], sorted(told[draw])) for draw in dead}
        order = sorted(order, key=keys.__getitem__)
        rank, last = -1, None
        for draw in order:
            rank += keys[draw] != last
            colors[draw], last = rank, keys[draw]
        if rank + 1 in (count, len(dead)):
            return order
        count = rank + 1

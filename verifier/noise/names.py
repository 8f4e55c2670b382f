"""Draws named by what is known of them, so that what differs in names of draws alone is equal."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from verifier.noise.draws import Condition, Draw, Law, Path

MANY = 10**9  # more draws than a program makes, whose numbers begin at 1


def renamed(path: Path, live: frozenset[Draw]) -> Path:
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
    colors: dict[Draw, int] = dict.fromkeys(dead, 0)
    colors |= {draw: -draw.number - 1 for draw in path.draws & live}
    order, count = sorted(dead), 0
    while count < len(dead):
        told: dict[Draw, list[Any]] = {draw: [] for draw in dead}
        for terms, constant in path.tight.items():
            for draw, factor in terms:
                if draw in told:
                    others = sorted((colors[d], d.law, f) for d, f in terms if d != draw)
                    told[draw].append((factor, others, constant))
        keys = {draw: (draw.law, colors[draw], sorted(found)) for draw, found in told.items()}
        order.sort(key=lambda draw: keys[draw])
        rank, last = 0, None
        for draw in order:
            rank += keys[draw] != last
            colors[draw], last = rank, keys[draw]
        if rank == count:
            break
        count = rank
    names = {draw: _named(place, draw.law) for place, draw in enumerate(order)}
    conditions = (
        Condition(tuple(sorted((names.get(d, d), f) for d, f in terms)), constant)
        for terms, constant in path.tight.items()
    )
    return Path(frozenset(conditions))


@lru_cache(maxsize=2**12)
def _named(place: int, law: Law) -> Draw:
    return Draw(place - MANY, law)

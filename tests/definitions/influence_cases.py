"""Drawn checks of `influence`: databases, pairs of sets of them, priors."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import ONE, Case
from tests.definitions.drawn import Draw, Json, Space
from tests.definitions.secret_cases import secrets
from verifier.definitions import influence


def cells(space: Space) -> list[list[Any]]:
    """The entries of each database, an absent record being None in each of its cells."""
    width = max(
        len(record) if isinstance(record, tuple) else 1
        for database in space.databases
        for record in database
    )
    return [
        [
            cell
            for record in database
            for cell in (record if isinstance(record, tuple) else [record] * width)
        ]
        for database in space.databases
    ]


@st.composite
def influences(draw: Draw) -> Case:
    """Lists of priors, or distributions given each secret."""
    space = draw(drawn.spaces().filter(lambda space: space.size > 1))
    databases, sets = cells(space), draw(secrets(space.size))
    sets = sets if len(sets) > 1 else [[0], [1]]
    chosen = list(combinations(range(len(sets)), 2))
    entries = draw(st.integers(0, len(databases[0])))
    names = [f"s{k}" for k in range(len(sets))]
    tried: list[list[Fraction]] = []
    priors: Json = {}
    if draw(st.booleans()):
        tried = draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=3))
        tried[0] = [(p + Fraction(1, space.size)) / 2 for p in tried[0]]
        rows = [dict(zip(space.names, map(str, p), strict=True)) for p in tried]
        priors = {"list": [{"worlds": row} for row in rows]}
    else:
        given = {}
        for name, worlds in zip(names, sets, strict=True):
            inside = draw(drawn.distributions(len(worlds)))
            given[name] = dict(zip(worlds, inside, strict=True))
        tried = [
            [(given[names[a]].get(w, 0) + given[names[b]].get(w, Fraction(0))) / 2 for w in worlds]
            for a, b in chosen
            for worlds in [range(space.size)]
        ]
        shown = {
            name: {"worlds": {space.names[w]: str(p) for w, p in row.items()}}
            for name, row in given.items()
        }
        priors = {"conditionals": shown}
    pairs = [(set(sets[a]), set(sets[b])) for a, b in chosen]
    level = influence.value(databases, tried, pairs, entries)
    return Case(
        {
            "worlds": space.node,
            "secrets": {n: [space.names[w] for w in s] for n, s in zip(names, sets, strict=True)},
        },
        "influence",
        {
            "pairs": [[names[a], names[b]] for a, b in chosen],
            "priors": priors,
            "entries": str(entries),
        },
        [],
        {(0, 1): ONE},
        lambda alpha: Fraction(level is None or level > alpha),
        serves=lambda alpha: level is not None and level <= alpha,
    )

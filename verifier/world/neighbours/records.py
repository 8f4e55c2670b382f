"""Neighbours that differ in few records or entries: replace, add_remove, entry, and groups.

Worlds that agree on everything but the chosen records form lines of mutual neighbours, found by
sorting one integer key per world; no pair of worlds is ever tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from verifier.base.errors import InputError
from verifier.world.relation import Blocks, Relation, crossings, lines
from verifier.world.worlds import WorldSpace

NAMED = "for named worlds write differential_privacy with neighbours: all"
RULES = ("replace", "add_remove", "entry", "all")


def relation(space: WorldSpace, rule: str, group: int = 1) -> Relation:
    """The relation of a rule; up to `group` changes of its kind at once.

    replace     up to `group` records, present on both sides, change their value
    add_remove  up to `group` records are present on one side and absent on the other
    entry       up to `group` entries (attributes) of records present on both sides change
    all         every two worlds

    Raises InputError S603 where the worlds are not databases of records.
    """
    statement: dict[str, object] = {"rule": rule}
    if rule == "all":
        everything = np.arange(space.size)[None, :]
        blocks = [Blocks(everything, everything)] if space.size > 1 else []
        return Relation(tuple(blocks), statement)
    if not space.records:
        raise InputError(
            "S603",
            f"neighbours '{rule}' need worlds made of records; use 'all' for named worlds",
            hint=NAMED,
        )
    statement["group"] = group
    found = _presence(space, group) if rule == "add_remove" else _values(space, rule, group)
    return Relation(tuple(found), statement, overlapping=group > 1)


def _values(space: WorldSpace, rule: str, group: int) -> list[Blocks]:
    entries = space.entry_codes
    width = len(entries) // len(space.records)
    size = width if rule == "replace" else 1
    units = [range(start, start + size) for start in range(0, len(entries), size)]
    everyone = np.arange(space.size)
    found: list[Blocks] = []
    for chosen in combinations(units, min(group, len(units))):
        moved = {entry for unit in chosen for entry in unit}
        fixed = [row + 1 for at, row in enumerate(entries) if at not in moved]
        presence = [(entries[entry] >= 0).astype(np.int64) for entry in moved]
        found += lines(keys(fixed + presence, space.size), everyone)
    return found


def _presence(space: WorldSpace, group: int) -> list[Blocks]:
    records = range(len(space.records))
    present = [space.present(record) for record in records]
    found: list[Blocks] = []
    for size in range(1, min(group, len(records)) + 1):
        for moved in combinations(records, size):
            same = keys([space.record_codes[r] for r in records if r not in moved], space.size)
            for kept in range(2**size):
                removed = {r for at, r in enumerate(moved) if kept >> at & 1}
                left = np.all([present[r] == (r in removed) for r in moved], axis=0)
                right = np.all([present[r] == (r not in removed) for r in moved], axis=0)
                found += crossings(same, left, right)
    return found


def keys(rows: Iterable[Sequence[int] | np.ndarray], size: int) -> np.ndarray:
    """One integer per world, equal exactly where all rows (of codes >= 0) are equal."""
    key, bound = np.zeros(size, dtype=np.int64), 1
    for row in rows:
        codes = np.asarray(row, dtype=np.int64)
        radix = int(codes.max(initial=0)) + 1
        if bound * radix >= 2**62:
            distinct, key = np.unique(key, return_inverse=True)
            bound = len(distinct)
        key, bound = key * radix + codes, bound * radix
    return key

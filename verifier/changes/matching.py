"""Worlds of two spaces, matched by what they are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

MOST = 200_000  # worlds


@dataclass(frozen=True, eq=False)
class Matching:
    """Worlds before and after a change.

    before, after  the spaces
    place          for each world before, its number after; None where it is gone
    """

    before: WorldSpace
    after: WorldSpace
    place: Sequence[int | None]

    @property
    def common(self) -> list[tuple[int, int]]:
        """The numbers of each world that is on both sides, before and after."""
        return [(w, at) for w, at in enumerate(self.place) if at is not None]

    @property
    def gone(self) -> list[str]:
        """The names of the worlds that are on the side before only."""
        return self.before.names(w for w, at in enumerate(self.place) if at is None)

    @property
    def new(self) -> list[str]:
        """The names of the worlds that are on the side after only."""
        kept = {at for at in self.place if at is not None}
        return self.after.names(w for w in range(self.after.size) if w not in kept)


@lru_cache(maxsize=8)
def matched(before: WorldSpace, after: WorldSpace) -> Matching:
    """The worlds of `before` in `after`; LimitReached where there are too many to be listed.

    A database is who has which value, whatever the order of the records, and an absent record is
    as one that the other side does not know. Other worlds go by their names.
    """
    if max(before.size, after.size) > MOST:
        raise LimitReached(f"more than {MOST} worlds are too many to be matched")
    if identical(before, after):
        return Matching(before, after, range(before.size))
    # in any order, as long as it is one for both sides
    columns = {record: at for at, record in enumerate({*before.records, *after.records})}
    values: dict[Hashable, int] = {}
    number = {key: w for w, key in enumerate(_keys(after, columns, values))}
    return Matching(before, after, [number.get(key) for key in _keys(before, columns, values)])


def _keys(
    space: WorldSpace, columns: Mapping[str, int], values: dict[Hashable, int]
) -> Iterator[Hashable]:
    """For each world its name, or the values that records have in it, -1 where they are absent.

    columns  record -> its place
    values   of records, with their attributes -> a number; those that are missing are added
    """
    if not space.records or space.counts is not None:
        kind = "world" if space.counts is None else "one record" if space.records else "histogram"
        return ((kind, name) for name in space.names(range(space.size)))
    names = ((name, space.attributes) for name in space.present_value_names)
    numbers = np.array([*(values.setdefault(name, len(values)) for name in names), -1])
    table = np.full((space.size, len(columns)), -1, dtype=np.int32)
    for record, codes in zip(space.records, space.record_codes, strict=True):
        table[:, columns[record]] = numbers[codes]
    return (row.tobytes() for row in table)


def identical(one: WorldSpace, other: WorldSpace) -> bool:
    """Whether two spaces list the same worlds in the same order, of the same records and values.

    one, other  the spaces
    """
    parts = ("size", "records", "attributes", "record_values", "given")
    return (
        all(getattr(one, part) == getattr(other, part) for part in parts)
        and np.array_equal(one.record_codes, other.record_codes)
        and _equal(one.counts, other.counts)
    )


def on_common(
    before: tuple[WorldSpace, Mechanism], after: tuple[WorldSpace, Mechanism]
) -> tuple[Mechanism, Mechanism] | None:
    """Two mechanisms on the worlds that both know, matched; None where there are none.

    before, after  the worlds and the mechanism over them
    """
    if identical(before[0], after[0]):
        return before[1], after[1]
    worlds = matched(before[0], after[0]).common
    if not worlds:
        return None
    ours, theirs = zip(*worlds, strict=True)
    return over(before[1], ours), over(after[1], theirs)


def over(mechanism: Mechanism, worlds: Sequence[int]) -> Mechanism:
    """A mechanism on some of its worlds, in this order."""
    codes = mechanism.codes[:, np.array(worlds)]
    return Mechanism.of(mechanism.outputs, mechanism.values, codes, parts=[mechanism])


def same_rows(before: tuple[WorldSpace, Mechanism], after: tuple[WorldSpace, Mechanism]) -> bool:
    """Whether two mechanisms give each world that both know the same probabilities.

    before, after  the worlds and the mechanism over them
    """
    both = on_common(before, after)
    if both is None:
        return False
    one, other = both
    return (
        one.outputs == other.outputs
        and one.values == other.values
        and np.array_equal(one.codes, other.codes)
    )


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))

"""The finite, ordered list of possible worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verifier.column import Column
from verifier.language.values import ABSENT, World, show


@dataclass(frozen=True, eq=False)
class WorldSpace:
    """Possible worlds: a list of names, or every allowed assignment of values to records.

    size           number of worlds
    records        names of the records; empty for a list of names
    attributes     names of the attributes; empty where a record is one unnamed value
    record_values  what one record may be: a value, or a tuple with one value per attribute;
                   ABSENT last where records may be absent
    record_codes   shape (records, worlds): indices into record_values; the first record varies
                   slowest
    complete       whether no constraint removed a world
    given          the names, for a list of names
    """

    size: int
    records: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    record_values: tuple[Any, ...] = ()
    record_codes: np.ndarray = None  # type: ignore[assignment]
    complete: bool = True
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.record_codes is None:
            object.__setattr__(self, "record_codes", np.zeros((0, self.size), dtype=np.uint8))

    @property
    def may_be_absent(self) -> bool:
        """Whether records may be absent."""
        return bool(self.record_values) and self.record_values[-1] is ABSENT

    def record(self, number: int) -> Column:
        """The value of a record in every world."""
        return Column(self.record_values, self.record_codes[number])

    def name(self, world: int) -> str:
        """The name of a world: `011`, `(flu, none)`, `(a/b, c/d)`; an absent record is `⊥`."""
        if not self.records:
            return self.given[world]
        return self._join(self._texts[code] for code in self.record_codes[:, world].tolist())

    def names(self, worlds: Iterable[int]) -> list[str]:
        """The names of several worlds."""
        return [self.name(int(world)) for world in worlds]

    def index(self, name: str) -> int | None:
        """The number of the world with this name, or None."""
        return self._index.get(name)

    def world(self, number: int) -> World:
        """A world as a value of the language."""
        codes = self.record_codes[:, number].tolist()
        return World(self.name(number), number, tuple(self.record_values[code] for code in codes))

    def worlds(self) -> Column:
        """The current world, in every world."""
        return Column(tuple(map(self.world, range(self.size))), np.arange(self.size))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(map(self.record_text, self.record_values))

    @cached_property
    def _index(self) -> dict[str, int]:
        if not self.records:
            return {name: world for world, name in enumerate(self.given)}
        return {
            self._join(self._texts[code] for code in codes): world
            for world, codes in enumerate(self.record_codes.T.tolist())
        }

    @cached_property
    def _join(self) -> Callable[[Iterable[str]], str]:
        if all(len(text) == 1 for text in self._texts):
            return "".join
        return lambda texts: f"({', '.join(texts)})"

    def record_text(self, value: Any) -> str:
        """How the value of a record is written inside a world's name."""
        if value is ABSENT:
            return "⊥"
        return "/".join(map(show, value)) if self.attributes else show(value)

"""The finite, ordered list of possible worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base.document import Scalar
from verifier.base.errors import nearest
from verifier.base.exact import looks_like_number
from verifier.world.language.values import ABSENT, World, literal, show
from verifier.world.mechanism import Column


@dataclass(frozen=True, eq=False)
class WorldSpace:
    """Possible worlds: a list of names, every allowed assignment of values to records, or every
    allowed histogram of records that are not told apart.

    size           number of worlds
    records        names of the records; empty for a list of names
    attributes     names of the attributes; empty where a record is one unnamed value
    record_values  what one record may be: a value, or a tuple with one value per attribute;
                   ABSENT last where records may be absent
    record_codes   shape (records, worlds): indices into record_values; the first record varies
                   slowest
    complete       whether no constraint removed a world
    given          the names, for a list of names or of histograms
    counts         shape (record_values, worlds), for histograms: how many records have each value
    """

    size: int
    records: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    record_values: tuple[Any, ...] = ()
    record_codes: np.ndarray = None  # type: ignore[assignment]
    complete: bool = True
    given: tuple[str, ...] = ()
    counts: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.record_codes is None:
            object.__setattr__(self, "record_codes", np.zeros((0, self.size), dtype=np.uint8))

    @property
    def record_count(self) -> int:
        """The number of records of a world, told apart or not."""
        return len(self.records) if self.counts is None else int(self.counts[:, 0].sum())

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

    def partial_name(self, codes: Iterable[int | None]) -> str:
        """The values of some records as they stand in names; `⊥` where a code is None."""
        texts = ["⊥" if code is None else self._texts[code] for code in codes]
        return self._join(texts) or "()"

    def names(self, worlds: Iterable[int]) -> list[str]:
        """The names of several worlds."""
        return [self.name(int(world)) for world in worlds]

    def index(self, name: str) -> int | None:
        """The number of the world with this name, or None."""
        return self._index.get(name)

    def may_be_named(self, name: str) -> bool:
        """Whether a world has this name, or would if no constraint removed it. Of histograms
        that have not been enumerated any name will do."""
        if not self.records:
            return name in self.given or (self.counts is not None and not self.given)
        count, texts = len(self.records), set(self._texts)
        if all(len(text) == 1 for text in texts):
            return len(name) == count and set(name) <= texts
        inside = name[1:-1].split(", ")
        return name == f"({', '.join(inside)})" and len(inside) == count and set(inside) <= texts

    def world(self, number: int) -> World:
        """A world as a value of the language."""
        codes = self.record_codes[:, number].tolist()
        return World(self.name(number), number, tuple(self.element_values[code] for code in codes))

    @cached_property
    def element_values(self) -> tuple[Any, ...]:
        """What each of `record_values` is as an element of a world: a single attribute's value
        stands for the record."""
        if len(self.attributes) != 1:
            return self.record_values
        return tuple(v[0] if isinstance(v, tuple) else v for v in self.record_values)

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

    @property
    def absent_code(self) -> int | None:
        """The code of an absent record, or None where all are present."""
        return len(self.record_values) - 1 if self.may_be_absent else None

    def present(self, record: int) -> np.ndarray:
        """Boolean array: whether a record is present in each world."""
        codes = self.record_codes[record]
        return (
            np.ones(self.size, dtype=bool)
            if self.absent_code is None
            else (codes != self.absent_code)
        )

    @cached_property
    def value_names(self) -> list[str]:
        """Each value of a record as it is written in worlds' names."""
        return list(self._texts)

    @property
    def present_value_names(self) -> list[str]:
        """The names of the values of a record that is present."""
        return self.value_names[: self.absent_code]

    def value_code(self, text: str) -> int | None:
        """The code of a value of a record, by its name; a plain value `0.5` is found as `1/2`."""
        plain = len(self.attributes) < 2 and looks_like_number(text)
        for name in (text, show(literal(text)) if plain else text):
            if name in self.value_names:
                return self.value_names.index(name)
        return None

    @cached_property
    def entry_values(self) -> list[tuple[Any, ...]]:
        """The values of each attribute of a record (a plain domain counts as one attribute)."""
        present = self.record_values[: self.absent_code]
        if not self.attributes:
            return [tuple(present)]
        return [tuple(dict.fromkeys(column)) for column in zip(*present, strict=True)]

    @cached_property
    def entry_codes(self) -> np.ndarray:
        """Shape (records * attributes, worlds): indices into entry_values, -1 where absent."""
        tables = []
        for at, values in enumerate(self.entry_values):
            place = {value: code for code, value in enumerate(values)}
            parts = [
                v[at] if self.attributes else v for v in self.record_values[: self.absent_code]
            ]
            tables.append(np.array([place[part] for part in parts] + [-1], dtype=np.int64))
        return np.array([table[row] for row in self.record_codes for table in tables])

    def locate(self, name: Scalar) -> int:
        """The number of the world that a scalar of a file names; InputError S208."""
        found = self.index(name.text)
        if found is None:
            raise name.fail("S208", f"unknown world '{name.text}'", self.suggestion(name.text))
        return found

    def suggestion(self, name: str) -> str:
        """The hint of an error about an unknown world: the nearest name, or a few names."""
        known = self.names(range(min(self.size, 2000)))
        few = ", ".join(known[:8]) + (", …" if self.size > 8 else "")
        return nearest(name, known).removeprefix("; ") or f"worlds: {few}"

    def of_one_record(self) -> WorldSpace:
        """The space of a single record with the same values."""
        codes = np.arange(len(self.record_values), dtype=np.int64)[None, :]
        return WorldSpace(
            codes.shape[1], self.records[:1], self.attributes, self.record_values, codes
        )

    def record_text(self, value: Any) -> str:
        """How the value of a record is written inside a world's name."""
        if value is ABSENT:
            return "⊥"
        return "/".join(map(show, value)) if self.attributes else show(value)

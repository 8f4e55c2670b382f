"""What a value may be, as far as a text tells before any world is enumerated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from verifier.world.space import ABSENT, FALSE, TRUE, World, WorldSpace, is_number, kind

MAX_VALUES = 300
MAX_DEPTH = 5

NUMBER, WORD, TRUTH, LIST = "a number", "a word", "a truth", "a list"
WORLD, DISTRIBUTION, ANY = "a world", "a distribution", "anything"


@dataclass(frozen=True)
class Possible:
    """A set of possible values.

    values  single numbers, words and truths, and ⊥
    kinds   kinds of which any value is possible; ANY stands for all of them
    parts   of lists and worlds that all have as many elements: what each may be
    items   of other lists: what any element may be; of distributions, any outcome
    """

    values: frozenset[Any] = frozenset()
    kinds: frozenset[str] = frozenset()
    parts: tuple[Possible, ...] | None = None
    items: Possible | None = None

    @property
    def anything(self) -> bool:
        """Whether nothing is known."""
        return ANY in self.kinds

    @property
    def all_kinds(self) -> frozenset[str]:
        """The kinds of all values but ⊥."""
        return self.kinds | {kind(value) for value in self.values if value is not ABSENT}

    @property
    def element(self) -> Possible:
        """What any element may be."""
        parts = self.parts or ()
        return union([*parts, *([self.items] if self.items else [])])


ANYTHING = Possible(kinds=frozenset([ANY]))
NOTHING = Possible()
ANY_NUMBER = Possible(kinds=frozenset([NUMBER]))
ANY_TRUTH = Possible(frozenset([TRUE, FALSE]))


def of(value: Any) -> Possible:
    """Just this value."""
    if isinstance(value, tuple):
        return listed(map(of, value))
    if isinstance(value, World):
        return replace(listed(map(of, value.records)), kinds=frozenset([WORLD]))
    return Possible(frozenset([value]))


def values(found: Iterable[Any]) -> Possible:
    """Each of these values, of which many become any number (words are never many)."""
    return union(map(of, found))


def listed(parts: Iterable[Possible]) -> Possible:
    """A list with these elements."""
    return Possible(kinds=frozenset([LIST]), parts=tuple(parts))


def list_of(items: Possible) -> Possible:
    """A list of any length."""
    return Possible(kinds=frozenset([LIST]), items=items)


def distribution(outcomes: Possible) -> Possible:
    """A distribution over these outcomes."""
    return Possible(kinds=frozenset([DISTRIBUTION]), items=outcomes)


def record(space: WorldSpace) -> Possible:
    """The value of any record."""
    return values(space.record_values)


def world(space: WorldSpace) -> Possible:
    """Any world; of named worlds and of histograms nothing is known but their names."""
    one = values(space.element_values)
    parts = tuple([one] * len(space.records)) if space.records else None
    return Possible(kinds=frozenset([WORLD]), parts=parts)


def union(sets: Iterable[Possible]) -> Possible:
    """What is possible in one of several ways."""
    return reduce(_either, sets, NOTHING)


def _either(a: Possible, b: Possible) -> Possible:
    if a == b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if a.anything or b.anything:
        return ANYTHING
    found, kinds = a.values | b.values, a.kinds | b.kinds
    numbers = frozenset(filter(is_number, found))
    if NUMBER in kinds or len(numbers) > MAX_VALUES:
        found, kinds = found - numbers, kinds | {NUMBER}
    parts, items = _together(a, b)
    return _capped(Possible(found, kinds, parts, items), MAX_DEPTH)


def _together(a: Possible, b: Possible) -> tuple[tuple[Possible, ...] | None, Possible | None]:
    """What the elements may be: place by place where both have as many."""
    for one, other in ((a, b), (b, a)):
        if one.parts is None and one.items is None:
            return other.parts, other.items
    if a.parts is not None and b.parts is not None and len(a.parts) == len(b.parts):
        return tuple(map(_either, a.parts, b.parts)), union(filter(None, [a.items, b.items]))
    return None, _either(a.element, b.element)


def _capped(given: Possible, depth: int) -> Possible:
    """Without what is nested too deeply, so that growing lists come to an end."""
    if not depth:
        return ANYTHING
    parts = None if given.parts is None else tuple(_capped(p, depth - 1) for p in given.parts)
    return replace(given, parts=parts, items=given.items and _capped(given.items, depth - 1))


def may_equal(a: Possible, b: Possible, space: WorldSpace) -> bool:
    """Whether two values may be equal, for all that is known. ⊥ on both sides is no reason."""
    if a.anything or b.anything:
        return True
    if (a.values & b.values) - {ABSENT} or a.values == b.values == {ABSENT}:
        return True
    if any(kind(v) in b.kinds for v in a.values) or any(kind(v) in a.kinds for v in b.values):
        return True
    if a.kinds & b.kinds & {NUMBER, WORLD}:
        return True
    return _world_may_equal(a, b, space) or _world_may_equal(b, a, space) or _lists_may(a, b, space)


def _world_may_equal(a: Possible, b: Possible, space: WorldSpace) -> bool:
    """A world against the word of its name, or the list of its records' values."""
    if WORLD not in a.kinds:
        return False
    if any(isinstance(v, str) and space.may_be_named(v) for v in b.values):
        return True
    return LIST in b.kinds and bool(space.records) and _elements_may(a, b, space)


def _lists_may(a: Possible, b: Possible, space: WorldSpace) -> bool:
    return LIST in a.kinds and LIST in b.kinds and _elements_may(a, b, space)


def _elements_may(a: Possible, b: Possible, space: WorldSpace) -> bool:
    if a.parts is not None and b.parts is not None:
        same = len(a.parts) == len(b.parts)
        return same and all(may_equal(x, y, space) for x, y in zip(a.parts, b.parts, strict=True))
    if a.parts is None and b.parts is None:
        return True  # two empty lists, if nothing else
    parts, other = (a.parts, b) if a.parts is not None else (b.parts or (), a)
    return all(may_equal(part, other.element, space) for part in parts)

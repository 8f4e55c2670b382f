"""Values of the expression language of docs/reference, and how they are compared and named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

WHOLE = r"[+-]?(0|[1-9][0-9]*)"
NUMBER = re.compile(rf"({WHOLE}(\.[0-9]+)?|[+-]?\.[0-9]+)([eE][+-]?[0-9]+)?|{WHOLE}/[1-9][0-9]*")


class CannotRead(Exception):
    """What this reader does not read, or what the page does not say."""


@dataclass(frozen=True)
class Absent:
    """The value of a record that is missing."""


@dataclass(frozen=True)
class Attributes:
    """The value of a record with several attributes."""

    names: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class World:
    """One world: its name, and the values of its records, or how many have each value."""

    index: int
    name: str
    items: tuple[Any, ...] | None
    counts: tuple[tuple[Any, int], ...] | None = None


@dataclass(frozen=True)
class Secret:
    """A set of worlds, as indices."""

    worlds: frozenset[int]


@dataclass(frozen=True)
class Distribution:
    """Values and their probabilities, none of which is 0."""

    items: tuple[tuple[Any, Fraction], ...]


@dataclass(frozen=True)
class Dictionary:
    """Keys and what they stand for, as they came in."""

    pairs: tuple[tuple[Any, Any], ...] = ()

    def at(self, name: Any) -> list[Any]:
        """What stands under a key: one value, or none."""
        return [found for other, found in self.pairs if key(other) == key(name)]

    def having(self, name: Any, found: Any) -> Dictionary:
        """The dictionary with one value more, or another one."""
        if not isinstance(name, Fraction | str | bool | Absent | tuple):
            raise CannotRead(f"{name!r} is no key")
        rest = [pair for pair in self.pairs if key(pair[0]) != key(name)]
        return Dictionary((*rest, (name, found)))

    def ordered(self) -> list[tuple[Any, Any]]:
        """The pairs in the order of the keys."""
        return sorted(self.pairs, key=lambda pair: rank(pair[0]))


ABSENT = Absent()


def scalar(text: str) -> Any:
    """What a scalar of the file is: a number where it looks like one, else a word."""
    return Fraction(text) if NUMBER.fullmatch(text) else text


def number(text: Any) -> Fraction:
    """The number that a scalar of the file is."""
    value = scalar(text) if isinstance(text, str) else None
    if not isinstance(value, Fraction):
        raise CannotRead(f"{text!r} is not a number")
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; values of different types are not."""
    if isinstance(left, World) and isinstance(right, str):
        return left.name == right
    if isinstance(right, World) and isinstance(left, str):
        return right.name == left
    if isinstance(left, World | Attributes) and isinstance(right, tuple):
        left = listed(left)
    if isinstance(right, World | Attributes) and isinstance(left, tuple):
        right = listed(right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and bool(left == right)


def listed(value: Any) -> tuple[Any, ...]:
    """A list; or a world or record as the list of its records' or attributes' values."""
    if isinstance(value, World) and value.items is not None:
        return value.items
    if isinstance(value, Attributes):
        return value.values
    if not isinstance(value, tuple):
        raise CannotRead(f"{value!r} is not a list")
    return value


def key(value: Any) -> Any:
    """A key under which equal values, and only these, are the same."""
    if isinstance(value, tuple):
        return tuple(key(item) for item in value)
    if isinstance(value, Dictionary):
        return frozenset((key(name), key(found)) for name, found in value.pairs)
    if isinstance(value, Distribution):
        return tuple((key(item), p) for item, p in value.items)
    return type(value).__name__, value


def rank(value: Any) -> tuple[int, Any]:
    """The order of values: by kind, then ascending."""
    if isinstance(value, tuple | Attributes):
        return 5, tuple(map(rank, listed(value)))
    if isinstance(value, Absent):
        return 4, 0
    kinds = {Fraction: 0, bool: 1, str: 2, World: 3}
    return kinds[type(value)], value.index if isinstance(value, World) else value


def output(value: Any) -> str:
    """The name of an output."""
    return value if isinstance(value, str) else item(value)


def item(value: Any) -> str:
    """A value as it is written inside a list."""
    if isinstance(value, Absent):
        return "⊥"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, World):
        return value.name
    if isinstance(value, tuple | Attributes):
        inside = ", ".join(map(item, listed(value)))
        return f"({inside},)" if len(listed(value)) == 1 else f"({inside})"
    if isinstance(value, bool | Fraction):
        return str(value)
    raise CannotRead(f"the page does not name the output {value!r}")


def text(value: Any) -> str:
    """A value of the domain as it stands in the name of a world."""
    if isinstance(value, Absent):
        return "⊥"
    if isinstance(value, Attributes):
        return "/".join(map(text, value.values))
    return value if isinstance(value, str) else str(value)

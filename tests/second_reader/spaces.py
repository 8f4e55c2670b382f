"""The possible worlds of docs/reference, listed one by one."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tests.second_reader.language import Names, Scope, evaluate, truth
from tests.second_reader.values import ABSENT, Attributes, CannotRead, World, number, scalar, text

MOST = 6000


@dataclass(frozen=True)
class Space:
    """The worlds, and what records and values they are made of."""

    worlds: tuple[World, ...]
    records: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    domain: tuple[Any, ...] = ()
    choices: tuple[tuple[Any, ...], ...] = ()
    absent: bool = False
    constrained: bool = False
    names: Names = field(default_factory=dict)
    indices: dict[str, int] = field(default_factory=dict)
    exchangeable: bool = False

    def index(self, name: str) -> int:
        """The world of this name."""
        if name not in self.indices:
            raise CannotRead(f"no world {name!r}")
        return self.indices[name]

    def scope(self, world: World, more: Names) -> Scope:
        """What an expression may speak of in a world."""
        records = {} if world.items is None else dict(zip(self.records, world.items, strict=True))
        return Scope({**self.names, **records, "world": world, **more}, world)

    def parts(self, item: Any) -> tuple[Any, ...]:
        """The entries of a record."""
        if item == ABSENT:
            return (ABSENT,) * len(self.choices)
        return item.values if isinstance(item, Attributes) else (item,)


def read(node: Any) -> Space:
    """The worlds of a file."""
    if isinstance(node, list):
        return named(node)
    known = {"records", "domain", "absent", "exchangeable", "where"}
    if not isinstance(node, dict) or set(node) - known:
        raise CannotRead("unknown keys of worlds")
    if node.get("exchangeable", "false") == "true":
        return histograms(node)
    return database(node)


def named(names: list[str]) -> Space:
    worlds = tuple(World(i, name, None) for i, name in enumerate(names))
    known = {world.name: world for world in worlds}
    return Space(worlds, names=dict(known), indices={n: w.index for n, w in known.items()})


def people(node: Any) -> tuple[str, ...]:
    if isinstance(node, str):
        return tuple(f"r{i + 1}" for i in range(int(number(node))))
    return tuple(node)


def database(node: dict[str, Any]) -> Space:
    records, domain = people(node["records"]), node["domain"]
    attributes = tuple(domain) if isinstance(domain, dict) else ()
    choices = tuple(
        tuple(map(scalar, values)) for values in (domain.values() if attributes else [domain])
    )
    rows = [
        row[0] if len(row) == 1 else Attributes(attributes, row)
        for row in itertools.product(*choices)
    ]
    absent = node.get("absent", "false") == "true"
    each = [*rows, ABSENT] if absent else rows
    if len(each) ** len(records) > 40 * MOST:
        raise CannotRead("more worlds than this reader lists")
    names: Names = {"\0attributes": attributes}
    if len(attributes) == 1:
        names["\0attribute"] = attributes[0]
    every = [
        World(i, title(items, rows), items)
        for i, items in enumerate(itertools.product(each, repeat=len(records)))
    ]
    constrained = bool(rules(node))
    free = Space((), records, attributes, tuple(rows), choices, absent, constrained, names)
    worlds = kept(every, rules(node), free)
    return replace(free, worlds=worlds, indices={world.name: world.index for world in worlds})


def kept(worlds: list[World], where: list[str], space: Space) -> tuple[World, ...]:
    """The worlds that satisfy the constraints, numbered anew."""
    existing = (
        world
        for world in worlds
        if all(truth(evaluate(rule, space.scope(world, {}))) for rule in where)
    )
    found = tuple(replace(world, index=i) for i, world in enumerate(existing))
    if len(found) > MOST:
        raise CannotRead("more worlds than this reader lists")
    return found


def title(items: tuple[Any, ...], rows: list[Any]) -> str:
    """The name of a database."""
    if all(len(text(row)) == 1 for row in rows):
        return "".join(map(text, items))
    return f"({', '.join(map(text, items))})"


def histograms(node: dict[str, Any]) -> Space:
    """The worlds whose records are not told apart."""
    if isinstance(node["domain"], dict) or not isinstance(node["records"], str):
        raise CannotRead("exchangeable records with attributes or names")
    values, total = tuple(map(scalar, node["domain"])), int(number(node["records"]))
    absent = node.get("absent", "false") == "true"
    each = (*values, ABSENT) if absent else values
    if math.comb(total + len(each) - 1, len(each) - 1) > MOST:
        raise CannotRead("more worlds than this reader lists")
    free = Space(
        (), (), (), values, (values,), absent, names={"\0attributes": ()}, exchangeable=True
    )
    every = [
        World(i, histogram_name(each, counts), None, tuple(zip(each, counts, strict=True)))
        for i, counts in enumerate(shares(total, len(each)))
    ]
    worlds = kept(every, rules(node), free)
    return replace(free, worlds=worlds, indices={world.name: world.index for world in worlds})


def histogram_name(values: tuple[Any, ...], counts: tuple[int, ...]) -> str:
    return " ".join(f"{text(v)}×{n}" for v, n in zip(values, counts, strict=True) if n)


def rules(node: dict[str, Any]) -> list[str]:
    """The public constraints."""
    where = node.get("where", [])
    return [where] if isinstance(where, str) else list(where)


def shares(total: int, parts: int) -> list[tuple[int, ...]]:
    """The ways to share a total, the first part largest first."""
    if parts == 1:
        return [(total,)]
    return [
        (first, *rest)
        for first in range(total, -1, -1)
        for rest in shares(total - first, parts - 1)
    ]


def multinomial(world: World) -> int:
    """How many lists of records have this histogram."""
    counts = [n for _, n in world.counts or ()]
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


def expression(rule: str, space: Space, secrets: Names) -> list[Any]:
    """The values of an expression in all worlds."""
    return [evaluate(rule, space.scope(world, secrets)) for world in space.worlds]


def integers(values: list[Any]) -> list[int]:
    """The same as integers."""
    for value in values:
        if not isinstance(value, Fraction) or value.denominator != 1:
            raise CannotRead(f"{value!r} is not an integer")
    return list(map(int, values))

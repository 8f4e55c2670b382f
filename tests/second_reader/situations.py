"""What simulators see, and what is private: definitions about simulators."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.second_reader import priors, secrets, spaces
from tests.second_reader.files import File, Situations
from tests.second_reader.spaces import Space
from tests.second_reader.values import ABSENT, CannotRead, key, number

View = tuple[tuple[Any, ...], tuple[Any, ...]]
Prior = frozenset[frozenset[tuple[int, Fraction]]]


def each_record(chosen: dict[str, Any], file: File) -> list[View]:
    """Each record, and a simulator that sees the others."""
    space, told = file.space, chosen.get("indexed", "true") == "true"
    if space.exchangeable:
        return []
    if not space.records:
        raise CannotRead("records of worlds that have none")
    return [
        (
            tuple(rest(world.items or (), i, told, space) for world in space.worlds),
            tuple(key((world.items or ())[i]) for world in space.worlds),
        )
        for i in range(len(space.records))
    ]


def rest(items: tuple[Any, ...], record: int, told: bool, space: Space) -> Any:
    if told:
        return record, key(items[:record] + items[record + 1 :])
    if space.absent:
        return key((*items[:record], ABSENT, *items[record + 1 :]))
    return key(items[:record] + items[record + 1 :])


def any_views(chosen: dict[str, Any], file: File) -> list[View]:
    """Any pairs of what is seen and what is private."""
    seen, private = chosen["alt"], chosen["priv"]
    several = isinstance(seen, list)
    told = several and chosen.get("indexed", "false") == "true"
    parts = list(zip(seen, private, strict=True)) if several else [(seen, private)]
    return [
        (
            tuple((i, value) if told else value for value in labels(alt, file)),
            labels(priv, file),
        )
        for i, (alt, priv) in enumerate(parts)
    ]


def labels(node: Any, file: File) -> tuple[Any, ...]:
    """What an expression, or a table, says in each world."""
    if isinstance(node, dict):
        values = [node[world.name] for world in file.space.worlds]
        return tuple(map(key, values))
    return tuple(map(key, spaces.expression(node, file.space, file.secrets)))


def read(
    views: list[View], chosen: dict[str, Any], around: dict[str, Any], file: File
) -> Situations:
    """The situations of a check."""
    believed = beliefs(chosen.get("auxiliary"), around, file)
    given = None
    if chosen.get("simulator", "any") == "canonical":
        possible = {w for prior in believed for part in prior for w, _ in part}
        given = canonical(views, file, possible)
    return Situations(tuple(views), believed, given)


def canonical(views: list[View], file: File, possible: set[int]) -> dict[Any, int]:
    """The world without the record, for each thing that a simulator may see in possible worlds."""
    if file.space.exchangeable:
        return others(file)
    found, places = {}, {world.items: world.index for world in file.space.worlds}
    for i, (alt, _) in enumerate(views):
        for world, label in zip(file.space.worlds, alt, strict=True):
            if world.index not in possible:
                continue
            items = world.items or ()
            without = (*items[:i], ABSENT, *items[i + 1 :])
            if without in places:
                found[label] = places[without]
    return found


def others(file: File) -> dict[Any, int]:
    """The histogram with one record absent, for each histogram of the other records."""
    worlds = {tuple(n for _, n in world.counts or ()): world.index for world in file.space.worlds}
    seen = {
        (*counts[:v], counts[v] - 1, *counts[v + 1 :])
        for counts in worlds
        for v in range(len(counts))
        if counts[v]
    }
    return {
        number: worlds.get((*counts[:-1], counts[-1] + 1), -1)
        for number, counts in enumerate(sorted(seen))
    }


def beliefs(auxiliary: Any, around: dict[str, Any], file: File) -> tuple[Prior, ...]:
    """Priors on the world and what is known besides."""
    if isinstance(auxiliary, list):
        return (joint(auxiliary, file.space),)
    known = labels(auxiliary, file) if auxiliary else ((),) * len(file.space.worlds)
    kind, node = secrets.prior_class(around.get("priors", file.node.get("priors")), file)
    if kind in ("all", "product"):
        return tuple(
            frozenset([frozenset([(world.index, Fraction(1))])]) for world in file.space.worlds
        )
    if kind not in ("list", "hull"):
        raise CannotRead(f"simulators under priors {kind}")
    weights = [priors.read(prior, file.space) for prior in node]
    return tuple(grouped([(w, known[w], p) for w, p in enumerate(prior) if p]) for prior in weights)


def joint(rows: list[Any], space: Space) -> Prior:
    return grouped([(space.index(world), z, number(p)) for world, z, p in rows])


def grouped(entries: list[tuple[int, Any, Fraction]]) -> Prior:
    """The worlds and their probabilities, by what is known besides."""
    groups: dict[Any, list[tuple[int, Fraction]]] = {}
    for world, z, p in entries:
        groups.setdefault(z, []).append((world, p))
    return frozenset(map(frozenset, groups.values()))

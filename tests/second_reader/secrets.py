"""Pairs of secrets, and the classes of priors that they are compared under."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from tests.second_reader import constraints, priors
from tests.second_reader.files import File, Pairs, Secrets, Worlds
from tests.second_reader.language import Names, evaluate, truth
from tests.second_reader.spaces import Space
from tests.second_reader.values import ABSENT, CannotRead, Secret, number, text

CLASSES = {"list", "hull", "conditionals", "iid", "hedging", "markov", "constraints"}
KEYWORDS = CLASSES | {"all", "product"}


def named(node: dict[str, Any], space: Space) -> Names:
    """The secrets of a file; each may use those before it."""
    found: Names = {}
    for name, rule in node.items():
        if isinstance(rule, list):
            found[name] = Secret(frozenset(map(space.index, rule)))
            continue
        worlds = (w for w in space.worlds if truth(evaluate(rule, space.scope(w, found))))
        found[name] = Secret(frozenset(world.index for world in worlds))
    return found


def pairs(node: Any, file: File) -> Pairs:
    """Pairs of secrets, as sets of worlds."""
    found: Pairs = []
    for part in node if isinstance(node, list) else [node]:
        if isinstance(part, str):
            found += words(part, file.space)
            continue
        first, second = (file.secrets[name].worlds for name in part)
        found.append((first, second))
    return found


def words(word: str, space: Space) -> Pairs:
    """The pairs that `values`, `entries` or `presence` stands for."""
    if not space.records:
        raise CannotRead(f"{word} of worlds without records")
    found: Pairs = []
    for record in range(len(space.records)):
        if word == "values":
            kinds = [[holding(record, (value,), space) for value in space.domain]]
        elif word == "entries":
            kinds = [
                [holding(record, having(place, value, space), space) for value in choices]
                for place, choices in enumerate(space.choices)
            ]
        elif word == "presence" and space.absent:
            gone = holding(record, (ABSENT,), space)
            kinds = [[holding(record, (value,), space), gone] for value in space.domain]
        else:
            raise CannotRead(f"pairs {word}")
        found += [pair for kind in kinds for pair in itertools.combinations(kind, 2)]
    return found


def holding(record: int, values: tuple[Any, ...], space: Space) -> Worlds:
    return frozenset(w.index for w in space.worlds if w.items and w.items[record] in values)


def having(place: int, value: Any, space: Space) -> tuple[Any, ...]:
    return tuple(row for row in space.domain if space.parts(row)[place] == value)


def against(found: Pairs, around: dict[str, Any], file: File) -> Secrets:
    """Pairs of secrets with the class of priors of a check."""
    kind, node = prior_class(around.get("priors", file.node.get("priors")), file)
    everything = frozenset(frozenset(pair) for pair in found)
    if kind in ("list", "hull"):
        weights = tuple(priors.read(prior, file.space) for prior in node)
        return Secrets(everything, kind, weights)
    if kind in ("all", "product", "iid"):
        return Secrets(everything, kind)
    if kind == "conditionals":
        return conditionals(everything, node, file)
    if kind == "hedging":
        return unknown(found, number(node["weight"]), node["known"], file.space)
    if kind == "markov":
        return Secrets(everything, kind, (chain(node, file.space),))
    if kind == "constraints":
        return Secrets(everything, kind, (constraints.rows(node, file),))
    raise CannotRead(f"priors {kind}")


def prior_class(node: Any, file: File) -> tuple[str, Any]:
    """The class of priors and what stands in it."""
    known = file.node.get("priors")
    names = known if isinstance(known, dict) and not set(known) & CLASSES else {}
    if isinstance(node, str) and node in names:
        node = names[node]
    elif node is names and len(names) == 1:
        (node,) = names.values()
    if isinstance(node, str):
        return node, None
    if not isinstance(node, dict) or len(node) != 1 or set(node) - CLASSES:
        raise CannotRead("priors that are no class")
    return next(iter(node.items()))


def conditionals(found: frozenset[frozenset[Worlds]], node: Any, file: File) -> Secrets:
    attackers = node if isinstance(node, list) else [node]
    weights = tuple(
        frozenset(
            (file.secrets[name].worlds, priors.read(prior, file.space))
            for name, prior in attacker.items()
        )
        for attacker in attackers
    )
    known = [{worlds for worlds, _ in attacker} for attacker in weights]
    met = frozenset(pair for pair in found if any(pair <= worlds for worlds in known))
    return Secrets(met, "conditionals", weights)


def others(space: Space) -> Pairs:
    """Each value of each record, against people of whom the record is none."""
    everybody = frozenset(range(len(space.worlds)))
    return [
        (holding(record, (value,), space), everybody)
        for record in range(len(space.records))
        for value in space.domain
    ]


def unknown(found: Pairs, weight: Fraction, known: Any, space: Space) -> Secrets:
    """Conditionals that mix an unknown distribution with a known one."""
    likely = priors.values_of(known, space)
    given = frozenset((name, p) for name, p in likely.items() if p)
    return Secrets(frozenset(map(frozenset, found)), "hedging", (weight, given))


def chain(node: Any, space: Space) -> tuple[Any, Any]:
    """The intervals of the initial row, and of the rows of the transitions."""
    initial, steps = node["initial"], node["transition"]
    first = initial if initial == "stationary" else intervals(initial, space)
    rows = {priors.value_named(name, space): intervals(row, space) for name, row in steps.items()}
    return first, rows


def intervals(node: Any, space: Space) -> dict[str, tuple[Fraction, Fraction]]:
    found = dict.fromkeys(map(text, space.domain), (Fraction(0), Fraction(0)))
    for name, ends in node.items():
        low, high = ends if isinstance(ends, list) else (ends, ends)
        found[priors.value_named(name, space)] = number(low), number(high)
    return found


def known_pairs(known: str, space: Space) -> Pairs:
    """Two values of a record, given the values of some others."""
    found: Pairs = []
    for record in range(len(space.records)):
        others = [i for i in range(len(space.records)) if i != record]
        sizes = range(len(others) + 1) if known == "any" else [int(number(known))]
        for size in sizes:
            for shown in itertools.combinations(others, size):
                found += given_pairs(record, shown, space)
    return found


def given_pairs(record: int, shown: tuple[int, ...], space: Space) -> Pairs:
    seen: dict[Any, dict[Any, set[int]]] = {}
    for world in space.worlds:
        items = world.items or ()
        if items[record] != ABSENT:
            values = seen.setdefault(tuple(items[i] for i in shown), {})
            values.setdefault(items[record], set()).add(world.index)
    return [
        (frozenset(s), frozenset(t))
        for values in seen.values()
        for s, t in itertools.combinations(values.values(), 2)
    ]

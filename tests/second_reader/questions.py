"""The questions of a plain spec file, read by docs/format.md alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from tests.second_reader import mechanisms, neighbours, priors, spaces
from tests.second_reader.language import Names, evaluate, truth
from tests.second_reader.mechanisms import Columns, Context, options
from tests.second_reader.neighbours import Distances
from tests.second_reader.spaces import Space
from tests.second_reader.values import (
    ABSENT,
    CannotRead,
    Secret,
    listed,
    number,
)

Worlds = frozenset[int]
Pairs = list[tuple[Worlds, Worlds]]

CLASSES = {"list", "hull", "conditionals", "iid", "hedging", "markov", "constraints"}


@dataclass(frozen=True)
class Secrets:
    """Pairs of secrets against a class of priors."""

    pairs: frozenset[frozenset[Worlds]]
    kind: str
    weights: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Question:
    """What a check asks, without the answer."""

    definition: str
    space: Space
    columns: Columns | None
    level: tuple[str, Fraction] | None
    delta: Fraction
    compared: Distances | Secrets
    functions: tuple[tuple[Fraction, ...], ...] = ()


@dataclass(frozen=True)
class File:
    """A spec file, and what its checks share."""

    node: dict[str, Any]
    space: Space
    secrets: Names
    folder: Path

    def mechanism(self, item: dict[str, Any]) -> Columns:
        """The mechanism that a check is about."""
        named = self.node.get("mechanisms", {})
        chosen = item.get("mechanism", self.node.get("mechanism"))
        if chosen is None and len(named) == 1:
            (chosen,) = named.values()
        if chosen is None:
            raise CannotRead("a check without a mechanism")
        return mechanisms.read(chosen, Context(self.space, self.secrets, named, self.folder))


def questions(path: Path) -> Iterator[Question | CannotRead]:
    """One question for each check, or why it could not be read."""
    node = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    try:
        file = opened(node, path.parent)
    except CannotRead as reason:
        yield from [reason] * len(node["checks"])
        return
    for item in node["checks"]:
        try:
            yield question(item, file)
        except CannotRead as reason:
            yield reason


def opened(node: dict[str, Any], folder: Path) -> File:
    space = spaces.read(node["worlds"])
    return File(node, space, secrets(node.get("secrets", {}), space), folder)


def secrets(node: dict[str, Any], space: Space) -> Names:
    """The secrets of a file; each may use those before it."""
    found: Names = {}
    for name, rule in node.items():
        if isinstance(rule, list):
            found[name] = Secret(frozenset(map(space.index, rule)))
            continue
        worlds = (w for w in space.worlds if truth(evaluate(rule, space.scope(w, found))))
        found[name] = Secret(frozenset(world.index for world in worlds))
    return found


def question(item: dict[str, Any], file: File) -> Question:
    """The question of one check."""
    beside = {"name", "mechanism", "pairs", "priors", "expect", "leakage"}
    ((definition, inside),) = ((k, v) for k, v in item.items() if k not in beside)
    if definition not in DEFINITIONS:
        raise CannotRead(f"definition {definition}")
    given = dict(inside)
    around = {key: item[key] for key in ("mechanism", "pairs", "priors") if key in item}
    for key in ("mechanism", "pairs", "priors"):
        if key in given:
            around[key] = given.pop(key)
    if "tradeoff" in given:
        given.pop("tradeoff")
    return DEFINITIONS[definition](definition, given, around, file)


def level(given: dict[str, Any]) -> tuple[str, Fraction]:
    """The level as it is said: e^ε where that is rational, else ε."""
    exponent, factor = given.pop("epsilon", None), given.pop("exp_epsilon", None)
    if (exponent is None) == (factor is None):
        raise CannotRead("a level given twice, or not at all")
    if factor is not None:
        return "exp_epsilon", number(factor)
    if exponent.startswith("ln(") and exponent.endswith(")"):
        return "exp_epsilon", number(exponent[3:-1])
    value = number(exponent)
    return ("epsilon", value) if value else ("exp_epsilon", Fraction(1))


def compare(relation: Callable[..., Distances], known: set[str]) -> Callable[..., Question]:
    """A definition that compares worlds."""

    def read(definition: str, given: dict[str, Any], around: Any, file: File) -> Question:
        said, delta = level(given), number(given.pop("delta", "0"))
        compared = relation(options(given, set(), known), file.space)
        columns = file.mechanism(around)
        return Question(definition, file.space, columns, said, delta, compared)

    return read


def sensitivity(definition: str, given: dict[str, Any], around: Any, file: File) -> Question:
    chosen = options(given, {"query"}, {"graph", "equals"})
    space = file.space
    compared = neighbours.blowfish(chosen, space)
    if chosen["query"] == "histogram":
        rows: list[Any] = [
            tuple(Fraction((world.items or ()).count(value)) for value in space.domain)
            for world in space.worlds
        ]
    else:
        rows = spaces.expression(chosen["query"], space, file.secrets)
    vectors = [listed(row) if isinstance(row, tuple) else (row,) for row in rows]
    functions = tuple(zip(*vectors, strict=True))
    return Question(definition, space, None, None, Fraction(0), compared, functions)


def secret_pairs(default: str | None) -> Callable[..., Question]:
    """A definition that compares secrets against priors."""

    def read(definition: str, given: dict[str, Any], around: Any, file: File) -> Question:
        said, delta = level(given), number(given.pop("delta", "0"))
        options(given, set())
        node = around.get("pairs", default or file.node.get("pairs"))
        compared = against(pairs(node, file), around, file)
        return Question(definition, file.space, file.mechanism(around), said, delta, compared)

    return read


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


def bayesian(definition: str, given: dict[str, Any], around: Any, file: File) -> Question:
    said = level(given)
    delta = number(given.pop("delta", "0"))
    known = given.pop("known", "any")
    options(given, set())
    compared = against(known_pairs(known, file.space), around, file)
    return Question(definition, file.space, file.mechanism(around), said, delta, compared)


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


DEFINITIONS: dict[str, Callable[..., Question]] = {
    "differential_privacy": compare(neighbours.differential, {"neighbours", "group"}),
    "metric_privacy": compare(neighbours.metric, {"distance"}),
    "blowfish": compare(neighbours.blowfish, {"graph"}),
    "induced_neighbours": compare(lambda given, space: neighbours.induced(space), set()),
    "sensitivity": sensitivity,
    "pufferfish": secret_pairs(None),
    "noiseless": secret_pairs("values"),
    "dependent_privacy": secret_pairs("values"),
    "bayesian_privacy": bayesian,
}

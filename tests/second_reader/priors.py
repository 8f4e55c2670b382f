"""The priors of docs/reference, each as its weights of all worlds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.second_reader.spaces import Space, multinomial
from tests.second_reader.values import CannotRead, World, number, scalar, text

Weights = tuple[Fraction, ...]


def read(node: Any, space: Space) -> Weights:
    """The weights of a prior."""
    if node == "uniform":
        return conditioned([Fraction(1)] * len(space.worlds), space)
    if not isinstance(node, dict) or len(node) != 1:
        raise CannotRead(f"prior {node}")
    ((kind, inside),) = node.items()
    if kind not in KINDS:
        raise CannotRead(f"prior {kind}")
    return KINDS[kind](inside, space)


def conditioned(weights: list[Fraction], space: Space) -> Weights:
    """The weights scaled to sum 1; a histogram stands for all its lists."""
    if space.exchangeable:
        lists = map(multinomial, space.worlds)
        weights = [weight * n for weight, n in zip(weights, lists, strict=True)]
    total = sum(weights, Fraction(0))
    if not total:
        raise CannotRead("a prior under which no world is possible")
    return tuple(weight / total for weight in weights)


def value_named(name: str, space: Space) -> str:
    """The value of a record that is meant; numbers may be written differently."""
    known = [*map(text, space.domain), *(["⊥"] if space.absent else [])]
    meant = name if name in known else text(scalar(name))
    if meant not in known:
        raise CannotRead(f"{name!r} is no value of a record")
    return meant


def values_of(node: Any, space: Space) -> dict[str, Fraction]:
    """The distribution of a record; it sums to 1."""
    found = {value_named(name, space): number(p) for name, p in node.items()}
    if sum(found.values()) != 1:
        raise CannotRead("probabilities that do not sum to 1")
    return found


def worlds(node: Any, space: Space) -> Weights:
    weights = [Fraction(0)] * len(space.worlds)
    for name, p in node.items():
        weights[space.index(name)] = number(p)
    if sum(weights) != 1:
        raise CannotRead("probabilities that do not sum to 1")
    return tuple(weights)


def items(world: World) -> list[str]:
    if world.counts is not None:
        return [text(value) for value, n in world.counts for _ in range(n)]
    if world.items is None:
        raise CannotRead("records of a world that has none")
    return [text(item) for item in world.items]


def iid(node: Any, space: Space) -> Weights:
    return independently([values_of(node, space)], space)


def independently(parts: list[dict[str, Fraction]], space: Space) -> Weights:
    weights = []
    for world in space.worlds:
        weight, names = Fraction(1), items(world)
        each = parts * len(names) if len(parts) == 1 else parts
        for name, part in zip(names, each, strict=True):
            weight *= part.get(name, Fraction(0))
        weights.append(weight)
    return conditioned(weights, space)


def independent(node: Any, space: Space) -> Weights:
    if len(node) != len(space.records):
        raise CannotRead("another number of distributions than of records")
    return independently([values_of(part, space) for part in node], space)


def markov(node: Any, space: Space) -> Weights:
    if space.exchangeable:
        raise CannotRead("a chain of records that are not told apart")
    steps = {
        value_named(name, space): values_of(row, space) for name, row in node["transition"].items()
    }
    given = node["initial"]
    initial = stationary(steps) if given == "stationary" else values_of(given, space)
    weights = []
    for world in space.worlds:
        names = items(world)
        weight = initial.get(names[0], Fraction(0))
        for before, after in itertools.pairwise(names):
            weight *= steps.get(before, {}).get(after, Fraction(0))
        weights.append(weight)
    return conditioned(weights, space)


def tree(node: Any, space: Space) -> Weights:
    if space.exchangeable:
        raise CannotRead("a tree of records that are not told apart")

    def steps(table: Any) -> dict[str, dict[str, Fraction]]:
        return {value_named(name, space): values_of(row, space) for name, row in table.items()}

    common = steps(node.get("transition", {}))
    own = {record: steps(table) for record, table in node.get("transitions", {}).items()}
    given, parents = node["initial"], node["parents"]
    initial = stationary(common) if given == "stationary" else values_of(given, space)
    weights = []
    for world in space.worlds:
        values = dict(zip(space.records, items(world), strict=True))
        weight = Fraction(1)
        for record, value in values.items():
            if record in parents:
                row = own.get(record, common).get(values[parents[record]], {})
                weight *= row.get(value, Fraction(0))
            else:
                weight *= initial.get(value, Fraction(0))
        weights.append(weight)
    return conditioned(weights, space)


def stationary(steps: dict[str, dict[str, Fraction]]) -> dict[str, Fraction]:
    """The stationary distribution, by elimination."""
    names = list(steps)
    n = len(names)
    rows = [[steps[a].get(b, Fraction(0)) - (a == b) for a in names] + [Fraction(0)] for b in names]
    rows.append([Fraction(1)] * (n + 1))
    for column in range(n):
        best = next((i for i in range(column, len(rows)) if rows[i][column]), None)
        if best is None:
            raise CannotRead("a chain with several stationary distributions")
        rows[column], rows[best] = rows[best], rows[column]
        pivot = rows[column]
        rows[column] = pivot = [entry / pivot[column] for entry in pivot]
        for i, row in enumerate(rows):
            if i != column and row[column]:
                rows[i] = [a - row[column] * b for a, b in zip(row, pivot, strict=True)]
    return {name: rows[i][n] for i, name in enumerate(names)}


def mixture(node: Any, space: Space) -> Weights:
    parts = [(number(part["weight"]), read(part["prior"], space)) for part in node]
    if sum(weight for weight, _ in parts) != 1:
        raise CannotRead("weights that do not sum to 1")
    return tuple(
        sum((weight * prior[i] for weight, prior in parts), Fraction(0))
        for i in range(len(space.worlds))
    )


def by_formula(node: Any, space: Space) -> Weights:
    raise CannotRead("weights by a formula")


KINDS: dict[str, Callable[[Any, Space], Weights]] = {
    "worlds": worlds,
    "iid": iid,
    "independent": independent,
    "markov": markov,
    "tree": tree,
    "mixture": mixture,
    "weight": by_formula,
}

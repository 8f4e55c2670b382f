"""The mechanisms of docs/reference: for each world the probabilities of the outputs."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.second_reader import priors, programs, spaces
from tests.second_reader.language import Names, Scope, evaluate, whole
from tests.second_reader.spaces import Space
from tests.second_reader.values import (
    Attributes,
    CannotRead,
    Secret,
    key,
    number,
    output,
    rank,
    scalar,
)

Column = dict[str, Fraction]
Columns = list[Column]

MOST = 2**22  # entries of a product of mechanisms


@dataclass(frozen=True)
class Context:
    """What a mechanism may refer to."""

    space: Space
    secrets: Names
    named: dict[str, Any]
    folder: Path


def read(node: Any, context: Context) -> Columns:
    """The columns of a mechanism, one for each world; each has all outputs in their order."""
    if isinstance(node, str):
        if node not in context.named:
            raise CannotRead(f"no mechanism {node!r}")
        return read(context.named[node], context)
    if not isinstance(node, dict) or len(node) != 1:
        raise CannotRead("a mechanism of several keys")
    ((kind, inside),) = node.items()
    if kind not in KINDS:
        raise CannotRead(f"mechanism {kind}")
    columns = KINDS[kind](inside, context)
    if any(sum(column.values()) != 1 for column in columns):
        raise CannotRead("a column that does not sum to 1")
    outputs = dict.fromkeys(name for column in columns for name in column)
    return [{name: column.get(name, Fraction(0)) for name in outputs} for column in columns]


def options(node: Any, required: set[str], optional: set[str] = frozenset()) -> dict[str, Any]:
    """The options of a mechanism, or of a definition; unknown ones are not read."""
    if not isinstance(node, dict) or not required <= set(node) <= required | set(optional):
        raise CannotRead(f"options {sorted(node) if isinstance(node, dict) else node}")
    return node


def tally(items: list[tuple[str, Fraction]]) -> Column:
    """Outputs with equal names, added up."""
    column: Column = {}
    for name, p in items:
        column[name] = column.get(name, Fraction(0)) + p
    return column


def table(node: Any, context: Context) -> Columns:
    rows = {name: row for name, row in node.items() if name != "outputs"}
    if set(rows) != {world.name for world in context.space.worlds}:
        raise CannotRead("a table with other rows than the worlds")
    if any(isinstance(cell, list) for row in node.values() for cell in row):
        raise CannotRead("a table of estimates")
    return [line(rows[world.name], node["outputs"]) for world in context.space.worlds]


def line(row: Any, outputs: list[str]) -> Column:
    if isinstance(row, dict):
        if set(row) - set(outputs):
            raise CannotRead("a row with an output of its own")
        return {name: number(row.get(name, "0")) for name in outputs}
    return {name: number(p) for name, p in zip(outputs, row, strict=True)}


def from_csv(node: Any, context: Context) -> Columns:
    with (context.folder / node).open(encoding="utf-8", newline="") as file:
        first, *lines = [row for row in csv.reader(file) if row]
    if first[0] != "world":
        raise CannotRead("a csv file whose first line does not begin with world")
    rows = {row[0]: line(row[1:], first[1:]) for row in lines}
    return [rows[world.name] for world in context.space.worlds]


def randomized_response(node: Any, context: Context) -> Columns:
    space, chosen = context.space, options(node, {"truth"}, {"per"})
    truth, per = number(chosen["truth"]), chosen.get("per", "entry")
    if not space.records or space.absent:
        raise CannotRead("randomized response without records that must be present")
    if per not in ("entry", "record"):
        raise CannotRead(f"per {per}")
    columns = []
    for world in space.worlds:
        answers = [respond(item, space, truth, per) for item in world.items or ()]
        columns.append(
            {
                spaces.title(tuple(item for item, _ in picked), list(space.domain)): product(
                    p for _, p in picked
                )
                for picked in itertools.product(*answers)
            }
        )
    return columns


def product(factors: Any) -> Fraction:
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result


def respond(item: Any, space: Space, truth: Fraction, per: str) -> list[tuple[Any, Fraction]]:
    """The answers for one record."""
    if per == "record":
        return one_of(item, space.domain, truth)
    parts = [
        one_of(part, choices, truth)
        for part, choices in zip(space.parts(item), space.choices, strict=True)
    ]
    found = []
    for picked in itertools.product(*parts):
        values = tuple(value for value, _ in picked)
        answer = values[0] if len(values) == 1 else Attributes(space.attributes, values)
        found.append((answer, product(p for _, p in picked)))
    return found


def one_of(item: Any, choices: tuple[Any, ...], truth: Fraction) -> list[tuple[Any, Fraction]]:
    if len(choices) == 1:
        raise CannotRead("randomized response with one value")
    lie = (1 - truth) / (len(choices) - 1)
    return [(choice, truth if choice == item else lie) for choice in choices]


def geometric(node: Any, context: Context) -> Columns:
    chosen = options(node, {"query"}, {"ratio", "exp_epsilon", "low", "high"})
    if ("ratio" in chosen) == ("exp_epsilon" in chosen):
        raise CannotRead("geometric noise with two ratios, or with none")
    ratio = number(chosen["ratio"]) if "ratio" in chosen else 1 / number(chosen["exp_epsilon"])
    values = spaces.integers(spaces.expression(chosen["query"], context.space, context.secrets))
    bounds = {key: number(chosen[key]) for key in ("low", "high") if key in chosen}
    names, low, high = {}, Fraction(min(values)), Fraction(max(values))
    if not bounds and low == high:
        return [{"any": Fraction(1)} for _ in values]
    if "low" not in bounds:
        low = min(low, bounds["high"] - 1) if bounds else low
        names[low] = f"≤{low}"
    if "high" not in bounds:
        high = max(high, bounds["low"] + 1) if bounds else high
        names[high] = f"≥{high}"
    low, high = bounds.get("low", low), bounds.get("high", high)
    drawn = [programs.clamped(Fraction(value), ratio, low, high).items for value in values]
    return [tally([(names.get(item, output(item)), p) for item, p in items]) for items in drawn]


def exponential(node: Any, context: Context) -> Columns:
    chosen = options(node, {"candidates", "score", "base"})
    candidates, base = list(map(scalar, chosen["candidates"])), number(chosen["base"])
    columns = []
    for world in context.space.worlds:
        scores = []
        for candidate in candidates:
            scope = context.space.scope(world, {**context.secrets, "candidate": candidate})
            scores.append(base ** whole(evaluate(chosen["score"], scope)))
        total = sum(scores, Fraction(0))
        columns.append({output(c): s / total for c, s in zip(candidates, scores, strict=True)})
    return columns


def deterministic(node: Any, context: Context) -> Columns:
    values = spaces.expression(node, context.space, context.secrets)
    apart(values)
    return [{output(value): Fraction(1)} for value in values]


def apart(values: list[Any]) -> None:
    """Refuses different values of the same text."""
    if len({key(value) for value in values}) > len({output(value) for value in values}):
        raise CannotRead("two outputs of the same text")


def program(node: Any, context: Context) -> Columns:
    scopes: list[Scope] = [context.space.scope(w, context.secrets) for w in context.space.worlds]
    returned = [programs.run(node, scope) for scope in scopes]
    apart([v for values in returned for v, _ in values])
    order = {output(v): v for values in returned for v, _ in values}
    outputs = sorted(order, key=lambda name: rank(order[name]))
    told = [tally([(output(v), p) for v, p in values]) for values in returned]
    return [{name: column.get(name, Fraction(0)) for name in outputs} for column in told]


def compose(node: Any, context: Context) -> Columns:
    if not isinstance(node, list) or len(node) < 2:
        raise CannotRead("compose of fewer than two")
    parts = [read(part, context) for part in node]
    if len(parts[0]) * math.prod(len(part[0]) for part in parts) > MOST:
        raise CannotRead("more entries than this reader makes")
    return [
        tally(
            [
                (f"({', '.join(name for name, _ in picked)})", product(p for _, p in picked))
                for picked in itertools.product(*(column.items() for column in columns))
            ]
        )
        for columns in zip(*parts, strict=True)
    ]


def repeat(node: Any, context: Context) -> Columns:
    chosen = options(node, {"of", "runs"})
    of, runs = read(chosen["of"], context), int(number(chosen["runs"]))
    bags = [Counter(bag) for bag in itertools.combinations_with_replacement(of[0], runs)]
    return [{counted(bag): chance(bag, column, runs) for bag in bags} for column in of]


def counted(bag: Counter[str]) -> str:
    return f"{{{', '.join(f'{name}: {n}' for name, n in bag.items())}}}"


def chance(bag: Counter[str], column: Column, runs: int) -> Fraction:
    """The probability that several runs give just these outputs."""
    orders = math.factorial(runs) // math.prod(map(math.factorial, bag.values()))
    return product(column[name] ** n for name, n in bag.items()) * orders


def post_process(node: Any, context: Context) -> Columns:
    chosen = options(node, {"of"}, {"map", "matrix"})
    of = read(chosen["of"], context)
    if ("map" in chosen) == ("matrix" in chosen):
        raise CannotRead("post_process with map and matrix, or with neither")
    if "map" in chosen:
        rule = {name: {new: Fraction(1)} for name, new in chosen["map"].items()}
    else:
        rule = {
            name: {new: number(p) for new, p in row.items()}
            for name, row in chosen["matrix"].items()
        }
    if set(rule) != set(of[0]):
        raise CannotRead("entries for other outputs than those of the mechanism")
    return [
        tally([(new, column[name] * q) for name in rule for new, q in rule[name].items()])
        for column in of
    ]


def mixture(node: Any, context: Context) -> Columns:
    parts = [(number(part["weight"]), read(part["mechanism"], context)) for part in node]
    return [
        tally([(name, w * p) for w, part in parts for name, p in part[i].items()])
        for i in range(len(context.space.worlds))
    ]


def related(node: Any, context: Context) -> Columns:
    chosen = options(node, {"worlds", "given", "mechanism"}, {"sees"})
    other = spaces.read(chosen["worlds"])
    beliefs = {
        world: priors.read(prior, other)
        for name, prior in chosen["given"].items()
        for world in meant(name, context)
    }
    if len(beliefs) != len(context.space.worlds):
        raise CannotRead("a world without, or with several, distributions of the related data")
    inner = Context(other, {}, context.named, context.folder)
    if "sees" not in chosen:
        columns = read(chosen["mechanism"], inner)
        return [averaged(columns, beliefs[i]) for i in range(len(beliefs))]
    seen = read(chosen["sees"], context)
    told = {name: read(part, inner) for name, part in chosen["mechanism"].items()}
    return [
        tally(
            [
                (f"({name}, {reply})", p * q)
                for name, p in column.items()
                for reply, q in averaged(told[name], beliefs[i]).items()
            ]
        )
        for i, column in enumerate(seen)
    ]


def meant(name: str, context: Context) -> list[int]:
    secret = context.secrets.get(name)
    if isinstance(secret, Secret):
        return sorted(secret.worlds)
    return [context.space.index(name)]


def averaged(columns: Columns, weights: tuple[Fraction, ...]) -> Column:
    return tally(
        [
            (name, p * weight)
            for column, weight in zip(columns, weights, strict=True)
            if weight
            for name, p in column.items()
        ]
    )


def merge_proportional(node: Any, context: Context) -> Columns:
    of = read(node, context)
    alike: dict[tuple[Fraction, ...], list[str]] = {}
    for name in of[0]:
        row = [column[name] for column in of]
        total = sum(row)
        alike.setdefault(tuple(p / total if total else p for p in row), []).append(name)
    return [
        {
            " | ".join(names): sum((column[n] for n in names), Fraction(0))
            for names in alike.values()
        }
        for column in of
    ]


KINDS: dict[str, Callable[[Any, Context], Columns]] = {
    "table": table,
    "csv": from_csv,
    "randomized_response": randomized_response,
    "geometric": geometric,
    "exponential": exponential,
    "deterministic": deterministic,
    "program": program,
    "compose": compose,
    "repeat": repeat,
    "post_process": post_process,
    "mixture": mixture,
    "related": related,
    "merge_proportional": merge_proportional,
}

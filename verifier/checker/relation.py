"""Which worlds are compared: blocks, re-derived from the worlds wherever a rule says how."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import prod
from typing import Any

from .level import ONE
from .reading import Rejected, afford, fields, indices, items, mapping, need, number, read_records

# every world of the first is compared with every other one of the second, at this distance
Block = tuple[Sequence[int], Sequence[int], Fraction]


def read_blocks(relation: Any, model: Any) -> list[Block]:
    """The ordered pairs of worlds to compare."""
    return list(RULES[relation["rule"]](relation, model))


def _changes(relation: Any, model: Any) -> Iterator[Block]:
    """replace, entry: from 1 to `group` places differ, and the same ones are absent in both.
    add_remove: from 1 to `group` places differ, each of them absent in just one."""
    fields(relation, "rule group")
    (group,), rows = indices([relation["group"]], 2**60, low=1), read_records(model)
    if relation["rule"] == "entry":
        rows = [[(entry,) for record in row for entry in record] for row in rows]
    crossing, places = relation["rule"] == "add_remove", len(rows[0])
    most = min(group, places)
    sizes = range(1 if crossing else most, most + 1)
    choices = chain.from_iterable(combinations(range(places), size) for size in sizes)
    for done, moved in enumerate(map(set, choices)):
        afford(done * len(rows) * places)
        lines = defaultdict(list)
        for w, row in enumerate(rows):
            lines[tuple([-1 in x if at in moved else x for at, x in enumerate(row)])].append(w)
        for key, line in lines.items():
            if crossing:
                other = tuple([not x if at in moved else x for at, x in enumerate(key)])
                if other in lines:
                    yield line, lines[other], ONE
            elif len(line) > 1:
                yield line, line, ONE


def _all(relation: Any, model: Any) -> Iterator[Block]:
    fields(relation, "rule")
    if len(model["worlds"]) > 1:
        yield range(len(model["worlds"])), range(len(model["worlds"])), ONE


def _pairs(relation: Any, model: Any) -> Iterator[Block]:
    """For each distance, each world's list of worlds that it is compared with."""
    fields(relation, "rule distances")
    worlds = range(len(model["worlds"]))
    for distance, rows in mapping(relation["distances"]).items():
        need(number(distance) > 0, "a distance is positive")
        for world, others in zip(worlds, items(rows), strict=True):
            need(world not in indices(others, len(worlds)), "a world is compared with itself")
            if others:
                yield (world,), others, number(distance)


def read_secrets(relation: Any, model: Any) -> tuple[dict[str, list[int]], list[tuple[str, str]]]:
    """The worlds of each secret, and the pairs of names in both orders."""
    fields(relation, "rule secrets pairs priors")
    size, listed = len(model["worlds"]), mapping(relation["secrets"])
    sets = {name: set(indices(worlds, size)) for name, worlds in listed.items()}
    pairs = read_pairs(relation)
    afford(10 * sum(min(len(sets[s]), len(sets[t])) for s, t in pairs))
    need(all(sets[s].isdisjoint(sets[t]) for s, t in pairs), "overlap", Rejected)
    return {name: sorted(worlds) for name, worlds in sets.items()}, pairs


def read_pairs(relation: Any) -> list[tuple[str, str]]:
    """The pairs of names of secrets in both orders."""
    listed = [read_pair(pair) for pair in items(relation["pairs"])]
    return [pair for s, t in listed for pair in ((s, t), (t, s))]


def read_pair(pair: Any) -> tuple[str, str]:
    """Two names."""
    need(type(pair) is list and list(map(type, pair)) == [str, str], "a pair is of two names")
    return pair[0], pair[1]


def _secrets(relation: Any, model: Any) -> Iterator[Block]:
    """Every pair of worlds across a pair of secrets (class all); or those that differ in the one
    record about which the secrets differ (class product; the worlds are the complete product)."""
    fields(relation["priors"], "class")
    need(relation["priors"]["class"] in ("all", "product"), "no such class of priors")
    rows = read_records(model) if relation["priors"]["class"] == "product" else []
    sizes = [len(set(column)) for column in zip(*rows, strict=True)]
    need(not rows or prod(sizes) == len(rows), "the worlds are no complete product", Rejected)
    secrets, pairs = read_secrets(relation, model)

    def allowed(secret: list[int]) -> list[set[Any]]:
        values = [set(column) for column in zip(*(rows[w] for w in secret), strict=True)]
        boxed = prod(map(len, values)) == len(secret)
        need(boxed, "a secret is no choice of values for each record", Rejected)
        return values

    steps = 0
    for s, t in ((secrets[s], secrets[t]) for s, t in pairs if secrets[s] and secrets[t]):
        steps += 4 * (len(s) + len(t)) * len(sizes)
        afford(steps)
        if not rows:
            yield s, t, ONE
            continue
        values = enumerate(zip(allowed(s), allowed(t), strict=True))
        about = [r for r, (here, there) in values if here != there]
        need(len(about) == 1, "two secrets do not differ about one record", Rejected)
        lines: dict[Any, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side in (0, 1):
            for w in (s, t)[side]:
                kept = rows[w][: about[0]] + rows[w][about[0] + 1 :]
                lines[tuple(kept)][side].append(w)
        yield from ((here, there, ONE) for here, there in lines.values())


RULES: dict[str, Callable[[Any, Any], Iterator[Block]]] = {
    **dict.fromkeys(("replace", "add_remove", "entry"), _changes),
    "all": _all,
    "pairs": _pairs,
    "secrets": _secrets,
}

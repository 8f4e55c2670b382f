"""Which worlds are compared: blocks, re-derived from the worlds wherever a rule says how."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from .reading import Rejected, fields, indices, need, number, read_records

ONE = Fraction(1)
# every world of the first is compared with every other one of the second, at this distance
Block = tuple[Sequence[int], Sequence[int], Fraction]


def read_blocks(relation: Any, model: Any) -> list[Block]:
    """The ordered pairs of worlds to compare."""
    return list(RULES[relation["rule"]](relation, model))


def _changes(relation: Any, model: Any) -> Iterator[Block]:
    """replace, entry: worlds that agree on who is absent and, but for `group` cells, on all.
    add_remove: worlds that agree but for up to `group` records, each absent in just one."""
    fields(relation, "rule group")
    rows: Any = read_records(model)
    if relation["rule"] == "entry":
        rows = [[(entry,) for record in row for entry in record] for row in rows]
    most, one_sided = min(relation["group"], len(rows[0])), relation["rule"] == "add_remove"
    need(type(most) is int and most > 0, "a group is a positive number")
    for moved in (m for n in range(1, most + 1) for m in combinations(range(len(rows[0])), n)):
        if not one_sided and len(moved) < most:
            continue
        kept = [at for at in range(len(rows[0])) if at not in moved]
        lines = defaultdict(list)
        for w, row in enumerate(rows):
            gone = tuple([-1 in row[at] for at in moved])
            lines[tuple([row[at] for at in kept]), gone].append(w)
        for (same, gone), line in lines.items():
            there = tuple([not g for g in gone]) if one_sided else gone
            if len(lines.get((same, there), ())) > (not one_sided):
                yield line, lines[same, there], ONE


def _all(relation: Any, model: Any) -> Iterator[Block]:
    fields(relation, "rule")
    if len(model["worlds"]) > 1:
        yield range(len(model["worlds"])), range(len(model["worlds"])), ONE


def _pairs(relation: Any, model: Any) -> Iterator[Block]:
    """For each distance, each world's list of worlds that it is compared with."""
    fields(relation, "rule distances")
    worlds = range(len(model["worlds"]))
    for distance, rows in relation["distances"].items():
        need(0 < number(distance) < 10**7 and number(distance).denominator < 10**7, "distance")
        for world, others in zip(worlds, rows, strict=True):
            need(world not in indices(others, len(worlds)), "a world is compared with itself")
            if others:
                yield (world,), others, number(distance)


def read_secrets(relation: Any, model: Any) -> list[tuple[str, str, Any, Any]]:
    """Each pair of secrets in both orders: their names and the sets of their worlds."""
    fields(relation, "rule secrets pairs priors")
    secrets = {k: set(indices(s, len(model["worlds"]))) for k, s in relation["secrets"].items()}
    need(not any(secrets[s] & secrets[t] for s, t in relation["pairs"]), "overlap", Rejected)
    both = [pair for s, t in relation["pairs"] for pair in ((s, t), (t, s))]
    return [(s, t, sorted(secrets[s]), sorted(secrets[t])) for s, t in both]


def _secrets(relation: Any, model: Any) -> Iterator[Block]:
    """Every pair of worlds across a pair of secrets (class all); or those that differ in the one
    record that both secrets are about (class product; the worlds are the complete product)."""
    fields(relation["priors"], "class")
    need(relation["priors"]["class"] in ("all", "product"), "a class is all, product or list")
    rows = read_records(model) if relation["priors"]["class"] == "product" else []
    sizes = [len(set(column)) for column in zip(*rows, strict=True)]
    need(not rows or prod(sizes) == len(rows), "the worlds are no complete product", Rejected)
    for _, _, s, t in read_secrets(relation, model):
        if not rows and s and t:
            yield s, t, ONE
        elif s and t:
            about = [
                r
                for r, size in enumerate(sizes)
                if all(len({rows[w][r] for w in x}) * len(rows) == len(x) * size for x in (s, t))
            ]
            need(about, "two secrets are not about one and the same record", Rejected)
            there: dict[Any, list[int]] = defaultdict(list)
            for w in t:
                there[*rows[w][: about[0]], *rows[w][about[0] + 1 :]].append(w)
            for w in s:
                yield (w,), there[*rows[w][: about[0]], *rows[w][about[0] + 1 :]], ONE


RULES: dict[str, Callable[[Any, Any], Iterator[Block]]] = {
    **dict.fromkeys(("replace", "add_remove", "entry"), _changes),
    "all": _all,
    "pairs": _pairs,
    "secrets": _secrets,
}

"""Which worlds are compared: blocks, re-derived from the model wherever a rule says how."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from .level import ONE
from .reading import Model, Refused, Rejected, fields, integers, listing, number, show

# each world of the first is compared with each other one of the second, at this distance
Block = tuple[Sequence[int], Sequence[int], Fraction]
Databases = Sequence[Sequence[Hashable]]


def read_blocks(relation: Any, model: Model, rules: Collection[str]) -> list[Block]:
    """The ordered pairs of worlds to compare, as blocks with at least one pair each."""
    rule = relation.get("rule") if type(relation) is dict else None
    if type(rule) is not str or rule not in rules:
        raise Refused(f"the relation must be an object with a rule among {', '.join(rules)}")
    return list(RULES[rule](relation, model))


def _records(model: Model) -> Sequence[Sequence[tuple[int, ...]]]:
    if model.records is None:
        raise Refused("this relation needs the records of the worlds")
    return model.records


def _group(relation: dict[str, Any]) -> int:
    fields(relation, "the relation", ("rule", "group"))
    return integers([relation["group"]], "group", 1)[0]


def _replace(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    absent = [[-1 in record for record in row] for row in _records(model)]
    return _changes(_records(model), absent, _group(relation))


def _entry(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    rows = [[code for record in row for code in record] for row in _records(model)]
    return _changes(rows, [[code < 0 for code in row] for row in rows], _group(relation))


def _changes(rows: Databases, absent: list[list[bool]], group: int) -> Iterator[Block]:
    """One block: worlds that agree on who is absent and, but for `group` cells, on everything."""
    cells = len(rows[0])
    for changed in combinations(range(cells), min(group, cells)):
        lines = defaultdict(list)
        for w, row in enumerate(rows):
            kept = tuple([value for cell, value in enumerate(row) if cell not in changed])
            lines[kept, tuple([absent[w][cell] for cell in changed])].append(w)
        yield from ((line, line, ONE) for line in lines.values() if len(line) > 1)


def _add_remove(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    """One block: worlds that agree but for some records, of which each has what the other lacks."""
    group, rows = _group(relation), _records(model)
    records = range(len(rows[0]))
    for size in range(1, min(group, len(records)) + 1):
        for moved in combinations(records, size):
            lines = defaultdict(list)
            for w, row in enumerate(rows):
                kept = tuple([value for r, value in enumerate(row) if r not in moved])
                lines[kept, tuple([-1 in row[r] for r in moved])].append(w)
            for (kept, absent), line in lines.items():
                opposite = (kept, tuple([not a for a in absent]))
                if opposite in lines:
                    yield line, lines[opposite], ONE


def _all(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    fields(relation, "the relation", ("rule",))
    if len(model.worlds) > 1:
        yield range(len(model.worlds)), range(len(model.worlds)), ONE


def _pairs(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    fields(relation, "the relation", ("rule", "pairs"))
    for pair in listing(relation["pairs"], "pairs"):
        i, j = world_pair(pair, len(model.worlds))
        yield (i,), (j,), ONE


def _distances(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    fields(relation, "the relation", ("rule", "pairs"))
    for item in listing(relation["pairs"], "pairs"):
        i, j = world_pair(listing(item, "each of pairs", 3)[:2], len(model.worlds))
        distance = number(item[2], "a distance")
        if not 0 <= distance <= 10**7 or distance.denominator > 10**7:
            raise Refused("a distance must be at least 0; it and its denominator at most 10^7")
        yield (i,), (j,), distance


def world_pair(value: Any, worlds: int) -> Sequence[int]:
    """Two distinct worlds."""
    pair = integers(value, "a pair of worlds", 0, worlds, 2)
    if pair[0] == pair[1]:
        raise Refused("a pair of worlds must be two worlds")
    return pair


def read_secrets(relation: Any, model: Model) -> tuple[dict[str, Sequence[int]], list[list[str]]]:
    """The secrets, sets of worlds, and their pairs, in both orders."""
    fields(relation, "the relation", ("rule", "secrets", "pairs", "priors"))
    secrets, pairs = relation["secrets"], []
    if type(secrets) is not dict or any(type(name) is not str for name in secrets):
        raise Refused("secrets must be an object, name to list of worlds")
    for name, worlds in secrets.items():
        integers(worlds, f"the secret {show(name)}", 0, len(model.worlds))
        if len(set(worlds)) < len(worlds):
            raise Refused(f"the secret {show(name)} has a world twice")
    for pair in listing(relation["pairs"], "pairs"):
        s, t = secret_pair(pair, secrets)
        if not set(secrets[s]).isdisjoint(secrets[t]):
            raise Rejected(f"the secrets {show(s)} and {show(t)} have a world in common")
        pairs += [[s, t], [t, s]]
    return secrets, pairs


def secret_pair(value: Any, secrets: dict[str, Sequence[int]]) -> Sequence[str]:
    """Two names of secrets."""
    for name in listing(value, "a pair of secrets", 2):
        if type(name) is not str or name not in secrets:
            raise Refused("a pair must be two names of secrets")
    return value  # type: ignore[no-any-return]


def _secrets(relation: dict[str, Any], model: Model) -> Iterator[Block]:
    secrets, pairs = read_secrets(relation, model)
    fields(relation["priors"], "priors", ("class",))
    if relation["priors"]["class"] not in ("all", "product"):
        raise Refused("the class of priors must be all, product or list")
    for s, t in pairs:
        if secrets[s] and secrets[t]:
            if relation["priors"]["class"] == "all":
                yield secrets[s], secrets[t], ONE
            else:
                yield from _single_changes(_records(model), secrets, s, t)


def _single_changes(
    rows: Databases, secrets: dict[str, Sequence[int]], s: str, t: str
) -> Iterator[Block]:
    """From s to t by changing the one record that both are about; sound for product priors."""
    values = [len(set(column)) for column in zip(*rows, strict=True)]
    if prod(values) != len(rows):
        raise Rejected("the worlds are not the complete product of the values of their records")

    def decides(record: int, secret: str) -> bool:
        occurring = {rows[w][record] for w in secrets[secret]}
        return len(occurring) * len(rows) == len(secrets[secret]) * values[record]

    record = next((r for r in range(len(values)) if decides(r, s) and decides(r, t)), None)
    if record is None:
        raise Rejected(f"the secrets {show(s)} and {show(t)} are not about one and the same record")
    lines = defaultdict(list)
    for w in secrets[t]:
        lines[tuple(rows[w][:record]), tuple(rows[w][record + 1 :])].append(w)
    for w in secrets[s]:
        yield (w,), lines[tuple(rows[w][:record]), tuple(rows[w][record + 1 :])], ONE


RULES: dict[str, Callable[[dict[str, Any], Model], Iterator[Block]]] = {
    "replace": _replace,
    "add_remove": _add_remove,
    "entry": _entry,
    "all": _all,
    "pairs": _pairs,
    "distances": _distances,
    "secrets": _secrets,
}

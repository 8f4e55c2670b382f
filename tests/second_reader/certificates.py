"""What a certificate states, by docs/certificate.md, and whether it is the reader's question."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.second_reader.mechanisms import Columns
from tests.second_reader.neighbours import Distances, closed
from tests.second_reader.questions import Question, Secrets
from tests.second_reader.values import ABSENT, CannotRead


@dataclass(frozen=True)
class Stated:
    """The parts of a certificate that say what it is about."""

    definition: str
    level: dict[str, str] | None
    relation: Any
    model: dict[str, Any]


def stated(certificate: dict[str, Any]) -> Stated:
    """The question of a certificate: the one place that knows where its parts stand."""
    claim = certificate["claim"]
    level = claim.get("level")
    return Stated(claim["definition"], level, certificate["relation"], certificate["model"])


def differences(question: Question, certificate: dict[str, Any]) -> Iterator[str]:
    """In what a certificate's question is another one than the reader's."""
    other = stated(certificate)
    if other.definition != question.definition:
        yield f"definition {other.definition}"
    if other.model["worlds"] != [world.name for world in question.space.worlds]:
        yield "worlds"
        return
    if "records" in other.model and pattern(other.model["records"]) != databases(question):
        yield "records"
    yield from levels(question, other)
    if question.columns is not None and not same_columns(question.columns, matrix(other.model)):
        yield "matrix"
    if question.functions and not same_functions(question, other.model):
        yield "functions"
    yield from relations(question, other)


def levels(question: Question, other: Stated) -> Iterator[str]:
    if question.level is None or other.level is None:
        if question.level is not other.level:
            yield "level"
        return
    kind, value = question.level
    if kind not in other.level or Fraction(other.level[kind]) != value:
        yield f"level {other.level}"
    if Fraction(other.level["delta"]) != question.delta:
        yield "delta"


def pattern(records: list[list[int]]) -> list[tuple[int, ...]]:
    """Codes renamed by first occurrence in each place; -1 stays."""
    seen: list[dict[int, int]] = [{-1: -1} for _ in records[0]]
    return [
        tuple(seen[place].setdefault(code, len(seen[place])) for place, code in enumerate(row))
        for row in records
    ]


def databases(question: Question) -> list[tuple[int, ...]]:
    space = question.space
    codes: list[dict[Any, int]] = [
        {ABSENT: -1} for _ in range(len(space.records) * len(space.choices))
    ]
    rows = [[e for item in w.items or () for e in space.parts(item)] for w in space.worlds]
    return pattern(
        [
            [codes[place].setdefault(entry, len(codes[place])) for place, entry in enumerate(row)]
            for row in rows
        ]
    )


def matrix(model: dict[str, Any]) -> Columns:
    """The columns of a model, each with all outputs in their order."""
    values = list(map(Fraction, model["values"]))
    return [
        {name: values[code] for name, code in zip(model["outputs"], column, strict=True)}
        for column in model["columns"]
    ]


def same_columns(left: Columns, right: Columns) -> bool:
    """Whether two matrices are equal, with their outputs in the same order."""
    return list(left[0]) == list(right[0]) and left == right


def same_functions(question: Question, model: dict[str, Any]) -> bool:
    found = [tuple(map(Fraction, function)) for function in model["functions"]]
    return sorted(found) == sorted(question.functions)


def relations(question: Question, other: Stated) -> Iterator[str]:
    if isinstance(question.compared, Secrets):
        yield from same_secrets(question.compared, other.relation)
    elif not same_worlds(question, listed(other)):
        yield "compared worlds"


def same_worlds(question: Question, found: dict[tuple[int, int], set[Fraction]]) -> bool:
    """Whether the same worlds are compared; of a metric steps are enough."""
    expected = question.compared
    assert isinstance(expected, dict)
    if question.definition != "metric_privacy":
        return found == {pair: {d} for pair, d in expected.items()}
    steps: Distances = {pair: min(lengths) for pair, lengths in found.items()}
    return closed(steps, len(question.space.worlds)) == expected


def listed(other: Stated) -> dict[tuple[int, int], set[Fraction]]:
    """The compared ordered pairs of worlds and their distances."""
    relation, size = other.relation, len(other.model["worlds"])
    found: dict[tuple[int, int], set[Fraction]] = defaultdict(set)
    if relation["rule"] == "pairs":
        for distance, lists in relation["distances"].items():
            for i, ends in enumerate(lists):
                for j in ends:
                    found[i, j].add(Fraction(distance))
        return found
    for i, j in itertools.permutations(range(size), 2):
        if relation["rule"] == "all" or derived(relation, i, j, other.model):
            found[i, j].add(Fraction(1))
    return found


def derived(relation: dict[str, Any], i: int, j: int, model: dict[str, Any]) -> bool:
    """Whether a rule about records compares two worlds."""
    width, a, b = model["entries_per_record"], model["records"][i], model["records"][j]
    places = [k for k in range(len(a)) if a[k] != b[k]]
    gone = [(a[k] == -1, b[k] == -1) for k in places]
    count = len(places) if relation["rule"] == "entry" else len({k // width for k in places})
    if count > relation["group"]:
        return False
    if relation["rule"] == "add_remove":
        return all(x != y for x, y in gone)
    if relation["rule"] not in ("replace", "entry"):
        raise CannotRead(f"rule {relation['rule']}")
    return not any(x or y for x, y in gone)


def same_secrets(question: Secrets, relation: dict[str, Any]) -> Iterator[str]:
    """Whether the pairs of secrets and the priors are the same."""
    if relation["rule"] != "secrets":
        yield f"rule {relation['rule']}"
        return
    sets = {name: frozenset(worlds) for name, worlds in relation["secrets"].items()}
    pairs = frozenset(frozenset((sets[s], sets[t])) for s, t in relation["pairs"])
    given = relation["priors"]
    if given["class"] != question.kind:
        yield f"class {given['class']}"
        return
    if pairs != question.pairs:
        yield "pairs of secrets"
    if weights(given, sets) != question.weights:
        yield "priors"


def weights(given: dict[str, Any], sets: dict[str, frozenset[int]]) -> tuple[Any, ...]:
    """The priors of a certificate."""
    if given["class"] == "conditionals":
        return tuple(
            frozenset((sets[name], tuple(map(Fraction, p))) for name, p in prior.items())
            for prior in given["priors"]
        )
    return tuple(tuple(map(Fraction, prior)) for prior in given.get("priors", ()))

"""What a certificate states, by docs/certificate.md, and whether it is the reader's question."""

from __future__ import annotations

import base64
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.second_reader import quilts
from tests.second_reader.constraints import lowest
from tests.second_reader.files import (
    Expected,
    Guessed,
    Implication,
    Optimum,
    Question,
    Secrets,
    Situations,
)
from tests.second_reader.mechanisms import Columns
from tests.second_reader.neighbours import Distances, closed
from tests.second_reader.situations import grouped
from tests.second_reader.values import ABSENT, CannotRead


@dataclass(frozen=True)
class Stated:
    """The parts of a certificate that say what it is about."""

    definition: str
    level: dict[str, Any] | None
    asked: dict[str, Any]
    relation: Any
    model: dict[str, Any]
    source: dict[str, Any]


def stated(certificate: dict[str, Any]) -> Stated:
    """The question of a certificate: the one place that knows where its parts stand."""
    question = certificate["question"]
    relation, rule = question["relation"], question["relation"]["rule"]
    asked = {key: question[key] for key in ("equals", "at_most", "facets") if question.get(key)}
    if rule == "influence":
        asked["entries"] = relation["entries"]
    if rule == "network" and "channels" not in question["model"]:
        asked["entries"] = relation["hidden"]
    if rule in ("bounded_range", "renyi", "zcdp"):
        asked |= {} if relation["order"] is None else {"order": relation["order"]}
        relation = relation["pairs"]
    if rule in ("simulator", "exchangeable", "inference"):
        asked["inference"] = int(rule == "inference")
    return Stated(
        question["definition"],
        question.get("level"),
        {key: Fraction(value) for key, value in asked.items()},
        relation,
        question["model"],
        question["source"],
    )


def differences(question: Question, certificate: dict[str, Any]) -> Iterator[str]:
    """In what a certificate's question is another one than the reader's."""
    other = stated(certificate)
    model = other.model
    if other.definition != question.definition:
        yield f"definition {other.definition}"
    if isinstance(other.relation, dict) and other.relation.get("rule") == "network":
        yield from asked_levels(question, other)
        yield from quilts.differences(question, other.relation, model)
        return
    if model["worlds"] != [world.name for world in question.space.worlds]:
        yield "worlds"
        return
    if "records" in model and pattern(model["records"]) != databases(question):
        yield "records"
    if "counts" in model and list(map(tuple, model["counts"])) != [
        tuple(n for _, n in world.counts or ()) for world in question.space.worlds
    ]:
        yield "counts"
    yield from asked_levels(question, other)
    if question.columns is not None and not same_columns(question.columns, matrix(model)):
        yield "matrix"
    if question.given and list(question.given) != list(map(matrix, model["given"])):
        yield "given mechanisms"
    if question.functions and not same_functions(question, model):
        yield "functions"
    yield from relations(question, other.relation, model)


def asked_levels(question: Question, other: Stated) -> Iterator[str]:
    if other.asked != question.asked:
        yield "what is asked"
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
    values, outputs = list(map(Fraction, model["values"])), model["outputs"]
    return [
        dict(zip(outputs, map(values.__getitem__, codes(column, len(outputs))), strict=True))
        for column in model["columns"]
    ]


def codes(column: list[int] | str, outputs: int) -> Sequence[int]:
    """The places in the list of values; as text they are bytes in base64, one or two for each."""
    if not isinstance(column, str):
        return column
    text = base64.b64decode(column)
    width = len(text) // outputs
    return [int.from_bytes(text[k : k + width], "little") for k in range(0, len(text), width)]


def same_columns(left: Columns, right: Columns) -> bool:
    """Whether two matrices are equal, with their outputs in the same order."""
    return list(left[0]) == list(right[0]) and left == right


def same_functions(question: Question, model: dict[str, Any]) -> bool:
    found = [tuple(map(Fraction, function)) for function in model["functions"]]
    return sorted(found) == sorted(question.functions)


def relations(question: Question, relation: Any, model: dict[str, Any]) -> Iterator[str]:
    """In what the compared worlds, secrets or situations are others."""
    match question.compared:
        case Secrets() as secrets:
            yield from same_secrets(secrets, relation, model)
        case Situations() as situations:
            yield from same_situations(situations, relation)
        case Implication() as both:
            yield from same_implication(both, relation, model)
        case Optimum() as optimum:
            yield from same_optimum(optimum, relation, model)
        case Expected(prior):
            if (relation["prior"] and tuple(map(Fraction, relation["prior"]))) != prior:
                yield "prior"
        case Guessed(weights):
            said = relation["priors"]
            if [tuple(map(Fraction, row)) for row in said.get("priors", [])] != [*weights]:
                yield "priors"
        case dict() as distances:
            found = listed(relation, model)
            metric = question.definition == "metric_privacy"
            if not same_worlds(distances, found, metric, len(model["worlds"])):
                yield "compared worlds"
        case None:
            if relation != {"rule": question.definition}:
                yield "a relation"


def same_implication(
    both: Implication, relation: dict[str, Any], model: dict[str, Any]
) -> Iterator[str]:
    """Whether two definitions are those that are compared."""
    for part, key in ((both.first, "if"), (both.second, "then")):
        told = (
            made_of(part, relation[key], model)
            if part.given
            else relations(part, relation[key], model)
        )
        yield from (f"{key}: {difference}" for difference in told)
    said = relation["level"]
    if both.first.level and (not said or level_of(said["exp_epsilon"]) != both.first.level):
        yield "level of the first definition"


def level_of(text: str) -> tuple[str, Fraction]:
    """A level e^ε as the page writes it: a fraction, e, or a power of e."""
    if power := re.fullmatch(r"e(?:\^\(?(-?[0-9/]+)\)?)?", text):
        return "epsilon", Fraction(power[1] or 1)
    return "exp_epsilon", Fraction(text)


def made_of(part: Question, relation: dict[str, Any], model: dict[str, Any]) -> Iterator[str]:
    """Whether a closure or row cone is of the same mechanisms."""
    if relation["rule"] not in (part.definition, "given"):
        yield f"rule {relation['rule']}"
    numbers = relation.get("of", range(len(model["given"])))
    if [matrix(model["given"][k]) for k in numbers] != list(part.given):
        yield "given mechanisms"


def same_optimum(
    optimum: Optimum, relation: dict[str, Any], model: dict[str, Any]
) -> Iterator[str]:
    """Whether a best mechanism is asked for under the same definition and prior."""
    yield from relations(optimum.under, relation["under"], model)
    said = relation["exp_epsilon"]
    if (said and level_of(said)) != optimum.under.level:
        yield "level of the definition"
    prior = relation["prior"]
    if (prior and tuple(map(Fraction, prior))) != optimum.prior:
        yield "prior"


def same_situations(question: Situations, relation: dict[str, Any]) -> Iterator[str]:
    """Whether the views and priors of simulators are the same, up to the numbers in them."""
    if relation["rule"] in ("simulator", "inference"):
        alts = [view["alt"] for view in relation["views"]]
        privs = [view["priv"] for view in relation["views"]]
        if renamed(alts) != renamed([alt for alt, _ in question.views]):
            yield "views"
        elif question.given is not None:
            numbers = [number for alt in alts for number in alt]
            names = [label for alt, _ in question.views for label in alt]
            pairs = zip(numbers, names, strict=True)
            if any(relation["given"][n] != question.given.get(name, -1) for n, name in pairs):
                yield "simulator"
        if [renamed([p]) for p in privs] != [renamed([p]) for _, p in question.views]:
            yield "what is private"
    elif relation["rule"] != "exchangeable" or question.views:
        yield f"rule {relation['rule']}"
    elif question.given is not None and relation["given"] != list(question.given.values()):
        yield "simulator"
    if (relation["given"] is None) != (question.given is None):
        yield "simulator"
    found = [grouped([(w, z, Fraction(p)) for w, z, p in prior]) for prior in relation["priors"]]
    if found != list(question.priors):
        yield "priors"


def renamed(lists: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Labels renamed by first occurrence."""
    seen: dict[Any, int] = {}
    return [[seen.setdefault(label, len(seen)) for label in labels] for labels in lists]


def same_worlds(
    expected: Distances, found: dict[tuple[int, int], set[Fraction]], metric: bool, size: int
) -> bool:
    """Whether the same worlds are compared; of a metric steps are enough."""
    if not metric:
        return found == {pair: {d} for pair, d in expected.items()}
    steps: Distances = {pair: min(lengths) for pair, lengths in found.items()}
    return closed(steps, size) == expected


def listed(relation: dict[str, Any], model: dict[str, Any]) -> dict[tuple[int, int], set[Fraction]]:
    """The compared ordered pairs of worlds and their distances."""
    found: dict[tuple[int, int], set[Fraction]] = defaultdict(set)
    if relation["rule"] == "pairs":
        for distance, lists in relation["distances"].items():
            for i, ends in enumerate(lists):
                for j in ends:
                    found[i, j].add(Fraction(distance))
        return found
    for i, j in itertools.permutations(range(len(model["worlds"])), 2):
        if relation["rule"] == "all" or derived(relation, i, j, model):
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


def same_secrets(
    question: Secrets, relation: dict[str, Any], model: dict[str, Any]
) -> Iterator[str]:
    """Whether the pairs of secrets and the priors are the same."""
    if relation["rule"] not in ("secrets", "influence", "composition", "composable"):
        yield f"rule {relation['rule']}"
        return
    sets = {name: meant(secret, model) for name, secret in relation["secrets"].items()}
    pairs = frozenset(frozenset((sets[s], sets[t])) for s, t in relation["pairs"])
    if pairs != question.pairs:
        yield "pairs of secrets"
    given = relation["priors"]
    if given["class"] == "any" and question.kind not in ("list", "hull"):
        return
    if given["class"] != question.kind:
        yield f"class {given['class']}"
    elif weights(given, sets, model) != question.weights:
        yield "priors"


def meant(secret: Any, model: dict[str, Any]) -> frozenset[int]:
    """The worlds of a secret: listed, those with a value of a record, or all."""
    if isinstance(secret, list):
        return frozenset(secret)
    worlds = range(len(model["worlds"]))
    if secret is None:
        return frozenset(worlds)
    width = model["entries_per_record"]
    first = secret["record"] * width
    codes = secret["value"]
    return frozenset(w for w in worlds if model["records"][w][first : first + width] == codes)


def weights(
    given: dict[str, Any], sets: dict[str, frozenset[int]], model: dict[str, Any]
) -> tuple[Any, ...]:
    """The priors of a certificate."""
    match given["class"]:
        case "conditionals":
            return tuple(
                frozenset((sets[name], tuple(map(Fraction, p))) for name, p in prior.items())
                for prior in given["priors"]
            )
        case "hedging":
            known = [(value_of(codes, model), Fraction(p)) for codes, p in given["known"]]
            return Fraction(given["weight"]), frozenset((name, p) for name, p in known if p)
        case "markov":
            names = [value_of(codes, model) for codes in given["values"]]
            first = given["initial"]
            rows = zip(names, given["transition"], strict=True)
            initial = first if first == "stationary" else intervals(first, names)
            return ((initial, {name: intervals(row, names) for name, row in rows}),)
        case "constraints":
            size = len(model["worlds"])
            return (frozenset(inequality(row, size) for row in given["rows"]),)
    return tuple(tuple(map(Fraction, prior)) for prior in given.get("priors", ()))


def value_of(codes: list[int], model: dict[str, Any]) -> str:
    """The name of a value, from the name of a database that has it."""
    width = model["entries_per_record"]
    for world, row in zip(model["worlds"], model["records"], strict=True):
        for first in range(0, len(row), width):
            if row[first : first + width] == codes:
                names = world[1:-1].split(", ") if world.startswith("(") else list(world)
                return str(names[first // width])
    raise CannotRead("a value that no record has")


def intervals(row: Any, names: list[str]) -> dict[str, tuple[Fraction, Fraction]]:
    ends = [(Fraction(low), Fraction(high)) for low, high in row]
    return dict(zip(names, ends, strict=True))


def inequality(row: dict[str, Any], size: int) -> tuple[str, tuple[int, ...]]:
    coefficients = [Fraction(0)] * size
    for factor, worlds in row["coefficients"].items():
        for world in worlds:
            coefficients[world] += Fraction(factor)
    return lowest(row["sense"], coefficients)

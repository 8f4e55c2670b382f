"""Tables, relations and levels of a certificate, read plainly (docs/certificate.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

Json = Any
Row = list[Fraction]
Comparison = tuple[Row, Row, Fraction]  # P, Q and the distance
Holds = Callable[[Fraction], bool | None]
TINY = Fraction(1, 10**60)
HUGE = Fraction(10**80)


class Wrong(Exception):
    """What the certificate says has no meaning, so that its claim is not true."""


def require(condition: object, otherwise: str) -> None:
    if not condition:
        raise Wrong(otherwise)


def matrix(part: Json, worlds: int) -> list[Row]:
    """World -> the probability of each output."""
    values = [Fraction(v) for v in part["values"]]
    table = [[values[code] for code in column] for column in part["columns"]]
    require(len(table) == worlds, "one column per world")
    require(all(len(row) == len(part["outputs"]) for row in table), "one entry per output")
    require(all(is_distribution(row) for row in table), "a column is no distribution")
    return table


def is_distribution(row: Row) -> bool:
    return min(row) >= 0 and sum(row) == 1


def distribution(listed: Json, worlds: int) -> Row:
    found = [Fraction(p) for p in listed]
    require(len(found) == worlds and is_distribution(found), "no distribution")
    return found


def records(model: Json) -> list[list[tuple[int, ...]]]:
    """World -> its records, tuples of entries."""
    width = model["entries_per_record"]
    rows = [
        [tuple(row[k : k + width]) for k in range(0, len(row), width)] for row in model["records"]
    ]
    require(len({str(row) for row in rows}) == len(rows) == len(model["worlds"]), "worlds")
    require(len({len(row) for row in rows}) == 1, "as many records in every world")
    require(all(len(record) == width for row in rows for record in row), "width")
    require(all(min(x) >= 0 or set(x) == {-1} for row in rows for x in row), "absence")
    return rows


def ordered(relation: Json) -> list[tuple[str, str]]:
    return [pair for s, t in relation["pairs"] for pair in ((s, t), (t, s))]


def secrets(relation: Json, worlds: int) -> dict[str, list[int]]:
    found = {name: sorted(set(listed)) for name, listed in relation["secrets"].items()}
    require(all(0 <= w < worlds for listed in found.values() for w in listed), "a world")
    require(all(not set(found[s]) & set(found[t]) for s, t in relation["pairs"]), "overlap")
    return found


def neighbours(relation: Json, model: Json) -> Iterator[tuple[int, int, Fraction]]:
    """The ordered pairs of worlds of a relation that is about worlds, with distances."""
    rule, worlds = relation["rule"], range(len(model["worlds"]))
    if rule == "pairs":
        for distance, lists in relation["distances"].items():
            require(Fraction(distance) > 0 and len(lists) == len(worlds), "a distance")
            for i, others in enumerate(lists):
                require(i not in others and set(others) <= set(worlds), "a neighbour")
                yield from ((i, j, Fraction(distance)) for j in others)
        return
    if rule == "secrets":
        named = secrets(relation, len(worlds))
        whole = relation["priors"]["class"] == "product"
        rows = _product_worlds(relation, model, named) if whole else []
        for s, t in ordered(relation):
            for i, j in product(named[s], named[t]):
                if not whole or _differing(rows[i], rows[j]) == 1:
                    yield i, j, Fraction(1)
        return
    rows = [] if rule == "all" else records(model)
    for i, j in product(worlds, worlds):
        if i != j and (rule == "all" or _related(rule, relation["group"], rows[i], rows[j])):
            yield i, j, Fraction(1)


def _differing(one: Any, other: Any) -> int:
    return sum(x != y for x, y in zip(one, other, strict=True))


def _related(rule: str, group: int, one: Any, other: Any) -> bool:
    changed = [(x, y) for x, y in zip(one, other, strict=True) if x != y]
    absent = [(-1 in x) != (-1 in y) for x, y in changed]
    if rule == "add_remove":
        return len(changed) <= group and all(absent)
    require(rule in ("replace", "entry"), "a rule")
    places = len(changed) if rule == "replace" else sum(_differing(x, y) for x, y in changed)
    return places <= group and not any(absent)


def _product_worlds(relation: Json, model: Json, named: Any) -> Any:
    """The records, where the worlds are a complete product and secrets are about one record."""
    rows = records(model)
    choices = [set(column) for column in zip(*rows, strict=True)]
    require(set(map(tuple, rows)) == set(product(*choices)), "no complete product")
    for s, t in relation["pairs"]:
        if named[s] and named[t]:
            sides = [
                [set(c) for c in zip(*(rows[w] for w in named[x]), strict=True)] for x in (s, t)
            ]
            for name, sets in zip((s, t), sides, strict=True):
                inside = {tuple(rows[w]) for w in named[name]}
                require(inside == set(product(*sets)), "a secret is no box")
            require(_differing(*sides) == 1, "a pair is about one record")
    return rows


def is_family(relation: Json, model: Json) -> bool:
    """Whether priors have unknown distributions, and are more than comparisons of worlds."""
    kind = relation["rule"] == "secrets" and relation["priors"]["class"]
    if kind == "product":
        rows = records(model)
        return len(rows) != prod(len(set(column)) for column in zip(*rows, strict=True))
    return kind in ("iid", "markov") or (kind == "hedging" and relation["priors"]["weight"] != "1")


def conditioned(weights: Row, inside: list[int]) -> Row | None:
    """The weights given a secret; None if it is impossible."""
    mass = sum((weights[w] for w in inside), Fraction(0))
    return (
        [p / mass if w in inside else Fraction(0) for w, p in enumerate(weights)] if mass else None
    )


def beliefs(relation: Json, worlds: int) -> list[dict[str, Row]]:
    """For each listed prior the distribution of the worlds given each secret that is possible."""
    named, priors = secrets(relation, worlds), relation["priors"]
    found = []
    for prior in priors["priors"]:
        if priors["class"] == "conditionals":
            given = {name: distribution(row, worlds) for name, row in prior.items()}
            require(
                all(
                    not row[w]
                    for name, row in given.items()
                    for w in set(range(worlds)) - set(named[name])
                ),
                "mass outside",
            )
        else:
            whole = distribution(prior, worlds)
            some = {name: conditioned(whole, inside) for name, inside in named.items()}
            given = {name: row for name, row in some.items() if row}
        found.append(given)
    return found


def known(relation: Json, model: Json) -> dict[str, Row]:
    """Given that a record has a value the others are drawn from the known distribution; given no
    value all are."""
    stated, found = relation["priors"], {}
    likely = {tuple(value): Fraction(p) for value, p in stated["known"]}
    require(len(likely) == len(stated["known"]), "a value stands twice")
    require(Fraction(stated["weight"]) == 1, "the known distribution alone")
    require(min(likely.values()) >= 0 and sum(likely.values()) <= 1, "known")
    for name, given in relation["secrets"].items():
        at = None if given is None else given["record"]
        weights = [
            prod(likely[value] for r, value in enumerate(row) if r != at)
            if at is None or row[at] == tuple(given["value"])
            else Fraction(0)
            for row in records(model)
        ]
        if total := sum(weights):
            found[name] = [p / total for p in weights]
    return found


def averages(relation: Json, model: Json) -> list[tuple[Row, Row, Fraction]]:
    """What is compared, as distributions of worlds on either side, with distances."""
    worlds = len(model["worlds"])
    kind = relation["rule"] == "secrets" and relation["priors"]["class"]
    if kind in ("list", "conditionals", "hedging"):
        each = [known(relation, model)] if kind == "hedging" else beliefs(relation, worlds)
        return [
            (given[s], given[t], Fraction(1))
            for given in each
            for s, t in ordered(relation)
            if s in given and t in given
        ]
    if relation["rule"] == "secrets":
        require(relation["priors"]["class"] in ("all", "product"), "a class of priors")
    unit = [[Fraction(int(v == w)) for v in range(worlds)] for w in range(worlds)]
    return [(unit[i], unit[j], d) for i, j, d in neighbours(relation, model)]


def mixed(weights: Row, table: list[Row]) -> Row:
    """The distribution of outputs when the world is drawn."""
    pairs = [(p, row) for p, row in zip(weights, table, strict=True) if p]
    return [sum((p * row[o] for p, row in pairs), Fraction(0)) for o in range(len(table[0]))]


def level(claim: Json) -> tuple[list[Fraction], Fraction]:
    """The level alpha, or two bounds of e^epsilon within 10^-60 or so; and delta."""
    stated, delta = claim["level"], Fraction(claim["level"]["delta"])
    require(0 <= delta <= 1, "delta")
    if "exp_epsilon" in stated:
        require(Fraction(stated["exp_epsilon"]) >= 1, "a level")
        return [Fraction(stated["exp_epsilon"])], delta
    epsilon = Fraction(stated["epsilon"])
    require(epsilon >= 0, "a level")
    if epsilon == 0:
        return [Fraction(1)], delta
    with localcontext() as context:
        context.prec = 120
        power = Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())
    return [power * (1 - TINY), power * (1 + TINY)], delta


def judged(claim: Json, vacuous: bool, holds: Holds) -> bool | None:
    """Whether leakage and verdict are right, for a definition that holds above its leakage."""
    stated, at = claim.get("leakage"), level(claim)[0]
    if vacuous:
        return bool(stated == {"vacuous": True} and claim["verdict"] == "holds")
    verdicts = [holds(alpha) for alpha in at]
    if len(set(verdicts)) > 1 or None in verdicts:
        return None
    if claim["verdict"] != ("holds" if verdicts[0] else "violated"):
        return False
    if stated is None:
        return claim["verdict"] == "violated"
    if stated == {"infinite": True}:
        return _not(holds(HUGE))
    if stated == {"vacuous": True}:
        return False
    low, high = (Fraction(stated.get(key) or stated["exp_epsilon"]) for key in ("lower", "upper"))
    require(1 <= low <= high, "bounds")
    if "closed" in stated:
        require(low <= Fraction(stated["closed"]) <= high, "a closed form between its bounds")
        low = high = Fraction(stated["closed"])
    below = max(Fraction(1), low * (1 - TINY))
    return both(holds(high), low == 1 or _not(holds(below)))


def _not(found: bool | None) -> bool | None:
    return None if found is None else not found


def both(*found: bool | None) -> bool | None:
    """Whether all are so; None where that is not known."""
    return False if False in found else None if None in found else True

"""Kinds in which every record is answered by itself: all databases and all outputs are listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Any

from tests.harden.oracle.direct import excess, influence
from tests.harden.oracle.reading import (
    Json,
    Row,
    averages,
    distribution,
    judged,
    level,
    matrix,
    mixed,
    require,
)

ZERO, ONE = Fraction(0), Fraction(1)
MOST = 200_000  # combinations that are looked at
Change = tuple[Fraction, list[tuple[Row, Row]]]  # what it costs; P and Q of every single draw
Prior = list[tuple[tuple[int, ...], Fraction]]  # values of all records, and how likely


def tables(model: Json) -> list[list[tuple[list[Row], int]]]:
    """For each channel its answers, as matrices over values, and how often they are drawn."""
    values = len(model["worlds"])
    found = [[(matrix(part, values), part["runs"]) for part in c] for c in model["channels"]]
    require(found and all(found), "a channel has an answer")
    require(all(type(n) is int and n >= 1 for c in found for _, n in c), "runs")
    require(len(model["people"]) == len(model["chosen"]), "a channel for each record")
    return found


def local(claim: Json, model: Json, relation: Json) -> bool | None:
    if "counts" in model:
        return None
    channels, delta = tables(model), level(claim)[1]
    limit = None if relation["limit"] is None else Fraction(relation["limit"])
    changes = [
        list(_changes(relation["parts"][part], model, channels[channel])) if part >= 0 else []
        for part, channel in zip(relation["chosen"], model["chosen"], strict=True)
    ]
    require(not (delta and relation["per_unit"]), "with per_unit, delta is 0")
    if relation["per_unit"]:
        singles = [change for listed in changes for change in listed]

        def each(alpha: Fraction) -> bool:
            return all(_fits(_ratio(draws), alpha, cost) for cost, draws in singles)

        return judged(claim, not singles, each)
    together = list(_together(changes, limit))
    if any(prod(len(p) for p, _ in draws) > MOST for draws in together) and delta:
        return None

    def holds(alpha: Fraction) -> bool:
        if not delta:
            return all(_fits(_ratio(draws), alpha, ONE) for draws in together)
        return all(excess(*_joint(draws), alpha) <= delta for draws in together)

    return judged(claim, not together, holds)


def _changes(relation: Json, model: Json, channel: Any) -> Iterator[Change]:
    """The changes of one record that a relation compares."""
    if relation["rule"] == "secrets" and relation["priors"]["class"] in ("product", "iid"):
        relation = {**relation, "priors": {"class": "all"}}
    for p, q, cost in averages(relation, model):
        draws = [(mixed(p, table), mixed(q, table)) for table, n in channel for _ in range(n)]
        require(len(draws) == 1 or max(p) == max(q) == 1, "mixtures are of one draw")
        yield cost, draws


def _together(
    changes: Sequence[list[Change]], limit: Fraction | None
) -> Iterator[list[tuple[Row, Row]]]:
    """The draws of every set of changes of different records within a limit."""
    for size in range(1, len(changes) + 1):
        for some in combinations(changes, size):
            for chosen in product(*some):
                if limit is None or sum(cost for cost, _ in chosen) <= limit:
                    yield [draw for _, draws in chosen for draw in draws]


def _ratio(draws: Sequence[tuple[Row, Row]]) -> Fraction | None:
    """The largest ratio of all draws together; None where it is infinite."""
    found = ONE
    for p, q in draws:
        if any(x and not y for x, y in zip(p, q, strict=True)):
            return None
        found *= max(x / y for x, y in zip(p, q, strict=True) if x)
    return found


def _fits(ratio: Fraction | None, alpha: Fraction, cost: Fraction) -> bool:
    j, k = cost.as_integer_ratio()
    return ratio is not None and ratio**k <= alpha**j


def _joint(draws: Sequence[tuple[Row, Row]]) -> tuple[Row, Row]:
    p, q = ([prod(row) for row in product(*side)] for side in zip(*draws, strict=True))
    return p, q


def network(claim: Json, model: Json, relation: Json) -> bool | None:
    """Of records whose values depend on each other, by all values and all outputs."""
    compared = _pairs_of_values(relation)
    require(level(claim)[1] == 0, "delta")
    channels, values = tables(model), len(model["worlds"])
    require(all(len(c) == 1 and c[0][1] == 1 for c in channels), "one answer, drawn once")
    rows = [channels[channel][0][0] for channel in model["chosen"]]
    if prod(values * len(table[0]) for table in rows) > MOST:
        return None
    ratios: list[tuple[Fraction, Fraction]] = []
    alive = False
    for prior in joints(relation["priors"], len(rows), values):
        for i, a, b in compared:
            sides = [[(x, p) for x, p in prior if x[i] in side and p] for side in (a, b)]
            if not all(sides):
                continue
            alive = True
            left, right = (_outputs(side, rows) for side in sides)
            ratios += [*zip(left, right, strict=True), *zip(right, left, strict=True)]
    return judged(claim, not alive, lambda alpha: all(p <= alpha * q for p, q in ratios))


def _outputs(side: Prior, rows: Any) -> list[Fraction]:
    """The probability of all outputs, given that the values are among these."""
    mass = sum((p for _, p in side), ZERO)
    outputs = product(*(range(len(table[0])) for table in rows))
    return [
        sum(
            (p * prod(t[v][o] for t, v, o in zip(rows, x, row, strict=True)) for x, p in side),
            ZERO,
        )
        / mass
        for row in outputs
    ]


def joints(priors: Json, count: int, values: int) -> list[Prior]:
    """The distributions of the values of all records: of intervals those of their corners."""
    if priors["class"] == "trees":
        return [_tree(tree, count, values) for tree in priors["trees"]]
    if priors["class"] == "chains":
        listed = [(c["initial"], c["transition"]) for c in priors["chains"]]
    else:
        listed = list(_stationary(priors))
    require(listed, "a chain")
    return [_chain(initial, moves, count, values) for initial, moves in listed]


def _stationary(priors: Json) -> Iterator[tuple[Any, Any]]:
    """Stationary chains of two values, at the corners of their intervals."""
    require(priors["initial"] == "stationary" and len(priors["transition"]) == 2, "two values")
    ends = []
    for at, row in enumerate(priors["transition"]):
        spans = [tuple(map(Fraction, x)) for x in row]
        require(all(0 <= low <= high <= 1 for low, high in spans), "an interval")
        stay, leave = spans[at], spans[1 - at]
        low, high = max(leave[0], 1 - stay[1]), min(leave[1], 1 - stay[0])
        require(0 < low <= high, "a chance to change")
        ends.append((low, high))
    for a, b in product(*ends):
        yield [b / (a + b), a / (a + b)], [[1 - a, a], [b, 1 - b]]


def _chain(initial: Any, moves: Any, count: int, values: int) -> Prior:
    first = distribution(initial, values)
    rows = [distribution(row, values) for row in moves]
    require(len(rows) == values, "a row for each value")
    return [
        (x, first[x[0]] * prod((rows[a][b] for a, b in pairwise(x)), start=ONE))
        for x in product(range(values), repeat=count)
    ]


def _tree(tree: Json, count: int, values: int) -> Prior:
    first = distribution(tree["initial"], values)
    matrices = [[distribution(row, values) for row in rows] for rows in tree["transitions"]]
    parents, chosen = tree["parents"], tree["chosen"]
    require(len(parents) == len(chosen) == count, "a parent for each record")
    for i in range(count):
        seen, at = set(), i
        while at >= 0:
            require(at not in seen and at < count, "no record is its own ancestor")
            seen.add(at)
            at = parents[at]
    require(all((p < 0) == (t < 0) for p, t in zip(parents, chosen, strict=True)), "a matrix")
    return [
        (
            x,
            prod(
                first[x[i]] if parents[i] < 0 else matrices[chosen[i]][x[parents[i]]][x[i]]
                for i in range(count)
            ),
        )
        for x in product(range(values), repeat=count)
    ]


def _pairs_of_values(relation: Json) -> list[tuple[int, set[int], set[int]]]:
    """The records with two sets of values that are compared."""
    parts = [
        [tuple({*part["secrets"][name]} for name in pair) for pair in part["pairs"]]
        for part in relation["parts"]
    ]
    found = [(i, a, b) for i, at in enumerate(relation["chosen"]) if at >= 0 for a, b in parts[at]]
    require(all(a and b and not a & b for _, a, b in found), "two sets")
    return found


def quilts(claim: Json, model: Json, relation: Json) -> bool | None:
    """As kind influence, with a world for all values of the records."""
    count, values = len(model["people"]), len(model["worlds"])
    if values**count > MOST // 100:
        return None
    codes = [row[0] for row in model["records"]]
    require(len({*codes}) == values and min(codes) >= 0, "values")
    priors = joints(relation["priors"], count, values)
    worlds = [x for x, _ in priors[0]]
    secrets: dict[str, list[int]] = {}
    pairs = []
    for i, *sides in _pairs_of_values(relation):
        names = [f"{i} {sorted(side)}" for side in sides]
        for name, side in zip(names, sides, strict=True):
            secrets[name] = [w for w, x in enumerate(worlds) if x[i] in side]
        pairs.append(names)
    stated = {"class": "list", "priors": [[str(p) for _, p in prior] for prior in priors]}
    asked = {
        "entries": min(relation["hidden"], count),
        "secrets": secrets,
        "pairs": pairs,
        "priors": stated,
    }
    rows = [list(x) for x in worlds]
    return influence(claim, {"worlds": [str(x) for x in rows], "records": rows}, asked)

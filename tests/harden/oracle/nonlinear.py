"""Kinds that are questions about polynomials, put to z3, and about products of powers, put to
interval-free decimal arithmetic of 220 digits."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

from tests.harden.oracle import linear
from tests.harden.oracle.linear import combined, no, real, unknowns
from tests.harden.oracle.reading import (
    Json,
    Wrong,
    beliefs,
    distribution,
    judged,
    level,
    matrix,
    ordered,
    records,
    require,
    secrets,
)
from tests.oracles import z3

ZERO, ONE = Fraction(0), Fraction(1)
NEAR = Decimal(10) ** -150


def possible(*conditions: Any) -> bool | None:
    """Whether all can be met, by cylindrical algebraic decomposition."""
    return linear.possible(*conditions, how=z3.Tactic("qfnra-nlsat").solver)


def product_of(factors: Any) -> Any:
    found = real(1)
    for factor in factors:
        found = found * factor
    return found


def simplex(name: str, count: int) -> tuple[list[Any], list[Any]]:
    """Shares of sum 1, the last one being what the others leave."""
    found = [z3.Real(f"{name}_{k}") for k in range(count - 1)]
    shares = [*found, 1 - z3.Sum([real(0), *found])]
    return shares, [x >= 0 for x in shares]


def events(outputs: int, delta: Fraction) -> list[tuple[int, ...]]:
    sizes = range(1, outputs + 1) if delta else [1]
    return [event for k in sizes for event in combinations(range(outputs), k)]


def _is_met(claim: Json, table: Any, sides: Any, conditions: list[Any]) -> bool | None:
    """For P(world | s) in proportion to weights that satisfy some conditions: `sides` has for each
    ordered pair the weights of the worlds of either secret."""
    delta = level(claim)[1]
    alive = []
    for left, right in sides:
        b, d = (z3.Sum([real(0), *weights.values()]) for weights in (left, right))
        found = possible(*conditions, b > 0, d > 0)
        if found is None:
            return None
        if found:
            alive.append((left, right, b, d))

    def holds(alpha: Fraction) -> bool | None:
        for left, right, b, d in alive:
            for event in events(len(table[0]), delta):
                p, q = (
                    z3.Sum(
                        [
                            real(0),
                            *(real(sum(table[w][o] for o in event)) * x for w, x in side.items()),
                        ]
                    )
                    for side in (left, right)
                )
                over = (p - real(delta) * b) * d - real(alpha) * q * b > 0
                found = possible(*conditions, b > 0, d > 0, over)
                if found is not False:
                    return no(found)
        return True

    return judged(claim, not alive, holds)


def polytope(claim: Json, model: Json, relation: Json) -> bool | None:
    worlds, priors = len(model["worlds"]), relation["priors"]
    table, named = matrix(model, worlds), secrets(relation, worlds)
    if priors["class"] == "hull":
        known = [distribution(p, worlds) for p in priors["priors"]]
        require(known, "priors")
        x, conditions = simplex("x", len(known))
        weights = [combined([p[w] for p in known], x) for w in range(worlds)]
    else:
        x, conditions = simplex("x", worlds)
        weights = list(x)
        for row in priors["rows"]:
            terms = [
                real(Fraction(g)) * x[at]
                for g, places in row["coefficients"].items()
                for at in places
            ]
            total = z3.Sum([real(0), *terms])
            conditions.append(total == 0 if row["sense"] == "=" else total <= 0)
    sides = [[{w: weights[w] for w in named[name]} for name in pair] for pair in ordered(relation)]
    return _is_met(claim, table, sides, conditions)


def polynomials(claim: Json, model: Json, relation: Json) -> bool | None:
    kind = relation["priors"]["class"]
    table, rows = matrix(model, len(model["worlds"])), records(model)
    if kind == "hedging":
        return _hedging(claim, relation, table, rows)
    named = secrets(relation, len(rows))
    if kind == "markov":
        weights, conditions = _chains(relation["priors"], rows)
    else:
        places = [[(0 if kind == "iid" else i, x) for i, x in enumerate(row)] for row in rows]
        marks = sorted({mark for row in places for mark in row})
        chance, conditions = {}, []
        for group in {i for i, _ in marks}:
            alike = [mark for mark in marks if mark[0] == group]
            shares, signs = simplex(f"f_{group}", len(alike))
            chance |= zip(alike, shares, strict=True)
            conditions += signs
        weights = [product_of(chance[mark] for mark in row) for row in places]
    sides = [[{w: weights[w] for w in named[name]} for name in pair] for pair in ordered(relation)]
    return _is_met(claim, table, sides, conditions)


def _chains(priors: Json, rows: Any) -> tuple[list[Any], list[Any]]:
    """The probability of each path, for transitions within intervals."""
    values = [tuple(v) for v in priors["values"]]
    require(len(set(values)) == len(values) == len(priors["transition"]), "values")
    conditions: list[Any] = []

    def chances(name: str, intervals: Any) -> list[Any]:
        row, signs = simplex(name, len(values))
        conditions.extend(signs)
        require(len(intervals) == len(values), "an interval for each value")
        for x, (low, high) in zip(row, intervals, strict=True):
            require(0 <= Fraction(low) <= Fraction(high) <= 1, "an interval")
            conditions.extend([x >= real(Fraction(low)), x <= real(Fraction(high))])
        return row

    moves = [chances(f"t{k}", row) for k, row in enumerate(priors["transition"])]
    if priors["initial"] == "stationary":
        first = [z3.Real(f"s_{k}") for k in range(len(values))]
        conditions += [x >= 0 for x in first] + [z3.Sum(first) == 1]
        for k, x in enumerate(first):
            conditions.append(
                z3.Sum([y * row[k] for y, row in zip(first, moves, strict=True)]) == x
            )
    else:
        first = chances("first", priors["initial"])
    require(possible(*conditions) is not False, "there is no such chain")
    paths = [[values.index(x) for x in row] for row in rows]
    weights = [product_of([first[p[0]], *(moves[a][b] for a, b in pairwise(p))]) for p in paths]
    return weights, conditions


def _hedging(claim: Json, relation: Json, table: Any, rows: Any) -> bool | None:
    priors, a = relation["priors"], Fraction(relation["priors"]["weight"])
    known = {tuple(value): Fraction(p) for value, p in priors["known"]}
    require(len(known) == len(priors["known"]), "a value stands twice")
    require(known.keys() == {x for row in rows for x in row} and 0 <= a <= 1, "values")
    require(min(known.values()) >= 0 and sum(known.values()) <= 1, "known")
    shares, conditions = simplex("f", len(known))
    f = dict(zip(known, shares, strict=True))

    def weights(name: str) -> dict[int, Any]:
        given, found = relation["secrets"][name], {}
        for w, row in enumerate(rows):
            others = list(row)
            if given is not None:
                if row[given["record"]] != tuple(given["value"]):
                    continue
                del others[given["record"]]
            fixed = a
            for x in others:
                fixed *= known[x]
            found[w] = real(1 - a) * product_of(f[x] for x in others) + real(fixed)
        return found

    sides = [[weights(s), weights(t)] for s, t in ordered(relation)]
    return _is_met(claim, table, sides, conditions)


def composition(claim: Json, model: Json, relation: Json) -> bool | None:
    """The largest, over what a prior makes possible, of the smallest level that weights achieve."""
    worlds = len(model["worlds"])
    table, named = matrix(model, worlds), secrets(relation, worlds)
    require(level(claim)[1] == 0, "delta")
    pairs = {
        (d, frozenset(other))
        for s, t in ordered(relation)
        for possible_ in _supports(relation, model, named, s, t)
        for d in named[s]
        if d in possible_ and (other := possible_ & set(named[t]))
    }
    if claim["leakage"] == {"vacuous": True} or not pairs:
        return bool(
            not pairs and claim["leakage"] == {"vacuous": True} and claim["verdict"] == "holds"
        )
    with localcontext() as context:
        context.prec = 220
        levels = [_needed(table, d, sorted(others)) for d, others in pairs]
        infinite = None in levels
        if claim["leakage"] == {"infinite": True} or infinite:
            return (
                infinite
                and claim["leakage"] == {"infinite": True}
                and claim["verdict"] == "violated"
            )
        worst = max(ZERO_, *(x for x in levels if x is not None))
        low, high = (
            _log(Fraction(claim["leakage"].get(key) or claim["leakage"]["exp_epsilon"]))
            for key in ("lower", "upper")
        )
        stated = claim["level"]
        asked = (
            _log(Fraction(stated["exp_epsilon"]))
            if "exp_epsilon" in stated
            else _decimal(Fraction(stated["epsilon"]))
        )
        holds = worst <= asked + NEAR
        right = claim["verdict"] == ("holds" if holds else "violated")
        return bool(low - NEAR <= worst <= high + NEAR and right)


ZERO_ = Decimal(0)


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def _log(x: Fraction) -> Decimal:
    return Decimal(x.numerator).ln() - Decimal(x.denominator).ln()


def _needed(table: Any, d: int, others: list[int]) -> Decimal | None:
    """The smallest ln alpha with M[o, d] <= alpha prod M[o, w]^b_w for a distribution b: the value
    of a matrix game, by all its square sub-games; None if no b is possible."""
    seen = [o for o, p in enumerate(table[d]) if p]
    usable = [w for w in others if all(table[w][o] for o in seen)]
    if not usable:
        return None
    game = {(o, w): _log(table[d][o] / table[w][o]) for o in seen for w in usable}
    best = max(min(game[o, w] for w in usable) for o in seen)  # pure ones, from below
    least = min(max(game[o, w] for o in seen) for w in usable)
    if least - best < NEAR:
        return max(ZERO_, least)
    for size in range(2, min(len(seen), len(usable)) + 1):
        for columns in combinations(usable, size):
            for rows in combinations(seen, size):
                shares = _equal([[game[o, w] for w in columns] for o in rows])
                if shares and min(shares) >= 0:
                    mix = zip(columns, shares, strict=True)
                    chosen = list(mix)
                    worst = max(sum(b * game[o, w] for w, b in chosen) for o in seen)
                    least = min(least, worst)
    return max(ZERO_, least)


def _equal(square: list[list[Decimal]]) -> list[Decimal] | None:
    """Shares of sum 1 that make all rows equal."""
    size = len(square)
    rows = [[*row, Decimal(-1), ZERO_] for row in square] + [
        [Decimal(1)] * size + [ZERO_, Decimal(1)]
    ]
    for at in range(size + 1):
        pivot = max(range(at, size + 1), key=lambda k: abs(rows[k][at]))
        if abs(rows[pivot][at]) < NEAR:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [x / rows[at][at] for x in rows[at]]
        for k in range(size + 1):
            if k != at:
                factor = rows[k][at]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[at], strict=True)]
    return [row[-1] for row in rows[:size]]


def _supports(relation: Json, model: Json, named: Any, s: str, t: str) -> list[set[int]]:
    """The sets of worlds of s and t that priors of the class make possible."""
    priors, worlds = relation["priors"], range(len(model["worlds"]))
    kind, both_ = priors["class"], {*named[s], *named[t]}
    if kind == "all":
        return [{i, j} for i in named[s] for j in named[t]]
    if kind in ("list", "hull"):
        listed = [
            {w for w, p in enumerate(distribution(q, len(worlds))) if p} for q in priors["priors"]
        ]
        if kind == "hull":
            found: list[set[int]] = []
            for k in range(1, len(listed) + 1):
                found += [set().union(*some) for some in combinations(listed, k)]
            return found
        return listed
    if kind == "conditionals":
        given = beliefs(relation, len(worlds))
        return [
            {w for name in (s, t) for w in worlds if g[name][w]}
            for g in given
            if {s, t} <= g.keys()
        ]
    if kind == "constraints":
        return _constrained(priors, worlds, both_)
    rows = records(model)
    if kind in ("product", "iid"):
        marks = [{x if kind == "iid" else (i, x) for i, x in enumerate(row)} for row in rows]
        everything = sorted(set().union(*marks))
        return [
            {w for w in worlds if marks[w] <= set(some)}
            for k in range(1, len(everything) + 1)
            for some in combinations(everything, k)
        ]
    if kind == "hedging":
        return _hedged(priors, rows, named, s, t)
    weights, conditions = _chains(priors, rows)
    can = {w for w in worlds if possible(*conditions, weights[w] > 0)}
    varying = [w for w in sorted(can) if possible(*conditions, weights[w] == 0) is not False]
    return [
        can.difference(varying).union(some)
        for k in range(len(varying) + 1)
        for some in combinations(varying, k)
        if possible(
            *conditions, *(weights[w] > 0 if w in some else weights[w] == 0 for w in varying)
        )
    ]


def _constrained(priors: Json, worlds: Any, both_: set[int]) -> list[set[int]]:
    x, conditions = unknowns("x", len(worlds))
    for row in priors["rows"]:
        known = [(real(Fraction(g)), places) for g, places in row["coefficients"].items()]
        terms = [g * x[at] for g, places in known for at in places]
        total = z3.Sum([real(0), *terms])
        conditions.append(total == 0 if row["sense"] == "=" else total <= 0)
    found = []
    for signs in product((False, True), repeat=len(both_)):
        some = [
            x[w] > 0 if is_in else x[w] == 0 for w, is_in in zip(sorted(both_), signs, strict=True)
        ]
        if possible(*conditions, *some):
            found.append({w for w, is_in in zip(sorted(both_), signs, strict=True) if is_in})
    return found


def _hedged(priors: Json, rows: Any, named: Any, s: str, t: str) -> list[set[int]]:
    a, known = Fraction(priors["weight"]), {tuple(v): Fraction(p) for v, p in priors["known"]}
    require(len(known) == len(priors["known"]), "a value stands twice")
    others: dict[int, Counter[Any]] = {}
    for name in (s, t):
        about = {
            (i, x)
            for i in range(len(rows[0]))
            for x in known
            if [w for w, row in enumerate(rows) if row[i] == x] == named[name] and named[name]
        }
        if len(about) != 1:
            raise Wrong("a secret is one value of one record")
        ((i, _),) = about
        for w in named[name]:
            others[w] = Counter(rows[w][:i] + rows[w][i + 1 :])
    fixed = {x for x, p in known.items() if p}
    found = []
    for k in range(1, len(known) + 1):
        for some in combinations(known, k):
            found.append(
                {
                    w
                    for w, rest in others.items()
                    if (a < 1 and rest.keys() <= set(some)) or (a > 0 and rest.keys() <= fixed)
                }
            )
    return found

"""Kinds whose definitions can be evaluated by going through everything."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import exp, log, prod
from typing import Any

from tests.harden.oracle.reading import (
    Json,
    Row,
    averages,
    beliefs,
    both,
    distribution,
    is_family,
    judged,
    level,
    matrix,
    mixed,
    neighbours,
    ordered,
    require,
    secrets,
)

ZERO, ONE = Fraction(0), Fraction(1)


def comparison(claim: Json, model: Json, relation: Json) -> bool | None:
    of_one = {"counts", "records"} <= model.keys()  # one record among others
    if of_one and relation.get("priors", {}).get("class") not in ("all", "list"):
        return None
    delta = level(claim)[1]
    table = matrix(model, len(model["worlds"]))
    pairs = [(mixed(p, table), mixed(q, table), d) for p, q, d in averages(relation, model)]

    def holds(alpha: Fraction) -> bool:
        return all(_is_close(p, q, d, alpha, delta) for p, q, d in pairs)

    points = [(Fraction(a), Fraction(d)) for a, d in claim.get("tradeoff", ())]
    excesses = [max([excess(p, q, a) for p, q, _ in pairs], default=ZERO) == d for a, d in points]
    return both(judged(claim, not pairs, holds), all(excesses))


def divergence(claim: Json, model: Json, relation: Json) -> bool | None:
    """Ranges and integer orders exactly; of other orders only what is false by far is told."""
    if relation["rule"] == "leakage":
        return leakage(claim, model, relation)
    rule, order = relation["rule"], relation["order"]
    require(level(claim)[1] == 0 and (order is None) == (rule != "renyi"), "a level, an order")
    listed = list(neighbours(relation["pairs"], model))
    require(all(d == 1 for _, _, d in listed), "distances are 1")
    pairs = [(table[i], table[j]) for table in _answers(model) for i, j, _ in listed]
    if rule == "bounded_range":
        return judged(claim, not pairs, lambda alpha: all(_spread(*p, alpha) for p in pairs))
    orders = [Fraction(order)] if order else [1 + Fraction(k, 8) for k in range(1, 60)]
    require(min(orders) > 1, "an order above 1")

    def holds(alpha: Fraction) -> bool | None:
        if any(x and not y for p, q in pairs for x, y in zip(p, q, strict=True)):
            return False
        if order and orders[0].denominator == 1:
            return all(_power(*p, int(orders[0])) <= alpha ** (int(orders[0]) - 1) for p in pairs)
        most = [(a - 1) * (1 if order else a) * log(alpha) + 1e-6 for a in orders]
        within = (_near(*p, a) <= end for p in pairs for a, end in zip(orders, most, strict=True))
        return None if all(within) else False

    return judged(claim, not pairs, holds)


def _answers(model: Json) -> Iterator[list[Row]]:
    """World -> the probabilities of all outputs; with channels, of all answers of each."""
    worlds = range(len(model["worlds"]))
    if "channels" not in model:
        yield matrix(model, len(worlds))
    for channel in model.get("channels", ()):
        draws = [matrix(part, len(worlds)) for part in channel for _ in range(part["runs"])]
        require(draws and len(model["people"]) == len(model["chosen"]), "answers of all records")
        yield [[prod(row) for row in product(*(table[w] for table in draws))] for w in worlds]


def _spread(p: Row, q: Row, alpha: Fraction) -> bool:
    both = list(zip(p, q, strict=True))
    return all(a * d <= alpha * b * c for a, c in both for b, d in both)


def _power(p: Row, q: Row, order: int) -> Fraction:
    terms = (x**order / y ** (order - 1) for x, y in zip(p, q, strict=True) if y)
    return sum(terms, ZERO)


def _near(p: Row, q: Row, order: Fraction) -> float:
    """About the logarithm of the sum of p^a q^(1 - a), which is at least 0."""
    a = float(order)
    logs = [a * log(x) + (1 - a) * log(y) for x, y in zip(p, q, strict=True) if x]
    return max(logs) + log(sum(exp(x - max(logs)) for x in logs))


def _is_close(p: Row, q: Row, d: Fraction, alpha: Fraction, delta: Fraction) -> bool:
    if delta:
        require(d == 1, "with delta, distances are 1")
        return excess(p, q, alpha) <= delta
    j, k = d.as_integer_ratio()
    return all(x**k <= alpha**j * y**k for x, y in zip(p, q, strict=True))


def excess(p: Row, q: Row, alpha: Fraction) -> Fraction:
    return sum((max(ZERO, x - alpha * y) for x, y in zip(p, q, strict=True)), ZERO)


def sensitivity(claim: Json, model: Json, relation: Json) -> bool:
    functions = [[Fraction(x) for x in f] for f in model["functions"]]
    require(functions and all(len(f) == len(model["worlds"]) for f in functions), "functions")
    pairs = [(i, j) for i, j, _ in neighbours(relation, model)]
    value = max([sum(abs(f[i] - f[j]) for f in functions) for i, j in pairs], default=0)
    require(claim.get("leakage") == (None if pairs else {"vacuous": True}), "what is compared")
    return is_said(claim, value)


def leakage(claim: Json, model: Json, relation: Json) -> bool | None:
    """By what is gained under each prior; of all priors under the uniform one on each set."""
    worlds, delta = range(len(model["worlds"])), level(claim)[1]
    table = matrix(model, len(worlds))
    if relation["priors"] == {"class": "all"}:
        require("functions" not in model, "the world is guessed")
        sets = (some for k in worlds for some in combinations(worlds, k + 1))
        priors = [[Fraction(w in some, len(some)) for w in worlds] for some in sets]
    else:
        require(relation["priors"]["class"] == "list" and relation["priors"]["priors"], "listed")
        priors = [distribution(row, len(worlds)) for row in relation["priors"]["priors"]]
    rows = model.get("functions") or [[int(g == w) for w in worlds] for g in worlds]
    require(all(len(row) == len(worlds) for row in rows), "a gain in each world")

    def best(weights: Row) -> Fraction:
        return max(sum(x * Fraction(row[w]) for w, x in enumerate(weights)) for row in rows)

    outputs = range(len(table[0]))
    gains = [
        (best(p), sum(best([p[w] * table[w][o] for w in worlds]) for o in outputs)) for p in priors
    ]
    require(min(before for before, _ in gains) >= 0, "nothing is lost before")
    points = [(Fraction(a), Fraction(d)) for a, d in claim.get("tradeoff", ())]
    least = [max([ZERO, *(after - a * before for before, after in gains)]) == d for a, d in points]
    found = judged(
        claim, False, lambda alpha: all(after - delta <= alpha * before for before, after in gains)
    )
    return both(found, all(least))


def error(claim: Json, model: Json, relation: Json) -> bool:
    table, losses = matrix(model, len(model["worlds"])), model["functions"]
    require(len(losses) == len(model["outputs"]), "a loss for each output")
    of_world = [
        sum((p * Fraction(loss[w]) for p, loss in zip(column, losses, strict=True)), ZERO)
        for w, column in enumerate(table)
    ]
    require("leakage" not in claim, "no level")
    if relation["prior"] is None:
        return is_said(claim, max(of_world))
    prior = distribution(relation["prior"], len(of_world))
    return is_said(claim, sum((p * x for p, x in zip(prior, of_world, strict=True)), ZERO))


def is_said(claim: Json, value: Fraction) -> bool:
    """Whether a claim has this value, and the verdict that follows."""
    if "at_most" in claim:
        fits = value <= Fraction(claim["at_most"])
    else:
        fits = claim["equals"] is None or Fraction(claim["equals"]) == value
    return value == Fraction(claim["value"]) and claim["verdict"] == (
        "holds" if fits else "violated"
    )


def composable(claim: Json, model: Json, relation: Json) -> bool | None:
    if is_family(relation, model):
        return None
    worlds, stated = len(model["worlds"]), relation["priors"]
    named, kind = secrets(relation, worlds), stated["class"]
    priors = [distribution(p, worlds) for p in stated.get("priors", ())]
    sums = [[sum(ps, ZERO) for ps in zip(*priors, strict=True)]] if kind == "hull" else priors
    free = [[Fraction(1)] * worlds] if kind in ("any", "all", "product") else sums
    alive = any(
        all(any(p[w] for w in named[x]) for x in pair) for p in free for pair in ordered(relation)
    )
    require(claim.get("leakage") == (None if alive else {"vacuous": True}), "what is compared")
    if claim["verdict"] == "holds":
        require(claim["one_run"] is None and "columns" not in model, "no run")
        if kind == "any":
            return all(len(named[s]) <= 1 for s, _ in ordered(relation))
        if kind in ("all", "product"):
            return kind == "all" or _about_one_record(model, relation)
        return _alone(priors + sums, sums, relation, named)
    table = matrix(model, worlds)
    runs = list(product(range(len(table[0])), repeat=2))
    pairs = [(p, s, t) for p in priors for s, t in ordered(relation)]
    allowed = [
        (p, s, t)
        for p, s, t in pairs
        if any(p[w] for w in named[s]) and any(p[w] for w in named[t])
    ]
    sides = [(p, q) for p in priors for q in (priors if kind == "hull" else [p])]
    once = [
        (_given(p, named[s], table, o), _given(q, named[t], table, o))
        for p, q in sides
        for s, t in ordered(relation)
        if any(p[w] for w in named[s]) and any(q[w] for w in named[t])
        for o in range(len(table[0]))
    ]
    require(not any(x and not y for x, y in once), "one run leaks without bound")
    level = max([ONE, *(x / y for x, y in once if y)])
    return Fraction(claim["one_run"]) == level and any(
        _likely(p, named[t], table, run) / sum(p[w] for w in named[t])
        > level**2 * _likely(p, named[s], table, run) / sum(p[w] for w in named[s])
        for p, s, t in allowed
        for run in runs
    )


def _alone(
    single: list[Row], asked: list[Row], relation: Json, named: dict[str, list[int]]
) -> bool:
    """Whether all possible worlds of two secrets are the only ones for some prior and pair."""

    def sides(priors: list[Row]) -> list[list[list[int]]]:
        both = [[[w for w in named[x] if p[w]] for x in pair] for p in priors for pair in pairs]
        return [found for found in both if all(found)]

    pairs = list(ordered(relation))
    alone = [(s[0], t[0]) for s, t in sides(single) if len(s) == len(t) == 1]
    return all((v, w) in alone for s, t in sides(asked) for v in s for w in t)


def _about_one_record(model: Json, relation: Json) -> bool:
    """Whether each pair of secrets is two sets of values of a record, the others being as said."""
    records = [tuple(row) for row in model["records"]]
    values = [sorted({row[k] for row in records}) for k in range(len(records[0]))]
    named = secrets(relation, len(records))
    for s, t in ordered(relation):
        boxes = [[{records[w][k] for w in named[x]} for k in range(len(values))] for x in (s, t)]
        if any(prod(map(len, box)) != len(named[x]) for box, x in zip(boxes, (s, t), strict=True)):
            return False
        if sum(here != there for here, there in zip(*boxes, strict=True)) != 1:
            return False
    return len(set(records)) == prod(map(len, values))


def _likely(prior: Row, inside: list[int], table: list[Row], run: tuple[int, ...]) -> Fraction:
    return sum((prior[w] * prod(table[w][o] for o in run) for w in inside), ZERO)


def _given(prior: Row, inside: list[int], table: list[Row], o: int) -> Fraction:
    return _likely(prior, inside, table, (o,)) / sum(prior[w] for w in inside)


def influence(claim: Json, model: Json, relation: Json) -> bool | None:
    rows = model["records"]
    known, most, size = beliefs(relation, len(model["worlds"])), relation["entries"], len(rows[0])
    require(level(claim)[1] == 0 and 0 <= most <= size, "entries")
    pairs = {
        pair: [(g[pair[0]], g[pair[1]]) for g in known if {*pair} <= g.keys()]
        for pair in ordered(relation)
    }

    def tells(shown: tuple[int, ...], views: Any, alpha: Fraction) -> bool:
        for left, right in views:
            p, q = _masses(rows, shown, left), _masses(rows, shown, right)
            if any(mass > alpha * q.get(x, ZERO) for x, mass in p.items()):
                return True
        return False

    def holds(alpha: Fraction) -> bool:
        return all(
            any(
                not tells(shown, views, alpha)
                for k in range(most + 1)
                for shown in combinations(range(size), size - k)
            )
            for views in pairs.values()
        )

    return judged(claim, not any(pairs.values()), holds)


def _masses(rows: Any, shown: tuple[int, ...], weights: Row) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    for row, p in zip(rows, weights, strict=True):
        if p:
            key = tuple(row[e] for e in shown)
            found[key] = found.get(key, ZERO) + p
    return found


def runs(claim: Json, model: Json, relation: Json) -> bool:
    table, worlds = matrix(model, len(model["worlds"])), len(model["worlds"])
    require(relation["rule"] == "secrets" and relation["priors"]["class"] == "list", "a list")
    named, steps = secrets(relation, worlds), claim["steps"]
    require(steps and all(step for step in steps), "a step is empty")
    require(all(len(set(step)) == len(step) for step in steps), "an output stands twice")
    require({o for step in steps for o in step} == set(range(len(table[0]))), "outputs")
    sums = {sum(row[o] for o in step) for row in table for step in steps}
    require(len(sums) == 1, "a step is no mechanism")
    chance = [[p / min(sums) for p in row] for row in table]
    priors = [distribution(p, worlds) for p in relation["priors"]["priors"]]
    cases = [
        (k, s, t)
        for k, p in enumerate(priors)
        for s, t in ordered(relation)
        if all(any(p[w] for w in named[x]) for x in (s, t))
    ]

    def run_likely(k: int, inside: list[int], outputs: Any) -> Fraction:
        mass = sum((priors[k][w] for w in inside), ZERO)
        return (
            sum(
                (priors[k][w] * prod((chance[w][o] for o in outputs), start=ONE) for w in inside),
                ZERO,
            )
            / mass
        )

    def leak(lists: Any) -> Json:
        worst: Fraction = ONE
        require(cases, "nothing is compared")
        for outputs in product(*lists):
            for k, s, t in cases:
                p, q = (run_likely(k, named[x], outputs) for x in (s, t))
                if p and not q:
                    return {"infinite": True}
                worst = max(worst, p / q if q else ONE)
        return {"exp_epsilon": worst}

    def same(said: Json, lists: Any) -> bool:
        read = said if "infinite" in said else {"exp_epsilon": Fraction(said["exp_epsilon"])}
        return bool(read == leak(lists))

    def of(n: int) -> Any:
        return [steps[i % len(steps)] for i in range(n)]

    require(len(claim["alone"]) in (0, len(steps)), "alone")
    world_sets = [{w for w in range(worlds) if p[w]} for p in priors]
    context = chance, steps, priors, named, world_sets
    return bool(
        claim["verdict"] == "holds"
        and all(same(said, of(n + 1)) for n, said in enumerate(claim["rows"]))
        and all(same(said, [steps[k]]) for k, said in enumerate(claim["alone"]))
        and all(_trajectory(said, cases, *context) for said in claim["trajectories"])
        and all(_certain(said, cases, *context) for said in claim["certainty"])
    )


def _trajectory(
    said: Json, cases: Any, chance: Any, steps: Any, priors: Any, named: Any, _: Any
) -> bool:
    k, (s, t), outputs = said["prior"], said["pair"], said["outputs"]
    require((k, s, t) in cases and len(said["odds"]) == len(outputs) + 1, "a trajectory")
    for n, odds in enumerate(said["odds"]):
        p, q = (
            sum(
                (
                    priors[k][w] * prod((chance[w][o] for o in outputs[:n]), start=ONE)
                    for w in named[x]
                ),
                ZERO,
            )
            for x in (s, t)
        )
        right = p and not q if odds == "infinite" else q and p / q == Fraction(odds)
        if not right:
            return False
    for n, o in enumerate(outputs):
        step = steps[n % len(steps)]
        require(o in step, "another mechanism")
        if said["world"] is not None:
            gain = {x: chance[said["world"]][x] / (outputs[:n].count(x) + 1) for x in step}
            if gain[o] < max(gain.values()):
                return False
    return True


def _certain(
    said: Json, cases: Any, chance: Any, steps: Any, priors: Any, named: Any, world_sets: Any
) -> bool:
    k, pair = said["prior"], said["pair"]
    require(pair is None or (k, *pair) in cases, "a pair")
    start = frozenset(world_sets[k])
    about = sorted(start if pair is None else start & {w for x in pair for w in named[x]})

    def known(possible: frozenset[int]) -> bool:
        if pair is None:
            return len(possible) == 1
        return bool(possible & set(named[pair[0]])) != bool(possible & set(named[pair[1]]))

    def after(
        n: int, possible: frozenset[int], w: int
    ) -> Iterator[tuple[frozenset[int], Fraction]]:
        for o in steps[n % len(steps)]:
            if chance[w][o]:
                yield frozenset(v for v in possible if chance[v][o]), chance[w][o]

    def spread(w: int) -> Iterator[dict[frozenset[int], Fraction]]:
        mass, n = {start: ONE}, 0
        while True:
            yield mass
            more: dict[frozenset[int], Fraction] = {}
            for possible, p in mass.items():
                for rest, q in after(n, possible, w):
                    more[rest] = more.get(rest, ZERO) + p * q
            mass, n = more, n + 1

    found = [_first(spread(w), len(said["probability"]) + 1) for w in about]
    for n, row in enumerate(said["probability"]):
        chances = [sum((p for x, p in of[n + 1].items() if known(x)), ZERO) for of in found]
        if not _says(row, chances, about, priors[k]):
            return False
    if said["expected"] is not None:
        means = [_mean(w, start, len(steps), known, after) for w in about]
        if not _says(said["expected"], means, about, priors[k]):
            return False
    return said["fewest"] is None or _fewest(said["fewest"], start, known, after, len(steps))


def _first(items: Any, count: int) -> list[Any]:
    return [item for item, _ in zip(items, range(count), strict=False)]


def _says(row: Json, found: list[Fraction | None], about: list[int], prior: Row) -> bool:
    stated = [None if x == "infinite" else Fraction(x) for x in row["worlds"]]
    mass = sum(prior[w] for w in about)
    average = (
        None
        if None in found
        else sum((prior[w] * x for w, x in zip(about, found, strict=True) if x is not None), ZERO)
        / mass
    )
    said = None if row["average"] == "infinite" else Fraction(row["average"])
    return stated == found and said == average


def _mean(w: int, start: Any, period: int, known: Any, after: Any) -> Fraction | None:
    """The expected number of runs: after so many rounds that every state which can be left has been
    left or stays for ever, the tail is geometric; solved from the last state back."""
    memo: dict[Any, Fraction | None] = {}

    def solve(n: int, possible: Any) -> Fraction | None:
        """By the equations E(n, X) = 1 + sum q E(n + 1, X'), round X -> X closing on itself."""
        if known(possible):
            return ZERO
        if (n, possible) in memo:
            return memo[n, possible]
        total, stays = ZERO, ONE
        for step in range(period):
            total += stays
            still = ZERO
            for rest, q in after(n + step, possible, w):
                if rest == possible:
                    still += q
                else:
                    further = solve((n + step + 1) % period, rest)
                    if further is None:
                        memo[n, possible] = None
                        return None
                    total += stays * q * further
            stays *= still
            if not stays:
                break
        memo[n, possible] = None if stays == 1 else total / (1 - stays)
        return memo[n, possible]

    return solve(0, start)


def _fewest(said: Json, start: Any, known: Any, after: Any, period: int) -> bool:
    seen, sets, n = set(), {start}, 0
    while sets and not any(map(known, sets)):
        seen |= {(n % period, x) for x in sets}
        moved = {rest for x in sets for w in x for rest, _ in after(n, x, w)}
        n += 1
        sets = {x for x in moved if (n % period, x) not in seen}
    return bool(said) == bool(sets) and (not said or len(said["outputs"]) == n)

"""Certificates of kind "composition": the conditions that are necessary for linear composition.

For every ordered pair of secrets (s, t), every prior of the class with P(s), P(t) > 0 and every
possible world D of s there are beta >= 0 with sum 1 on the possible worlds T of t, so that
M[o, D] <= alpha prod_l M[o, l]^beta_l for every output o (docs/certificate.md). Betas on few
worlds prove it for all priors; counts of outputs that tell D from all of T refute it.

Of kind "composable": priors that compare worlds with worlds; or a mechanism that leaks more in two
runs than twice what it leaks in one.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, prod
from typing import Any

from . import levels
from . import reading as read
from .couplings import check_couplings_of_all
from .document import Budget, Pair, afford, fields, index, indices, items, named_pair, need, prove
from .levels import MOST_BITS, Level
from .obligations import Compared, compare_beliefs, hold, read_blocks
from .powers import sign
from .reading import FUNCTIONS, ONE, ZERO, Case, Secrets, Table, denominator
from .supports import Supports, Weights, read_supports
from .ties import serve

SHORT, LONGEST = 12, 48  # exponents of powers that are multiplied out at once, and at all
DEGREES = range(2, 49)  # of roots that a leakage may be
Beliefs = list[dict[str, dict[int, int]]]  # for each prior: secret -> world -> weight
Possible = Sequence[Mapping[str, Collection[int]]]
Sides = list[tuple[Collection[int], Collection[int]]]  # possible worlds of two secrets


@dataclass(frozen=True)
class Tied:
    """Weights of worlds, or of outputs, by equality at outputs, or in worlds."""

    worlds: list[int]
    outputs: list[int]


Beta = dict[int, Fraction] | Tied  # on worlds of t, where it is positive
Counts = dict[int, int] | Tied  # of outputs
Betas = dict[int, list[Beta]]  # of each world that has any


@dataclass(frozen=True)
class Conditions:
    """What is compared, in which mechanism, and what the priors make possible."""

    table: Table
    secrets: Secrets
    pairs: list[Pair]
    supports: Supports


@dataclass(frozen=True)
class Lower:
    """A world of s and those of t that a prior makes possible; how often outputs are counted in
    the proof of the leakage, and in the run that refutes the level."""

    prior: Weights
    pair: Pair
    world: int
    others: list[int]
    counts: Counts
    run: dict[int, int] | None
    repetitions: int | None


def check_composition(case: Case) -> bool:
    """Whether the conditions of a `case` are met, if its witness proves the leakage; else raise."""
    asked, (upper, lower) = levels.claim(case.claim), fields(case.witness, "upper lower")
    need(asked.delta == 0, "delta is 0")
    secrets, pairs = read.secrets(case.relation, case.model)
    supports = read_supports(case.relation, case.model, secrets)
    conditions = Conditions(case.model.table, secrets, pairs, supports)
    betas = None if upper is None else _read_betas(upper, conditions)
    below = None if lower is None else _read_lower(lower, conditions)

    def holds(at: Level) -> bool:
        need(betas is not None, "there are no betas")
        return _serve(conditions.table, betas or {}, at)

    def needs(low: Level | None) -> bool:
        need(low is not None or betas is None, "betas prove that a level is enough")
        if low is not None and low.alpha == 1 and supports.certain:
            return below is None
        return below is not None and _bounds(conditions.table, below, low)

    run = below.run if below else None
    refuted = below is not None and _refutes(conditions, below, asked.level)
    holding = asked.settle(betas == {}, holds, needs, degrees=DEGREES, refuted=refuted)
    need(not below or holding == (not run), "a run is for a verdict of violated")
    prove(not run or refuted, "the run does not refute the level")
    return holding


def _read_betas(upper: Any, conditions: Conditions) -> Betas:
    """The betas of each world that has any; they cover all that the class makes possible."""
    found: Betas = defaultdict(list)
    for (s, t), entries in zip(conditions.pairs, items(upper), strict=True):
        inside = set(conditions.secrets[t])
        for world, entry in zip(conditions.secrets[s], items(entries), strict=True):
            given, betas, *proof = items(entry)
            need(type(given) is int and given == world, "the worlds of a secret ascend")
            outputs = len(conditions.table.columns[0])
            known = [_read_beta(beta, inside, outputs) for beta in items(betas)]
            bases = [frozenset(b.worlds if isinstance(b, Tied) else b) for b in known]
            conditions.supports.cover(world, s, t, bases, proof)
            if known:
                found[world] += known
    return dict(found)


def _read_beta(beta: Any, inside: set[int], outputs: int) -> Beta:
    """A convex combination of worlds; an integer is one of them alone. Or worlds with one output
    less."""
    if type(beta) is dict and "worlds" in beta:
        return _read_tied(beta, inside, outputs, more=1)
    shares = {beta: "1"} if type(beta) is int else read.by_integer(beta)
    found = {world: read.number(share) for world, share in shares.items()}
    need(found.keys() <= inside, "a beta is on worlds of the other secret")
    prove(min(found.values()) > 0 and sum(found.values()) == 1, "a beta is no distribution")
    return found


def _read_lower(lower: Any, conditions: Conditions) -> Lower:
    """The counts, under a prior of the class that makes the world and some others possible."""
    keys = "pair world prior counts run repetitions"
    names, at, listed, counts, run, times = fields(lower, keys)
    s, t = pair = named_pair(names)
    prove(pair in conditions.pairs, "a pair that is not compared")
    worlds, outputs = len(conditions.table.columns), len(conditions.table.columns[0])
    world, prior = index(at, worlds), read.distribution(listed, worlds, "a prior")
    others = [w for w in conditions.secrets[t] if prior[w]]
    prove(world in conditions.secrets[s] and prior[world] and others, "the prior excludes a side")
    known = conditions.supports.has(prior, world, s, t)
    prove(known, "the prior is not known to be of the class")
    is_tied = type(counts) is dict and "worlds" in counts
    counted = (
        _read_tied(counts, {*others}, outputs, more=-1)
        if is_tied
        else _read_counts(counts, outputs)
    )
    repeated = None if run is None else _read_counts(run, outputs)
    indices([] if times is None else [times], read.LARGE, low=1)
    need(repeated or times is None, "there is no run to be repeated")
    return Lower(prior, pair, world, others, counted, repeated, times)


def _read_tied(found: Any, inside: set[int], outputs: int, more: int) -> Tied:
    """Worlds among those `inside` and outputs, ascending: as many, and so many `more` worlds."""
    tied = Tied(*fields(found, "worlds outputs"))
    for side, size in ((tied.worlds, read.LARGE), (tied.outputs, outputs)):
        need(indices(side, size) == sorted(set(side)), "worlds and outputs ascend")
    need(inside.issuperset(tied.worlds), "weights are on worlds of the other secret")
    need(len(tied.worlds) == len(tied.outputs) + more, "one equality less than weights")
    return tied


def _read_counts(counts: Any, outputs: int) -> dict[int, int]:
    """How often each output is counted, at least one of them."""
    found = read.by_integer(counts)
    need(found, "counts are of outputs")
    indices([*found], outputs), indices([*found.values()], read.LARGE, low=1)
    return found


def _serve(table: Table, betas: Betas, at: Level) -> bool:
    """Whether every condition is met at this level."""
    known = [(world, beta) for world, found in betas.items() for beta in found]
    given = [(world, beta) for world, beta in known if not isinstance(beta, Tied)]
    tied = [(world, beta) for world, beta in known if isinstance(beta, Tied)]
    size = sum(len(beta) for _, beta in given) + sum(len(beta.worlds) for _, beta in tied)
    afford(size * len(table.columns[0]) // 10)
    alone = Compared(table, [([w], list(beta), ONE) for w, beta in given if len(beta) == 1])
    mixed = ((world, beta) for world, beta in given if len(beta) > 1)
    return (
        hold(alone, at, ZERO)
        and all(_dominates(table, world, beta, at) for world, beta in mixed)
        and all(_dominates_tied(table, world, beta, at) for world, beta in tied)
    )


def _dominates(table: Table, world: int, beta: dict[int, Fraction], at: Level) -> bool:
    """Whether M[o, world] <= alpha prod M[o, w]^beta_w for every output o, with alpha the level."""
    values, columns = table.values, table.columns
    unit = lcm(denominator(beta.values()), at.degree)
    shares = [int(share * unit) for share in beta.values()]
    level = (at.alpha or ONE, unit // at.degree)
    for codes in set(zip(columns[world], *(columns[w] for w in beta), strict=True)):
        p, *others = (values[code] for code in codes)
        if p and not all(others):
            return False
        if p and _sign([level, (p, -unit), *zip(others, shares, strict=True)]) < 0:
            return False
    return True


def _rational(table: Table, level: Level) -> Fraction:
    """A level that is no root; refused where it or a probability is a function, of which no
    logarithms are compared."""
    alpha = level.alpha or ONE
    known = level.degree == 1 and not read.is_other(alpha, *table.values)
    need(known, "weights by equalities are of rational numbers")
    return alpha


def _dominates_tied(table: Table, world: int, beta: Tied, at: Level) -> bool:
    """The same as above for weights with which the `outputs` of a beta are met with equality."""
    alpha = _rational(table, at)
    values, columns = table.values, table.columns
    own = {o: values[code] for o, code in enumerate(columns[world]) if values[code]}
    rows = {
        o: [Fraction(alpha * values[columns[w][o]], p) for w in beta.worlds] for o, p in own.items()
    }
    if not own.keys() >= {*beta.outputs} or not all(map(all, rows.values())):
        return False
    return serve([*rows.values()], [[*rows].index(o) for o in beta.outputs])


def _bounds_tied(table: Table, world: int, counts: Tied, having: list[int], low: Level) -> bool:
    """Whether weights of outputs, equal in the `worlds` of the counts, make them at least as likely
    in a `world` as in those `having` all its outputs, if each of these has alpha times as much."""
    alpha = _rational(table, low)
    values, columns = table.values, table.columns
    own = {o: values[columns[world][o]] for o in counts.outputs}
    if not {*having}.issuperset(counts.worlds) or not all(own.values()):
        return False
    rows = [[Fraction(p, alpha * values[columns[w][o]]) for o, p in own.items()] for w in having]
    return serve(rows, [having.index(w) for w in counts.worlds])


def _bounds(table: Table, lower: Lower, low: Level | None) -> bool:
    """Whether no level below this one (None: none at all) is enough. Betas are 0 outside the
    worlds that have all outputs of the world; if the counts are at least alpha^runs times as likely
    there as in each of these, then also compared to their weighted geometric means."""
    values, columns = table.values, table.columns
    afford(len(lower.others) * len(columns[0]) * 2)

    def has_all(w: int) -> bool:
        codes = zip(columns[lower.world], columns[w], strict=True)
        return all(values[q] or not values[p] for p, q in codes)

    having = [w for w in lower.others if has_all(w)]
    if low is None:
        return not having
    if isinstance(lower.counts, Tied):
        return _bounds_tied(table, lower.world, lower.counts, having, low)
    return all(_compare(table, lower.world, w, lower.counts, low) >= 0 for w in having)


def _refutes(conditions: Conditions, lower: Lower, level: Level) -> bool:
    """Whether there is a run that is more than alpha^runs times as likely in the world as in each
    of the others, so that enough repetitions tell s from t; and whether the stated number is."""
    table, prior, run = conditions.table, lower.prior, lower.run
    if not run or any(_compare(table, lower.world, w, run, level) <= 0 for w in lower.others):
        return False
    if lower.repetitions is None:
        return True
    repeated = {o: lower.repetitions * n for o, n in run.items()}
    sides = ({w: prior[w] for w in conditions.secrets[name]} for name in lower.pair)
    p, q = (table.counted(side, repeated) for side in sides)
    return level.compare(p, q, Fraction(sum(repeated.values()))) > 0


def _compare(table: Table, world: int, other: int, counts: dict[int, int], level: Level) -> int:
    """Whether the counts are less (-1), as (0) or more than (1) alpha^runs times as likely in the
    world as in the other one; less if they are impossible in the world."""
    values, columns = table.values, table.columns
    seen: Counter[tuple[int, int]] = Counter()
    for o, times in counts.items():
        seen[columns[world][o], columns[other][o]] += times
    pairs = [(values[p], values[q], times) for (p, q), times in seen.items()]
    if not all(p for p, _, _ in pairs):
        return -1
    if not all(q for _, q, _ in pairs):
        return 1
    runs = sum(counts.values())
    if level.alpha is None:
        ratios = [(read.ratio(p, q), times) for p, q, times in pairs]
        return sign(ratios, runs * level.epsilon)
    more = level.degree // gcd(runs, level.degree)
    ratios = [(read.ratio(p, q), times * more) for p, q, times in pairs]
    return _sign([*ratios, (level.alpha, -runs * more // level.degree)])


def _sign(powers: Sequence[tuple[Fraction, int]]) -> int:
    """The sign of the sum of k ln r over all (r, k) of `powers`; of functions the products of all
    r^k with k > 0 and with k < 0 are compared, unless bounds of logarithms show that it is 1."""
    if not read.is_other(*(r for r, _ in powers)):
        return sign(powers)
    longest = max(sum(max(0, side * k) for _, k in powers) for side in (1, -1))
    if longest > SHORT and FUNCTIONS.get():
        from .signs import is_above_one

        if is_above_one(powers):
            return 1
    size = sum(abs(k) * read.size(r) for r, k in powers)
    need(longest <= LONGEST and size <= MOST_BITS, "a power is too long")
    above, below = (
        prod((r ** (side * k) for r, k in powers if side * k > 0), start=ONE) for side in (1, -1)
    )
    return (above > below) - (above < below)


def check_composable(case: Case) -> bool:
    """Whether levels add up under the priors of a `case`, if its witness proves the claim; else
    raise."""
    claim, model, kind = case.claim, case.model, case.relation["priors"]["class"]
    if case.witness is not None and "alone" in case.witness:
        return check_couplings_of_all(case)
    if kind in ("all", "product"):
        _check_single_changes(case)
        return True
    secrets, pairs = read.secrets(case.relation, model)
    beliefs, possible = _read_beliefs(case, secrets)
    afford(4 * len(possible) * len(pairs))
    sides = [(own.get(s, ()), own.get(t, ())) for own in possible for s, t in pairs]
    levels.vacuous(claim, "one_run", not any(here and there for here, there in sides))
    if case.witness is not None and "couplings" not in case.witness:
        _check_two_runs(case, secrets, beliefs, pairs)
        return False
    need(claim["one_run"] is None and "columns" not in model.parts, "nothing is run")
    if case.witness is not None:
        need(kind != "any", "without priors there are no couplings")
        _check_couplings(case.witness, beliefs, pairs, mixed=kind == "hull")
    elif kind == "any":
        single = all(len(here) <= 1 and len(there) <= 1 for here, there in sides)
        prove(single, "several worlds of a secret are possible")
    else:
        _check_alone(sides, _alone(beliefs, pairs, kind == "hull") | _single(sides))
    return True


def _check_single_changes(case: Case) -> None:
    """Pairs that classes of priors compare by single worlds, or by changes of one record."""
    need(case.witness is None and case.claim["one_run"] is None, "nothing is run")
    need("columns" not in case.model.parts, "nothing is run")
    blocks = read_blocks(case.relation, case.model, range(case.model.size))
    levels.vacuous(case.claim, "one_run", not any(here and there for here, there, _ in blocks))


def _single(sides: Sides) -> set[frozenset[int]]:
    """The two worlds of those that have one on each side."""
    return {frozenset((*s, *t)) for s, t in sides if len(s) == len(t) == 1}


def _alone(beliefs: Beliefs, pairs: list[Pair], mixed: bool) -> set[frozenset[int]]:
    """Two worlds that are compared by themselves: by a prior; or by mixtures of two, as near as one
    likes, if the first does not allow t, or the second s."""
    return _single(
        [
            (own[s], other[t])
            for own, other, s, t in _believed(beliefs, pairs, mixed)
            if own is other or t not in own or s not in other
        ]
    )


def _believed(beliefs: Beliefs, pairs: list[Pair], mixed: bool) -> Iterator[tuple[Any, ...]]:
    """Beliefs of which the first allows s and the second t: the same; of mixtures any two."""
    afford(4 * len(beliefs) ** (1 + mixed) * len(pairs))
    for own in beliefs:
        for other in beliefs if mixed else [own]:
            yield from ((own, other, s, t) for s, t in pairs if s in own and t in other)


def _check_couplings(witness: Any, beliefs: Beliefs, pairs: list[Pair], mixed: bool) -> None:
    """Whether all that is believed given two secrets is made of worlds compared by themselves."""
    (couplings,), alone = fields(witness, "couplings"), _alone(beliefs, pairs, mixed)
    believed = _believed(beliefs, pairs[::2], mixed)
    for (own, other, s, t), coupling in zip(believed, items(couplings), strict=True):
        found: tuple[dict[int, Fraction], dict[int, Fraction]] = {}, {}
        for v, w, listed in map(items, items(coupling)):
            share = read.number(listed)
            prove(share > 0 and frozenset((v, w)) in alone, "worlds are not compared")
            for side, world in zip(found, (v, w), strict=True):
                side[world] = side.get(world, ZERO) + share
        for side, weights in zip(found, (own[s], other[t]), strict=True):
            mass = sum(weights.values())
            expected = {w: read.ratio(p, mass) for w, p in weights.items()}
            prove(side == expected, "a coupling has other sides")


def _check_alone(asked: Sides, alone: set[frozenset[int]]) -> None:
    """Whether every two possible worlds of two secrets are compared by themselves."""
    budget = Budget()
    for s, t in asked:
        budget.spend(8 * len(s) * len(t))
        every = all(frozenset((v, w)) in alone for v in s for w in t)
        prove(every, "two possible worlds are not compared by themselves")


def _check_two_runs(case: Case, secrets: Secrets, beliefs: Beliefs, pairs: list[Pair]) -> None:
    """One run leaks what is claimed, and two outputs in turn are likelier than twice that."""
    table, (k, names, shown) = case.model.table, fields(case.witness, "prior pair outputs")
    mixed, (s, t) = case.relation["priors"]["class"] == "hull", named_pair(names)
    if mixed and type(k) is list:
        own = _read_mixture(k, case, secrets)
    else:
        own = beliefs[index(k, len(beliefs))]
    prove((s, t) in pairs and own.keys() >= {s, t}, "the witness is about no pair")
    one_run = _one_run(compare_beliefs(beliefs, pairs, table, across=mixed))
    prove(one_run == read.number(case.claim["one_run"]), "one run leaks another amount")
    counts = Counter(indices(shown, len(table.columns[0])))
    given, other = (table.counted(own[name], counts) for name in (s, t))
    prove(len(shown) == 2 and other > one_run * one_run * given, "two runs do not tell more")


def _read_mixture(shares: Any, case: Case, secrets: Secrets) -> dict[str, dict[int, int]]:
    """What a mixture of all given priors, with these shares, says of each secret."""
    rows = read.weights(case.relation["priors"], case.model.size, ("hull",))
    parts = read.distribution(shares, len(rows), "a mixture")
    afford(len(rows) * case.model.size)
    columns = zip(*rows, strict=True)
    prior = [sum(p * q for p, q in zip(parts, column, strict=True)) for column in columns]
    mixture = {"class": "list", "priors": [list(map(str, prior))]}
    return read.beliefs(mixture, secrets, case.model.size)[0]


def _read_beliefs(case: Case, secrets: Secrets) -> tuple[Beliefs, Possible]:
    """What given priors say of the worlds of each secret; and which worlds they, or all of their
    mixtures, make possible. If the class is any, nothing is said and all worlds are possible."""
    priors, model = case.relation["priors"], case.model
    if priors["class"] == "any":
        fields(priors, "class")
        return [], [secrets]
    need(priors["class"] in ("list", "hull"), "no such class of priors")
    outputs = len(model.parts.get("outputs", ()))
    beliefs = read.beliefs(priors, secrets, model.size, 10 * outputs)
    need(beliefs, "there are priors")
    if priors["class"] == "list":
        return beliefs, beliefs
    return beliefs, [{s: set().union(*(own.get(s, ()) for own in beliefs)) for s in secrets}]


def _one_run(compared: Compared) -> Fraction:
    """The largest of 1 and all ratios of what is compared."""
    worst, columns = ONE, compared.table.chances()
    afford(8 * len(compared.blocks) * len(columns[0]))
    for (s,), (t,), _ in compared.blocks:
        for p, q in zip(columns[s], columns[t], strict=True):
            prove(q or not p, "one run leaks without bound")
            worst = max(worst, read.ratio(p, q)) if p else worst
    return worst

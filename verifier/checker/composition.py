"""Certificates of kind "composition": the conditions that are necessary for linear composition.

For every ordered pair of secrets (s, t), every prior of the class with P(s), P(t) > 0 and every
possible world D of s there are beta >= 0 with sum 1 on the possible worlds T of t, so that
M[o, D] <= alpha prod_l M[o, l]^beta_l for every output o (docs/certificate.md). Betas on few
worlds prove it for all priors; counts of outputs that tell D from all of T refute it.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from .comparison import Block, hold
from .powers import sign
from .reading import (
    ONE,
    ZERO,
    Level,
    Table,
    afford,
    denominator,
    distribution,
    fields,
    index,
    indices,
    items,
    mapping,
    need,
    number,
    prove,
    read_claim,
    read_table,
)
from .relation import Pair, Secrets, read_pair, read_secrets
from .supports import Supports, Weights, read_supports

Beta = dict[int, Fraction]  # on worlds of t, where it is positive
Betas = dict[int, list[Beta]]  # of each world that has any
LARGE = 10**3000


@dataclass(frozen=True)
class Class:
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
    counts: dict[int, int]
    run: dict[int, int] | None
    repetitions: int | None


def check_composition(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the conditions of a `claim` are met by a `model` for a `relation`, if the `witness`
    proves the leakage; else raise."""
    asked, (upper, lower) = read_claim(claim), fields(witness, "upper lower")
    need(relation["rule"] == "secrets", "no secrets")
    need(asked.delta == 0, "delta is 0")
    table, (secrets, pairs) = read_table(model), read_secrets(relation, model)
    priors = Class(table, secrets, pairs, read_supports(relation, model, secrets))
    betas = None if upper is None else _read_betas(upper, priors)
    below = None if lower is None else _read_lower(lower, priors)

    def holds(at: Level) -> bool:
        need(betas is not None, "there are no betas")
        return _serve(table, betas or {}, at)

    def needs(low: Level | None) -> bool:
        need((low is None) == (betas is None), "betas prove that a level is enough")
        if low is not None and low.alpha == 1 and priors.supports.certain:
            return below is None
        return below is not None and _bounds(table, below, low)

    holding = asked.settle(betas == {}, holds, needs)
    if below:
        need(holding == (below.run is None), "a run is for a verdict of violated")
        refutes = below.run is None or _refutes(priors, below, below.run, asked.level)
        prove(refutes, "the run does not refute the level")
    return holding


def _read_betas(upper: Any, priors: Class) -> Betas:
    """The betas of each world that has any; they cover all that the class makes possible."""
    found: Betas = defaultdict(list)
    for (s, t), entries in zip(priors.pairs, items(upper), strict=True):
        inside = set(priors.secrets[t])
        for world, entry in zip(priors.secrets[s], items(entries), strict=True):
            given, betas, *proof = items(entry)
            need(type(given) is int and given == world, "the worlds of a secret ascend")
            read = [_read_beta(beta, inside) for beta in items(betas)]
            priors.supports.cover(world, s, t, list(map(frozenset, read)), proof)
            if read:
                found[world] += read
    return dict(found)


def _read_beta(beta: Any, inside: set[int]) -> Beta:
    """A convex combination of worlds; an integer is one of them alone."""
    if type(beta) is int:
        found = {beta: ONE}
    else:
        found = {int(world): number(share) for world, share in mapping(beta).items()}
        need(list(map(str, found)) == list(beta), "a world is an index")
    need(found.keys() <= inside, "a beta is on worlds of the other secret")
    prove(min(found.values()) > 0 and sum(found.values()) == 1, "a beta is no distribution")
    return found


def _read_lower(lower: Any, priors: Class) -> Lower:
    """The counts, under a prior of the class that makes the world and some others possible."""
    names, at, listed, *counted, times = fields(lower, "pair world prior counts run repetitions")
    s, t = pair = read_pair(names)
    prove(pair in priors.pairs, "a pair that is not compared")
    worlds, outputs = len(priors.table.columns), len(priors.table.columns[0])
    world, prior = index(at, worlds), distribution(listed, worlds, "a prior")
    others = [w for w in priors.secrets[t] if prior[w]]
    prove(world in priors.secrets[s] and prior[world] and others, "the prior excludes a side")
    known = priors.supports.has(prior, world, s, t)
    prove(known, "the prior is not known to be of the class")
    counts, run = (_read_counts(part, outputs) for part in counted)
    need(counts, "there are counts")
    indices([] if times is None else [times], LARGE, low=1)
    need(run is not None or times is None, "there is no run to be repeated")
    return Lower(prior, pair, world, others, counts or {}, run, times)


def _read_counts(counts: Any, outputs: int) -> dict[int, int] | None:
    """How often each output is counted, at least one of them."""
    if counts is None:
        return None
    found = {int(output): times for output, times in mapping(counts).items()}
    need(found and list(map(str, found)) == list(counts), "counts are of outputs")
    indices([*found], outputs), indices([*found.values()], LARGE, low=1)
    return found


def _serve(table: Table, betas: Betas, at: Level) -> bool:
    """Whether every condition is met at this level."""
    known = [(world, beta) for world, found in betas.items() for beta in found]
    afford(sum(len(beta) for _, beta in known) * len(table.columns[0]) // 10)
    blocks: list[Block] = [([world], list(beta), ONE) for world, beta in known if len(beta) == 1]
    mixed = ((world, beta) for world, beta in known if len(beta) > 1)
    return hold(table, blocks, at, ZERO) and all(
        _dominates(table, world, beta, at.alpha or ONE) for world, beta in mixed
    )


def _dominates(table: Table, world: int, beta: Beta, alpha: Fraction) -> bool:
    """Whether M[o, world] <= alpha prod M[o, w]^beta_w for every output o."""
    values, columns = table
    unit = denominator(beta.values())
    shares = [int(share * unit) for share in beta.values()]
    for codes in set(zip(columns[world], *(columns[w] for w in beta), strict=True)):
        p, *others = (values[code] for code in codes)
        if p and not all(others):
            return False
        if p and sign([(alpha, unit), (p, -unit), *zip(others, shares, strict=True)]) < 0:
            return False
    return True


def _bounds(table: Table, lower: Lower, low: Level | None) -> bool:
    """Whether no level below this one (None: none at all) is enough. Betas are 0 outside the
    worlds that have all outputs of the world; if the counts are at least alpha^runs times as likely
    there as in each of these, then also compared to their weighted geometric means."""
    values, columns = table
    afford(len(lower.others) * len(columns[0]) * 2)

    def has_all(w: int) -> bool:
        codes = zip(columns[lower.world], columns[w], strict=True)
        return all(values[q] or not values[p] for p, q in codes)

    having = [w for w in lower.others if has_all(w)]
    if low is None:
        return not having
    return all(_compare(table, lower.world, w, lower.counts, low) >= 0 for w in having)


def _refutes(priors: Class, lower: Lower, run: dict[int, int], level: Level) -> bool:
    """Whether the run is more than alpha^runs times as likely in the world as in each of the
    others, so that enough repetitions tell s from t; and whether the stated number is enough."""
    compared = (_compare(priors.table, lower.world, w, run, level) for w in lower.others)
    if min(compared) <= 0:
        return False
    if lower.repetitions is None:
        return True
    repeated = {o: lower.repetitions * n for o, n in run.items()}
    p, q = (_chance(priors, lower.prior, name, repeated) for name in lower.pair)
    return level.compare(p, q, Fraction(sum(repeated.values()))) > 0


def _chance(priors: Class, prior: Weights, name: str, counts: dict[int, int]) -> Fraction:
    """P(counted outputs | secret), times a number that is the same for all secrets."""
    values, columns = priors.table
    unit = denominator(values[code] for code in {column[o] for column in columns for o in counts})
    size, masses = sum(counts.values()) * unit.bit_length(), defaultdict[Any, Fraction](Fraction)
    for w in priors.secrets[name]:
        masses[tuple(columns[w][o] for o in counts)] += prior[w]
    afford(size * (size + 100 * len(masses)) // 100)
    chance = ZERO
    for seen, mass in masses.items():
        likely = zip(seen, counts.values(), strict=True)
        chance += mass * prod(int(values[code] * unit) ** times for code, times in likely)
    return Fraction(chance, sum(masses.values()))


def _compare(table: Table, world: int, other: int, counts: dict[int, int], level: Level) -> int:
    """Whether the counts are less (-1), as (0) or more than (1) alpha^runs times as likely in the
    world as in the other one; less if they are impossible in the world."""
    values, columns = table
    seen: Counter[tuple[int, int]] = Counter()
    for o, times in counts.items():
        seen[columns[world][o], columns[other][o]] += times
    pairs = [(values[p], values[q], times) for (p, q), times in seen.items()]
    if not all(p for p, _, _ in pairs):
        return -1
    if not all(q for _, q, _ in pairs):
        return 1
    ratios, runs = [(Fraction(p, q), times) for p, q, times in pairs], sum(counts.values())
    if level.alpha is None:
        return sign(ratios, runs * level.epsilon)
    return sign([*ratios, (level.alpha, -runs)])

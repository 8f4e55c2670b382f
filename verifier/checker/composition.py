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
from .level import ONE, Level, read_level, settle
from .reading import (
    Rejected,
    Table,
    afford,
    denominator,
    fields,
    indices,
    items,
    mapping,
    need,
    number,
    read_table,
    sign,
)
from .relation import read_pair, read_secrets
from .supports import Secrets, Supports, Weights, read_prior, read_supports

Pairs = list[tuple[str, str]]
Beta = dict[int, Fraction]  # on worlds of t, where it is positive
LARGE = 10**3000


@dataclass(frozen=True)
class Lower:
    """A world of s and those of t that a prior makes possible; how often outputs are counted in
    the proof of the leakage, and in the run that refutes the level."""

    prior: Weights
    pair: tuple[str, str]
    world: int
    others: list[int]
    counts: dict[int, int]
    run: dict[int, int] | None
    repetitions: int | None


def check_composition(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the conditions are met, if the evidence proves the leakage; else raise."""
    fields(claim, "definition kind verdict digest level leakage")
    fields(witness, "upper lower")
    need(relation["rule"] == "secrets", "no secrets")
    (level, delta), table = read_level(claim["level"]), read_table(model)
    need(delta == 0, "delta is 0")
    secrets, pairs = read_secrets(relation, model)
    supports = read_supports(relation, model, secrets)
    betas = _read_upper(witness["upper"], secrets, pairs, supports)
    lower = _read_lower(witness["lower"], model, secrets, pairs, supports)

    def holds(at: Level) -> bool:
        need(betas is not None, "there are no betas")
        return _serve(table, betas or {}, at)

    def needs(low: Level | None) -> bool:
        need((low is None) == (betas is None), "betas prove that a level is enough")
        if low is not None and low.alpha == 1 and supports.certain:
            return lower is None
        return lower is not None and _bounds(table, lower, low)

    holding = settle(claim["leakage"], level, betas == {}, holds, needs)
    if lower:
        need(holding == (lower.run is None), "a run is for a verdict of violated")
        refutes = lower.run is None or _refutes(table, lower, lower.run, secrets, level)
        need(refutes, "the run does not refute the level", Rejected)
    return holding


def _read_upper(
    upper: Any, secrets: Secrets, pairs: Pairs, supports: Supports
) -> dict[int, list[Beta]] | None:
    """The betas of each world that has any; they cover all that the class makes possible."""
    if upper is None:
        return None
    found: dict[int, list[Beta]] = defaultdict(list)
    for (s, t), entries in zip(pairs, items(upper), strict=True):
        inside = set(secrets[t])
        for world, entry in zip(secrets[s], items(entries), strict=True):
            given, betas, *proof = items(entry)
            need(type(given) is int and given == world, "the worlds of a secret ascend")
            read = [_read_beta(beta, inside) for beta in items(betas)]
            supports.cover(world, s, t, list(map(frozenset, read)), proof)
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
    fits = min(found.values()) > 0 and sum(found.values()) == 1
    need(fits, "a beta is no distribution", Rejected)
    return found


def _read_lower(
    lower: Any, model: Any, secrets: Secrets, pairs: Pairs, supports: Supports
) -> Lower | None:
    """The counts, under a prior of the class that makes the world and some others possible."""
    if lower is None:
        return None
    fields(lower, "pair world prior counts run repetitions")
    s, t = pair = read_pair(lower["pair"])
    need(pair in pairs, "a pair that is not compared", Rejected)
    (world,) = indices([lower["world"]], len(model["worlds"]))
    prior = read_prior(lower["prior"], model)
    others = [w for w in secrets[t] if prior[w]]
    need(world in secrets[s] and prior[world] and others, "the prior excludes a side", Rejected)
    need(supports.has(prior, world, s, t), "the prior is not known to be of the class", Rejected)
    counts, run = (_read_counts(lower[key], model) for key in ("counts", "run"))
    need(counts, "there are counts")
    times = lower["repetitions"]
    indices([] if times is None else [times], LARGE, low=1)
    need(run is not None or times is None, "there is no run to be repeated")
    return Lower(prior, (s, t), world, others, counts or {}, run, times)


def _read_counts(counts: Any, model: Any) -> dict[int, int] | None:
    """How often each output is counted, at least one of them."""
    if counts is None:
        return None
    found = dict(zip(map(int, mapping(counts)), counts.values(), strict=True))
    need(found and list(map(str, found)) == list(counts), "counts are of outputs")
    indices([*found], len(model["outputs"])), indices([*found.values()], LARGE, low=1)
    return found


def _serve(table: Table, betas: dict[int, list[Beta]], at: Level) -> bool:
    """Whether every condition is met at this level."""
    known = [(world, beta) for world, found in betas.items() for beta in found]
    afford(sum(len(beta) for _, beta in known) * len(table[1][0]) // 10)
    blocks: list[Block] = [([world], list(beta), ONE) for world, beta in known if len(beta) == 1]
    mixed = ((world, beta) for world, beta in known if len(beta) > 1)
    return hold(table, blocks, at, Fraction(0)) and all(
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
    own = columns[lower.world]
    having = [
        w
        for w in lower.others
        if all(values[q] or not values[p] for p, q in zip(own, columns[w], strict=True))
    ]
    if low is None:
        return not having
    return all(_compare(table, lower.world, w, lower.counts, low) >= 0 for w in having)


def _refutes(
    table: Table, lower: Lower, run: dict[int, int], secrets: Secrets, level: Level
) -> bool:
    """Whether the run is more than alpha^runs times as likely in the world as in each of the
    others, so that enough repetitions tell s from t; and whether the stated number is enough."""
    compared = (_compare(table, lower.world, w, run, level) for w in lower.others)
    if min(compared) <= 0:
        return False
    if lower.repetitions is None:
        return True
    values, columns = table
    runs = lower.repetitions * sum(run.values())
    codes = {column[o] for column in columns for o in run}
    unit = denominator(values[code] for code in codes)
    scaled = {code: int(values[code] * unit) for code in codes}
    size, chances = runs * unit.bit_length(), []
    for name in lower.pair:
        masses: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for w in secrets[name]:
            masses[tuple(columns[w][o] for o in run)] += lower.prior[w]
        afford(size * (size + 100 * len(masses)) // 100)
        chance = Fraction(0)
        for seen, mass in masses.items():
            likely = zip(seen, run.values(), strict=True)
            chance += mass * prod(scaled[code] ** (lower.repetitions * n) for code, n in likely)
        chances.append(Fraction(chance, sum(masses.values())))
    return level.compare(chances[0], chances[1], Fraction(runs)) > 0


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

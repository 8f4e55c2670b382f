"""Certificates of kind "composition": the conditions that are necessary for linear composition.

For every ordered pair of secrets (s, t), every prior of the class with P(s), P(t) > 0 and every
possible world D of s there are beta >= 0 with sum 1 on the possible worlds T of t, so that
M[o, D] <= alpha prod_l M[o, l]^beta_l for every output o (docs/certificate.md). Betas on few
worlds prove it for all priors; counts of outputs that tell D from all of T refute it.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any

from .comparison import hold
from .level import ONE, Level, read_level, settle
from .products import sign
from .reading import Rejected, Table, afford, fields, indices, need, number, read_table
from .relation import Block, read_secrets
from .supports import Secrets, Supports, Weights, read_prior, read_supports

Pairs = list[tuple[str, str]]
Beta = dict[int, Fraction]  # on worlds of t, where it is positive
LARGE = 10**3000


@dataclass(frozen=True)
class Counts:
    """Under a prior, world D of s and the worlds of t; how often outputs are seen."""

    prior: Weights
    pair: tuple[str, str]
    world: int
    others: list[int]
    counts: dict[int, int]
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
        if low is not None and low.alpha == 1:
            return lower is None
        return lower is not None and _tells(table, lower, low.alpha if low else None)

    holding = settle(claim["leakage"], level, betas == {}, holds, needs)
    if lower and lower.repetitions is not None:
        fails = not holding and _fails(table, lower, secrets, lower.repetitions, level)
        need(fails, "linear composition does not fail after these repetitions", Rejected)
    return holding


def _read_upper(
    upper: Any, secrets: Secrets, pairs: Pairs, supports: Supports
) -> dict[int, list[Beta]] | None:
    """The betas of each world that has any; they cover all that the class makes possible."""
    if upper is None:
        return None
    found: dict[int, list[Beta]] = defaultdict(list)
    for (s, t), entries in zip(pairs, upper, strict=True):
        inside = set(secrets[t])
        for world, (given, betas, *proof) in zip(secrets[s], entries, strict=True):
            need(type(given) is int and given == world, "the worlds of a secret ascend")
            read = [_read_beta(beta, inside) for beta in betas]
            supports.cover(world, s, t, list(map(frozenset, read)), proof)
            if read:
                found[world] += read
    return dict(found)


def _read_beta(beta: Any, inside: set[int]) -> Beta:
    """A convex combination of worlds; an integer is one of them alone."""
    if type(beta) is int:
        found = {beta: ONE}
    else:
        found = {int(world): number(share) for world, share in beta.items()}
        need(list(map(str, found)) == list(beta), "a world is an index")
    need(found.keys() <= inside, "a beta is on worlds of the other secret")
    fits = min(found.values()) > 0 and sum(found.values()) == 1
    need(fits, "a beta is no distribution", Rejected)
    return found


def _read_lower(
    lower: Any, model: Any, secrets: Secrets, pairs: Pairs, supports: Supports
) -> Counts | None:
    """The counts, under a prior of the class that makes the world and some others possible."""
    if lower is None:
        return None
    fields(lower, "pair world prior counts repetitions")
    s, t = pair = tuple(lower["pair"])
    need(pair in pairs, "a pair that is not compared", Rejected)
    (world,) = indices([lower["world"]], len(model["worlds"]))
    prior = read_prior(lower["prior"], model)
    others = [w for w in secrets[t] if prior[w]]
    need(world in secrets[s] and prior[world] and others, "the prior excludes a side", Rejected)
    need(supports.has(prior, world, s, t), "the prior is not known to be of the class", Rejected)
    counts = dict(zip(map(int, lower["counts"]), lower["counts"].values(), strict=True))
    need(list(map(str, counts)) == list(lower["counts"]) and counts, "no counts of outputs")
    indices([*counts], len(model["outputs"])), indices([*counts.values()], LARGE, low=1)
    times = lower["repetitions"]
    indices([] if times is None else [times], LARGE, low=1)
    return Counts(prior, (s, t), world, others, counts, times)


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
    unit = lcm(*(share.denominator for share in beta.values()))
    shares = [int(share * unit) for share in beta.values()]
    for codes in set(zip(columns[world], *(columns[w] for w in beta), strict=True)):
        p, *others = (values[code] for code in codes)
        if p and not all(others):
            return False
        if p and sign([(alpha, unit), (p, -unit), *zip(others, shares, strict=True)]) < 0:
            return False
    return True


def _tells(table: Table, lower: Counts, alpha: Fraction | None) -> bool:
    """Whether the counts are possible in the world, and there at least alpha^runs times as likely
    as in each of the others (None: impossible there). Then no beta serves below alpha."""
    values, columns = table
    runs = sum(lower.counts.values())
    afford(len(lower.others) * len(lower.counts) * 5)
    for other in lower.others:
        seen: Counter[tuple[int, int]] = Counter()
        for o, times in lower.counts.items():
            seen[columns[lower.world][o], columns[other][o]] += times
        pairs = [(values[p], values[q], times) for (p, q), times in seen.items()]
        if not all(p for p, _, _ in pairs):
            return False
        if not all(q for _, q, _ in pairs):
            continue
        ratios = [(Fraction(p, q), times) for p, q, times in pairs]
        if alpha is None or sign([*ratios, (alpha, -runs)]) < 0:
            return False
    return True


def _fails(table: Table, lower: Counts, secrets: Secrets, repetitions: int, level: Level) -> bool:
    """Whether the counts, all seen so many times, are more than alpha^runs times as likely given
    s as given t."""
    values, columns = table
    runs = repetitions * sum(lower.counts.values())
    codes = {column[o] for column in columns for o in lower.counts}
    unit = lcm(*(values[code].denominator for code in codes))
    scaled = {code: int(values[code] * unit) for code in codes}
    size, chances = runs * unit.bit_length(), []
    for name in lower.pair:
        masses: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for w in secrets[name]:
            masses[tuple(columns[w][o] for o in lower.counts)] += lower.prior[w]
        afford(size * (size + 100 * len(masses)) // 100)
        chance = Fraction(0)
        for seen, mass in masses.items():
            likely = zip(seen, lower.counts.values(), strict=True)
            chance += mass * prod(scaled[code] ** (repetitions * n) for code, n in likely)
        chances.append(Fraction(chance, sum(masses.values())))
    return level.compare(chances[0], chances[1], Fraction(runs)) > 0

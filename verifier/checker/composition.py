"""Certificates of kind "composition": the conditions that are necessary for linear composition.

For every ordered pair of secrets (s, t), every prior of the class with P(s), P(t) > 0 and every
possible world D of s there are beta >= 0 with sum 1 on the possible worlds T of t, so that
M[o, D] <= alpha prod_l M[o, l]^beta_l for every output o (docs/certificate.md). Betas on few
worlds prove it for all priors; counts of outputs that tell D from all of T refute it.

Of kind "composable": priors with one possible world in each secret; or a mechanism that leaks a
finite amount once, and without bound in two runs.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from .comparison import Block, hold
from .powers import sign
from .reading import (
    LARGE,
    ONE,
    ZERO,
    Level,
    Pair,
    Secrets,
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
    read_pair,
    read_secrets,
    read_table,
    read_vacuous,
)
from .supports import Supports, Weights, read_supports

Beta = dict[int, Fraction]  # on worlds of t, where it is positive
Betas = dict[int, list[Beta]]  # of each world that has any


@dataclass(frozen=True)
class Compared:
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
    priors = Compared(table, secrets, pairs, read_supports(relation, model, secrets))
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


def _read_betas(upper: Any, priors: Compared) -> Betas:
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


def _read_lower(lower: Any, priors: Compared) -> Lower:
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


def _refutes(priors: Compared, lower: Lower, run: dict[int, int], level: Level) -> bool:
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


def _chance(priors: Compared, prior: Weights, name: str, counts: dict[int, int]) -> Fraction:
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


@dataclass(frozen=True)
class Priors:
    """Given priors, one by one (list) or with all their mixtures (hull); or any priors."""

    kind: str
    priors: list[Weights]
    secrets: Secrets
    pairs: list[Pair]

    def counts(self) -> list[dict[str, int]]:
        """The number of possible worlds of each secret under each prior; of mixtures, under one of
        all priors; without given priors, all worlds."""
        sizes = {name: len(worlds) for name, worlds in self.secrets.items()}
        afford(10 * (1 + len(self.priors)) * (len(sizes) + sum(sizes.values())))
        if self.kind == "any":
            return [sizes]
        mixed = [list(map(max, zip(*self.priors, strict=True)))]
        listed = mixed if self.kind == "hull" else self.priors
        return [{name: self.possible(prior, name) for name in sizes} for prior in listed]

    def possible(self, prior: Weights, name: str) -> int:
        """The number of worlds of a secret, by its `name`, that a `prior` makes possible."""
        return sum(prior[w] > 0 for w in self.secrets[name])

    def run(self, table: Table, prior: Weights, name: str, outputs: list[int]) -> Fraction:
        """P(`outputs` of independent runs | secret of this `name`) under a `prior`; the `table` has
        the probabilities of one run."""
        values, columns = table
        worlds = [w for w in self.secrets[name] if prior[w]]
        mass = sum(prior[w] for w in worlds)
        prove(mass, "the prior does not allow the secret")
        seen = (prior[w] * prod(values[columns[w][o]] for o in outputs) for w in worlds)
        return Fraction(sum(seen), mass)

    def once(self, table: Table) -> Fraction:
        """The leakage of one run of a `table`, over both secrets under one prior; for mixtures
        under any two, which no mixture exceeds."""
        worst, mixed, outputs = ONE, self.kind == "hull", range(len(table.columns[0]))
        sizes = sum(len(self.secrets[s]) + len(self.secrets[t]) for s, t in self.pairs)
        times = len(self.priors) ** (1 + mixed)
        afford(8 * times * (len(self.pairs) + sizes * len(outputs)))
        both = product(self.priors, repeat=2) if mixed else ((p, p) for p in self.priors)
        for (p, q), (s, t) in product(both, self.pairs):
            for o in outputs if self.possible(p, s) and self.possible(q, t) else ():
                left, right = self.run(table, p, s, [o]), self.run(table, q, t, [o])
                prove(left == 0 or right > 0, "one run leaks without bound")
                worst = max(worst, Fraction(left, right)) if left else worst
        return worst


def check_composable(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the priors of a `relation` are of the form that composes, if the `witness` proves the
    `claim` about the `model`; else raise."""
    priors = _read_class(relation, model)
    counts = priors.counts()
    afford(4 * len(counts) * len(priors.pairs))
    sides = [(count[s], count[t]) for count in counts for s, t in priors.pairs]
    read_vacuous(claim, "one_run", not any(here and there for here, there in sides))
    if witness is None:
        need(claim["one_run"] is None and "columns" not in model, "nothing is run")
        several = any(here > 1 and (there or priors.kind == "any") for here, there in sides)
        prove(not several, "several worlds of a secret are possible")
        return True
    table, (k, pair, outputs) = read_table(model), fields(witness, "prior pair outputs")
    prior, (s, t) = priors.priors[index(k, len(priors.priors))], read_pair(pair)
    prove((s, t) in priors.pairs, "the witness is about no pair")
    indices(outputs, len(model["outputs"]))
    never, seen = priors.run(table, prior, s, outputs), priors.run(table, prior, t, outputs)
    prove(never == 0 and seen and len(outputs) == 2, "two runs do not tell")
    prove(priors.once(table) == number(claim["one_run"]), "one run leaks another amount")
    return False


def _read_class(relation: Any, model: Any) -> Priors:
    """The class of priors, and the secrets."""
    need(relation["rule"] == "secrets", "the relation is of pairs of secrets")
    (secrets, pairs), stated = read_secrets(relation, model), relation["priors"]
    kind, size = stated["class"], len(model["worlds"])
    need(kind in ("any", "list", "hull"), "no such class of priors")
    if kind == "any":
        fields(stated, "class")
        return Priors(kind, [], secrets, pairs)
    priors = [distribution(prior, size) for prior in items(fields(stated, "class priors")[1])]
    need(priors, "there are priors")
    return Priors(kind, priors, secrets, pairs)

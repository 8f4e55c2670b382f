"""Deciding the NfC conditions (Bai et al., Thm 5.1): the smallest level, then the verdict.

For a world D of s only the smallest sets T of worlds of t count that a prior can make possible
together with D. One of them is asked for after the other, each without a world of the weights found
before, until there is none: then all sets are covered.

Example. s is the world 0, t the world 1, and the bit is told with probability 3/4. There is one
condition for D = 0, with T = {1} and β_1 = 1: 3/4 <= alpha · 1/4 for the output 0. So the level is
3, and an attacker who may be told apart by 2 in each run waits for one output 0.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Theorem 5.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import lcm, prod

from verifier.base import exact
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.engines.composition.conditions import MARGIN, Beta, Condition, Table, logarithm
from verifier.engines.composition.runs import Repeated, decisive, eliminating
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.beliefs.supports import ConeSupports, Found, Worlds, between
from verifier.questions.composition import CompositionClaim
from verifier.questions.evidence import (
    CompositionEvidence,
    Covered,
    Mixed,
    RunEvidence,
    TiedWeights,
)
from verifier.questions.witness import Belief, RunWitness

Order = tuple[str, str]  # a pair of secrets, in this order
Entry = tuple[int, list[Beta]]  # a world, and weights of which each possible set has some
ONE = Fraction(1)
MOST_PROOFS = 10**4
SHORT = 80  # characters of a number in a witness
MAX_BITS_SHOWN = 2**14  # beyond these no ratio is short


@dataclass(frozen=True)
class Refutation:
    """Under a prior, counts of outputs that distinguish a world from those of `found`; also those
    of a run, which are the same if they are rational."""

    pair: Order
    world: int
    found: Found
    counts: dict[int, int] | TiedWeights
    run: dict[int, int]


@dataclass(frozen=True)
class Bounds:
    """What was found: the level is at least `low`, which `best` proves (None: low is 1); `upper`
    proves, by ordered pair, that it is at most `high` (None: no level serves)."""

    low: Fraction
    high: Fraction
    best: Refutation | None
    upper: list[list[Entry]] | None


def told(claim: CompositionClaim, proof: Proof) -> Answer:
    """The answer that a proof gives to a claim. A note says how the conditions are met."""
    evidence = proof.witness
    assert isinstance(evidence, CompositionEvidence)
    betas = [beta for entries in evidence.upper or () for _, found, *_ in entries for beta in found]
    counts = {**sizes(claim.space, claim.mechanism), "conditions": len(betas)}
    answer = leveled(claim, proof, counts)
    scope = {**answer.scope, "notes": [*answer.scope.get("notes", ()), *_notes(betas)]}
    lower = evidence.lower
    shown = _shown(claim, lower, lower.run) if lower and lower.run else None
    return replace(answer, scope=scope, shown=shown)


def _proof(claim: CompositionClaim, bounds: Bounds) -> Proof:
    """That of bounds of the smallest level."""
    upper, best = bounds.upper, bounds.best
    holds = upper is not None and claim.level.admits(bounds.high)
    evidence = CompositionEvidence(
        None if upper is None else covered(claim, upper),
        None if best is None else _lower(claim, best, waits=not holds),
    )
    return proved(holds, _leakage(bounds), evidence)


def _leakage(bounds: Bounds) -> Leakage:
    """The smallest level within bounds; vacuous where they need no weights at all."""
    if bounds.upper is None:
        return Leakage()
    if not any(found for entries in bounds.upper for _, found in entries):
        return NO_COMPARISON
    return Leakage.within((bounds.low, bounds.high))


def covered(claim: CompositionClaim, upper: Sequence[Sequence[Entry]]) -> list[list[Covered]]:
    """World and weights for all conditions, by ordered pair, as they are proved."""
    orders = [order for s, t in claim.pairs for order in ((s, t), (t, s))]
    return [
        [_covered(claim, world, t, betas) for world, betas in entries]
        for (_, t), entries in zip(orders, upper, strict=True)
    ]


def _covered(claim: CompositionClaim, world: int, t: str, betas: Sequence[Beta]) -> Covered:
    """A world and its weights; for constraints also why no prior makes both sides possible and
    misses a world of each beta."""
    weights = list(map(_weights, betas))
    if not isinstance(claim.supports, ConeSupports):
        return world, weights
    sides = [_worlds(beta) for beta in betas]
    if prod(map(len, sides)) > MOST_PROOFS:
        raise LimitReached(f"more than {MOST_PROOFS} proofs for one world are too many")
    missed = dict.fromkeys(map(frozenset, product(*sides)))
    proofs = [claim.supports.proof(world, claim.secrets[t], avoided) for avoided in missed]
    return world, weights, proofs


def _worlds(beta: Beta) -> list[int]:
    """The worlds that have weight, ascending."""
    return sorted(beta.worlds if isinstance(beta, TiedWeights) else beta)


def _weights(beta: Beta) -> Mixed:
    """One world is an integer."""
    if isinstance(beta, TiedWeights):
        return beta
    return next(iter(beta)) if len(beta) == 1 else dict(sorted(beta.items()))


def _lower(claim: CompositionClaim, best: Refutation, waits: bool) -> RunEvidence:
    """What refutes lower levels; if an attacker `waits`, a run that refutes the one asked for."""
    prior, run, repeated = best.found.prior, None, None
    if waits:
        run = decisive(claim.mechanism, best.world, best.found.worlds, best.run, claim.level)
        repeated = _repeated(claim, best.pair, prior, run)
    return RunEvidence(
        best.pair,
        best.world,
        [prior.get(w, Fraction(0)) for w in range(claim.space.size)],
        best.counts if isinstance(best.counts, TiedWeights) else dict(sorted(best.counts.items())),
        run and dict(sorted(run.items())),
        None if repeated is None else repeated.fewest(claim.level),
    )


def _repeated(
    claim: CompositionClaim, pair: Order, prior: Mapping[int, Fraction], run: Mapping[int, int]
) -> Repeated | None:
    return Repeated.of(claim.mechanism, prior, [claim.secrets[name] for name in pair], run)


def _shown(claim: CompositionClaim, lower: RunEvidence, run: Mapping[int, int]) -> RunWitness:
    """The run in the reader's terms, and how much likelier it makes the first secret."""
    space, pair, times = claim.space, lower.pair, lower.repetitions
    prior = {w: p for w, p in enumerate(lower.prior) if p}
    first, second = (exact.total(lower.prior[w] for w in claim.secrets[name]) for name in pair)
    ratio, infinite, repeated = None, False, _repeated(claim, pair, prior, run)
    if repeated and times and times * repeated.bits <= MAX_BITS_SHOWN:
        ratio = repeated.ratio(times)
        infinite = ratio is None
    is_short = ratio is not None and len(exact.text(ratio)) <= SHORT
    return RunWitness(
        Belief(pair, {space.name(w): p for w, p in prior.items()}, first / second),
        space.name(lower.world),
        {claim.mechanism.outputs[o]: n for o, n in sorted(run.items())},
        times,
        claim.level,
        ratio if is_short else None,
        infinite,
    )


def _notes(betas: Sequence[Mixed]) -> list[str]:
    more = sum(not isinstance(beta, int) for beta in betas)
    notes = [
        f"{len(betas) - more} of {len(betas)} conditions are met by one world each: the "
        "differential-privacy-style inequality of two worlds"
    ]
    notes += [f"{more} need a weighted geometric mean of several worlds"] if more else []
    return notes if betas else []


def decide(claim: CompositionClaim) -> Answer:
    """The verdict on a claim, the smallest level, a run where violated, and a certificate."""
    return told(claim, prove(claim))


def prove(claim: CompositionClaim) -> Proof:
    """The proof of the answer to a claim."""
    search = Search(claim)
    upper = search.run()
    best = search.best
    if best is None and search.seen and isinstance(claim.supports, ConeSupports):
        best = _compared(claim, *search.seen)
    return _proof(claim, Bounds(search.low, search.high, best, upper))


def _compared(claim: CompositionClaim, order: Order, world: int, found: Found) -> Refutation:
    """Evidence that the level is at least 1, which needs no proof but that something is compared.

    Outputs as often as in the world itself are nowhere likelier than there (Gibbs)."""
    outputs = range(len(claim.mechanism.outputs))
    column = [claim.mechanism.probability(o, world) for o in outputs]
    scale = lcm(*(p.denominator for p in column))
    counts = {o: int(p * scale) for o, p in enumerate(column) if p}
    return Refutation(order, world, found, counts, counts)


class Search:
    """The smallest level that is known to be needed, and one that serves all that was seen."""

    def __init__(self, claim: CompositionClaim) -> None:
        self.claim, self.table = claim, Table(claim.mechanism)
        self.low, self.high = ONE, ONE
        self.best: Refutation | None = None
        self.seen: tuple[Order, int, Found] | None = None
        self.known: dict[tuple[int, tuple[int, ...]], Beta] = {}

    def run(self) -> list[list[Entry]] | None:
        """World and weights for all conditions, by ordered pair; None where no level serves."""
        orders = [order for s, t in self.claim.pairs for order in ((s, t), (t, s))]
        secrets = {name: Worlds(worlds) for name, worlds in self.claim.secrets.items()}
        conditions = sorted((world, at) for at, (s, _) in enumerate(orders) for world in secrets[s])
        asked = [(w, at, orders[at], secrets[orders[at][1]]) for w, at in conditions]
        for world, at, found in self._hardest(asked):
            if self._beta(orders[at], world, found) is None:
                return None
        upper: list[list[Entry]] = [[] for _ in orders]
        for world, at in conditions:
            betas = self._covering(orders[at], world, secrets[orders[at][1]])
            if betas is None:
                return None
            upper[at].append((world, betas))
        return upper

    def _hardest(
        self, conditions: Sequence[tuple[int, int, Order, Worlds]]
    ) -> Iterator[tuple[int, int, Found]]:
        """Conditions that one world does not meet at the level found so far, the worst first."""
        slack, possible = [], {}
        for world, at, order, others in conditions:
            found = between(self.claim.supports, order).within(world, others, frozenset())
            if found is not None:
                possible[at, world] = found
                slack.append((-self.table.nearest(world, found.worlds)[1], at, world))
        for size, at, world in sorted(slack):
            if -size > logarithm(self.high) + MARGIN:
                yield world, at, possible[at, world]

    def _covering(self, order: Order, world: int, others: tuple[int, ...]) -> list[Beta] | None:
        """Weights of which each possible set of others has some; None where no level serves."""
        betas: list[Beta] = []
        supports = between(self.claim.supports, order)
        seen, todo = {frozenset[int]()}, [frozenset[int]()]
        while todo:
            avoided = todo.pop()
            found = supports.within(world, others, avoided)
            if found is None:
                continue
            beta = self._beta(order, world, found)
            if beta is None:
                return None
            betas.append(beta)
            more = [avoided | {other} for other in reversed(_worlds(beta))]
            todo += [wider for wider in more if wider not in seen]
            seen.update(more)
        return betas

    def _beta(self, order: Order, world: int, found: Found) -> Beta | None:
        """Weights that meet a condition at `high`, which is increased where needed; None where no
        level serves."""
        self.seen = self.seen or (order, world, found)
        one = self.table.single(world, found.worlds, self.high)
        if one is not None:
            return {one: ONE}
        key = world, found.worlds
        if key not in self.known:
            kept = self.table.dominating(world, found.worlds)
            if not kept:
                counts = eliminating(self.claim.mechanism, world, found.worlds)
                self.best = Refutation(order, world, found, counts, counts)
                return None
            beta = self._solved(order, world, kept, found)
            if beta is None:
                return None
            self.known[key] = beta
        return self.known[key]

    def _solved(self, order: Order, world: int, kept: tuple[int, ...], found: Found) -> Beta | None:
        """One output may need the level that one world asks for; otherwise a game decides."""
        low, output = self.table.output(world, kept)
        self._need(low, Refutation(order, world, found, {output: 1}, {output: 1}))
        one = self.table.single(world, kept, self.high)
        return {one: ONE} if one is not None else self._weighed(order, world, kept, found)

    def _weighed(self, order: Order, world: int, kept: tuple[int, ...], found: Found) -> Beta:
        """A game decides."""
        condition = Condition.of(self.table, world, kept)
        beta = condition.beta(self.high)
        if beta is None:
            known = condition.enclosed(self.claim.level)
            self._need(known.low, Refutation(order, world, found, known.counts, known.run))
            self.high = max(self.high, known.high)
            one = self.table.single(world, kept, self.high)
            beta = {one: ONE} if one is not None else condition.beta(self.high)
        if beta is None:
            raise NotDecided("the weights of worlds that meet a condition are irrational")
        return beta

    def _need(self, low: Fraction, why: Refutation) -> None:
        if low > self.low:
            self.low, self.best = low, why
            self.high = max(self.high, low)

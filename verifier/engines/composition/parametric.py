"""Deciding the NfC conditions where probabilities are functions of a parameter.

The ordinary search, with the numbers of a sample, proposes weights of worlds and counts of outputs.
The level that the counts need is a root of a function. If it is a function itself, powers are
compared as functions, so that the proof is one for a piece around the sample. Otherwise only the
level asked for is decided.

Example. D says yes with probability 1/2, two other worlds with p and with 1 - p. At a sample the
search proposes half of each, and one yes and one no. These need α² = 1/(4 p(1 - p)), no square.
That the level 2 is enough is 16 p(1 - p) >= 1, wherever that holds.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Theorem 5.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm, prod

from verifier.base import exact
from verifier.base.cell import AtRoot, NoFunction, Symbolic, Varies, innermost
from verifier.base.errors import NotDecided
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.engines.composition import composition
from verifier.engines.composition.composition import Entry, Order, Refutation, Search, covered
from verifier.engines.composition.conditions import Beta, Condition
from verifier.engines.composition.runs import decisive
from verifier.kernels import games
from verifier.kernels.powers_of_functions import is_above_one
from verifier.kernels.ratios import level_of
from verifier.questions.answer import Answer, Proof, proved
from verifier.questions.beliefs.supports import ConeSupports, Found, Worlds
from verifier.questions.composition import CompositionClaim
from verifier.questions.evidence import (
    CompositionEvidence,
    RunEvidence,
    SaidLevel,
    TiedWeights,
)
from verifier.world.mechanism import Mechanism

ONE = Fraction(1)
BITS = 128  # of numbers near those of an irrational sample
SLACK = 1 + Fraction(1, 2**40)  # of the level for which weights are proposed
SHORT, LONGEST = 12, 48  # exponents of powers that are, and that may be multiplied out
MOST = 2**40  # exponents of powers whose logarithms are compared
Counts = Mapping[int, int]  # of outputs
Power = tuple[Fraction, int]  # a number, and the degree of the root of it that is meant


def decide(claim: CompositionClaim) -> Answer:
    """The answer for one value of the parameter, which is no part of the numbers any more."""
    return composition.decide(claim)


def prove(claim: CompositionClaim) -> Proof:
    """The proof of the answer to a claim; only about the level asked for where the smallest one is
    no function of a parameter, or is not proved by rational weights."""
    numbers = [*claim.mechanism.values, claim.level.alpha]
    cell = innermost()
    if not any(map(exact.is_symbolic, numbers)) and not (cell and cell.modulus):
        with suppress(Symbolic):  # priors may depend on the parameter
            return _at_number(claim)
    search = _Sampled(_near(claim))
    try:
        return _smallest(claim, search)
    except NotDecided:
        for world, kept in search.mixed:
            _compare(claim.mechanism, world, kept)
        needed, first = search.first
        if first and needed > search.claim.level.alpha * SLACK:
            return _violated(claim, search.claim, first)
        return _at_level(claim, search.claim)


def _at_number(claim: CompositionClaim) -> Proof:
    """The same for one rational value: where the smallest level is irrational, as a root."""
    found = composition.prove(claim)
    said = found.said
    if not (isinstance(said, SaidLevel) and said.leakage and said.leakage.bounds):
        return found
    with suppress(NotDecided):
        return _smallest(claim, _Sampled(claim))
    return found


def _near(claim: CompositionClaim) -> CompositionClaim:
    """The claim with numbers near those of the sample: they guide."""
    values = tuple([exact.near(value, BITS) for value in claim.mechanism.values])
    if any(bool(value) != (x > 0) for value, x in zip(claim.mechanism.values, values, strict=True)):
        raise NotDecided("a probability is too small at the sample")
    level = Level(exp_epsilon=max(ONE, exact.near(claim.level.alpha, BITS)))
    return replace(claim, mechanism=replace(claim.mechanism, values=values), level=level)


class _Sampled(Search):
    """The search for the smallest level at a sample. What single outputs need is found first, as
    weights often meet a condition with room to spare at this level.

    mixed  conditions that one output and one world do not decide, for whatever level: a world, and
           those that have all its outputs
    first  what needs the largest level for single outputs, and this level
    """

    def __init__(self, claim: CompositionClaim) -> None:
        super().__init__(claim)
        self.mixed: list[tuple[int, tuple[int, ...]]] = []
        self.first: tuple[Fraction, Refutation | None] = ONE, None

    def _hardest(
        self, conditions: Sequence[tuple[int, int, Order, Worlds]]
    ) -> Iterator[tuple[int, int, Found]]:
        orders = {at: order for _, at, order, _ in conditions}
        listed = list(super()._hardest(conditions))
        for world, at, found in listed:
            if kept := self.table.dominating(world, found.worlds):
                low, output = self.table.output(world, kept)
                one = {output: 1}
                self._need(low, Refutation(orders[at], world, found, one, one))
        self.first = self.low, self.best
        yield from listed

    def _weighed(self, order: Order, world: int, kept: tuple[int, ...], found: Found) -> Beta:
        self.mixed.append((world, kept))
        return super()._weighed(order, world, kept, found)


class _AtLevel(Search):
    """The search for weights that meet all conditions at one level, or counts that exceed it."""

    def __init__(self, claim: CompositionClaim) -> None:
        super().__init__(claim)
        self.high = claim.level.alpha * SLACK

    def _solved(self, order: Order, world: int, kept: tuple[int, ...], found: Found) -> Beta | None:
        condition = Condition.of(self.table, world, kept)
        beta = condition.beta(self.high)
        if isinstance(beta, TiedWeights):
            return beta
        if beta is not None:
            return _short(condition.met(self.high), condition.worlds, beta)
        counts = condition.counts(self.high)
        if counts is None:
            raise Varies
        whole, missed = sum(counts.values()), condition.missed(self.high)
        shares = {o: Fraction(n, whole) for o, n in counts.items()}
        few = _short(missed, condition.outputs, shares)
        unit = lcm(*(share.denominator for share in few.values()))
        counts = {o: int(share * unit) for o, share in few.items()}
        self.best = Refutation(order, world, found, counts, counts)
        return None


def _short(
    factors: games.Factors, places: Sequence[int], weights: Mapping[int, Fraction]
) -> dict[int, Fraction]:
    """Weights of places with a small denominator near those that serve, if such do."""
    point = [weights.get(at, Fraction(0)) for at in places]
    near = (games.rounded(point, denominator) for denominator in range(1, LONGEST + 1))
    found = next((one for one in near if games.serves(factors, one)), point)
    return {at: share for at, share in zip(places, found, strict=True) if share}


def _smallest(claim: CompositionClaim, search: Search) -> Proof:
    """The proof of the smallest level; NoFunction where it is none, or the weights depend on the
    parameter."""
    upper, best = search.run(), search.best
    if upper is None:
        assert best is not None
        evidence = CompositionEvidence(None, _lower(claim, search.claim, best, best.run))
        return proved(False, Leakage(), evidence)
    betas = [beta for entries in upper for _, found in entries for beta in found]
    if not betas:
        return proved(True, NO_COMPARISON, CompositionEvidence(covered(claim, upper), None))
    if best is None and isinstance(claim.supports, ConeSupports):
        raise NoFunction
    try:
        level = (ONE, 1) if best is None else _needed(claim, best)
        proves = _serves(claim, upper, level)
    except AtRoot:
        if max(map(_size, betas)) == 1 and (best is None or _size(best.counts) == 1):
            raise
        raise NoFunction from None  # the weights are those of the sample alone
    if not proves:
        raise NoFunction
    power, degree = level
    holds, leakage = claim.level.admits(power, Fraction(degree)), Leakage(power, root=degree)
    if best is None or not power > 1:
        return proved(holds, leakage, CompositionEvidence(covered(claim, upper), None))
    run = None if holds else best.run
    lower = _lower(claim, search.claim, best, run)
    return proved(holds, leakage, CompositionEvidence(covered(claim, upper), lower))


def _at_level(claim: CompositionClaim, near: CompositionClaim) -> Proof:
    """The proof that the level asked for is enough, or that a higher one is needed."""
    search, alpha = _AtLevel(near), claim.level.alpha
    upper, best = search.run(), search.best
    if upper is not None:
        if not _serves(claim, upper, (alpha, 1)):
            raise Varies
        evidence = CompositionEvidence(covered(claim, upper), None)
        return proved(True, Leakage(alpha, side="at_most"), evidence)
    assert best is not None
    return _violated(claim, near, best)


def _violated(claim: CompositionClaim, near: CompositionClaim, best: Refutation) -> Proof:
    """The proof that counts of outputs need a higher level than the one asked for."""
    alpha, counts = claim.level.alpha, best.counts
    having = _having(claim.mechanism, best.world, best.found.worlds)
    if isinstance(counts, TiedWeights) or not alpha > 1 or sum(counts.values()) <= LONGEST:
        power, runs = _power(claim, best)
        if not power > alpha**runs:
            raise Varies
        # a weighted harmonic mean is below the geometric one, the root, and above the level
        level = alpha * power * runs / (alpha**runs + (runs - 1) * power)
    elif _exceeds(claim, best.world, having, counts):
        level = alpha
    else:
        raise Varies
    lower = _lower(claim, near, best, best.run)
    return proved(False, Leakage(level, side="at_least"), CompositionEvidence(None, lower))


# ------------------------------------------------------------------ signs that are recorded


def _compare(mechanism: Mechanism, world: int, kept: Sequence[int]) -> None:
    """Record what decides whether one output needs the level for which one world is enough."""
    rows = [
        (p, [mechanism.probability(o, w) for w in kept])
        for o in range(len(mechanism.outputs))
        if (p := mechanism.probability(o, world))
    ]
    least = min(max(p / row[at] for p, row in rows) for at in range(len(kept)))
    _ = least > max(p / max(row) for p, row in rows)


def _serves(claim: CompositionClaim, upper: Sequence[Sequence[Entry]], level: Power) -> bool:
    """Whether all conditions are met at a level, the root of a number."""
    known = set[tuple[int, tuple[tuple[int, Fraction], ...]]]()
    for world, betas in (entry for entries in upper for entry in entries):
        for beta in betas:
            if isinstance(beta, TiedWeights):
                raise NoFunction
            known.add((world, tuple(beta.items())))
    return all(_dominates(claim.mechanism, world, beta, level) for world, beta in sorted(known))


def _dominates(
    mechanism: Mechanism, world: int, beta: Sequence[tuple[int, Fraction]], level: Power
) -> bool:
    """Whether a world is at most as likely as the mean of others, times the level, for all
    outputs."""
    values, codes, (power, degree) = mechanism.values, mechanism.codes, level
    unit = lcm(degree, *(share.denominator for _, share in beta))
    shares = [int(share * unit) for _, share in beta]
    met = set(map(tuple, codes[:, [world, *(w for w, _ in beta)]].tolist()))
    for own, *others in sorted(met):
        means = zip((values[q] for q in others), shares, strict=True)
        powers = [(power, unit // degree), (values[own], -unit), *means]
        if values[own] and not _is_enough(powers):
            return False
    return True


def _is_enough(powers: Sequence[tuple[Fraction, int]], strictly: bool = False) -> bool:
    """Whether the product of r^k over the (r, k) is at least 1, or above it. Long powers are not
    multiplied out if logarithms show that it is above 1."""
    parts = [[(r, side * k) for r, k in powers if side * k > 0] for side in (1, -1)]
    size, cell = max(sum(k for _, k in part) for part in parts), innermost()
    if size > SHORT and cell is not None and all(r for r, _ in powers):
        if size <= MOST and is_above_one(powers, cell):
            return True
        if size > LONGEST:
            return False
    above, below = (prod((r**k for r, k in part), start=ONE) for part in parts)
    return bool(above > below or (above == below and not strictly))


def _having(mechanism: Mechanism, world: int, others: Sequence[int]) -> list[int]:
    """Those of some worlds that have all outputs of one."""
    positive = [bool(value) for value in mechanism.values]
    own = [o for o, code in enumerate(mechanism.codes[:, world].tolist()) if positive[code]]
    return [w for w in others if all(positive[code] for code in mechanism.codes[own, w].tolist())]


def _power(claim: CompositionClaim, best: Refutation) -> Power:
    """The power of a level that is needed by counts of outputs, and its exponent."""
    counts = best.counts
    if isinstance(counts, TiedWeights):
        raise NoFunction
    common = gcd(*counts.values())
    reduced = {o: n // common for o, n in counts.items()}
    if sum(reduced.values()) > LONGEST:
        raise Varies
    having = _having(claim.mechanism, best.world, best.found.worlds)
    return _least(claim.mechanism, best.world, having, reduced), sum(reduced.values())


def _least(mechanism: Mechanism, world: int, others: Sequence[int], counts: Counts) -> Fraction:
    """How much more likely counts of outputs are in a world than in any of others, all of which
    have these outputs."""
    found = [
        prod(
            (
                (mechanism.probability(o, world) / mechanism.probability(o, w)) ** n
                for o, n in counts.items()
            ),
            start=ONE,
        )
        for w in others
    ]
    return min(found)


def _needed(claim: CompositionClaim, best: Refutation) -> Power:
    """The level that counts need, as a root of the least degree."""
    power, runs = _power(claim, best)
    for degree in range(runs, 1, -1):
        found = None if runs % degree else _root(power, degree)
        if found is not None:
            return found, runs // degree
    return power, runs


def _root(power: Fraction, degree: int) -> Fraction | None:
    """The root of a number above 1, where it is rational, or a function."""
    if exact.is_symbolic(power):
        return exact.root(power, degree)
    found = level_of(power, Fraction(degree))
    return found if isinstance(found, Fraction) else None


def _lower(
    claim: CompositionClaim, near: CompositionClaim, best: Refutation, run: Counts | None
) -> RunEvidence:
    """What refutes lower levels, and if there is a `run`, one that refutes that asked for."""
    worlds, counts = best.found.worlds, best.counts
    assert not isinstance(counts, TiedWeights)
    if run is not None and not _tells(claim, best, run):
        run = decisive(near.mechanism, best.world, worlds, run, near.level)
        if not _tells(claim, best, run):
            raise Varies
    return RunEvidence(
        best.pair,
        best.world,
        [best.found.prior.get(w, Fraction(0)) for w in range(claim.space.size)],
        dict(sorted(counts.items())),
        run and dict(sorted(run.items())),
        None,
    )


def _tells(claim: CompositionClaim, best: Refutation, run: Counts) -> bool:
    """Whether a run tells a world from all others, of which some do not have all its outputs."""
    chance = claim.mechanism.probability
    others = [w for w in best.found.worlds if all(chance(o, w) for o in run)]
    return _exceeds(claim, best.world, others, run)


def _exceeds(claim: CompositionClaim, world: int, others: Sequence[int], run: Counts) -> bool:
    """Whether a run is more likely in a world than in all others by more than the level allows."""
    chance, runs = claim.mechanism.probability, sum(run.values())
    sides = ([(1 / chance(o, w), n) for o, n in run.items()] for w in others)
    own = [(chance(o, world), n) for o, n in run.items()]
    level = (claim.level.alpha, -runs)
    return all(_is_enough([*own, *side, level], strictly=True) for side in sides)


def _size(weights: Beta | dict[int, int] | TiedWeights) -> int:
    """How many worlds or outputs have weight; tied ones are several."""
    return 2 if isinstance(weights, TiedWeights) else len(weights)

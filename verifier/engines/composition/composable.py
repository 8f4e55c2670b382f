"""Priors whose levels add up whatever is released, and mechanisms that show that others' do not.

Example. Two bits, all worlds equally likely, s: the first is 0, t: it is 1. Given s there are two
worlds. The mechanism that says first in 00, second in 01 and tosses a coin elsewhere tells nothing
in one run. First, then second, has probability 0 given s and 1/4 given t.

*Holds*: every possible world of s is compared, by itself, with every one of t: some pair and prior
allow just these two. A level then holds between the worlds, and between all averages of them. It is
enough if what is believed given s and given t is made of such pairs of worlds: a coupling.

*Violated*: a set of worlds is closed if it meets s exactly when it meets t, for whatever is
compared. An output that has positive probability on a closed set leaks a finite amount. Two such
outputs one after the other have positive probability where both sets meet, and if this is not
closed, they leak without bound; in a list of priors, one run may leak a finite amount and two
without bound only so. Where there are none, two rows of likelihoods are sought, each of level 2,
whose product is not of level 4, among the extreme rays.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 9.3 and Theorem 9.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from verifier.base import exact
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON
from verifier.questions.answer import Answer, Proof
from verifier.questions.composition import ComposableClaim
from verifier.questions.evidence import ComposableEvidence, CouplingsEvidence, SaidOneRun
from verifier.questions.witness import TwoRunsWitness
from verifier.world.mechanism import Mechanism

MAX_STEPS = 2 * 10**6
MAX_RAYS = 2_000
ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
LEVEL = 2  # of the rays
OUTPUTS = ("first", "second", "neither")
Row = Sequence[Fraction]  # the likelihood of an output, world by world
Weights = Mapping[int, Fraction]  # of worlds
Coupling = list[tuple[int, int, Fraction]]  # two worlds, and their share
MOST_HALVED = 60  # how small a part of a mixture may be


@dataclass(frozen=True)
class Compared:
    """What is believed given each secret of an ordered pair, under one prior; for mixtures that
    given the second may be another one's.

    priors  the numbers of both
    mixed   of which mixtures it is believed, or nearly: weights of the first, and of the second;
            none where no mixture comes near
    """

    priors: tuple[int, int]
    mixed: Sequence[tuple[Fraction, Fraction]]
    pair: tuple[str, str]
    given: Weights
    other: Weights

    def averages(self, row: Row) -> tuple[Fraction, Fraction]:
        """The probability of an output given each secret, by its likelihoods."""
        first, second = (
            exact.total(p * row[w] for w, p in side.items()) for side in (self.given, self.other)
        )
        return first, second


def decide(claim: ComposableClaim) -> Answer:
    """Whether levels add up under the priors of a claim; if not, a mechanism that leaks more in two
    runs than twice. NotDecided where neither is found, LimitReached where it is sought too long."""
    return told(claim, prove(claim))


def prove(claim: ComposableClaim) -> Proof:
    """The proof of the answer to a claim."""
    if claim.composes or _is_composing(claim):
        vacuous = None if _compares(claim) else NO_COMPARISON
        return Proof(SaidOneRun("holds", None, leakage=vacuous), None)
    compared = _compared(claim, _both(claim))
    couplings = _couplings(claim, _alone(compared))
    if couplings is not None:
        return Proof(SaidOneRun("holds", None), CouplingsEvidence(couplings))
    found = next(_by_zeros(claim, compared), None) or next(_by_rays(claim, compared), None)
    if found is None:
        raise NotDecided(
            "what is believed given two secrets is not made of worlds that are compared by "
            "themselves, and no mechanism was found that leaks more in two runs than levels add "
            "up to"
        )
    return found


def told(claim: ComposableClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    said, evidence, shown = proof.said, proof.witness, None
    assert isinstance(said, SaidOneRun)
    if isinstance(evidence, ComposableEvidence) and said.one_run is not None and proof.mechanism:
        shown = _shown(claim, evidence, proof.mechanism, said.one_run)
    scope = {"worlds": claim.space.size, **claim.scope}
    return Answer(said.verdict, said.leakage, shown=shown, proof=proof, scope=scope)


# ------------------------------------------------------------------ what is compared


def _compared(claim: ComposableClaim, orders: Sequence[tuple[str, str]]) -> list[Compared]:
    """Whatever a level bounds about pairs in these `orders`: under each prior that allows both, and
    of mixtures under any two priors."""
    believed = [_believed(claim, prior) for prior in claim.priors]
    return [
        Compared((k, j), _mixed(k == j, bool(own[t]), bool(others[s])), (s, t), own[s], others[t])
        for k, own in enumerate(believed)
        for j, others in (enumerate(believed) if claim.mixed else [(k, own)])
        for s, t in orders
        if own[s] and others[t]
    ]


def _both(claim: ComposableClaim) -> list[tuple[str, str]]:
    """The pairs in both orders."""
    return [pair for left, right in claim.pairs for pair in ((left, right), (right, left))]


def _mixed(same: bool, above: bool, below: bool) -> list[tuple[Fraction, Fraction]]:
    """Weights of two priors in mixtures that come near what the first has given s, and the second
    given t: `above` says whether the first allows t too, `below` whether the second allows s."""
    if same:
        return [(ONE, ZERO)]
    if above and below:
        return []
    small = [HALF**k for k in range(1, MOST_HALVED)]
    return [(part, ONE - part) if above else (ONE - part, part) for part in small]


def _believed(claim: ComposableClaim, prior: Row) -> dict[str, Weights]:
    """What a prior says given each secret."""
    return {name: _given(prior, worlds) for name, worlds in claim.secrets.items()}


def _given(prior: Row, worlds: Sequence[int]) -> dict[int, Fraction]:
    """The distribution of the possible worlds of a secret, empty where there is none."""
    mass = exact.total(prior[w] for w in worlds)
    return {w: prior[w] / mass for w in worlds if prior[w]} if mass else {}


def _possible(claim: ComposableClaim, priors: Sequence[Row]) -> list[tuple[Weights, Weights]]:
    """The possible worlds of both secrets of each pair, under each prior that allows both."""
    believed = [_believed(claim, prior) for prior in priors]
    return [(own[s], own[t]) for own in believed for s, t in claim.pairs if own[s] and own[t]]


def _is_composing(claim: ComposableClaim) -> bool:
    """Whether every two possible worlds of the secrets of a pair are compared by themselves."""
    asked = _possible(claim, claim.priors)
    if claim.mixed:  # a mixture of all priors makes possible whatever one of them does
        asked = _possible(claim, [_mixture(claim.priors)])
    alone = _alone(_compared(claim, _both(claim)))
    alone |= {frozenset((*s, *t)) for s, t in asked if len(s) == len(t) == 1}
    return all(frozenset((v, w)) in alone for s, t in asked for v in s for w in t)


def _alone(compared: Sequence[Compared]) -> set[frozenset[int]]:
    """The pairs of worlds that are compared by themselves."""
    near = [(c.given, c.other) for c in compared if c.mixed]
    return {frozenset((*s, *t)) for s, t in near if len(s) == len(t) == 1}


def _couplings(claim: ComposableClaim, alone: Set[frozenset[int]]) -> list[Coupling] | None:
    """For whatever is compared, in one order, a distribution of pairs of worlds that are compared
    alone, with both as its sides; None where there is none."""
    found = []
    for at in _compared(claim, claim.pairs):
        if any(map(exact.is_irrational, (*at.given.values(), *at.other.values()))):
            return None
        coupling = _coupling(at.given, at.other, alone)
        if coupling is None:
            return None
        found.append(coupling)
    return found


def _coupling(given: Weights, other: Weights, alone: Set[frozenset[int]]) -> Coupling | None:
    """A distribution of some pairs of worlds with these two sides (a linear program)."""
    from verifier.lp.model.program import Optimal, Program, Row
    from verifier.lp.solve import solve

    pairs = [(v, w) for v in given for w in other if frozenset((v, w)) in alone]
    names = {f"{v} {w}": (v, w) for v, w in pairs}
    sides = [(0, given), (1, other)]
    rows = [
        Row(f"{side} {w}", {name: 1 for name, pair in names.items() if pair[side] == w}, "=", p)
        for side, weights in sides
        for w, p in weights.items()
    ]
    outcome = solve(Program.build(list(names), rows, {}))
    if not isinstance(outcome, Optimal):
        return None
    masses = outcome.point.dense(len(names))
    return [(v, w, p) for (v, w), p in zip(pairs, masses, strict=True) if p]


def _mixture(priors: Sequence[Row]) -> list[Fraction]:
    return [exact.total(weights) / len(priors) for weights in zip(*priors, strict=True)]


def _compares(claim: ComposableClaim) -> bool:
    """Whether some prior of the class makes both secrets of a pair possible."""
    priors: Sequence[Row] = claim.priors or [[ONE] * claim.space.size]
    return bool(_possible(claim, [_mixture(priors)] if claim.mixed else priors))


# ------------------------------------------------------------------ two closed sets


@dataclass
class _Closed:
    """Sets of worlds as bits, and pairs of sets of which both or neither is to be met."""

    sides: Sequence[tuple[int, int]]
    steps: int = 0

    def within(self, kept: int) -> int:
        """The largest closed set within `kept`: the union of two closed sets is closed."""
        while True:
            self.steps += len(self.sides)
            if self.steps > MAX_STEPS:
                raise LimitReached("the sets of worlds where an output is possible are too many")
            gone = 0
            for here, there in self.sides:
                gone |= (here if not kept & there else 0) | (there if not kept & here else 0)
            if not kept & gone:
                return kept
            kept &= ~gone

    def apart(self, one: int, two: int, star: int, others: int) -> tuple[int, int] | None:
        """Closed sets within two given ones that share the world `star` and none of the others."""
        if not one & two & star:
            return None
        shared = one & two & others
        if not shared:
            return one, two
        world = shared & -shared  # the first of them, to be left out of one set
        left = self.apart(self.within(one & ~world), two, star, others)
        if left is not None or one == two:
            return left
        return self.apart(one, self.within(two & ~world), star, others)


def _by_zeros(claim: ComposableClaim, compared: Sequence[Compared]) -> Iterator[Proof]:
    """Mechanisms whose first two outputs have closed sets of possible worlds that meet in a set
    which is not closed."""
    sides = {tuple(sorted((_bits(c.given), _bits(c.other)))) for c in compared}
    closed = _Closed([(here, there) for here, there in sorted(sides)])
    everything = (1 << claim.space.size) - 1
    for at in (c for c in compared if c.mixed and len(c.given) > 1):
        for star in at.other:
            found = closed.apart(everything, everything, 1 << star, _bits(at.given))
            if found is not None:
                yield from _proved(claim, compared, at, _supported(*found, claim.space.size))


def _bits(worlds: Iterable[int]) -> int:
    return sum(1 << w for w in worlds)


def _supported(first: int, second: int, size: int) -> list[list[Fraction]]:
    """The likelihoods of two outputs that are possible just in these worlds, and of neither, which
    is possible everywhere if it is needed."""
    marks = [(first >> w & 1, second >> w & 1) for w in range(size)]
    everywhere = all(map(any, marks))
    rows = [[Fraction(mark[k], sum(mark) if everywhere else 3) for mark in marks] for k in range(2)]
    return rows if everywhere else _completed(rows)


def _completed(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    return [*rows, [ONE - sum(column) for column in zip(*rows, strict=True)]]


# ------------------------------------------------------------------ two extreme rays


def _by_rays(claim: ComposableClaim, compared: Sequence[Compared]) -> Iterator[Proof]:
    """Mechanisms whose first two outputs are small multiples of extreme rays of level 2, of which
    the product is not of level 4."""
    from verifier.lp.exact.double_description import dual

    weights = [p for c in compared for side in (c.given, c.other) for p in side.values()]
    if any(map(exact.is_irrational, weights)):
        return
    worlds = sorted({w for c in compared for side in (c.given, c.other) for w in side})
    rays = dual(list(_inequalities(compared, worlds)), MAX_RAYS).rays
    targets = [c for c in compared if c.mixed]
    if len(rays) ** 2 * len(targets) * len(worlds) > 100 * MAX_STEPS:
        raise LimitReached(f"{len(rays)} extreme rows of likelihoods are too many")
    whole = [dict(zip(worlds, ray, strict=True)) for ray in rays]
    for x, y in combinations_with_replacement(whole, 2):
        both = [x.get(w, 0) * y.get(w, 0) for w in range(claim.space.size)]
        for at in targets:
            given, other = at.averages([Fraction(value) for value in both])
            if other > LEVEL**2 * given:
                yield from _proved(claim, compared, at, _scaled(x, y, claim.space.size))


def _inequalities(compared: Sequence[Compared], worlds: Sequence[int]) -> Iterator[list[int]]:
    """That a row of likelihoods in these worlds is of level 2, and is not negative."""
    for at in compared:
        row = [LEVEL * at.other.get(w, ZERO) - at.given.get(w, ZERO) for w in worlds]
        yield exact.in_integers(row)[1]
    for k in range(len(worlds)):
        yield [int(k == j) for j in range(len(worlds))]


def _scaled(x: Mapping[int, int], y: Mapping[int, int], size: int) -> list[list[Fraction]]:
    """The likelihoods of two outputs, so small that neither has at least 1/2 everywhere."""
    scale = 2 * max(x[w] + y[w] for w in x)
    return _completed([[Fraction(ray.get(w, 0), scale) for w in range(size)] for ray in (x, y)])


# ------------------------------------------------------------------ the proof


def _proved(
    claim: ComposableClaim, compared: Sequence[Compared], at: Compared, rows: list[list[Fraction]]
) -> Iterator[Proof]:
    """The mechanism with these rows of likelihoods, if two runs of it, its first output and then
    its second, are likelier given the second secret than what it leaks allows."""
    leakage = one_run(compared, rows)
    if leakage is None:
        return
    for parts in at.mixed:
        weights = [ZERO] * len(claim.priors)
        for k, part in zip(at.priors, parts, strict=True):
            weights[k] += part
        prior: int | list[Fraction] = at.priors[0] if ONE in parts else weights
        evidence = ComposableEvidence(prior, at.pair, (0, 1))
        given, other = _twice(claim, evidence, rows)
        if other > leakage**2 * given:
            mechanism = Mechanism.from_rows(OUTPUTS[: len(rows)], rows)
            yield Proof(SaidOneRun("violated", leakage), evidence, mechanism)
            return


def _prior(claim: ComposableClaim, evidence: ComposableEvidence) -> Row:
    """The prior of the evidence: a given one, or a mixture."""
    if isinstance(evidence.prior, int):
        return claim.priors[evidence.prior]
    columns = zip(*claim.priors, strict=True)
    return [
        exact.total(p * q for p, q in zip(evidence.prior, column, strict=True))
        for column in columns
    ]


def _twice(
    claim: ComposableClaim, evidence: ComposableEvidence, rows: Sequence[Row]
) -> tuple[Fraction, Fraction]:
    """The probability of both outputs in two runs, given each secret."""
    prior, (x, y) = _prior(claim, evidence), (rows[output] for output in evidence.outputs)
    first, second = (
        exact.total(p * x[w] * y[w] for w, p in _given(prior, claim.secrets[side]).items())
        for side in evidence.pair
    )
    return first, second


def one_run(compared: Iterable[Compared], rows: Sequence[Row]) -> Fraction | None:
    """The largest ratio of probabilities of an output given the two secrets, None if infinite.

    compared  what is believed given secrets, both orders of each
    rows      the likelihoods of each output, world by world
    """
    worst = ONE
    for at in compared:
        for row in rows:
            p, q = at.averages(row)
            if p and not q:
                return None
            worst = max(worst, p / q) if p else worst
    return worst


def _shown(
    claim: ComposableClaim, evidence: ComposableEvidence, mechanism: Mechanism, leakage: Fraction
) -> TwoRunsWitness:
    prior, rows, name = _prior(claim, evidence), [*mechanism.rows()], claim.space.name
    needed = [w for w, weights in enumerate(zip(*claim.priors, strict=True)) if any(weights)]
    return TwoRunsWitness(
        evidence.pair,
        {name(w): weight for w, weight in enumerate(prior) if weight},
        {
            output: {name(w): row[w] for w in needed}  # also where only the level needs it
            for output, row in zip(mechanism.outputs, rows, strict=True)
        },
        leakage,
        _twice(claim, evidence, rows),
        (mechanism.outputs[evidence.outputs[0]], mechanism.outputs[evidence.outputs[1]]),
    )

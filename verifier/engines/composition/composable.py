"""Universally composable priors, and the mechanism that shows that other ones do not compose.

Example. Two bits, all worlds equally likely, s: the first is 0, t: it is 1. Given s there are two
worlds. The mechanism that says yes in 00, no in 01 and tosses a coin elsewhere tells nothing in one
run: yes has probability 1/2 either way. Yes, then no, has probability 0 given s and 1/4 given t.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 9.3 and Theorem 9.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from verifier.base import exact
from verifier.base.errors import LimitReached, NotDecided
from verifier.base.level import NO_COMPARISON
from verifier.claims.answer import Answer, NotRead, Proof
from verifier.claims.claim import ComposableClaim
from verifier.claims.evidence import ComposableEvidence, SaidOneRun
from verifier.claims.witness import TwoRunsWitness
from verifier.world.mechanism import Mechanism

MAX_STEPS = 10**8
ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)
OUTPUTS = ("yes", "no")
Row = Sequence[Fraction]  # P(yes | world) of a mechanism, world by world


@dataclass(frozen=True)
class Candidate:
    """A prior with several possible worlds in a secret s, among them `star`, that allows t."""

    prior: int
    pair: tuple[str, str]
    star: int


def decide(claim: ComposableClaim) -> Answer:
    """Whether no prior of the class of a claim has several possible worlds in a secret; if one
    does, the first mechanism of the proof with finite leakage. NotDecided where none has."""
    # a mixture of all priors makes possible whatever one of them does
    priors = [_mixture(claim.priors)] if claim.mixed else claim.priors
    if not any(_candidates(claim, priors)):
        vacuous = None if _compares(claim) else NO_COMPARISON
        return told(claim, Proof(SaidOneRun("holds", None, leakage=vacuous), None))
    found: dict[tuple[str, int], Candidate] = {}
    for candidate in _candidates(claim, claim.priors):
        found.setdefault((candidate.pair[0], candidate.star), candidate)
    if len(found) * len(claim.priors) * len(claim.pairs) * claim.space.size > MAX_STEPS:
        raise LimitReached(f"{len(found)} mechanisms of two outputs are too many")
    for candidate in found.values():
        leakage = one_run(claim, _row(claim, candidate), claim.priors)
        if leakage is not None:
            return told(claim, _refuted(claim, candidate, leakage))
    raise NotDecided(_protected(claim, list(_candidates(claim, claim.priors))))


def told(claim: ComposableClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; NotRead where its mechanism is not that of the
    theorem."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidOneRun)
    shown = None
    if isinstance(evidence, ComposableEvidence) and said.one_run is not None:
        shown = _shown(claim, _candidate(claim, evidence, proof.mechanism), said.one_run)
    scope = {"worlds": claim.space.size, **claim.scope}
    return Answer(said.verdict, said.leakage, shown=shown, proof=proof, scope=scope)


def _candidate(
    claim: ComposableClaim, evidence: ComposableEvidence, mechanism: Mechanism | None
) -> Candidate:
    """What the mechanism of a proof was made of."""
    for found in _candidates(claim, claim.priors):
        is_meant = (found.prior, found.pair) == (evidence.prior, evidence.pair)
        if is_meant and mechanism and [*mechanism.rows()] == _rows(claim, found):
            return found
    raise NotRead("the mechanism is not that of the theorem")


def one_run(claim: ComposableClaim, row: Row, priors: Sequence[Row]) -> Fraction | None:
    """The largest ratio of probabilities of an output given the two secrets of a pair, None if
    infinite; for mixtures those given one secret under one prior, the other under another one.

    claim   its secrets and pairs are meant
    row     P(yes | world) of the mechanism, world by world
    priors  a weight for each world each
    """
    chances = {name: _given(worlds, row, priors) for name, worlds in claim.secrets.items()}
    worst = ONE
    for left, right in claim.pairs:
        both = product(chances[left], chances[right])
        sides = [sides for sides in both if claim.mixed or sides[0][0] == sides[1][0]]
        for (_, p), (_, q) in sides:
            for x, y in ((p, q), (ONE - p, ONE - q)):
                if (x == 0) != (y == 0):
                    return None
                if x:
                    worst = max(worst, x / y, y / x)
    return worst


def _given(worlds: Sequence[int], row: Row, priors: Sequence[Row]) -> list[tuple[int, Fraction]]:
    """P(yes | secret) under each prior that allows the secret, with the prior's number."""
    found = []
    for number, prior in enumerate(priors):
        mass = exact.total(prior[w] for w in worlds)
        if mass:
            found.append((number, exact.total(prior[w] * row[w] for w in worlds) / mass))
    return found


def _candidates(claim: ComposableClaim, priors: Sequence[Row]) -> Iterator[Candidate]:
    """Every prior, ordered pair and possible world of its first secret, where there are several."""
    both = [pair for left, right in claim.pairs for pair in ((left, right), (right, left))]
    for number, prior in enumerate(priors):
        possible = {n: [w for w in worlds if prior[w]] for n, worlds in claim.secrets.items()}
        for s, t in both:
            if len(possible[s]) > 1 and possible[t]:
                yield from (Candidate(number, (s, t), star) for star in possible[s])


def _row(claim: ComposableClaim, candidate: Candidate) -> list[Fraction]:
    """P(yes | world) of the mechanism of the proof."""
    row = [HALF] * claim.space.size
    for world in claim.secrets[candidate.pair[0]]:
        row[world] = ONE if world == candidate.star else ZERO
    return row


def _mixture(priors: Sequence[Row]) -> list[Fraction]:
    """A mixture of all priors: what it does not make possible, none does."""
    return [exact.total(weights) / len(priors) for weights in zip(*priors, strict=True)]


def _protected(claim: ComposableClaim, found: Sequence[Candidate]) -> str:
    """Why nothing was decided."""
    alone = [
        each.prior + 1
        for each in found
        if one_run(claim, _row(claim, each), [claim.priors[each.prior]]) is not None
    ]
    if not found:
        return "only mixtures of the priors have several possible worlds in a secret"
    also = f"; prior {min(alone)} alone would not compose" if alone else ""
    return (
        "some prior has several possible worlds in a secret, but the mechanism of the theorem's "
        f"proof leaks without bound in one run: other pairs or priors protect{also}"
    )


def _compares(claim: ComposableClaim) -> bool:
    """Whether some prior of the class makes both secrets of a pair possible."""
    priors: Sequence[Row] = claim.priors or [[ONE] * claim.space.size]
    for prior in [_mixture(priors)] if claim.mixed else priors:
        possible = {n: any(prior[w] for w in worlds) for n, worlds in claim.secrets.items()}
        if any(possible[s] and possible[t] for s, t in claim.pairs):
            return True
    return False


def _rows(claim: ComposableClaim, found: Candidate) -> list[list[Fraction]]:
    row = _row(claim, found)
    return [row, [ONE - p for p in row]]


def _refuted(claim: ComposableClaim, found: Candidate, leakage: Fraction) -> Proof:
    evidence = ComposableEvidence(found.prior, found.pair, (0, 1))
    mechanism = Mechanism.from_rows(OUTPUTS, _rows(claim, found))
    return Proof(SaidOneRun("violated", leakage), evidence, mechanism)


def _shown(claim: ComposableClaim, found: Candidate, leakage: Fraction) -> TwoRunsWitness:
    prior, row = claim.priors[found.prior], _row(claim, found)
    possible = [w for w, weight in enumerate(prior) if weight]
    other = claim.secrets[found.pair[1]]
    both = exact.total(prior[w] * row[w] * (ONE - row[w]) for w in other)
    name = claim.space.name
    return TwoRunsWitness(
        found.pair,
        {name(w): prior[w] for w in possible},
        name(found.star),
        {name(w): row[w] for w in possible},
        leakage,
        (ZERO, both / exact.total(prior[w] for w in other)),
    )

"""The smallest loss under a definition, and whether a given mechanism has it.

Example. Guess a bit under differential privacy at the level 3; a wrong guess costs 1. The bit told
with probability 3/4 loses 1/4 in both worlds. Against even odds nothing loses less: the inequality
P(wrong | 0) >= P(right | 1) / 3 and its mirror image, with what sums to 1, say so.

After Ghosh, Roughgarden, Sundararajan 2009; for the worst world Gupte, Sundararajan 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from verifier.base.halfspaces import Halfspaces
from verifier.base.level import NO_COMPARISON
from verifier.kernels.rows.synthesis import Optimum, Use, best_mechanism, best_use
from verifier.questions.answer import Answer, Proof, Quantity
from verifier.questions.evidence import OptimalEvidence, SaidValue, UseEvidence, terms
from verifier.questions.rows import OptimalClaim
from verifier.questions.witness import (
    BestMechanism,
    InequalityWitness,
    LossWitness,
    Table,
    Witness,
)


def decide(claim: OptimalClaim) -> Answer:
    """The smallest loss of a claim, a mechanism that has it, and the proof that none has less."""
    return told(claim, prove(claim))


def prove(claim: OptimalClaim) -> Proof:
    """The proof of the answer to a claim."""
    best = best_mechanism(claim.loss, claim.halfspaces, claim.prior)
    rows = None if claim.mechanism is None else list(claim.mechanism.rows())
    use = None if rows is None else best_use([rows], claim.loss, claim.prior)
    broken = None if rows is None else _broken(rows, claim.halfspaces)
    attains = use is None or (broken is None and use.loss == best.loss)
    holds = attains and claim.equals in (None, best.loss)
    asked = any(any(terms.values()) for terms in claim.halfspaces.rows)
    leakage = None if asked else NO_COMPARISON
    said = SaidValue("holds" if holds else "violated", best.loss, leakage)
    return Proof(said, _evidence(claim, best, use, broken))


def told(claim: OptimalClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: the best mechanism is the proof's, what is wrong with
    the given one is found again."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidValue) and isinstance(evidence, OptimalEvidence)
    assert said.value is not None
    shown = _shown(claim, evidence, said.value)
    if shown is None and said.verdict == "holds":
        shown = LossWitness(said.value, _named(claim, evidence.prior))
    return Answer(
        said.verdict,
        said.leakage,
        Quantity(said.value, f"{claim.quantity} {{}}"),
        shown,
        made=BestMechanism(Table.of(claim.space, claim.answers, evidence.rows)),
        proof=proof,
        scope={"worlds": claim.space.size, "outputs": len(claim.answers), **claim.scope},
    )


def _shown(claim: OptimalClaim, evidence: OptimalEvidence, best: Fraction) -> Witness | None:
    """What is wrong with the mechanism of a claim: the inequality that it breaks, or a prior
    against which it loses more, however its outputs are read."""
    if claim.mechanism is None:
        return None
    rows = list(claim.mechanism.rows())
    if broken := _broken(rows, claim.halfspaces):
        output, at = broken
        return InequalityWitness(claim.mechanism.outputs[output], claim.halfspaces.names[at])
    assert evidence.use is not None
    prior = evidence.use.prior
    weighted = [[p * x for p, x in zip(prior, costs, strict=True)] for costs in claim.loss]
    least = sum((min(sum(map(mul, costs, row)) for costs in weighted) for row in rows), Fraction(0))
    return LossWitness(least, _named(claim, prior)) if least > best else None


def _named(claim: OptimalClaim, prior: Sequence[Fraction]) -> dict[str, Fraction]:
    return {claim.space.name(w): weight for w, weight in enumerate(prior) if weight}


def _broken(rows: Sequence[Sequence[Fraction]], asked: Halfspaces) -> tuple[int, int] | None:
    """The first output and inequality that a mechanism breaks."""
    for output, row in enumerate(rows):
        for at, inequality in enumerate(asked.rows):
            if sum(h * row[w] for w, h in inequality.items()) > 0:
                return output, at
    return None


def _evidence(
    claim: OptimalClaim, best: Optimum, use: Use | None, broken: tuple[int, int] | None
) -> OptimalEvidence:
    """Inequalities are written down where they have a multiplier, in the order of first use."""
    place = {h: at for at, h in enumerate(dict.fromkeys(h for y in best.multipliers for h in y))}
    return OptimalEvidence(
        best.rows,
        best.prior,
        best.shares,
        [terms(claim.halfspaces.rows[h]) for h in place],
        [[(place[h], y) for h, y in listed.items()] for listed in best.multipliers],
        UseEvidence(use.answers, use.prior) if use is not None and broken is None else None,
    )

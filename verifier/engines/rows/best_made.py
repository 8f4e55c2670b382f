"""The smallest loss of what can be made of given mechanisms without another look at the data.

Example. A bit is told with probability 3/4, and a wrong answer costs 1. To repeat what is told
loses 1/4 in both worlds; against even odds nothing that is made of it loses less.

By linear duality: against the least favourable prior the best answer to each output alone loses as
much. See Blackwell 1951.
"""

from __future__ import annotations

from fractions import Fraction

from verifier.engines.rows.post_processing import mixture_of
from verifier.kernels.rows.synthesis import best_use
from verifier.questions.answer import Answer, Proof, Quantity
from verifier.questions.evidence import BestMadeEvidence, SaidValue
from verifier.questions.rows import BestMadeClaim
from verifier.questions.witness import LossWitness


def decide(claim: BestMadeClaim) -> Answer:
    """The smallest loss of a claim, and the post-processing that has it."""
    return told(claim, prove(claim))


def prove(claim: BestMadeClaim) -> Proof:
    """The proof of the answer to a claim."""
    given = [list(mechanism.rows()) for mechanism in claim.given.values()]
    use = best_use(given, claim.loss, claim.prior)
    places = [(k, o) for k, rows in enumerate(given) for o in range(len(rows))]
    weights = [
        [(k, o, y) for (k, o), y in zip(places, chosen, strict=True) if y]
        for chosen in zip(*use.answers, strict=True)
    ]
    made = [
        [
            sum((y * given[k][o][w] for k, o, y in listed), Fraction(0))
            for w in range(claim.space.size)
        ]
        for listed in weights
    ]
    holds = claim.equals in (None, use.loss)
    said = SaidValue("holds" if holds else "violated", use.loss)
    return Proof(said, BestMadeEvidence(made, use.prior, weights))


def told(claim: BestMadeClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidValue) and isinstance(evidence, BestMadeEvidence)
    assert said.value is not None
    names = {claim.space.name(w): weight for w, weight in enumerate(evidence.prior) if weight}
    return Answer(
        said.verdict,
        quantity=Quantity(said.value, f"{claim.quantity} {{}}"),
        shown=LossWitness(said.value, names) if said.verdict == "holds" else None,
        made=mixture_of(claim.answers, claim.given, evidence.weights),
        proof=proof,
        scope={"worlds": claim.space.size, "outputs": len(claim.answers)},
    )

"""The expected loss of a mechanism, by adding up.

Example. A bit is told with probability 3/4, and a wrong one costs 1: the loss is 1/4 in both
worlds, and against every prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul

from verifier.base.exact import largest
from verifier.questions.answer import Answer, Proof, Quantity, sizes
from verifier.questions.evidence import SaidValue
from verifier.questions.rows import ErrorClaim
from verifier.questions.witness import ErrorWitness


def decide(claim: ErrorClaim) -> Answer:
    """The expected loss of a claim's mechanism, and whether it is what was asserted."""
    return told(claim, prove(claim))


def prove(claim: ErrorClaim) -> Proof:
    """The proof of the answer to a claim."""
    of_world = _of_worlds(claim)
    if claim.prior is None:
        found = largest(of_world)
    else:
        found = sum(map(mul, claim.prior, of_world), Fraction(0))
    holds = claim.equals in (None, found) and (claim.at_most is None or found <= claim.at_most)
    return Proof(SaidValue("holds" if holds else "violated", found), None)


def told(claim: ErrorClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the worst world is found again."""
    said = proof.said
    assert isinstance(said, SaidValue) and said.value is not None
    shown = None
    if claim.prior is None:
        world = _of_worlds(claim).index(said.value)
        shown = ErrorWitness(said.value, claim.space.name(world))
    return Answer(
        said.verdict,
        quantity=Quantity(said.value, f"{claim.quantity} {{}}"),
        shown=shown,
        proof=proof,
        scope=sizes(claim.space, claim.mechanism),
    )


def _of_worlds(claim: ErrorClaim) -> Sequence[Fraction]:
    """The expected loss in each world."""
    found = [Fraction(0)] * claim.space.size
    for costs, row in zip(claim.loss, claim.mechanism.rows(), strict=True):
        for world, (cost, p) in enumerate(zip(costs, row, strict=True)):
            if p and cost:
                found[world] += p * cost
    return found

"""What is asked of a mechanism of which only ends of the probabilities are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from verifier.base.errors import NotDecided
from verifier.base.exact import is_irrational
from verifier.questions.boxes import BoxClaim
from verifier.questions.claim import ComparisonClaim
from verifier.questions.question import Question
from verifier.world.box import Box, telling
from verifier.world.mechanism import Mechanism

UNDECIDED = (
    "only ends of the probabilities are known (estimates, or normal draws): this is decided where "
    "likelihoods of worlds are compared, such as by differential_privacy, or by pufferfish with "
    "the priors {list: [prior, …]}"
)


def asked(box: Box, ask: Callable[[Mechanism], Question]) -> Question:
    """The question that a definition asks of every matrix of a box.

    box  the box
    ask  mechanism -> the question that the definition asks of it

    NotDecided for definitions that do more than compare columns, or mixtures of them. It is asked
    first of the mechanism that tells the world, whose compared columns are the mixtures.
    """
    question = ask(telling(box.worlds))
    claim = question.claim
    if not isinstance(claim, ComparisonClaim) or claim.space.size != box.worlds:
        raise NotDecided(UNDECIDED)
    if is_irrational(claim.delta) or any(map(is_irrational, claim.compared.values)):
        raise NotDecided("ends of probabilities are known, and delta or a prior is irrational")
    notes = [*box.notes, *claim.scope.get("notes", ())]
    made = BoxClaim(
        claim.definition,
        claim.space,
        box,
        claim.compared,
        claim.relation,
        claim.level,
        claim.delta,
        claim.describe,
        scope={**claim.scope, "notes": notes},
        keys=claim.keys,
    )
    return replace(question, claim=made)

"""Questions that compare worlds directly (the secret is which of two worlds is the true one)."""

from __future__ import annotations

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.claims.claim import ComparisonClaim, Json
from verifier.claims.evidence import ComparisonEvidence
from verifier.claims.question import Question, share
from verifier.claims.witness import Belief
from verifier.priors._comparisons import two_worlds
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace


def question(
    definition: str,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain,
    relation: Relation,
    options: Json,
) -> Question:
    """The question whether no two worlds of a relation are told apart."""

    def describe(left: int, right: int) -> Belief:
        return Belief((space.name(left), space.name(right)), two_worlds(space, left, right))

    claim = ComparisonClaim(
        definition,
        space,
        mechanism,
        mechanism,
        relation,
        level,
        share(delta),
        describe,
        lambda left, right: ComparisonEvidence(pair=(left, right)),
        scope={"pairs": relation.count(), "notes": [*mechanism.notes, *relation.notes]},
    )
    return Question(definition=definition, claim=claim, options=options)

"""Claims that compare worlds directly (the secret is which of two worlds is the true one)."""

from __future__ import annotations

from typing import Any

from verifier.claims.claim import ComparisonClaim
from verifier.priors._comparisons import two_worlds
from verifier.spec.model import Check
from verifier.world.relation import Relation


def claim(check: Check, relation: Relation) -> ComparisonClaim:
    """The claim of a check that compares the worlds of a relation."""
    space, mechanism = check.space, check.mechanism()

    def describe(left: int, right: int) -> dict[str, Any]:
        return {
            "pair": [space.name(left), space.name(right)],
            **two_worlds(space, left, right),
        }

    return ComparisonClaim(
        check.definition.text,
        space,
        mechanism,
        mechanism,
        relation,
        check.level(),
        check.delta(),
        describe,
        lambda left, right: {"pair": [left, right]},
        scope={"pairs": relation.count(), "notes": [*mechanism.notes, *relation.notes]},
    )

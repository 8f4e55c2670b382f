"""Classes of priors for which comparing columns of the mechanism itself decides."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.claims.secrets import Pair
from verifier.priors import Comparisons
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks, Relation
from verifier.world.worlds import WorldSpace


def on_worlds(
    space: WorldSpace,
    mechanism: Mechanism,
    pairs: Sequence[Pair],
    blocks: Sequence[Blocks],
    priors: dict[str, Any],
) -> Comparisons:
    """Comparisons of worlds; a witness is the prior that is undecided between two.

    space      the worlds
    mechanism  the matrix over them
    pairs      the pairs of secrets
    blocks     the worlds that are compared
    priors     the class as it stands in a certificate
    """
    secrets = {secret.name: secret for pair in pairs for secret in pair}
    statement: dict[str, object] = {
        "rule": "secrets",
        "secrets": {
            name: np.flatnonzero(secret.worlds).tolist() for name, secret in secrets.items()
        },
        "pairs": [[left.name, right.name] for left, right in pairs],
        "priors": priors,
    }
    skipped = [f"no world is in '{name}'" for name, s in secrets.items() if not s.worlds.any()]

    def describe(left: int, right: int) -> dict[str, Any]:
        ordered = [*pairs, *((b, a) for a, b in pairs)]
        first, second = next((a, b) for a, b in ordered if a.worlds[left] and b.worlds[right])
        return {"pair": [first.name, second.name], **two_worlds(space, left, right)}

    return Comparisons(
        mechanism,
        Relation(tuple(blocks), statement, overlapping=len(blocks) > 2),
        describe,
        lambda left, right: {"pair": [left, right]},
        priors["class"],
        skipped,
    )


def on_one_world(space: WorldSpace) -> list[dict[int, Fraction]]:
    """The priors on one world of `space` each."""
    return [{world: Fraction(1)} for world in range(space.size)]


def two_worlds(space: WorldSpace, left: int, right: int) -> dict[str, Any]:
    """The prior over the worlds of `space` that gives 1/2 to each of two, `left` and `right`."""
    return {
        "prior": {space.name(left): "1/2", space.name(right): "1/2"},
        "prior_odds": "1",
    }

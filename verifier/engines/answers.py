"""The answer to a claim about a level, and its certificate: one shape for all engines.

Example. For the mechanism that tells a bit with probability 3/4, the engine of comparisons finds
the smallest level 3, by the output 0 of the world 0; asked for e^ε = 4, the answer is *holds*, and
what proves it is this one comparison: the checker looks at the others itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.base.level import Leakage
from verifier.claims.answer import Answer
from verifier.claims.certificate import Proof
from verifier.claims.claim import (
    ComparisonClaim,
    CompositionClaim,
    PolynomialsClaim,
    PolytopeClaim,
    SimulationClaim,
)
from verifier.claims.evidence import Evidence, SaidLevel
from verifier.claims.rows import ClosureImpliesClaim, ImpliesClaim
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

LeveledClaim = (
    ComparisonClaim
    | PolytopeClaim
    | PolynomialsClaim
    | SimulationClaim
    | ImpliesClaim
    | ClosureImpliesClaim
    | CompositionClaim
)


def leveled(
    claim: LeveledClaim,
    holds: bool,
    leakage: Leakage | None,
    about: tuple[WorldSpace, Mechanism],
    evidence: Evidence | None,
    tradeoff: Sequence[tuple[Fraction, Fraction]] = (),
    counts: Mapping[str, Any] | None = None,
    shown: Mechanism | None = None,
) -> Answer:
    """The answer to a claim, without a witness.

    holds     whether the claim is true
    leakage   the smallest level; None where it was not found
    about     the worlds and the mechanism
    evidence  for the checker
    tradeoff  levels, and the smallest delta at each
    counts    what the scope counts besides worlds and outputs
    shown     a mechanism that is part of the evidence
    """
    verdict = "holds" if holds else "violated"
    space, mechanism = about
    sizes = {"worlds": space.size, "outputs": len(mechanism.outputs), **(counts or {})}
    return Answer(
        verdict,
        leakage,
        proof=Proof(SaidLevel(verdict, leakage, tradeoff or None), evidence, shown),
        scope={**sizes, **claim.scope},
        level=claim.level,
        delta=claim.delta,
        tradeoff=tradeoff,
    )

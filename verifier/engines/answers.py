"""The answer to a claim about a level, and its certificate: one shape for all engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.level import Leakage
from verifier.claims.certificate import Proof
from verifier.claims.claim import (
    Answer,
    ComparisonClaim,
    CompositionClaim,
    Json,
    PolynomialsClaim,
    PolytopeClaim,
    SimulationClaim,
)
from verifier.claims.question import of_tradeoff
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
    evidence: Json | None,
    tradeoff: Sequence[tuple[Fraction, Fraction]] = (),
    counts: Mapping[str, Any] | None = None,
    shown: Mechanism | None = None,
) -> Answer:
    """The answer, without a witness.

    about     the worlds and the mechanism
    tradeoff  levels, and the smallest delta at each
    counts    what the scope counts besides worlds and outputs
    shown     a mechanism that is part of the evidence
    """
    level = {**claim.level.as_json(), "delta": exact.text(claim.delta)}
    verdict = "holds" if holds else "violated"
    said = {
        "verdict": verdict,
        "leakage": leakage and leakage.claim(),
        **of_tradeoff(tradeoff),
    }
    space, mechanism = about
    sizes = {"worlds": space.size, "outputs": len(mechanism.outputs), **(counts or {})}
    return Answer(
        verdict,
        leakage,
        proof=Proof(said, evidence, shown),
        scope={**sizes, **claim.scope},
        level=level,
        tradeoff=tradeoff,
    )


def table(
    space: WorldSpace, outputs: Sequence[str], rows: Iterable[Sequence[Fraction]]
) -> dict[str, list[str]]:
    """A mechanism, one row of probabilities for each output, as `table` in a file has it."""
    columns = zip(*rows, strict=True)
    names = space.names(range(space.size))
    of_world = {n: list(map(exact.text, column)) for n, column in zip(names, columns, strict=True)}
    return {"outputs": list(outputs), **of_world}

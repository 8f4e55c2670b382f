"""Answers about simulators: certificates, and what they say in the reader's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.beliefs.coupled import Coupled, Situation, linked
from verifier.beliefs.exchangeable import Exchangeable
from verifier.claims.claim import Answer, Json, SimulationClaim
from verifier.engines.answers import leveled

Answers = tuple[Sequence[int], Mapping[int, Fraction]]  # inputs; output -> probability
Demands = Mapping[tuple[int, int], tuple[Fraction, Fraction]]  # (situation, output) -> (u, w)


@dataclass(frozen=True, eq=False)
class Smallest:
    """The smallest level of a question.

    bounds     around it, equal where it is rational; None where there is none
    simulator  that serves the upper bound: what it may see, and the distribution of its answers
    demands    multipliers that refute everything below the lower bound; none where that is 1
    """

    bounds: tuple[Fraction, Fraction] | None
    simulator: Sequence[Answers]
    demands: Demands


@dataclass(frozen=True, eq=False)
class Point:
    """The smallest delta at a level: a simulator that serves, and demands that refute less."""

    alpha: Fraction
    delta: Fraction
    simulator: Sequence[Answers]
    demands: Demands


def answer(
    claim: SimulationClaim,
    found: Sequence[Situation],
    smallest: Smallest,
    points: Sequence[Point],
) -> Answer:
    """The answer to a claim about some situations, and its certificate."""
    bounds, coupled = smallest.bounds, claim.coupled
    holds = bounds is not None and claim.level.admits(bounds[1])
    about = coupled.space, coupled.mechanism
    if isinstance(coupled, Exchangeable):
        about = coupled.histograms, coupled.released
    vacuous = claim.given is None and not linked(coupled, posteriors=False)
    made = leveled(
        claim,
        holds,
        NO_COMPARISON if vacuous else Leakage.within(bounds),
        about,
        _evidence(claim, found, smallest, points, vacuous),
        [(point.alpha, point.delta) for point in points],
        {"situations": len(found)},
    )
    if holds and claim.given is not None:
        return made
    if holds:
        return replace(made, simulator=_table(coupled, smallest.simulator))
    slack: Json = {"slack": exact.text(claim.delta)} if claim.delta else {}
    return replace(made, witness={**_witness(coupled, found, smallest), **slack})


def _evidence(
    claim: SimulationClaim,
    found: Sequence[Situation],
    smallest: Smallest,
    points: Sequence[Point],
    vacuous: bool,
) -> Json:
    """The simulators and the demands, as a certificate has them."""

    def proof(shown: Smallest | Point, is_served: bool) -> Json:
        rows = [[a, [list(item) for item in row.items()]] for a, row in shown.simulator]
        return {
            "simulator": rows if is_served and claim.given is None else None,
            "demands": [
                [list(found[number].key), output, u, w]
                for (number, output), (u, w) in shown.demands.items()
            ],
        }

    evidence = proof(smallest, smallest.bounds is not None and not vacuous)
    if points:
        evidence["tradeoff"] = [proof(point, True) for point in points]
    return evidence


def _table(coupled: Coupled, simulator: Sequence[Answers]) -> list[Json]:
    """The simulator in the reader's terms."""
    outputs = coupled.mechanism.outputs
    return [
        {
            "sees": [coupled.seen[a] for a in inputs],
            "outputs": {outputs[t]: exact.text(p) for t, p in row.items()},
        }
        for inputs, row in simulator
    ]


def _witness(coupled: Coupled, found: Sequence[Situation], smallest: Smallest) -> Json:
    """The demands that contradict each other in the reader's terms, the heaviest first."""
    demands: list[tuple[Any, Json]] = []
    for (number, output), weights in smallest.demands.items():
        situation = found[number]
        prior, at, v, z = situation.key
        view = coupled.views[at]
        where: Json = {"prior": prior + 1} if len(coupled.beliefs) > 1 else {}
        where["private"] = f"{view.subject} = {view.values[v]}"
        if coupled.auxiliary[z]:
            where["auxiliary"] = coupled.auxiliary[z]
        for weight, side in zip(weights, ("at least", "at most"), strict=True):
            if weight:
                told = {
                    **where,
                    "sees": [coupled.seen[a] for a in sorted(situation.inputs)],
                    "output": coupled.mechanism.outputs[output],
                    "probability": exact.text(Fraction(situation.outputs[output], situation.total)),
                    "demand": side,
                    "weight": exact.text(weight),
                }
                demands.append((-weight, told))
    ordered = [told for _, told in sorted(demands, key=lambda item: item[0])]
    below = "infinite" if smallest.bounds is None else exact.text(smallest.bounds[0])
    return {"no_simulator_below": below, "demands": ordered}

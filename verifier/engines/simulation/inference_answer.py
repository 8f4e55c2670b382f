"""Answers about posteriors: certificates, and what they say in the reader's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from verifier.base import exact
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.beliefs.coupled import Situation, linked
from verifier.claims.claim import Answer, Json, SimulationClaim
from verifier.engines.answers import leveled
from verifier.engines.simulation.blocks import classes
from verifier.engines.simulation.covers import groups
from verifier.engines.simulation.inferences import Gift


@dataclass(frozen=True, eq=False)
class Conflict:
    """(prior, z) that are not good together at an output, with weights of their situations."""

    output: int
    where: Sequence[tuple[int, int]]
    weights: Mapping[int, tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False)
class Found:
    """The smallest level of a question.

    bounds     around it, equal where it is known exactly; None where there is none
    gifts      output -> a vector that serves the upper bound, to be scaled
    conflicts  that no choice of bad (t, z) avoids below the lower bound; none where that is 1
    """

    bounds: tuple[Fraction, Fraction] | None
    gifts: Mapping[int, Gift]
    conflicts: Sequence[Conflict]


def answer(claim: SimulationClaim, found: Sequence[Situation], smallest: Found) -> Answer:
    """The answer to a claim about some situations, and its certificate."""
    bounds = smallest.bounds
    holds = bounds is not None and claim.level.admits(bounds[1])
    shown = claim.given is None and bounds is not None
    vacuous = claim.given is None and not linked(claim.coupled, posteriors=True)
    simulator = _simulator(found, smallest.gifts) if shown else []
    evidence = {
        "simulator": [[a, sorted(map(list, row.items()))] for a, row in simulator]
        if shown and not vacuous
        else None,
        "conflicts": _grouped(found, smallest.conflicts),
    }
    made = leveled(
        claim,
        holds,
        NO_COMPARISON if vacuous else Leakage.within(bounds),
        (claim.coupled.space, claim.coupled.mechanism),
        evidence,
        counts={"situations": len(found)},
    )
    if not holds:
        return replace(made, witness=_witness(claim, smallest))
    return replace(made, simulator=_table(claim, simulator)) if shown else made


Rows = list[tuple[list[int], dict[int, Fraction]]]


def _simulator(found: Sequence[Situation], gifts: Mapping[int, Gift]) -> Rows:
    """One simulator that gives every output in proportion to its vector, as often as it can; what
    is left goes to one more output, with the next number."""
    extra = len(found[0].outputs)
    largest = {t: max(gift.values()) for t, gift in gifts.items()}
    seen = sorted({a for situation in found for a in situation.inputs})
    rows = {a: {t: g[a] / largest[t] for t, g in gifts.items() if g.get(a)} for a in seen}
    most = max((sum(row.values(), Fraction(0)) for row in rows.values()), default=Fraction(0))
    for row in rows.values():
        for t in row:
            row[t] /= most
        rest = 1 - sum(row.values(), Fraction(0))
        if rest:
            row[extra] = rest
    alike = classes(seen, lambda a: tuple(sorted(rows[a].items())))
    return [(inputs, rows[inputs[0]]) for inputs in alike]


def _grouped(found: Sequence[Situation], conflicts: Sequence[Conflict]) -> list[list[Json]]:
    """The conflicts as a certificate has them, those with common (t, z) together."""
    numbers: dict[tuple[int, int, int], int] = {}
    cores: dict[frozenset[int], Conflict] = {}
    for conflict in conflicts:
        places = [(conflict.output, *where) for where in conflict.where]
        cores[frozenset(numbers.setdefault(p, len(numbers)) for p in places)] = conflict
    return [[_conflict(found, cores[core]) for core in group] for group in groups(cores)]


def _conflict(found: Sequence[Situation], conflict: Conflict) -> Json:
    weights = [[list(found[n].key), u, w] for n, (u, w) in conflict.weights.items() if u or w]
    where = [list(pair) for pair in conflict.where]
    return {"output": conflict.output, "good": where, "weights": weights}


def _table(claim: SimulationClaim, simulator: Rows) -> list[Json]:
    """The simulator in the reader's terms; `otherwise` is an output that F never has."""
    names = claim.coupled.mechanism.outputs
    found = []
    for inputs, row in simulator:
        shown: Json = {"sees": [claim.coupled.seen[a] for a in inputs]}
        shown["outputs"] = {names[t]: exact.text(p) for t, p in row.items() if t < len(names)}
        if len(names) in row:
            shown["otherwise"] = exact.text(row[len(names)])
        found.append(shown)
    return found


def _witness(claim: SimulationClaim, smallest: Found) -> Json:
    """The conflicts in the reader's terms."""
    coupled = claim.coupled
    conflicts = []
    for conflict in smallest.conflicts:
        cases = []
        for prior, z in conflict.where:
            case: Json = {"prior": prior + 1} if len(coupled.beliefs) > 1 else {}
            if coupled.auxiliary[z]:
                case["auxiliary"] = coupled.auxiliary[z]
            cases.append(case)
        conflicts.append({"output": coupled.mechanism.outputs[conflict.output], "cases": cases})
    below = "infinite" if smallest.bounds is None else exact.text(smallest.bounds[0])
    return {"no_simulator_below": below, "conflicts": conflicts}

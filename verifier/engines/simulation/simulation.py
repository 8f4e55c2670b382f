"""Deciding whether a simulator exists: the smallest level, block by block.

From a level where the best simulator of a block misses its demands, the multipliers lead to the
next level, the last one that they refute. There are finitely many optimal multipliers, so this
ends, at the smallest level itself, or, where that is irrational, right above it.

Example. A bit is told with probability 3/4, and a simulator sees nothing. At the level 1 the best
one misses its demands; the multipliers refute all below 2 (see `simulators`). At 2 a fair coin
serves.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 2 to 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from verifier.base import exact
from verifier.base.cell import NoFunction
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.engines.simulation import limits
from verifier.engines.simulation.blocks import (
    Block,
    Multipliers,
    Origin,
    Responses,
    by_support,
    reduced,
)
from verifier.engines.simulation.simulators import hopeless, quadratic, smallest_delta, solver
from verifier.kernels import hockey_stick
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.beliefs.coupled import Coupled, Situation, linked, situations
from verifier.questions.beliefs.exchangeable import Exchangeable
from verifier.questions.evidence import Replies, SimulatorEvidence, Terms
from verifier.questions.simulation import SimulationClaim
from verifier.questions.witness import Demand, DemandsWitness, Reply, Simulator
from verifier.world.mechanism import Mechanism

Answers = tuple[Sequence[int], Mapping[int, Fraction]]  # inputs; output -> probability
Demands = Mapping[tuple[int, int], tuple[Fraction, Fraction]]  # (situation, output) -> (u, w)


@dataclass(frozen=True, eq=False)
class Smallest:
    """The smallest level of a question.

    bounds     around it, equal where it is rational; None where there is none
    simulator  that serves the upper bound: what it may see, and the distribution of its answers
    demands    multipliers that refute everything below the lower bound; none where that is 1
    side       "at_least" or "at_most" where only one bound is known, which stands twice
    """

    bounds: tuple[Fraction, Fraction] | None
    simulator: Sequence[Answers]
    demands: Demands
    side: str = ""


@dataclass(frozen=True, eq=False)
class Point:
    """The smallest delta at a level: a simulator that serves, and demands that refute less."""

    alpha: Fraction
    delta: Fraction
    simulator: Sequence[Answers]
    demands: Demands


def told(claim: SimulationClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim: the simulator that serves, if there is one to show,
    and the demands that no simulator meets below the smallest level."""
    evidence, coupled, found = proof.witness, claim.coupled, situations(claim.coupled)
    assert isinstance(evidence, SimulatorEvidence)
    about = coupled.space, coupled.mechanism
    if isinstance(coupled, Exchangeable):
        about = coupled.histograms, coupled.released
    answer = leveled(claim, proof, {**sizes(*about), "situations": len(found)})
    assert answer.leakage is not None
    made, low = None, answer.leakage.low
    if claim.given is None and answer.verdict == "holds":
        rows = _copying(found) if answer.leakage.vacuous else evidence.simulator or ()
        made = Simulator([_reply(coupled, inputs, row) for inputs, row in rows])
    demands = list(_demands(coupled, {one.key: one for one in found}, evidence))
    ordered = sorted(demands, key=lambda demand: -demand.weight)
    shown = DemandsWitness(low, ordered, claim.delta or None) if demands else None
    return replace(answer, made=made, shown=shown)


def _copying(found: Sequence[Situation]) -> Replies:
    """A simulator for situations in which it never sees the same: it answers as the mechanism."""
    rows = {
        tuple(sorted(one.inputs)): [
            (t, exact.over(p, one.total)) for t, p in enumerate(one.outputs) if p
        ]
        for one in found
    }
    return sorted(rows.items())


def _reply(coupled: Coupled, inputs: Sequence[int], row: Terms) -> Reply:
    """What a simulator says to some of what it sees."""
    outputs = coupled.mechanism.outputs
    return Reply([coupled.seen[a] for a in inputs], {outputs[t]: p for t, p in row})


def _demands(
    coupled: Coupled, found: Mapping[Sequence[int], Situation], evidence: SimulatorEvidence
) -> Iterator[Demand]:
    """The demands of evidence in the reader's terms."""
    for key, output, *weights in evidence.demands:
        situation = found[tuple(key)]
        prior, at, v, z = situation.key
        view = coupled.views[at]
        for weight, side in zip(weights, ("at least", "at most"), strict=True):
            if weight:
                yield Demand(
                    prior + 1 if len(coupled.beliefs) > 1 else None,
                    f"{view.subject} = {view.values[v]}",
                    coupled.auxiliary[z] or None,
                    [coupled.seen[a] for a in sorted(situation.inputs)],
                    coupled.mechanism.outputs[output],
                    exact.over(situation.outputs[output], situation.total),
                    side,
                    weight,
                )


def _proof(
    claim: SimulationClaim,
    found: Sequence[Situation],
    smallest: Smallest,
    points: Sequence[Point],
) -> Proof:
    """That of the `smallest` level and of the `points` of the trade-off, about situations that were
    `found`."""
    bounds, side = smallest.bounds, smallest.side
    serves = bounds is not None and side != "at_least"
    vacuous = claim.given is None and not linked(claim.coupled, posteriors=False)

    def evidence(shown: Smallest | Point, is_served: bool) -> SimulatorEvidence:
        rows = [(a, list(row.items())) for a, row in shown.simulator]
        return SimulatorEvidence(
            rows if is_served and claim.given is None else None,
            _shown(found, shown.demands),
        )

    return proved(
        bounds is not None and serves and claim.level.admits(bounds[1]),
        NO_COMPARISON if vacuous else replace(Leakage.within(bounds), side=side),
        replace(
            evidence(smallest, serves and not vacuous),
            tradeoff=[evidence(point, True) for point in points] or None,
        ),
        [(point.alpha, point.delta) for point in points],
    )


def _shown(
    found: Sequence[Situation], demands: Demands
) -> list[tuple[Sequence[int], int, Fraction, Fraction]]:
    """Demands as they stand in evidence."""
    return [(found[number].key, output, u, w) for (number, output), (u, w) in demands.items()]


ZERO, ONE = Fraction(0), Fraction(1)
BITS = 40  # of an enclosure in the answer, unless the level is closer


def decide(claim: SimulationClaim) -> Answer:
    """The verdict on a claim, the smallest level, and a simulator or demands against it."""
    return told(claim, prove(claim))


def prove(claim: SimulationClaim) -> Proof:
    """The proof of the answer to a claim."""
    try:
        return _proved(claim)
    except NoFunction:
        return _at_level(claim)


def _at_level(claim: SimulationClaim) -> Proof:
    """That there is a simulator at the level that is asked for, or demands that refute it; the
    smallest one is no function of a parameter."""
    alpha, found = claim.level.alpha, situations(claim.coupled)
    blocks = reduced(found)
    best = {block: solver(block, claim.delta)(alpha) for block in blocks}
    for block, one in best.items():
        if one.missed:
            above = quadratic(block, one.multipliers, claim.delta).above(alpha)
            assert above > alpha
            demands = _at_origin(one.multipliers, blocks[block][0])
            smallest = Smallest((above, above), [], demands, "at_least")
            break
    else:
        rows = _served(blocks, {block: one.simulator for block, one in best.items()})
        smallest = Smallest((alpha, alpha), rows, {}, "at_most")
    points = [least_of_any(blocks, level) for level in claim.tradeoff]
    return _proof(claim, found, smallest, points)


def _proved(claim: SimulationClaim) -> Proof:
    """The proof of the smallest level."""
    found = situations(claim.coupled)
    if claim.given is not None:
        compared = _compared(found, claim.coupled, claim.given)
        smallest = of_given(compared, claim.delta)
        points = [least_of_given(compared, alpha) for alpha in claim.tradeoff]
    else:
        blocks = reduced(found)
        smallest = of_any(blocks, claim.delta, claim.level)
        points = [least_of_any(blocks, alpha) for alpha in claim.tradeoff]
    return _proof(claim, found, smallest, points)


def of_any(
    blocks: Mapping[Block, Sequence[Origin]], delta: Fraction, asked: Level | None = None
) -> Smallest:
    """The smallest level of the best simulator of blocks for delta; bounds leave out what is
    `asked`."""
    for block, origins in blocks.items():
        merged = by_support(block)
        endless = limits.hopeless(merged.block, delta) if delta else hopeless(merged.block)
        if endless is not None:
            return Smallest(None, [], _at_origin(merged.multipliers(endless), origins[0]))
    bits, start = BITS, Fraction(1)
    while True:
        bounds, simulators, proof = _climbed(blocks, delta, start, bits)
        if asked is not None and exact.is_symbolic(asked.alpha) and bounds[0] < bounds[1]:
            raise NoFunction  # no enclosure tells where a function meets the level
        if asked is None or asked.admits(bounds[1]) or not asked.admits(bounds[0]):
            break
        bits, start = 2 * bits, bounds[0]
    demands = _at_origin(proof[1], blocks[proof[0]][0]) if proof else {}
    return Smallest(bounds, _served(blocks, simulators), demands)


def least_of_any(blocks: Mapping[Block, Sequence[Origin]], alpha: Fraction) -> Point:
    """The smallest delta of the best simulator of blocks at the level alpha."""
    found = {block: smallest_delta(block, alpha) for block in blocks}
    worst = max(blocks, key=lambda block: found[block].missed)
    rows = _served(blocks, {block: one.simulator for block, one in found.items()})
    demands = _at_origin(found[worst].multipliers, blocks[worst][0])
    return Point(alpha, found[worst].missed, rows, demands)


def _served(
    blocks: Mapping[Block, Sequence[Origin]], simulators: Mapping[Block, Responses]
) -> list[Answers]:
    """What the simulators of blocks say, by what they see."""
    rows = [
        row
        for block, origins in blocks.items()
        for origin in origins
        for row in _answers(simulators[block], origin)
    ]
    return sorted(rows, key=lambda row: list(row[0]))


def _climbed(
    blocks: Iterable[Block], delta: Fraction, start: Fraction, bits: int
) -> tuple[tuple[Fraction, Fraction], dict[Block, Responses], tuple[Block, Multipliers] | None]:
    """Bounds of the smallest level, simulators for the upper one, and a proof of the lower one."""
    low = high = start
    simulators: dict[Block, Responses] = {}
    proof = None
    for block in blocks:
        best_at = solver(block, delta)
        while True:
            best = best_at(high)
            if best.missed == 0:
                simulators[block] = best.simulator
                break
            # by (3) of `simulators` these multipliers refute all up to the root of h
            proof = block, best.multipliers
            below, above = quadratic(*proof, delta).last_root(bits)
            low, high = max(below, high), above
    return (low, high), simulators, proof


def _at_origin(multipliers: Multipliers, origin: Origin) -> Demands:
    """Multipliers of a block as those of the situations and outputs it comes from."""
    found = {}
    for (g, t), (u, w) in multipliers.items():
        number, divisor = origin.situations[g]
        for output, _ in origin.outputs[t]:
            found[number, output] = u / divisor, w / divisor
    return _whole(found)


def _whole(demands: Demands) -> Demands:
    """The same demands in coprime integers, those without weight left out."""
    scale = exact.in_integers([part for pair in demands.values() for part in pair])[0]
    scaled = {key: (u * scale, w * scale) for key, (u, w) in demands.items() if u or w}
    return dict(sorted(scaled.items()))


def _answers(simulator: Responses, origin: Origin) -> Iterable[Answers]:
    """What the simulator of a block says to the inputs that the block comes from."""
    for row, alike in zip(simulator, origin.inputs, strict=True):
        answer = {
            output: p * share
            for t, p in row.items()
            for output, share in origin.outputs[t]
            if share
        }
        yield sorted(alike), dict(sorted(answer.items()))


Sides = tuple[int, bool, list[Fraction], list[Fraction]]  # situation, is P first, P, Q


def _compared(
    found: Sequence[Situation], coupled: Coupled, given: Mapping[int, int]
) -> list[Sides]:
    """Of the simulator that runs the mechanism on given worlds, in every situation and in both
    orders: the distributions that are compared."""
    rows = {
        world: {t: p for t, p in enumerate(_column(coupled.mechanism, world)) if p}
        for world in set(given.values())
    }
    sides: list[Sides] = []
    for number, situation in enumerate(found):
        real = [exact.over(p, situation.total) for p in situation.outputs]
        ideal = [ZERO] * len(real)
        for a, weight in situation.inputs.items():
            for t, p in rows[given[a]].items():
                ideal[t] += p * weight / situation.total
        sides += [(number, True, real, ideal), (number, False, ideal, real)]
    return sides


def of_given(sides: Sequence[Sides], delta: Fraction) -> Smallest:
    """The smallest level of a given simulator, which is not shown, from its sides and delta."""
    level = ONE
    demands: Demands = {}
    for side in sides:
        _, _, one, other = side
        needed = hockey_stick.profile((p, q, 1) for p, q in zip(one, other, strict=True))
        alpha = needed.smallest_alpha(delta)
        if alpha is None:
            return Smallest(None, [], _event(side, None))
        if alpha > level:
            level, demands = alpha, _event(side, alpha)
    return Smallest((level, level), [], demands)


def least_of_given(sides: Sequence[Sides], alpha: Fraction) -> Point:
    """The smallest delta of a given simulator at the level alpha, from its sides."""

    def excess(side: Sides) -> Fraction:
        pairs = zip(side[2], side[3], strict=True)
        return sum((p - alpha * q for p, q in pairs if p > alpha * q), ZERO)

    worst = max(sides, key=excess)
    return Point(alpha, excess(worst), [], _event(worst, alpha))


def _event(side: Sides, alpha: Fraction | None) -> Demands:
    """Demands on the outputs with P >= alpha Q (None: with Q = 0)."""
    number, is_real_first, one, other = side
    weights = (ONE, ZERO) if is_real_first else (ZERO, ONE)
    return {
        (number, t): weights
        for t, (p, q) in enumerate(zip(one, other, strict=True))
        if p and (not q if alpha is None else p >= alpha * q)
    }


def _column(mechanism: Mechanism, world: int) -> list[Fraction]:
    return [mechanism.values[code] for code in mechanism.codes[:, world].tolist()]

"""Deciding whether a simulator exists: the smallest level, block by block.

From a level where the best simulator of a block misses its demands, the multipliers lead to the
next level, the last one that they refute. There are finitely many optimal multipliers, so this
ends, at the smallest level itself, or, where that is irrational, right above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm

from verifier.claim import Answer, SimulationClaim
from verifier.coupled import Coupled, Situation, situations
from verifier.level import Level
from verifier.mechanism import Mechanism
from verifier.solvers import hockey_stick, limits
from verifier.solvers.blocks import Block, Origin, classes, reduced
from verifier.solvers.merging import by_support, solver
from verifier.solvers.refutation import Multipliers, hopeless, quadratic
from verifier.solvers.simulation_answer import Answers, Demands, Smallest, answer
from verifier.solvers.simulators import Simulator

ZERO, ONE = Fraction(0), Fraction(1)
BITS = 40  # of an enclosure in the answer, unless the level is closer


def decide(claim: SimulationClaim) -> Answer:
    """The verdict, the smallest level, and a simulator or demands that contradict each other."""
    found = situations(claim.coupled)
    if claim.given is not None:
        smallest = of_given(found, claim.coupled, claim.given, claim.delta)
    else:
        smallest = of_any(reduced(found), claim.delta, claim.level)
    return answer(claim, found, smallest)


def of_any(
    blocks: Mapping[Block, Sequence[Origin]], delta: Fraction, asked: Level | None = None
) -> Smallest:
    """The smallest level of the best simulator; bounds leave the level asked for outside."""
    for block, origins in blocks.items():
        merged = by_support(block)
        endless = limits.hopeless(merged.block, delta) if delta else hopeless(merged.block)
        if endless is not None:
            return Smallest(None, [], _at_origin(merged.multipliers(endless), origins[0]))
    bits, start = BITS, Fraction(1)
    while True:
        bounds, simulators, proof = _climbed(blocks, delta, start, bits)
        if asked is None or asked.admits(bounds[1]) or not asked.admits(bounds[0]):
            break
        bits, start = 2 * bits, bounds[0]
    simulator = [
        row
        for block, origins in blocks.items()
        for origin in origins
        for row in _answers(simulators[block], origin)
    ]
    demands = _at_origin(proof[1], blocks[proof[0]][0]) if proof else {}
    return Smallest(bounds, sorted(simulator, key=lambda row: list(row[0])), demands)


def _climbed(
    blocks: Iterable[Block], delta: Fraction, start: Fraction, bits: int
) -> tuple[tuple[Fraction, Fraction], dict[Block, Simulator], tuple[Block, Multipliers] | None]:
    """Bounds of the smallest level, simulators for the upper one, and a proof of the lower one."""
    low = high = start
    simulators: dict[Block, Simulator] = {}
    proof = None
    for block in blocks:
        best_at = solver(block, delta)
        while True:
            best = best_at(high)
            if best.missed == 0:
                simulators[block] = best.simulator
                break
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
    scale = lcm(*(part.denominator for pair in demands.values() for part in pair))
    scaled = {key: (u * scale, w * scale) for key, (u, w) in demands.items() if u or w}
    return dict(sorted(scaled.items()))


def _answers(simulator: Simulator, origin: Origin) -> Iterable[Answers]:
    """What the simulator of a block says to the inputs that the block comes from."""
    for row, alike in zip(simulator, origin.inputs, strict=True):
        answer = {
            output: p * share
            for t, p in row.items()
            for output, share in origin.outputs[t]
            if share
        }
        yield sorted(alike), dict(sorted(answer.items()))


def of_given(
    found: Sequence[Situation], coupled: Coupled, given: Mapping[int, int], delta: Fraction
) -> Smallest:
    """The smallest level of the simulator that runs the mechanism on a given world."""
    rows = {
        world: {t: p for t, p in enumerate(column) if p}
        for world in set(given.values())
        for column in [_column(coupled.mechanism, world)]
    }
    level = Fraction(1)
    demands: Demands = {}
    for number, situation in enumerate(found):
        real = [Fraction(p, situation.total) for p in situation.outputs]
        ideal = [Fraction(0)] * len(real)
        for a, weight in situation.inputs.items():
            for t, p in rows[given[a]].items():
                ideal[t] += p * weight / situation.total
        for one, other, weights in ((real, ideal, (ONE, ZERO)), (ideal, real, (ZERO, ONE))):
            pairs = list(zip(one, other, strict=True))
            needed = hockey_stick.profile((p, q, 1) for p, q in pairs).smallest_alpha(delta)
            if needed is None or needed > level:
                event = (
                    t
                    for t, (p, q) in enumerate(pairs)
                    if p and (not q if needed is None else p >= needed * q)
                )
                demands = {(number, t): weights for t in event}
                if needed is None:
                    return Smallest(None, [], demands)
                level = needed
    inputs = classes(sorted(given), lambda a: given[a])
    return Smallest((level, level), [(alike, rows[given[alike[0]]]) for alike in inputs], demands)


def _column(mechanism: Mechanism, world: int) -> list[Fraction]:
    return [mechanism.values[code] for code in mechanism.codes[:, world].tolist()]

"""Outputs of a block that may be added up without changing what a simulator can do.

A simulator that sees nothing (a block with one input) has one distribution Q. At a level alpha,
with K_g the weight of the input in situation g, the conditions depend on the signs of
P_gt − alpha·K_g·Q_t and K_g·Q_t − alpha·P_gt alone, so on where Q_t lies among the **corners**
P_gt / (alpha·K_g) and alpha·P_gt / K_g. Outputs whose corners have a common order are one:

- a simulator of the outputs serves their sums, as adding up lowers excesses;
- let a simulator give Q_C to a sum C of outputs. The corners of C are the sums of those of its
  outputs, in the same order, so Q_C lies between two neighbours among 0 and them: it is
  (1 − θ)·low_C + θ·high_C, or above the last one, a multiple of it. Q_t = (1 − θ)·low_t +
  θ·high_t, or the same multiple, adds up to Q_C and lies on the same side of every corner for all
  t of C. So the excesses of the t add up to those of C.

Multipliers of a sum serve its outputs each: they prove the same.

As alpha grows without bound the conditions depend on which probabilities are 0 alone: then
outputs possible in the same situations are one, for any number of inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction

from verifier.engines.simulation.blocks import Block, classes
from verifier.engines.simulation.refutation import Multipliers
from verifier.engines.simulation.simulators import Best, Simulator, Simulators

ZERO = Fraction(0)


@dataclass(frozen=True, eq=False)
class Found:
    """What is best for a block at a level.

    missed       by how much the demands are missed, or the smallest delta
    simulator    that misses them by no more
    multipliers  that prove that none misses them by less
    """

    missed: Fraction
    simulator: Simulator
    multipliers: Multipliers


def solver(block: Block, delta: Fraction) -> Callable[[Fraction], Found]:
    """What is best at a level, for any level."""
    if block.input_count > 1:
        programs = Simulators(block, delta)
        return lambda alpha: _found(programs.best(alpha))

    def best(alpha: Fraction) -> Found:
        merged = at_level(block, alpha)
        return merged.found(Simulators(merged.block, delta).best(alpha))

    return best


def smallest_delta(block: Block, alpha: Fraction) -> Found:
    """The smallest delta at which some simulator serves a block at a level."""
    if block.input_count > 1:
        return _found(Simulators(block, ZERO, scaled=alpha).best(alpha))
    merged = at_level(block, alpha)
    return merged.found(Simulators(merged.block, ZERO, scaled=alpha).best(alpha))


def _found(best: Best) -> Found:
    return Found(best.missed, best.simulator(), best.multipliers())


@dataclass(frozen=True)
class Merged:
    """A block, the one with sums of its outputs, and the outputs of each sum."""

    whole: Block
    block: Block
    members: list[list[int]]

    def found(self, best: Best) -> Found:
        """What is best for the outputs, from what is best for the sums of a level."""
        simulator = self.simulator(best.simulator(), best.alpha)
        return Found(best.missed, simulator, self.multipliers(best.multipliers()))

    def multipliers(self, found: Multipliers) -> Multipliers:
        """Multipliers of the sums as those of the outputs."""
        return {(g, t): pair for (g, c), pair in found.items() for t in self.members[c]}

    def simulator(self, found: Simulator, alpha: Fraction) -> Simulator:
        """A simulator of the sums as one of the outputs, for a block with one input."""
        (row,) = found
        answer: dict[int, Fraction] = {}
        for c, given in row.items():
            answer |= self._divided(c, given, alpha)
        return [{t: p for t, p in answer.items() if p}]

    def _divided(self, c: int, given: Fraction, alpha: Fraction) -> dict[int, Fraction]:
        """What each output of a sum gets of what the sum gets."""
        low, lows = ZERO, [ZERO] * len(self.members[c])
        for at in self._order(c, alpha):
            highs = [_corners(self.whole, t, alpha)[at] for t in self.members[c]]
            high = sum(highs, ZERO)
            if low < high and given <= high:
                share = (given - low) / (high - low)
                pairs = zip(self.members[c], lows, highs, strict=True)
                return {t: a + share * (b - a) for t, a, b in pairs}
            low, lows = high, highs
        if not low:
            return {self.members[c][0]: given}
        return {t: given * a / low for t, a in zip(self.members[c], lows, strict=True)}

    def _order(self, c: int, alpha: Fraction) -> list[int]:
        return list(_order(_corners(self.whole, self.members[c][0], alpha)))


def at_level(block: Block, alpha: Fraction) -> Merged:
    """The sums that suffice at a level, for a block with one input."""
    return _merged(block, lambda t: _order(_corners(block, t, alpha)))


def by_support(block: Block) -> Merged:
    """The sums that suffice to decide whether any level serves."""
    return _merged(block, lambda t: tuple(row[t] > 0 for row in block.outputs))


def _corners(block: Block, t: int, alpha: Fraction) -> list[Fraction]:
    parts = [
        Fraction(row[t], inputs[0][1])
        for row, inputs in zip(block.outputs, block.inputs, strict=True)
    ]
    return [p / alpha for p in parts] + [p * alpha for p in parts]


def _order(corners: list[Fraction]) -> tuple[int, ...]:
    return tuple(sorted(range(len(corners)), key=corners.__getitem__))


def _merged(block: Block, key: Callable[[int], Hashable]) -> Merged:
    members = classes(range(block.output_count), key)
    sums = Block(
        tuple(tuple(sum(row[t] for t in alike) for alike in members) for row in block.outputs),
        block.inputs,
        block.totals,
    )
    return Merged(block, sums, members)

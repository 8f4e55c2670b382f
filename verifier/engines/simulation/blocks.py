"""Situations reduced to independent blocks, without changing any answer about a simulator.

- Situations with proportional numbers are one.
- Simulator inputs that occur in the same proportion in all situations are one: a simulator may
  answer both with its average answer.
- Situations that share no input, directly or through others, are separate blocks: a simulator
  answers each for itself.
- Outputs with proportional probabilities in all situations of a block are one: what a simulator
  gives to them may be divided in this proportion, and hockey-stick sums do not change.
- Blocks with the same numbers are one.

Outputs of a block that may be added up without changing what a simulator can do.

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

Example. The situations with outputs (3, 1) and (6, 2) and inputs {a: 4} and {a: 8} are the same
block ((3, 1), {a: 4}), with the divisors 1 and 2.

After Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definitions 2 to 5.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, TypeVar

from verifier.base import exact
from verifier.questions.beliefs.coupled import Situation

Item = TypeVar("Item")
ZERO = Fraction(0)
Responses = list[dict[int, Fraction]]  # for each input, output -> probability
Multipliers = dict[tuple[int, int], tuple[Fraction, Fraction]]  # (situation, output) -> (u, w)
Share = tuple[int, Fraction]  # an output, and its part of what its class gets


@dataclass(frozen=True)
class Block:
    """The numbers of some situations, divided by their greatest common divisor; or by the first of
    them that is not 0, where one is made of powers of e.

    outputs  for each situation the probabilities of the outputs
    inputs   for each situation those of what the simulator sees, by number
    totals   the sum of either
    """

    outputs: tuple[tuple[Any, ...], ...]
    inputs: tuple[tuple[tuple[int, Any], ...], ...]
    totals: tuple[Any, ...]

    @property
    def input_count(self) -> int:
        """The number of simulator inputs."""
        return 1 + max(a for row in self.inputs for a, _ in row)

    @property
    def output_count(self) -> int:
        """The number of outputs."""
        return len(self.outputs[0])


@dataclass(frozen=True)
class Origin:
    """Where a block comes from.

    situations  for each of its situations a given one, and the divisor of the numbers
    inputs      for each of its inputs the given ones
    outputs     for each of its outputs the given ones, with their shares
    """

    situations: list[tuple[int, Any]]
    inputs: list[list[int]]
    outputs: list[list[Share]]


def reduced(situations: Sequence[Situation]) -> dict[Block, list[Origin]]:
    """The different blocks of some situations, each with the places where it occurs."""
    found: dict[Block, list[Origin]] = {}
    for members in _components(situations):
        block, origin = _block(situations, members)
        found.setdefault(block, []).append(origin)
    return found


def _components(situations: Sequence[Situation]) -> list[list[int]]:
    """The situations that share inputs, directly or through others."""
    leader: dict[int, int] = {}

    def root(a: int) -> int:
        while leader.setdefault(a, a) != a:
            leader[a] = a = leader[leader[a]]
        return a

    for situation in situations:
        first, *rest = situation.inputs
        for a in rest:
            leader[root(a)] = root(first)
    return classes(range(len(situations)), lambda k: root(next(iter(situations[k].inputs))))


def _block(situations: Sequence[Situation], members: Sequence[int]) -> tuple[Block, Origin]:
    """The block of some situations, and its origin."""
    kept, divisors = _different(situations, members)
    occurs: dict[int, list[tuple[int, Any]]] = {}
    for row, number in enumerate(kept):
        for a, weight in situations[number].inputs.items():
            occurs.setdefault(a, []).append((row, _divided(weight, divisors[row])))
    inputs = classes(occurs, lambda a: _direction(occurs[a]))
    rows: list[list[tuple[int, Any]]] = [[] for _ in kept]
    for place, alike in enumerate(inputs):
        weights = [sum(occurs[a][at][1] for a in alike) for at in range(len(occurs[alike[0]]))]
        for (row, _), weight in zip(occurs[alike[0]], weights, strict=True):
            rows[row].append((place, weight))
    both = zip(kept, divisors, strict=True)
    scaled = [[_divided(p, d) for p in situations[n].outputs] for n, d in both]
    columns = list(zip(*scaled, strict=True))
    outputs = classes(range(len(columns)), lambda t: _direction(list(enumerate(columns[t]))))
    block = Block(
        tuple(tuple(sum(row[t] for t in alike) for alike in outputs) for row in scaled),
        tuple(map(tuple, rows)),
        tuple(map(sum, scaled)),
    )
    shares = [_shares(alike, [sum(columns[t]) for t in alike]) for alike in outputs]
    return block, Origin(list(zip(kept, divisors, strict=True)), inputs, shares)


def _different(
    situations: Sequence[Situation], members: Sequence[int]
) -> tuple[list[int], list[Any]]:
    """One situation of each kind, and the common divisor of its numbers."""
    kept: dict[Hashable, tuple[int, Any]] = {}
    for number in members:
        given = situations[number]
        divisor = _divisor([*given.outputs, *given.inputs.values()])
        inputs = tuple(sorted((a, _divided(k, divisor)) for a, k in given.inputs.items()))
        key = (tuple(_divided(p, divisor) for p in given.outputs), inputs)
        kept.setdefault(key, (number, divisor))
    numbers, divisors = zip(*kept.values(), strict=True)
    return list(numbers), list(divisors)


def _divisor(values: Sequence[Any]) -> Any:
    """What all the `values` are divided by, so that equal directions become equal."""
    if set(map(type, values)) <= {int}:
        return gcd(*values) or 1
    return next((Fraction(0) + value for value in values if value), 1)


def _divided(value: Any, divisor: Any) -> Any:
    """The quotient, an integer where both are: the divisor is a common one."""
    return value // divisor if type(divisor) is int else value / divisor


def _direction(entries: Sequence[tuple[int, Any]]) -> Hashable:
    """Numbers by place, up to a common positive factor."""
    common = _divisor([value for _, value in entries])
    return tuple((place, _divided(value, common)) for place, value in entries)


def _shares(outputs: Sequence[int], masses: Sequence[Any]) -> list[Share]:
    """Proportional parts; where nothing has any mass, all goes to the first."""
    total = sum(masses)
    if not total:
        return [(output, Fraction(at == 0)) for at, output in enumerate(outputs)]
    return [(o, exact.over(mass, total)) for o, mass in zip(outputs, masses, strict=True)]


def classes(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """The items with the same `key` together, in order of first appearance."""
    found: dict[Hashable, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return list(found.values())


@dataclass(frozen=True)
class Merged:
    """A block, the one with sums of its outputs, and the outputs of each sum."""

    whole: Block
    block: Block
    members: list[list[int]]

    def multipliers(self, found: Multipliers) -> Multipliers:
        """The multipliers `found` of the sums as those of the outputs."""
        return {(g, t): pair for (g, c), pair in found.items() for t in self.members[c]}

    def simulator(self, found: Responses, alpha: Fraction) -> Responses:
        """What was `found` at the level alpha, a simulator of the sums, as one of the outputs."""
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
    """The sums that suffice at the level alpha, for a block with one input."""
    return _merged(block, lambda t: _order(_corners(block, t, alpha)))


def by_support(block: Block) -> Merged:
    """The sums that suffice to decide whether any level serves a block."""
    return _merged(block, lambda t: tuple(row[t] > 0 for row in block.outputs))


def _corners(block: Block, t: int, alpha: Fraction) -> list[Fraction]:
    parts = [
        exact.over(row[t], inputs[0][1])
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

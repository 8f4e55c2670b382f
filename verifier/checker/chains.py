"""What repeated outputs rule out: sets of worlds that are still possible, as bits of an integer."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from operator import and_
from typing import Any

from .reading import (
    ONE,
    ZERO,
    afford,
    fields,
    indices,
    items,
    need,
    number,
    prove,
    read_table,
)

Known = Callable[[int], bool]
Moves = list[dict[int, Fraction]]  # for each step, worlds that an output leaves -> its probability
Prior = dict[int, Fraction]  # world -> probability > 0


@dataclass(frozen=True)
class Runs:
    """steps  the outputs that the first, second, … run can have, again and again
    chance  world, output -> the probability in its run
    """

    steps: list[list[int]]
    chance: Sequence[Sequence[Fraction]]

    @cached_property
    def masks(self) -> list[int]:
        """Output -> the worlds that can give it."""
        rows = zip(*reversed(self.chance), strict=True)
        return [int("".join("1" if p else "0" for p in row), 2) for row in rows]

    def follows(self, outputs: Any) -> None:
        """Refuse outputs that are not those of runs in this order."""
        indices(outputs, len(self.chance[0]))
        order = (o in self.steps[k % len(self.steps)] for k, o in enumerate(outputs))
        prove(all(order), "an output of another mechanism")

    def moves(self, world: int) -> Moves:
        """What the outputs of each step leave possible, from a true world."""
        found = []
        for outputs in self.steps:
            sums: dict[int, Fraction] = defaultdict(Fraction)
            for o in outputs:
                if self.chance[world][o]:
                    sums[self.masks[o]] += self.chance[world][o]
            found.append(dict(sums))
        return found


def read_runs(steps: Any, model: Any) -> Runs:
    """The outputs of each of the `steps`, which the `model` makes equally likely in every world."""
    values, columns = read_table(model)
    different = all(step and len(set(items(step))) == len(step) for step in items(steps))
    need(different, "a step is empty")
    needed = {o for step in steps for o in indices(step, len(columns[0]))}
    need(len(needed) == len(columns[0]), "an output stands in no step")
    shares = {ONE}  # of a single step, as every column sums to 1
    if len(steps) > 1:
        shares = {sum(values[column[o]] for o in step) for column in columns for step in steps}
    prove(len(shares) == 1, "a step is no mechanism")
    (share,) = shares
    chances = [Fraction(value, share) for value in values]
    return Runs(steps, [[chances[code] for code in column] for column in columns])


class Chain:
    """The sets of worlds that runs leave possible under one prior."""

    def __init__(self, runs: Runs, prior: dict[int, Fraction], length: int) -> None:
        self.runs, self.prior = runs, prior
        self.start = sum(1 << w for w in prior)
        self.moves = {world: runs.moves(world) for world in prior}
        self.masses = {world: self._spread(world, length) for world in prior}

    def _spread(self, world: int, length: int) -> list[dict[int, Fraction]]:
        """The probability of each set after 1, 2, …, `length` runs."""
        found, steps, mass = [], self.moves[world], {self.start: ONE}
        for run in range(length):
            further: dict[int, Fraction] = defaultdict(Fraction)
            for possible, p in mass.items():
                for mask, q in steps[run % len(steps)].items():
                    further[possible & mask] += p * q
            mass = further
            found.append(mass)
            afford(length * len(mass) * len(steps) * 100)
        return found

    def check(self, entry: Any, pair: Sequence[Sequence[int]] | None) -> None:
        """Reject an `entry` that is not so: the fewest runs that make certain which world (or which
        one of a `pair` of secrets) is true, the probability after 1, 2, 3, … runs, the expected
        number."""
        both = set(self.prior) if pair is None else {w for side in pair for w in side}
        known, worlds = _known(pair), [w for w in self.prior if w in both]
        self._check_fewest(entry["fewest"], known)
        for k, said in enumerate(entry["probability"]):
            masses = (self.masses[w][k].items() for w in worlds)
            self._compare(said, worlds, [sum(p for s, p in mass if known(s)) for mass in masses])
        if entry["expected"] is not None:
            means = [_expected(self.moves[w], self.start, known) for w in worlds]
            self._compare(entry["expected"], worlds, means)

    def _check_fewest(self, said: Any, known: Known) -> None:
        """Reject outputs after which nothing is certain, or to which there is a shorter way. Null
        claims nothing, and an empty object that no run ever makes certain."""
        if said is None:
            return
        fields(said, "outputs" if said else "")
        if said:
            self.runs.follows(said["outputs"])
            masks = map(self.runs.masks.__getitem__, said["outputs"])
            left = reduce(and_, masks, self.start)
            prove(left and known(left), "nothing is certain after these runs")
        self._check_no_shorter(len(said["outputs"]) if said else None, known)

    def _check_no_shorter(self, most: int | None, known: Known) -> None:
        """Reject sets of worlds that are left after fewer runs than that (None: after any number)
        and make certain."""
        steps = range(len(self.runs.steps))
        masks = [{mask for own in self.moves.values() for mask in own[step]} for step in steps]
        seen, sets, run = set(), {self.start}, 0
        while sets and run != most:
            prove(not any(map(known, sets)), "there is a shorter way to be certain")
            at, run = run % len(steps), run + 1
            seen |= {(at, possible) for possible in sets}
            further = {possible & mask for possible in sets for mask in masks[at]} - {0}
            sets = {possible for possible in further if (run % len(steps), possible) not in seen}
            afford(len(seen) * 1000)

    def _compare(self, said: Any, worlds: list[int], found: Sequence[Fraction | None]) -> None:
        """Reject other numbers for the worlds, or another average; None is infinite."""
        fields(said, "worlds average")
        finite = [x for x in found if x is not None]
        average = None
        if len(finite) == len(worlds):
            mean = sum((x * self.prior[w] for x, w in zip(finite, worlds, strict=True)), ZERO)
            average = Fraction(mean, sum(self.prior[w] for w in worlds))
        stated = [
            None if x == "infinite" else number(x)
            for x in [*items(said["worlds"]), said["average"]]
        ]
        prove(stated == [*found, average], "another probability or number of runs")


def _known(pair: Sequence[Sequence[int]] | None) -> Known:
    """Whether what is possible is one world; or of one secret of a pair and not of the other."""
    if pair is None:
        return lambda possible: possible & (possible - 1) == 0
    left, right = (sum(1 << w for w in side) for side in pair)
    return lambda possible: bool(possible & left) != bool(possible & right)


def _expected(moves: Moves, start: int, known: Known) -> Fraction | None:
    """The expected number of runs until certain: smaller sets come first, and a set that a round of
    all steps certainly leaves as it is stays for ever."""
    states = [(0, start)]
    seen = set(states)
    for step, possible in states:
        for mask in moves[step]:
            further = (step + 1) % len(moves), possible & mask
            if further not in seen:
                seen.add(further)
                states.append(further)
        afford(len(states) * 1000)
    value: dict[tuple[int, int], Fraction | None] = {}
    for state in sorted(states, key=lambda state: state[1].bit_count()):
        value[state] = ZERO if known(state[1]) else _one_round(moves, state, value)
    return value[0, start]


def _one_round(moves: Moves, state: tuple[int, int], value: Any) -> Fraction | None:
    """E = 1 + the sum of p E over what comes next, which is solved for E where the set may stay."""
    (at, possible), total, stays = state, ZERO, ONE
    for _ in moves:
        step, at = moves[at], (at + 1) % len(moves)
        total, still = total + stays, ZERO
        for mask, p in step.items():
            if possible & mask == possible:
                still += p
            elif value[at, possible & mask] is None:
                return None
            else:
                total += stays * p * value[at, possible & mask]
        stays *= still
        if not stays:
            return total
    return None if stays == 1 else Fraction(total, 1 - stays)

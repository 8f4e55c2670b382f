"""One NfC condition: is M[o, D] <= alpha · Π_l M[o, l]^β_l for all o, with some weights β?

The smallest alpha is the value of a matrix game in logarithms; counts of outputs are the other
side's weights.

Example. D says yes with probability 1/2, and two other worlds with 1/4 and with 3/4. Either of them
alone asks for 2. Half of each has the geometric mean √3/4 for both outputs, and asks for 2/√3. One
yes and one no prove that nothing less will do: 1/2 · 1/2 is (2/√3)² = 4/3 times 1/4 · 3/4.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Theorem 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import compress
from math import inf, lcm, log

import numpy as np

from verifier.base.errors import NotDecided
from verifier.base.exact import simplest
from verifier.base.level import Level
from verifier.kernels import games, ties
from verifier.kernels.logarithms import exponential
from verifier.questions.evidence import TiedWeights
from verifier.world.mechanism import Mechanism

MARGIN = 1e-6  # far beyond the error of floating logarithms
STEP = 2**16  # floating ratios that are compared at a time: these stay near the processor
FEWER = 8  # outputs to a value of one world, on average, from which on they are taken by values
LIKELY = 4  # outputs that are looked at before all others
KEPT = 2**22  # floating ratios kept in memory
NARROW, NARROWEST = 34, 2000  # bits of an enclosure; while it contains the level asked for
ONE = Fraction(1)
Beta = dict[int, Fraction] | TiedWeights  # weights of worlds, of sum 1


class Table:
    """A mechanism prepared for ratios of its columns; rounded logarithms only leave out what is far
    from the largest and smallest ones."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.values, self.codes = mechanism.values, mechanism.codes  # (outputs, worlds)
        self.logs = np.array([logarithm(value) if value else -inf for value in self.values])
        self.columns = np.ascontiguousarray(self.codes.T)
        self.support = lru_cache(max(1, KEPT // len(self.codes)))(self._support)
        self.ratios, self.least = (
            lru_cache(max(1, KEPT // mechanism.worlds))(found)
            for found in (self._ratios, self._least)
        )
        self.ratio = lru_cache(KEPT // 64)(self._ratio)
        self.greatest = lru_cache(2**10)(self._greatest)  # few pairs of values meet often
        self.places = lru_cache(2**6)(np.array)  # the worlds of a secret are asked for often

    def _support(self, world: int) -> np.ndarray:
        """The outputs of a world."""
        return np.flatnonzero(self.logs[self.columns[world]] > -inf)

    def _ratios(self, world: int) -> np.ndarray:
        """log max_o M[o, world] / M[o, l] for every world l, rounded; infinite where an output of
        `world` is none of l. Of outputs as likely in `world` the least likely one in l counts."""
        outputs, own = self.support(world), self.columns[world]
        outputs = outputs[np.argsort(own[outputs], kind="stable")]
        values, least = own[outputs], self.codes[outputs]
        distinct, starts = np.unique(values, return_index=True)
        if FEWER * len(distinct) <= len(values):
            parts = np.split(least, starts[1:])
            values, least = distinct, np.array([part.min(axis=0) for part in parts])
        best = np.full(least.shape[1], -inf)
        step = max(1, STEP // len(best))
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            size = self.logs[values[part], None] - self.logs[least[part]]
            np.maximum(best, size.max(axis=0), out=best)
        return best

    def _least(self, world: int) -> np.ndarray:
        """At most as much for every world: of the few outputs that are likeliest in `world`."""
        support, own = self.support(world), self.columns[world]
        likely = support[np.argsort(own[support], kind="stable")[-LIKELY:]]
        sizes = self.logs[own[likely], None] - self.logs[self.codes[likely]]
        found: np.ndarray = sizes.max(axis=0)
        return found

    def nearest(self, world: int, others: tuple[int, ...]) -> tuple[int, float]:
        """The place of the first of the `others` whose ratio is smallest, and its logarithm,
        rounded. Where likely outputs tell it, no other ratio is computed."""
        places = self.places(others)
        least = self.least(world)[places]
        first = int(least.argmin())
        size, _ = self.ratio(world, others[first])
        if size > least[first]:
            sizes = self.ratios(world)[places]
            first = int(sizes.argmin())
            size = float(sizes[first])
        return first, size

    def largest(self, world: int, other: int) -> Fraction:
        """max_o M[o, world] / M[o, other], where it is finite."""
        return self.greatest(self.ratio(world, other)[1])

    def _ratio(self, world: int, other: int) -> tuple[float, frozenset[int]]:
        """log max_o M[o, world] / M[o, other], rounded; and the pairs of values that come near it,
        whose codes are one number."""
        outputs = self.support(world)
        tops, lows = (self.columns[w][outputs] for w in (world, other))
        size = self.logs[tops] - self.logs[lows]
        near = size >= size.max() - MARGIN
        pairs = tops[near].astype(np.int64) * len(self.values) + lows[near]
        return float(size.max()), frozenset(pairs.tolist())

    def _greatest(self, pairs: frozenset[int]) -> Fraction:
        """The largest quotient of pairs of values, whose codes are one number."""
        codes = (divmod(pair, len(self.values)) for pair in pairs)
        return Fraction(max(self.values[top] / self.values[low] for top, low in codes))

    def dominating(self, world: int, others: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the others that have all outputs of a world."""
        within = (self.ratios(world)[self.places(others)] < inf).tolist()
        return tuple(compress(others, within))

    def single(self, world: int, others: tuple[int, ...], level: Fraction) -> int | None:
        """One of the worlds l of `others` with M[., world] <= level · M[., l], if there is one."""
        limit, (first, size) = logarithm(level), self.nearest(world, others)
        if size < limit - MARGIN or (
            size <= limit + MARGIN and self.largest(world, others[first]) <= level
        ):
            return others[first]
        if size > limit + MARGIN:
            return None
        sizes = self.ratios(world)[self.places(others)]
        near = np.flatnonzero(sizes <= limit + MARGIN).tolist()
        return next((others[n] for n in near if self.largest(world, others[n]) <= level), None)

    def output(self, world: int, others: Sequence[int]) -> tuple[Fraction, int]:
        """max_o M[o, world] / max_l M[o, l] over worlds l of `others`, which have all its outputs,
        and the first such output: weights of these worlds need this level."""
        outputs, columns = self.support(world), list(others)
        own, best = self.codes[outputs, world], np.empty(len(outputs), dtype=self.codes.dtype)
        for at, output in enumerate(outputs.tolist()):
            best[at] = self.codes[output, columns].max()
        pairs: dict[tuple[int, int], int] = {}
        for output, *pair in zip(outputs.tolist(), own.tolist(), best.tolist(), strict=True):
            pairs.setdefault((pair[0], pair[1]), output)
        ratios = {pair: self.values[pair[0]] / self.values[pair[1]] for pair in pairs}
        top = max(ratios.values())
        return top, min(output for pair, output in pairs.items() if ratios[pair] == top)


@dataclass(frozen=True)
class Enclosure:
    """The smallest level is at least `low`, which the counts prove, and at most `high`.

    run  counts that prove a level above the one asked for to be needed, if that is below `low`
    """

    low: Fraction
    counts: dict[int, int] | TiedWeights
    high: Fraction
    run: dict[int, int]


@dataclass(frozen=True)
class Condition:
    """World D against worlds that have all its outputs; different outputs and worlds only.

    own     M[o, D] for each of the outputs
    others  for each of these outputs, M[o, l] for each of the worlds
    """

    world: int
    worlds: Sequence[int]
    outputs: Sequence[int]
    own: Sequence[Fraction]
    others: Sequence[Sequence[Fraction]]

    @classmethod
    def of(cls, table: Table, world: int, others: Sequence[int]) -> Condition:
        """The condition of a world of a table against others that have all its outputs."""
        kept = np.array(others)
        outputs = table.support(world)
        codes = table.codes[outputs][:, np.concatenate([[world], kept])].T
        columns = np.sort(np.unique(codes[1:], axis=0, return_index=True)[1])
        codes = codes[np.concatenate([[0], 1 + columns])]
        rows = np.sort(np.unique(codes, axis=1, return_index=True)[1])
        entries = [[table.values[code] for code in row] for row in codes[:, rows].T.tolist()]
        own, rest = [row[0] for row in entries], [row[1:] for row in entries]
        return cls(world, kept[columns].tolist(), outputs[rows].tolist(), own, rest)

    def beta(self, level: Fraction) -> Beta | None:
        """Weights of worlds that meet the condition at a level; None where none were found."""
        found = games.weights(self.met(level))
        if found is None:
            tied = ties.tied(self.met(level))
            return tied and self._tied(tied[0], tied[1])
        return {w: x for w, x in zip(self.worlds, found, strict=True) if x}

    def counts(self, level: Fraction) -> dict[int, int] | None:
        """Counts of outputs, Π_o M[o, D]^c_o >= level^Σc · Π_o M[o, l]^c_o for all worlds l: no
        smaller level serves. None where none were found."""
        found = games.weights(self.missed(level))
        if found is None:
            return None
        unit = lcm(*(x.denominator for x in found))
        return {o: int(x * unit) for o, x in zip(self.outputs, found, strict=True) if x}

    def _tied(self, worlds: Sequence[int], outputs: Sequence[int]) -> TiedWeights:
        """Those of some of the worlds and outputs, by their places here."""
        found = sorted(self.worlds[at] for at in worlds), sorted(self.outputs[at] for at in outputs)
        return TiedWeights(*found)

    def enclosed(self, asked: Level) -> Enclosure:
        """The smallest level: exact, or within 1e-9 with the level asked for outside: asked < low,
        or high <= asked. NotDecided where this was not reached."""
        factors = self.met(ONE)
        bits, narrow = 2 * games.precision(factors), NARROW
        value = -games.game_value(factors, bits)[0]
        guess = simplest(*exponential(value - 4, value + 4, bits))
        is_short = guess >= 1 and games.length(guess) < bits // 4  # else it is no such number
        exact = self.counts(guess) if is_short else None
        is_enough = is_short and self.beta(guess) is not None
        if is_enough and (exact or guess == 1):
            return Enclosure(guess, exact or {}, guess, exact or {})
        counts = self._tied_counts(guess) if is_enough else None
        if counts and asked.admits(guess):
            return Enclosure(guess, counts, guess, {})
        while max(narrow, bits / 64) < NARROWEST:
            width = min(value, 2**bits) >> narrow
            if width < 2**8:
                bits *= 2
                value = -games.game_value(factors, bits)[0]
                continue
            low = guess if exact else simplest(*_around(value - width, width // 4, bits))
            high = guess if is_enough else simplest(*_around(value + width, width // 4, bits))
            run = exact or self.counts(low)
            if run and (asked.admits(high) or not asked.admits(low)):
                return Enclosure(guess if counts else low, counts or run, high, run)
            narrow *= 2
        raise NotDecided(
            "the smallest level is irrational, or met by irrational weights only, and as close to "
            "the level asked for as could be told"
        )

    def _tied_counts(self, level: Fraction) -> TiedWeights | None:
        """Irrational counts that prove a level to be needed; None where none were found."""
        tied = ties.tied(self.missed(level))
        return tied and self._tied(tied[1], tied[0])

    def met(self, level: Fraction) -> list[list[Fraction]]:
        """level · M[o, l] / M[o, D], a row for each output."""
        return [[level * q / p for q in row] for p, row in zip(self.own, self.others, strict=True)]

    def missed(self, level: Fraction) -> list[list[Fraction]]:
        """M[o, D] / (level · M[o, l]), a row for each world."""
        return [[1 / r for r in column] for column in zip(*self.met(level), strict=True)]


def _around(middle: int, width: int, bits: int) -> tuple[Fraction, Fraction]:
    """Numbers between e^((middle - width) / 2^bits) and e^((middle + width) / 2^bits)."""
    return exponential(middle - width, middle + width, bits)


def logarithm(value: Fraction) -> float:
    """ln(value), value > 0, with an error below 1e-9, for rationals of up to 10^5 digits."""
    return log(value.numerator) - log(value.denominator)

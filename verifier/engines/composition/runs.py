"""Runs of a mechanism whose outputs an attacker waits for, and how often they must come.

Exact: likelihoods of runs are products of integers, an irrational level is enclosed.

Example. Given t the output 0 has probability 1/4. Given s there are two worlds, each with
probability 1/2, where it has 3/4 and 1/4. After n outputs 0 the odds are (3^n + 1)/2: no more than
2^n for n = 1, above it for n = 2, when 5 > 4. So two runs exceed the level 2.

After Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Theorem 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

import numpy as np

from verifier.base.level import Level
from verifier.kernels.games import rounded
from verifier.kernels.logarithms import sign
from verifier.world.mechanism import Mechanism

LONGEST = 200  # runs that are tried one after the other
MAX_BITS = 2**20  # of all the likelihoods together that are compared
MAX_BITS_IRRATIONAL = 2**17  # where the level is irrational
MAX_CHECKED = 10**11  # steps of a checker, by its own count

Counts = Mapping[int, int]  # of outputs


def decisive(
    mechanism: Mechanism, world: int, others: Sequence[int], counts: Counts, level: Level
) -> dict[int, int]:
    """Counts of outputs of a mechanism that are more than alpha^runs times as likely in a world as
    in each of the others; alpha is the level, and `counts` are so in those that have all outputs of
    the world."""

    def tells(tried: Counts) -> bool:
        return all(_tells(mechanism, world, other, tried, level) for other in distinct)

    codes = mechanism.codes
    distinct = list({codes[:, other].tobytes(): other for other in others}.values())
    outputs, total = list(counts), sum(counts.values())
    shares = [Fraction(c, total) for c in counts.values()]
    support = [o for o, row in enumerate(codes[:, world].tolist()) if mechanism.values[row]]
    for output in support:
        if tells({output: 1}):
            return {output: 1}
    for runs in range(2, LONGEST):
        near = rounded(shares, runs)
        tried = {o: int(x * runs) for o, x in zip(outputs, near, strict=True) if x}
        if tells(tried):
            return tried
    # so often that the one more of each output, which other worlds lack, does not weigh
    times = 1
    while True:
        tried = {o: times * counts.get(o, 0) + 1 for o in support}
        if tells(tried):
            return tried
        times *= 2


def _tells(mechanism: Mechanism, world: int, other: int, counts: Counts, level: Level) -> bool:
    runs = sum(counts.values())
    powers, exponent = [], Fraction(0)
    for output, n in counts.items():
        against = mechanism.probability(output, other)
        if not against:
            return True
        powers.append((n, mechanism.probability(output, world) / against))
    if level.exp_epsilon is not None:
        powers.append((-runs, level.exp_epsilon))
    else:
        assert level.epsilon is not None
        exponent = -runs * level.epsilon
    return sign(powers, exponent) > 0


def eliminating(mechanism: Mechanism, world: int, others: Sequence[int]) -> dict[int, int]:
    """Outputs that together show which world it is, each once: output -> 1.

    All are possible in `world`, and each of the `others` cannot give one of them. Outputs that
    exclude the most worlds are taken first; then those that are not needed are left out.
    """
    codes = mechanism.codes
    missing = {
        o: {w for w in others if not mechanism.probability(o, w)}
        for o in range(len(mechanism.outputs))
        if mechanism.values[codes[o, world]]
    }
    left, chosen = set(others), list[int]()
    while left:
        best = max(missing, key=lambda o: len(missing[o] & left))
        left -= missing[best]
        chosen.append(best)
    for output in list(chosen):
        rest = [o for o in chosen if o != output]
        if set(others) <= set().union(*(missing[o] for o in rest)):
            chosen = rest
    return dict.fromkeys(sorted(chosen), 1)


@dataclass(frozen=True)
class Repeated:
    """A run that is repeated: what its likelihood is, given each of two secrets, under one prior.

    sides  for each secret, likelihood of one run -> probability under the prior, both times common
           factors; in integers, for numbers are long
    size   bits of the likelihood of one run over the common denominator of all worlds
    kinds  different likelihoods of outputs in the worlds of a secret, at most
    """

    runs: int
    sides: Sequence[Mapping[int, int]]
    size: int
    kinds: int

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        prior: Mapping[int, Fraction],
        sides: Sequence[Sequence[int]],
        run: Counts,
    ) -> Repeated | None:
        """A run of a mechanism, as counts of outputs, under a prior, given two sets of worlds, the
        sides; None where the numbers would be too large."""
        possible = [[w for w in side if w in prior] for side in sides]
        likelihoods = _likelihoods(mechanism, [w for side in possible for w in side], run)
        if likelihoods is None:
            return None
        unit = lcm(*{p.denominator for p in prior.values()})
        masses = {w: int(p * unit) for w, p in prior.items()}
        runs, rest = sum(run.values()), mechanism.codes[list(run)]
        whole = lcm(*(mechanism.values[code].denominator for code in np.unique(rest)))
        kinds = max(np.unique(rest[:, list(side)], axis=1).shape[1] for side in sides)
        found = [_added(side, likelihoods, masses) for side in possible]
        return cls(runs, found, runs * whole.bit_length(), kinds)

    @property
    def bits(self) -> int:
        """Of all the likelihoods of one run together."""
        return sum(g.bit_length() for terms in self.sides for g in terms)

    def ratio(self, times: int) -> Fraction | None:
        """The likelihood of so many `times` the run given the first secret over that given the
        second; None: infinite."""
        first, second = self._likelihoods(times)
        return Fraction(first, second) if second else None

    def _likelihoods(self, times: int) -> tuple[int, int]:
        """Both of them, times a common factor."""
        first, second = (
            sum(weight * g**times for g, weight in terms.items()) for terms in self.sides
        )
        one, other = (sum(terms.values()) for terms in self.sides)
        return first * other, second * one

    def exceeds(self, level: Level, times: int) -> bool:
        """Whether so many `times` the run tell more than linear composition of a level allows."""
        first, second = self._likelihoods(times)
        runs, alpha = times * self.runs, level.exp_epsilon
        if alpha is None:
            return not second or not level.admits(Fraction(first, second), Fraction(runs))
        return bool(first * alpha.denominator**runs > second * alpha.numerator**runs)

    def fewest(self, level: Level) -> int | None:
        """Repetitions that exceed the level, few; None where the numbers become too large."""
        bits, alpha = self.bits, level.exp_epsilon
        bits += 0 if alpha is None else self.runs * alpha.numerator.bit_length()
        limit, high = MAX_BITS_IRRATIONAL if alpha is None else MAX_BITS, 1
        if not self._is_checked(high):
            return None
        while not self.exceeds(level, high):
            high *= 2
            if high * bits > limit or not self._is_checked(high):
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.exceeds(level, middle) else (middle, high)
        return high

    def _is_checked(self, times: int) -> bool:
        """Whether a checker takes the time."""
        size = times * self.size
        return size * (size + 100 * self.kinds) <= MAX_CHECKED


def _likelihoods(mechanism: Mechanism, worlds: Sequence[int], run: Counts) -> dict[int, int] | None:
    """The likelihood of a run in each world, times one factor; None where that is too long."""
    rows = {o: {w: mechanism.probability(o, w) for w in worlds} for o in run}
    units = {o: lcm(*{p.denominator for p in row.values()}) for o, row in rows.items()}
    if sum(n * units[o].bit_length() for o, n in run.items()) > MAX_BITS // mechanism.worlds:
        return None
    return {w: prod(int(rows[o][w] * units[o]) ** n for o, n in run.items()) for w in worlds}


def _added(
    side: Sequence[int], likelihoods: Mapping[int, int], masses: Mapping[int, int]
) -> dict[int, int]:
    """Likelihood -> the mass of all worlds of a side that have it."""
    terms: dict[int, int] = {}
    for w in side:
        terms[likelihoods[w]] = terms.get(likelihoods[w], 0) + masses[w]
    return terms

"""Boxes of likelihood matrices: of each probability only a lower and an upper end is known.

So are tables of estimates, and probabilities that are integrals. The mechanism is some matrix
between the ends whose columns sum to 1. Where all ends of a column are tight, each of them is
attained by such a column.

By hand: of the column [1/10, 1/2], [1/10, 7/10] the tight ends are [3/10, 1/2] and [1/2, 7/10].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from verifier.base.errors import InputError, LimitReached
from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Coder, Mechanism

if TYPE_CHECKING:
    from verifier.world.noise import Enclosures

MAX_WORLDS = 4096
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True, eq=False)
class Box(Later):
    """All likelihood matrices over a fixed list of worlds between two ends, with columns of sum 1.

    outputs  distinct labels
    values   the distinct ends, strictly ascending
    lower    shape (outputs, worlds): the least P(outputs[o] | world w) is values[lower[o, w]]
    upper    the same for the largest
    notes    what was merged or skipped while it was built, in words
    noise    the comparisons of draws that the probabilities are, where they are such
    levels   where outputs are regions of real numbers, the levels at which these say as much
    """

    outputs: tuple[str, ...]
    values: tuple[Fraction, ...]
    lower: np.ndarray
    upper: np.ndarray
    notes: tuple[str, ...] = ()
    noise: Enclosures | None = None
    levels: tuple[Fraction, ...] = ()

    @classmethod
    def of(
        cls,
        outputs: Iterable[str],
        columns: Sequence[Sequence[Interval]],
        notes: Iterable[str] = (),
    ) -> Box:
        """The box with these ends, made tight.

        outputs  their labels
        columns  for each world the ends of each output's probability
        notes    what was merged or skipped, in words

        InputError S119 where no probabilities lie between the ends of a column.
        """
        return cls._made(tuple(outputs), [tight(column) for column in columns], tuple(notes))

    @classmethod
    def _made(
        cls, outputs: tuple[str, ...], columns: Sequence[Sequence[Interval]], notes: tuple[str, ...]
    ) -> Box:
        coder = Coder()
        codes = [[(coder.code(low), coder.code(high)) for low, high in c] for c in columns]
        order = sorted(range(len(coder.values)), key=coder.values.__getitem__)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        table = rank[np.array(codes, dtype=np.int64)]
        ascending = tuple(coder.values[code] for code in order)
        return cls(outputs, ascending, table[:, :, 0].T, table[:, :, 1].T, notes)

    @property
    def worlds(self) -> int:
        """The number of worlds (columns)."""
        return int(self.lower.shape[1])

    @property
    def ends(self) -> Mechanism:
        """Both ends as one matrix: the columns of the upper ends, then those of the lower ones.
        They do not sum to 1."""
        return Mechanism(self.outputs, self.values, np.hstack([self.upper, self.lower]))

    @property
    def least(self) -> Mechanism:
        """The lower ends as a matrix, whose columns need not sum to 1."""
        return Mechanism(self.outputs, self.values, self.lower)

    def interval(self, output: int, world: int) -> Interval:
        """The ends of P(output | world)."""
        low, high = self.lower[output, world], self.upper[output, world]
        return self.values[int(low)], self.values[int(high)]

    def column(self, world: int) -> list[Interval]:
        """The ends of all probabilities in a world."""
        return [self.interval(output, world) for output in range(len(self.outputs))]

    def taken(self, worlds: np.ndarray) -> Box:
        """The box of the columns with the numbers `worlds`, in that order."""
        return replace(self, lower=self.lower[:, worlds], upper=self.upper[:, worlds])


def tight(column: Sequence[Interval]) -> list[Interval]:
    """The ends that are attained by numbers of sum 1; InputError S119 where there are no such.

    >>> half, all = Fraction(1, 2), Fraction(1)
    >>> tight([(half, all), (half, all)])[0]
    (Fraction(1, 2), Fraction(1, 2))
    """
    low, high = (sum(ends, Fraction(0)) for ends in zip(*column, strict=True))
    if any(a > b for a, b in column):
        raise InputError("S119", "a lower end is above the upper end")
    if low > 1:
        said = f"the lower ends sum to {low}: no probabilities are between them and sum to 1"
        raise InputError("S119", said, hint="write smaller lower ends")
    if high < 1:
        said = f"the upper ends sum to {high}: no probabilities are between them and sum to 1"
        raise InputError("S119", said, hint="write larger upper ends")
    return [(max(a, 1 - (high - b)), min(b, 1 - (low - a))) for a, b in column]


def telling(worlds: int) -> Mechanism:
    """The mechanism that tells the world: its columns are those of the worlds, so that what is
    compared of it says which mixtures of worlds are compared of any other one.

    worlds  how many; LimitReached where they are many
    """
    if worlds > MAX_WORLDS:
        said = f"{worlds} worlds are too many for estimates, normal draws or delta of real numbers"
        raise LimitReached(f"{said}: at most {MAX_WORLDS}")
    names = tuple(map(str, range(worlds)))
    codes = np.eye(worlds, dtype=np.uint8)
    values = (Fraction(0), Fraction(1)) if worlds > 1 else (Fraction(1),)
    return Mechanism(names, values, codes if worlds > 1 else codes * 0)


def filled(column: Sequence[Interval], gains: Mapping[int, Fraction]) -> list[Fraction]:
    """The numbers of sum 1 between the ends of a column with the largest Σ gain · number.

    column  the ends
    gains   output -> what each unit of it earns; 0 for all others
    """
    found = [low for low, _ in column]
    rest = 1 - sum(found, Fraction(0))
    for output in sorted(range(len(column)), key=lambda o: -gains.get(o, Fraction(0))):
        more = min(rest, column[output][1] - found[output])
        found[output] += more
        rest -= more
    return found

"""What shown records of a Markov chain tell about one that is hidden, with a block around it.

The values of records follow a chain; X_i is the value of record i. A block of hidden records, i
among them, ends left and right at records l and r that are shown, a *quilt* of record i. Given
these two, the others that are shown say nothing more about X_i. With T the matrix of transitions
and m the distributions of single records,

    P(X_l = x, X_i = v, X_r = y) = m_l(x) · T^(i-l)[x, v] · T^(r-i)[v, y],                     (1)

and the records that are shown tell the values A of record i from the values B at most by

    max over x, y of  Σ_A (1) / Σ_B (1) · P(X_i in B) / P(X_i in A).                           (2)

Hidden records outside the block change nothing, and (2) does not grow with the block. So of all
ways to hide b records a block of b is the best, or of all records where there are fewer.

Let a stationary chain of two values change with probabilities a and b, l = 1 - a - b. A record at
distance d tells the second value from the first by at most (1 + l^d b/a)/(1 - l^d) where l^d >= 0,
else by (1 + |l|^d)/(1 - |l|^d a/b); the first from the second with a and b exchanged. Where a + b
>= 1 all of |l|^d, |l|^d a/b and |l|^d b/a grow with a and b, as |l| <= min(a, b); where a + b <= 1
the ratios fall (`verifier.priors._chains`). So if a and b lie within intervals, the chain that
changes least or the one that changes most is the worst, whatever is hidden.

Example. Three bits that follow a chain which stays with probability 3/4, the one in the middle
hidden: both neighbours tell a factor of 3.

>>> stay, change = Fraction(3, 4), Fraction(1, 4)
>>> even = Fraction(1, 2), Fraction(1, 2)
>>> blocks = Blocks(Network.chain(even, ((stay, change), (change, stay)), 3))
>>> found = blocks.told(Asked(1, (1,), (0,)), [1])
>>> print(Fraction(*found.ratio), found.values)
9 {0: 1, 2: 1}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from verifier.base import exact
from verifier.base.nouns import Later, dataclass
from verifier.kernels.chains import (
    Matrix,
    Ratio,
    Vector,
    exceeds,
    in_integers,
    marginals_of,
    push,
)
from verifier.world.network import Network

CLOSE = 1e-9  # levels that floats do not tell apart for sure


class Asked(NamedTuple):
    """A record, and two sets of its values: how much likelier is what is shown given the first?"""

    record: int
    these: tuple[int, ...]
    those: tuple[int, ...]


class Told(NamedTuple):
    """A ratio (2), the largest or any, and the values of shown records that have it."""

    ratio: Ratio
    values: Mapping[int, int]


@dataclass(frozen=True)
class Blocks(Later):
    """The blocks around the records of a `chain`."""

    chain: Network

    @cached_property
    def marginals(self) -> list[Vector]:
        """P(X_i = v) of each record, times one number."""
        return marginals_of(self.chain)

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self.chain.parents)

    @cached_property
    def _powers(self) -> list[Matrix]:
        """Those powers of the matrix of transitions that are known."""
        size = range(len(self.chain.initial))
        return [tuple(tuple(int(a == b) for b in size) for a in size)]

    def power(self, steps: int) -> Matrix:
        """A power of the matrix of transitions, times one number."""
        columns = tuple(zip(*in_integers(self.chain.transitions[0]), strict=True))
        while len(self._powers) <= steps:
            self._powers.append(tuple(push(columns, row) for row in self._powers[-1]))
        return self._powers[steps]

    @cached_property
    def _rounded(self) -> tuple[np.ndarray, np.ndarray]:
        """Shapes (records, values) and (records, values, values): the marginals, the powers."""
        weights = np.array([[x / sum(m) for x in m] for m in self.marginals])
        powers = map(self.power, range(self.records))
        tables = [[[x / sum(row) for x in row] for row in table] for table in powers]
        return weights, np.array(tables)

    def allows(self, asked: Asked) -> bool:
        """Whether both sets of values that are `asked` about are possible."""
        m = self.marginals[asked.record]
        return all(any(m[v] for v in side) for side in (asked.these, asked.those))

    def near(self, asked: Asked, firsts: np.ndarray, size: int) -> np.ndarray:
        """About what (2) is for blocks of one size that begin at some records, `firsts`."""
        i, (weights, tables) = asked.record, self._rounded
        left, right = firsts - 1, firsts + size
        before = weights[left][:, :, None] * tables[i - np.maximum(left, 0)]
        before[left < 0] = 0
        before[left < 0, 0] = weights[i]
        after = tables[np.minimum(right - i, self.records - 1)].copy()
        after[right >= self.records] = 0
        after[right >= self.records, :, 0] = 1
        top, bottom = (
            np.einsum("bxv,bvy->bxy", before[:, :, list(side)], after[:, list(side)])
            / weights[i, list(side)].sum()
            for side in (asked.these, asked.those)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(top > 0, top / bottom, 0)
        found: np.ndarray = ratios.max(axis=(1, 2))
        return found

    def ratios(self, asked: Asked, hidden: Sequence[int]) -> Iterator[Told]:
        """What (2) is the largest of for a block of `hidden` records, the record among them; and
        the values of the ends. One side of each ratio is not 0."""
        i, m = asked.record, self.marginals[asked.record]
        first, last = hidden[0], hidden[-1]
        before: Mapping[int | None, Vector] = {None: m}
        if first:
            before = {
                x: tuple(mass * p for p in row)
                for x, (mass, row) in enumerate(
                    zip(self.marginals[first - 1], self.power(i - first + 1), strict=True)
                )
            }
        after: Mapping[int | None, Vector] = {None: (1,) * len(m)}
        if last + 1 < self.records:
            after = dict(enumerate(zip(*self.power(last + 1 - i), strict=True)))
        here, there = (sum(m[v] for v in side) for side in (asked.these, asked.those))
        for (x, row), (y, column) in product(before.items(), after.items()):
            top, bottom = (
                sum(row[v] * column[v] for v in side) for side in (asked.these, asked.those)
            )
            if top or bottom:
                ends = zip((first - 1, last + 1), (x, y), strict=True)
                values = {record: value for record, value in ends if value is not None}
                yield Told((top * there, bottom * here), values)

    def told(self, asked: Asked, hidden: Sequence[int]) -> Told:
        """What (2) is for a block of `hidden` records, the record among them."""
        best = Told((0, 1), {})
        for found in self.ratios(asked, hidden):
            best = found if exceeds(found.ratio, best.ratio) else best
        return Told(_shortened(*best.ratio), best.values)


def _shortened(top: int, bottom: int) -> Ratio:
    return Fraction(top, bottom).as_integer_ratio() if bottom else (1, 0)


def blocks_of(chain: Network) -> Blocks:
    """The blocks of a `chain`; those whose numbers are functions are made anew, as what is computed
    with these counts in the active cell alone."""
    parts = (chain.initial, *chain.transitions[0])
    if any(exact.is_symbolic(x) for row in parts for x in row):
        return Blocks(chain)
    return _kept(chain)


_kept = lru_cache(maxsize=4)(Blocks)  # the points of one curve are asked for one by one


def least(every: Sequence[Blocks], asked: Asked, size: int, enough: Ratio) -> tuple[Ratio, int]:
    """The least ratio (2) that a block of a size has, the worst chain counting; and where the block
    begins. Or those of a block that has at most `enough`.

    every   the blocks of each chain under which both sets of values are possible
    asked   what is compared
    size    how many records are hidden, at least one
    enough  a ratio with which the search ends
    """
    lowest = max(0, asked.record - size + 1)
    highest = min(asked.record, every[0].records - size)
    middle = min(max(asked.record - size // 2, lowest), highest)
    best = _largest(every, asked, middle, size), middle
    if not exceeds(best[0], enough):
        return best
    firsts = np.arange(lowest, highest + 1)
    near = np.max([blocks.near(asked, firsts, size) for blocks in every], axis=0)
    close = near.min() * (1 + CLOSE)
    for at in np.argsort(near, kind="stable").tolist():
        if near[at] > close:
            break
        first = int(firsts[at])
        ratio = _largest(every, asked, first, size)
        if exceeds(best[0], ratio):
            best = ratio, first
        if not exceeds(ratio, enough):
            break
    return best


def _largest(every: Sequence[Blocks], asked: Asked, first: int, size: int) -> Ratio:
    """The largest ratio (2) of a block under one of the chains, at least 1."""
    found = (1, 1)
    for blocks in every:
        ratio = blocks.told(asked, range(first, first + size)).ratio
        found = ratio if exceeds(ratio, found) else found
    return found

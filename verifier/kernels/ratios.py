"""The largest ratio M[o, w] / M[o, w'] over a relation, exact, and the level that it asks for.

Codes ascend with values, so block maxima and minima are found on integer arrays. Each distinct
(largest, smallest) pair of codes is one ratio. Pairs that another one exceeds on both sides are
left out; then floating logarithms only discard ratios that are far from the largest, and rationals
decide among the rest. At distance d a ratio r asks for the level r^(1/d), exact or enclosed.

By hand: of the columns (3/4, 1/4) and (1/4, 3/4) the largest ratio is 3, at the first output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import frexp, log2

import numpy as np

from verifier.base.cell import NoFunction
from verifier.base.exact import is_irrational, is_symbolic
from verifier.base.exact import root as exact_root
from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks

CHUNK = 2**23  # entries of a matrix looked at together
BITMAP = 2**24  # pairs of codes that are marked in a table rather than sorted
PRECISION = 2**40  # steps per unit of an enclosure of a number >= 1


@dataclass(frozen=True)
class Extreme(Later):
    """A largest ratio (None: infinite) and the codes of the entries that give it."""

    ratio: Fraction | None
    codes: frozenset[tuple[int, int]]


@dataclass(frozen=True, order=True)
class Witness(Later):
    """P(output | left) = ratio * P(output | right); ordered by left, right, output."""

    left: int
    right: int
    output: int


class Comparison:
    """A mechanism prepared for comparisons of its columns."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.columns = np.ascontiguousarray(mechanism.codes.T)  # (worlds, outputs)
        self.base = len(mechanism.values)

    def largest(self, blocks: Iterable[Blocks]) -> Extreme | None:
        """The largest ratio over all `blocks` where the left entry is positive, or None."""
        keys = [self._distinct(part) for part in blocks]
        distinct = _distinct(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.int64)
        hi, lo = np.divmod(distinct, self.base)
        values = self.mechanism.values
        if not values[0]:  # code 0 is probability 0
            hi, lo = hi[hi > 0], lo[hi > 0]
            infinite = hi[lo == 0]
            if len(infinite):
                return Extreme(None, frozenset((code, 0) for code in infinite.tolist()))
        if not len(hi):
            return None
        pairs = list(zip(*(side.tolist() for side in _frontier(hi, lo)), strict=True))
        if any(map(is_symbolic, values)):  # floats know a function at one value only
            size = [0.0] * len(pairs)
        else:
            size = [binary_logarithm(values[hi]) - binary_logarithm(values[lo]) for hi, lo in pairs]
        top = max(size)
        best, found = Fraction(0), set[tuple[int, int]]()
        for pair, logarithm in zip(pairs, size, strict=True):
            if logarithm < top - 1e-6:  # far beyond the error of the logarithms
                continue
            ratio = values[pair[0]] / values[pair[1]]
            if ratio > best:
                best, found = ratio, set()
            if ratio == best:
                found.add(pair)
        return Extreme(best, frozenset(found))

    def first(self, blocks: Iterable[Blocks], extreme: Extreme) -> Witness:
        """The first (left, right, output) of the `blocks`, in this order, whose entries have the
        `extreme`."""
        wanted = np.array(sorted(hi * self.base + lo for hi, lo in extreme.codes))
        infinite = extreme.ratio is None
        best: tuple[int, int, int] | None = None
        for part in blocks:
            order = np.argsort(part.left[:, 0], kind="stable")
            left, right = part.left[order], part.right[order]
            for rows in self._chunks(Blocks(left, right), first=16):
                if best is not None and left[rows.start, 0] > best[0]:
                    break
                found = self._first_in(left[rows], right[rows], wanted, infinite)
                best = min(filter(None, (best, found)), default=None)
        assert best is not None
        return Witness(*best)

    def _first_in(
        self, left: np.ndarray, right: np.ndarray, wanted: np.ndarray, infinite: bool
    ) -> tuple[int, int, int] | None:
        hi, lo = self._extremes(left, right)
        keys = hi.astype(np.int64) * self.base + lo
        hits = np.isin(keys, wanted) if len(wanted) > 1 else keys == wanted
        block, output = np.nonzero(hits)
        if not len(block):
            return None
        least = 1 if infinite else hi[block, output][:, None]  # code 0 is probability 0 there
        rows = self.columns[left[block], output[:, None]] >= least
        world = left[block, rows.argmax(axis=1)]
        rows = self.columns[right[block], output[:, None]] == lo[block, output][:, None]
        other = right[block, rows.argmax(axis=1)]
        at = np.lexsort((output, other, world))[0]
        return int(world[at]), int(other[at]), int(output[at])

    def _extremes(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Largest codes over `left`, smallest over `right`: two arrays (blocks, outputs)."""
        hi, lo = self.columns[left[:, 0]], self.columns[right[:, 0]]
        for at in range(1, left.shape[1]):
            hi = np.maximum(hi, self.columns[left[:, at]])
        for at in range(1, right.shape[1]):
            lo = np.minimum(lo, self.columns[right[:, at]])
        return hi, lo

    def _distinct(self, part: Blocks) -> np.ndarray:
        """The distinct keys hi * base + lo of one batch of blocks."""
        marked = np.zeros(self.base**2, dtype=bool) if self.base**2 <= BITMAP else None
        listed: list[np.ndarray] = []
        for rows in self._chunks(part):
            hi, lo = self._extremes(part.left[rows], part.right[rows])
            keys = hi.astype(np.int64) * self.base + lo
            if marked is None:
                listed.append(_distinct(keys))
            else:
                marked[keys] = True
        return np.flatnonzero(marked) if marked is not None else np.concatenate(listed)

    def _chunks(self, part: Blocks, first: int | None = None) -> Iterator[slice]:
        """Slices of the blocks, so that each takes bounded memory; `first` starts them small."""
        limit = max(1, CHUNK // max(1, self.columns.shape[1]))
        step = min(first or limit, limit)
        start = 0
        while start < len(part.left):
            yield slice(start, start + step)
            start += step
            step = min(2 * step, limit)


def _frontier(hi: np.ndarray, lo: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs for which no other has at least their hi and at most their lo; only these can
    have the largest ratio. The pairs ascend by hi, then lo."""
    smallest = np.append(True, hi[1:] != hi[:-1])
    hi, lo = hi[smallest], lo[smallest]
    least = np.minimum.accumulate(lo[::-1])[::-1]
    keep = np.append(lo[:-1] < least[1:], True)
    return hi[keep], lo[keep]


def binary_logarithm(value: Fraction) -> float:
    """log2 with an error below 1e-9, for numbers of any size."""

    def of(whole: int) -> float:
        """The logarithm of a positive integer, `whole`."""
        shift = max(0, whole.bit_length() - 64)
        mantissa, exponent = frexp(whole >> shift)
        return log2(mantissa) + exponent + shift

    if is_irrational(value):
        low, _, scale = value.enclosed(64)  # type: ignore[attr-defined]
        return of(int(low)) + int(scale)
    return of(value.numerator) - of(value.denominator)


def exceeds(a: Fraction, d: Fraction, b: Fraction, e: Fraction) -> bool:
    """Whether a^(1/d) > b^(1/e), for a, b > 0 and d, e > 0.

    >>> exceeds(Fraction(9), Fraction(2), Fraction(3), Fraction(1))
    False
    """
    left, right = e.numerator * d.denominator, d.numerator * e.denominator
    return a**left > b**right


def _distinct(keys: np.ndarray) -> np.ndarray:
    """The distinct of some keys of any shape, ascending; `np.unique` would load `numpy.ma`."""
    keys = np.sort(keys, axis=None)
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def level_of(ratio: Fraction, distance: Fraction) -> Fraction | tuple[Fraction, Fraction]:
    """ratio^(1/distance) for ratio >= 1: exact where rational, otherwise a (lower, upper)
    enclosure of relative width below 1e-9.

    >>> level_of(Fraction(9, 4), Fraction(2))
    Fraction(3, 2)
    """
    power, degree = ratio**distance.denominator, distance.numerator
    if is_irrational(power):
        return _irrational(power, degree)
    top, bottom = root(power.numerator, degree), root(power.denominator, degree)
    if top**degree == power.numerator and bottom**degree == power.denominator:
        return Fraction(top, bottom)
    scaled = power.numerator * PRECISION**degree // power.denominator
    steps = root(scaled, degree)
    return Fraction(steps, PRECISION), Fraction(steps + 1, PRECISION)


def _irrational(power: Fraction, degree: int) -> Fraction | tuple[Fraction, Fraction]:
    """The root of an irrational number above 1: exact where it is a power of e, or else bounds."""
    if is_symbolic(power):
        found = exact_root(power, degree)
        if found is None:
            raise NoFunction
        return found
    from verifier.base import exponential

    if (known := exponential.exponent(power)) is not None:
        return exponential.power(known / degree)
    if degree == 1:
        return power
    low, high = (
        root(end.numerator * PRECISION**degree // end.denominator, degree)
        for end in exponential.bounds(power, 30)
    )
    return Fraction(low, PRECISION), Fraction(high + 1, PRECISION)


def root(value: int, degree: int) -> int:
    """The integer part of the degree-th root of value >= 0."""
    if degree == 1:
        return value
    from flint import fmpz

    return int(fmpz(value).root(degree))

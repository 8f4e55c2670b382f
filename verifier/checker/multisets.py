"""Multisets of outputs by their likelihoods, and whether a weighted sum of these is never negative.

The likelihoods of a multiset are a vector with an entry for each class of worlds. A multiset is
extended by the place of its last output or later ones. As long as some have the same likelihoods
one of them is kept; then all likelihoods of one class are the digits of one long integer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import gcd, prod
from operator import mul
from typing import Protocol

from .digits import Digits
from .document import MAX_BYTES, need

HEAD = 28  # binary digits that settle most comparisons
FEW = 4  # runs in which no two multisets say the same, after which none are looked for
Vector = tuple[int, ...]


class Layer(Protocol):
    """All multisets of so many outputs, up to factors and repetition."""

    def fits(self, gains: Sequence[int]) -> bool:
        """Whether the sum of likelihoods times `gains` is nowhere negative."""


def heads(gains: Sequence[int]) -> list[int]:
    """The first digits of `gains`, rounded down, all cut at one place."""
    cut = max(0, max(map(int.bit_length, gains)) - HEAD)
    return [gain >> cut for gain in gains]


@dataclass(frozen=True)
class Listed:
    """Some vectors."""

    vectors: Sequence[Vector]

    def fits(self, gains: Sequence[int]) -> bool:
        """Whether the sum of entries times `gains` is nowhere negative."""
        short = heads(gains)
        return all(
            sum(map(mul, short, v)) >= 0 or sum(map(mul, gains, v)) >= 0 for v in self.vectors
        )


@dataclass(frozen=True)
class Packed:
    """The vectors of multisets, in the order of the places of their last outputs.

    columns  for each class the likelihoods, as the digits of a long integer
    ends     for each place how many multisets have their last output there or before
    digits   the form of the columns, with room for the likelihoods times heads of gains
    """

    columns: list[int]
    ends: list[int]
    digits: Digits

    @classmethod
    def of(cls, found: dict[Vector, int], width: int, places: int, most: int) -> "Packed":
        """The vectors `found` of that `width`, each with the place of its last output, one of so
        many `places`; no likelihood is going to be above `most`."""
        order = sorted(found, key=found.__getitem__)
        digits = Digits.up_to(2 * (width + 1) * most << HEAD, len(order))
        columns = [digits.of(vector[k] for vector in order) for k in range(width)]
        ends = [sum(last <= place for last in found.values()) for place in range(places)]
        return cls(columns, ends, digits)

    def extended(self, rows: Sequence[Vector], alike: bool) -> "Packed":
        """One more output, of these likelihoods; of later places than the last, if all runs are
        `alike`."""
        bits = 8 * self.digits.size
        ends = self.ends if alike else [self.digits.count] * len(rows)
        starts = list(accumulate(ends, initial=0))
        room = len(self.columns) * starts[-1] * self.digits.size
        need(room <= MAX_BYTES, "there are too many multisets to be kept")
        columns = []
        for k, column in enumerate(self.columns):
            both = zip(ends, rows, strict=True)
            parts = ((column & (1 << end * bits) - 1) * row[k] for end, row in both)
            placed = zip(parts, starts[:-1], strict=True)
            columns.append(sum(p << at * bits for p, at in placed))
        return Packed(columns, starts[1:], Digits(starts[-1], self.digits.size))

    def fits(self, gains: Sequence[int]) -> bool:
        """Whether the sum of entries times `gains` is nowhere negative."""
        pairs = list(zip(heads(gains), self.columns, strict=True))
        above, below = (sum(max(0, s * h) * c for h, c in pairs) for s in (1, -1))
        close = self.digits.below(above, below)
        return all(sum(map(mul, gains, vector)) >= 0 for vector in self._vectors(close))

    def _vectors(self, places: list[int]) -> Iterator[list[int]]:
        """The vectors at these `places`, ascending."""
        if not places:
            return
        first, size = places[0], self.digits.size
        count = (places[-1] + 1 - first) * size
        cut = (column >> 8 * first * size & (1 << 8 * count) - 1 for column in self.columns)
        texts = [column.to_bytes(count, "little") for column in cut]
        for place in places:
            own = slice((place - first) * size, (place - first + 1) * size)
            yield [int.from_bytes(text[own], "little") for text in texts]


def layers(
    steps: Sequence[Sequence[Vector]], width: int, runs: int, spend: Callable[[int], None]
) -> Iterator[Layer]:
    """The multisets of 1, 2, 3, … outputs, for so many `runs` of `steps`, again and again.

    width  how many classes of worlds there are
    spend  is told of how many multisets are made, before the next ones are"""
    rows = [list(dict.fromkeys(map(reduced, step))) for step in steps]
    found: dict[Vector, int] = {(1,) * width: 0}
    run, same, alike = 0, True, len(rows) == 1
    while same and run < runs:
        step, tried, run = rows[run % len(rows)], 0, run + 1
        further: dict[Vector, int] = {}
        for vector, start in found.items():
            for place in range(start if alike else 0, len(step)):
                product = reduced(tuple(map(mul, vector, step[place])))
                further[product] = min(place, further.get(product, place))
                tried += 1
        same = run < FEW or len(further) < tried
        spend(tried)
        found = further
        yield Listed(list(found))
    largest = [max((max(row, default=0) for row in step), default=0) for step in rows]
    rest = prod(largest[at % len(rows)] for at in range(run, runs))
    most = max((max(vector, default=0) for vector in found), default=0) * rest
    packed = Packed.of(found, width, len(rows[0]), most)
    for at in range(run, runs):
        packed = packed.extended(rows[at % len(rows)], alike)
        spend(packed.digits.count)
        yield packed


def reduced(vector: Vector) -> Vector:
    """A `vector` divided by the largest common divisor of its entries."""
    factor = gcd(*vector)
    return vector if factor <= 1 else tuple([x // factor for x in vector])

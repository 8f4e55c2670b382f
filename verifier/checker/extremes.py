"""The hardest comparisons of a table: those that imply all the others.

Codes ascend with values. So within a block each output needs its largest P against its smallest Q
only; and a pair (P, Q) implies every pair with a smaller P and a larger Q.
"""

import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from .reading import Table
from .relation import Block

FORMS = (("B", 4), ("H", 8), ("I", 16), ("Q", 32))  # type of array, half of its bits
MANY = 2**20


def hardest(table: Table, blocks: list[Block]) -> dict[Fraction, list[tuple[int, int]]]:
    """Per distance the pairs of codes, of P and Q with P > Q, that imply all those of the blocks.

    Fast by large integers: the codes of a column are the digits, in base 4^half, of one integer, so
    that one shift and one sum make the pairs p 2^half + q of all outputs.
    """
    form, half = next((f, h) for f, h in FORMS if len(table.values) <= 1 << h)
    size = len(table.outputs) * array(form).itemsize
    packed = [_pack(column, form) for column in table.columns]
    low = (1 << half) - 1
    found: dict[Fraction, set[int]] = defaultdict(set)

    def extreme(choose: Callable[[tuple[int, ...]], int], worlds: Sequence[int]) -> int:
        """The largest, or smallest, code of some columns, per output."""
        rows = zip(*(table.columns[w] for w in worlds), strict=True)
        return _pack(map(choose, rows), form)

    for first, second, distance in blocks:
        line = first is second and len(first) == 2
        p = packed[first[0]] if line or len(first) == 1 else extreme(max, first)
        q = packed[second[-1]] if line or len(second) == 1 else extreme(min, second)
        pairs = set(array(form, ((p << half) + q).to_bytes(size, sys.byteorder)))
        if line:
            pairs |= {((pair & low) << half) + (pair >> half) for pair in pairs}
        found[distance] |= pairs
        if len(found[distance]) > MANY:
            found[distance] = set(_frontier(found[distance], half))
    return {
        distance: [(pair >> half, pair & low) for pair in _frontier(pairs, half)]
        for distance, pairs in found.items()
    }


def _pack(codes: Iterable[int], form: str) -> int:
    return int.from_bytes(array(form, codes).tobytes(), sys.byteorder)


def _frontier(pairs: set[int], half: int) -> Iterator[int]:
    """The pairs with p > q, but those for which another has at least its p and at most its q."""
    least = 1 << half
    for pair in sorted(pairs, reverse=True):
        p, q = pair >> half, pair & (1 << half) - 1
        if q < min(p, least):
            least = q
            yield pair

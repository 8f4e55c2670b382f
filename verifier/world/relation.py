"""Which worlds are compared with which: ordered pairs, kept as blocks.

A block (S, T) stands for every ordered pair in S x T. For one output the block holds at alpha
exactly when max over S of M[o, .] <= alpha * min over T of M[o, .], so a line of m mutual
neighbours costs 2m steps instead of m^2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verifier.base import exact


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of one size: left[b] x right[b] for every b.

    left   shape (blocks, s), worlds ascending in each row
    right  shape (blocks, t), likewise; it may be `left` itself (mutual neighbours)
    distance  d of the comparison M[o, w] <= alpha^d * M[o, w']
    """

    left: np.ndarray
    right: np.ndarray
    distance: Fraction = Fraction(1)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Every ordered pair of different worlds."""
        for left, right in zip(self.left.tolist(), self.right.tolist(), strict=True):
            for world in left:
                for other in right:
                    if world != other:
                        yield world, other

    def count(self) -> int:
        """The number of ordered pairs of different worlds (a pair in two blocks counts twice)."""
        size = len(self.left) * self.left.shape[1] * self.right.shape[1]
        return int(size - self.left.size if self.right is self.left else size)


@dataclass(frozen=True, eq=False)
class Relation:
    """The comparisons of a check, and how its certificate states them.

    statement    the `relation` object of the certificate, see docs/certificate.md
    notes        remarks for the reader, such as a relation that is not symmetric
    overlapping  whether a pair may stand in several blocks
    """

    blocks: tuple[Blocks, ...]
    statement: dict[str, object]
    notes: tuple[str, ...] = ()
    overlapping: bool = False

    def is_empty(self) -> bool:
        """Whether nothing is compared."""
        return not any(part.count() for part in self.blocks)

    def count(self) -> int:
        """The number of ordered pairs compared."""
        return len(self.pairs()) if self.overlapping else sum(b.count() for b in self.blocks)

    def pairs(self) -> list[tuple[int, int]]:
        """Every ordered pair once, ascending."""
        return sorted({pair for part in self.blocks for pair in part.pairs()})


def groups(keys: np.ndarray, members: np.ndarray) -> dict[int, np.ndarray]:
    """Group `members` (worlds, ascending) by equal `keys`: size m -> array (groups, m)."""
    if not len(members):
        return {}
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(ordered)])
    return {
        int(size): members[order[starts[sizes == size][:, None] + np.arange(size)]]
        for size in np.unique(sizes)
    }


def lines(keys: np.ndarray, members: np.ndarray) -> list[Blocks]:
    """Blocks of mutual neighbours: members with equal keys, groups of one left out."""
    return [Blocks(group, group) for size, group in groups(keys, members).items() if size > 1]


def crossings(keys: np.ndarray, left: np.ndarray, right: np.ndarray) -> list[Blocks]:
    """Blocks left x right within equal keys; `left`, `right` are Boolean arrays over worlds."""
    both = np.intersect1d(keys[left], keys[right])
    shape: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
    sides = []
    for side in (left, right):
        members = np.flatnonzero(side & np.isin(keys, both))
        order = np.argsort(keys[members], kind="stable")
        ordered = keys[members][order]
        cuts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
        sides.append(np.split(members[order], cuts) if len(members) else [])
    for row, column in zip(*sides, strict=True):
        shape.setdefault((len(row), len(column)), []).append((row, column))
    return [
        Blocks(np.array([row for row, _ in found]), np.array([column for _, column in found]))
        for found in shape.values()
    ]


def listed(pairs: Iterable[tuple[int, int]]) -> list[Blocks]:
    """Blocks of one pair each."""
    table = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return [Blocks(table[:, :1], table[:, 1:])] if len(table) else []


def listing(neighbours: Mapping[Fraction, Iterable[list[int]]]) -> dict[str, object]:
    """The statement of a relation that lists, for each distance and each world, the worlds it is
    compared with."""
    return {
        "rule": "pairs",
        "distances": {exact.text(d): list(rows) for d, rows in neighbours.items()},
    }


def listing_of(size: int, blocks: Iterable[Blocks]) -> dict[str, object]:
    """The statement that lists the pairs of blocks over `size` worlds."""
    neighbours: dict[Fraction, list[set[int]]] = {}
    for part in blocks:
        rows = neighbours.setdefault(part.distance, [set() for _ in range(size)])
        for left, right in part.pairs():
            rows[left].add(right)
    return listing({d: map(sorted, rows) for d, rows in neighbours.items()})

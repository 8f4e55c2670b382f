"""Which worlds are compared with which: ordered pairs, kept as blocks; those that differ little.

A block (S, T) stands for every ordered pair in S x T. For one output the block holds at alpha
exactly when max over S of M[o, .] <= alpha * min over T of M[o, .], so a line of m mutual
neighbours costs 2m steps instead of m^2.

Worlds that agree on everything but the chosen records form such lines, found by sorting one integer
key per world; no pair of worlds is ever tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.base.nouns import Later, dataclass
from verifier.world import transport
from verifier.world.worlds import WorldSpace

NAMED = "for named worlds write differential_privacy with neighbours: all"
RULES = ("replace", "add_remove", "entry", "all")


@dataclass(frozen=True, eq=False)
class Blocks(Later):
    """Blocks of one size: left[b] x right[b] for every b.

    left   shape (blocks, s), worlds ascending in each row
    right  shape (blocks, t), likewise; it may be `left` itself (mutual neighbours)
    distance  d of the comparison M[o, w] <= alpha^d * M[o, w']
    """

    left: np.ndarray
    right: np.ndarray
    distance: Fraction = Fraction(1)

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Every ordered pair of different worlds: the first ones, and the second ones."""
        left, right = np.broadcast_arrays(self.left[:, :, None], self.right[:, None, :])
        different = left != right
        return left[different], right[different]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Every ordered pair of different worlds."""
        left, right = self.arrays()
        return zip(left.tolist(), right.tolist(), strict=True)

    def count(self) -> int:
        """The number of ordered pairs of different worlds (a pair in two blocks counts twice)."""
        size = len(self.left) * self.left.shape[1] * self.right.shape[1]
        return int(size - self.left.size if self.right is self.left else size)


@dataclass(frozen=True, eq=False)
class Relation(Later):
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
        if not self.blocks:
            return []
        parts = zip(*(part.arrays() for part in self.blocks), strict=True)
        left, right = map(np.concatenate, parts)
        order = np.lexsort((right, left))
        left, right = left[order], right[order]
        new = np.r_[True, (left[1:] != left[:-1]) | (right[1:] != right[:-1])][: len(left)]
        return list(zip(left[new].tolist(), right[new].tolist(), strict=True))


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
        for size in np.flatnonzero(np.bincount(sizes))
    }


def lines(keys: np.ndarray, members: np.ndarray) -> list[Blocks]:
    """Blocks of mutual neighbours: members with equal keys, groups of one left out."""
    return [Blocks(group, group) for size, group in groups(keys, members).items() if size > 1]


def crossings(keys: np.ndarray, left: np.ndarray, right: np.ndarray) -> list[Blocks]:
    """Blocks left x right within equal keys; `left`, `right` are Boolean arrays over worlds."""
    shape: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
    sides = []
    for side, other in ((left, right), (right, left)):
        members = np.flatnonzero(side & np.isin(keys, keys[other]))
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
    """Blocks of one pair each, for all `pairs`."""
    table = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
    return [Blocks(table[:, :1], table[:, 1:])] if len(table) else []


def paired(
    found: Iterable[tuple[np.ndarray, np.ndarray]], distance: Fraction = Fraction(1)
) -> list[Blocks]:
    """One batch of blocks of one pair each, for all that are `found`, worlds and as many
    neighbours of theirs, at a `distance`."""
    parts = list(found) or [(np.zeros(0, dtype=np.int64),) * 2]
    left, right = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = np.lexsort((right, left))
    left, right = left[order, None], right[order, None]
    return [Blocks(left, right, distance)] if len(left) else []


def listing(neighbours: Mapping[Fraction, Iterable[list[int]]]) -> dict[str, object]:
    """The statement of a relation that lists the `neighbours` of each world, by distance."""
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


@lru_cache(maxsize=1)  # checks of one file, and rows of one sweep, ask for the same
def by_rule(space: WorldSpace, rule: str, group: int = 1) -> Relation:
    """The relation of a `rule` over `space`; up to `group` changes of its kind at once. Histograms
    are related where some lists of records are that have them.

    replace     up to `group` records, present on both sides, change their value
    add_remove  up to `group` records are present on one side and absent on the other
    entry       up to `group` entries (attributes) of records present on both sides change
    all         every two worlds

    Raises InputError S603 where the worlds are not databases of records.
    """
    statement: dict[str, object] = {"rule": rule}
    if rule == "all":
        everything = np.arange(space.size)[None, :]
        blocks = [Blocks(everything, everything)] if space.size > 1 else []
        return Relation(tuple(blocks), statement)
    if space.is_histograms:
        return Relation(
            tuple(paired(transport.near(space, rule, group))), {**statement, "group": group}
        )
    if not space.records:
        raise InputError(
            "S603",
            f"neighbours '{rule}' need worlds made of records; use 'all' for named worlds",
            hint=NAMED,
        )
    statement["group"] = group
    found = _presence(space, group) if rule == "add_remove" else _values(space, rule, group)
    return Relation(tuple(found), statement, overlapping=group > 1)


def _values(space: WorldSpace, rule: str, group: int) -> list[Blocks]:
    entries = space.entry_codes
    width = len(entries) // len(space.records)
    size = width if rule == "replace" else 1
    units = [range(start, start + size) for start in range(0, len(entries), size)]
    everyone = np.arange(space.size)
    found: list[Blocks] = []
    for chosen in combinations(units, min(group, len(units))):
        moved = {entry for unit in chosen for entry in unit}
        fixed = [row + 1 for at, row in enumerate(entries) if at not in moved]
        presence = [(entries[entry] >= 0).astype(np.int64) for entry in moved]
        found += lines(keys(fixed + presence, space.size), everyone)
    return found


def _presence(space: WorldSpace, group: int) -> list[Blocks]:
    records = range(len(space.records))
    present = [space.present(record) for record in records]
    found: list[Blocks] = []
    for size in range(1, min(group, len(records)) + 1):
        for moved in combinations(records, size):
            same = keys([space.record_codes[r] for r in records if r not in moved], space.size)
            for kept in range(2**size):
                removed = {r for at, r in enumerate(moved) if kept >> at & 1}
                left = np.all([present[r] == (r in removed) for r in moved], axis=0)
                right = np.all([present[r] == (r not in removed) for r in moved], axis=0)
                found += crossings(same, left, right)
    return found


def keys(rows: Iterable[Sequence[int] | np.ndarray], size: int) -> np.ndarray:
    """One integer for each of `size` worlds, equal exactly where all rows (of codes >= 0) are
    equal."""
    key, bound = np.zeros(size, dtype=np.int64), 1
    for row in rows:
        codes = np.asarray(row, dtype=np.int64)
        radix = int(codes.max(initial=0)) + 1
        if bound * radix >= 2**62:
            distinct, key = np.unique(key, return_inverse=True)
            bound = len(distinct)
        key, bound = key * radix + codes, bound * radix
    return key

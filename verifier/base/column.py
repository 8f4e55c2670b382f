"""One value per world, exactly: a short table of distinct values and one integer code per world.

An operation on columns runs once per combination of values that occurs, not once per world, so
exact arithmetic on a million worlds costs a few array operations.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Column:
    """The value of world w is values[codes[w]].

    values  distinct (a value may be unused)
    codes   shape (worlds,), integers below len(values)
    """

    values: tuple[Hashable, ...]
    codes: np.ndarray

    @property
    def size(self) -> int:
        """The number of worlds."""
        return len(self.codes)

    def take(self, rows: np.ndarray) -> Column:
        """The column of the worlds with the given numbers, in that order."""
        return Column(self.values, self.codes[rows])

    def where(self, test: Callable[[Any], object]) -> np.ndarray:
        """Boolean array: whether the value of each world passes a test."""
        passes = np.array([bool(test(value)) for value in self.values], dtype=bool)
        return np.asarray(passes[self.codes])

    def tolist(self) -> list[Any]:
        """The values, one per world."""
        return [self.values[code] for code in self.codes.tolist()]


def constant(value: Hashable, size: int) -> Column:
    """The column with one value everywhere."""
    return Column((value,), np.zeros(size, dtype=np.uint8))


def lift(operation: Callable[..., Any], *arguments: Any) -> Any:
    """`operation` of the arguments world by world: called once per combination that occurs.

    Arguments that are no columns are the same in every world; with no column at all this is a
    plain call.

    >>> bit = Column((0, 1), np.array([0, 1, 1]))
    >>> lift(lambda x, y: x + y, bit, 2).tolist()
    [2, 3, 3]
    """
    columns = [argument for argument in arguments if isinstance(argument, Column)]
    if not columns:
        return operation(*arguments)
    indices, codes = combinations([(len(c.values), c.codes) for c in columns])
    rows = iter(indices)
    size = len(indices[0])
    spread = [
        [argument.values[i] for i in next(rows).tolist()]
        if isinstance(argument, Column)
        else [argument] * size
        for argument in arguments
    ]
    table, order = intern(map(operation, *spread))
    return Column(table, order[codes] if len(table) < size else codes)


def intern(values: Iterable[Hashable]) -> tuple[tuple[Hashable, ...], np.ndarray]:
    """The distinct values in order of first appearance, and the code of each."""
    seen: dict[Hashable, int] = {}
    codes = [seen.setdefault(value, len(seen)) for value in values]
    return tuple(seen), np.array(codes, dtype=_smallest(len(seen)))


def combinations(parts: Sequence[tuple[int, np.ndarray]]) -> tuple[list[np.ndarray], np.ndarray]:
    """The combinations of codes that occur together.

    Each part is (number of codes, codes of the rows); all have the same rows. Returns, per part,
    its code in each combination, and the combination of each row. Combinations are numbered in
    lexicographic order.
    """
    (size, codes), *rest = parts
    if not rest:
        present, codes = compress(codes, size)
        return [present], codes
    indices = [np.arange(size)]
    for more, other in rest:
        product = size * more
        wide = _smallest(product)
        present, codes = compress(codes.astype(wide) * wide(more) + other.astype(wide), product)
        before = present // more
        indices = [index[before] for index in indices] + [present - before * more]
        size = len(present)
    return indices, codes


def compress(codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The codes below `size` that occur, ascending, and for each row the rank of its code."""
    if size > 4 * len(codes) + 4096:
        present, ranks = np.unique(codes, return_inverse=True)
        return present.astype(np.int64), ranks.reshape(-1)
    occurs = np.flatnonzero(np.bincount(codes, minlength=size))
    if len(occurs) == size:
        return occurs, codes
    order = np.zeros(size, dtype=_smallest(len(occurs)))
    order[occurs] = np.arange(len(occurs))
    return occurs, order.take(codes)


def join(size: int, parts: Iterable[tuple[np.ndarray, Any]]) -> Column:
    """The column of `size` worlds put together from parts (world numbers, column or value)."""
    seen: dict[Hashable, int] = {}
    codes = np.zeros(size, dtype=np.int64)
    for rows, part in parts:
        if isinstance(part, Column):
            order = [seen.setdefault(value, len(seen)) for value in part.values]
            codes[rows] = np.array(order, dtype=np.int64)[part.codes]
        else:
            codes[rows] = seen.setdefault(part, len(seen))
    return Column(tuple(seen), codes.astype(_smallest(len(seen))))


def _smallest(size: int) -> type[np.unsignedinteger[Any]] | type[np.signedinteger[Any]]:
    """The smallest integer type for the codes 0 .. size - 1."""
    for kind in (np.uint8, np.uint16, np.uint32):
        if size <= np.iinfo(kind).max:
            return kind
    return np.int64

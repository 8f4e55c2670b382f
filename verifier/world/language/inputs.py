"""What a program reads of the world, and worlds sorted by what has been read so far.

An *input* is a largest subexpression that the world alone decides (`count(value == 1)`, `r1`).
Worlds that agree on all inputs form a *class* and are never told apart. A program starts with all
classes in one *block*; blocks are split only when an input is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base.errors import InputError
from verifier.world.language import operations
from verifier.world.language.evaluate import Worlds, value_of
from verifier.world.language.syntax import (
    Apply,
    Const,
    Current,
    Draw,
    Input,
    Term,
    Tree,
    Variable,
    mentions_current,
    rebuild,
    walk,
)
from verifier.world.mechanism import Column, combinations, join, lift
from verifier.world.space import WorldSpace


@dataclass(frozen=True)
class Ref:
    """The value of an input that has not been looked at yet."""

    number: int


def refs(value: Any) -> frozenset[int]:
    """The inputs that a value still refers to."""
    if isinstance(value, Ref):
        return frozenset([value.number])
    if isinstance(value, tuple):
        return frozenset().union(*map(refs, value))
    return frozenset()


def outer_refs(value: Any) -> frozenset[int]:
    """The input that a value is, if it is one."""
    return frozenset([value.number]) if isinstance(value, Ref) else frozenset()


Wanted = Callable[[Any], frozenset[int]]


def refs_in(value: Any, wanted: Wanted) -> frozenset[int]:
    """The inputs that a value, or a column where it has rows, refers to."""
    if not isinstance(value, Column):
        return wanted(value)
    symbolic = [code for code, found in enumerate(value.values) if wanted(found)]
    present = np.intersect1d(symbolic, value.codes).tolist() if symbolic else []
    return frozenset[int]().union(*(wanted(value.values[code]) for code in present))


def resolve(value: Any, known: Mapping[int, Any]) -> Any:
    """The value with its references replaced."""
    if isinstance(value, Ref):
        return known[value.number]
    if isinstance(value, tuple):
        return tuple(resolve(item, known) for item in value)
    return value


class Collector:
    """Replaces the largest subexpressions that the world alone decides by inputs."""

    def __init__(self, space: WorldSpace, tree: Tree, secrets: Mapping[str, np.ndarray]) -> None:
        self.space, self.tree = space, tree
        self.context = Worlds(space, tree, secrets, {})
        self.columns: list[Column] = []
        self.numbers: dict[tuple[Any, bytes], int] = {}
        self.records: tuple[int, ...] = ()

    def term(self, term: Term) -> Term:
        """The term with inputs in it. What fails in some world is tried part by part, so that it
        fails only where the program gets there."""
        if isinstance(term, Const):
            return term
        if isinstance(term, Current):
            if self.space.counts is not None:
                raise self.tree.source.fail(
                    term.at, "S303", "of exchangeable records, a program may only use totals"
                )
            self.read_records()
            return term
        stored = isinstance(term, Apply) and term.operation is operations.display
        if not stored and not mentions_current(term) and not _needs_state(term):
            try:
                value = value_of(term, self.context)
            except InputError:
                return rebuild(term, self.term)
            if not isinstance(value, Column):
                return Const(term.at, value)
            return Input(term.at, self.number(value))
        return rebuild(term, self.term)

    def read_records(self) -> None:
        """Make every record an input."""
        if not self.records:
            columns = map(self.space.record, range(len(self.space.records)))
            self.records = tuple(map(self.number, columns))

    def number(self, column: Column) -> int:
        """The number of an input; equal columns are one input."""
        key = column.values, np.asarray(column.codes, dtype=np.int64).tobytes()
        if key not in self.numbers:
            self.numbers[key] = len(self.columns)
            self.columns.append(column)
        return self.numbers[key]


def _needs_state(term: Term) -> bool:
    return any(isinstance(part, Variable | Draw) for part in walk(term))


@dataclass(frozen=True, eq=False)
class Partition:
    """Classes sorted into blocks by the inputs that have been read.

    read      the inputs on which the classes of a block agree
    block     shape (classes,): the block of each class
    first     shape (blocks,): the first class of each block
    """

    read: frozenset[int]
    block: np.ndarray
    first: np.ndarray
    columns: dict[int, Column] = field(default_factory=dict)  # input -> column over the blocks

    @property
    def size(self) -> int:
        """The number of blocks."""
        return len(self.first)


@dataclass(frozen=True, eq=False)
class Classes:
    """The worlds sorted into classes that agree on every input.

    inputs    columns over the classes
    of_world  shape (worlds,): the class of each world
    first     shape (classes,): the first world of each class
    """

    inputs: tuple[Column, ...]
    of_world: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, columns: list[Column], worlds: int) -> Classes:
        """The classes of columns over the worlds."""
        everything = (1, np.zeros(worlds, dtype=np.uint8))
        codes = combinations([everything, *((len(c.values), c.codes) for c in columns)])[1]
        first = _first(codes)
        return cls(tuple(column.take(first) for column in columns), codes, first)

    @cached_property
    def known(self) -> dict[frozenset[int], Partition]:
        """The partitions made so far; one per set of inputs, so that numbers of blocks agree."""
        start = Partition(
            frozenset(), np.zeros(len(self.first), dtype=np.int64), np.zeros(1, dtype=np.int64)
        )
        return {start.read: start}

    def refine(self, partition: Partition, read: frozenset[int]) -> Partition:
        """The partition in which also the inputs `read` have been read."""
        for number in sorted(read - partition.read):
            more = partition.read | {number}
            if more not in self.known:
                column = self.inputs[number]
                parts = [(partition.size, partition.block), (len(column.values), column.codes)]
                block = combinations(parts)[1].astype(np.int64)
                self.known[more] = Partition(more, block, _first(block))
            partition = self.known[more]
        return partition

    def look(self, value: Any, partition: Partition, blocks: np.ndarray, wanted: Wanted) -> Any:
        """A value, or a column over rows with the given blocks, with its references replaced
        where `wanted` names them and all have been read."""

        def ready(found: Any) -> bool:
            return bool(wanted(found)) and refs(found) <= partition.read

        if not isinstance(value, Column):
            return self._replaced(value, partition, blocks) if ready(value) else value
        symbolic = [code for code, found in enumerate(value.values) if ready(found)]
        if not symbolic:
            return value
        plain = np.flatnonzero(~np.isin(value.codes, symbolic))
        parts: list[tuple[np.ndarray, Any]] = [(plain, value.take(plain))]
        for code in symbolic:
            rows = np.flatnonzero(value.codes == code)
            if len(rows):
                found = self._replaced(value.values[code], partition, blocks[rows])
                parts.append((rows, found))
        return join(len(blocks), parts)

    def _replaced(self, value: Any, partition: Partition, blocks: np.ndarray) -> Any:
        numbers = sorted(refs(value))
        columns = [self.column(partition, number).take(blocks) for number in numbers]
        if isinstance(value, Ref):
            return columns[0]
        return lift(lambda *found: resolve(value, dict(zip(numbers, found, strict=True))), *columns)

    def column(self, partition: Partition, number: int) -> Column:
        """An input that has been read, over the blocks."""
        if number not in partition.columns:
            partition.columns[number] = self.inputs[number].take(partition.first)
        return partition.columns[number]


def _first(codes: np.ndarray) -> np.ndarray:
    """The first place of each code 0, 1, 2, …"""
    first = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first

"""All the states that a program can be in at one point, with their exact probabilities.

An *input* is a largest subexpression that the world alone decides (`count(value == 1)`, `r1`).
Worlds that agree on all inputs form a *class* and are never told apart. A program starts with all
classes in one *block*; blocks are split only when an input is looked at.

A row of a *front* is a block of worlds together with one value per variable; its weight over the
common denominator is the probability of getting there in each world of the block. Equal rows are
merged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from itertools import chain
from math import lcm
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.errors import InputError, LimitReached
from verifier.noise.draws import Path, one_of_them
from verifier.noise.names import renamed
from verifier.world.language import operations
from verifier.world.language.evaluate import Worlds, value_of
from verifier.world.language.operations import Distribution
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
from verifier.world.language.unclamped import Alternatives, draws_in
from verifier.world.mechanism import Column, combinations, compress, intern, join, lift
from verifier.world.space import Dictionary, WorldSpace

MAX_ROWS = 5_000_000
REMEMBERED = 2**16  # tuples whose references are known
NONE = frozenset[int]()


@dataclass(frozen=True)
class Ref:
    """The value of an input that has not been looked at yet."""

    number: int


def outer_refs(value: Any) -> frozenset[int]:
    """The input that a value is, if it is one."""
    return frozenset([value.number]) if isinstance(value, Ref) else frozenset()


Wanted = Callable[[Any], frozenset[int]]


def refs_in(value: Any, wanted: Wanted) -> frozenset[int]:
    """The inputs that a `value`, or a column where it has rows, refers to, as `wanted` names
    them."""
    if not isinstance(value, Column):
        return wanted(value)
    symbolic = [code for code, found in enumerate(value.values) if wanted(found)]
    present = np.intersect1d(symbolic, value.codes).tolist() if symbolic else []
    return frozenset[int]().union(*(wanted(value.values[code]) for code in present))


def resolve(value: Any, known: Mapping[int, Any]) -> Any:
    """The `value` with its references replaced by the `known` values of inputs."""
    if isinstance(value, Ref):
        return known[value.number]
    if isinstance(value, tuple):
        return tuple(resolve(item, known) for item in value)
    if isinstance(value, Dictionary):
        return Dictionary(resolve(value.entries, known))
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
        """The number of an input, `column`; equal columns are one input."""
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

    @cached_property
    def _found(self) -> dict[int, tuple[object, frozenset[int]]]:
        """The references in tuples, by their identity; each is kept, or another might have it."""
        return {}

    def refs(self, value: Any) -> frozenset[int]:
        """The inputs that a value still refers to."""
        if isinstance(value, Ref):
            return frozenset([value.number])
        if isinstance(value, Dictionary):
            return self.refs(value.entries)
        if not isinstance(value, tuple):
            return NONE
        known = self._found.get(id(value))
        if known is None:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            known = value, NONE.union(*map(self.refs, value))
            self._found[id(value)] = known
        return known[1]

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
        """A `value`, or a column over rows, with references replaced where all have been read.

        partition  what has been read
        blocks     of the rows
        wanted     value -> the inputs to be replaced in it
        """

        def ready(found: Any) -> bool:
            """Whether a value, `found`, has references that are wanted, and all have been read."""
            return bool(wanted(found)) and self.refs(found) <= partition.read

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
        numbers = sorted(self.refs(value))
        columns = [self.column(partition, number).take(blocks) for number in numbers]
        if isinstance(value, Ref):
            return columns[0]
        return lift(lambda *found: resolve(value, dict(zip(numbers, found, strict=True))), *columns)

    def column(self, partition: Partition, number: int) -> Column:
        """The input with this `number`, which has been read, over the blocks of a `partition`."""
        if number not in partition.columns:
            partition.columns[number] = self.inputs[number].take(partition.first)
        return partition.columns[number]


def _first(codes: np.ndarray) -> np.ndarray:
    """The first place of each code 0, 1, 2, …"""
    first = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


class Unset(Enum):
    """The value of a variable that has not been assigned on the way here."""

    UNSET = 0


UNSET = Unset.UNSET
PATH = " path"  # the variable, which no program can write, that holds what is known of draws


@dataclass(frozen=True, eq=False)
class Front:
    """States at one point of a program.

    block    shape (rows,): blocks of the partition
    weight   shape (rows,): positive Python integers, over `denominator`
    values   variable -> column over the rows, or one value for all rows
    """

    partition: Partition
    block: np.ndarray
    weight: np.ndarray
    denominator: int
    values: Mapping[str, Any]

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.block)

    def take(self, rows: np.ndarray) -> Front:
        """Some of the rows, possibly repeated."""
        values = {
            name: value.take(rows) if isinstance(value, Column) else value
            for name, value in self.values.items()
        }
        return replace(self, block=self.block[rows], weight=self.weight[rows], values=values)

    def with_value(self, name: str, value: Any) -> Front:
        """With a variable, `name`, assigned a `value`."""
        return replace(self, values={**self.values, name: value})


def start(classes: Classes, unclamped: bool = False) -> Front:
    """One state over all `classes`: nothing read, nothing assigned; with a path where draws are
    `unclamped`."""
    one = np.array([1], dtype=object)
    values = {PATH: Path()} if unclamped else {}
    return Front(classes.known[frozenset()], np.zeros(1, dtype=np.int64), one, 1, values)


def column_of(value: Any, size: int) -> Column:
    """A `value` as a column of so many rows, if it is none."""
    return value if isinstance(value, Column) else Column((value,), np.zeros(size, dtype=np.uint8))


def split(front: Front, rows: np.ndarray, asked: Any) -> Front:
    """The states of a `front`, those of some `rows` told apart by what is `asked` there.

    asked  one value for each of the rows, or a column of them; some are Alternatives
    """
    paths = column_of(front.values[PATH], front.size)
    found = lift(_cases, paths.take(rows), column_of(asked, len(rows)))
    cases = [*((path,) for path in paths.values), *found.values]
    kind = paths.codes.astype(np.int64)
    kind[rows] = found.codes + np.int64(len(paths.values))
    sizes = np.array([len(case) for case in cases])
    again, offset = _repeat(sizes[kind])
    table, codes = intern(chain.from_iterable(cases))
    told = codes[(np.cumsum(sizes) - sizes)[kind[again]] + offset]
    return front.take(again).with_value(PATH, _without_unused(table, told))


def _without_unused(table: Sequence[Any], codes: np.ndarray) -> Any:
    """The column with these codes in a `table`; its only value where there is one."""
    present, codes = compress(codes, len(table))
    left = tuple(table[code] for code in present.tolist())
    return Column(left, codes) if left[1:] else left[0]


def _cases(path: Path, asked: Any) -> tuple[Path, ...]:
    """The paths into which a `path` is split; itself where nothing is asked."""
    if not isinstance(asked, Alternatives):
        return (path,)
    longer = (path.plus(case) for case in asked.cases)
    return tuple(found for found in longer if found is not None)


def join_paths(front: Front) -> Front:
    """The `front` with states that differ in their paths only made one, where one path says it."""
    column = front.values.get(PATH)
    if not isinstance(column, Column):
        return front
    names = [n for n, value in front.values.items() if isinstance(value, Column) and n != PATH]
    parts = [(len(front.values[n].values), front.values[n].codes) for n in names]
    (found, *_), group = combinations([(front.partition.size, front.block), *parts])
    if len(found) == front.size:
        return front
    rows: dict[tuple[int, int], list[int]] = {}
    for row, key in enumerate(zip(group.tolist(), front.weight.tolist(), strict=True)):
        rows.setdefault(key, []).append(row)
    paths, kept = column.tolist(), []
    for members in rows.values():
        one = one_of_them([paths[row] for row in members]) if len(members) > 1 else None
        if one is not None:
            paths[members[0]], members = one, members[:1]
        kept += members
    if len(kept) == front.size:
        return front
    table, codes = intern(paths[row] for row in kept)
    return front.take(np.array(kept)).with_value(PATH, _without_unused(table, codes))


def rename(front: Front) -> Front:
    """The `front` with other names of draws that are in paths alone, so that equal ones are found
    in states of several worlds."""
    paths = front.values.get(PATH)
    if not isinstance(paths, Column):
        return front
    values = chain.from_iterable(
        value.values if isinstance(value, Column) else (value,)
        for name, value in front.values.items()
        if name != PATH
    )
    live = frozenset(chain.from_iterable(map(draws_in, values)))
    table, order = intern(map(partial(renamed, live=live), paths.values))
    if len(table) == len(paths.values):
        return front
    return merge(front.with_value(PATH, _without_unused(table, order[paths.codes])))


def refine(front: Front, classes: Classes, read: frozenset[int]) -> Front:
    """The states of a `front`, told apart by the further inputs `read` of the `classes`."""
    fine = classes.refine(front.partition, read)
    if fine is front.partition:
        return front
    parent = front.partition.block[fine.first]
    count = np.bincount(parent, minlength=front.partition.size)
    rows, offset = _repeat(count[front.block])
    begin = (np.cumsum(count) - count)[front.block]
    block = np.argsort(parent, kind="stable")[begin[rows] + offset]
    return replace(front.take(rows), partition=fine, block=block)


def draw(front: Front, name: str, given: Any) -> Front:
    """Every state of a `front` continued with every outcome of its distribution.

    name   the variable that gets the outcome
    given  a distribution, or a column of them
    """
    column = column_of(given, front.size)
    choices: Sequence[Distribution] = column.values  # type: ignore[assignment]
    common, masses = exact.in_integers([p for d in choices for p in d.probabilities])
    outcomes, codes = intern(outcome for d in choices for outcome in d.outcomes)
    numerators = np.array(masses, dtype=object)
    count = np.array([len(d.outcomes) for d in choices])
    rows, offset = _repeat(count[column.codes])
    place = (np.cumsum(count) - count)[column.codes][rows] + offset
    wide = front.take(rows)
    weight = wide.weight * numerators[place] if len(masses) > len(choices) else wide.weight
    drawn = replace(wide, weight=weight, denominator=front.denominator * common)
    return drawn.with_value(
        name, Column(outcomes, codes[place]) if len(outcomes) > 1 else outcomes[0]
    )


def _repeat(count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers, each repeated so many times, and the position within the repetition."""
    total = int(count.sum())
    if total > MAX_ROWS:
        raise LimitReached(f"the program has {total} states at once, {MAX_ROWS} are allowed")
    rows = np.repeat(np.arange(len(count)), count)
    return rows, np.arange(total) - np.repeat(np.cumsum(count) - count, count)


def unite(fronts: Sequence[Front], classes: Classes) -> Front:
    """The states of several `fronts` over the same `classes` together, unmerged."""
    if len(fronts) == 1:
        return fronts[0]
    read = frozenset[int]().union(*(front.partition.read for front in fronts))
    fronts = [refine(front, classes, read) for front in fronts]
    common = lcm(*(front.denominator for front in fronts))
    ends = np.cumsum([front.size for front in fronts])
    if ends[-1] > MAX_ROWS:
        raise LimitReached(f"the program has {ends[-1]} states at once, {MAX_ROWS} are allowed")
    values = {}
    for name in dict.fromkeys(name for front in fronts for name in front.values):
        parts = [_known(front, name, classes) for front in fronts]
        rows = [np.arange(e - f.size, e) for e, f in zip(ends, fronts, strict=True)]
        column = join(int(ends[-1]), zip(rows, parts, strict=True))
        values[name] = column if len(column.values) > 1 else column.values[0]
    return Front(
        classes.refine(fronts[0].partition, read),
        np.concatenate([front.block for front in fronts]),
        np.concatenate([_scaled(front, common) for front in fronts]),
        common,
        values,
    )


def _known(front: Front, name: str, classes: Classes) -> Any:
    """A variable's value; what has been read is no longer symbolic, so that it can merge."""
    value = front.values.get(name, UNSET)
    return classes.look(value, front.partition, front.block, classes.refs)


def _scaled(front: Front, denominator: int) -> np.ndarray:
    factor = denominator // front.denominator
    return front.weight if factor == 1 else front.weight * factor


def forget(front: Front, needed: frozenset[str]) -> Front:
    """The `front` without the variables that are not `needed` any more."""
    kept = needed | {PATH}
    values = {name: value for name, value in front.values.items() if name in kept}
    return replace(front, values=values)


def settle(front: Front, needed: frozenset[str]) -> Front:
    """The `front` without the variables that are not `needed` any more, and equal states merged."""
    rest = forget(front, needed)
    gone = (value for name, value in front.values.items() if name not in rest.values)
    return merge(rest) if any(isinstance(value, Column) for value in gone) else rest


def merge(front: Front) -> Front:
    """The `front` with equal states merged, their weights added."""
    names = [name for name, value in front.values.items() if isinstance(value, Column)]
    columns = [front.values[name] for name in names]
    parts = [(front.partition.size, front.block), *((len(c.values), c.codes) for c in columns)]
    (block, *codes), group = combinations(parts)
    if len(block) == front.size:
        return front
    values = dict(front.values)
    for name, column, code in zip(names, columns, codes, strict=True):
        values[name] = Column(column.values, code)
    return replace(front, block=block, weight=total(front.weight, group, len(block)), values=values)


def total(weight: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
    """The sum of `weight` in each `group`, of so many `groups`, exactly."""
    if groups == len(weight):
        found = np.empty(groups, dtype=object)
        found[group] = weight
        return found
    if set(map(type, weight.tolist())) <= {int}:
        sums = np.zeros(groups, dtype=object)
        np.add.at(sums, group, weight)
        return sums
    parts: list[list[Any]] = [[] for _ in range(groups)]
    for place, number in zip(group.tolist(), weight.tolist(), strict=True):
        parts[place].append(number)
    return np.array(list(map(exact.total, parts)), dtype=object)

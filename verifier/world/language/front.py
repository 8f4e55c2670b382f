"""All the states that a program can be in at one point, with their exact probabilities.

A row is a block of worlds together with one value per variable; its weight over the common
denominator is the probability of getting there in each world of the block. Equal rows are merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import lcm
from typing import Any

import numpy as np

from verifier.base.errors import LimitReached
from verifier.world.language.inputs import Classes, Partition, refs
from verifier.world.language.operations import Distribution
from verifier.world.mechanism import Column, combinations, intern, join

MAX_ROWS = 5_000_000


class Unset(Enum):
    """The value of a variable that has not been assigned on the way here."""

    UNSET = 0


UNSET = Unset.UNSET


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
        """With a variable assigned."""
        return replace(self, values={**self.values, name: value})


def start(classes: Classes) -> Front:
    """One state: nothing read, nothing assigned."""
    one = np.array([1], dtype=object)
    return Front(classes.known[frozenset()], np.zeros(1, dtype=np.int64), one, 1, {})


def refine(front: Front, classes: Classes, read: frozenset[int]) -> Front:
    """The same states, told apart by further inputs."""
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
    """Every state continued with every outcome of its distribution (`given`)."""
    column = given if isinstance(given, Column) else Column((given,), np.zeros(front.size, int))
    choices: Sequence[Distribution] = column.values  # type: ignore[assignment]
    common = lcm(*(p.denominator for d in choices for p in d.probabilities))
    outcomes, codes = intern(outcome for d in choices for outcome in d.outcomes)
    numerators = np.array(
        [p.numerator * (common // p.denominator) for d in choices for p in d.probabilities],
        dtype=object,
    )
    count = np.array([len(d.outcomes) for d in choices])
    rows, offset = _repeat(count[column.codes])
    place = (np.cumsum(count) - count)[column.codes][rows] + offset
    wide = front.take(rows)
    weight = wide.weight * numerators[place] if common > 1 else wide.weight
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
    """The states of several fronts together, unmerged."""
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
    return classes.look(front.values.get(name, UNSET), front.partition, front.block, refs)


def _scaled(front: Front, denominator: int) -> np.ndarray:
    factor = denominator // front.denominator
    return front.weight if factor == 1 else front.weight * factor


def forget(front: Front, needed: frozenset[str]) -> Front:
    """Without the variables that are no longer needed."""
    values = {name: value for name, value in front.values.items() if name in needed}
    return replace(front, values=values)


def settle(front: Front, needed: frozenset[str]) -> Front:
    """Without the variables that are no longer needed, and equal states merged."""
    rest = forget(front, needed)
    gone = (value for name, value in front.values.items() if name not in needed)
    return merge(rest) if any(isinstance(value, Column) for value in gone) else rest


def merge(front: Front) -> Front:
    """Equal states merged, their weights added."""
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
    """The sum of the weights in each group, in exact integers."""
    sums = [0] * groups
    for place, number in zip(group.tolist(), weight.tolist(), strict=True):
        sums[place] += number
    return np.array(sums, dtype=object)

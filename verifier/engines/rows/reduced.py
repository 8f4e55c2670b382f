"""Mechanisms with fewer outputs and worlds that are post-processings of the same mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from verifier.world.mechanism import Mechanism, proportional_outputs

if TYPE_CHECKING:
    from verifier.lp.channels import Channel
    from verifier.lp.model.integers import IntegerMatrix


@dataclass(frozen=True, eq=False)
class Merged:
    """A mechanism on some worlds, with proportional rows added up and impossible ones left out.

    groups  the outputs of each row
    rows    shape (groups, worlds), integers over `scale`
    """

    mechanism: Mechanism
    groups: Sequence[Sequence[int]]
    rows: np.ndarray
    scale: int

    @cached_property
    def channel(self) -> Channel:
        """The rows as columns of a channel."""
        from verifier.lp.channels import Channel

        return Channel(matrix(self.rows.T), self.scale)

    def shares(self, group: int) -> Iterator[tuple[int, Fraction]]:
        """The outputs of a group, and their shares of its row."""
        codes = self.mechanism.codes[self.groups[group]]
        world = int(codes[0].argmax())
        masses = [self.mechanism.values[code] for code in codes[:, world].tolist()]
        for output, mass in zip(self.groups[group], masses, strict=True):
            yield output, mass / sum(masses)


def different_worlds(mechanisms: Sequence[Mechanism]) -> list[int]:
    """The first of all worlds that are the same to every mechanism."""
    codes = np.concatenate([mechanism.codes for mechanism in mechanisms])
    first: dict[bytes, int] = {}
    for world, column in enumerate(np.ascontiguousarray(codes.T)):
        first.setdefault(column.tobytes(), world)
    return list(first.values())


def merged(mechanism: Mechanism, worlds: Sequence[int]) -> Merged:
    """The mechanism on these worlds."""
    groups = [g for g in proportional_outputs(mechanism) if _possible(mechanism, g[0])]
    scale = lcm(*(value.denominator for value in mechanism.values))
    whole = [value.numerator * (scale // value.denominator) for value in mechanism.values]
    table = np.array(whole, dtype=np.int64 if scale < 2**31 else object)
    codes = mechanism.codes[:, worlds]
    rows = np.array([table[codes[group]].sum(axis=0) for group in groups])
    return Merged(mechanism, groups, rows, scale)


def _possible(mechanism: Mechanism, output: int) -> bool:
    return bool(mechanism.values[int(mechanism.codes[output].max())])


def matrix(rows: np.ndarray) -> IntegerMatrix:
    """A dense matrix of integers as a sparse one."""
    from verifier.lp.model.integers import IntegerMatrix

    filled = rows != 0
    ends = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
    return IntegerMatrix(rows.shape, ends, np.nonzero(filled)[1], rows[filled])

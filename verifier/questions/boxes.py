"""Comparisons in a box of likelihood matrices, of each of whose entries only two ends are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from verifier.base.level import Level
from verifier.base.nouns import dataclass
from verifier.questions import evidence
from verifier.questions.claim import Claim, Parts, level_json
from verifier.questions.model import of_box
from verifier.questions.witness import Belief
from verifier.world.box import Box, Interval
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Relation


@dataclass(frozen=True, eq=False)
class BoxClaim(Claim):
    """P_i[o] <= alpha^d * P_j[o] (+ delta) for every comparison (i, j) of a relation.

    Each P_k is a mixture of columns of a matrix. For each of its entries two ends are known: these
    are the box.

    box       over the worlds of `space`
    mixtures  shape (worlds, compared columns): the weight of each world
    relation  over the compared columns
    describe  columns i, j -> what an attacker believes whom their comparison is about
    keys      of each column the number of a prior and a secret; none where columns are worlds
    """

    engine = "comparison.boxes"
    proves = evidence.BoxEvidence | None

    box: Box
    mixtures: Mechanism
    relation: Relation
    level: Level
    delta: Fraction
    describe: Callable[[int, int], Belief]
    keys: Sequence[tuple[int, str]] = ()

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.box.outputs)

    @cached_property
    def columns(self) -> Sequence[Mapping[int, Fraction]]:
        """For each compared column the worlds that it mixes, with their weights."""
        if not self.keys:
            return [{w: Fraction(1)} for w in range(self.box.worlds)]
        weights = zip(*self.mixtures.rows(), strict=True)
        return [{w: x for w, x in enumerate(column) if x} for column in weights]

    @cached_property
    def ends(self) -> Mechanism:
        """The ends of the compared columns: all upper ones, then all lower ones. They do not sum
        to 1."""
        if not self.keys:
            return self.box.ends
        worlds = [self.box.column(w) for w in range(self.box.worlds)]
        rows = [
            [
                sum((x * worlds[w][o][end] for w, x in column.items()), Fraction(0))
                for end in (1, 0)
                for column in self.columns
            ]
            for o in range(self.outputs)
        ]
        values = sorted({value for row in rows for value in row})
        code = {value: at for at, value in enumerate(values)}
        codes = np.array([[code[value] for value in row] for row in rows])
        return Mechanism(self.box.outputs, tuple(values), codes)

    def interval(self, column: int, output: int) -> Interval:
        """The ends of a compared column at an output."""
        size = len(self.columns)
        return self.ends.probability(output, size + column), self.ends.probability(output, column)

    def section(self) -> Parts:
        """See `Claim`."""
        parts = {"relation": self.relation.statement, "level": level_json(self)}
        return parts, of_box(self.space, self.box)

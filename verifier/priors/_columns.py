"""Conditional output distributions, one column each, and which of them are compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np

from verifier.world.mechanism import Coder, Mechanism
from verifier.world.relation import Relation, listed

Key = TypeVar("Key", bound=Hashable)


def compare(
    outputs: Sequence[str],
    columns: Mapping[Key, Sequence[Fraction]],
    pairs: Iterable[tuple[Key, Key]],
    statement: dict[str, object],
) -> tuple[Mechanism, Relation]:
    """The matrix of columns, and the pairs of them, in both directions.

    outputs    their names
    columns    key -> the probability of each output, in the order of the matrix
    pairs      the keys of the columns that are compared
    statement  the pairs as they stand in a certificate
    """
    coder = Coder()
    codes = [[coder.code(p) for p in column] for column in columns.values()]
    place = {key: at for at, key in enumerate(columns)}
    found = [(place[s], place[t]) for s, t in pairs]
    both = dict.fromkeys([*found, *((j, i) for i, j in found)])
    matrix = np.array(codes or [[coder.code(1)]]).T
    compared = Mechanism.of(outputs if codes else ("none",), coder.values, matrix)
    return compared, Relation(tuple(listed(both)), statement)

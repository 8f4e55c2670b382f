"""Histograms: how many records have each value, where it does not matter which.

The lists of n records over k values fall into C(n + k − 1, k − 1) histograms; n!/Π c_v! lists have
the counts c. For a question that no permutation of the records changes, they are the worlds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial, prod

import numpy as np


def number_of(records: int, values: int) -> int:
    """How many histograms of so many `records` over so many `values` there are.

    >>> number_of(200, 2)
    201
    """
    return comb(records + values - 1, values - 1)


def all_counts(records: int, values: int) -> np.ndarray:
    """Shape (values, histograms): all counts >= 0 that add up to `records`, in falling order.

    >>> all_counts(2, 2).T.tolist()
    [[2, 0], [1, 1], [0, 2]]
    """
    table = np.zeros((1, 0), dtype=np.int64)
    left = np.array([records])
    for _ in range(values - 1):
        times = left + 1
        parents = np.repeat(np.arange(len(left)), times)
        starts = np.repeat(np.cumsum(times) - times, times)
        rest = np.arange(len(parents)) - starts  # what is left for later values, ascending
        table = np.column_stack([table[parents], left[parents] - rest])
        left = rest
    return np.column_stack([table, left]).T.copy()


def multiplicity(counts: Sequence[int]) -> int:
    """How many lists of records have these counts.

    >>> multiplicity([1, 2])
    3
    """
    return factorial(sum(counts)) // prod(map(factorial, counts))


def name(counts: Sequence[int], texts: Sequence[str]) -> str:
    """A histogram with these `counts` of the values `texts`, in words; `()` for no records.

    >>> name([2, 0, 1], ["a", "b", "c"])
    'a×2 c×1'
    """
    return " ".join(f"{text}×{c}" for text, c in zip(texts, counts, strict=True) if c) or "()"

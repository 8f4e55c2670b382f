"""Likelihood matrices as arrays of NumPy and frames of pandas, and made of arrays of integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base.errors import InputError, LibraryMissing

if TYPE_CHECKING:
    import pandas


def exactly(values: Sequence[Fraction], codes: np.ndarray) -> np.ndarray:
    """The array of objects with the entries values[codes]."""
    table = np.empty(len(values), dtype=object)
    table[:] = values
    return np.asarray(table[codes])


def about(values: Sequence[Fraction], codes: np.ndarray, dtype: Any) -> np.ndarray:
    """The array of numbers of a `dtype`, by default floats, next to values[codes]."""
    if dtype is not None and np.dtype(dtype) == object:
        return exactly(values, codes)
    table = np.array(list(map(float, values)), dtype=float)
    return np.asarray(table[codes], dtype=dtype)


def rows(counts: Any, denominator: Any) -> list[list[Fraction]]:
    """Rows of probabilities.

    counts       shape (outputs, worlds), integers
    denominator  of all, or one for each world; None for the sum of each column

    InputError S101 for floats, S103 where a column has the denominator 0, S105 for another shape.
    """
    above = _integers(counts)
    below = above.sum(axis=0) if denominator is None else _integers(denominator)
    if above.ndim != 2 or below.shape not in ((), above.shape[1:]):
        said = f"counts of shape {above.shape} with a denominator of shape {np.shape(below)}"
        raise InputError("S105", said, hint="write (outputs, worlds), and one for each world")
    whole = np.broadcast_to(below, above.shape[1:]).tolist()
    if 0 in whole:
        raise InputError("S103", f"the counts in world number {whole.index(0) + 1} sum to 0")
    return [list(map(Fraction, row, whole)) for row in above.tolist()]


def _integers(found: Any) -> np.ndarray:
    """An array of Python's integers, whose sums have no end; InputError S101."""
    array = np.asarray(found)
    if array.dtype.kind in "iu":
        return array.astype(object)
    if array.dtype == object and all(type(one) is int for one in array.flat):
        return array
    said = f"counts and denominators are integers, found an array of {array.dtype}"
    why = "a float has already been rounded; give whole counts and a denominator"
    raise InputError("S101", said, hint=why)


def frame(
    outputs: Sequence[str], matrix: np.ndarray, worlds: Iterable[str] | None
) -> pandas.DataFrame:
    """A matrix as a frame, a row for each output.

    outputs  their labels
    matrix   shape (outputs, worlds)
    worlds   names of the columns; numbers from 1 by default

    LibraryMissing without pandas.
    """
    names = range(1, matrix.shape[1] + 1) if worlds is None else list(worlds)
    return library().DataFrame(matrix, index=list(outputs), columns=names)


def library() -> Any:
    """The library pandas; LibraryMissing where it is not installed."""
    try:
        import pandas
    except ImportError:
        raise LibraryMissing("a data frame", "pandas", "pandas") from None
    return pandas

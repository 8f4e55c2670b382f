"""Sparse matrices of exact integers, with fast exact products.

A value of any size is a row of limbs, Σ_j limb_j · 2^(width·j). Split limbs are in [0, 2^width),
the last one in [−2^(width−1), 2^(width−1)): two's complement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sparse

Floats = npt.NDArray[np.float64]
WIDTHS = (8, 16, 24, 32, 40)  # bits of a limb of the vector in a product
LARGEST = {True: 2**53, False: 2**62}  # sums that float64 (dense) and int64 (sparse) hold exactly
FAR = 2**60  # beyond any exponent
FULL = 0.25  # share of entries from which products are dense

Ints = npt.NDArray[np.int64]
Integers = npt.NDArray[Any]  # int64, or Python ints as objects


def fits_int64(values: Sequence[int] | Integers) -> Ints | None:
    """The values as int64 if every one fits, else None."""
    if isinstance(values, np.ndarray) and values.dtype == np.int64:
        return values
    array: Ints
    try:
        array = np.array(values, dtype=np.int64)
    except OverflowError:
        return None
    return array


def split(values: Sequence[int] | Integers, width: int) -> Ints:
    """Limbs of n values, shape (n, limbs); width a multiple of 8, at most 56."""
    array = fits_int64(values)
    if array is not None:
        bits = max(int(array.max(initial=0)), -int(array.min(initial=0))).bit_length()
        shifts = width * np.arange(bits // width + 1)
        limbs = array[:, None] >> shifts
        limbs[:, :-1] &= (1 << width) - 1
        return limbs
    bits = max(value.bit_length() for value in values)
    count, size = bits // width + 1, width // 8
    text = b"".join([value.to_bytes(count * size, "little", signed=True) for value in values])
    places = np.zeros((len(values), count, 8), dtype=np.uint8)
    places[:, :, :size] = np.frombuffer(text, dtype=np.uint8).reshape(-1, count, size)
    limbs = places.view("<i8")[:, :, 0].astype(np.int64)
    limbs[:, -1] -= (limbs[:, -1] >> (width - 1)) << width
    return limbs


def join(limbs: Ints, width: int) -> list[int]:
    """The values of n rows of limbs, each limb at most 2^62 in size; width a multiple of 8."""
    n, count = limbs.shape
    if count == 1:
        return list(limbs[:, 0].tolist())
    mask, size = (1 << width) - 1, width // 8
    total = count + 64 // width + 1
    carried = np.zeros((total, n), dtype=np.int64)
    carried[:count] = limbs.T
    for j in range(total - 1):
        carried[j + 1] += carried[j] >> width
        carried[j] &= mask
    places = np.ascontiguousarray(carried.T, dtype="<i8").view(np.uint8).reshape(n, total, 8)
    text = places[:, :, :size].tobytes()
    length = total * size
    return [
        int.from_bytes(text[at : at + length], "little", signed=True)
        for at in range(0, n * length, length)
    ]


class IntegerMatrix:
    """An immutable matrix of integers of any size, by rows.

    shape      (m, n): rows, columns
    indptr     m + 1 places: row i holds the entries indptr[i]:indptr[i+1]
    indices    column of each entry, at most once a row
    values     the entries: int64 where all are below 2^62 in size, else Python ints

    >>> a = IntegerMatrix((2, 2), [0, 2, 3], [0, 1, 1], [1, 2, 10**30])
    >>> a.times([1, 1])
    [3, 1000000000000000000000000000000]

    Raises ValueError where the parts do not fit together.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        values: Integers | Sequence[int],
    ) -> None:
        self.shape = shape
        self.indptr: Ints = np.asarray(indptr, dtype=np.int64)
        self.indices: Ints = np.asarray(indices, dtype=np.int64)
        self.values = packed(values)
        if (
            len(self.indptr) != shape[0] + 1
            or not len(self.indices) == len(self.values) == self.indptr[-1]
            or (len(self.indices) and not 0 <= self.indices.min() <= self.indices.max() < shape[1])
        ):
            raise ValueError(f"places and values that make no matrix of shape {shape}")

    @property
    def nnz(self) -> int:
        """The number of entries kept."""
        return len(self.indices)

    @cached_property
    def bits(self) -> int:
        """The bit length of the largest entry."""
        if self.values.dtype == np.int64:
            return size(self.values).bit_length()
        return int(max(value.bit_length() for value in self.values))

    @cached_property
    def row_numbers(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    @cached_property
    def transposed(self) -> IntegerMatrix:
        """The transposed matrix."""
        places = self._pattern(np.arange(self.nnz)).tocsc()
        m, n = self.shape
        other = IntegerMatrix((n, m), places.indptr, places.indices, self.values[places.data])
        other.__dict__["transposed"] = self
        return other

    def take(self, rows: npt.ArrayLike, columns: npt.ArrayLike) -> IntegerMatrix:
        """The submatrix of these rows and columns, in these orders, each at most once."""
        rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
        shape = (len(rows), len(columns))
        sizes = self.indptr[rows + 1] - self.indptr[rows]
        starts = np.cumsum(sizes) - sizes
        source = np.repeat(self.indptr[rows] - starts, sizes) + np.arange(sizes.sum())
        if np.array_equal(columns, np.arange(self.shape[1])):
            indptr = np.concatenate([[0], np.cumsum(sizes)])
            return IntegerMatrix(shape, indptr, self.indices[source], self.values[source])
        place = np.full(self.shape[1], -1)
        place[columns] = np.arange(len(columns))
        found = place[self.indices[source]]
        kept = found >= 0
        counts = np.bincount(np.repeat(np.arange(len(rows)), sizes)[kept], minlength=len(rows))
        indptr = np.concatenate([[0], np.cumsum(counts)])
        return IntegerMatrix(shape, indptr, found[kept], self.values[source[kept]])

    def times(self, vector: Sequence[int]) -> list[int]:
        """The product with a vector of n integers, exact.

        Entries and vector are cut into limbs of a and b bits. A sum of limb products is at most
        (entries a row) · (limbs an entry) · 2^(a+b): at most 2^62 for sparse products in int64, at
        most 2^53 for dense ones in float64, whatever the order of summation.
        """
        m, n = self.shape
        if len(vector) != n:
            raise ValueError(f"a vector of {len(vector)} integers, where {n} are needed")
        if m == 0 or self.nnz == 0:
            return [0] * m
        width, step, parts = self._limbs
        limbs = split(vector, width)
        count = limbs.shape[1]
        total = np.zeros((m, count + step * (len(parts) - 1)), dtype=np.int64)
        if self._is_full:
            limbs = limbs.astype(float)
        for at, part in enumerate(parts):
            total[:, step * at : step * at + count] += (part @ limbs).astype(np.int64, copy=False)
        return join(total, width)

    def modular_times(self, vector: Ints) -> Ints:
        """The product with an int64 vector modulo 2^64: exact where it is below 2^63 in size."""
        product: Ints = self._whole @ vector
        return product

    @cached_property
    def _whole(self) -> sparse.csr_matrix:
        return self._pattern(self.values)

    @cached_property
    def _limbs(self) -> tuple[int, int, list[Any]]:
        """Bits of a limb of the vector, limbs of the entries as multiples of it, their matrices."""
        longest = int(np.diff(self.indptr).max())
        width, step = limb_widths(self.bits, longest, LARGEST[self._is_full])
        if width * step > self.bits:
            limbs = self.values[:, None]
        else:
            limbs = split(self.values, width * step)
        parts = [self._pattern(np.ascontiguousarray(column)) for column in limbs.T]
        if self._is_full:
            return width, step, [part.toarray().astype(float) for part in parts]
        return width, step, parts

    @property
    def _is_full(self) -> bool:
        return self.nnz > FULL * self.shape[0] * self.shape[1]

    @cached_property
    def _places(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        return self.indices.astype(np.int32), self.indptr.astype(np.int32)

    def _pattern(self, data: Integers) -> sparse.csr_matrix:
        """A sparse matrix with the places of this one and other values."""
        return sparse.csr_matrix((data, *self._places), shape=self.shape)

    @cached_property
    def exponents(self) -> tuple[Floats, Ints]:
        """Floats f and integers e with entry ≈ f · 2^e, 1/2 ≤ |f| < 1 (f = 0 for 0)."""
        return exponents(self.values)

    def floats(self, rows: npt.ArrayLike = 0, columns: npt.ArrayLike = 0) -> sparse.csr_matrix:
        """The entries as floats, times 2^rows[i] · 2^columns[j]."""
        fraction, exponent = self.exponents
        shift = np.broadcast_to(rows, self.shape[:1])[self.row_numbers]
        shift += np.broadcast_to(columns, self.shape[1:])[self.indices]
        shift += exponent
        return self._pattern(scaled(fraction, shift))


def packed(values: Integers | Sequence[int]) -> Integers:
    """The `values` as int64 where every one is below 2^62 in size, else as Python ints."""
    array = fits_int64(values)
    if array is not None and size(array) < 2**62:
        return array
    objects = np.empty(len(values), dtype=object)
    objects[:] = [int(value) for value in values]
    return objects


def limb_widths(bits: int, row: int, largest: int) -> tuple[int, int]:
    """The limbs with fewest products whose sums stay within `largest`: b, and a/b.

    bits     of an entry
    row      entries of a row
    largest  a sum that is held exactly
    """
    fitting = []
    for width in WIDTHS:
        for step in range(1, bits // width + 2):
            parts = bits // (width * step) + 1
            entry = min(width * step, bits)
            if row * parts << (entry + width) <= largest:
                fitting.append((parts / width, width, step))
    if not fitting:
        raise ValueError(f"rows of {row} entries of {bits} bits are too long for a product")
    return min(fitting)[1:]


def size(values: Ints) -> int:
    """The largest absolute value among `values`; 0 where there is none."""
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def exponents(values: Sequence[int] | Integers) -> tuple[Floats, Ints]:
    """Floats f and integers e with `values` ≈ f · 2^e, f in ±[1/2, 1), without overflow."""
    array = fits_int64(values)
    if array is None:
        sizes = [int(value).bit_length() for value in values]
        leading = [
            math.ldexp(value >> (size - 64), -64) if size > 64 else math.ldexp(value, -size)
            for value, size in zip(values, sizes, strict=True)
        ]
        fraction, small = np.frexp(np.array(leading, dtype=float))
        return fraction, small + np.array(sizes, dtype=np.int64)
    fraction, exponent = np.frexp(array.astype(float))
    return fraction, exponent.astype(np.int64)


def scaled(fraction: Floats, exponent: Ints) -> Floats:
    """fraction · 2^exponent, the exponents clipped to those of floats."""
    return np.ldexp(fraction, np.clip(exponent, -1000, 1000).astype(np.int32))


def equilibrate(matrix: IntegerMatrix, sweeps: int = 4) -> tuple[Ints, Ints]:
    """Exponents r, c such that the entries 2^(r_i + c_j) · a_ij are near 1, at most 1 in size.

    matrix  with entries a_ij
    sweeps  over all rows and columns, at most

    Each sweep centres the exponents of every row, then of every column, between smallest and
    largest; empty rows and columns keep 0.
    """
    exponent, (m, n) = matrix.exponents[1], matrix.shape
    columns = np.zeros(n, dtype=np.int64)
    shifted = exponent.copy()  # one buffer for all sweeps: large arrays are slow to come by
    for _ in range(sweeps):
        low, high = spread(shifted, matrix.row_numbers, m)
        rows = -((low + high) // 2)
        np.take(rows, matrix.row_numbers, out=shifted)
        shifted += exponent
        low, high = spread(shifted, matrix.indices, n)
        before, columns = columns, -((low + high) // 2)
        np.take(columns, matrix.indices, out=shifted)
        shifted += exponent
        if np.array_equal(before, columns):
            break
    return -spread(shifted, matrix.row_numbers, m)[1], columns


def spread(exponent: Ints, lines: Ints, count: int) -> tuple[Ints, Ints]:
    """The smallest and largest exponent of each of `count` lines; 0 for empty ones."""
    low, high = np.full(count, FAR), np.full(count, -FAR)
    np.minimum.at(low, lines, exponent)
    np.maximum.at(high, lines, exponent)
    return np.where(low == FAR, 0, low), np.where(high == -FAR, 0, high)

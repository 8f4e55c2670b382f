"""Integers of any size as rows of limbs, and back.

A value is Σ_j limb_j · 2^(width·j). Split limbs are in [0, 2^width), the last one in
[−2^(width−1), 2^(width−1)): two's complement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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

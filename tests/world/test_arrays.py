"""Matrices as arrays and of arrays: exact both ways, and floats only where they are asked for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import InputError
from verifier.world.mechanism import Mechanism

THIRDS = Mechanism.from_rows(["yes", "no"], [["1/3", 1, "1/2"], ["2/3", 0, "1/2"]])


def test_floats_are_rounded_and_objects_are_not() -> None:
    found = np.asarray(THIRDS)
    assert found.dtype == float and found.tolist() == [[1 / 3, 1, 1 / 2], [2 / 3, 0, 1 / 2]]
    assert np.asarray(THIRDS, dtype=np.float32).dtype == np.float32
    exactly = np.array(THIRDS, dtype=object)
    assert exactly[0, 0] == Fraction(1, 3) and type(exactly[0, 1]) is Fraction
    assert (THIRDS.matrix == exactly).all() and (exactly.sum(axis=0) == 1).all()
    assert (THIRDS.matrix @ np.array([1, 1, 1])).tolist() == [Fraction(11, 6), Fraction(7, 6)]
    with pytest.raises(ValueError, match="copying"):
        THIRDS.__array__(copy=False)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64])
@pytest.mark.parametrize("denominator", [None, [3, 1, 2], np.array([3, 1, 2], dtype=np.uint8)])
def test_counts_become_fractions(kind: Any, denominator: Any) -> None:
    counts = np.array([[1, 1, 1], [2, 0, 1]], dtype=kind)
    made = Mechanism.from_array(["yes", "no"], counts, denominator)
    assert list(made.rows()) == list(THIRDS.rows())


def test_one_denominator_and_large_sums() -> None:
    """100 of 200 in bytes, and sums beyond 64 bits: nothing is cut off."""
    counts = np.array([[100, 150], [100, 50]], dtype=np.uint8)
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    for denominator in (None, 200, np.int32(200)):
        made = Mechanism.from_array("ab", counts, denominator)
        assert made.matrix.tolist() == [[half, 3 * quarter], [half, quarter]]
    large = np.full((2, 1), 2**63 - 1)
    assert Mechanism.from_array("ab", large).values == (half,)
    longer = np.array([[10**30], [10**30]], dtype=object)
    assert Mechanism.from_array("ab", longer, 2 * 10**30).values == (half,)


@pytest.mark.parametrize(
    ("counts", "denominator", "code", "said"),
    [
        ([[0.5], [0.5]], None, "S101", "already been rounded"),
        ([[1], [1]], 2.0, "S101", "an array of float64"),
        ([[True], [False]], None, "S101", "bool"),
        ([[Fraction(1, 2)], [Fraction(1, 2)]], 1, "S101", "object"),
        ([[0], [0]], None, "S103", "world number 1 sum to 0"),
        ([[1], [1]], 3, "S103", "sum to 2/3"),
        ([[3], [-1]], None, "S104", "-1/2"),
        ([1, 1], None, "S105", "shape"),
        ([[1], [1]], [1, 1], "S105", "shape"),
        ([[1], [1], [1]], None, "S105", "3 rows"),
    ],
)
def test_bad_arrays(counts: Any, denominator: Any, code: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        Mechanism.from_array(["a", "b"], np.array(counts), denominator)
    assert error.value.code == code and said in str(error.value)

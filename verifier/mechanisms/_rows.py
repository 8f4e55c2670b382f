"""Checks shared by mechanisms whose rows are written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from verifier import exact
from verifier.errors import InputError

Fail = Callable[[str, str], InputError]


def check_row(
    name: str, row: Sequence[Fraction | int], cell: Callable[[int], Fail], whole: Fail
) -> None:
    """Refuse probabilities outside [0, 1] (S104, at the cell) and sums other than 1 (S103)."""
    for at, p in enumerate(row):
        if not 0 <= p <= 1:
            raise cell(at)("S104", f"the probability {p} is not in [0, 1]")
    total = exact.total(row)
    if total != 1:
        raise whole("S103", f"{name} sums to {total}, must be 1 (off by {abs(total - 1)})")

"""Weighted sums of rows of likelihood matrices."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.world.mechanism import Column, Mechanism, constant, lift


def add(total: Column | None, row: Column, weight: Fraction) -> Column:
    """total + weight * row, world by world."""
    if total is None:
        made = lift(lambda p: weight * p, row)
    else:
        made = lift(lambda t, p: t + weight * p, total, row)
    return made if isinstance(made, Column) else constant(made, row.size)


def weighted_sums(mechanism: Mechanism, terms: Iterable[tuple[int, Fraction]]) -> Column:
    """The sum of weight * P(output | .) over given outputs, in every world.

    mechanism  whose outputs they are
    terms      (output, weight), at least one
    """
    total: Column | None = None
    for output, weight in terms:
        total = add(total, mechanism.row(output), weight)
    assert total is not None
    return total

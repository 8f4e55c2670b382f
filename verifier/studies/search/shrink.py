"""Making a found object smaller. Knows a value, a predicate and an order; nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Value = TypeVar("Value")


def shrink(
    value: Value,
    holds: Callable[[Value], bool],
    simpler: Callable[[Value], Iterable[Value]],
    order: Callable[[Value], Any],
) -> Value:
    """A value for which the predicate holds, and fails for every simpler one that is smaller.

    `simpler` proposes values in the order in which they are tried, again from the start after each
    success; those that are not smaller in the order are passed over. So it ends if the order has
    no infinite descent.

    >>> shrink(90, lambda n: n % 6 == 0, lambda n: range(1, n), lambda n: n)
    6
    """
    while True:
        size = order(value)
        smaller = (other for other in simpler(value) if order(other) < size)
        found = next((other for other in smaller if holds(other)), None)
        if found is None:
            return value
        value = found

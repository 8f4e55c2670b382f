"""Making a found object smaller. Knows a value, a predicate and an order; nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Value = TypeVar("Value")


def shrunk(
    value: Value,
    holds: Callable[[Value], bool],
    simpler: Callable[[Value], Iterable[Value]],
    order: Callable[[Value], Any],
) -> Iterator[Value]:
    """The value, and ever smaller ones for which the predicate holds, as they are found.

    It fails for every value that is simpler than the last one and smaller. `simpler` proposes
    values in the order in which they are tried, again from the start after each
    success; those that are not smaller in the order are passed over. So it ends if the order has
    no infinite descent.

    >>> list(shrunk(90, lambda n: n % 6 == 0, lambda n: range(n - 1, 0, -50), lambda n: n))
    [90]
    >>> list(shrunk(12, lambda n: n % 2 == 0, lambda n: range(n - 1, n // 2, -1), lambda n: n))
    [12, 10, 8, 6, 4]
    """
    found: Value | None = value
    while found is not None:
        yield found
        value, size = found, order(found)
        smaller = (other for other in simpler(value) if order(other) < size)
        found = next((other for other in smaller if holds(other)), None)

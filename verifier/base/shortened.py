"""Lists and numbers that are shortened where they are long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import TypeVar

from verifier.base import decimals, exact

Item = TypeVar("Item")
SHOWN = 12  # worlds of a prior, and outputs of an event, written out
LONGEST = 100  # characters of a fraction
_MOST = ContextVar("most", default=SHOWN)


def most() -> int:
    """How many items of a list are written out."""
    return _MOST.get()


@contextmanager
def written_out_whole() -> Iterator[None]:
    """Let lists and numbers be written out whole."""
    before = _MOST.set(sys.maxsize)
    try:
        yield
    finally:
        _MOST.reset(before)


def some(items: Sequence[str]) -> str:
    """The items in braces, the first of many."""
    more = f", … ({len(items)} in all)" if len(items) > most() else ""
    return "{" + ", ".join(items[: most()]) + more + "}"


def first_lines(
    items: Sequence[Item], told: Callable[[Item], str], more: str = "… ({} in all)"
) -> Iterator[str]:
    """A line for each of the first `items`, as it is `told`; then `more`, which says how many there
    are in all, if there are others."""
    yield from map(told, items[: most()])
    if len(items) > most():
        yield more.format(len(items))


def number(value: Fraction | int) -> str:
    """A number in lowest terms; of a long fraction twelve digits, and how many it has.

    >>> number(Fraction(7, 2)), number(Fraction(10**200, 3))
    ('7/2', '≈ 3.33333333333e+199 (a fraction of 202 digits)')
    """
    whole = exact.text(value)
    if len(whole) <= LONGEST or most() > SHOWN or exact.is_irrational(value):
        return whole
    digits = sum(map(str.isdigit, whole))
    kind = "a fraction" if "/" in whole else "a number"
    return f"≈ {decimals.significant(Fraction(value))} ({kind} of {digits} digits)"

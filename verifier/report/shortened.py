"""Lists that are shortened where they are long."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

SHOWN = 12  # worlds of a prior, and outputs of an event, written out
_MOST = ContextVar("most", default=SHOWN)


def most() -> int:
    """How many items of a list are written out."""
    return _MOST.get()


@contextmanager
def whole() -> Iterator[None]:
    """Let lists be written out whole."""
    before = _MOST.set(sys.maxsize)
    try:
        yield
    finally:
        _MOST.reset(before)


def some(items: Sequence[str]) -> str:
    """The items in braces, the first of many."""
    more = f", … ({len(items)} in all)" if len(items) > most() else ""
    return "{" + ", ".join(items[: most()]) + more + "}"

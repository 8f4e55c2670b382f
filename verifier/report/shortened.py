"""Lists that are shortened where they are long."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 12  # worlds of a prior, and outputs of an event, written out


def some(items: Sequence[str]) -> str:
    """The items in braces, the first of many."""
    more = f", … ({len(items)} in all)" if len(items) > SHOWN else ""
    return "{" + ", ".join(items[:SHOWN]) + more + "}"

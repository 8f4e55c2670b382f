"""How a check has changed, in the words of reports, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

LEAKS_MORE = "leaks more"
NOT_KEPT = "not kept"
PROMISES_LESS = "promises less"
PROMISES_OTHERWISE = "promises otherwise"
UNDECIDED = "undecided"
LEAKS_LESS = "leaks less"
PROMISES_MORE = "promises more"
SAME = "same"

WORST_FIRST = (
    LEAKS_MORE,
    NOT_KEPT,
    PROMISES_LESS,
    PROMISES_OTHERWISE,
    UNDECIDED,
    LEAKS_LESS,
    PROMISES_MORE,
    SAME,
)
STOPPING = (LEAKS_MORE, NOT_KEPT, PROMISES_LESS, PROMISES_OTHERWISE)  # unless accepted
PASSING = (LEAKS_LESS, PROMISES_MORE, SAME)


def worst(statuses: Iterable[str]) -> str:
    """The worst of some statuses; `same` where there are none.

    >>> worst(["promises more", "leaks more"]), worst([])
    ('leaks more', 'same')
    """
    return min(statuses, key=WORST_FIRST.index, default=SAME)


class _WithStatus(Protocol):
    @property
    def status(self) -> str: ...


_Found = TypeVar("_Found", bound=_WithStatus)


def worst_first(found: Iterable[_Found]) -> tuple[_Found, ...]:
    """What was `found`, by its status; in the given order where that is the same."""
    return tuple(sorted(found, key=lambda one: WORST_FIRST.index(one.status)))

"""How much of a report is shown to people, and how."""

from __future__ import annotations

from collections.abc import Callable

from verifier.base.nouns import Later, dataclass


@dataclass(frozen=True)
class View(Later):
    """How much is shown to people, and how.

    quiet   only what is not ok
    strict  notes are failures
    colour  whether marks are in colour
    width   the columns of a terminal, asked for anew with each line; None for lines of any length
    errors  whether errors are told too, which people see on standard error
    """

    quiet: bool = False
    strict: bool = False
    colour: bool = False
    width: Callable[[], int | None] = lambda: None
    errors: bool = True


PLAIN = View()

"""Notes: what a file says that nobody asked for, and what it may have meant instead.

A note is no error: the answer stands. `--strict` makes it a failure. Notes are gathered while a
file is read, by the place they are about, in the `Notes` that its `document.Source` holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from verifier.base.errors import Place, one_line

NOTES: dict[str, str] = {
    "N101": "A comparison is the same wherever it is made: it decides nothing. Either another "
    "value was meant, or the constraints leave no other.",
    "N102": "A line of a program is reached in no world and by no draw.",
    "N103": "A secret is used by no check, no pair and no expression.",
    "N104": "A class of priors is used by no check.",
    "N105": "A check compared nothing (it is vacuous), so that it would hold of any mechanism.",
    "N106": "A program violates its level unexpectedly, and clamped noise makes the worst output "
    "worse: with about twice the range of all noise it would be at most half as far above the "
    "level (not looked at where that takes long).",
    "N107": "A variable of a program is assigned and used for nothing but itself: its name may be "
    "misspelt. `_` and `_name` may be unused.",
    "N108": "A number in quotes, which is a word and equals no number, is used where no world is "
    "compared.",
    "N109": "Two words among the outputs, or the values of a table of what is private, differ by "
    "one letter, two letters in exchange, or capitals: one may be misspelt.",
    "N110": "A word in quotes is also the name of a record, attribute or secret, which is written "
    "without quotes; or one of a program's outputs is a variable, and others are words in quotes "
    "that name variables.",
}


class Note(NamedTuple):
    """Something to look at: its code, what it says, and where."""

    code: str
    message: str
    place: Place | None = None

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.code} {self.message}"


@dataclass
class Notes:
    """The notes on one file, each told once, and what has been seen of its comparisons.

    compared  place -> (text, the truths that came out so far)
    """

    told: dict[tuple[str, Place | None], Note] = field(default_factory=dict)
    compared: dict[Place, tuple[str, set[bool]]] = field(default_factory=dict)

    def tell(self, code: str, message: str, place: Place | None) -> None:
        """Add a note, unless the place has one of this code."""
        self.told.setdefault((code, place), Note(code, one_line(message), place))

    def outcomes(self, place: Place, text: str) -> set[bool]:
        """The truths that the comparison at a place has had so far, to be added to."""
        return self.compared.setdefault(place, (text, set()))[1]

    def all(self) -> list[Note]:
        """The notes in the order of the file."""
        constant = [
            Note("N101", f"`{one_line(text)}` is {outcome} wherever it is compared", place)
            for place, (text, found) in self.compared.items()
            if len(found) == 1
            for outcome in found
        ]
        return in_order([*self.told.values(), *constant])


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Notes by line and column, those without a place last."""
    return sorted(notes, key=lambda note: (note.place is None, note.place or (), note.code))

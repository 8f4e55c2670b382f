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
    "N106": "The noise of a program is clamped, and without the ends of its range the worst output "
    "found would meet the level.",
    "N107": "A variable of a program is assigned and never used: its name may be misspelt.",
    "N108": "A number in quotes is a word, which equals no number.",
    "N109": "Two words among the outputs differ by so little that one may be misspelt; they are "
    "different outputs.",
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

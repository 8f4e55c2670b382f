"""What to write instead at a place of a file: for advice, and for editors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verifier.base.document import Mapping, Scalar
from verifier.base.nouns import Later, dataclass


@dataclass(frozen=True)
class Edit(Later):
    """A text to write in place of some characters of a line.

    line, column  where they begin, counted from 1
    length        how many there are; 0 where the text is inserted
    text          what to write, which may have line ends
    """

    line: int
    column: int
    length: int
    text: str

    def as_json(self) -> dict[str, Any]:
        """It as reports have it."""
        return {
            "line": self.line,
            "column": self.column,
            "length": self.length,
            "text": self.text,
        }


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after some edits, which do not overlap.

    >>> edited("a: 1\\nb: 2\\n", [Edit(2, 4, 1, "3"), Edit(1, 1, 0, "x: 0, ")])
    'x: 0, a: 1\\nb: 3\\n'
    """
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda one: (one.line, one.column), reverse=True):
        line, at = lines[edit.line - 1], edit.column - 1
        lines[edit.line - 1] = line[:at] + edit.text + line[at + edit.length :]
    return "\n".join(lines)


class Places:
    """Where parts of a file can be written anew; None for those that are not written as they are
    read, such as a text over several lines.

    file  its name, which says whether it is JSON
    text  of the file, from which the nodes were read
    """

    def __init__(self, file: str, text: str) -> None:
        self.is_json, self.lines = file.endswith(".json"), text.split("\n")

    def _has(self, line: int, column: int, text: str) -> bool:
        """Whether a text stands at a place."""
        return line <= len(self.lines) and self.lines[line - 1].startswith(text, column - 1)

    def inside(self, node: Scalar, start: int, old: str, new: str) -> Edit | None:
        """To write something new for a part of a scalar.

        node   the scalar
        start  where the part begins, counted from 0 in the text of the scalar
        old    the part
        new    what to write
        """
        if node.quoted or node.block:
            before = node.text[:start]
            place = node.at(before.count("\n") + 1, start - before.rfind("\n"))
            line, column = place.line, place.column
        else:
            line, column = node.line, node.column + start
            if self.is_json:
                new = f'"{new}"'
        return Edit(line, column, len(old), new) if self._has(line, column, old) else None

    def entry(self, key: Scalar, value: Scalar, name: str, new: str) -> Edit | None:
        """To write another name and value for an entry of a mapping."""
        first, last = self._length(key), self._length(value)
        if first is None or last is None or key.line != value.line:
            return None
        return Edit(key.line, key.column, value.column + last - key.column, self._told(name, new))

    def first(self, mapping: Mapping, name: str, new: str) -> Edit:
        """To insert an entry before the first one of a mapping."""
        key, told = mapping.entries[0][0], self._told(name, new)
        is_flow = self._has(mapping.line, mapping.column, "{")
        after = ", " if is_flow else "\n" + " " * (key.column - 1)
        return Edit(key.line, key.column, 0, told + after)

    def _told(self, name: str, value: str) -> str:
        return f'"{name}": "{value}"' if self.is_json else f"{name}: {value}"

    def _length(self, node: Scalar) -> int | None:
        """How many characters a scalar has where it is written; None where it is written in
        another way than it is read."""
        for quote in ('"', "'") if node.quoted else ("",):
            whole = f"{quote}{node.text}{quote}"
            if self._has(node.line, node.column, whole):
                return len(whole)
        return None

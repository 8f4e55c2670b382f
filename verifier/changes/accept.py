"""Changes for the worse that somebody has accepted: a list in a file, with reasons, until a day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from verifier.base.document import Mapping, Node
from verifier.base.errors import Place
from verifier.changes.lines import Line, is_of, is_side
from verifier.changes.statuses import STOPPING, UNDECIDED

Json = dict[str, Any]
KEYS = ("file", "check", "status", "from", "to", "reason", "expires")
STATUSES = (*STOPPING, UNDECIDED)
SHAPE = "a list of accepted changes"


@dataclass(frozen=True)
class Acceptance:
    """A change that may pass.

    file     of the check after the change, or before it where it is gone
    check    its name, label or id
    status   "leaks more", "promises less", …
    before   what was asked and expected, in short (`lines.side`)
    after    what is asked and expected now
    reason   why it may pass, for people
    expires  the last day on which it may, such as 2027-01-31 (UTC)
    place    of the entry: file, line and column
    """

    file: str
    check: str
    status: str
    before: str
    after: str
    reason: str
    expires: str
    place: Place

    def covers(self, status: str, names: Sequence[str], sides: Sequence[Line | None]) -> bool:
        """Whether it is about a change.

        status  of the change
        names   the check's name, label and id
        sides   the lines before and after, one of which may be None
        """
        before, after = sides
        file = next(line.file for line in (after, before) if line)
        return (
            (self.file, self.status) == (file, status)
            and self.check in names
            and is_of(self.before, before)
            and is_of(self.after, after)
        )

    def is_expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return today > date.fromisoformat(self.expires)


def read_acceptances(node: Node) -> list[Acceptance]:
    """The entries of a file's tree; InputError where one is not as it should be."""
    return [_entry(item) for item in node.sequence(SHAPE)]


def _entry(item: Node) -> Acceptance:
    entry = item.mapping(KEYS, "an accepted change", needs=" ".join(KEYS))
    entry["status"].word(STATUSES, "status")
    for key in KEYS:
        if not _text(entry, key).strip():
            raise entry[key].fail("S901", f"'{key}' is empty", f"write {key}: and a text")
    for key in ("from", "to"):
        if not is_side(_text(entry, key)):
            said = f"'{_text(entry, key)[:80]}' is no short digest of a check"
            raise entry[key].fail("S901", said, "copy from and to of the report of `verifier diff`")
    try:
        date.fromisoformat(_text(entry, "expires"))
    except ValueError:
        raise entry["expires"].fail("S901", "a day was expected", "write 2027-01-31") from None
    file, check, status, before, after, reason, expires = (_text(entry, key) for key in KEYS)
    return Acceptance(file, check, status, before, after, reason, expires, item.place)


def _text(entry: Mapping, key: str) -> str:
    return entry[key].scalar("text").text


def as_json(one: Acceptance) -> Json:
    """An entry for another process."""
    return asdict(one)


def of_json(entry: Json) -> Acceptance:
    """An entry of another process."""
    return Acceptance(**{**entry, "place": Place(*entry["place"])})

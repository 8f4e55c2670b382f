"""The file `verifier.lock`: what every check has answered, a line each; and what keeps to it.

Its first line is its header; each other one is a check, as an object of JSON. Lines are sorted, so
that the same answers give the same file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from verifier.base.errors import InputError, Place
from verifier.changes import pairing
from verifier.changes.answers import contradict
from verifier.changes.compare import Side, compare
from verifier.changes.lines import KEYS, OPTIONAL, Line, as_json, moved, wrong
from verifier.changes.statuses import (
    LEAKS_MORE,
    PROMISES_LESS,
    PROMISES_OTHERWISE,
    UNDECIDED,
)

NAME = "verifier.lock"
HEADER = "# verifier.lock 3: exact answers, written by `verifier lock`, to be committed"
SEAL = "seal"
CONFLICTS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")

FAILING = (WEAKER, CHANGED, MISSING, UNLOCKED, FORGED) = (
    "weaker than locked",
    "changed since locked",
    "locked, and missing",
    "not locked",
    "not what was locked",
)
BETTER, SAME = "better than locked", "as locked"


class Held(NamedTuple):
    """A check held against its line in the lock.

    status   a word of `FAILING`, or `BETTER` or `SAME`
    before   its line in the lock; None where it has none
    after    as it is now; None where it is gone
    reasons  what differs
    number   of its line in the lock, from 1; None where it has none
    """

    status: str
    before: Line | None
    after: Line | None
    reasons: tuple[str, ...] = ()
    number: int | None = None

    @property
    def line(self) -> Line:
        """The check as it is now, or was."""
        found = self.after or self.before
        assert found
        return found


def written(lines: Iterable[Line]) -> str:
    """The file that locks some lines; equal ones are one."""
    return "\n".join([HEADER, *sorted(set(map(text, lines)))]) + "\n"


def text(line: Line) -> str:
    """A line as it stands in a lock, with its seal."""
    known = as_json(line)
    return json.dumps({**known, SEAL: _seal(known)}, ensure_ascii=False)


def _seal(known: Mapping[str, Any]) -> str:
    """The first digits of the SHA-256 of a line without its seal: it shows what a hand changed."""
    whole = json.dumps(known, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def read_lock(whole: str, file: str = NAME) -> list[Line]:
    """The lines of a lock; InputError S902 at the first thing that is wrong with one."""
    head, *rest = whole.split("\n")
    if head != HEADER:
        of_another = head.startswith("# verifier.lock ")
        said = "another version of verifier wrote this lock"
        said = said if of_another else "the first line is not the header of a lock"
        raise _wrong(file, 1, 1, head, said)
    found: dict[str, int] = {}
    lines = []
    for number, one in enumerate(rest, 2):
        # what follows the end of the last line
        if not one and number == len(rest) + 1:
            continue
        if one.startswith(CONFLICTS):
            raise _wrong(file, number, 1, one, "a conflict of a merge was left")
        line = _read(one, file, number)
        if (before := found.setdefault(one, number)) != number:
            raise _wrong(file, number, 1, one, f"this line is already line {before}")
        lines.append(line)
    return lines


def _wrong(file: str, line: int, column: int, text: str, said: str) -> InputError:
    return InputError("S902", said, Place(file, line, column), text)


def _read(text: str, file: str, number: int) -> Line:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            raise _wrong(file, number, 1, text, "a key is given twice")
        return dict(found)

    try:
        found = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise _wrong(file, number, error.colno, text, "this is no object of JSON") from None
    except RecursionError:
        raise _wrong(file, number, 1, text, "this is nested too deeply") from None
    if not isinstance(found, dict) or found.keys() - {*OPTIONAL} != {*KEYS, SEAL}:
        raise _wrong(file, number, 1, text, f"the keys of a line are {', '.join((*KEYS, SEAL))}")
    seal = found.pop(SEAL)
    line = Line(**found)
    for key in wrong(line):
        column = text.find(f'"{key}"') + 1
        raise _wrong(file, number, max(column, 1), text, f"'{key}' has a wrong value")
    if seal != _seal(found):
        said = "this line is not as it was written: its seal is that of another one"
        raise _wrong(file, number, text.find(f'"{SEAL}"') + 1, text, said)
    return line


def held(locked: Sequence[Line], now: Sequence[Line]) -> list[Held]:
    """Each check, as it is now, and each line of the lock, held against each other."""
    lines = list({text(line): line for line in now}.values())
    numbers = pairing.checks(locked, lines)
    pairs = [
        (None if old is None else locked[old], None if new is None else lines[new])
        for old, new in numbers
    ]
    others = pairing.repointed(pairs)
    return [
        # counted from 1, and the first line of the file is its header
        _held(before, after, is_other)._replace(number=None if old is None else old + 2)
        for (old, _), (before, after), is_other in zip(numbers, pairs, others, strict=True)
    ]


def _held(before: Line | None, after: Line | None, is_other: bool) -> Held:
    if before is None or after is None:
        return Held(UNLOCKED if before is None else MISSING, before, after)
    found = compare(Side(line=before), Side(line=after))
    reasons = tuple(one.told for one in found.statements)
    failing = _failing(before, after, found.status, is_other)
    if failing is not None:
        status, why = failing
        return Held(status, before, after, (*why, *reasons))
    if not (before.digest or after.digest):
        return Held(SAME, before, after)  # no question, no answer: the check itself is undecided
    told = (*reasons, *moved(before, after))
    if not told and before.digest != after.digest:
        told = ("it is written in another way, and leaks as much",)
    return Held(BETTER if told else SAME, before, after, told)


def _failing(
    before: Line, after: Line, status: str, is_other: bool
) -> tuple[str, tuple[str, ...]] | None:
    """Which word of `FAILING` is said of a check, and why besides what differs; None for none.

    before, after  its lines
    status         the worst of what differs
    is_other       whether it is about another mechanism
    """
    if before.digest == after.digest and contradict(before, after):
        said = "the lock says otherwise of the same question: it was written by hand, or by another"
        return FORGED, (f"{said} version",)
    if status in (LEAKS_MORE, PROMISES_LESS):
        return WEAKER, ()
    if is_other:
        said = f"it is about another mechanism now: {before.mechanism} -> {after.mechanism}"
        return CHANGED, (said,)
    if (before.digest or after.digest) and status in (PROMISES_OTHERWISE, UNDECIDED):
        return CHANGED, ()
    return None

"""What is told of each check after a change, and whether it may pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from verifier.changes.accept import Acceptance
from verifier.changes.compare import Side, compare, expects, new
from verifier.changes.lines import Line, side
from verifier.changes.pairing import beside, checks, repointed
from verifier.changes.statements import Change, Statement, change
from verifier.changes.statuses import (
    LEAKS_MORE,
    PASSING,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
    STOPPING,
    UNDECIDED,
    WORST_FIRST,
    worst,
    worst_first,
)

Json = dict[str, Any]
LEAK, PROMISE = "leak", "promise"  # of --fail-on
IDLE = "no change has this file, check, status, from and to"  # of an acceptance
LOST = "unreadable"  # the definition of a file of which nothing is known


@dataclass(frozen=True)
class Entry:
    """A check of one side.

    line    what is known of it; of a file that was renamed, under the new name
    file    its file, as this side names it
    index   its number in the file, from 0
    id      by which it is known again
    label   what it is called
    place   line and column; None where they are not known
    missed  how the answer differs from what is expected, where a report says so; else ""
    """

    line: Line
    file: str
    index: int
    id: str
    label: str
    place: tuple[int, int] | None
    missed: str = ""

    @property
    def side(self) -> Side:
        """What is known of it, without its question."""
        return Side(line=self.line, missed=self.missed)


@dataclass(frozen=True)
class Changed:
    """A check, before and after.

    before, after  the check on the two sides; None where it is not there
    others         of a check that is new: the same before, for other values of parameters
    found          what differs, the worst first
    told           what else a report says of it: results, details, …
    accepted       why it may pass, by whom it was accepted; None where it was not
    stands         whether the promise stands, so that it may pass where only promises count
    """

    before: Entry | None
    after: Entry | None
    others: tuple[Entry, ...] = ()
    found: tuple[Statement, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)
    accepted: Acceptance | None = None
    stands: bool = False

    @property
    def entry(self) -> Entry:
        """The check after the change, or before it where it is gone."""
        found = self.after or self.before
        assert found
        return found

    @property
    def status(self) -> str:
        """The worst status of what differs."""
        return worst(one.status for one in self.found)

    @property
    def sides(self) -> tuple[Line | None, Line | None]:
        """The lines of both sides."""
        before, after = self.before, self.after
        return before.line if before else None, after.line if after else None

    @property
    def moved(self) -> bool:
        """Whether it has another name, or stands in another file."""
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        return (before.file, before.line.name) != (after.file, after.line.name)

    @property
    def stops(self) -> bool:
        """Whether it is one that may not pass, unless it is accepted."""
        return self.status in STOPPING and not self.stands and self.accepted is None

    @property
    def passes(self) -> bool:
        """Whether it does not fail the run."""
        return self.accepted is not None or not (self.stops or self.status == UNDECIDED)

    @property
    def order(self) -> tuple[Any, ...]:
        """By which reports order it: what stops first, then the worst, then by place."""
        entry = self.entry
        worse = WORST_FIRST.index(self.status)
        return not self.stops, worse, entry.line.file, entry.place or (0, 0), entry.index


def matched(
    before: Sequence[Entry],
    after: Sequence[Entry],
    lost: Mapping[str, str] | None = None,
    unread: Mapping[str, str] | None = None,
) -> list[Changed]:
    """Every check with the one that it was; what differs, where that needs no answers.

    before, after  the checks of both sides
    lost           files that could not be read before the change, and why
    unread         files that cannot be read after it
    """
    lost, unread = lost or {}, unread or {}
    ours, theirs = ([one.line for one in side] for side in (before, after))
    pairs = [
        Changed(None if old is None else before[old], None if now is None else after[now])
        for old, now in checks(ours, theirs)
    ]
    found = [_read_only(_with_others(one, before), after, lost, unread) for one in pairs]
    here = {entry.line.file for entry in after}.union(unread)
    return found + [_gone_file(file, why) for file, why in lost.items() if file not in here]


def _with_others(one: Changed, before: Sequence[Entry]) -> Changed:
    """A change; of a check that is new, with those that were the same for other values."""
    if one.before is not None or one.after is None:
        return one
    numbers = beside([entry.line for entry in before], one.after.line)
    return replace(one, others=tuple(before[at] for at in numbers))


def needs_deciding(one: Changed) -> bool:
    """Whether both answers are to be compared: nothing is known yet of what differs."""
    before, after = one.sides
    if after is None or one.found:
        return False
    return before is None or before.digest != after.digest or expects(before, after)


def _read_only(
    one: Changed, others: Sequence[Entry], lost: Mapping[str, str], unread: Mapping[str, str]
) -> Changed:
    """A change, with what differs as far as no answer is needed."""
    before, after = one.sides
    if after is None and before is not None:
        return _gone(one, before, others, unread)
    if before is None and after is not None and after.file in lost:
        return replace(one, found=(_not_known(lost[after.file]),))
    if before is not None and after is not None and not (before.digest or after.digest):
        return replace(one, found=compare(Side(line=before), Side(line=after)).statements)
    return one


def _gone(
    one: Changed, before: Line, others: Sequence[Entry], unread: Mapping[str, str]
) -> Changed:
    if before.file in unread:
        said = f"the file can no longer be read: {unread[before.file]}"
        return replace(one, found=(Statement(PROMISES_LESS, "file", said),))
    here = [other for other in others if other.line.file == before.file]
    for other in here or others:
        same = side(other.line) == side(before) and other.line.mechanism == before.mechanism
        if before.digest and same:
            told = f"the same is asked and expected in {other.file}: {other.label}"
            return replace(one, told={"details": [told]})
    return replace(one, found=(Statement(PROMISES_LESS, "check", "the check is gone"),))


def _gone_file(file: str, reason: str) -> Changed:
    """What is told of a file that could not be read, and is gone."""
    line = Line(file, None, LOST, None, None, None, "undecided", "holds", None, "", "")
    entry = Entry(line, file, 0, "", "the file", None)
    return Changed(entry, None, found=(_not_known(reason),))


def _not_known(reason: str) -> Statement:
    return Statement(PROMISES_OTHERWISE, "file", f"what was promised is not known: {reason}")


def indices(one: Changed) -> tuple[int | None, list[int], int | None]:
    """The numbers of a check in the file before, there for other values, and in the file after."""
    before, after = one.before, one.after
    others = [other.index for other in one.others]
    return before.index if before else None, others, after.index if after else None


def undecided(one: Changed, reason: str) -> Changed:
    """A change whose answers were not compared."""
    return replace(one, found=(Statement(UNDECIDED, "verdict", reason),))


def by_numbers(one: Changed) -> Changed:
    """A change between two reports, which have only digests and numbers of both checks."""
    before, after = one.before, one.after
    if after is None:
        return replace(one, found=(Statement(PROMISES_LESS, "check", "the check is gone"),))
    if before is None:
        found = beside_others([compare(old.side, after.side) for old in one.others], after.side)
        return replace(one, found=found.statements)
    return replace(one, found=compare(before.side, after.side).statements)


def beside_others(found: Iterable[Change], after: Side) -> Change:
    """What is said of a check that is new, by what differs from the same for other values.

    found  what differs from each of them
    after  the check

    A list promises no more than what leaks most, or promises least, of its values: a new one is to
    be no worse than some other.
    """
    closest = None
    for one in found:
        if one.status in PASSING:
            return new(after)
        if closest is None or WORST_FIRST.index(one.status) > WORST_FIRST.index(closest.status):
            closest = one
    if closest is None:
        return new(after)
    told = Statement(PROMISES_MORE, "check", "the check is new, beside the same for other values")
    return change([*closest.statements, told])


def about_others(changes: Sequence[Changed]) -> list[Changed]:
    """The changes, with a statement where a check is about another mechanism of its file now."""
    others = repointed(one.sides for one in changes)
    return [_other(one) if is_other else one for one, is_other in zip(changes, others, strict=True)]


def _other(one: Changed) -> Changed:
    old, new = ((line and line.mechanism) or "the one without a name" for line in one.sides)
    words = "it is about another mechanism now"
    told = Statement(PROMISES_OTHERWISE, "mechanism", words, old, new)
    found = worst_first([*one.found, told])
    known = dict(one.told)
    if "statements" in known:
        known["statements"] = [*known["statements"], as_json(told)]
    return replace(one, found=found, told=known)


def as_json(one: Statement) -> Json:
    """A statement that has nothing but its words, for a report in JSON."""
    return {"status": one.status, "words": one.told}


def standing(one: Changed) -> Changed:
    """A change that leaks more, marked where its promise stands."""
    kept = all(found.status in (LEAKS_MORE, *PASSING) for found in one.found)
    holds = (one.told.get("after") or {}).get("ok") is True
    return replace(one, stands=one.status == LEAKS_MORE and kept and holds)


def accepted(
    changes: Iterable[Changed], listed: Sequence[Acceptance], today: date
) -> tuple[list[Changed], list[tuple[Acceptance, str]]]:
    """The changes, with what accepts them; and the entries that accept nothing, and why."""
    used: Counter[Acceptance] = Counter()
    found = []
    for one in changes:
        names = [name for name in _names(one) if name]
        for entry in listed if one.status in (*STOPPING, UNDECIDED) else ():
            if entry.covers(one.status, names, one.sides):
                used[entry] += 1
                if not entry.is_expired(today):
                    one = replace(one, accepted=entry)
                    break
        found.append(one)
    idle = [(entry, IDLE) for entry in listed if not used[entry]]
    late = [(e, f"it expired on {e.expires}") for e in listed if used[e] and e.is_expired(today)]
    return found, [*idle, *late]


def _names(one: Changed) -> list[str | None]:
    sides = [entry for entry in (one.before, one.after) if entry]
    return [name for entry in sides for name in (entry.line.name, entry.label, entry.id)]

"""What is told of each check after a change, and whether it may pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from verifier.changes.accept import Acceptance
from verifier.changes.lines import Line, side
from verifier.changes.pairing import checks, repointed
from verifier.changes.statuses import (
    LEAKS_MORE,
    PROMISES_LESS,
    PROMISES_MORE,
    PROMISES_OTHERWISE,
    STOPPING,
    UNDECIDED,
    WORST_FIRST,
    worst,
    worst_first,
)
from verifier.changes.worse import Difference, differences, expectation

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
    """

    line: Line
    file: str
    index: int
    id: str
    label: str
    place: tuple[int, int] | None


@dataclass(frozen=True)
class Changed:
    """A check, before and after.

    before, after  the check on the two sides; None where it is not there
    found          what differs, the worst first
    told           what else a report says of it: results, details, …
    accepted       why it may pass, by whom it was accepted; None where it was not
    stands         whether the promise stands, so that it may pass where only promises count
    """

    before: Entry | None
    after: Entry | None
    found: tuple[Difference, ...] = ()
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
    def indices(self) -> tuple[int | None, int | None]:
        """The numbers of the check in the files of both sides."""
        before, after = self.before, self.after
        return before.index if before else None, after.index if after else None

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
    pairs = checks([one.line for one in before], [one.line for one in after])
    found = [
        _read_only(
            Changed(None if old is None else before[old], None if new is None else after[new]),
            after,
            lost,
            unread,
        )
        for old, new in pairs
    ]
    here = {entry.line.file for entry in after}.union(unread)
    return found + [_gone_file(file, why) for file, why in lost.items() if file not in here]


def needs_deciding(one: Changed) -> bool:
    """Whether both answers are to be compared: nothing is known yet of what differs."""
    before, after = one.sides
    asks_the_same = before is not None and after is not None and before.digest == after.digest
    return after is not None and not asks_the_same and not one.found


def _read_only(
    one: Changed, others: Sequence[Entry], lost: Mapping[str, str], unread: Mapping[str, str]
) -> Changed:
    """A change, with what differs as far as no answer is needed."""
    before, after = one.sides
    if after is None and before is not None:
        return _gone(one, before, others, unread)
    if before is None and after is not None and after.file in lost:
        return replace(one, found=(_not_known(lost[after.file]),))
    if before is not None and after is not None and before.digest == after.digest:
        return replace(one, found=tuple(_same(before, after)))
    return one


def _gone(
    one: Changed, before: Line, others: Sequence[Entry], unread: Mapping[str, str]
) -> Changed:
    if before.file in unread:
        said = f"the file can no longer be read: {unread[before.file]}"
        return replace(one, found=(Difference(PROMISES_LESS, said),))
    here = [other for other in others if other.line.file == before.file]
    for other in here or others:
        same = side(other.line) == side(before) and other.line.mechanism == before.mechanism
        if before.digest and same:
            told = f"the same is asked and expected in {other.file}: {other.label}"
            return replace(one, told={"details": [told]})
    return replace(one, found=(Difference(PROMISES_LESS, "the check is gone"),))


def _gone_file(file: str, reason: str) -> Changed:
    """What is told of a file that could not be read, and is gone."""
    line = Line(file, None, LOST, None, None, None, "undecided", "holds", None, "", "")
    entry = Entry(line, file, 0, "", "the file", None)
    return Changed(entry, None, (_not_known(reason),))


def _not_known(reason: str) -> Difference:
    return Difference(PROMISES_OTHERWISE, f"what was promised is not known: {reason}")


def undecided(one: Changed, reason: str) -> Changed:
    """A change whose answers were not compared."""
    return replace(one, found=(Difference(UNDECIDED, reason),))


def _same(before: Line, after: Line) -> Iterator[Difference]:
    if not before.digest:
        yield Difference(UNDECIDED, "the question could not be written down")
    yield from expectation(before, after)


def by_numbers(one: Changed) -> Changed:
    """A change between two reports, of which nothing but the numbers is known."""
    before, after = one.sides
    if before is None:
        return replace(one, found=(Difference(PROMISES_MORE, "the check is new"),))
    if after is None:
        return replace(one, found=(Difference(PROMISES_LESS, "the check is gone"),))
    return replace(one, found=differences(before, after))


def about_others(changes: Sequence[Changed]) -> list[Changed]:
    """The changes; of checks that are about another mechanism of their file now, it is told."""
    others = repointed(one.sides for one in changes)
    return [_other(one) if is_other else one for one, is_other in zip(changes, others, strict=True)]


def _other(one: Changed) -> Changed:
    old, new = ((line and line.mechanism) or "the one without a name" for line in one.sides)
    told = Difference(PROMISES_OTHERWISE, f"it is about another mechanism now: {old} -> {new}")
    found = worst_first([*one.found, told])
    known = dict(one.told)
    if "statements" in known:
        known["statements"] = [*known["statements"], told._asdict()]
    return replace(one, found=found, told=known)


def standing(one: Changed) -> Changed:
    """A change that leaks more, marked where its promise stands."""
    kept = all(found.status not in (PROMISES_LESS, PROMISES_OTHERWISE) for found in one.found)
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

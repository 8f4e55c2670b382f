"""The command `diff`: what a change leaks more, and what it promises less."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.changes import accept, gate, pairing
from verifier.changes.accept import Acceptance
from verifier.changes.gate import Changed, Entry
from verifier.changes.lines import Line
from verifier.changes.statements import Statement
from verifier.changes.statuses import SAME, WORST_FIRST
from verifier.cli import sides
from verifier.cli.arguments import (
    FAIL_ON,
    Parsers,
    add_cache,
    add_command,
    add_jobs,
    add_limits,
    add_parameters,
)
from verifier.cli.reports import Report, ReportedRun, add_colour, add_formats, objection
from verifier.cli.running import FAILED, INTERNAL, OK, UNDECIDED, Json, complain
from verifier.cli.sides import Side
from verifier.report import diff

BEFORE, AFTER = "before", "after"
UNREAD = ("error", "stopped", "over", "crash")  # events: why a file was not read
LINES = "lines"  # the job that reads the checks of a file
READS = (b"csv", b"python", b"\\")  # without these in its text a file reads no other one
ABOUT_REPORTS = (
    "reports tell verdicts, levels, smallest levels and digests of questions; what else changed, "
    "such as worlds, neighbours or priors, cannot be compared and counts as promises otherwise"
)


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "diff", "tell what a change leaks more, or promises less")
    command.add_argument("base", metavar="BASE", help="a revision, a folder, or a JSON report")
    command.add_argument(
        "rest",
        nargs="*",
        default=[],
        metavar="[HEAD] FILE",
        help="what BASE is compared with, the working tree by default; only these files",
    )
    command.add_argument(
        "--merge-base",
        action="store_true",
        help="compare with the merge base of BASE and HEAD, as BASE... does",
    )
    command.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        help="fail where more leaks, or only where less is promised; leak by default",
    )
    command.add_argument(
        "--accept", metavar="FILE", help="a list of changes that may pass, with reasons"
    )
    add_formats(command)
    add_colour(command)
    add_cache(command)
    add_jobs(command)
    add_parameters(command)
    add_limits(command, "part of the work")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare two sides, and report what has changed."""
    report = Report("diff", options)
    work, signal = DiffRun(options, report), None
    try:
        asked = sides.asked([options.base, *options.rest], options.merge_base)
        inputs = [options.base, *options.rest, *filter(None, [options.accept])]
        if wrong := objection(options.reports, inputs):
            raise InputError("S903", wrong, hint="write the reports to files of their own")
        if asked.kind == sides.REPORTS:
            signal = work.compare_reports(asked.before, asked.after or "", asked.files)
        else:
            with sides.opened(asked) as (before, after):
                signal = work.compare(before, after, asked.files)
        if signal is None:
            work.refuse_nothing()
        work.report_changes()
    except InputError as error:
        work.refuse(error)
    work.statuses.add(report.end(work.summary(), **work.meta))
    return signal or work.status()


class DiffRun(ReportedRun):
    """Reads two sides, matches their checks, has those decided that need it, reports at the end.

    meta  what the report says at its top
    """

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        super().__init__(options, report)
        self.meta: Json = {}
        self._entries: dict[str, list[Entry]] = {BEFORE: [], AFTER: []}
        self._unread: dict[str, dict[str, str]] = {BEFORE: {}, AFTER: {}}  # file -> why
        self._former: dict[str, str] = {}  # of files that were renamed
        self._acceptances: list[Acceptance] = []
        self._changes: list[Changed] = []
        self._unchanged = 0

    def compare(self, before: Side, after: Side, files: Sequence[str]) -> int | None:
        """Compare two sides; the status 130 or 143 where a signal ends the run."""
        self.meta = {BEFORE: before.name, AFTER: after.name}
        sides.check_files(files, {*before.files, *after.files})
        for note in (*before.notes, *after.notes):
            complain(escaped(f"note: {note}"))
        return self.each(self._rounds(before, after, files), self.options.jobs)

    def _rounds(self, before: Side, after: Side, files: Sequence[str]) -> Iterator[Sequence[Json]]:
        """What workers are to do: read what has changed, then decide what is another question."""
        yield [*self.reading_accepted(), *self._reading(before, after, files)]
        lost = {self._former.get(file, file): why for file, why in self._unread[BEFORE].items()}
        self._changes = gate.matched(
            self._entries[BEFORE], self._entries[AFTER], lost, self._unread[AFTER]
        )
        yield self._deciding(before, after)

    def _reading(self, before: Side, after: Side, files: Sequence[str]) -> list[Json]:
        """The jobs that read the files of both sides."""
        both = {BEFORE: before, AFTER: after}
        return [
            {
                "work": LINES,
                "side": side,
                "root": both[side].root,
                "top": both[side].top,
                "file": name,
                "named": name in files,
            }
            for side, name in self._to_read(before, after, files)
        ]

    def _deciding(self, before: Side, after: Side) -> list[Json]:
        """The jobs that decide and compare checks, one for each pair of files."""
        return [
            {
                "work": "diff",
                "file": new,
                "figures": self.report.draws,
                "pairs": [gate.indices(self._changes[at]) for at in numbers],
                "numbers": numbers,
                BEFORE: [before.root, old],
                AFTER: [after.root, new],
            }
            for (old, new), numbers in self._groups().items()
        ]

    def reading_accepted(self) -> list[Json]:
        """The job that reads which changes are accepted, if any."""
        path = self.options.accept
        return [{"work": "accepted", "file": path}] if path else []

    def _to_read(
        self, before: Side, after: Side, files: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """The side and the name of each file that is to be read; the others are unchanged."""
        old, new = sides.contents(before, files), sides.contents(after, files)
        same = {name for name in old.keys() & new.keys() if _is_unchanged(old[name], new[name])}
        self._unchanged = len(same)
        gone = {name: old[name] for name in sorted(old) if name not in new}
        fresh = {name: new[name] for name in sorted(new) if name not in old}
        self._former = {former: name for name, former in pairing.renamed(gone, fresh).items()}
        for side, found in ((BEFORE, old), (AFTER, new)):
            yield from ((side, name) for name in sorted(found.keys() - same))

    def take(self, file: str, event: Json) -> None:
        """Take in what is told of a job."""
        if self.job["work"] == LINES and "lines" not in event:
            self._not_read(file, event)
        elif "over" in event:
            self.statuses.add(UNDECIDED)  # each check that was not compared says it
        else:
            super().take(file, event)

    def answer(self, file: str, event: Json) -> None:
        """Take in what a job has found."""
        if "accepted" in event:
            self._acceptances = [accept.of_json(entry) for entry in event["accepted"]]
        elif "lines" in event:
            side = self.job["side"]
            self._entries[side] += [self._entry(side, file, item) for item in event["lines"]]
        else:
            at = self.job["numbers"][event["pair"]]
            found = tuple(Statement(*one) for one in event["found"])
            self._changes[at] = replace(self._changes[at], found=found, told=event["told"])
            if event["internal"]:
                self.statuses.add(INTERNAL)

    def _entry(self, side: str, file: str, item: Json) -> Entry:
        line = Line(**item["line"])
        if side == BEFORE:
            line = replace(line, file=self._former.get(file, file))
        return Entry(line, file, item["index"], item["id"], item["label"], tuple(item["place"]))

    def _not_read(self, file: str, event: Json) -> None:
        """A file of a side cannot be read: on the side before that is no error of the change."""
        (found,) = (event[key] for key in UNREAD if key in event)
        reason = found if isinstance(found, str) else found[0].split("\n")[0]
        self._unread[self.job["side"]][file] = reason
        if self.job["side"] == AFTER or "crash" in event:
            super().take(file, event)
        else:
            complain(escaped(f"note: {self.meta[BEFORE]}: {file} could not be read: {reason}"))

    def _groups(self) -> dict[tuple[str | None, str], list[int]]:
        """The numbers of changes whose answers are to be compared, by the files of both sides."""
        groups: dict[tuple[str | None, str], list[int]] = {}
        for at, one in enumerate(self._changes):
            if one.after and gate.needs_deciding(one):
                self._changes[at] = gate.undecided(one, "the answers were not compared")
                old = next((each.file for each in (one.before, *one.others) if each), None)
                groups.setdefault((old, one.after.file), []).append(at)
        return groups

    def compare_reports(self, before: str, after: str, files: Sequence[str]) -> int | None:
        """Compare two reports in JSON; the status where a signal ends the run."""
        self.meta = {BEFORE: before, AFTER: after, "compared": ABOUT_REPORTS}
        complain(f"note: {ABOUT_REPORTS}")
        old, new = (sides.of_report(name, files) for name in (before, after))
        self._changes = [gate.by_numbers(one) for one in gate.matched(old, new)]
        return self.each([self.reading_accepted()], 1) if self.options.accept else None

    def refuse_nothing(self) -> None:
        """Refuse two sides without any check, as nothing was compared; InputError S903."""
        if not self._changes and not self._unchanged and self.statuses == {OK}:
            hint = "name sides, or files, with `worlds` and `checks` at their top"
            raise InputError("S903", "there is no check on either side", hint=hint)

    def report_changes(self) -> None:
        """Report what has changed, the worst first, and what accepts nothing."""
        changes = [gate.standing(one) for one in gate.about_others(self._changes)]
        if self.options.fail_on == gate.LEAK:
            changes = [replace(one, stands=False) for one in changes]
        today = datetime.now(UTC).date()
        changes, idle = gate.accepted(changes, self._acceptances, today)
        self._changes = sorted(changes, key=lambda one: one.order)
        shown: dict[tuple[str, ...], str] = {}
        for one in self._changes:
            self.statuses.add(_status(one))
            if one.status != SAME or one.told or one.moved:
                self.report.add(diff.finding(one, shown))
        for entry, why in idle:
            self.report.add(diff.idle(entry, why))

    def summary(self) -> dict[str, int]:
        """How many checks have changed how."""
        counts = Counter(one.status for one in self._changes)
        found = {status: counts[status] for status in WORST_FIRST if counts[status]}
        accepted = sum(one.accepted is not None for one in self._changes)
        rest = {"accepted": accepted, "unchanged files": self._unchanged}
        return {**found, **{word: count for word, count in rest.items() if count}} or {SAME: 0}


def _is_unchanged(before: bytes, after: bytes) -> bool:
    """Whether a file asks the same on both sides, whatever other files say."""
    return before == after and not any(word in before for word in READS)


def _status(one: Changed) -> int:
    """The exit status of a change."""
    return OK if one.passes else FAILED if one.stops else UNDECIDED

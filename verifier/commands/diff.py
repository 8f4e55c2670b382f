"""The command `diff`: what a change leaks more, and what it promises less."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from fnmatch import fnmatch
from pathlib import Path

from verifier.base.errors import InputError
from verifier.changes import accept, gate, lines, pairing
from verifier.changes.gate import Changed, Entry
from verifier.changes.statuses import LEAKS_MORE, PROMISES_LESS, SAME, UNDECIDED, WORST_FIRST
from verifier.changes.worse import Difference
from verifier.commands import sides
from verifier.commands.arguments import Parsers, add_limits
from verifier.commands.reports import Report, ReportedRun, add_formats, objection
from verifier.commands.running import BAD_INPUT, FAILED, INTERNAL, OK, Json, complain
from verifier.commands.running import UNDECIDED as STATUS_UNDECIDED
from verifier.report.errors import error_as_json
from verifier.report.findings import Finding, identity

BEFORE, AFTER = "before", "after"
MOST = 8 * 2**20  # bytes of a spec file
READS = (b"csv", b"python", b"\\")  # without these a file reads no other one
ABOUT_REPORTS = (
    "reports tell verdicts, levels, smallest levels and digests of questions: what else has "
    "changed, such as worlds, neighbours or priors, cannot be compared, and counts as otherwise"
)


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = parsers.add_parser("diff", help="what a change leaks more, or promises less")
    command.add_argument(
        "sides",
        nargs="+",
        metavar="BASE [HEAD] [FILE…]",
        help="two revisions, folders, or reports of `check --format json`; HEAD is the working "
        "tree by default; then the files to compare, all by default",
    )
    command.add_argument(
        "--merge-base",
        action="store_true",
        help="compare with the merge base of BASE and HEAD, as BASE... does",
    )
    command.add_argument(
        "--fail-on",
        choices=(gate.ANY, gate.PROMISE),
        default=gate.ANY,
        help="leak, the default: fail where more leaks too; promise: only where less is promised",
    )
    command.add_argument(
        "--accept", metavar="FILE", help="a list of changes that may pass, with reasons"
    )
    add_formats(command)
    add_limits(command, "part of the work")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare two sides, and report what has changed."""
    report = Report("diff", options)
    work = DiffRun(options, report)
    try:
        asked = sides.asked(options.sides, options.merge_base)
        inputs = [name for name in (options.accept, *options.sides) if name]
        if wrong := objection(options.reports, inputs):
            raise InputError("S904", wrong, hint="write reports to other files")
        if asked.kind == sides.REPORTS:
            signal = work.reports(asked)
        else:
            with sides.opened(asked) as (before, after):
                signal = work.sides(before, after, asked.files)
    except InputError as error:
        work.bad({"error": [str(error)], "json": [error_as_json(error)]})
        signal = None
    work.statuses.add(report.end(work.summary(), **work.meta))
    return signal or work.status()


class DiffRun(ReportedRun):
    """Reads two sides, matches their checks, has decided what needs it, and reports at the end.

    meta  what the report says at its top
    """

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        super().__init__(options, report)
        self.meta: Json = {}
        self._entries: dict[str, list[Entry]] = {BEFORE: [], AFTER: []}
        self._unread: dict[str, dict[str, str]] = {BEFORE: {}, AFTER: {}}  # file -> why
        self._renamed: dict[str, str] = {}  # new name -> former one
        self._accepted: list[accept.Acceptance] = []
        self._changes: list[Changed] = []
        self._job: Json = {}
        self._unchanged = 0

    def sides(self, before: sides.Side, after: sides.Side, files: Sequence[str]) -> int | None:
        """Compare two sides; the status 130 or 143 where a signal ends the run."""
        self.meta = {BEFORE: before.name, AFTER: after.name}
        for note in (*before.notes, *after.notes):
            self._note(note)
        signal = self.each(self._jobs(before, after, files))
        self._report()
        return signal

    def reports(self, asked: sides.Asked) -> int | None:
        """Compare two reports in JSON."""
        assert asked.after is not None
        self.meta = {BEFORE: asked.before, AFTER: asked.after, "compared": "reports"}
        self._note(ABOUT_REPORTS)
        found = [_of_report(name, asked.files) for name in (asked.before, asked.after)]
        signal = self.each(self._reading_accepted())
        self._changes = [gate.by_numbers(one) for one in gate.matched(*found)]
        self._report()
        return signal

    def _jobs(
        self, before: sides.Side, after: sides.Side, files: Sequence[str]
    ) -> Iterator[Json]:
        """What workers are to do, one after the other; each needs what the one before has told."""
        yield from self._reading_accepted()
        for side, name, root, chosen in self._to_read(before, after, files):
            yield {"work": "lines", "side": side, "file": name, "root": root, "chosen": chosen}
        self._match()
        waiting = [one for one in self._changes if gate.needs_deciding(one)]
        groups: dict[tuple[str | None, str], list[Changed]] = {}
        for one in waiting:
            assert one.after
            groups.setdefault((one.before and one.before.file, one.after.file), []).append(one)
        for (old, new), group in groups.items():
            pairs = [(one.before and one.before.index, one.after.index) for one in group if one.after]
            roots = {BEFORE: [before.root, old], AFTER: [after.root, new]}
            yield {"work": "diff", "file": new, "pairs": pairs, "group": group, **roots}

    def _reading_accepted(self) -> Iterator[Json]:
        if self.options.accept:
            yield {"work": "accepted", "file": self.options.accept}

    def _to_read(
        self, before: sides.Side, after: sides.Side, files: Sequence[str]
    ) -> Iterator[tuple[str, str, str, bool]]:
        """The side, name and root of each file that is to be read, and whether it was named."""
        chosen = _chosen([*before.files, *after.files], files)
        old, new = (_contents(side, chosen, bool(files)) for side in (before, after))
        same = {
            name
            for name in old.keys() & new.keys()
            if old[name] == new[name] and not any(word in old[name] for word in READS)
        }
        self._unchanged = len(same)
        gone = {name: old[name] for name in old if name not in new}
        self._renamed = pairing.renamed(gone, {name: new[name] for name in new if name not in old})
        for side, root, found in ((BEFORE, before.root, old), (AFTER, after.root, new)):
            for name in sorted(found.keys() - same):
                yield side, name, root, name in files

    def take(self, file: str, event: Json) -> None:
        """Take in what is told of a job."""
        job = self._job
        if job["work"] == "lines" and not {"lines", "crash", "rejected"} & event.keys():
            self._not_read(job["side"], file, event)
        else:
            super().take(file, event)

"""The command `check`: deciding every check of spec files."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from verifier.base import files
from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.base.version import VERSION
from verifier.cli import inputs, settings
from verifier.cli.arguments import (
    OTHERWISE,
    Parsers,
    add_advice,
    add_cache,
    add_command,
    add_files,
    add_jobs,
    add_limits,
    add_parameters,
    add_strict,
)
from verifier.cli.reports import Report, ReportedRun, add_display, add_formats, objection
from verifier.cli.running import (
    BAD_INPUT,
    FAILED,
    OF_CHECKS,
    OK,
    Json,
    Run,
    complain,
    say,
)
from verifier.report.findings import (
    STATISTICS,
    Finding,
    of_check,
    of_note,
    statistics,
    undone,
)

KEPT = ("index", "name", "definition", "verdict", "status")  # of a check, in the manifest
COUNTED = ("text", "json")  # formats that have statistics
DRY = ("checks", "notes")  # of the report on a dry run


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "check", "decide every check of spec files")
    add_files(command, OTHERWISE)
    add_formats(command)
    command.add_argument(
        "--certificates", type=Path, metavar="DIR", help="write certificates and a manifest here"
    )
    command.add_argument(
        "--allow-vacuous", action="store_true", help="let checks pass that compare nothing"
    )
    command.add_argument(
        "--locked",
        action="store_true",
        help="fail where an answer is weaker than verifier.lock has it, or is missing there",
    )
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="read the files, and say what would be checked; exit status 0 or 2",
    )
    command.add_argument(
        "--watch",
        action="store_true",
        help="decide again what changes, until SIGINT ends it; one screen, the last answers first",
    )
    command.add_argument(
        "--statistics",
        action="store_true",
        help="count the checks of each definition by status, and the time that they take",
    )
    command.add_argument(
        "--show-settings",
        action="store_true",
        help="say which settings count, and where each comes from; nothing is checked",
    )
    add_display(command)
    add_advice(command)
    add_strict(command)
    add_cache(command)
    add_jobs(command)
    add_parameters(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


class CheckRun(ReportedRun):
    """Decides checks: reports each at once, and keeps account of the certificates."""

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        super().__init__(options, report)
        self.specs: list[Json] = []
        self._file = ""
        self._listed: dict[int, Finding] = {}
        self._notes: list[Finding] = []

    def asked(self) -> Json:
        """What all its jobs have."""
        folder = self.options.certificates
        return {
            "certificates": None if folder is None else str(folder),
            "allow_vacuous": self.options.allow_vacuous,
            "verbose": self.options.verbose,
            "figures": self.report.draws,
            "advice": self.report.advises,
            "dry_run": False,
        }

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "listed" in event:
            self._spec(file)["sha256"] = event["sha256"]
            self._listed = {item["json"]["index"]: of_check(item) for item in event["listed"]}
        elif "over" in event and self._listed:
            self._rest(file, "undecided", event["over"])
        else:
            super().take(file, event)

    def _spec(self, file: str) -> Json:
        """What the manifest says of a file; a new entry for a new file."""
        if self._file != file or not self.specs:
            self._file, self._listed = file, {}
            self.specs.append({"file": file, "sha256": None, "checks": []})
        return self.specs[-1]

    def answer(self, file: str, event: Json) -> None:
        """Report one result."""
        item = event["item"]
        self._listed.pop(item["json"]["index"], None)
        self._tell(file, of_check(item), item["sha256"])
        self._notes += [of_note(note, self.options.strict) for note in item["told"]]

    def _tell(self, file: str, found: Finding, sha256: str | None = None) -> None:
        path = (found.json["certificate"] or {}).get("path")
        certificate = path and {"path": path, "sha256": sha256}
        told = {**{key: found.json[key] for key in KEPT}, "certificate": certificate}
        self._spec(file)["checks"].append(told)
        self.statuses.add(OF_CHECKS[found.status])
        self.report.add(found)

    def _rest(self, file: str, status: str, reason: str) -> None:
        """Report what the run did not come to."""
        for found in self._listed.values():
            self._tell(file, undone(found, status, reason))
        self._listed = {}

    def _tell_notes(self) -> None:
        """Report what a file says that nobody asked for, after its checks."""
        for note in {(one.line, one.column, one.id): one for one in self._notes}.values():
            self.report.add(note)
            if self.options.strict:
                self.statuses.add(FAILED)
        self._notes = []

    def ended(self, file: str) -> None:
        """Report the notes on a file, and remove certificates that are not about it as it is."""
        self._tell_notes()
        self._listed, checks = {}, self._spec(file)["checks"]
        self._file = ""
        if folder := self.options.certificates:
            fresh = {Path(c["certificate"]["path"]) for c in checks if c["certificate"]}
            files.remove_stale(folder, file, fresh)

    def not_run(self, file: str, begun: bool) -> None:
        """Report the checks that are not run; all that is known of a file not begun is its name."""
        self._tell_notes()
        if begun and self._listed:
            self._rest(file, "not run", "the run was interrupted")
        else:
            self._spec(file)
            super().not_run(file, begun)
        self._file = ""

    def hold(self) -> None:
        """Report what is not as the lock has it; InputError S902."""
        from verifier.cli import lock

        named = self.options.files or [os.curdir]
        for found in lock.hold(self.report.findings, named, self.options.strict):
            if found.severity == "error":
                self.statuses.add(FAILED)
            if found.rule == lock.WEAKER:
                complain(escaped(f"{found.place}: {found.rule} {found.message}"))
                complain("\n".join(map(escaped, found.details)))
            self.report.add(found)


def run(options: argparse.Namespace) -> int:
    """Decide every check of files, and report."""
    folder = options.certificates
    if options.show_settings:
        say(settings.shown_settings(options))
        return OK
    if options.dry_run:
        return _dry_run(options)
    if options.statistics and options.format not in COUNTED:
        complain("--statistics is told as text or as json alone")
        return BAD_INPUT
    if options.watch:
        from verifier.cli import watch

        return watch.run(options)
    report = Report("check", options)
    work = CheckRun(options, report)
    names = named(work)
    if wrong := objection(options.reports, names, options.said["report"][0].by):
        complain(wrong)
        return BAD_INPUT
    try:
        signal = work.all(names, **work.asked())
        if folder is not None:
            files.write_manifest(folder, f"verifier {VERSION}", work.specs)
        if options.locked and not signal:
            work.hold()
    except InputError as error:
        work.refuse(error)
        signal = None
    meta: Json = {STATISTICS: statistics(report.findings)} if options.statistics else {}
    work.statuses.add(report.end(**meta))
    if not report.findings and work.statuses == {OK}:
        work.statuses.add(BAD_INPUT)
    return signal or work.status()


def named(work: Run) -> list[str]:
    """The files that are asked for: of the arguments, of the settings, or all of this folder."""
    if work.options.files:
        return work.files(work.options.files)
    from verifier.cli import sides

    names = [name for name in sides.contents(sides.here(), ()) if inputs.is_spec_file(name)]
    if not names:
        work.refuse(inputs.nothing_in(os.curdir))
    return names


def _dry_run(options: argparse.Namespace) -> int:
    """Read files whole, and say what would be checked."""
    reports = options.reports and not settings.is_set(options, "report")
    if options.format not in ("text", "json") or reports or options.locked:
        complain("--dry-run is told as text or as json alone, and has no answers for --locked")
        return BAD_INPUT
    work = Run(options)
    names = named(work)
    signal = work.all(names, format=options.format, strict=options.strict, dry_run=True)
    if options.format == "json":
        parts = {key: [one for item in work.items for one in item[key]] for key in DRY}
        work.document(**parts)
    return signal or work.status()

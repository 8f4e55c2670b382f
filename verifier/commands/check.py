"""The command `check`: deciding every check of spec files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verifier import __version__
from verifier.base import files
from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.commands.arguments import Parsers, add_jobs, add_limits, add_strict
from verifier.commands.running import (
    BAD_INPUT,
    FAILED,
    INTERNAL,
    OK,
    UNDECIDED,
    Json,
    Run,
    complain,
    say,
)
from verifier.report import run as report

STATUSES = {
    "ok": OK,
    "failed": FAILED,
    "undecided": UNDECIDED,
    "not run": UNDECIDED,
    "internal": INTERNAL,
}
DRY = ("checks", "notes")  # of the report on a dry run


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = parsers.add_parser("check", help="decide every check of spec files")
    command.add_argument("files", nargs="+", metavar="FILE", help="spec files, YAML or JSON")
    command.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    command.add_argument(
        "--certificates", type=Path, metavar="DIR", help="write certificates and a manifest here"
    )
    command.add_argument(
        "--allow-vacuous", action="store_true", help="let checks pass that compare nothing"
    )
    command.add_argument(
        "--dry-run",
        action="store_true",
        help="read the files, and say what would be checked; exit status 0 or 2",
    )
    command.add_argument(
        "-q", "--quiet", action="store_true", help="print only what is not ok, and the summary"
    )
    add_strict(command)
    add_jobs(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


class CheckRun(Run):
    """Decides checks: reports each at once, and keeps account of the certificates.

    With `--quiet` the text tells only what is not ok.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.specs: list[Json] = []
        self._file, self._headed = "", False
        self._listed: dict[int, Json] = {}
        self._notes: list[Json] = []
        self._told: set[str] = set()
        self.notes: list[Json] = []

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "listed" in event:
            self._spec(file)["sha256"] = event["sha256"]
            self._listed = {item["index"]: item for item in event["listed"]}
        elif "over" in event and self._listed:
            self._rest(file, "undecided", event["over"])
        else:
            super().take(file, event)

    def progress(self, message: str) -> None:
        """Tell what lasts, unless it is to be quiet."""
        if not self.options.quiet:
            super().progress(message)

    def _spec(self, file: str) -> Json:
        """What the manifest says of a file; a new entry for a new file."""
        if self._file != file or not self.specs:
            self._file, self._headed, self._listed, self._told = file, False, {}, set()
            self.specs.append({"file": file, "sha256": None, "checks": []})
        return self.specs[-1]

    def answer(self, file: str, event: Json) -> None:
        """Report one result."""
        item, spec = event["item"], self._spec(file)
        self._listed.pop(item["index"], None)
        self.items.append(item)
        self.statuses.add(STATUSES[item["status"]])
        kept = ("index", "name", "definition", "verdict", "status")
        certificate = item["path"] and {"path": item["path"], "sha256": item["sha256"]}
        spec["checks"].append({**{k: item[k] for k in kept}, "certificate": certificate})
        if self.options.format == "text" and not (self.options.quiet and item["status"] == "ok"):
            head = [] if self._headed else [escaped(file)]
            self._headed = True
            say([*head, *report.shown(item, self._told, sys.stdout.isatty())])
        self._notes += item.get("told", [])

    def _rest(self, file: str, status: str, reason: str) -> None:
        """Report what the run did not come to."""
        for item in list(self._listed.values()):
            self.answer(file, {"item": report.undone(item, status, reason)})

    def _tell_notes(self) -> None:
        """Report what a file says that nobody asked for, after its checks."""
        if self.options.format == "text" and (self.options.strict or not self.options.quiet):
            say(escaped(f"  note: {note['line']}") for note in self._notes)
        self.notes += [note["json"] for note in self._notes]
        if self._notes and self.options.strict:
            self.statuses.add(FAILED)
        self._notes = []

    def ended(self, file: str) -> None:
        """Report the notes on a file, and remove the certificates of former runs that are not about
        it as it is now."""
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
            self.stop(file, "not run")
        self._file = ""


def run(options: argparse.Namespace) -> int:
    """Decide every check of files, and report."""
    if options.dry_run:
        return _dry_run(options)
    work = CheckRun(options)
    folder = options.certificates
    if folder is not None:
        places = [files.place(folder, file) for file in options.files]
        if len(set(places)) < len(places):
            complain("--certificates needs spec files with different names")
            return BAD_INPUT
    try:
        signal = work.all(
            options.files,
            format=options.format,
            certificates=None if folder is None else str(folder),
            allow_vacuous=options.allow_vacuous,
            dry_run=False,
        )
        if folder is not None:
            files.write_manifest(folder, f"verifier {__version__}", work.specs)
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    if options.format == "json":
        say([report.as_json(work.items, work.errors, work.stopped, work.notes)])
    elif work.items:
        count = [f"files: {len(work.specs)}, checks: {len(work.items)}"] if options.quiet else []
        say([*count, report.summary(work.items, len(work.notes))])
    if not work.items and work.statuses == {OK}:
        work.statuses.add(BAD_INPUT)
    return signal or work.status()


def _dry_run(options: argparse.Namespace) -> int:
    """Read files whole, and say what would be checked."""
    work = Run(options)
    signal = work.all(options.files, format=options.format, strict=options.strict, dry_run=True)
    if options.format == "json":
        parts = {key: [one for item in work.items for one in item[key]] for key in DRY}
        work.document(**parts)
    return signal or work.status()

"""Reports of commands: on standard output in one format, and in files in others."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from verifier.base import files
from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.cli.arguments import Target, target
from verifier.cli.running import INTERNAL, OK, Json, Run, complain, failed, say
from verifier.report.findings import Document, Finding, counted, of_error, of_file
from verifier.report.formats import FORMATS
from verifier.report.view import View

ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE")  # of GitHub, GitLab and Jenkins
Lines = TypeVar("Lines")
Write = Callable[[Path, str], object]


def add_formats(command: argparse.ArgumentParser) -> None:
    """The format on standard output, and further reports."""
    command.add_argument(
        "--format", choices=tuple(FORMATS), default="text", help="of the report; text by default"
    )
    command.add_argument(
        "--report",
        action="append",
        default=[],
        type=target,
        metavar="FORMAT=PATH",
        dest="reports",
        help="write a report in this format to this file too; may be given several times",
    )


def add_display(command: argparse.ArgumentParser) -> None:
    """How much the report in text shows, and how."""
    much = command.add_mutually_exclusive_group()
    much.add_argument(
        "-q", "--quiet", action="store_true", help="print only what is not ok, and the summary"
    )
    much.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print witnesses whole, also of violations that are expected, and the tight example "
        "of what holds",
    )
    add_colour(command)


def add_colour(command: argparse.ArgumentParser) -> None:
    """Whether marks are in colour."""
    command.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether marks have colours; auto: on a terminal, or as NO_COLOR or FORCE_COLOR says",
    )


def objection(targets: Iterable[Target], inputs: Iterable[str], by: str = "--report") -> str | None:
    """Why reports cannot go where they are to go; None where they can.

    targets  where they are to go
    inputs   what is read
    by       who says where
    """
    taken = {_real(name): "is a file that is read" for name in inputs}
    for one in targets:
        if why := taken.get(_real(one.path)):
            return escaped(f"{by}: '{one.path}' {why}")
        taken[_real(one.path)] = "cannot get two reports"
    return None


def _real(path: str | Path) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # no name of a file
        return str(path)


class Report:
    """The report of a run, as it grows.

    kind   of the document
    draws  whether one of its formats has figures
    advises  whether one has advice, and it is asked for

    LibraryMissing where a format needs one.
    """

    def __init__(self, kind: str, options: argparse.Namespace) -> None:
        self.kind, self.options = kind, options
        formats = [FORMATS[name] for name in (options.format, *(r.format for r in options.reports))]
        for one in formats:
            one.ready()
        self.draws = any(one.draws for one in formats)
        self.advises = any(one.advises for one in formats) and getattr(options, "advice", False)
        self.findings: list[Finding] = []
        self._statuses = {OK}
        self._began = datetime.now().isoformat(timespec="seconds")
        self.view = View(
            quiet=getattr(options, "quiet", False),
            strict=getattr(options, "strict", False),
            colour=has_colour(getattr(options, "color", "auto")),
            width=_width,
            errors=False,
        )
        self._writer = FORMATS[options.format].writer(self.view)

    def add(self, found: Finding) -> None:
        """Tell a finding."""
        self.findings.append(found)
        self._say(lambda: self._writer.add(found))

    def _say(self, lines: Callable[[], Iterable[str]]) -> None:
        """Print what the writer of standard output writes."""
        written, status = _rendered(self.options.format, lambda: list(lines()))
        say(written or ())
        self._statuses.add(status)

    def end(self, summary: Mapping[str, int] | None = None, **meta: Any) -> int:
        """Write the end, and the reports in files; the exit status for these.

        summary  how many findings ended how; those of checks by default
        meta     what else the report in JSON says at its top
        """
        found = tuple(self.findings)
        sums, head = summary or counted(found), self._head() if self.draws else {}
        document = Document(self.kind, found, sums, meta, _root(), self._began, head)
        self._say(lambda: self._writer.end(document))
        targets: list[tuple[str, Path, Write]] = [
            (one.format, one.path, files.write) for one in self.options.reports
        ]
        formats = {self.options.format, *(one.format for one in self.options.reports)}
        if "github" in formats and (path := os.environ.get("GITHUB_STEP_SUMMARY")):
            targets.append(("markdown", Path(path), _append))
        self._statuses.update(_write(*target, document) for target in targets)
        return max(self._statuses)

    def _head(self) -> dict[str, str]:
        """What the run was about: the revision of what was read, and the settings that count."""
        from verifier.cli import settings, sides

        head = {"settings": "; ".join(settings.chosen(self.options))}
        return head if self.kind == "diff" else {"revision": sides.described(), **head}


class Kept(Report):
    """Findings that are told later."""

    def add(self, found: Finding) -> None:
        """Keep a finding."""
        self.findings.append(found)


class ReportedRun(Run):
    """A run that reports what is wrong with files too."""

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        super().__init__(options)
        self.report = report

    def bad(self, event: Json) -> None:
        """Report what is wrong with a file."""
        super().bad(event)
        for error, text in zip(event["json"], event["error"], strict=True):
            self.report.add(of_error(error, text))

    def stop(self, file: str, reason: str, status: str = "undecided") -> None:
        """Report that a file was not done to its end."""
        super().stop(file, reason)
        self.report.add(of_file(file, status, reason))

    def crashed(self, file: str, event: Json) -> None:
        """Report that the work on a file has failed."""
        super().crashed(file, event)
        self.report.add(of_file(file, "internal", event["crash"]))

    def not_run(self, file: str, begun: bool) -> None:
        """Report that a signal has ended the run before a file was done."""
        self.stop(file, "interrupted" if begun else "not run", "not run")


def has_colour(asked: str) -> bool:
    """Whether standard output is in colour: as asked, else as the environment says, else on a
    terminal. Of the variables NO_COLOR goes before FORCE_COLOR."""
    if asked != "auto" or os.environ.get("NO_COLOR"):
        return asked == "always"
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _width() -> int | None:
    """The columns of the terminal, as it is now; None where standard output is none."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def _root() -> str:
    """The folder of the repository that a build is about, if this is below it; else this one."""
    here = Path.cwd()
    given = [Path(path) for name in ROOTS if (path := os.environ.get(name))]
    return str(next((path for path in given if here.is_relative_to(path)), here))


def _append(path: Path, content: str) -> None:
    """Add to the summary of a build, which several steps write to; InputError S701."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise files.unwritten(path, error) from None


def _rendered(name: str, render: Callable[[], Lines]) -> tuple[Lines | None, int]:
    """What a format makes, and the exit status; None where it fails, which is said."""
    try:
        return render(), OK
    except Exception as error:
        return None, failed(f"no report as {name}: ", error)


def _write(name: str, path: Path, write: Write, document: Document) -> int:
    """Write a report in a format; the exit status."""
    content, status = _rendered(name, lambda: FORMATS[name].render(document))
    if content is None:
        return status
    try:
        write(path, content)
    except InputError as error:
        complain(str(error))
        return INTERNAL
    return OK

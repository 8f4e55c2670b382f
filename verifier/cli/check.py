"""The command `check`: deciding every check of spec files."""

from __future__ import annotations

import argparse
from pathlib import Path

from verifier.base import files
from verifier.base.errors import InputError
from verifier.base.version import VERSION
from verifier.cli import settings
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
from verifier.cli.checking import CheckRun, named
from verifier.cli.reports import Report, add_display, add_formats, objection
from verifier.cli.running import (
    BAD_INPUT,
    OK,
    Json,
    Run,
    complain,
    say,
)
from verifier.report.findings import (
    STATISTICS,
    statistics,
)

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

"""The command `certify`: checking certificates again, without the engine."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from verifier.cli.arguments import Parsers, add_command, add_limits, add_parameters
from verifier.cli.reports import Report, ReportedRun, add_formats, objection
from verifier.cli.running import BAD_INPUT, FAILED, INTERNAL, OK, Json, complain
from verifier.report.findings import (
    CERTIFICATE,
    SEVERITIES,
    Finding,
    counted,
    identity,
    said_otherwise,
)
from verifier.run import certify as certificates
from verifier.run.certify import Certificate, Judged, Question

JUDGED = {  # the exit status, and the status in reports
    "accepted": (OK, "ok"),
    "not as expected": (FAILED, "failed"),
    "rejected": (INTERNAL, "internal"),
    "refused": (BAD_INPUT, "error"),
}


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "certify", "check certificates again, without the engine")
    command.add_argument(
        "files", nargs="+", metavar="FILE", help="certificates, JSON, or folders of them"
    )
    asked = command.add_mutually_exclusive_group()
    asked.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="FILE",
        help="a spec file: each of its checks is to have a certificate, and there are no others",
    )
    asked.add_argument(
        "--expect",
        choices=("holds", "violated", "vacuous"),
        help="what each certificate is to say, where there is no spec file; by default "
        "anything but vacuous, and those that do not say holds are counted apart",
    )
    add_formats(command)
    command.add_argument(
        "-q", "--quiet", action="store_true", help="print only what is not ok, and the summary"
    )
    add_parameters(command)
    add_limits(command, "certificate")
    command.set_defaults(run=run)


class AskedRun(ReportedRun):
    """Reads what the checks of spec files ask."""

    def answer(self, file: str, event: Json) -> None:
        """Take in a question; report a check that has none."""
        if "undecided" in event:
            self.stop(file, event["undecided"])
        else:
            super().answer(file, event)


def run(options: argparse.Namespace) -> int:
    """Give certificates to the independent checker, and hold them against what was asked."""
    if wrong := objection(options.reports, [*options.files, *options.spec]):
        complain(wrong)
        return BAD_INPUT
    report = Report("certify", options)
    work, asked = ReportedRun(options, report), AskedRun(options, report)
    names = list(certificates.listed(options.files))
    if not names:
        complain("there are no certificates")
        work.statuses.add(BAD_INPUT)
    signal = work.all(names)
    if not signal:
        found = {one["path"]: one["digest"] for one in work.items if one["digest"]}
        signal = asked.all(asked.files(options.spec), work="questions", found=found)
        for one in _judged(options, work.items, asked.items):
            work.statuses.add(JUDGED[one.status][0])
            report.add(_finding(one))
    summary = {**counted(report.findings), **said_otherwise(report.findings)}
    work.statuses |= {*asked.statuses, report.end(summary)}
    return signal or work.status()


def _judged(
    options: argparse.Namespace, items: Sequence[Json], asked: Sequence[Json]
) -> Iterable[Judged]:
    """What is said of certificates and, with spec files, of checks that have none."""
    found = [Certificate(**item) for item in items]
    if options.spec:
        return certificates.answered(found, [Question(**item) for item in asked])
    return [certificates.expected(one, options.expect) for one in found]


def _finding(one: Judged) -> Finding:
    """A judgement, as reports tell it."""
    status = JUDGED[one.status][1]
    key = identity(CERTIFICATE, one.subject)
    return Finding(
        one.file,
        None,
        None,
        key,
        CERTIFICATE,
        one.subject,
        status,
        SEVERITIES.get(status, "error"),
        f"{one.status}: {one.reason}",
        tuple(one.details()),
        key,
        asdict(one),
    )

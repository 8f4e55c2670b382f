"""The command `certify`: checking certificates again, without the engine."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from verifier import certify as certificates
from verifier.base.escape import escaped
from verifier.commands.arguments import Parsers, add_limits
from verifier.commands.running import BAD_INPUT, FAILED, INTERNAL, OK, Run, complain, say

JUDGED = {"accepted": OK, "not as expected": FAILED, "rejected": INTERNAL, "refused": BAD_INPUT}


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = parsers.add_parser("certify", help="check certificates again, without the engine")
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
        default="holds",
        help="what each certificate is to say, where there is no spec file; holds by default",
    )
    command.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    add_limits(command, "certificate")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Give certificates to the independent checker, and hold them against what was asked."""
    work, asked = Run(options), Run(options)
    if options.spec and (signal := asked.all(options.spec, work="questions")):
        return signal
    names = list(certificates.listed(options.files))
    if not names:
        complain("there are no certificates")
        return BAD_INPUT
    signal = work.all(names)
    found = [certificates.Certificate(**item) for item in work.items]
    if options.spec:
        questions = [certificates.Question(**item) for item in asked.items]
        judged = list(certificates.answered(found, questions))
    else:
        judged = [certificates.expected(one, options.expect) for one in found]
    if options.format == "json":
        work.errors += asked.errors
        work.document(certificates=[asdict(one) for one in judged])
    else:
        say(escaped(line) for one in judged for line in one.lines())
    work.statuses |= asked.statuses | {JUDGED[one.status] for one in judged}
    return signal or work.status()

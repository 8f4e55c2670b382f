"""The command `advise`: what violated checks would hold with."""

from __future__ import annotations

import argparse

from verifier.cli.arguments import Parsers, add_command, add_limits, add_parameters
from verifier.cli.inputs import single
from verifier.cli.running import BAD_INPUT, Run, complain


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "advise", "say what violated checks would hold with, as the lines to write"
    )
    command.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    command.add_argument(
        "--check", metavar="NAME", help="one check only, by its name, or its number from 1 on"
    )
    command.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    add_parameters(command)
    add_limits(command, "part of the work")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """What violated checks would hold with."""
    work, file = Run(options), single(options.file)
    signal = work.all([file], format=options.format, check=options.check)
    if options.format == "json":
        work.document(results=work.items)
    if not (work.items or work.errors or work.stopped or signal):
        complain(f"{file}: there is nothing to advise: no check is violated")
        work.statuses.add(BAD_INPUT)
    return signal or work.status()

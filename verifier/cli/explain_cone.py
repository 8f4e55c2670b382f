"""The command `explain-cone`: what mechanisms protect, and against whom."""

from __future__ import annotations

import argparse

from verifier.cli.arguments import Parsers, add_command, add_files, add_limits, add_parameters
from verifier.cli.running import Run


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "explain-cone", "explain what mechanisms protect, and against which attackers"
    )
    add_files(command)
    command.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    add_parameters(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """What the row cones of mechanisms protect."""
    work = Run(options)
    signal = work.all(work.files(options.files), format=options.format)
    if options.format == "json":
        work.document(cones=work.items)
    return signal or work.status()

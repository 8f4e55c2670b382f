"""The command `compose`: what repeated runs leak."""

from __future__ import annotations

import argparse

from verifier.cli.arguments import Parsers, add_command, add_limits, add_parameters, add_runs
from verifier.cli.inputs import single
from verifier.cli.running import Run


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers,
        "compose",
        "compute the leakage after k runs, and the run after which an attacker is certain",
    )
    command.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    add_runs(command, 10)
    add_parameters(command)
    add_limits(command, "part of the answer")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """What repeated runs leak, and when everything is known."""
    work = Run(options)
    signal = work.all([single(options.file)], runs=options.runs, format=options.format)
    if options.format == "json":
        decided = sum(not item["undecided"] for item in work.items)
        counts = {"decided": decided, "undecided": len(work.items) - decided + len(work.stopped)}
        work.document(file=options.file, runs=options.runs, settings=work.items, summary=counts)
    return signal or work.status()

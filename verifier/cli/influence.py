"""The command `influence`: leakage when some entries are hidden."""

from __future__ import annotations

import argparse

from verifier.cli.arguments import (
    Parsers,
    add_command,
    add_limits,
    add_parameters,
    add_runs,
    exp_epsilon,
)
from verifier.cli.inputs import single
from verifier.cli.running import Run


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers,
        "influence",
        "compute the leakage when some entries are hidden, and the bounds for k runs that follow",
    )
    command.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    command.add_argument("--mechanism", metavar="NAME", help="only this one of the file")
    command.add_argument(
        "--exp-epsilon",
        type=exp_epsilon,
        metavar="LEVEL",
        help="what differential privacy for one entry keeps this e^ε of Pufferfish",
    )
    add_runs(command, 3)
    add_parameters(command)
    add_limits(command, "curve")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Influence curves of a file, and what they promise."""
    work = Run(options)
    signal = work.all(
        [single(options.file)],
        mechanism=options.mechanism,
        runs=options.runs,
        level=options.exp_epsilon,
        format=options.format,
    )
    if options.format == "json":
        undecided = [item for item in work.items if "reason" in item]
        settings = [item for item in work.items if "reason" not in item]
        work.document(file=options.file, settings=settings, undecided=undecided)
    return signal or work.status()

"""The command `compose`: what repeated runs leak."""

from __future__ import annotations

import argparse

from verifier.base.errors import InputError
from verifier.cli.arguments import (
    MOST_RUNS,
    Parsers,
    add_command,
    add_limits,
    add_parameters,
    add_runs,
    delta,
    epsilon,
)
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
    add_runs(command, 10, "; up to 1000000 with --delta or --epsilon")
    asked = command.add_mutually_exclusive_group()
    asked.add_argument(
        "--delta",
        type=delta,
        metavar="D",
        help="the least ε of all runs at this δ, of the checks of differential privacy",
    )
    asked.add_argument(
        "--epsilon", type=epsilon, metavar="E", help="the least δ at this ε, such as 2 or ln(8)"
    )
    command.add_argument(
        "--accountants",
        action="store_true",
        help="show what dp-accounting, autodp and diffprivlib say, where they are installed",
    )
    add_parameters(command)
    add_limits(command, "part of the answer")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """What repeated runs leak, and when everything is known."""
    work, asked = Run(options), {"delta": options.delta, "epsilon": options.epsilon}
    if options.runs > MOST_RUNS and not any(asked.values()):
        said = f"--runs: at most {MOST_RUNS} without --delta or --epsilon, found {options.runs}"
        raise InputError("S121", said, hint="add --delta 1e-5, such as the checks have")
    if options.accountants and not any(asked.values()):
        hint = "add --delta 1e-5, such as the checks have"
        raise InputError(
            "S121", "--accountants: they are asked with --delta or --epsilon", hint=hint
        )
    about = {"runs": options.runs, "format": options.format, "accountants": options.accountants}
    signal = work.all([single(options.file)], **about, **asked)
    if options.format == "json":
        decided = sum(not item["undecided"] for item in work.items)
        counts = {"decided": decided, "undecided": len(work.items) - decided + len(work.stopped)}
        work.document(file=options.file, runs=options.runs, settings=work.items, summary=counts)
    return signal or work.status()

"""The command `plot`: a figure of what a file's checks say."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from verifier.base.errors import LimitReached
from verifier.base.escape import escaped
from verifier.cli.arguments import (
    Parsers,
    add_command,
    add_limits,
    add_out,
    add_parameters,
    runs,
)
from verifier.cli.inputs import DASH, single
from verifier.cli.region import figure
from verifier.cli.running import BAD_INPUT, Run, complain, say

Json = dict[str, Any]
CURVE = "curve"
WHAT = {  # that can be drawn
    CURVE: "the smallest δ at each ε",
    "region": "the smallest level as a function of a real parameter",
    "runs": "what repeated runs leak, as `compose` has it",
    "influence": "the influence curves",
    "matrix": "the likelihood matrix",
    "odds": "an attacker's odds before and after the worst output",
    "frontier": "expected errors and smallest losses against the level",
}
NEEDS = {  # a figure of it
    CURVE: "a check that compares distributions, such as differential_privacy",
    "region": "a check with one real parameter, such as parameters: {p: 1/2 < p < 1}",
    "runs": "a check of composition or pufferfish that compares something",
    "influence": "a check of influence or pufferfish that is decided",
    "matrix": "a check about one mechanism",
    "odds": "a check with an output that moves an attacker's odds most",
    "frontier": "a check of error beside one with a level about the same mechanism, or a check of "
    "optimal",
}
RUNS = 10


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "plot", "draw a figure of what the checks of a file say")
    command.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    command.add_argument(
        "--what",
        choices=tuple(WHAT),
        help="; ".join(f"{name}: {about}" for name, about in WHAT.items())
        + "; by default, of each check its region if it has one, else its curve",
    )
    add_out(
        command,
        type=figure,
        metavar="FILE",
        help="a file .png, .svg or .pdf; by default, with --what W, FILE-W.png in this folder",
    )
    command.add_argument(
        "--check", metavar="NAME", help="only the check of this name, or number from 1 on"
    )
    command.add_argument(
        "--runs", type=runs, metavar="K", help=f"of --what runs: 1 to 100 runs; {RUNS} by default"
    )
    add_parameters(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw what the checks of a file say; bad input where there is nothing to draw."""
    from verifier.report import plot

    if options.runs is not None and options.what != "runs":
        complain("--runs belongs to --what runs")
        return BAD_INPUT
    if not options.what and not options.out:
        complain("one of --what and --out is needed: what is to be drawn, or where")
        return BAD_INPUT
    out: Path = options.out or _beside(options.file, options.what)
    plot.ready()
    work, runs = _Drawings(options), options.runs or RUNS
    signal = work.all([single(options.file)], what=options.what, runs=runs, check=options.check)
    if work.drawings:
        try:
            plot.save(out, work.drawings)
        except LimitReached as limit:
            complain(f"{out} is not drawn: {limit}; choose one by --check")
            return signal or BAD_INPUT
        if not options.out:
            say([escaped(str(out))])
    elif not work.status():
        what = options.what or CURVE
        said = f"there is nothing to draw; --what {what} needs {NEEDS[what]}"
        complain(f"{out} is not drawn: {said}")
        return signal or BAD_INPUT
    return signal or work.status()


def _beside(file: str, what: str) -> Path:
    """Where a figure goes that nobody has named: into this folder, by the names of both."""
    return Path(f"{'stdin' if file == DASH else Path(file).stem}-{what}.png")


class _Drawings(Run):
    """A run that keeps what is to be drawn, and says of what nothing is."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.drawings: list[Json] = []

    def answer(self, file: str, event: Json) -> None:
        """Keep what is to be drawn of one answer."""
        self.drawings += [one for one in event["drawings"] if one not in self.drawings]
        super().answer(file, event)

"""The command `region`: for which values of a parameter the checks of a file hold."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from verifier.commands.arguments import Parsers, add_command, add_limits, add_parameters, points
from verifier.commands.inputs import single
from verifier.commands.running import Run, say

Json = dict[str, Any]
SUFFIXES = (".png", ".svg", ".pdf")


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers,
        "region",
        "find for which values of a real parameter checks hold, and the smallest level as a "
        "function of it",
    )
    command.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    command.add_argument(
        "--format", choices=("text", "json", "csv", "latex"), default="text", help="of the report"
    )
    command.add_argument(
        "--points",
        type=points,
        default=20,
        metavar="N",
        help="values in each piece of a csv or a figure; %(default)d by default",
    )
    command.add_argument(
        "--plot", type=figure, metavar="FILE", help="draw a figure: .png, .svg or .pdf"
    )
    command.add_argument(
        "--least",
        metavar="NAME",
        help="tell the smallest of the values of an integer parameter for which all checks hold",
    )
    add_parameters(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


def figure(text: str) -> Path:
    """A file for a figure, as an argument gives it."""
    path = Path(text)
    if path.suffix not in SUFFIXES:
        raise argparse.ArgumentTypeError(f"a file {', '.join(SUFFIXES)} was expected: '{text}'")
    return path


def run(options: argparse.Namespace) -> int:
    """Where the checks of a file hold."""
    work = _Regions(options)
    signal = work.all(
        [single(options.file)],
        format=options.format,
        points=options.points,
        figure=options.plot is not None,
    )
    if options.format == "json" and (work.items or not work.errors):
        work.document(results=work.items)
    if options.least is not None and options.format == "text":
        say([work.least(options.least)])
    if options.plot is not None and work.drawings:
        from verifier.report.plot import draw

        draw(options.plot, work.drawings)
    return signal or work.status()


class _Regions(Run):
    """A run that also takes in what is to be drawn."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.drawings: list[Json] = []
        self._verdicts: dict[str, list[str]] = {}  # by the choice of the parameters

    def answer(self, file: str, event: Json) -> None:
        """Report one answer, and keep its drawing."""
        if "drawing" in event:
            self.drawings.append(event["drawing"])
        self._verdicts.setdefault(event["note"], []).append(event["verdict"])
        super().answer(file, event)

    def least(self, name: str) -> str:
        """The smallest value of a parameter for which all checks hold, in words."""
        found: dict[int, list[str]] = {}
        for note, verdicts in self._verdicts.items():
            chosen = dict(part.split(" = ", 1) for part in note.split(", ") if " = " in part)
            if chosen.get(name, "").removeprefix("-").isdecimal():
                found.setdefault(int(chosen[name]), []).extend(verdicts)
        if not found:
            return f"{name} is no parameter with a list of integers"
        holds = [value for value, verdicts in found.items() if set(verdicts) == {"holds"}]
        if not holds:
            return f"of {len(found)} values of {name} none is found to hold for all"
        unknown = [v for v in sorted(found) if v < min(holds) and "undecided" in found[v]]
        known = f"; undecided for {', '.join(map(str, unknown))}" if unknown else ""
        return f"least {name}: {min(holds)}, of {len(found)} values{known}"

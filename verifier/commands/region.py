"""The command `region`: for which values of a parameter the checks of a file hold."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.base import files
from verifier.base.errors import LimitReached
from verifier.commands import inputs
from verifier.commands.arguments import (
    Parsers,
    add_command,
    add_limits,
    add_out,
    add_parameters,
    file_of,
    points,
)
from verifier.commands.inputs import single
from verifier.commands.running import BAD_INPUT, Run, complain, say

Json = dict[str, Any]
figure = file_of((".png", ".svg", ".pdf"))  # the type of an argument


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
    add_out(
        command, "--plot", type=figure, metavar="FILE", help="draw a figure: .png, .svg or .pdf"
    )
    command.add_argument(
        "--least",
        metavar="NAME",
        help="tell the smallest of the values of an integer parameter for which all checks hold",
    )
    command.add_argument(
        "--assume-monotone",
        action="store_true",
        help="with --least: take it that what holds for a value holds for all larger ones, and try "
        "few values",
    )
    command.add_argument(
        "--certificates",
        type=Path,
        metavar="DIR",
        help="write certificates here, and beside that of a region where a check is violated the "
        "ordinary one at a value",
    )
    command.add_argument(
        "-v", "--verbose", action="store_true", help="print witnesses of violations too"
    )
    add_parameters(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Where the checks of a file hold."""
    if options.assume_monotone and (options.least is None or options.zip):
        complain("--assume-monotone goes with --least, and not with --zip")
        return BAD_INPUT
    work, file = _Regions(options), single(options.file)
    signal = work.each(work.rounds(file), 1)
    least = work.least() if options.least is not None else None
    if least and not least.verdicts and not work.stopped:
        work.statuses.add(BAD_INPUT)
    if options.format == "json" and (work.items or not work.errors):
        work.document(results=work.items, **({"least": least.as_json()} if least else {}))
    elif least:
        (say if options.format == "text" else _complain_of)([least.told])
    if options.out is not None:
        _draw(options.out, work.drawings)
    return signal or work.status()


def _complain_of(lines: Iterable[str]) -> None:
    complain("\n".join(lines))


def _draw(path: Path, drawings: Sequence[Json]) -> None:
    if not drawings:
        complain(f"{path} is not drawn: there is no function of a real parameter")
        return
    from verifier.report.plot import save

    try:
        save(path, drawings)
    except LimitReached as limit:
        complain(f"{path} is not drawn: {limit}")


@dataclass(frozen=True)
class Least:
    """The smallest value of a parameter for which all checks hold.

    name      of the parameter
    verdicts  of all checks, by its values that were tried
    values    how many it has
    monotone  "proved" or "assumed", where what holds for one value does for larger ones; ""
    proved    1 for larger ones, -1 for smaller ones
    """

    name: str
    verdicts: Mapping[int, Sequence[str]]
    values: int
    monotone: str
    proved: int

    @property
    def value(self) -> int | None:
        """The smallest value found; None where there is none."""
        found = (v for v, verdicts in self.verdicts.items() if set(verdicts) == {"holds"})
        return min(found, default=None)

    @property
    def undecided(self) -> list[int]:
        """Smaller values that may hold as well."""
        return [
            value
            for value, verdicts in sorted(self.verdicts.items())
            if (self.value is None or value < self.value)
            and "violated" not in verdicts
            and set(verdicts) != {"holds"}
        ]

    @property
    def told(self) -> str:
        """It in words."""
        if not self.verdicts:
            return f"{self.name} is no parameter with a list of integers"
        known = f"; undecided for {', '.join(map(str, self.undecided))}" if self.undecided else ""
        others = "smaller" if self.proved < 0 else "larger"
        said = f"; {self.monotone}: what holds for one {self.name} holds for all {others} ones"
        known += f" ({len(self.verdicts)} tried{said})" if self.monotone else ""
        if self.value is None:
            return f"of {self.values} values of {self.name} none is found to hold for all{known}"
        return f"least {self.name}: {self.value}, of {self.values} values{known}"

    def as_json(self) -> Json:
        """It as JSON, every number as text."""
        return {
            "parameter": self.name,
            "value": None if self.value is None else str(self.value),
            "values": str(self.values),
            "tried": [str(value) for value in sorted(self.verdicts)],
            "undecided": list(map(str, self.undecided)),
            "assumed_monotone": self.monotone == "assumed",
            "monotone": self.monotone or None,
        }


class _Regions(Run):
    """A run that also takes in what is to be drawn, and for which values checks hold."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.drawings: list[Json] = []
        self._values: list[str] = []  # of the parameter whose least value is asked for
        self._proved = 0  # whether what holds for one holds for larger ones, 1, or smaller, -1
        self._verdicts: dict[int, list[str]] = {}  # by these
        self._paths = set[Path]()

    def rounds(self, file: str) -> Iterator[list[Json]]:
        """The jobs: all values at once, or one after the other, those of which it is not known yet
        whether they hold."""
        options, folder = self.options, self.options.certificates
        job: Json = {
            "file": file,
            "format": options.format,
            "points": options.points,
            "figure": options.out is not None,
            "verbose": options.verbose,
            "certificates": None if folder is None else str(folder),
            **inputs.given(file),
        }
        if options.least is not None:
            yield [{**job, "work": "values", "name": options.least}]
        if not (options.assume_monotone or self._proved) or not self._integers():
            yield [job]
            return
        for value in self._bisected() if self._proved >= 0 else self._smallest_first():
            given = {**self.given(), options.least: [str(value)]}
            yield [{**job, "parameters": given}]

    def _integers(self) -> list[int]:
        """The values of the parameter, ascending; none where one is no integer."""
        if not all(value.strip().removeprefix("-").isdecimal() for value in self._values):
            return []
        return sorted(set(map(int, self._values)))

    def _bisected(self) -> Iterator[int]:
        """Values to be tried; where one stays undecided, all that are left."""
        values = self._integers()
        while values:
            middle = len(values) // 2
            value = values[middle]
            yield value
            found = set(self._verdicts.get(value, ["undecided"]))
            if found == {"holds"}:
                values = values[:middle]
            elif "violated" in found:
                values = values[middle + 1 :]
            else:
                yield from (other for other in values if other != value)
                return

    def _smallest_first(self) -> Iterator[int]:
        """Values to be tried where what is violated for one is violated for all larger ones."""
        for value in self._integers():
            yield value
            found = set(self._verdicts.get(value, ["undecided"]))
            if found == {"holds"} or "violated" in found:
                return

    def answer(self, file: str, event: Json) -> None:
        """Report one answer, and keep what follows from all of them."""
        if "values" in event:
            self._values, self._proved = event["values"], event["proved"]
            return
        if "drawing" in event:
            self.drawings.append(event["drawing"])
        self._paths |= set(map(Path, event.get("paths", ())))
        value = event["chosen"].get(self.options.least, "")
        if value.removeprefix("-").isdecimal():
            self._verdicts.setdefault(int(value), []).append(event["verdict"])
        super().answer(file, event)

    def ended(self, file: str) -> None:
        """Remove certificates of the file that are of another run."""
        folder = self.options.certificates
        if folder is not None and self.job.get("work") != "values":
            files.remove_stale(folder, file, self._paths)

    def least(self) -> Least:
        """The smallest value of the parameter that is asked for."""
        options = self.options
        found = self._verdicts if self._integers() else {}
        assumed = "assumed" if options.assume_monotone else ""
        told = "proved" if self._proved else assumed
        return Least(options.least, found, len(self._integers()), told, self._proved)

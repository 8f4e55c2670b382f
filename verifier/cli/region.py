"""The command `region`: for which values of a parameter the checks of a file hold."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.base import files
from verifier.base.errors import LimitReached
from verifier.cli import inputs
from verifier.cli.arguments import (
    Parsers,
    add_command,
    add_limits,
    add_out,
    add_parameters,
    file_of,
    points,
)
from verifier.cli.inputs import single
from verifier.cli.running import BAD_INPUT, Run, complain, say
from verifier.report.errors import together

Json = dict[str, Any]
UNKNOWN = {"holds", "undecided"}  # verdicts of a value that may hold
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
    work.finish()
    least = work.least()
    if least and not least.values and not work.stopped:
        work.statuses.add(BAD_INPUT)
    if not (work.told or work.errors or work.stopped or signal):
        complain(f"{file}: no check is about these values")
        work.statuses.add(BAD_INPUT)
    if options.format == "json":
        work.document(results=work.items, **({"least": least.as_json()} if least else {}))
    elif least:
        (say if options.format == "text" else _complain_of)([least.told])
    if options.out is not None and not _is_drawn(options.out, work.drawings) and not work.status():
        work.statuses.add(BAD_INPUT)
    return signal or work.status()


def _complain_of(lines: Iterable[str]) -> None:
    complain("\n".join(lines))


def _is_drawn(path: Path, drawings: Sequence[Json]) -> bool:
    """Draw a figure; whether there is one."""
    if not drawings:
        complain(f"{path} is not drawn: there is no function of a real parameter")
        return False
    from verifier.report.plot import save

    try:
        save(path, drawings)
    except LimitReached as limit:
        complain(f"{path} is not drawn: {limit}")
        return False
    return True


@dataclass(frozen=True)
class Least:
    """The smallest value of a parameter for which all checks hold.

    name      of the parameter
    verdicts  of all checks, by its values that were tried: "vacuous" too, and "error"
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
        return min(filter(self._holds, self.verdicts), default=None)

    @property
    def undecided(self) -> list[int]:
        """Smaller values that may hold as well."""
        found = self.value
        return [
            v for v in sorted(self.verdicts) if self._may_hold(v) and (found is None or v < found)
        ]

    def _holds(self, value: int) -> bool:
        """Whether all checks hold for a value, as was found or as they do for a larger one."""
        larger = [v for v in self.verdicts if v > value and self.proved < 0]
        found = set(self.verdicts[value])
        known = any(set(self.verdicts[v]) == {"holds"} for v in larger)
        return found == {"holds"} or (known and found <= UNKNOWN)

    def _may_hold(self, value: int) -> bool:
        """Whether it stays open whether all checks hold for a value."""
        larger = [v for v in self.verdicts if v > value and self.monotone and self.proved >= 0]
        fails = any("violated" in self.verdicts[v] for v in larger)
        return set(self.verdicts[value]) <= UNKNOWN and not (self._holds(value) or fails)

    @property
    def tried(self) -> list[int]:
        """The values of which something is known, ascending."""
        return sorted(v for v, verdicts in self.verdicts.items() if set(verdicts) != {"error"})

    @property
    def told(self) -> str:
        """It in words."""
        if not self.values:
            said = f"write {self.name}: 2..9 under `parameters`, or --set {self.name}=2..9"
            return f"{self.name} is no parameter with a list of integers: {said}"
        known = f"; undecided for {', '.join(map(str, self.undecided))}" if self.undecided else ""
        others = "smaller" if self.proved < 0 else "larger"
        said = f"; {self.monotone}: what holds for one {self.name} holds for all {others} ones"
        known += f" ({len(self.tried)} tried{said})" if self.monotone else ""
        if self.value is None:
            return f"of {self.values} values of {self.name} none is found to hold for all{known}"
        return f"least {self.name}: {self.value}, of {self.values} values{known}"

    def as_json(self) -> Json:
        """It as JSON, every number as text."""
        return {
            "parameter": self.name,
            "value": None if self.value is None else str(self.value),
            "values": str(self.values),
            "tried": list(map(str, self.tried)),
            "undecided": list(map(str, self.undecided)),
            "assumed_monotone": self.monotone == "assumed",
            "monotone": self.monotone or None,
        }


class _Regions(Run):
    """A run that also takes in what is to be drawn, and for which values checks hold."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.drawings: list[Json] = []
        self.told = 0  # checks
        self._proved = 0  # whether what holds for one holds for larger ones, 1, or smaller, -1
        # by the values of the parameter whose least one is asked for:
        self._verdicts: dict[int, list[str]] = {}
        self._paths = set[Path]()
        self._left: dict[int, int] = {}  # by all of these, how many choices are not done
        self._choices = 0  # of the parameters of the file

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
            if self.errors:
                return
        for tried in self._tried() or [[]]:
            given = {options.least: list(map(str, tried))} if tried else {}
            yield [{**job, "parameters": {**self.given(), **given}}]

    def _tried(self) -> Iterable[list[int]]:
        """Values of the parameter that are tried together; nothing for all that a file has."""
        values = sorted(self._left)
        if not values or (self.options.zip and len(values) > 1):
            return []
        if not (self.options.assume_monotone or self._proved):
            return [values]
        return self._bisected(values) if self._proved >= 0 else self._smallest_first(values)

    def _bisected(self, values: list[int]) -> Iterator[list[int]]:
        """Values to be tried, one after the other; where one stays undecided, all that are left."""
        while values:
            middle = len(values) // 2
            value = values[middle]
            yield [value]
            if self._known(value) == "holds":
                values = values[:middle]
            elif self._known(value) == "violated":
                values = values[middle + 1 :]
            else:
                if others := [other for other in values if other != value]:
                    yield others
                return

    def _smallest_first(self, values: list[int]) -> Iterator[list[int]]:
        """Values to be tried where what is violated for one is violated for all larger ones; where
        the first stays undecided, all that are left."""
        yield values[:1]
        if not self._known(values[0]) and values[1:]:
            yield values[1:]

    def _known(self, value: int) -> str:
        """Whether all checks hold for a value, or one is violated; "" where neither is known."""
        found = set(self._verdicts.get(value, ()))
        if "violated" in found:
            return "violated"
        return "holds" if found == {"holds"} else ""

    def answer(self, file: str, event: Json) -> None:
        """Report one answer, and keep what follows from all of them."""
        if "values" in event:
            counts, self._proved = event["values"], event["proved"]
            self._choices = sum(counts.values())
            if all(value.removeprefix("-").isdecimal() for value in counts):
                self._left = {int(value): count for value, count in counts.items()}
            return
        if "complete" in event:
            self._done(event)
            return
        if "drawing" in event:
            self.drawings.append(event["drawing"])
        self._paths |= set(map(Path, event.get("paths", ())))
        self.told += 1
        self._keep(event, event["verdict"])
        super().answer(file, event)

    def take(self, file: str, event: Json) -> None:
        """Take in what is told; a value of the parameter that is in error does not hold."""
        if "error" in event and "chosen" in event:
            self._keep(event, "error")
            self._done(event)
        super().take(file, event)

    def _keep(self, event: Json, verdict: str) -> None:
        """Keep the verdict of a check for a value of the parameter."""
        if (value := self._value(event)) is not None:
            self._verdicts.setdefault(value, []).append(verdict)

    def _done(self, event: Json) -> None:
        """All checks are told for a choice of all parameters."""
        if (value := self._value(event)) is not None:
            self._left[value] -= 1

    def _value(self, event: Json) -> int | None:
        """The value of the parameter that is told of; None where it is no integer."""
        return int(event["chosen"][self.options.least]) if self._left else None

    def settle(self) -> None:
        """Say what is wrong with choices; where values are tried one after the other at the end."""
        if self.options.least is None:
            super().settle()

    def finish(self) -> None:
        """Say what is wrong with some values that were tried."""
        if self.wrong:
            self.bad(together(self.wrong, self._choices))

    def ended(self, file: str) -> None:
        """Remove certificates of the file that are of another run."""
        folder = self.options.certificates
        if folder is not None and self.job.get("work") != "values":
            files.remove_stale(folder, file, self._paths)

    def least(self) -> Least | None:
        """The smallest value of the parameter that is asked for; None where its values are in
        error."""
        options = self.options
        if options.least is None or (self.errors and not self._left):
            return None
        found = {v: [*told, *["undecided"] * self._left[v]] for v, told in self._verdicts.items()}
        assumed = "assumed" if options.assume_monotone else ""
        told = "proved" if self._proved else assumed
        return Least(options.least, found, len(self._left), told, self._proved)

"""The command `search`: small mechanisms that violate a check, or leak all."""

from __future__ import annotations

import argparse
from pathlib import Path

from verifier.base import files
from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.commands.arguments import Parsers, add_command, add_limits, add_parameters
from verifier.commands.inputs import single
from verifier.commands.running import BAD_INPUT, FAILED, OK, UNDECIDED, Json, Run, complain, say


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "search", "find small mechanisms that violate a check, or leak all after k runs"
    )
    command.add_argument("file", metavar="FILE", help="a spec file, which may have parameters")
    command.add_argument(
        "--goal",
        choices=("violation", "collapse"),
        default="violation",
        help="small examples of violations, or a mechanism that gives all away when run twice",
    )
    add_parameters(command)
    command.add_argument("--output", type=Path, metavar="DIR", help="write the examples here")
    add_limits(command, "choice of parameters")
    command.set_defaults(run=run)


class SearchRun(Run):
    """Searches for examples, and writes or prints each at once."""

    count = 0

    def answer(self, file: str, event: Json) -> None:
        """Report the examples for one choice of parameters."""
        for finding in event["found"]:
            if finding["reason"]:
                complain(escaped(f"{file}: {finding['about']}: no example: {finding['reason']}"))
                self.statuses.add(UNDECIDED)
            else:
                self.count += 1
                self._show(Path(file), finding)

    def _show(self, path: Path, finding: Json) -> None:
        folder = self.options.output
        if folder is None:
            say([f"# {escaped(finding['about'])}", *map(escaped, finding["spec"].split("\n"))])
            return
        target = folder / f"{path.stem}-{self.count}.yaml"
        files.write(target, finding["spec"])
        say([escaped(f"{target}: {finding['about']}")])


def run(options: argparse.Namespace) -> int:
    """Small examples of violations or collapses: 0 with something found, 1 without, 3 where some
    could not be searched for."""
    work = SearchRun(options)
    try:
        signal = work.all([single(options.file)], goal=options.goal)
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    status = work.status()
    if not work.count and status in (OK, UNDECIDED) and not work.stopped:
        complain(escaped(f"{options.file}: nothing found"))
    return signal or status or (OK if work.count else FAILED)

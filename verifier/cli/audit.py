"""The command `audit`: what a library claims of its mechanism, against what is true."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Collection
from pathlib import Path

from verifier.base import files
from verifier.base.errors import InputError, choice
from verifier.cli.arguments import Parsers, add_bounds, add_command, add_out
from verifier.cli.checking import CheckRun
from verifier.cli.reports import Report, add_display, add_formats, objection
from verifier.cli.running import BAD_INPUT, Json, complain
from verifier.lab.adapters import INEXACT, TARGETS
from verifier.lab.adapters.arguments import KINDS


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "audit", "decide what a library claims of a mechanism, in exact numbers"
    )
    command.add_argument("target", metavar="MECHANISM", help=f"one of: {', '.join(TARGETS)}")
    built = command.add_argument_group("arguments of mechanisms")
    for name, kind in KINDS.items():
        about = f"such as {kind.example}: {kind.about}"
        built.add_argument(_option(name), metavar="X", dest=name, help=about)
    command.add_argument(
        "--values",
        metavar="A..B",
        help="the whole numbers that may be its input; by default those of its bounds, or as many "
        "as tell neighbours apart",
    )
    for name, what in (("epsilon", "ε"), ("delta", "δ")):
        command.add_argument(
            f"--slack-{name}",
            default="0",
            metavar="X",
            help=f"let it be so much above the {what} that is claimed; 0 by default",
        )
    add_out(
        command,
        "--write",
        type=Path,
        metavar="FILE",
        help="write the question as a spec file too",
    )
    command.add_argument(
        "--certificates", type=Path, metavar="DIR", help="write the certificate here"
    )
    add_formats(command)
    add_display(command)
    add_bounds(command, "mechanism, and for its check")
    command.set_defaults(run=run)


def values(text: str | None) -> list[int] | None:
    """Whole numbers from one to another, as an argument gives them; InputError S121."""
    if text is None:
        return None
    low, _, high = text.partition("..")
    try:
        found = list(range(int(low), int(high) + 1))
    except ValueError:
        found = []
    if not found:
        raise InputError("S121", f"--values: A..B was expected, such as 0..5, not '{text}'")
    return found


def slack(name: str, text: str) -> str:
    """A number of 0 or more, as an argument gives it; InputError S121."""
    from verifier.base import exact

    try:
        if exact.number(text) >= 0:
            return text
    except InputError:
        pass
    said = f"--slack-{name}: 0 or more was expected, such as 1e-9, not '{text}'"
    raise InputError("S121", said)


class _Audit(CheckRun):
    """A run that also writes the file that is checked."""

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about the mechanism."""
        if "spec" not in event:
            super().take(file, event)
        elif self.options.out is not None:
            files.write(self.options.out, event["spec"])


def run(options: argparse.Namespace) -> int:
    """Decide a library's claim about one mechanism, and report."""
    given = {name: text for name in KINDS if (text := getattr(options, name)) is not None}
    _check(options.target, given)
    report, folder = Report("check", options), options.certificates
    written = [] if options.out is None else [str(options.out)]
    if wrong := objection(options.reports, written):
        complain(wrong)
        return BAD_INPUT
    work = _Audit(options, report)
    job: Json = {
        "file": options.target,
        "arguments": given,
        "values": values(options.values),
        "slack": [slack(name, getattr(options, f"slack_{name}")) for name in ("epsilon", "delta")],
        "certificates": None if folder is None else str(folder),
        "verbose": options.verbose,
        "figures": report.draws,
    }
    try:
        signal = work.each([[job]], 1)
    except InputError as error:
        work.refuse(error)
        signal = None
    work.statuses.add(report.end())
    return signal or work.status()


def _check(target: str, given: Collection[str]) -> None:
    """Whether a mechanism is built with these arguments; S121 says which it needs and takes."""
    if why := INEXACT.get(target.rpartition(".")[2]):
        said = f"'{target}' {why[0]}; decided exactly is, for one, {why[1]}"
        raise InputError("S121", said)
    if target not in TARGETS:
        raise InputError("S121", f"'{target}' is not known; {choice(target, TARGETS)}")
    needed, optional = TARGETS[target]
    takes = ", ".join(map(_option, (*needed, *optional)))
    written = " ".join(f"{_option(name)} {shlex.quote(KINDS[name].example)}" for name in needed)
    hint = f"such as: verifier audit {target} {written}"
    for name in given:
        if name not in (*needed, *optional):
            raise InputError("S121", f"{target} takes {takes}, not {_option(name)}", hint=hint)
    for name in needed:
        if name not in given:
            said = f"{target} needs {_option(name)}: {KINDS[name].about}"
            raise InputError("S121", said, hint=hint)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"

"""The command line: arguments and exit statuses.

Exit statuses: 0 every check met its expectation and its certificate was accepted; 1 some check
did not; 2 bad usage or bad input, or no check ran; 3 something stayed undecided and nothing
failed; 4 internal error or rejected certificate; 130 and 143 interrupted by SIGINT or SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from verifier import __version__, commands
from verifier.base.escape import escaped


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the returned status is the process's exit status."""
    _reserve_streams()
    if sys.stdout is None:
        commands.complain("cannot write: standard output is closed")
        return commands.INTERNAL
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:  # nobody reads what is written, or the disk is full
        if not isinstance(error, BrokenPipeError):
            commands.complain(f"cannot write: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return commands.INTERNAL


def _reserve_streams() -> None:
    """Keep files that are opened later from being taken for closed standard streams."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        options = _parser().parse_args(arguments)
        command: Callable[[argparse.Namespace], int] = options.run
        return command(options)
    except OSError:
        raise
    except KeyboardInterrupt:
        commands.complain("interrupted")
        return commands.INTERRUPTED
    except Exception as error:
        import traceback

        commands.complain(traceback.format_exc())
        commands.complain(escaped(f"internal error: {type(error).__name__}: {error}"))
        return commands.INTERNAL


class _Parser(argparse.ArgumentParser):
    """Options are written out, and what is wrong with them is said in safe characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        super().error(escaped(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            file.write(message)  # argparse would say nothing where this fails
        else:
            commands.complain(message.rstrip("\n"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="verifier",
        description="Exact decisions about the privacy of mechanisms over finite worlds.",
        epilog="exit status: "
        + "; ".join(f"{numbers} {meaning}" for numbers, meaning in commands.MEANINGS.items()),
    )
    parser.add_argument("--version", action="version", version=f"verifier {__version__}")
    parsers = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")

    check = parsers.add_parser("check", help="decide every check of spec files")
    check.add_argument("files", nargs="+", metavar="FILE", help="spec files, YAML or JSON")
    check.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    check.add_argument(
        "--certificates", type=Path, metavar="DIR", help="write certificates and a manifest here"
    )
    check.add_argument(
        "--allow-vacuous", action="store_true", help="let checks pass that compare nothing"
    )
    check.add_argument(
        "--dry-run",
        action="store_true",
        help="read the files, and say what would be checked; exit status 0 or 2",
    )
    check.add_argument(
        "-q", "--quiet", action="store_true", help="print only what is not ok, and the summary"
    )
    _add_strict(check)
    _add_limits(check, "check")
    check.set_defaults(run=commands.check)

    show = parsers.add_parser("show", help="print what spec files say, as the engine reads them")
    show.add_argument("files", nargs="+", metavar="FILE", help="spec files, YAML or JSON")
    show.add_argument(
        "--format", choices=("text", "csv", "json", "html"), default="text", help="of the tables"
    )
    _add_strict(show)
    _add_limits(show, "part of a file")
    show.set_defaults(run=commands.show)

    certify = parsers.add_parser("certify", help="check certificates again, without the engine")
    certify.add_argument(
        "files", nargs="+", metavar="FILE", help="certificates, JSON, or folders of them"
    )
    asked = certify.add_mutually_exclusive_group()
    asked.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="FILE",
        help="a spec file: each of its checks is to have a certificate, and there are no others",
    )
    asked.add_argument(
        "--expect",
        choices=("holds", "violated", "vacuous"),
        default="holds",
        help="what each certificate is to say, where there is no spec file; holds by default",
    )
    certify.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    _add_limits(certify, "certificate")
    certify.set_defaults(run=commands.certify)

    influence = parsers.add_parser(
        "influence",
        help="leakage when some entries are hidden, and the bounds for k runs that follow",
    )
    influence.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    influence.add_argument("--mechanism", metavar="NAME", help="only this one of the file")
    influence.add_argument(
        "--runs", type=_runs, default=3, metavar="K", help="1 to 100 runs; %(default)d by default"
    )
    influence.add_argument(
        "--format", choices=("text", "json", "csv"), default="text", help="of the report"
    )
    _add_limits(influence, "curve")
    influence.set_defaults(run=commands.influence)

    compose = parsers.add_parser(
        "compose", help="leakage after k runs, and the run after which an attacker is certain"
    )
    compose.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    compose.add_argument(
        "--runs", type=_runs, default=10, metavar="K", help="1 to 100 runs; %(default)d by default"
    )
    compose.add_argument(
        "--format", choices=("text", "json", "csv"), default="text", help="of the report"
    )
    _add_limits(compose, "part of the answer")
    compose.set_defaults(run=commands.compose)

    search = parsers.add_parser(
        "search", help="find small mechanisms that violate a check, or leak all after k runs"
    )
    search.add_argument("file", metavar="FILE", help="a spec file, which may have parameters $name")
    search.add_argument(
        "--goal",
        choices=("violation", "collapse"),
        default="violation",
        help="small examples of violations, or a mechanism that gives all away when run twice",
    )
    search.add_argument(
        "--set",
        action="append",
        default=[],
        type=_parameter,
        metavar="NAME=V,…",
        dest="parameters",
        help="values to try for a parameter $NAME of the file",
    )
    search.add_argument("--output", type=Path, metavar="DIR", help="write the examples here")
    _add_limits(search, "choice of parameters")
    search.set_defaults(run=commands.search)

    cone = parsers.add_parser(
        "explain-cone", help="explain what mechanisms protect, and against which attackers"
    )
    cone.add_argument("files", nargs="+", metavar="FILE", help="spec files, YAML or JSON")
    cone.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    _add_limits(cone, "check")
    cone.set_defaults(run=commands.explain_cone)

    explain = parsers.add_parser(
        "explain", help="explain a word of the format, an option or an error code"
    )
    explain.add_argument("subject", metavar="WORD")
    explain.set_defaults(run=commands.explain)

    models = parsers.add_parser(
        "models", help="list what a spec file can be made of, a line for each word"
    )
    models.set_defaults(run=commands.models)
    return parser


def _add_strict(command: argparse.ArgumentParser) -> None:
    command.add_argument("--strict", action="store_true", help="a note is a failure: exit status 1")


def _add_limits(command: argparse.ArgumentParser, each: str, python: bool = True) -> None:
    command.add_argument(
        "--time-limit",
        type=_seconds,
        default=commands.DEFAULT_SECONDS,
        metavar="S",
        help=f"seconds for each {each}; %(default)g by default",
    )
    command.add_argument(
        "--total-time",
        type=_seconds,
        metavar="S",
        help="seconds for the whole run; without a limit by default",
    )
    command.add_argument(
        "--memory-limit",
        type=_size,
        metavar="SIZE",
        help="such as 512M or 2G, for all processes of the run; by default 80%% of the memory",
    )
    if python:
        command.add_argument(
            "--allow-python",
            action="store_true",
            help="let spec files run Python functions, as untrusted guests",
        )


def _parameter(text: str) -> tuple[str, list[str]]:
    name, _, values = text.partition("=")
    if not name.isidentifier() or not values:
        raise argparse.ArgumentTypeError(f"NAME=VALUE,VALUE,… was expected, not '{text}'")
    return name, values.split(",")


def _runs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"1 to 100 runs were expected, not '{text}'")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 10**9:
        raise argparse.ArgumentTypeError(f"a positive number of seconds was expected, not '{text}'")
    return value


def _size(text: str) -> int:
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number, unit = text.upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in units:
        number, unit = number[:-1], units[number[-1]]
    if not number.isdecimal() or int(number) == 0:
        raise argparse.ArgumentTypeError(f"a size such as 512M or 2G was expected, not '{text}'")
    return int(number) * unit

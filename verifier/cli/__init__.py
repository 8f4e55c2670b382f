"""The command line: arguments and exit statuses; the commands, one to a module.

May enter: what a person types.
Must not know: mathematics: it asks the rooms above, and prints.

Exit statuses: 0 every check met its expectation and its certificate was accepted; 1 some check
did not; 2 bad usage or bad input, or no check ran; 3 something stayed undecided and nothing
failed; 4 internal error or rejected certificate; 130 and 143 interrupted by SIGINT or SIGTERM.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from verifier.base import registry
from verifier.base.errors import InputError, LibraryMissing
from verifier.base.escape import escaped
from verifier.base.version import VERSION
from verifier.cli import running, settings

SELDOM = 10**6  # objects between two looks for cycles: numbers and certificates have none
COMPLETION = "completion"  # the command that tells the words of all others
COMMANDS = (  # in the order in which they are told; each has a module in `verifier.cli`
    "check",
    "advise",
    "diff",
    "lock",
    "show",
    "certify",
    "influence",
    "region",
    "sweep",
    "compose",
    "plot",
    "search",
    "audit",
    "explain-cone",
    "explain",
    "models",
    "cache",
    "schema",
    "lsp",
    "init",
    COMPLETION,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the returned status is the process's exit status."""
    gc.set_threshold(SELDOM)
    _reserve_streams()
    if sys.stdout is None:
        running.complain("cannot write: standard output is closed")
        return running.INTERNAL
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:  # nobody reads what is written, or the disk is full
        if not isinstance(error, BrokenPipeError):
            where = f" '{error.filename}'" if error.filename else ""
            running.complain(escaped(f"cannot write{where}: {error.strerror}"))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return running.INTERNAL


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
        arguments = sys.argv[1:] if arguments is None else arguments
        options = _parser(arguments).parse_args(arguments)
        for note in settings.settle(options):
            running.complain(note)
        command: Callable[[argparse.Namespace], int] = options.run
        return command(options)
    except OSError:
        raise
    except InputError as error:
        running.complain(str(error))
        return running.of_error(error.code)
    except LibraryMissing as error:
        running.complain(str(error))
        return running.INTERNAL
    except KeyboardInterrupt:
        running.complain("interrupted")
        return running.INTERRUPTED
    except Exception as error:
        return running.failed("", error)


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
            running.complain(message.rstrip("\n"))


def _parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """What reads the arguments; it knows the command that they name only, if they name one."""
    parser = _Parser(
        prog="verifier",
        description="Exact decisions about the privacy of mechanisms over finite worlds.",
        epilog="exit status: "
        + "; ".join(f"{numbers} {meaning}" for numbers, meaning in running.MEANINGS.items()),
    )
    parser.add_argument("--version", action="version", version=f"verifier {VERSION}")
    parsers = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    named = [name for name in COMMANDS if [name] == list(arguments[:1]) != [COMPLETION]]
    for name in named or COMMANDS:
        registry.COMMANDS.module(name.replace("-", "_")).add(parsers)
    parser.set_defaults(parser=parser)
    return parser

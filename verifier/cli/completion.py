"""The command `completion`: a script with which a shell completes commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from verifier.base.errors import LibraryMissing
from verifier.cli.arguments import Parsers, add_command
from verifier.cli.running import OK, say

SHELLS = ("bash", "zsh", "tcsh", "fish")


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "completion", "print a script that makes a shell complete commands"
    )
    command.add_argument(
        "shell", choices=SHELLS, metavar="SHELL", help=f"one of: {', '.join(SHELLS)}"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the script of a shell."""
    try:
        import shtab
    except ModuleNotFoundError:
        raise LibraryMissing("completion", "shtab", "completion") from None
    known = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY}
    for action in _actions(options.parser):
        if action.metavar == "WORD":
            action.choices = _words()
        elif isinstance(action.metavar, str) and action.metavar in known:
            action.complete = known[action.metavar]  # type: ignore[attr-defined]
    say([shtab.complete(options.parser, options.shell)])
    return OK


def _words() -> list[str]:
    """What `verifier explain` explains."""
    from verifier.report import words

    return words.known()


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)

"""The command `explain`: what a word, an option or a code means."""

from __future__ import annotations

import argparse

from verifier.base.escape import escaped
from verifier.cli.arguments import Parsers, add_command
from verifier.cli.running import BAD_INPUT, OK, complain, say


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "explain", "explain a word of the format, an option or an error code"
    )
    command.add_argument(
        "subject",
        metavar="WORD",
        help="such as pufferfish, delta or S016; all words of the format: verifier models",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain an error code or a keyword."""
    from verifier.report import words as keywords

    found = keywords.explained(options.subject)
    if found is None:
        hint = keywords.suggestion(options.subject)
        complain(escaped(f"nothing is named '{options.subject}'{hint}"))
        return BAD_INPUT
    say([found])
    return OK

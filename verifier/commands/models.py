"""The command `models`: what a spec file can be made of."""

from __future__ import annotations

import argparse

from verifier.commands.arguments import Parsers
from verifier.commands.running import OK, say


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = parsers.add_parser(
        "models", help="list what a spec file can be made of, a line for each word"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List what a spec file can be made of, a line for each word."""
    from verifier.report import words as keywords

    for title, words in keywords.listed().items():
        width = max(len(word.name) for word in words)
        say([f"{title}:", *(f"  {word.name:<{width}}  {word.summary}" for word in words)])
    return OK

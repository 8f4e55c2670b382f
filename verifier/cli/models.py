"""The command `models`: what a spec file can be made of."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from verifier.cli.arguments import Parsers, add_command
from verifier.cli.running import OK, say

MODELS = Path(str(files("verifier"))) / "share" / "models"


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "models", "list what a spec file can be made of, a line for each word"
    )
    command.add_argument(
        "--files", action="store_true", help="list the files of models that come with it instead"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List what a spec file can be made of, a line for each word, or the models that there are."""
    if options.files:
        say(map(str, sorted(MODELS.glob("*/*.yaml"))))
        return OK
    from verifier.report import words as keywords

    for title, words in keywords.listed().items():
        width = max(len(word.name) for word in words)
        say([f"{title}:", *(f"  {word.name:<{width}}  {word.summary}" for word in words)])
    return OK

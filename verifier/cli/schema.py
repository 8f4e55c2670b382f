"""The command `schema`: the JSON Schema of spec files, for editors."""

from __future__ import annotations

import argparse
from importlib.resources import files

from verifier.cli.arguments import Parsers, add_command
from verifier.cli.running import OK, say

FILE = files("verifier") / "schemas" / "spec.json"  # written by docs/generate.py


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers,
        "schema",
        "print the JSON Schema of spec files, with which editors complete and check",
    )
    command.add_argument("--path", action="store_true", help="print only where its file is")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the schema, or the path of its file."""
    say([str(FILE) if options.path else FILE.read_text(encoding="utf-8").rstrip("\n")])
    return OK

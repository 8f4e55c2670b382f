"""The command `schema`: the JSON Schema of spec files, for editors."""

from __future__ import annotations

import argparse
import json

from verifier.cli.arguments import Parsers, add_command
from verifier.cli.running import OK, say


def add(parsers: Parsers) -> None:
    """Add it to the command line."""
    command = add_command(
        parsers,
        "schema",
        "print the JSON Schema of spec files, with which editors complete and check",
    )
    command.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print the schema, made of the words that definitions, mechanisms and priors tell."""
    from verifier.report.schema import schema

    say([json.dumps(schema(), indent=1, ensure_ascii=False)])
    return OK

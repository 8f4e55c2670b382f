"""The command `schema`: the JSON Schema of spec files, for editors."""

from __future__ import annotations

import argparse
import json
from typing import Any

from verifier.cli.arguments import FAIL_ON, Parsers, add_command
from verifier.cli.running import OK, say
from verifier.cli.settings import LIST, SETTINGS, WORDS

TEXT = {"type": "string", "minLength": 1}
SHAPES: dict[str, dict[str, Any]] = {  # of the values of settings
    "true or false": {"type": "boolean"},
    "false": {"const": False},
    "a number": {"type": "number", "exclusiveMinimum": 0},
    "a text": TEXT,
    WORDS: {"enum": list(FAIL_ON)},
    LIST: {"type": "array", "items": TEXT, "minItems": 1},
}


def add(parsers: Parsers) -> None:
    """Add it to the command line."""
    command = add_command(
        parsers,
        "schema",
        "print the JSON Schema of spec files, with which editors complete and check",
    )
    command.add_argument(
        "--settings", action="store_true", help="print that of verifier.toml instead"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the schema, made of the words that definitions, mechanisms and priors tell."""
    from verifier.report.schema import schema

    found = of_settings() if options.settings else schema()
    say([json.dumps(found, indent=1, ensure_ascii=False)])
    return OK


def of_settings() -> dict[str, Any]:
    """The schema of a file of settings, made of the table of their names."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "settings of verifier",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            one.name: {
                "description": one.about,
                "anyOf": [SHAPES[shape] for shape in one.shapes],
            }
            for one in SETTINGS
        },
    }

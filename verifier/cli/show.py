"""The command `show`: what spec files say, as the engine reads them."""

from __future__ import annotations

import argparse

from verifier.cli.arguments import (
    Parsers,
    add_command,
    add_files,
    add_limits,
    add_parameters,
    add_strict,
)
from verifier.cli.running import Run, say

STYLE = (  # a table that is wider than the window scrolls by itself
    ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:1rem}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}"
    "td,th{border:1px solid #999;padding:2px 6px;text-align:left}"
)
PAGE_BEGIN = (
    f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><style>{STYLE}</style>'
    '<meta name="viewport" content="width=device-width">'
    "<title>verifier show</title></head><body>"
)
PAGE_END = "</body></html>"


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "show", "print what spec files say, as the engine reads them")
    add_files(command)
    command.add_argument(
        "--format", choices=("text", "csv", "json", "html"), default="text", help="of the tables"
    )
    add_strict(command)
    add_parameters(command)
    add_limits(command, "part of a file")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print worlds, mechanisms, secrets, priors and neighbours as the engine understands them."""
    work = Run(options)
    if options.format == "html":
        say([PAGE_BEGIN])
    signal = work.all(work.files(options.files), format=options.format, strict=options.strict)
    if options.format == "html":
        say([PAGE_END])
    elif options.format == "json":
        work.document(files=work.items)
    return signal or work.status()

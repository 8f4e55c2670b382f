"""The command `cache`: what is kept of former runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from verifier.base.escape import escaped
from verifier.cli.arguments import Parsers, add_command, add_folder
from verifier.cli.running import BAD_INPUT, OK, complain, say


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "cache", "tell how many answers are kept, or remove them")
    add_folder(command)
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--prune",
        action="store_true",
        help="remove what another version has found, and what was not asked for in 30 days",
    )
    what.add_argument("--clear", action="store_true", help="remove all answers")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Tell what is kept, after removing what is to be removed."""
    import sqlite3

    folder: Path | None = options.cache
    if folder is None:
        by = options.said["cache"][0].by
        complain(escaped(f"{by}: there is no cache; name one with --cache DIR"))
        return BAD_INPUT
    try:
        say(escaped(f"{folder}: {line}") for line in _lines(folder, options))
    except sqlite3.Error as error:
        complain(escaped(f"{folder}: {error}; 'verifier cache --clear' removes the cache"))
        return BAD_INPUT
    except OSError as error:
        complain(escaped(f"{folder}: {error.strerror}"))
        return BAD_INPUT
    return OK


def _lines(folder: Path, options: argparse.Namespace) -> Iterator[str]:
    from verifier.run.cache import upkeep
    from verifier.run.supervision.supervisor import in_units

    if options.clear:
        yield "removed" if upkeep.clear(folder) else "there was no cache"
        return
    if options.prune:
        yield f"{upkeep.prune(folder)} removed"
    kept = upkeep.contents(folder)
    if kept is None:
        yield "no answers are kept"
        return
    yield f"{kept.answers} answer{'s' * (kept.answers != 1)}, {in_units(kept.size)}"
    if kept.answers > kept.current:
        yield f"{kept.answers - kept.current} of them were found by another version (--prune)"

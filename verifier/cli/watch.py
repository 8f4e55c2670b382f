"""The option `--watch` of `check`: what changes is decided again, and told on one screen.

Files are looked at again and again: spec files, those that they read, and the folders of both, in
which there may be new ones. What has not changed is in the cache, so that a save costs what it
changes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from time import sleep

from verifier.cli import inputs, settings
from verifier.cli.checking import CheckRun, named
from verifier.cli.reports import Kept, Report
from verifier.cli.running import BAD_INPUT, Json, complain, say
from verifier.report.findings import Document, Finding, counted
from verifier.report.formats.text import Writer, summary

LOOK = 0.2  # seconds between two looks at the files
CLEAR = "\033[H\033[2J\033[3J"
ARGUMENTS = ""  # under which it is kept what is wrong with them
State = tuple[int, int, int] | None  # of a file; None where there is none


def run(options: argparse.Namespace) -> int:
    """Decide checks again and again; the status is that of the signal that ends it."""
    reports = options.reports and not settings.is_set(options, "report")
    others = options.certificates or options.locked or options.statistics or reports
    if options.format != "text" or others or inputs.DASH in options.files:
        complain(
            "--watch is told as text alone, and about files: leave out --format, --report, "
            "--certificates, --locked, --statistics and -"
        )
        return BAD_INPUT
    work = _Watch(options, Kept("check", options))
    names = named(work)
    return (names and work.each(work.rounds(names), options.jobs)) or BAD_INPUT


class _Watch(CheckRun):
    """A run that goes on with what has changed.

    told   what is known of each file, the last one first
    reads  the files that each one reads
    """

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        super().__init__(options, report)
        self.told: dict[str, list[Finding]] = {}
        self.reads: dict[str, list[str]] = {}

    def rounds(self, names: Sequence[str]) -> Iterator[Sequence[Json]]:
        """The jobs on some files, then those on what has changed, until a signal comes."""
        known: dict[str, State] = {}
        while not self.signals:
            now = self._states(names)
            changed = {path for path, state in now.items() if known.get(path, ()) != state}
            jobs = [
                {**self.asked(), "file": name, "watched": True}
                for name in names
                if name not in self.told or not changed.isdisjoint([name, *self._read(name)])
            ]
            if jobs:
                yield jobs
            # which files these read is known by now
            known = {**self._states(names), **now}
            self._draw(names)
            while not self.signals and self._states(names) == known:
                sleep(LOOK)
            sleep(LOOK)  # whoever writes one file may be writing others
            names = named(self)
            self._keep(ARGUMENTS)
            self.told = {name: self.told[name] for name in self.told if name in (ARGUMENTS, *names)}

    def _read(self, name: str) -> list[str]:
        return self.reads.get(name, [])

    def _states(self, names: Iterable[str]) -> dict[str, State]:
        """The states of files, of those that they read, and of the folders of both."""
        paths = [path for name in names for path in (name, *self._read(name))]
        folders = [os.path.dirname(path) or os.curdir for path in paths]
        return {path: _state(path) for path in [*paths, *folders, *self.options.files]}

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "reads" in event:
            self.reads[file] = event["reads"]
        else:
            super().take(file, event)

    def ended(self, file: str) -> None:
        """Keep what is known of a file."""
        super().ended(file)
        self._keep(file)

    def _keep(self, name: str) -> None:
        """Keep what was found as what is known of a file."""
        self.told.pop(name, None)
        self.told = {name: self.report.findings, **self.told}
        self.report.findings = []

    def _draw(self, names: Sequence[str]) -> None:
        """Tell what is known of some files, as much as a screen has room for."""
        writer = Writer(replace(self.report.view, errors=True))
        known = tuple(found for findings in self.told.values() for found in findings)
        lines = [line for found in known for line in writer.add(found)]
        sums = summary(Document("check", known, counted(known))) or "nothing was checked"
        head = f"{datetime.now():%H:%M:%S}  {sums}; files: {len(names)}; Ctrl-C ends"
        if sys.stdout.isatty():
            rows = shutil.get_terminal_size().lines - 2
            cut = lines if len(lines) <= rows else [*lines[: rows - 1], "…"]
            say([f"{CLEAR}{head}", *cut])
        else:
            say([head, *lines])


def _state(path: str) -> State:
    """What differs where a file was written, or something in a folder was."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino

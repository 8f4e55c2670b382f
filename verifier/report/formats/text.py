"""Lines for people: one for each finding, then what a reader needs to act on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifier.base.escape import escaped
from verifier.report.findings import (
    CERTIFICATE,
    ERROR,
    FILE,
    NOTE,
    STATISTICS,
    Document,
    Finding,
    said_otherwise,
)
from verifier.report.folding import folded
from verifier.report.view import View

MARKS = {  # of statuses that are not their own marks
    "ok": "ok",
    "failed": "FAILED",
    "undecided": "undecided",
    "internal": "INTERNAL ERROR",
    "not run": "not run",
}
DIFF = "diff"  # a kind of document
WORDS = {  # of what is no result, by status or rule: one, several
    ERROR: ("error", "errors"),
    FILE: ("file not read to its end", "files not read to their end"),
    NOTE: ("note", "notes"),
}
COLOURS = {"error": "31", "warning": "33", "note": "33", "none": "32"}  # of severities


class Writer:
    """Writes findings under the names of their files."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._file: str | None = None
        self._told: set[str] = set()

    def add(self, found: Finding) -> Iterator[str]:
        """The lines of a finding, folded and in colour."""
        for line in self._lines(found):
            width = self.view.width() if line.startswith(" ") else None  # a path stays whole
            first, *rest = folded(line, width)
            mark = MARKS.get(found.status, found.status)
            if self.view.colour and first.startswith(f"  {mark}  "):
                coloured = f"\033[{COLOURS[found.severity]}m{mark}\033[0m"
                first = first.replace(mark, coloured, 1)
            yield first
            yield from rest

    def _lines(self, found: Finding) -> Iterator[str]:
        if self.view.quiet and found.is_result and found.severity == "none":
            return
        if found.rule == CERTIFICATE:
            yield escaped(f"{found.label}: {found.message}")
            yield from (escaped(f"  {line}") for line in found.details)
        elif found.is_result:
            yield from self._result(found)
        elif found.status == NOTE:
            if self.view.strict or not self.view.quiet:
                yield escaped(f"  note: {found.place}: {found.rule} {found.message}")
        elif self.view.errors:
            yield from _elsewhere(found)

    def _result(self, found: Finding) -> Iterator[str]:
        if found.file != self._file:
            self._file, self._told = found.file, set()
            yield escaped(found.file or "")
        mark = MARKS.get(found.status, found.status)
        is_run = found.status != "not run"  # of which the mark says all
        said = f"{found.label}: {found.message}" if is_run else found.label
        yield f"  {mark}  {escaped(said)}"
        yield from (escaped(f"      {line}") for line in found.details)
        if found.advice:
            yield escaped(f"      {found.advice}")
        for note in (found.json.get("scope") or {}).get("notes", ()):
            if note not in self._told:
                self._told.add(note)
                yield escaped(f"      remark: {note}")

    def end(self, document: Document) -> Iterator[str]:
        """The sums, if there are results."""
        results = [one for one in document.findings if one.is_result]
        if document.kind == DIFF:
            yield summary(document)
            return
        if not results:
            return
        if self.view.quiet and results[0].rule != CERTIFICATE:
            files = {one.file for one in document.findings}
            yield f"files: {len(files)}, checks: {len(results)}"
        yield summary(document)
        yield from _counted_by_definition(document.meta.get(STATISTICS, ()))


def _counted_by_definition(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How many checks of each definition ended how, and how long they took."""
    for row in rows:
        counts = ", ".join(
            f"{row[status]} {mark.lower()}" for status, mark in MARKS.items() if status in row
        )
        longest = row["longest"]
        yield escaped(f"  {row['definition']}: {counts}; {row['seconds']:.3f} s")
        yield escaped(f"      the longest: {longest['seconds']:.3f} s, {longest['check']}")


def _elsewhere(found: Finding) -> Iterator[str]:
    """An error, or a file that was not read to its end."""
    if found.rule == FILE:
        yield escaped(f"{found.label}: {found.message}")
    else:
        yield escaped(f"{found.place}: {found.rule} {found.message}".removeprefix(": "))
        yield from (escaped(f"    {line}") for line in found.details)


def summary(document: Document) -> str:
    """How many results ended how, how many compared nothing; errors and notes."""
    results = [one for one in document.findings if one.is_result]
    by = Counter(one.status for one in results)
    if document.kind == DIFF:  # which lists no check that is the same, and no unchanged file
        by = Counter(document.summary)
    order = [*MARKS, *(status for status in by if status not in MARKS)]
    counts = [(MARKS.get(status, status).lower(), by[status]) for status in order]
    counts.append(("vacuous: nothing was compared", sum(one.vacuous for one in results)))
    for says, count in said_otherwise(results).items():
        counts.append((f"of them {'says' if count == 1 else 'say'} {says}", count))
    others = [one for one in document.findings if not one.is_result]
    for word, named in WORDS.items():
        told = sum(word in (one.status, one.rule) for one in others)
        counts.append((named[told != 1], told))
    return ", ".join(counted(count, word) for word, count in counts if count)


def counted(count: int, word: str) -> str:
    """So many of what a summary counts."""
    one = count == 1 and word == "unchanged files"
    return f"{count} {'unchanged file' if one else word}"

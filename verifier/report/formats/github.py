"""Commands of GitHub Actions, which become annotations at the lines of a change.

`::error file=F,line=L,col=C,title=T::MESSAGE`; in a message %, line ends, in the other parts also
colons and commas are written as %25, %0A, … The worst come first, as GitHub shows ten of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.base.escape import escaped
from verifier.report.findings import Document, Finding
from verifier.report.formats.text import summary

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
IN_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTY = {**IN_DATA, ord(":"): "%3A", ord(","): "%2C"}


def render(document: Document) -> str:
    """An annotation for each finding that is not ok, and the sums."""
    lines = [
        annotation(found, document.path(found))
        for found in document.ranked
        if found.severity in COMMANDS
    ]
    return "\n".join([*lines, escaped(summary(document))])


def annotation(found: Finding, path: str) -> str:
    """The command for a finding in the file at a path."""
    properties = ",".join(f"{key}={value}" for key, value in _properties(found, path))
    message = "\n".join(escaped(line) for line in (found.message, *found.details))
    command = COMMANDS[found.severity]
    return f"::{command} {properties}::{message.translate(IN_DATA)}"


def _properties(found: Finding, path: str) -> Iterator[tuple[str, str]]:
    given = {"file": path, "line": found.line, "col": found.column, "title": found.title}
    for key, value in given.items():
        if value:
            yield key, escaped(str(value)).translate(IN_PROPERTY)

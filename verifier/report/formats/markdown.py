"""Markdown for comments and summaries of builds: the worst first, below 60 kB.

Names from files stand in code spans and code blocks only, whose fences are longer than any run of
backticks inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from verifier.base.escape import escaped
from verifier.report.findings import Document, Finding
from verifier.report.formats.text import MARKS, summary

MOST = 60_000  # bytes in all
LONGEST = 300  # characters of a name or message
LINES = 40  # of details of one finding


def render(document: Document) -> str:
    """The sums, and as many findings as there is room for."""
    parts = [f"## verifier {document.kind}\n", f"{summary(document) or 'nothing was decided'}\n"]
    room = MOST - sum(len(part.encode()) + 1 for part in parts) - LONGEST
    left = list(document.ranked)
    while left:
        part = "\n".join(_finding(document, left[0]))
        room -= len(part.encode()) + 1
        if room < 0:
            parts.append(f"\n… and {len(left)} more, none of which is worse; see the whole report.")
            break
        parts.append(part)
        left.pop(0)
    return "\n".join(parts)


def _finding(document: Document, found: Finding) -> Iterator[str]:
    """An item of a list, with its details if it is not ok."""
    mark = MARKS.get(found.status, found.status)
    place = ":".join(str(part) for part in (document.path(found), found.line, found.column) if part)
    where = f" at {code(place)}" if place else ""
    yield f"- **{mark}** {code(found.label)}: {code(found.message)}{where}"
    if found.severity != "none" and found.details:
        lines = [_short(line) for line in found.details[:LINES]]
        if len(found.details) > LINES:
            lines.append(f"… ({len(found.details)} lines in all)")
        fence = _fence(lines, 3)
        yield from (f"  {line}" for line in ("", f"{fence}text", *lines, fence, ""))


def code(text: str) -> str:
    """A text as a code span."""
    text = _short(text)
    fence = _fence([text], 1)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fence(lines: list[str], least: int) -> str:
    runs = [len(run) for line in lines for run in re.findall("`+", line)]
    return "`" * max(least, 1 + max(runs, default=0))


def _short(text: str) -> str:
    text = escaped(text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text)} characters)"

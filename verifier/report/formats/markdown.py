"""Markdown for comments and summaries of builds: the worst first, in at most 20 lines.

Names from files stand in code spans only, whose fences are longer than any run of backticks inside.
"""

from __future__ import annotations

import re

from verifier.base.escape import escaped
from verifier.report.findings import SOURCE, Document, Finding
from verifier.report.formats.text import MARKS, summary

MOST = 20  # lines in all
LONGEST = 300  # characters of a name, a message or a reason


def render(document: Document) -> str:
    """The sums, and a line for each of as many findings as there is room for."""
    head = [f"## verifier {document.kind}", "", summary(document) or "nothing was decided", ""]
    ranked, room = document.ranked, MOST - len(head)
    if len(ranked) <= room:
        return "\n".join([*head, *(_line(document, one) for one in ranked)])
    lines = [_line(document, one) for one in ranked[: room - 2]]
    left = f"… and {len(ranked) - len(lines)} more, none of which is worse; see the whole report."
    return "\n".join([*head, *lines, "", left])


def _line(document: Document, found: Finding) -> str:
    """An item of a list: where it is, what is said of it, and why if it is not ok."""
    mark = MARKS.get(found.status, found.status)
    place = ":".join(str(part) for part in (document.path(found), found.line, found.column) if part)
    where = f" at {code(place)}" if place else ""
    # of an error not the line of the file: the place is there
    told = [line.strip() for line in found.details if not SOURCE.match(line)]
    why = f"; {code('; '.join(told))}" if found.severity != "none" and told else ""
    return f"- **{mark}** {code(found.label)}: {code(found.message)}{where}{why}"


def code(text: str) -> str:
    """A text as a code span."""
    text = _short(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _short(text: str) -> str:
    text = escaped(text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text)} characters)"

"""One object of JSON to a line, as soon as it is found; the last line has the sums."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from verifier.base.escape import escaped_json
from verifier.report.findings import FILE, Document, Finding
from verifier.report.formats.json import TOOL, sums
from verifier.report.view import View

RESULT = "result"


class Writer:
    """Writes an object with a `kind` for each finding."""

    def __init__(self, view: View) -> None:
        pass

    def add(self, found: Finding) -> Iterator[str]:
        """One object."""
        kind = RESULT if found.is_result else FILE if found.rule == FILE else found.status
        yield _line({"kind": kind, **found.json})

    def end(self, document: Document) -> Iterator[str]:
        """The sums."""
        yield _line({"kind": "summary", "tool": TOOL, **sums(document), **document.meta})


def _line(told: dict[str, Any]) -> str:
    return escaped_json(json.dumps(told, ensure_ascii=False))

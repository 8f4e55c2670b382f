"""One object of JSON for a whole report, version 1."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from verifier.base.escape import escaped_json
from verifier.base.version import VERSION
from verifier.report.findings import ERROR, FILE, NOTE, Document

TOOL = f"verifier {VERSION}"
LISTS = {"check": "results", "certify": "certificates", "diff": "changes"}


def render(document: Document) -> str:
    """The report as one object."""
    found = document.findings
    told: dict[str, list[Any]] = {
        "notes": [one.json for one in found if one.status == NOTE],
        "errors": [one.json for one in found if one.status == ERROR and not one.is_result],
        "stopped": [f"{one.file}: {one.message}" for one in found if one.rule == FILE],
    }
    results = [one.json for one in found if one.is_result]
    whole = {LISTS[document.kind]: results, "summary": sums(document), **document.meta}
    parts = {key: part for key, part in told.items() if part}
    return written({"version": 1, "tool": TOOL, **whole, **parts})


def sums(document: Document) -> dict[str, int]:
    """How many findings ended how; of errors and notes how many, if there are any."""
    others = Counter(one.status for one in document.findings if not one.is_result)
    told = {"errors": others[ERROR], "notes": others[NOTE]}
    return {**document.summary, **{key: count for key, count in told.items() if count}}


def written(report: Mapping[str, Any]) -> str:
    """A report as a JSON text that is safe to print."""
    return escaped_json(json.dumps(report, indent=1, ensure_ascii=False))

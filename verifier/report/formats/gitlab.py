"""GitLab's code quality report: a list of what is not ok.

Of each one `description`, `check_name`, `fingerprint` (unlike that of any other), `severity`, and
`location` with a path from the root of the repository and the first line.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from verifier.base.escape import escaped, escaped_json
from verifier.report.findings import Document, Finding

SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}
BLOCKER = "blocker"  # what says that the tool itself has failed
LONGEST = 1_000  # characters of a description


def render(document: Document) -> str:
    """The list, the worst first."""
    seen: Counter[str] = Counter()
    issues = []
    for found in document.ranked:
        if found.severity in SEVERITIES:
            issues.append(_issue(document, found, seen[found.id]))
            seen[found.id] += 1
    return escaped_json(json.dumps(issues, indent=1, ensure_ascii=False))


def _issue(document: Document, found: Finding, before: int) -> dict[str, Any]:
    """A finding; so many before it have the same id."""
    why = found.details[:1] if found.is_result else ()
    said = escaped("; ".join([f"{found.title}: {found.message}", *why]))
    is_broken = found.status == "internal"
    return {
        "description": said if len(said) <= LONGEST else f"{said[: LONGEST - 2]} …",
        "check_name": found.rule,
        "fingerprint": hashlib.sha256(f"{found.id} {before}".encode()).hexdigest(),
        "severity": BLOCKER if is_broken else SEVERITIES[found.severity],
        "location": {"path": document.path(found), "lines": {"begin": found.line or 1}},
    }

"""What reports tell: findings, put together in the parent from what workers tell; needs no engine.

Every format renders the same findings: checks, errors, notes, and files that were not read to
their end.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from verifier.base.nouns import Later, dataclass

Json = dict[str, Any]
SEVERITIES = {  # of each status of a check
    "ok": "none",
    "failed": "error",
    "undecided": "warning",
    "internal": "error",
    "not run": "warning",
}
RANKS = ("error", "warning", "note", "none")  # severities, the worst first
ERROR, NOTE = "error", "note"  # statuses besides those of checks, certificates and changes
SOURCE = re.compile(r" *\d* \|")  # of details: a line of a file, or the one below with a caret
FILE = "file"  # the rule of what is said of a file that was not read to its end
STATISTICS = "statistics"  # the key of what a document counts where that is asked for
CERTIFICATE = "certificate"  # the rule of what is said of a certificate


@dataclass(frozen=True)
class Finding(Later):
    """One thing that a report tells.

    file, line, column  where it is; None where it has no place
    id           the same in the next run, wherever it stands by then
    rule         the definition, the code of an error or note, `file` or `certificate`
    label        what it is called, unlike its neighbours
    status       of a check `ok`, `failed`, `undecided`, `internal` or `not run`; `error`; `note`
    severity     `error`, `warning`, `note` or `none`
    message      what is said of it, in one line
    details      further lines, as in the report in text
    fingerprint  the digest of the question without its place; of others the id
    json         all of it, as the report in JSON has it
    seconds      that it took
    figures      title -> what can be drawn, where a format asks for it
    """

    file: str | None
    line: int | None
    column: int | None
    id: str
    rule: str
    label: str
    status: str
    severity: str
    message: str
    details: tuple[str, ...]
    fingerprint: str
    json: Json
    seconds: float = 0.0
    figures: Mapping[str, Json] = field(default_factory=dict)

    @property
    def is_result(self) -> bool:
        """Whether it is about a check, a certificate or a change; not an error, a note or a
        file."""
        return self.rule == CERTIFICATE or not (self.rule == FILE or self.status in (ERROR, NOTE))

    @property
    def rank(self) -> int:
        """Its place among others, the worst first: what was not run, then by severity."""
        unanswered = self.rule == FILE or self.status in (ERROR, "internal", "not run")
        return 0 if unanswered else 1 + RANKS.index(self.severity)

    @property
    def title(self) -> str:
        """The label; of a change after its status, which is no outcome of a check."""
        known = self.status in (*SEVERITIES, ERROR, NOTE)
        return self.label if known else f"{self.status}: {self.label}"

    @property
    def vacuous(self) -> bool:
        """Whether nothing was compared."""
        found = self.json.get("leakage")
        return isinstance(found, dict) and bool(found.get("vacuous"))

    @property
    def advice(self) -> str:
        """What it would hold with, in one line; "" where nothing is advised."""
        found = [one["says"] for one in self.json.get("advice", ())]
        return f"holds with {'; or '.join(found)}" if found else ""

    @property
    def place(self) -> str:
        """`file:line:column`, as far as it is known."""
        known = (self.file, self.line, self.column)
        return ":".join(str(part) for part in known if part is not None)


@dataclass(frozen=True)
class Document(Later):
    """A whole report.

    kind     `check`, `diff` or `certify`
    summary  how many findings ended how
    meta     what else the report in JSON says at its top
    root     the folder from which paths are given where people see them beside other paths; the
             current one by default
    began    when the run began, in the time of the place, to the second
    head     what the run was about, in words: its revision and settings; what a format asks for
    """

    kind: str
    findings: tuple[Finding, ...]
    summary: Mapping[str, int]
    meta: Mapping[str, Any] = field(default_factory=dict)
    root: str = ""
    began: str = "1970-01-01T00:00:00"
    head: Mapping[str, str] = field(default_factory=dict)

    @property
    def ranked(self) -> list[Finding]:
        """The findings, the worst first, those that are as bad in their order."""
        return sorted(self.findings, key=lambda found: found.rank)

    def path(self, found: Finding) -> str:
        """The path of a finding's file from the root, with slashes, if it is below it; else the
        whole path."""
        if found.file is None:
            return ""
        root, file = os.path.abspath(self.root), os.path.abspath(found.file)
        inside = os.path.commonpath([root, file]) == root
        return (os.path.relpath(file, root) if inside else file).replace(os.sep, "/")


def of_check(item: Json) -> Finding:
    """The result of a check, from the item that a worker tells."""
    result = item["json"]
    status = result["status"]
    return Finding(
        result["file"],
        result["line"],
        result["column"],
        result["id"],
        result["definition"],
        result["label"],
        status,
        SEVERITIES[status],
        item["message"],
        tuple(item["details"]),
        result["digest"] or result["id"],
        result,
        result["seconds"],
        item.get("figures", {}),
    )


def undone(found: Finding, status: str, reason: str) -> Finding:
    """A check that the run did not come to, with its new status and the reason."""
    verdict = "not run" if status == "not run" else "undecided"
    told = {"status": status, "verdict": verdict, "reason": reason}
    return replace(
        found,
        status=status,
        severity=SEVERITIES[status],
        message=verdict,
        details=(reason,),
        json={**found.json, **told},
    )


def of_error(error: Json, text: str) -> Finding:
    """Bad input: the error as JSON and as text, of which the first line is its message."""
    return _told(error, ERROR, "error", text.split("\n")[1:])


def of_note(note: Json, strict: bool) -> Finding:
    """A note on a file; an error where it is a failure."""
    return _told(note, NOTE, "error" if strict else "note", ())


def _told(found: Json, status: str, severity: str, details: Iterable[str]) -> Finding:
    key = identity(found["file"] or "", found["code"], found["message"])
    where = f" in line {found['line']}" if found["line"] else ""
    return Finding(
        found["file"],
        found["line"],
        found["column"],
        key,
        found["code"],
        f"{found['code']}{where}",
        status,
        severity,
        found["message"],
        tuple(details),
        key,
        found,
    )


def of_file(file: str, status: str, reason: str) -> Finding:
    """A file that was not read to its end, with the status of its checks, and why."""
    key, told = identity(file, FILE, status), {"file": file, "status": status, "reason": reason}
    severity = SEVERITIES[status]
    return Finding(file, None, None, key, FILE, file, status, severity, reason, (), key, told)


def identity(*parts: str) -> str:
    """An id of what has these parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """How many checks were ok, failed (or internal errors), undecided; `not_run`, if any.

    A file that was not read to its end counts as undecided.
    """
    unread = {"not run": "undecided"}
    counts = Counter(
        unread.get(one.status, one.status) if one.rule == FILE else one.status for one in findings
    )
    found = {
        "ok": counts["ok"],
        "failed": counts["failed"] + counts["internal"],
        "undecided": counts["undecided"],
    }
    return {**found, "not_run": counts["not run"]} if counts["not run"] else found


def said_otherwise(findings: Iterable[Finding]) -> dict[str, int]:
    """How many of the certificates that are ok say something else than that a check holds."""
    accepted = [one for one in findings if one.rule == CERTIFICATE and one.status == "ok"]
    counts = Counter(one.json["says"] for one in accepted)
    return {says: count for says, count in sorted(counts.items()) if says != "holds"}


def statistics(findings: Iterable[Finding]) -> list[Json]:
    """For each definition how many checks ended how, and their seconds; longest time first."""
    by: dict[str, list[Finding]] = {}
    for one in findings:
        if one.is_result:
            by.setdefault(one.rule, []).append(one)
    rows = []
    for definition, checks in by.items():
        counts = Counter(one.status for one in checks)
        longest = max(checks, key=lambda one: one.seconds)
        rows.append(
            {
                "definition": definition,
                "checks": len(checks),
                **{status: counts[status] for status in SEVERITIES if counts[status]},
                "seconds": round(sum(one.seconds for one in checks), 3),
                "longest": {
                    "check": f"{longest.place} {longest.label}",
                    "seconds": longest.seconds,
                },
            }
        )
    return sorted(rows, key=lambda row: -row["seconds"])

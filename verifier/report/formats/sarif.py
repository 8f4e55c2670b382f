"""SARIF 2.1.0, the OASIS format of static analysis, for what is not ok.

A rule for each definition and code of errors and notes among the findings, with the words of
`verifier explain`. A result is known again by the digest of its question and by its id. Checks that
are ok are counted among the properties of the run, as readers take each result for an alert.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from verifier.base.escape import escaped, escaped_json
from verifier.base.version import VERSION
from verifier.report.findings import CERTIFICATE, ERROR, FILE, Document, Finding

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"
OTHER_RULES = {
    CERTIFICATE: "A certificate is accepted by the checker, and says what is expected.",
    FILE: "A file is read, and its checks are decided, to the end.",
}
SEVERE = {  # `security-severity` of rules by what they are about, of 10, as GitHub grades it
    "definition": "8.0",  # high: a promise of privacy is broken
    CERTIFICATE: "8.0",
    "S": "5.0",  # medium: bad input, of which nothing is decided
    FILE: "5.0",
    "N": "2.0",  # low: a note
}
PROPERTIES = ("verdict", "expected", "level", "level_epsilon", "leakage", "epsilon", "tight")

Json = dict[str, Any]


def render(document: Document) -> str:
    """The log, with one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(document)]}
    return escaped_json(json.dumps(log, indent=1, ensure_ascii=False))


def _run(document: Document) -> Json:
    told = [found for found in document.ranked if found.severity != "none"]
    names = sorted({found.rule for found in document.findings})
    places = {name: number for number, name in enumerate(names)}
    broken = any(found.status in (ERROR, "internal", "not run") for found in told)
    driver = {"name": "verifier", "version": VERSION, "rules": list(map(_rule, names))}
    return {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not broken}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "where paths start"}}},
        "results": [_result(document, found, places) for found in told],
        "properties": {"command": document.kind, "summary": dict(document.summary)},
    }


def _rule(name: str) -> Json:
    """A definition or a code, and what it means."""
    from verifier.report import words

    if name in words.TOLD:
        summary = words.TOLD[name]
    elif meanings := words.words().get(name):
        summary = meanings[0].summary
    else:
        summary = OTHER_RULES.get(name, name)
    help_ = words.explained(name) or summary
    kind = name if name in SEVERE else name[0] if name in words.TOLD else "definition"
    return {
        "id": name,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": help_, "markdown": f"~~~~text\n{help_}\n~~~~"},
        "properties": {"tags": ["security", "privacy"], "security-severity": SEVERE[kind]},
    }


def _result(document: Document, found: Finding, places: Mapping[str, int]) -> Json:
    said = [f"{found.title}: {found.message}", *found.details]
    known = {key: found.json[key] for key in PROPERTIES if found.json.get(key) is not None}
    result: Json = {
        "ruleId": found.rule,
        "ruleIndex": places[found.rule],
        "level": found.severity,
        "message": {"text": "\n".join(map(escaped, said))},
        "partialFingerprints": {"contentDigest/v1": found.fingerprint, "checkId/v1": found.id},
        "properties": {"label": found.label, "status": found.status, **known},
    }
    if found.file is not None:
        result["locations"] = [{"physicalLocation": _location(document, found)}]
    return result


def _location(document: Document, found: Finding) -> Json:
    path = document.path(found)
    if path.startswith("/"):
        place = {"uri": f"file://{_quoted(path)}"}
    else:
        place = {"uri": _quoted(path), "uriBaseId": ROOT}
    location: Json = {"artifactLocation": place}
    if found.line is not None:
        column = {} if found.column is None else {"startColumn": found.column}
        location["region"] = {"startLine": found.line, **column}
    return location


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))

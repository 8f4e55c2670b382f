"""JUnit's XML: a suite for each file, a case for each check; valid for Jenkins and for Ant.

A check, a change or a certificate that is not as it should be is a failure. What is undecided or
not run is an error, as a case that is skipped would let a build pass. A change that passes, such as
one that is accepted, is a case that passes, told as text of its suite. Texts are escaped before
they are written, as XML has no way to hold control characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as tree

from verifier.base.escape import escaped
from verifier.report.findings import ERROR, NOTE, Document, Finding

NOWHERE = "verifier"  # the suite of what is in no file
UNKNOWN = ("undecided", "not run", "internal", "rejected", "refused", ERROR)  # statuses of errors
HEAD = '<?xml version="1.0" encoding="utf-8"?>'


def render(document: Document) -> str:
    """The suites."""
    suites: dict[str, list[Finding]] = {}
    for found in document.findings:
        suites.setdefault(document.path(found) or NOWHERE, []).append(found)
    root = tree.Element("testsuites")
    for number, (name, findings) in enumerate(suites.items()):
        _suite(tree.SubElement(root, "testsuite"), number, escaped(name), findings, document)
    tree.indent(root, " ")
    return f"{HEAD}\n{tree.tostring(root, encoding='unicode')}"


def _suite(
    suite: tree.Element, number: int, name: str, findings: list[Finding], document: Document
) -> None:
    """Fill in the suite of a file."""
    cases = [one for one in findings if not _is_told_only(one)]
    ended = [_element(one) for one in cases]
    attributes = {
        "package": document.kind,
        "id": number,
        "name": name,
        "timestamp": document.began,
        "hostname": "localhost",
        "tests": len(cases),
        "failures": ended.count("failure"),
        "errors": ended.count("error"),
        "time": _seconds(sum(one.seconds for one in cases)),
    }
    suite.attrib.update({key: str(value) for key, value in attributes.items()})
    tree.SubElement(suite, "properties")
    for found in cases:
        _case(suite, name, found)
    passing = [one for one in findings if one.severity != "none" and _element(one) is None]
    lines = [
        line
        for one in passing
        for line in (f"{one.place}: {one.title}: {one.message}", *(one.details * one.is_result))
    ]
    tree.SubElement(suite, "system-out").text = _text(lines)
    tree.SubElement(suite, "system-err")


def _is_told_only(found: Finding) -> bool:
    """Whether it is a note that is no failure."""
    return found.status == NOTE and found.severity == "note"


def _element(found: Finding) -> str | None:
    """What a case has inside: `failure`, `error` or nothing."""
    if found.severity == "none" or _is_told_only(found) or found.json.get("passes"):
        return None
    return "error" if found.status in UNKNOWN else "failure"


def _case(suite: tree.Element, name: str, found: Finding) -> None:
    """Add the case of a finding in the file of this name."""
    attributes = {
        "name": escaped(found.label),
        "classname": name,
        "time": _seconds(found.seconds),
    }
    case = tree.SubElement(suite, "testcase", attributes)
    if kind := _element(found):
        inside = tree.SubElement(case, kind, type=found.status, message=escaped(found.message))
        inside.text = _text([found.place, found.message, *found.details])


def _text(lines: Iterable[str]) -> str:
    return "\n".join(map(escaped, lines))


def _seconds(value: float) -> str:
    return f"{value:.3f}"

"""Each kind of finding in each format, whatever it is called, as readers of the format find it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.parsers import PARSERS, Told
from tests.contracts.recipes import step
from tests.loops import each
from verifier.base.escape import escaped
from verifier.report.findings import (
    CERTIFICATE,
    FILE,
    SEVERITIES,
    Document,
    Finding,
    counted,
)
from verifier.report.formats import FORMATS

RECIPE = "A report format"
ALL = (
    "text",
    "json",
    "jsonl",
    "junit",
    "markdown",
    "latex",
    "html",
)  # the others leave out what is ok
EXACT = ("json", "jsonl")  # names as they are
CUT = {"markdown": 300, "gitlab": 900, "html": 10**9}  # characters after which names may be cut
PLAIN = "one answer"
HOSTILE = [
    PLAIN,
    "two\nlines",
    "::error file=x::\r\n::warning::",
    "%0A%25 50%, a: b, c",
    "]]> <![CDATA[ </failure> <script>alert(1)</script> &amp; & \"' <!--",
    "a|b \\| c\\",
    "`code` ``` ```` `",
    "```\n# heading",
    "- item [link](http://x) *bold* _it_ ![i](u) http://x.y @team #12 ~~s~~",
    "\x00\x01\x1b[31m\x7f\x85\u2028\u202e\ufeff\ufffe",
    "half \udc80 of a pair",
    "naïve ⊥ 世界 🙂👩‍👩‍👧",
    "##[error]x ##vso[task]",
    '{"a": [1]}',
    "x" * 10_000,
    " spaces ",
]


def finding(kind: str, name: str, line: int | None = 7) -> Finding:
    """A finding of a kind, made by hand."""
    status = kind.removeprefix("certificate ").replace("vacuous", "ok")
    rule = {"error": "S103", "note": "N101", "file": FILE}.get(kind, "pufferfish")
    status = "undecided" if kind == "file" else status
    is_certificate = kind.startswith("certificate")
    told = {
        "file": "specs/a b.yaml",
        "line": line,
        "column": 5,
        "label": name,
        "status": status,
        "verdict": "violated",
        "code": rule,
        "message": f"said of {name}",
        "reason": f"because of {name}",
        "leakage": {"exp_epsilon": "1", "vacuous": True} if kind == "vacuous" else None,
    }
    severity = {"note": "note", "error": "error"}.get(kind) or SEVERITIES.get(status, "error")
    return Finding(
        "specs/a b.yaml",
        line,
        5 if line else None,
        f"id of {kind}",
        CERTIFICATE if is_certificate else rule,
        rule if kind in ("error", "note", "file") else name,
        status,
        severity,
        f"said of {name}",
        ("  hint: x",) if kind == "error" else (f"because of {name}", "and so on"),
        "sha256:00",
        told,
        0.25,
    )


KINDS = [*SEVERITIES, "vacuous", "error", "note", "file"]


def document(*findings: Finding) -> Document:
    return Document("check", findings, counted(findings))


def read(name: str, whole: Document) -> list[Told]:
    assert name in PARSERS, step(RECIPE, 3, name)
    return PARSERS[name](FORMATS[name].render(whole))


def confirm(name: str, found: Finding) -> None:
    """The finding is told in the format, by its name and where it is."""
    told = read(name, document(found))
    said = found.label if name in EXACT else escaped(found.label)
    if not found.is_result:
        said = found.message if name in EXACT else escaped(found.message)
    needle = said[: CUT.get(name, 10**9)].strip() if name in CUT else said
    if found.severity == "none" and name not in ALL:
        assert not [one for one in told if needle in one.text]
        return
    (one,) = [one for one in told if needle in one.text]
    assert one.file in (None, "specs/a b.yaml")
    assert one.line in (None, found.line or 1)


@each("name", list(FORMATS))
@each("kind", KINDS)
@each("hostile", HOSTILE)
def test_a_finding_of_any_kind_and_name_is_told(name: str, kind: str, hostile: str) -> None:
    confirm(name, finding(kind, hostile))


@pytest.mark.parametrize("name", list(FORMATS))
@given(hostile=st.text(st.characters(), min_size=1).filter(str.strip))
def test_a_finding_of_any_drawn_name_is_told(name: str, hostile: str) -> None:
    confirm(name, finding("failed", f"a{hostile}z"))


@pytest.mark.parametrize("name", list(FORMATS))
def test_each_place_is_told_once(name: str) -> None:
    """All kinds together, each as often as it is there."""
    kinds = [kind for kind in KINDS for _ in range(2)]
    found = [replace(finding(kind, f"number {at}."), line=at + 1) for at, kind in enumerate(kinds)]
    if name == "html":
        return
    if name == "markdown":  # which has room for few
        told = [one for part in (found[::2], found[1::2]) for one in read(name, document(*part))]
    else:
        told = read(name, document(*found))
    for at, one in enumerate(found):
        said = f"number {at}."
        times = sum(said in told_one.text for told_one in told)
        assert times == (name in ALL or one.severity != "none"), (name, one.status)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_finding_without_a_place_is_told(name: str) -> None:
    lost = replace(finding("error", "lost"), file=None, line=None, column=None)
    assert [one for one in read(name, document(lost)) if "said of lost" in one.text]


@pytest.mark.parametrize("name", list(FORMATS))
def test_nothing_is_told_of_nothing(name: str) -> None:
    report = FORMATS[name].render(document())
    assert report == "" or report.endswith("\n")
    if name not in ("text", "html"):
        assert not PARSERS[name](report) or name == "github"


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_same_findings_are_the_same_bytes(name: str) -> None:
    whole = document(*(finding(kind, PLAIN) for kind in KINDS))
    assert FORMATS[name].render(whole) == FORMATS[name].render(whole)


BAD = ("failed", "leaks more", "undecided", "internal", "not run", "error", "file")


@pytest.mark.parametrize("name", list(FORMATS))
@pytest.mark.parametrize("kind", BAD)
def test_what_is_not_ok_does_not_look_ok(name: str, kind: str) -> None:
    """In the words of the format: no pass, no note, nothing that is skipped."""
    (one,) = [one for one in read(name, document(finding(kind, PLAIN))) if PLAIN in one.text]
    assert one.kind not in ("ok", "none", "note", "notice", "info", "skipped")
    if name == "junit":
        assert one.kind == ("failure" if kind in ("failed", "leaks more") else "error")
    if name == "sarif":
        is_open = kind in ("undecided", "not run", "file")
        assert one.kind == ("warning" if is_open else "error")
    if name == "gitlab":
        assert one.kind == ("blocker" if kind == "internal" else one.kind) != "minor"


def test_certificates_are_told_in_each_format() -> None:
    for name in FORMATS:
        found = finding("certificate failed", PLAIN, None)
        told = PARSERS[name](FORMATS[name].render(replace(document(found), kind="certify")))
        if name == "json":
            continue  # has them under another key
        assert any(PLAIN in one.text for one in told), name
    whole = json.loads(FORMATS["json"].render(Document("certify", (found,), {})))
    assert whole["certificates"] == [found.json]


def test_markdown_tells_the_worst_first_and_what_is_left_out() -> None:
    found = [finding("ok", f"fine {at} {'x' * 200}") for at in range(900)]
    report = FORMATS["markdown"].render(document(*found, finding("failed", "the worst")))
    told = PARSERS["markdown"](report)
    assert told[0].kind == "failed" and "the worst" in told[0].text
    left = len(found) + 1 - len(told)
    assert left > 0 and f"… and {left} more" in report and "900 ok" in report


def test_sarif_grades_a_broken_promise_above_bad_input_above_a_note() -> None:
    """GitHub's grades: from 7 on high, from 4 on medium, below low."""
    found = [finding("failed", PLAIN), finding("error", "bad input"), finding("note", "a note")]
    log = json.loads(FORMATS["sarif"].render(document(*found)))
    rules = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    grades = [float(rules[one.rule]["properties"]["security-severity"]) for one in found]
    assert grades[0] >= 7 > grades[1] >= 4 > grades[2]
    assert all(rule["help"]["text"] for rule in rules.values())

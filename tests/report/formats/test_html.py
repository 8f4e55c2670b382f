"""The page of a report: what people have named is text and nothing else, and nothing is fetched."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from verifier import cli
from verifier.base.version import VERSION
from verifier.report.findings import (
    CERTIFICATE,
    Document,
    Finding,
    counted,
    of_error,
    of_file,
    of_note,
)
from verifier.report.formats import FORMATS
from verifier.report.formats.html import OPEN

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</pre></details><iframe src='https://example.org'></iframe>",
    "\" onmouseover=\"alert(1)' x='",
    "a\u202eb\u2066c",
    "line\u2028paragraph\u2029end\nnext",
    "<!--<script>",
    "]]>&lt;{{ 7*7 }}{% raw %}",
    "\x00\x1b[31m\x7f",
)
ELEMENTS = {  # all that a page is made of
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "p", "svg", "rect",
    "ul", "ol", "li", "b", "noscript", "div", "label", "input", "select", "option", "fieldset",
    "legend", "button", "output", "main", "details", "summary", "span", "bdi", "pre", "footer",
    "script", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


NOTE = {"file": "spec.yaml", "line": 1, "column": 1, "code": "N104", "message": "unused"}


class Page(HTMLParser):
    """What a browser makes of a page.

    elements  names, with their attributes
    texts     of each kind of element
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, "elements are closed in the order in which they are opened"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]][-1] += data

    def attributes(self, name: str) -> Iterator[str | None]:
        """All that an attribute is set to."""
        yield from (found[name] for _, found in self.elements if name in found)

    @property
    def data(self) -> list[Any]:
        """The data of figures, a line for each finding."""
        return [json.loads(line) for line in self.texts["script"][0].strip().split("\n")]


def finding(**parts: Any) -> Finding:
    """A check that has passed, and what is different."""
    usual = Finding(
        "spec.yaml", 3, 5, "0123456789abcdef", "differential_privacy", "a check", "ok", "none",
        "holds; smallest e^ε 3", (), "sha256:00", {"status": "ok"},
    )  # fmt: skip
    return replace(usual, **parts)


def failed(**parts: Any) -> Finding:
    return finding(status="failed", severity="error", **parts)


def document(*findings: Finding, kind: str = "check") -> Document:
    return Document(kind, findings, counted(findings))


def page(*findings: Finding, kind: str = "check") -> Page:
    return Page(FORMATS["html"].render(document(*findings, kind=kind)))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text(name: str) -> None:
    """Wherever a name may stand: no element, no attribute and no line is made of it."""
    told: dict[str, Any] = {
        "definition": name,
        "mechanism": name,
        "expected": name,
        "verdict": name,
        "level": {"exp_epsilon": name, "delta": name},
        "leakage": {"exp_epsilon": name},
        "scope": {"priors": name, "notes": [name]},
        "certificate": {"rule": name, "accepted": True, "path": name},
    }
    figures = {name: {"matrix": {"outputs": [name], "columns": [name]}}}
    places = {"file": name, "rule": name, "label": name, "status": name, "message": name}
    one = finding(**places, details=(name,), json=told, fingerprint=name, figures=figures)
    changed = replace(one, json={"before": told, "after": {**told, "verdict": "holds"}})
    plain = page(finding(), finding())
    for kind, hostile in (("check", one), ("certify", one), ("diff", changed)):
        text = FORMATS["html"].render(document(hostile, finding(), kind=kind))
        found = Page(text)
        assert {tag for tag, _ in found.elements} <= ELEMENTS
        assert set(found.attributes("src")) == set()
        assert not [key for _, keys in found.elements for key in keys if key.startswith("on")]
        count = [tag for tag, _ in found.elements].count
        groups = [keys.get("class") for _, keys in found.elements].count("group")
        assert count("script") == 2 and count("details") == 2 + groups + 1, "and controls"
        assert count("meta") == [tag for tag, _ in plain.elements].count("meta")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
        assert len(found.data) == 2
        shown = found.data[0][0][1]["matrix"]["outputs"][0]
        assert shown == found.data[0][0][0] == found.texts["bdi"][1]
        assert found.texts["pre"][0].strip("\n") == shown


def test_a_bidirectional_name_shows_its_signs() -> None:
    assert page(finding(label="a\u202eb")).texts["bdi"][1] == "a\\u202eb"


def test_nothing_is_asked_for_elsewhere() -> None:
    text = FORMATS["html"].render(document(failed(), finding()))
    found = Page(text)
    assert set(found.attributes("href")) == {"#list"}
    for word in ("src=", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "eval("):
        assert word not in text
    links = set(re.findall(r"https?://[^\"' ]*", text))
    assert links == {"http://www.w3.org/2000/svg"}  # the name of a language, which is not fetched


def test_the_policy_allows_the_own_script_and_style_alone() -> None:
    found = page(finding())
    policy = next(keys["content"] for _, keys in found.elements if "http-equiv" in keys) or ""
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for rule, text in (("script", found.texts["script"][-1]), ("style", found.texts["style"][0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{rule}-src"] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "base-uri", "form-action", "script-src", "style-src"}
    assert not list(found.attributes("style")), "the policy would not allow it"


def test_the_first_failures_are_open() -> None:
    found = page(finding(), *(failed(id=f"{k:016x}") for k in range(OPEN + 5)))
    opened = ["open" in keys for tag, keys in found.elements if tag == "details"]
    assert opened == [False, True] + [True] * OPEN + [False] * 6, "controls, a group, then they"


def test_ids_differ() -> None:
    found = page(finding(), finding(), finding())
    ids = [keys["id"] for tag, keys in found.elements if tag == "li" and "id" in keys]
    assert ids == ["c-0123456789abcdef", "c-0123456789abcdef-2", "c-0123456789abcdef-3"]


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ((), "No check ran."),
        ((finding(),), "Passed"),
        ((finding(), finding(status="undecided", severity="warning")), "Not all was decided"),
        ((finding(status="undecided", severity="warning"), failed()), "Failed"),
        ((of_file("spec.yaml", "not run", "interrupted"),), "Not all was decided"),
        ((of_note(NOTE, strict=False),), "No check ran."),
        ((finding(), of_note(NOTE, strict=False)), "Passed, with notes"),
        ((of_note(NOTE, strict=True),), "Failed"),
    ],
)
def test_the_headline(findings: tuple[Finding, ...], said: str) -> None:
    found = page(*findings)
    heading = next(text for text in found.texts["p"] if text.strip())
    assert heading.startswith(said)
    assert found.texts["title"] == [f"Privacy checks: {heading}"]


@pytest.mark.parametrize(
    ("status", "severity", "passes", "said"),
    [
        ("leaks more", "warning", True, "More leaks, and all is still as promised"),
        ("undecided", "warning", False, "Not all was decided"),
        ("leaks more", "note", True, "Passed, with notes"),  # it is accepted
        ("leaks less", "none", True, "Nothing leaks more"),
    ],
)
def test_the_headline_of_a_change(status: str, severity: str, passes: bool, said: str) -> None:
    one = finding(status=status, severity=severity, json={"passes": passes})
    assert said in page(one, kind="diff").texts["p"]


def test_what_compares_nothing_is_counted() -> None:
    vacuous = finding(json={"leakage": {"exp_epsilon": "1", "vacuous": True}})
    assert [text.strip() for text in page(vacuous, finding()).texts["li"][:2]] == [
        "ok",
        "compared nothing",
    ]


def test_an_error_alone() -> None:
    error = {
        "file": "spec.yaml",
        "line": 5,
        "column": 9,
        "code": "S103",
        "message": "row 's1' sums to 9/10, must be 1",
        "hint": None,
    }
    found = page(of_error(error, "spec.yaml:5:9: S103 row\n    5 |     s1: {a: 0.9}\n      |   ^"))
    assert "Failed" in found.texts["p"]
    assert found.texts["pre"][0].split("\n")[:2] == ["    5 |     s1: {a: 0.9}", "      |   ^"]


def test_what_is_told_of_a_check() -> None:
    told = {
        "level": {"exp_epsilon": "2", "delta": "1/10"},
        "level_epsilon": "0.693147",
        "leakage": {"lower": "14/10", "upper": "15/10", "attained": False},
        "epsilon": "0.346574",
        "scope": {"worlds": 8, "priors": "all", "notes": ["two were merged"]},
        "certificate": {"rule": "inequality", "accepted": True, "path": None},
    }
    found = page(finding(json=told))
    facts = next(text for text in found.texts["p"] if "asked for" in text).strip().split("\n")
    assert facts[:5] == [
        "asked for: e^ε = 2 (ε = 0.693147), δ = 1/10",
        "smallest: e^ε between 14/10 and 15/10 (ε = 0.346574), approached but not attained",
        "compared: 8 worlds, priors: all",
        "remarks: two were merged",
        "certificate: inequality, accepted by the checker",
    ]
    assert "ε = 0.346574" in found.texts["span"]
    found = page(finding(json={**told, "definition": "zcdp"}))
    facts = next(text for text in found.texts["p"] if "asked for" in text)
    assert "asked for: e^ρ = 2 (ρ = 0.693147)" in facts
    assert "smallest: e^ρ between" in facts and "ε" not in facts
    assert "ρ = 0.346574" in found.texts["span"]


def test_a_change_stands_side_by_side() -> None:
    before = {"verdict": "holds", "leakage": {"exp_epsilon": "2"}, "epsilon": "0.693147"}
    after = {"verdict": "holds", "leakage": {"infinite": True}, "epsilon": None}
    told = {"before": before, "after": after}
    one = finding(status="leaks more", severity="error", json=told)
    new = finding(status="promises more", json={"before": None, "after": after})
    found = page(one, new, kind="diff")
    assert found.texts["td"] == [
        "holds", "holds", "e^ε = 2 (ε = 0.693147)", "infinite", "–", "holds", "–", "infinite",
    ]  # fmt: skip
    changed = [keys.get("class") for tag, keys in found.elements if tag == "tr"]
    assert changed == [None, None, "changed", None, "changed", "changed"]
    assert "Stopped" in found.texts["p"]
    assert "ε = 0.693147 → ∞" in found.texts["span"]


def test_an_unchanged_repository() -> None:
    """All that did not change is not listed, but counted."""
    meta = {"before": "main", "after": "the working tree"}
    found = Page(FORMATS["html"].render(Document("diff", (), {"same": 7}, meta)))
    assert [text for text in found.texts["p"] if text.strip()][:2] == [
        "Nothing leaks more",
        "before: main · after: the working tree · 7 same",
    ]
    assert "No check was compared." in page(kind="diff").texts["p"]


def test_a_certificate() -> None:
    told = {"status": "accepted", "claim": "e^ε 3 is enough", "taken": ["matrix", "worlds"]}
    lines = ("e^ε 3 is enough", "taken from the engine: the matrix")
    one = finding(rule=CERTIFICATE, json=told, details=lines, label="a.json", file="a.json")
    found = page(replace(one, line=None, column=None), kind="certify")
    assert found.texts["pre"] == ["e^ε 3 is enough\ntaken from the engine: the matrix\n"]
    assert found.texts["bdi"] == [".", "a.json"], "after its folder; it is not told twice"
    assert "Accepted" in found.texts["p"]


def test_long_numbers_are_shortened() -> None:
    text = FORMATS["html"].render(document(finding(json={"leakage": {"value": "7" * 50_000}})))
    assert "(50000 characters in all)" in text and "7" * 1000 not in text


def test_the_same_report_is_the_same_page() -> None:
    found = document(finding(), failed())
    assert FORMATS["html"].render(found) == FORMATS["html"].render(found)


# Colours


STYLE = (resources.files("verifier.report") / "page" / "page.css").read_text("utf-8")


def palettes() -> dict[str, dict[str, str]]:
    """The colours by name: light, dark and printed."""
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    return dict(zip(("light", "dark", "print"), found, strict=True))


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_texts_have_contrast(scheme: str) -> None:
    """WCAG 2.2, AA: 4.5 for texts, 3 for what is drawn."""
    colours = palettes()[scheme]
    for text in ("text", "muted", "link", "error", "warning", "note", "none"):
        for ground in ("bg", "panel"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for drawn in ("first", "second", "neither", "muted"):
        assert contrast(colours[drawn], colours["panel"]) >= 3, drawn
    for shade in range(10):
        text = colours["t-low"] if shade < 7 else colours["t-high"]
        assert contrast(text, colours[f"h{shade}"]) >= 4.5, shade


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_shades_differ_in_lightness(scheme: str) -> None:
    """So that one who sees no colours reads the heat map too; and marks differ from all shades."""
    colours = palettes()[scheme]
    shades = [luminance(colours[f"h{k}"]) for k in range(10)]
    assert shades == sorted(shades, reverse=scheme != "dark")
    steps = [contrast(colours[f"h{k}"], colours[f"h{k + 1}"]) for k in range(9)]
    assert min(steps) > 1.07


def test_print_is_light() -> None:
    found = palettes()
    assert found["print"] == found["light"]


# The command


BIT = """\
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 2}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A file with one check that fails."""
    path = tmp_path / "spec.yaml"
    path.write_text(BIT, encoding="utf-8")
    return path


def test_check_writes_a_page_with_figures(spec: Path, capsys: Capture) -> None:
    target = spec.parent / "out.html"
    assert cli.main(["check", str(spec), "--format", "json", "--report", f"html={target}"]) == 1
    assert "figures" not in capsys.readouterr().out
    found = Page(target.read_text(encoding="utf-8"))
    ((title, figures),) = found.data[0]
    assert title == ""
    assert figures["matrix"]["marked"] == [[0], [0, 1]]
    assert [points[0] for points in figures["curve"]["points"]] == ["1", "3"]


def test_the_head_names_the_revision_the_date_and_the_settings(
    spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build's page says what it is about: the revision, changed or not, and who has set what."""

    names = ("began", "revision", "settings", "version")

    def head(*files: str) -> list[str]:
        cli.main(["check", str(spec), *files, "-q", "--report", f"html={target}"])
        found = Page(target.read_text(encoding="utf-8")).texts["span"]
        return [text for text in found if text.partition(":")[0] in names]

    target = spec.parent / "out.html"
    monkeypatch.chdir(spec.parent)
    monkeypatch.delenv("VERIFIER_CACHE", raising=False)
    Path("verifier.toml").write_text("time-limit = 60\n", encoding="utf-8")
    began, settings, version = head()
    assert re.fullmatch(r"began: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", began)
    assert settings == f"settings: paths {spec} by FILE; time-limit 60 by verifier.toml:1:1"
    assert version == f"version: {VERSION}"
    for name in "abc":  # more names than a line has room for
        Path(f"{name}.yaml").write_bytes(spec.read_bytes())
    assert head("a.yaml", "b.yaml", "c.yaml")[1].startswith("settings: paths of 4 names by FILE; ")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", spec.name], ["commit", "-qm", "one"]):
        subprocess.run([*git, *command], check=True)
    revision = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert head()[1] == f"revision: {revision}"
    spec.write_text(f"{BIT}\n", encoding="utf-8")
    assert head()[1] == f"revision: {revision}, with changes"


def test_other_formats_ask_for_no_figures(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    from verifier.cli.running import Run

    all_of = Run.all
    monkeypatch.setattr(
        Run, "all", lambda self, names, **job: (asked.append(job), all_of(self, names, **job))[1]
    )
    assert cli.main(["check", str(spec), "--format", "json"]) == 1
    assert [job["figures"] for job in asked] == [False]


def test_a_missing_library_is_named_before_anything_is_decided(
    spec: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.report.formats.find_spec", lambda name: None)
    assert cli.main(["check", str(spec), "--format", "html"]) == 4
    told = capsys.readouterr()
    assert told.out == ""
    assert "needs jinja2; it is installed with: pip install 'privacy-verifier[html]'" in told.err
    assert cli.main(["check", str(spec), "--report", f"html={spec}.html"]) == 4
    assert not Path(f"{spec}.html").exists()


def test_the_parts_of_the_page_are_installed() -> None:
    folder = resources.files("verifier.report") / "page"
    assert {part.name for part in folder.iterdir()} == {"page.css", "page.html", "page.js"}
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"report/page/*"' in project

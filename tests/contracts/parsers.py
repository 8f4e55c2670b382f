"""Readers of reports, written after the rules of each format and not after its writer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
from lxml import etree
from markdown_it import MarkdownIt

SCHEMAS = Path(__file__).parents[1] / "report" / "schemas"


@dataclass(frozen=True)
class Told:
    """What a report tells of one finding: all of its texts, and where it is."""

    text: str
    file: str | None = None
    line: int | None = None
    kind: str = ""


def of_text(report: str) -> list[Told]:
    """Two spaces and a mark begin a result; others start at the margin, or are notes."""
    found: list[Told] = []
    for line in report.removesuffix("\n").split("\n"):
        assert line.isprintable(), line
        if line.startswith("      ") and found:
            found[-1] = Told(f"{found[-1].text}\n{line[6:]}", kind=found[-1].kind)
        elif begun := re.match(r"  ([^ ].*)", line):
            found.append(Told(begun[1], kind=begun[1].split("  ")[0].lower()))
        else:
            found.append(Told(line))
    return found


def of_json(report: str) -> list[Told]:
    whole = json.loads(report)
    lists = ("results", "errors", "notes")
    found = [_of_object(one) for key in lists for one in whole.get(key, ())]
    return [*found, *(Told(one) for one in whole.get("stopped", ()))]


def of_jsonl(report: str) -> list[Told]:
    lines = [json.loads(line) for line in report.removesuffix("\n").split("\n")]
    assert [one["kind"] for one in lines].index("summary") == len(lines) - 1
    return [_of_object(one) for one in lines[:-1]]


def _of_object(one: dict[str, Any]) -> Told:
    texts = [str(one.get(key)) for key in ("label", "subject", "message", "reason", "code")]
    return Told("\n".join(texts), one.get("file"), one.get("line"), one.get("status") or "")


def of_github(report: str) -> list[Told]:
    """As the runner takes a line apart: `::NAME KEY=VALUE,…::DATA`."""
    found = []
    for line in report.removesuffix("\n").split("\n"):
        assert line.isprintable(), line
        if not line.startswith("::"):
            continue
        command, data = line[2:].split("::", 1)
        name, _, properties = command.partition(" ")
        given = dict(part.split("=", 1) for part in properties.split(",") if part)
        known = {key: _plain(value, "%0D %0A %3A %2C %25") for key, value in given.items()}
        text = f"{known['title']}\n{_plain(data, '%0D %0A %25')}"
        number = int(known["line"]) if "line" in known else None
        found.append(Told(text, known.get("file"), number, name))
    return found


def _plain(text: str, codes: str) -> str:
    """The text without its escapes, `%25` last."""
    for code in codes.split():
        text = text.replace(code, chr(int(code[1:], 16)))
    return text


@cache
def sarif_schema() -> jsonschema.Draft4Validator:
    text = (SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
    return jsonschema.Draft4Validator(json.loads(text))


def of_sarif(report: str) -> list[Told]:
    log = json.loads(report)
    sarif_schema().validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    found = []
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["partialFingerprints"]
        path, line = None, None
        for place in one.get("locations", ()):
            where = place["physicalLocation"]
            path = unquote(where["artifactLocation"]["uri"], errors="surrogateescape")
            line = where.get("region", {}).get("startLine")
        found.append(Told(one["message"]["text"], path, line, one["level"]))
    return found


@cache
def schema(name: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(SCHEMAS / name))


def of_junit(report: str) -> list[Told]:
    root = etree.fromstring(report.encode("utf-8"))
    for name in ("junit-10.xsd", "JUnit.xsd"):
        schema(name).assertValid(root)
    found = []
    for suite in root.iter("testsuite"):
        cases = list(suite.iter("testcase"))
        inside = [[child.tag for child in case] for case in cases]
        assert int(suite.get("tests")) == len(cases)
        assert int(suite.get("failures")) == sum("failure" in tags for tags in inside)
        assert int(suite.get("errors")) == sum("error" in tags for tags in inside)
        for case in cases:
            child = next(iter(case), None)
            said = "" if child is None else f"{child.get('message')}\n{child.text}"
            number = re.match(r".*?:(\d+):\d+\n", child.text) if said else None
            line = int(number[1]) if number else None
            kind = "" if child is None else child.tag
            found.append(Told(f"{case.get('name')}\n{said}", case.get("classname"), line, kind))
        if notes := suite.findtext("system-out"):
            found += [Told(note, suite.get("name"), None, "note") for note in notes.split("\n")]
    return found


def of_gitlab(report: str) -> list[Told]:
    issues = json.loads(report)
    prints = [one["fingerprint"] for one in issues]
    assert len(set(prints)) == len(prints)
    for one in issues:
        assert set(one) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not one["location"]["path"].startswith("./")
    return [
        Told(
            one["description"],
            one["location"]["path"],
            one["location"]["lines"]["begin"],
            one["severity"],
        )
        for one in issues
    ]


def of_markdown(report: str) -> list[Told]:
    """Items of one list, of code spans; nothing else may come of a name."""
    assert len(report.splitlines()) <= 20
    found: list[Told] = []
    inside = False
    for token in MarkdownIt("commonmark").enable("table").parse(report):
        assert token.type not in ("html_block", "table_open", "blockquote_open"), token
        if token.type == "list_item_open":
            inside = True
            found.append(Told(""))
        elif token.type == "bullet_list_close":
            inside = False
        elif inside and token.type == "inline":
            mark, *spans = [one.content for one in token.children or () if one.content.strip()]
            kinds = {one.type for one in token.children or ()}
            assert kinds <= {"text", "code_inline", "strong_open", "strong_close"}, kinds
            found[-1] = Told("\n".join(spans), kind=mark.lower())
    return found


_NAMED = {"backslash": "\\", "asciitilde": "~", "asciicircum": "^"}
_MATHEMATICS = {"varepsilon": "ε", "delta": "δ", "bot": "⊥", "infty": "∞"}
_MATHEMATICS |= {"approx": "≈", "le": "≤", "ge": "≥"}
_OF_LATEX = {  # how a sign of text is written: itself
    **{rf"\{sign}": sign for sign in "{}$&#_%"},
    **{f"{{{sign}}}": sign for sign in "[*"},
    **{f"${sign}$": sign for sign in "<>"},
    **{rf"\text{name}{{}}": sign for name, sign in _NAMED.items()},
    **{rf"$\{name}$": sign for name, sign in _MATHEMATICS.items()},
}


def of_latex(report: str) -> list[Told]:
    """The rows of one table between its inner rules, cells by unescaped ampersands."""
    if not report.strip():
        return []
    lines = report.removesuffix("\n").split("\n")
    assert lines[1].startswith(r"\begin{tabular}") and lines[-1] == r"\end{tabular}"
    rows = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    signs = re.compile("|".join(map(re.escape, sorted(_OF_LATEX, key=len, reverse=True))))
    found = []
    for row in rows:
        assert row.isprintable() and row.endswith(r" \\") and not row.startswith(("[", "*")), row
        cells = row[:-3].split(" & ")
        assert len(cells) == 4 and not re.search(r"(?<!\\)[&#%]", "".join(cells))
        label, said = (signs.sub(lambda one: _OF_LATEX[one[0]], cell) for cell in cells[:2])
        found.append(Told(f"{label}\n{said}", kind=said.split(":")[0]))
    return found


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.data: list[str] = []

    def handle_data(self, data: str) -> None:
        self.data.append(data)


def of_html(report: str) -> list[Told]:
    page = _Page()
    page.feed(report)
    return [Told("".join(page.data))]


PARSERS: dict[str, Callable[[str], list[Told]]] = {
    "text": of_text,
    "json": of_json,
    "jsonl": of_jsonl,
    "github": of_github,
    "sarif": of_sarif,
    "junit": of_junit,
    "gitlab": of_gitlab,
    "markdown": of_markdown,
    "latex": of_latex,
    "html": of_html,
}

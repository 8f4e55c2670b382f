"""What files say, as text, CSV, JSON or a page in HTML; and what would be checked."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from verifier.errors import InputError
from verifier.escape import escaped, escaped_json
from verifier.level import Level
from verifier.reading import Question, Reading
from verifier.report.json import error_as_json, note_as_json
from verifier.show import Shown, Table, asked

WIDTH = 40  # of a cell in text
STYLE = "body{font-family:sans-serif}td,th{border:1px solid #999;padding:2px 6px;text-align:left}"


def text(found: Iterable[Shown], errors: Sequence[InputError] = ()) -> str:
    """Tables of texts, one file after the other."""
    return "\n".join(line for one in found for line in _text(one))


def _text(shown: Shown) -> Iterator[str]:
    yield escaped(shown.file) + (f": {escaped(shown.title)}" if shown.title else "")
    for table in shown.tables:
        yield ""
        yield f"{escaped(table.name)}: {escaped(table.about)}"
        if table.columns:
            yield from (f"  {line}" for line in _aligned([table.columns, *table.rows]))
        if table.count > len(table.rows):
            yield f"  … ({table.count} rows in all)"
    if shown.notes:
        yield ""
    yield from (f"note: {escaped(str(note))}" for note in shown.notes)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    cells = [[_short(escaped(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield line.rstrip()


def _short(cell: str) -> str:
    return cell if len(cell) <= WIDTH else cell[: WIDTH - 1] + "…"


def comma_separated(found: Iterable[Shown], errors: Sequence[InputError] = ()) -> str:
    """A line for each row, with the file and the table before its cells; columns come first."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    for shown in found:
        for table in shown.tables:
            for row in (table.columns, *table.rows):
                writer.writerow(map(escaped, (shown.file, table.name, *row)))
    return target.getvalue().rstrip("\n")


def as_json(found: Iterable[Shown], errors: Sequence[InputError] = ()) -> str:
    """Everything, with what is wrong with other files."""
    files = [_json(shown) for shown in found]
    return _document({"files": files}, errors)


def _document(parts: dict[str, Any], errors: Sequence[InputError]) -> str:
    report: dict[str, Any] = {"version": 1, **parts}
    if errors:
        report["errors"] = [error_as_json(one) for error in errors for one in error.all]
    return escaped_json(json.dumps(report, indent=1, ensure_ascii=False))


def _json(shown: Shown) -> dict[str, Any]:
    return {
        "file": shown.file,
        "title": shown.title,
        "tables": [
            {
                "name": table.name,
                "about": table.about,
                "columns": list(table.columns),
                "rows": [list(row) for row in table.rows],
                "count": table.count,
            }
            for table in shown.tables
        ],
        "notes": [note_as_json(note) for note in shown.notes],
    }


def page(found: Iterable[Shown], errors: Sequence[InputError] = ()) -> str:
    """A page of its own, without scripts or links."""
    parts = [part for shown in found for part in _html(shown)]
    if not parts:
        return ""
    head = f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{STYLE}</style>'
    return "\n".join([f"{head}<title>verifier show</title></head><body>", *parts, "</body></html>"])


def _html(shown: Shown) -> Iterator[str]:
    yield f"<h1>{_safe(shown.title or shown.file)}</h1><p>{_safe(shown.file)}</p>"
    for table in shown.tables:
        yield from _html_table(table)
    if shown.notes:
        yield "<h2>notes</h2><ul>"
        yield from (f"<li>{_safe(str(note))}</li>" for note in shown.notes)
        yield "</ul>"


def _html_table(table: Table) -> Iterator[str]:
    more = f" (the first {len(table.rows)} rows)" if table.count > len(table.rows) else ""
    yield f"<h2>{_safe(table.name)}</h2><p>{_safe(table.about)}{more}</p>"
    yield "<table>"
    yield f"<tr>{''.join(f'<th>{_safe(cell)}</th>' for cell in table.columns)}</tr>"
    for row in table.rows:
        yield f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>"
    yield "</table>"


def _safe(words: str) -> str:
    return html.escape(escaped(words))


def dry_run(found: Iterable[Reading], errors: Sequence[InputError] = ()) -> str:
    """What would be checked, a line for each check, and the notes."""
    return "\n".join(line for read in found for line in _would(read))


def _would(read: Reading) -> Iterator[str]:
    yield escaped(str(read.model.path))
    for question in read.questions:
        check = question.check
        mechanism = check.mechanism_name()
        which = f" [{mechanism}]" if mechanism else ""
        title = check.name or check.definition.text
        yield escaped(f"  would check  {title}{which}: expects {question.expected}")
        yield escaped(f"      {asked(question)}")
    yield from (escaped(f"  note: {note}") for note in read.notes)


def dry_run_json(found: Iterable[Reading], errors: Sequence[InputError] = ()) -> str:
    """What would be checked."""
    read = list(found)
    checks = [_asked(str(one.model.path), q) for one in read for q in one.questions]
    notes = [note_as_json(note) for one in read for note in one.notes]
    return _document({"checks": checks, "notes": notes}, errors)


def _asked(file: str, question: Question) -> dict[str, Any]:
    check, claim = question.check, question.claim
    level = getattr(claim, "level", None)
    return {
        "file": file,
        "index": check.index,
        "name": check.name,
        "definition": check.definition.text,
        "mechanism": check.mechanism_name(),
        "expected": question.expected,
        "level": level.as_json() if isinstance(level, Level) else None,
        "scope": dict(getattr(claim, "scope", {})),
        "reason": question.reason or None,
    }

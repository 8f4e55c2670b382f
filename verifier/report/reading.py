"""What a file says, as text, CSV, JSON or part of a page; and what would be checked."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterator, Sequence
from typing import Any

from verifier.base.escape import escaped
from verifier.base.level import Level
from verifier.lab.show import Shown, Table, asked
from verifier.report.errors import note_as_json
from verifier.spec.asked import Asked
from verifier.spec.reading import Reading

WIDTH = 40  # of a cell in text


def text(shown: Shown) -> Iterator[str]:
    """The tables shown, as texts."""
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


def comma_separated(shown: Shown) -> Iterator[str]:
    """A line for each row that is shown, with the file and the table before its cells; columns come
    first."""
    for table in shown.tables:
        for row in (table.columns, *table.rows):
            target = io.StringIO()
            csv.writer(target, lineterminator="").writerow(
                map(escaped, (shown.file, table.name, *row))
            )
            yield target.getvalue()


def as_json(shown: Shown) -> dict[str, Any]:
    """Everything that is shown."""
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


def page_part(shown: Shown) -> Iterator[str]:
    """The part of a page of what is shown, without scripts or links."""
    place = f"<p>{_safe(shown.file)}</p>" if shown.title else ""
    yield f"<h1>{_safe(shown.title or shown.file)}</h1>{place}"
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


def dry_run(read: Reading) -> Iterator[str]:
    """What would be checked of a file that was read, a line for each check, and the notes."""
    yield escaped(str(read.model.path))
    for question in read.questions:
        check = question.check
        mechanism = check.mechanism_name()
        which = f" [{mechanism}]" if mechanism else ""
        title = check.name or check.definition.text
        yield escaped(f"  would check  {title}{which}: expects {question.expected}")
        yield escaped(f"      {asked(question)}")
    yield from (escaped(f"  note: {note}") for note in read.notes)


def would_check(read: Reading) -> list[dict[str, Any]]:
    """What would be checked of a file that was read."""
    return [_asked(str(read.model.path), question) for question in read.questions]


def _asked(file: str, question: Asked) -> dict[str, Any]:
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

"""A change of a check, and what is told of accepted changes, as findings of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.changes.accept import Acceptance
from verifier.changes.gate import Changed, as_json
from verifier.changes.lines import moved, side
from verifier.changes.statuses import STOPPING, UNDECIDED
from verifier.report.findings import NOTE, Finding, Json, identity

MOST_ROWS = 8  # of a post-processing, in words
STANDS = "passes (--fail-on promise): it still holds as promised, and no less is promised"


def finding(one: Changed, shown: dict[tuple[str, ...], str]) -> Finding:
    """The finding that tells of a change.

    shown  a file, and a post-processing in lines -> the check that it is told with; it grows
    """
    entry = one.entry
    rows = list(_rows(one))
    if rows:
        first = shown.setdefault((entry.file, *rows), entry.label)
        rows = rows if first == entry.label else [f"  as told of {first}"]
    message, *rest = [*(found.told for found in one.found), *_moved(one)] or [one.status]
    row, column = _place(one)
    return Finding(
        entry.file,
        row,
        column,
        entry.id or identity(entry.file, "file"),
        entry.line.definition,
        entry.label,
        one.status,
        _severity(one),
        message,
        (*rest, *one.told.get("details", ()), *rows, *_passing(one)),
        entry.line.digest or entry.id,
        _as_json(one),
        figures=one.told.get("figures", {}),
    )


def _rows(one: Changed) -> Iterator[str]:
    """What becomes of each output of the old mechanism, where these are few."""
    order = one.told.get("blackwell") or {}
    rows: dict[str, dict[str, str]] = order.get("processing") or {}
    if order.get("harmless") and len(rows) <= MOST_ROWS:
        for output, row in rows.items():
            parts = ", ".join(f"{new}: {p}" for new, p in row.items() if p != "0")
            yield f"  {output} becomes {{{parts}}}"


def _place(one: Changed) -> tuple[int | None, int | None]:
    """Line and column of the check as it is now; None of one that is gone."""
    return (one.after and one.after.place) or (None, None)


def _as_json(one: Changed) -> Json:
    """A change as an object of the report in JSON."""
    entry, line = one.entry, one.entry.line
    (row, column), (before, after) = _place(one), one.sides
    return {
        "file": entry.file,
        "line": row,
        "column": column,
        "index": entry.index,
        "id": entry.id,
        "name": line.name,
        "label": entry.label,
        "definition": line.definition,
        "mechanism": line.mechanism,
        "status": one.status,
        "accepted": one.accepted is not None,
        "passes": one.passes,
        "statements": one.told.get("statements") or [as_json(found) for found in one.found],
        "before": one.told.get("before"),
        "after": one.told.get("after"),
        "comparison": {
            "from": side(before),
            "to": side(after),
            "same_question": bool(before and after and before.digest == after.digest),
            "same_promise": bool(before and after and before.promise == after.promise),
        },
        "blackwell": one.told.get("blackwell"),
    }


def _severity(one: Changed) -> str:
    if one.stops:
        return "error"
    if one.accepted is None and (one.stands or one.status == UNDECIDED):
        return "warning"
    return "note" if one.accepted else "none"


def _moved(one: Changed) -> Iterator[str]:
    """Where a check stood, and what it was called, as each side names its files."""
    before, after = (
        entry and replace(entry.line, file=entry.file) for entry in (one.before, one.after)
    )
    return moved(before, after) if before and after else iter(())


def _passing(one: Changed) -> Iterator[str]:
    """Why it may pass, or how it is named where it is to be accepted."""
    if one.accepted:
        yield f"accepted until {one.accepted.expires}: {one.accepted.reason}"
    elif one.stands:
        yield STANDS
    elif one.status in (*STOPPING, UNDECIDED):
        before, after = map(side, one.sides)
        yield f"to accept it: from: {before}, to: {after}"


def idle(entry: Acceptance, why: str) -> Finding:
    """The note on an entry of the list of accepted changes that accepts nothing."""
    message = f"{entry.check}: {entry.status}: {why}"
    file, line, column = entry.place
    key = identity(file, "N201", message)
    told = {"file": file, "line": line, "column": column, "code": "N201", "message": message}
    return Finding(file, line, column, key, "N201", "N201", NOTE, "note", message, (), key, told)

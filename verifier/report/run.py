"""The report of a run, put together from what workers tell of results; needs no engine.

An item is what is told of one check: `status` ("ok", "failed", "undecided", "internal" or "not
run"), `vacuous`, `index`, `title`, the `lines` or the `json` of its report, and `notes`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from verifier.base.escape import escaped, escaped_json

Item = dict[str, Any]
MARKS = {
    "ok": "ok",
    "failed": "FAILED",
    "undecided": "undecided",
    "internal": "INTERNAL ERROR",
    "not run": "not run",
}
COLOURS = {"ok": "32", "failed": "31", "undecided": "33", "internal": "31", "not run": "33"}


def shown(item: Item, told: set[str], colour: bool = False) -> Iterator[str]:
    """The lines of an item, safe to print and in colour or not, with notes that were not told
    yet."""
    mark = MARKS[item["status"]]
    if colour:
        mark = f"\033[{COLOURS[item['status']]}m{mark}\033[0m"
    first, *rest = map(escaped, item["lines"])
    yield f"  {mark}  {first}"
    yield from rest
    for note in item["notes"]:
        if note not in told:
            told.add(note)
            yield f"      note: {escaped(note)}"


def undone(item: Item, status: str, reason: str) -> Item:
    """The item of a check that the run did not come to, with its new status and the reason."""
    verdict = "not run" if status == "not run" else "undecided"
    said = [item["title"] if status == "not run" else f"{item['title']}: undecided"]
    return {
        **item,
        "status": status,
        "verdict": verdict,
        "lines": [*said, f"      {reason}"],
        "json": {**item["json"], "verdict": verdict, "reason": reason},
    }


def summary(items: Sequence[Item], notes: int = 0) -> str:
    """How many items ended how, how many compared nothing, and how many notes there are."""
    counts = [(MARKS[s].lower(), sum(item["status"] == s for item in items)) for s in MARKS]
    counts.append(("vacuous: nothing was compared", sum(item["vacuous"] for item in items)))
    counts.append(("note" if notes == 1 else "notes", notes))
    return ", ".join(f"{count} {word}" for word, count in counts if count)


def as_json(
    items: Sequence[Item],
    errors: Sequence[Item],
    stopped: Sequence[str],
    notes: Sequence[Item] = (),
) -> str:
    """The whole report of items, errors and notes, version 1; `stopped` says which files were not
    read to their end."""

    def count(*statuses: str) -> int:
        return sum(item["status"] in statuses for item in items)

    report: dict[str, Any] = {
        "version": 1,
        "results": [item["json"] for item in items],
        "summary": {
            "ok": count("ok"),
            "failed": count("failed", "internal"),
            "undecided": count("undecided") + len(stopped),
        },
    }
    if not_run := count("not run"):
        report["summary"]["not_run"] = not_run
    if notes:
        report["notes"] = list(notes)
    if errors:
        report["errors"] = list(errors)
    if stopped:
        report["stopped"] = list(stopped)
    return document(report)


def document(report: Item) -> str:
    """A report as a JSON text that is safe to print."""
    return escaped_json(json.dumps(report, indent=1, ensure_ascii=False))

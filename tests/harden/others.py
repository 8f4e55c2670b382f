"""Campaigns that stand beside the tests of what they are about, put into the form of the table."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import import_module
from typing import Any

from tests.harden.claims import REGRESSIONS


def _run(module: str, *arguments: int) -> Any:
    return import_module(f"tests.{module}").campaign(*arguments)


def forgeries(count: int, seed: int) -> str:
    """Any evidence for answers that contradict one that is accepted."""
    report = _run("checker.forgeries", count, seed)
    for number, document in enumerate(report.accepted):
        folder = REGRESSIONS.with_name("forgeries")
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(document, indent=1, default=str)
        (folder / f"{seed}-{number}.json").write_text(text + "\n")
    summary = f"{report.tried} forgeries, {len(report.accepted)} accepted"
    assert not report.accepted, f"{summary}; see tests/regressions/forgeries"
    return summary


def kills(count: int, seed: int) -> str:
    """Runs that are killed, at any instant or while they write."""
    outcome = _run("kills", count, seed)
    numbers = {name: n for name, n in asdict(outcome).items() if isinstance(n, int)}
    return f"{count} kills, no certificate lost or torn; {numbers}"

"""Campaigns that stand beside the tests of what they are about, put into the form of the table."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from tests.harden.claims import REGRESSIONS

TESTS = Path(__file__).parents[1]
# in a module that draws its cases, or that looks at some of the models
DRAWS = ("from hypothesis import", "from tests.drawing import", "some_files(")


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


def draws(count: int, seed: int) -> str:
    """The drawn cases of some modules of tests, others and more of them than on each day."""
    modules = [
        path
        for path in sorted(TESTS.rglob("test_*.py"))
        if any(line in path.read_text(encoding="utf-8") for line in DRAWS)
    ]
    drawn = Random(seed).sample(modules, min(count, len(modules)))
    options = ["-n", "auto", "--dist", "worksteal", "-rfE", "--tb=short"]
    wide = ["--hypothesis-profile=thorough", f"--hypothesis-seed={seed}"]
    command = [sys.executable, "-m", "pytest", *options, *wide, *map(str, drawn)]
    done = subprocess.run(command, cwd=TESTS.parent, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    summary = f"{len(drawn)} modules of {len(modules)}: {lines[-1] if lines else done.returncode}"
    assert not done.returncode, "\n".join([done.stdout, summary, *failed])
    return summary

"""The benchmarks can be loaded: what they name is still there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import benchmarks
from benchmarks.jobs import JOBS

PACKAGE = Path(benchmarks.__file__).parent
NAMES = sorted(path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__"))


@pytest.mark.parametrize("name", NAMES)
def test_a_module_loads(name: str) -> None:
    assert import_module(f"benchmarks.{name}").__doc__


def test_the_table_of_sizes_names_jobs() -> None:
    """The last column says what measures a row again."""
    page = (PACKAGE.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    table = page[page.index("| question | size") : page.index("A larger model is not refused")]
    rows = [line.rpartition(" | ")[2] for line in table.splitlines()[2:] if line.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert len(rows) == 15 and named <= {*JOBS}, named - {*JOBS}

"""Writes the frozen reports anew: `make golden`."""

from tests.golden.reports import FOLDERS, frozen, report

for folder in FOLDERS:
    lines = "".join(f"{line}\n" for line in report(folder))
    frozen(folder).write_text(lines, encoding="utf-8")

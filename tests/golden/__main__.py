"""Writes the frozen reports anew: `make golden`."""

from tests.golden.reports import FOLDERS, frozen, report

for folder in FOLDERS:
    frozen(folder).write_text(report(folder), encoding="utf-8")

"""Writes the frozen reports anew: `make golden`."""

from tests.golden.reports import FOLDERS, frozen, report
from tests.models.model_files import files

for folder in FOLDERS:
    found = (line for file in files(folder) for line in report(f"{folder}/{file}"))
    lines = "".join(f"{line}\n" for line in found)
    frozen(folder).write_text(lines, encoding="utf-8")

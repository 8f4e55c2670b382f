"""Sides of changes, from the text of a file."""

from __future__ import annotations

from pathlib import Path

from verifier.changes import deciding
from verifier.changes.compare import Side
from verifier.changes.deciding import Checked, Decided, Found
from verifier.report.json import result_as_json
from verifier.run import verify
from verifier.run.verify import Options, Result


def decided(folder: Path, text: str) -> list[Checked]:
    """The checks of a file, decided."""
    path = folder / "spec.yaml"
    path.write_text(text, "utf-8")
    known = Decided(str(folder), path.name, Options(), result_as_json)
    return [known.of(at) for at in range(len(verify.check(path).results))]


def sides_of(folder: Path, text: str) -> list[Side]:
    """One side for each check of a file."""
    return [one.side for one in decided(folder, text)]


def side(result: Result) -> Side:
    """A side of a change, from the result of a check."""
    return deciding.side(result, result_as_json)


def compared(folder: Path, before: str, after: str) -> list[Found]:
    """What differs between the checks of two files, in their order."""
    sides = [decided(folder, text) for text in (before, after)]
    return [deciding.compared(*pair, Options(), "pair") for pair in zip(*sides, strict=True)]

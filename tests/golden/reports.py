"""The text reports of all models, one for each folder of `models/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.models.model_files import MODELS, decided, files
from verifier.report import run, text

GOLDEN = Path(__file__).parent
FOLDERS = sorted(path.name for path in MODELS.iterdir() if path.is_dir())


def frozen(folder: str) -> Path:
    """The file that holds the report of a folder."""
    return GOLDEN / f"{folder}.txt"


def report(folder: str) -> list[str]:
    """The lines that `verifier check models/FOLDER/*.yaml` prints before its summary."""
    return [line for file in files(folder) for line in _lines(f"{folder}/{file}")]


def _lines(file: str) -> Iterator[str]:
    yield f"models/{file}"
    told: set[str] = set()
    for result in decided(file):
        notes = list(result.answer.scope.get("notes", ()))
        item = {"status": result.status, "lines": list(text.lines(result)), "notes": notes}
        yield from run.shown(item, told)

"""The text reports of all models, one for each folder of `models/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.models.model_files import MODELS, decided, files
from verifier.cli.jobs import _item
from verifier.report.findings import Document, Finding, counted, of_check
from verifier.report.formats import FORMATS

GOLDEN = Path(__file__).parent
FOLDERS = sorted(path.name for path in MODELS.iterdir() if path.is_dir())


def frozen(folder: str) -> Path:
    """The file that holds the report of a folder."""
    return GOLDEN / f"{folder}.txt"


def report(folder: str) -> list[str]:
    """The lines that `verifier check models/FOLDER/*.yaml` prints before its summary.

    Where many simulators serve, which one is found depends on the machine's floats: what it answers
    is left out.
    """
    lines = (line for file in files(folder) for line in _lines(f"{folder}/{file}"))
    return [re.sub(r"^( +simulator: sees .*, answers) .*", r"\1 …", line) for line in lines]


def document(folder: str) -> Document:
    """All that is told of the models of a folder."""
    found = tuple(one for file in files(folder) for one in _findings(f"{folder}/{file}"))
    return Document("check", found, counted(found))


def _findings(file: str) -> list[Finding]:
    return [of_check(_item(result)) for result in decided(file)]


def _lines(file: str) -> Iterator[str]:
    writer = FORMATS["text"].writer()
    yield f"models/{file}"
    for number, found in enumerate(_findings(file)):
        lines = list(writer.add(found))
        yield from lines if number else lines[1:]  # the first one names the file

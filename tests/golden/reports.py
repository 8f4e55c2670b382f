"""The text reports of all models, one for each folder of `models/`; and every other format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.parsers import PARSERS
from tests.models.model_files import MODELS, decided
from verifier.cli.jobs import _item
from verifier.report.findings import Document, Finding, counted, of_check
from verifier.report.formats import FORMATS

GOLDEN = Path(__file__).parent
WHOLE = ("json", "jsonl", "junit", "html")  # which tell everything, whatever its length
FOLDERS = sorted(path.name for path in MODELS.iterdir() if path.is_dir())


def frozen(folder: str) -> Path:
    """The file that holds the report of a folder."""
    return GOLDEN / f"{folder}.txt"


def frozen_part(file: str) -> list[str]:
    """The lines of the frozen report that are about a file."""
    lines = frozen(Path(file).parent.name).read_text(encoding="utf-8").splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("models/")]
    ends = [*starts[1:], len(lines)]
    parts = {lines[at]: lines[at:end] for at, end in zip(starts, ends, strict=True)}
    return parts.get(f"models/{file}", [])


def report(file: str) -> list[str]:
    """The lines that `verifier check models/FOLDER/FILE` prints before its summary.

    Where many simulators serve, which one is found depends on the machine's floats: what it answers
    is left out.
    """
    return [re.sub(r"^( +simulator: sees .*, answers) .*", r"\1 …", one) for one in _lines(file)]


def unreadable(file: str) -> list[tuple[str, str]]:
    """The formats that cannot be read again, or do not name some check of a file."""
    found = _findings(file)
    whole, wrong = Document("check", tuple(found), counted(found)), []
    for name, form in FORMATS.items():
        try:
            told = "\n".join(one.text for one in PARSERS[name](form.render(whole)))
        except Exception as error:
            wrong.append((name, repr(error)))
            continue
        if name in WHOLE:
            wrong += [(name, one.label) for one in found if one.label not in told]
    return wrong


def _findings(file: str) -> list[Finding]:
    return [of_check(_item(result)) for result in decided(file)]


def _lines(file: str) -> Iterator[str]:
    writer = FORMATS["text"].writer()
    yield f"models/{file}"
    for number, found in enumerate(_findings(file)):
        lines = list(writer.add(found))
        yield from lines if number else lines[1:]  # the first one names the file

"""The text reports of all models, one for each folder of `models/`."""

from __future__ import annotations

import io
from contextlib import chdir, redirect_stdout
from pathlib import Path

from verifier import cli

GOLDEN = Path(__file__).parent
ROOT = GOLDEN.parents[1]
FOLDERS = sorted(path.name for path in (ROOT / "models").iterdir() if path.is_dir())


def frozen(folder: str) -> Path:
    """The file that holds the report of a folder."""
    return GOLDEN / f"{folder}.txt"


def report(folder: str) -> str:
    """What `verifier check models/FOLDER/*.yaml` prints."""
    with chdir(ROOT), redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as printed:
        files = sorted(str(path) for path in Path("models", folder).glob("*.yaml"))
        cli.main(["check", *files])
        printed.seek(0)
        return printed.read()

"""`python -m benchmarks.reuse cold|warm|none`: all models checked, with an empty cache, with that
of the run before, or without one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import gettempdir

from verifier import cli

FOLDER = Path(gettempdir()) / "verifier-benchmarks-cache"


def main(how: str) -> int:
    """Check all models quietly; the exit status of `verifier check`."""
    if how == "cold":
        shutil.rmtree(FOLDER, ignore_errors=True)
    cache = ["--no-cache"] if how == "none" else ["--cache", str(FOLDER)]
    files = sorted(map(str, Path("models").glob("*/*.yaml")))
    return cli.main(["check", "--quiet", *cache, *files])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

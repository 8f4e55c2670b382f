"""Distributions, built from a copy of the sources, and fresh environments for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.pages import ROOT

JUNK = shutil.ignore_patterns(
    *(".git", ".venv", "*_cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "dist"),
    *("site", ".verifier-cache"),
)


def copied(folder: Path) -> Path:
    """A copy of the sources, with links as they are."""
    return shutil.copytree(ROOT, folder, symlinks=True, ignore=JUNK)


def output(command: Sequence[str | Path], folder: Path, **environment: str) -> str:
    """What a command prints; AssertionError with all of it where it fails."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**settings, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def interpreter(version: str) -> Path | None:
    """The Python of a version, on the path or one of pyenv's; None where there is none."""
    if (found := shutil.which(f"python{version}")) and "shims" not in found:
        return Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return next(iter(sorted(pyenv.glob(f"versions/{version}.*/bin/python"))), None)


@dataclass(frozen=True)
class Environment:
    """A virtual environment, in a folder."""

    folder: Path

    @classmethod
    def fresh(cls, python: Path | str, folder: Path) -> Environment:
        """A new one."""
        output([python, "-m", "venv", folder], folder.parent)
        return cls(folder)

    def run(self, name: str, *arguments: str | Path, within: Path) -> str:
        """What one of its programs prints."""
        return output([self.folder / "bin" / name, *arguments], within)

    def install(self, *what: str | Path) -> None:
        """Install distributions."""
        self.run("python", "-m", "pip", "install", "--quiet", *what, within=self.folder)

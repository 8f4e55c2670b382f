"""Every kind of change, there and back, through both gates; those who say otherwise are listed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.changes.histories import HISTORIES, LOCKED, NOT, OPEN, Files, Way
from verifier import cli
from verifier.changes.locks import BETTER, FAILING
from verifier.changes.statuses import STOPPING, worst

pytestmark = pytest.mark.usefixtures("here")
Capture = pytest.CaptureFixture[str]


def ways() -> Iterator[tuple[str, Files, Files, Way]]:
    """Each history and its way back: the files before and after, and what is to be said."""
    for one in HISTORIES:
        yield f"{one.kind}: there", one.before, one.after, one.there
        yield f"{one.kind}: back", one.after, one.before, one.back


def save(folder: Path, files: Files) -> None:
    """Make these the files of a folder that may be spec files, or tables."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


def run(capsys: Capture, *arguments: str) -> tuple[int, str]:
    """The status of a command, and its words in one line."""
    capsys.readouterr()
    status = cli.main([*arguments, "--no-cache"])
    output = capsys.readouterr()
    return status, " ".join(f"{output.out} {output.err}".split())


def test_there_are_enough_kinds() -> None:
    kinds = [one.kind for one in HISTORIES]
    assert len(set(kinds)) == len(kinds) >= 90


def test_diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = []
    for kind, before, after, way in ways():
        save(tmp_path / "before", before)
        save(tmp_path / "after", after)
        status, said = run(capsys, "diff", "./before", "./after", "--report", "json=found.json")
        changes = json.loads(Path("found.json").read_text(encoding="utf-8"))["changes"]
        found = worst(one["status"] for one in changes)
        wanted = 1 if way.diff in STOPPING else 3 if way.diff == OPEN else 0
        if (status, found) != (wanted, way.diff) or way.said not in said:
            wrong.append((kind, way, status, found, said))
    assert not wrong, "\n\n".join(map(str, wrong))


def test_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    wrong, locks = [], dict[frozenset[tuple[str, str]], bytes]()
    for kind, before, after, way in ways():
        known = frozenset(before.items())
        if known not in locks:
            monkeypatch.chdir(tmp_path)
            save(tmp_path / "files", before)
            monkeypatch.chdir(tmp_path / "files")
            run(capsys, "lock")
            locks[known] = Path("verifier.lock").read_bytes()
        monkeypatch.chdir(tmp_path)
        save(tmp_path / "files", after)
        monkeypatch.chdir(tmp_path / "files")
        Path("verifier.lock").write_bytes(locks[known])
        status, said = run(capsys, "check", "--locked", ".")
        found = next((word for word in (*FAILING, BETTER) if f": {word}" in said), LOCKED)
        wanted = 1 if found in FAILING or way.diff == NOT else 3 if way.diff == OPEN else 0
        if (status, found) != (wanted, way.lock):
            wrong.append((kind, way, status, found, said))
    assert not wrong, "\n\n".join(map(str, wrong))

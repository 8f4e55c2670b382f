"""Certificates are whole, each in its own place, and the manifest knows them all."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.drawing import wider
from tests.kills import campaign
from verifier import __version__, checker, cli
from verifier.base import files
from verifier.base.errors import InputError
from verifier.checker import Verdict
from verifier.run import verify

pytestmark = pytest.mark.usefixtures("here")

SPEC = (
    "worlds: {records: [ann, bob], domain: [0, 1]}\n"
    "mechanism: {randomized_response: {truth: 3/4}}\nchecks:\n"
)
HOLDS = "  - {differential_privacy: {exp_epsilon: 3}, name: a name}\n"
FAILS = "  - differential_privacy: {exp_epsilon: 2}\n"
OPEN = "  - universally_composable: {pairs: values, priors: {constraints: ['P(00) >= 1/5']}}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def spec(path: str, *checks: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(SPEC + "".join(checks), encoding="utf-8")
    return path


def check(*arguments: str) -> int:
    return cli.main(["check", "--certificates", "made", *arguments])


def made() -> set[str]:
    return {str(path.relative_to("made")) for path in Path("made").rglob("*") if path.is_file()}


def manifest() -> Any:
    return json.loads(Path("made/manifest.json").read_text())


def test_certificates_are_where_their_specs_are(folder: Path) -> None:
    outside = spec(str(folder.parent / "spec.yaml"), HOLDS)
    inside = [spec(f"{name}/spec.yaml", HOLDS) for name in ("north", "south")]
    root = str(folder.parent.relative_to(folder.anchor))
    assert check(*inside, "../spec.yaml", spec("a/../spec.yaml", HOLDS)) == 0
    assert made() == {
        "manifest.json",
        "north/spec.yaml-1.json",
        "south/spec.yaml-1.json",
        "spec.yaml-1.json",
        f"{root}/spec.yaml-1.json",
    }
    assert check(str(folder / "north/spec.yaml"), outside) == 0, "the same places"
    assert len(made()) == 5


def test_the_same_file_twice_has_one_place() -> None:
    assert check(spec("spec.yaml", HOLDS), "./spec.yaml") == 0
    assert [one["file"] for one in manifest()["specs"]] == ["spec.yaml"]


def test_the_manifest_says_what_was_found() -> None:
    file = spec("spec.yaml", HOLDS, FAILS, OPEN)
    assert check(file, "missing.yaml") == 2
    whole = manifest()
    assert (whole["version"], whole["tool"]) == (1, f"verifier {__version__}")
    found, missing = whole["specs"]
    assert missing == {"file": "missing.yaml", "sha256": None, "checks": []}
    assert found["file"] == file
    assert found["sha256"] == hashlib.sha256(Path(file).read_bytes()).hexdigest()
    first, second, third = found["checks"]
    path = Path("made/spec.yaml-1.json")
    assert first == {
        "index": 0,
        "name": "a name",
        "definition": "differential_privacy",
        "verdict": "holds",
        "status": "ok",
        "certificate": {
            "path": str(path),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        },
    }
    assert (second["verdict"], second["status"]) == ("violated", "failed")
    assert (third["verdict"], third["certificate"]) == ("undecided", None)
    assert checker.check_file(second["certificate"]["path"]).outcome == "accepted"


def test_stale_certificates_go(monkeypatch: pytest.MonkeyPatch) -> None:
    other = spec("other/spec.yaml", HOLDS)
    assert check(spec("spec.yaml", HOLDS, HOLDS, HOLDS), other) == 0
    for name in ("spec.yaml-x.json", "spec.yaml-3.json.txt", "myspec.yaml-1.json"):
        Path("made", name).touch()
    assert check(spec("spec.yaml", HOLDS)) == 0
    left = {"spec.yaml-x.json", "spec.yaml-3.json.txt", "myspec.yaml-1.json", "manifest.json"}
    assert made() == {*left, "spec.yaml-1.json", "other/spec.yaml-1.json"}
    with monkeypatch.context() as patch:
        patch.setattr(checker, "check", lambda document: Verdict("rejected", "because"))
        assert check("spec.yaml") == 4
    assert made() == {*left, "other/spec.yaml-1.json"}, "nothing vouches for the old one"


def test_what_killed_runs_have_left_is_cleared_away() -> None:
    Path("made").mkdir()
    dead = os.fork() or os._exit(0)
    os.waitpid(dead, 0)
    Path("made", f".{dead}-7.part").touch()
    Path("made", f".{os.getpid()}-999999.part").touch()
    assert check(spec("spec.yaml", HOLDS)) == 0
    assert made() == {"manifest.json", "spec.yaml-1.json", f".{os.getpid()}-999999.part"}


def test_writing_that_fails_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Path("folder/file.json")
    files.write(target, "old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left"):
        files.write(target, "new")
    assert [path.read_text() for path in Path("folder").iterdir()] == ["old"]


def test_a_pipe_is_written_to_and_stays_one(folder: Path) -> None:
    """So is a device: `--out /dev/null` by root must not put a file in its place."""
    pipe, read = folder / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    digest = files.write(pipe, "told")
    reader.join()
    assert read == [b"told"] and digest == hashlib.sha256(b"told").hexdigest()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_that_cannot_be_written_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("made").touch()
    assert check(spec("spec.yaml", HOLDS)) == 4
    assert "S701 cannot write" in capsys.readouterr().err


def test_in_python_the_places_are_the_same() -> None:
    options = verify.Options(certificates=Path("made"))
    (result,) = verify.run(spec("north/spec.yaml", HOLDS), options)
    assert result.path == "made/north/spec.yaml-1.json"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_runs_that_are_killed_lose_nothing() -> None:
    count = wider(6, 12)
    outcome = campaign(count, seed=1)
    assert outcome.instants + outcome.steps == count

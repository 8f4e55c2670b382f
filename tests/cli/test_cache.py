"""The cache as users meet it: reports and statuses are those of a run without one."""

from __future__ import annotations

import ctypes
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.run.cache.test_store import FOREIGN, WRONG
from verifier import cli
from verifier.run import verify
from verifier.run.cache import FOLDER, store
from verifier.run.cache.store import NAME

pytestmark = pytest.mark.usefixtures("here")

ROOT = Path(__file__).parents[2]
MODELS = sorted(map(str, (ROOT / "models" / "blowfish").glob("*.yaml")))[:3]
SPEC = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 3}
  - differential_privacy: {exp_epsilon: 2}
  - differential_privacy: {exp_epsilon: 9, neighbours: all}
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC)
    return str(path)


class Ran:
    """Runs a command in this process: its status, what it printed without times, its errors."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self.capfd = capfd

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        status = cli.main(list(map(str, arguments)))
        said = self.capfd.readouterr()
        said_err = re.sub(".*: (reading|check .*)\n", "", said.err)  # what lasts is told
        return status, re.sub(r'"seconds": [0-9.e-]+', "", said.out), said_err


@pytest.fixture
def ran(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.setenv("VERIFIER_ADVICE", "false")  # which asks the engine, as long as it may
    return Ran(capfd)


def never(*arguments: object) -> NoReturn:
    raise AssertionError("the engine was asked")


@pytest.mark.parametrize(
    "more",
    [pytest.param((), marks=pytest.mark.processes), ("-q",), ("--format", "json"), ("--jobs", "1")],
)
def test_the_report_is_the_same(
    tmp_path: Path, ran: Ran, spec: str, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    cache = ("--cache", tmp_path / "cache")
    without = ran("check", "--no-cache", *more, *MODELS, spec)
    assert ran("check", *cache, *more, *MODELS, spec) == without
    monkeypatch.setattr(verify, "decide", never)  # workers are forked from this process
    assert ran("check", *cache, *more, *MODELS, spec) == without
    assert without[0] == 1 and not without[2]
    assert ran("check", "--no-cache", spec)[0] == 4


def test_certificates_are_the_same(
    tmp_path: Path, ran: Ran, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    monkeypatch.chdir(tmp_path)
    for more in (("--no-cache",), ("--cache", "c"), ("--cache", "c")):
        ran("check", *more, "--certificates", "proofs", "spec.yaml")
        found.append({path.name: path.read_bytes() for path in Path("proofs").iterdir()})
    assert found[0] == found[1] == found[2] and len(found[0]) == 4


@pytest.mark.parametrize(
    ("spoil", "jobs"),
    [
        *((spoil, "1") for spoil in (*WRONG, *FOREIGN)),
        *(pytest.param(one[0], "2", marks=pytest.mark.processes) for one in (WRONG, FOREIGN)),
    ],
)
def test_a_cache_that_cannot_be_used(
    tmp_path: Path, ran: Ran, spec: str, spoil: Callable[[Path], None], jobs: str
) -> None:
    folder = tmp_path / "cache"
    check = ("check", "--jobs", jobs, spec, MODELS[0])
    without = ran(*check, "--no-cache")
    ran(*check, "--cache", folder)
    spoil(folder)
    status, said, complained = ran(*check, "--cache", folder)
    assert (status, said) == without[:2]
    assert complained.count("\n") == 1 and "no answer depends on it" in complained


def contents(folder: Path) -> list[Any]:
    with closing(sqlite3.connect(folder / NAME)) as file:
        return file.execute("SELECT question, content FROM certificates").fetchall()


def test_exchanged_entries(tmp_path: Path, ran: Ran, spec: str) -> None:
    without = ran("check", "--no-cache", spec, *MODELS)
    ran("check", "--cache", tmp_path, spec, *MODELS)
    kept = contents(tmp_path)
    with closing(sqlite3.connect(tmp_path / NAME)) as file, file:
        for (question, _), (_, content) in zip(kept, [*kept[1:], kept[0]], strict=True):
            file.execute("UPDATE certificates SET content=? WHERE question=?", (content, question))
    assert ran("check", "--cache", tmp_path, spec, *MODELS) == without
    assert contents(tmp_path) == kept  # and mended


def sleep(*arguments: object) -> None:
    ctypes.PyDLL(None).sleep(600)


def exhaust(*arguments: object) -> None:
    held = [bytearray(2**24)]
    while True:
        held.append(bytearray(2**24))


@pytest.mark.parametrize(
    ("spoilt", "limit"), [(sleep, ("--time-limit", "1")), (exhaust, ("--memory-limit", "1G"))]
)
@pytest.mark.processes
@pytest.mark.usefixtures("resting")
def test_an_entry_that_takes_all_time_or_memory(
    tmp_path: Path,
    ran: Ran,
    spec: str,
    monkeypatch: pytest.MonkeyPatch,
    spoilt: Callable[..., None],
    limit: tuple[str, str],
) -> None:
    without = ran("check", "--no-cache", spec)
    ran("check", "--cache", tmp_path, spec)
    monkeypatch.setattr(verify, "read_proof", spoilt)
    assert ran("check", "--cache", tmp_path, *limit, spec) == without


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command as users run it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    del environment["VERIFIER_CACHE"]
    command = [sys.executable, "-m", "verifier", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def test_two_runs_at_once(tmp_path: Path) -> None:
    runs = [start(tmp_path, "check", *MODELS) for _ in range(3)]
    said, complained = zip(*(run.communicate() for run in runs), strict=True)
    assert said[0] == said[1] == said[2] and "no answer depends" not in "".join(complained)
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert (tmp_path / FOLDER / NAME).is_file()


def test_the_folder_is_that_of_the_environment(
    tmp_path: Path, ran: Ran, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran("check", spec)  # VERIFIER_CACHE is empty in all tests
    assert os.listdir(tmp_path) == ["spec.yaml"]
    status, _, said = ran("cache")
    assert status == 2 and "--cache DIR" in said
    monkeypatch.setenv("VERIFIER_CACHE", "here")
    ran("check", spec)
    assert (tmp_path / "here" / NAME).is_file()
    assert ran("cache") == ran("cache", "--cache", "here")


def test_what_is_kept_is_told_and_removed(
    tmp_path: Path, ran: Ran, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VERIFIER_CACHE", "kept")
    assert ran("cache") == (0, "kept: no answers are kept\n", "")
    assert ran("cache", "--prune")[0] == 0 and ran("cache", "--clear")[0] == 0
    assert not Path("kept").exists()
    with monkeypatch.context() as patched:
        patched.setattr(store, "version", lambda: "an older one")
        ran("check", MODELS[0])
        before = int(ran("cache")[1].split()[1])
    ran("check", spec)
    size = os.path.getsize(Path("kept") / NAME)
    status, said, _ = ran("cache")
    first, second = said.splitlines()
    assert status == 0 and first.startswith(f"kept: {before + 3} answers, ")
    assert str(size) in first or "K" in first
    assert second == f"kept: {before} of them were found by another version (--prune)"
    assert ran("cache", "--prune")[1].splitlines()[0] == f"kept: {before} removed"
    assert ran("cache")[1].startswith("kept: 3 answers, ")
    assert os.path.getsize(Path("kept") / NAME) <= size
    assert ran("cache", "--clear") == (0, "kept: removed\n", "")
    assert not Path("kept").exists()


def test_what_was_long_not_asked_for_goes(
    tmp_path: Path, ran: Ran, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = store.today()
    with monkeypatch.context() as patched:
        patched.setattr(store, "today", lambda: day - 31)
        ran("check", "--cache", tmp_path, spec)
    with monkeypatch.context() as patched:
        patched.setattr(store, "today", lambda: day - 30)
        Path(spec).write_text(SPEC.rpartition("  - ")[0])
        ran("check", "--cache", tmp_path, spec)  # asks for two of the three again
    assert ran("cache", "--cache", tmp_path, "--prune")[1].splitlines()[0].endswith(" 1 removed")
    assert len(contents(tmp_path)) == 2


def test_clearing_leaves_what_is_not_ours(tmp_path: Path, ran: Ran, spec: str) -> None:
    (tmp_path / ".gitignore").write_text("/build\n")
    ran("check", "--cache", tmp_path, spec)
    ran("cache", "--cache", tmp_path, "--clear")
    assert sorted(os.listdir(tmp_path)) == [".gitignore", "spec.yaml"]


@pytest.mark.parametrize("spoil", [*WRONG, *FOREIGN])
@pytest.mark.parametrize("what", [(), ("--prune",)])
def test_a_file_that_is_none_of_ours(
    tmp_path: Path, ran: Ran, spec: str, spoil: Callable[[Path], None], what: tuple[str, ...]
) -> None:
    folder = tmp_path / "cache"
    ran("check", "--cache", folder, spec)
    spoil(folder)
    status, said, complained = ran("cache", "--cache", folder, *what)
    if status:
        assert status == 2 and not said and "Traceback" not in complained
        assert complained.startswith(f"{folder}: ")
    else:  # a file where the folder should be holds no answers
        assert said.endswith("no answers are kept\n")


def test_the_lock_is_the_same(
    tmp_path: Path, ran: Ran, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(spec).write_text(SPEC.replace("exp_epsilon: 2", "exp_epsilon: 4"))
    found = []
    for more in (("--no-cache",), ("--cache", "c"), ("--cache", "c")):
        Path("verifier.lock").unlink(missing_ok=True)
        found.append((*ran("lock", *more, "spec.yaml"), Path("verifier.lock").read_text()))
        monkeypatch.setattr(verify, "decide", verify.decide if len(found) < 2 else never)
    assert found[0] == found[1] == found[2] and found[0][0] == 0
    assert len(contents(tmp_path / "c")) == 3

"""Files that have not changed: the same is told again, and only what this user's runs have told."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.cli.test_cache import Ran, ran  # noqa: F401
from verifier.run import verify
from verifier.run.cache import store, unchanged
from verifier.run.cache.store import NAME

SPEC = """
worlds: {records: [ann], domain: [0, 1]}
parameters: {p: [3/4, 4/5]}
mechanisms:
  response: {randomized_response: {truth: p}}
  table: {csv: table.csv}
checks:
  - differential_privacy: {exp_epsilon: 3}
    mechanism: response
    expect: violated
    where: p > 3/4
  - differential_privacy: {exp_epsilon: 4}
    mechanism: response
  - differential_privacy: {exp_epsilon: 2}
    mechanism: table
"""
TABLE = "world,yes,no\n0,1/3,2/3\n1,2/3,1/3\n"
CHECK = ("check", "--cache", "kept", "spec.yaml")
pytestmark = pytest.mark.usefixtures("here")


def never(*arguments: object) -> NoReturn:
    raise AssertionError("the file was read")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file to check; a folder for the secret."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CI", raising=False)
    Path("spec.yaml").write_text(SPEC)
    Path("table.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def known(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:  # noqa: F811
    """Runs a command once its answers are kept; a file that is read is then an error."""
    first = ran(*CHECK)
    assert first[0] == 0, first
    monkeypatch.setattr(verify, "read_whole", never)
    assert ran(*CHECK) == first
    return ran


def reads(run: Callable[..., tuple[int, str, str]], *arguments: object) -> bool:
    """Whether a command reads its file."""
    status, _, complained = run(*arguments)
    assert (status == 4) == ("the file was read" in complained)
    return status == 4


@pytest.mark.parametrize("more", [(), ("-q",), ("--format", "json"), ("--verbose",)])
def test_the_same_is_told_without_reading(
    ran: Ran,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
) -> None:
    without = ran("check", "--no-cache", "spec.yaml", *more)
    assert ran(*CHECK, *more) == without and without[0] == 0
    monkeypatch.setattr(verify, "read_whole", never)
    assert ran(*CHECK, *more) == without


def test_time_is_not_told_again(ran: Ran) -> None:  # noqa: F811
    for _ in range(2):
        Path("report.json").unlink(missing_ok=True)
        ran(*CHECK, "--report", "json=report.json")
    told = json.loads(Path("report.json").read_text())["results"]
    assert {one["seconds"] for one in told} == {0.0} and len(told) == 5


@pytest.mark.parametrize(
    "more",
    [
        ("--allow-vacuous",),
        ("--set", "p=3/4"),
        ("--certificates", "proofs"),
        ("--allow-python",),
        ("--cache", "another"),
        ("--no-cache",),
        ("--dry-run",),
    ],
)
def test_other_options_read(known: Any, more: tuple[str, ...]) -> None:
    kept = () if {"--cache", "--no-cache"} & {*more} else ("--cache", "kept")
    assert known is not None
    assert reads(known, "check", "spec.yaml", *kept, *more) or more == ("--dry-run",)


def test_a_changed_file_is_read(known: Any) -> None:
    Path("spec.yaml").write_text(SPEC + " ")
    assert reads(known, *CHECK)
    Path("spec.yaml").write_text(SPEC)
    assert not reads(known, *CHECK)


@pytest.mark.parametrize("change", [lambda path: path.write_text(TABLE + "\n"), Path.unlink])
def test_so_is_one_whose_table_has_changed(known: Any, change: Callable[[Path], None]) -> None:
    change(Path("table.csv"))
    assert reads(known, *CHECK)
    Path("table.csv").write_text(TABLE)
    assert not reads(known, *CHECK)


def test_another_path_reads(known: Any) -> None:
    Path("other.yaml").write_text(SPEC)
    assert reads(known, "check", "--cache", "kept", "other.yaml")


@pytest.mark.parametrize(
    ("name", "value"), [("version", lambda: "another"), ("today", lambda: None)]
)
def test_another_version_reads(
    known: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: Callable[[], Any]
) -> None:
    monkeypatch.setattr(store, name, value)
    assert reads(known, *CHECK) == (name == "version")


def test_a_build_reads(known: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert reads(known, *CHECK)


def test_a_build_keeps_nothing(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("CI", "true")
    ran(*CHECK)
    assert not entries() and not Path("state").exists()


def entries() -> dict[str, bytes]:
    """What is kept of files, by its key."""
    with closing(sqlite3.connect(Path("kept", NAME))) as file:
        found = file.execute("SELECT question, content FROM certificates").fetchall()
    return {key: content for key, content in found if key.startswith(unchanged.MARK)}


def put(key: str, content: Any) -> None:
    packed = zlib.compress(json.dumps(content).encode())
    with closing(sqlite3.connect(Path("kept", NAME))) as file, file:
        file.execute("UPDATE certificates SET content=? WHERE question=?", (packed, key))


def unpacked(content: bytes) -> Any:
    return json.loads(zlib.decompress(content))


FORGED = {
    "a verdict": lambda kept: {**kept, "said": kept["said"].replace("violated", "holds")},
    "no code": lambda kept: {"said": kept["said"]},
    "a code that is none": lambda kept: {**kept, "code": ["a"]},
    "an empty code": lambda kept: {**kept, "code": ""},
    "no items": lambda kept: {**kept, "said": '{"items": [], "files": {}}'},
    "no text": lambda kept: {**kept, "said": None},
    "a list": lambda kept: [kept],
    "nothing": lambda kept: None,
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_was_written_by_others_does_not_count(known: Any, forged: str) -> None:
    for key, content in entries().items():
        put(key, FORGED[forged](unpacked(content)))
    assert reads(known, *CHECK)


def test_nor_does_what_was_told_of_another_file(known: Any) -> None:
    kept = entries()
    assert len(kept) == 2  # one for each value of p
    for key, content in zip(kept, reversed(kept.values()), strict=True):
        put(key, unpacked(content))
    assert reads(known, *CHECK)


def secret() -> Path:
    return Path("state", "verifier", "secret")


def test_nor_what_another_user_has_told(known: Any) -> None:
    secret().write_bytes(bytes(unchanged.LENGTH))
    assert reads(known, *CHECK)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda: secret().chmod(0o640),
        lambda: secret().write_bytes(b""),
        lambda: secret().write_bytes(secret().read_bytes() + b"a"),
        lambda: (secret().unlink(), secret().mkdir()),
        lambda: (secret().unlink(), os.mkfifo(secret())),
    ],
)
def test_a_secret_that_is_none(known: Any, spoil: Callable[[], object]) -> None:
    spoil()
    assert reads(known, *CHECK)


def test_the_secret_is_private(known: Any) -> None:
    assert known is not None
    assert secret().stat().st_mode & 0o777 == 0o600
    assert len(secret().read_bytes()) == unchanged.LENGTH


def test_without_a_folder_for_it_files_are_read(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    ran(*CHECK)
    monkeypatch.setattr(verify, "read_whole", never)
    assert reads(ran, *CHECK) and not entries()


def test_what_is_undecided_is_asked_again(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    def over(*arguments: object) -> NoReturn:
        raise verify.NotDecided("not today")

    with monkeypatch.context() as patched:
        patched.setattr(verify, "decide", over)
        assert ran(*CHECK)[0] == 3
    assert not Path("kept").exists()
    assert ran(*CHECK)[0] == 0


def test_a_file_that_no_question_names_is_not_known_of(
    ran: Ran,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = verify.read_whole

    def more(*arguments: Any) -> Any:
        Path("aside.txt").write_text("")
        unchanged.open_regular("aside.txt").close()
        return read(*arguments)

    monkeypatch.setattr(verify, "read_whole", more)
    assert ran(*CHECK)[0] == 0 and not entries()


def test_a_file_that_is_written_to_meanwhile(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    read = verify.read_whole

    def changed(*arguments: Any) -> Any:
        Path("spec.yaml").write_text(SPEC + "# later\n")
        return read(*arguments)

    monkeypatch.setattr(verify, "read_whole", changed)
    assert ran("check", "--cache", "kept", "--set", "p=3/4", "spec.yaml")[0] == 0
    assert not entries()

"""The store: what is put is got, and whatever is wrong with its file is no error of the run."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.run.cache import store
from verifier.run.cache.store import LARGEST, NAME, TABLE, Store

PART = {"answer": {"verdict": "holds", "leakage": "3/4"}, "evidence": {"witness": ["⊥", 1, None]}}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


class Told(list[str]):
    """What is told of a store, made for this."""

    def store(self, folder: Path) -> Store:
        return Store(folder, self.append)


@pytest.fixture
def told() -> Told:
    return Told()


def rows(folder: Path) -> list[Any]:
    with closing(sqlite3.connect(folder / NAME)) as file:
        return file.execute("SELECT * FROM certificates").fetchall()


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / NAME)) as file, file:
        file.execute(statement, values)


def test_what_is_put_is_got(tmp_path: Path, told: Told) -> None:
    one = told.store(tmp_path / "a" / "cache")
    assert one.get("q") is None and not (tmp_path / "a").exists()
    one.put("q", PART)
    assert one.get("q") == PART and one.get("other") is None
    one.close()
    other = told.store(tmp_path / "a" / "cache")
    assert other.get("q") == PART
    other.put("q", {"answer": 2})
    assert one.get("q") == {"answer": 2} and not told


@given(parts=st.dictionaries(st.text(), ANYTHING, max_size=5))
def test_all_json_is_kept(tmp_path_factory: pytest.TempPathFactory, parts: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("cache")
    for question, part in parts.items():
        Store(folder).put(question, {"it": part})
    assert all(Store(folder).get(question) == {"it": part} for question, part in parts.items())


def test_the_folder_keeps_itself_out_of_repositories(tmp_path: Path) -> None:
    Store(tmp_path / "new").put("q", PART)
    assert (tmp_path / "new" / ".gitignore").read_text().splitlines()[-1] == "*"
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    status = ["git", "-C", tmp_path, "status", "--porcelain"]
    assert subprocess.run(status, check=True, capture_output=True).stdout == b""
    Store(tmp_path).put("q", PART)
    assert not (tmp_path / ".gitignore").exists()  # a folder that was there stays as it is


def test_another_version_has_other_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path).put("q", PART)
    monkeypatch.setattr(store, "version", lambda: "another")
    assert Store(tmp_path).get("q") is None
    Store(tmp_path).put("q", {"answer": 2})
    monkeypatch.undo()
    assert Store(tmp_path).get("q") == PART


def test_the_version_is_that_of_all_modules(tmp_path: Path) -> None:
    shutil.copytree(Path(store.__file__).parents[2], tmp_path / "verifier")
    ask = "from verifier.run.cache import store; print(store.version())"
    command = [sys.executable, "-c", ask]

    def version() -> str:
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    assert version() == store.version()
    with open(tmp_path / "verifier" / "kernels" / "ratios.py", "a", encoding="utf-8") as module:
        module.write("\n")
    assert version() != store.version()


def test_the_day_of_its_last_use_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "today", lambda: 100)
    Store(tmp_path).put("q", PART)
    monkeypatch.setattr(store, "today", lambda: 103)
    assert Store(tmp_path).get("q") == PART
    assert [row[-1] for row in rows(tmp_path)] == [103]


def test_what_is_too_large_is_not_kept(tmp_path: Path, told: Told) -> None:
    one = told.store(tmp_path)
    text = "x" * (LARGEST - len(json.dumps({"answer": ""}, separators=(",", ":"))))
    one.put("fits", {"answer": text})
    one.put("too large", {"answer": text + "x"})
    assert one.get("fits") == {"answer": text} and one.get("too large") is None and not told


CONTENTS = [
    b"",
    b"garbage",
    zlib.compress(b""),
    zlib.compress(b"{"),
    zlib.compress(b"\xff\xfe\xfd"),
    zlib.compress(json.dumps(PART).encode())[:-9],
    zlib.compress(b"[" * 10**6),
    zlib.compress(b" " * (LARGEST + 1) + b"1"),
    zlib.compress(b"1" * 100_001),
    zlib.compress(b'["' + b"1" * 100_001 + b'"]'),
    "text",
    7,
    1.5,
    None,
]


@pytest.mark.parametrize("content", CONTENTS, ids=range(len(CONTENTS)))
def test_garbage_is_nothing(tmp_path: Path, told: Told, content: object) -> None:
    one = told.store(tmp_path)
    one.put("q", PART)
    change(tmp_path, "UPDATE certificates SET content=?", content)
    assert one.get("q") is None and not told
    one.put("q", PART)
    assert one.get("q") == PART


def empty(folder: Path) -> None:
    (folder / NAME).write_bytes(b"")


def torn(folder: Path) -> None:
    data = (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(data[: len(data) // 2])


def header_only(folder: Path) -> None:
    (folder / NAME).write_bytes((folder / NAME).read_bytes()[:100])


def garbage(folder: Path) -> None:
    (folder / NAME).write_bytes(b"no database " * 1000)


def spoilt_pages(folder: Path) -> None:
    data = bytearray((folder / NAME).read_bytes())
    for at in range(1024, len(data)):
        data[at] = at * 7919 % 251
    (folder / NAME).write_bytes(data)


def directory(folder: Path) -> None:
    (folder / NAME).unlink()
    (folder / NAME).mkdir()


def pipe(folder: Path) -> None:
    (folder / NAME).unlink()
    os.mkfifo(folder / NAME)


def dangling(folder: Path) -> None:
    (folder / NAME).unlink()
    (folder / NAME).symlink_to(folder / "nowhere" / "at all")


def file_in_the_way(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("not a folder")


def another_program(folder: Path) -> None:
    (folder / NAME).unlink()
    with closing(sqlite3.connect(folder / NAME)) as file:
        file.execute("CREATE TABLE bookmarks (address TEXT)")


def an_older_schema(folder: Path) -> None:
    (folder / NAME).unlink()
    with closing(sqlite3.connect(folder / NAME)) as file:
        file.execute("CREATE TABLE certificates (question TEXT PRIMARY KEY, content BLOB)")


def a_view(folder: Path) -> None:
    """A query that never ends in the place of the table."""
    (folder / NAME).unlink()
    with closing(sqlite3.connect(folder / NAME)) as file:
        file.execute(
            "CREATE VIEW certificates AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 "
            "FROM n) SELECT x AS question, x AS version, x AS content, x AS used FROM n"
        )


def a_trigger(folder: Path) -> None:
    with closing(sqlite3.connect(folder / NAME)) as file:
        file.execute(
            "CREATE TRIGGER t AFTER INSERT ON certificates BEGIN DELETE FROM certificates; END"
        )


WRONG = [torn, header_only, garbage, spoilt_pages, directory, pipe, dangling, file_in_the_way]
FOREIGN = [another_program, an_older_schema, a_view, a_trigger]


@pytest.mark.parametrize("spoil", [*WRONG, *FOREIGN])
def test_a_file_that_cannot_be_used_is_told_once(
    tmp_path: Path, told: Told, spoil: Callable[[Path], None]
) -> None:
    folder = tmp_path / "cache"
    with closing(Store(folder)) as before:
        for number in range(50):
            before.put(str(number), {"answer": [os.urandom(300).hex()]})
    spoil(folder)
    left = (folder / NAME).read_bytes() if (folder / NAME).is_file() else None
    one = told.store(folder)
    for number in range(3):
        assert one.get(f"other {number}") is None
        one.put(f"other {number}", PART)
    assert len(told) == 1 and "no answer depends on it" in told[0] and "cache" in told[0]
    assert left == ((folder / NAME).read_bytes() if (folder / NAME).is_file() else None)


def test_an_empty_file_is_a_new_one(tmp_path: Path, told: Told) -> None:
    Store(tmp_path).put("q", PART)
    empty(tmp_path)
    one = told.store(tmp_path)
    assert one.get("q") is None
    one.put("q", PART)
    assert one.get("q") == PART and not told


@pytest.mark.parametrize("size", [0, 8, 512, 513, 2000])
def test_a_torn_journal_is_no_fault(tmp_path: Path, told: Told, size: int) -> None:
    """What a run that is killed while it writes leaves, cut off anywhere."""
    Store(tmp_path).put("q", PART)
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as file:
        file.execute("PRAGMA cache_size=1")
        file.execute("BEGIN")
        for number in range(200):
            insert = "INSERT INTO certificates VALUES (?, 'v', ?, 1)"
            file.execute(insert, (str(number), os.urandom(2000)))
        shutil.copytree(tmp_path, tmp_path / "killed")
        file.execute("ROLLBACK")
    journal = tmp_path / "killed" / f"{NAME}-journal"
    journal.write_bytes(journal.read_bytes()[:size])
    one = told.store(tmp_path / "killed")
    one.get("q")
    one.put("new", PART)
    assert one.get("new") in (PART, None)


def read_only(folder: Path, told: Told) -> Store:
    """A store of a file that can be read only, whoever we are."""
    one = told.store(folder)
    one._file = sqlite3.connect(
        f"{(folder / NAME).as_uri()}?mode=ro", isolation_level=None, uri=True
    )
    return one


def test_what_cannot_be_written_is_read(tmp_path: Path, told: Told) -> None:
    Store(tmp_path).put("q", PART)
    one = read_only(tmp_path, told)
    for _ in range(3):
        one.put("new", PART)
    assert len(told) == 1 and "cannot be written" in told[0]
    assert one.get("q") == PART and one.get("new") is None and len(told) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_is_read_only(tmp_path: Path, told: Told) -> None:
    Store(tmp_path).put("q", PART)
    for path, mode in ((tmp_path / NAME, 0o444), (tmp_path, 0o555)):
        path.chmod(mode)
    try:
        one = told.store(tmp_path)
        one.put("new", PART)
        assert one.get("q") == PART and one.get("new") is None and len(told) == 1
    finally:
        tmp_path.chmod(0o755)


def test_a_full_disk(tmp_path: Path, told: Told) -> None:
    Store(tmp_path).put("q", PART)
    one = told.store(tmp_path)
    assert one.get("q") == PART
    assert one._file
    one._file.execute("PRAGMA max_page_count=1")  # SQLite's own word for a full disk
    for number in range(3):
        one.put(str(number), {"answer": os.urandom(10_000).hex()})
    assert len(told) == 1 and "full" in told[0]
    assert one.get("q") == PART


def test_who_holds_the_file_for_ever_is_not_waited_for(
    tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.1)
    Store(tmp_path).put("q", PART)
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        one = told.store(tmp_path)
        assert one.get("q") is None
        one.put("q", PART)
    assert len(told) == 1 and "locked" in told[0]


def use(folder: str, seed: int) -> int:
    """Put and get what others do at the same time; how often something was told."""
    told: list[str] = []
    one = Store(Path(folder), told.append)
    for number in range(200):
        question = str((number * 7919 + seed) % 100)
        found = one.get(question)
        assert found in (None, {"answer": question})
        one.put(question, {"answer": question})
    one.close()
    return len(told)


def test_many_threads(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(lambda seed: use(str(tmp_path), seed), range(8))) == 0
    assert len(rows(tmp_path)) == 100


def test_many_processes(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert sum(pool.starmap(use, [(str(tmp_path / "new"), seed) for seed in range(3)])) == 0
    assert len(rows(tmp_path / "new")) == 100


def test_a_writer_that_is_killed(tmp_path: Path) -> None:
    """At any moment: what is found afterwards is what was put, or nothing."""
    write = (
        "import os, sys; from pathlib import Path; from verifier.run.cache.store import Store\n"
        "one = Store(Path(sys.argv[1]))\n"
        "for k in range(10**6): one.put(str(k % 500), {'answer': str(k % 500) * 500})\n"
    )
    for tenths in range(3, 6):
        process = subprocess.Popen([sys.executable, "-c", write, str(tmp_path)])
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(tenths / 10)
        process.kill()
        process.wait()
        told = Told()
        one = told.store(tmp_path)
        for k in range(500):
            assert one.get(str(k)) in (None, {"answer": str(k) * 500})
        one.put("after", PART)
        assert one.get("after") == PART and not told
        one.close()


def test_the_table_is_what_is_looked_for(tmp_path: Path) -> None:
    Store(tmp_path).put("q", PART)
    with closing(sqlite3.connect(tmp_path / NAME)) as file:
        assert file.execute("SELECT sql FROM sqlite_schema").fetchall() == [(TABLE,)]

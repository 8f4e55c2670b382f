"""The table of a sweep: whole at every instant, and read again in each format."""

from __future__ import annotations

import csv
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from verifier.base.errors import InputError, LibraryMissing
from verifier.lab.sweeps import tables
from verifier.lab.sweeps.tables import Table, columns

SHAPE = columns(["p"], False)
FORMATS = [".sqlite", ".csv", pytest.param(".parquet", marks=pytest.mark.oracle)]


def row(number: int, key: str, check: int = 1, status: str = "ok", near: float | None = 0.1) -> Any:
    found = [check, None, 'a "b", ⊥', "sha256:0", "holds", status, "3", "1/10", near, None, 0.25]
    return [number, f"{number}/7", *found, key]


ROWS = [
    row(2, "b"),
    row(1, "a"),
    row(1, "a", 2, "failed", float("inf")),
    row(3, "c", 0, "bad", None),
]


def read(path: Path) -> list[list[Any]]:
    """The rows of a table, by somebody who knows the format alone."""
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        assert head == list(SHAPE)
        return rows
    if path.suffix == ".parquet":
        from pyarrow import parquet

        table = parquet.read_table(path)
        assert table.column_names == list(SHAPE)
        return [list(found.values()) for found in table.to_pylist()]
    base = sqlite3.connect(path)
    found = list(
        map(list, base.execute("SELECT * FROM results ORDER BY combination, check_number"))
    )
    base.close()
    return found


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_is_put_in_is_in_the_table_and_counts_again(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"t{suffix}"
    with Table(target, SHAPE, resume=False) as table:
        assert table.keys() == {}
        table.put(ROWS[:1])
        table.put(ROWS[1:])
        table.complete()
    assert os.listdir(tmp_path) == [target.name]
    expected = sorted(ROWS, key=lambda one: (one[0], one[2]))
    if suffix == ".csv":
        expected = [["" if one is None else str(one) for one in row] for row in expected]
    assert read(target) == expected
    with Table(target, SHAPE, resume=True) as table:
        assert table.keys() == {"a": {"ok", "failed"}, "b": {"ok"}, "c": {"bad"}}
        table.put([row(4, "d")])
        table.complete()
    assert os.listdir(tmp_path) == [target.name]
    assert read(target)[:4] == expected and len(read(target)) == 5


def test_a_transaction_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with Table(tmp_path / "t.csv", SHAPE, resume=False) as table:
        table.put(ROWS[:1])
        with pytest.raises(InputError, match="S701"):
            table.put([row(5, "e"), row(6, "b")])  # whose key is there
        assert table.keys() == {"b": {"ok"}}
    assert not (tmp_path / "t.csv").exists()  # as it is not complete
    with Table(tmp_path / "t.csv", SHAPE, resume=True) as table:
        assert table.keys() == {"b": {"ok"}}


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_table_that_is_there_is_not_taken_for_another(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"t{suffix}"
    with Table(target, SHAPE, resume=True) as table:  # nothing is there yet
        table.put(ROWS)
        table.complete()
    before = target.read_bytes()
    for shape, resume in (
        (SHAPE, False),
        (columns(["q"], False), True),
        (columns("p", True), True),
    ):
        with pytest.raises(InputError, match="S702"):
            Table(target, shape, resume)
    assert target.read_bytes() == before


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_is_no_table(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"t{suffix}"
    target.write_text("nothing of the kind, and long enough to have a head\n" * 9)
    with pytest.raises(InputError, match=r"S70[12]"):
        Table(target, SHAPE, resume=True)
    with pytest.raises(InputError, match="S701"):
        Table(target / f"t{suffix}", SHAPE, resume=False)  # below a file, not a folder


def test_two_sweeps_do_not_write_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PATIENCE", 0.05)
    with Table(tmp_path / "t.sqlite", SHAPE, resume=False) as table:
        with pytest.raises(InputError, match="another sweep writes"):
            Table(tmp_path / "t.sqlite", SHAPE, resume=True)
        table.put(ROWS)  # the lock of the database itself is still ours
    Table(tmp_path / "t.sqlite", SHAPE, resume=True).__exit__()


def test_a_killed_completion_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its two steps both the table and the rows that it is made of are there."""
    target = tmp_path / "t.csv"
    with Table(target, SHAPE, resume=False) as table:
        table.put(ROWS)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", lambda *_, **__: sys.exit())
            with pytest.raises(SystemExit):
                table.complete()
    assert sorted(os.listdir(tmp_path)) == ["t.csv", "t.csv.partial"]
    with Table(target, SHAPE, resume=True) as table:
        assert len(table.keys()) == 3
        table.complete()
    assert os.listdir(tmp_path) == ["t.csv"] and len(read(target)) == 4


def test_parameters_named_as_columns() -> None:
    names = ["key", "parameter_key", "n", "N", "Certificate"]
    assert list(columns(names, False))[1:6] == [
        *("parameter_key", "parameter_parameter_key", "n", "parameter_N", "parameter_Certificate")
    ]
    for certificates in (False, True):
        found = [name.lower() for name in columns(names, certificates)]
        assert len(found) == len(set(found))


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LibraryMissing, match=r"privacy-verifier\[parquet\]"):
        Table(tmp_path / "t.parquet", SHAPE, resume=False)
    assert not list(tmp_path.iterdir())

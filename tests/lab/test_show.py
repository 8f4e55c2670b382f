"""A file as it is understood, in tables: with counts, and the first rows where there are many."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from verifier import cli
from verifier.lab.show import ROWS, Shown, Table, shown_file
from verifier.spec.reading import read_whole

pytestmark = pytest.mark.usefixtures("here")

SPEC = """\
title: "A <b>title</b>"
worlds:
  records: [ann, bob]
  domain: [0, 1, 2]
  where: ann <= bob
secrets: {none: ann == 0, all: ann == 2}
pairs: [[none, all]]
priors:
  one: {list: [uniform, {worlds: {"00": 1/4, "22": 3/4}}]}
  two: product
mechanisms:
  sum: {deterministic: ann + bob}
  noisy: {geometric: {query: ann, ratio: 1/2, low: 0, high: 2}}
checks:
  - {differential_privacy: {exp_epsilon: 4}, mechanism: noisy}
  - {pufferfish: {epsilon: 1}, mechanism: sum, priors: one, expect: violated}
  - {pufferfish: {epsilon: 1, pairs: values}, mechanism: sum, priors: two, expect: violated}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A file with everything."""
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def tables(shown: Shown) -> dict[str, Table]:
    return {table.name: table for table in shown.tables}


def test_every_part_is_shown(spec: Path) -> None:
    found = tables(shown_file(read_whole(spec)))
    worlds = [(f"{a}{b}", str(a), str(b)) for a in range(3) for b in range(a, 3)]
    assert list(found["worlds"].rows) == worlds
    assert found["worlds"].count == 6
    assert found["where"].rows == (("ann <= bob",),)
    assert found["secrets"].rows == (("none", "3", "00, 01, 02"), ("all", "1", "22"))
    assert found["pairs"].rows == (("all", "1", "none", "3"),)
    assert found["pairs of check 3"].count == 6
    sixth = [(name, "1/6", "0") for name, *_ in worlds]
    sixth[0], sixth[-1] = ("00", "1/6", "1/4"), ("22", "1/6", "3/4")
    assert list(found["priors one"].rows) == sixth
    assert found["priors two"].rows == (("product",),)
    assert found["mechanism sum"].columns == ("world", "0", "1", "2", "3", "4")
    assert found["mechanism sum"].rows[2] == ("02", "0", "0", "1", "0", "0")
    assert found["mechanism noisy"].rows[0] == ("00", "2/3", "1/6", "1/6")
    assert [row[0] for row in found["checks"].rows] == ["1", "2", "3"]


def test_the_neighbours_of_a_check_are_shown(spec: Path) -> None:
    """Worlds that differ in one record, by hand: 3 values of bob below ann's and so on."""
    found = tables(shown_file(read_whole(spec)))["neighbours of check 1"]
    names = [f"{a}{b}" for a in range(3) for b in range(a, 3)]
    pairs = {(x, y, "1") for x in names for y in names if (x[0] == y[0]) != (x[1] == y[1])}
    assert set(found.rows) == pairs and found.count == len(pairs)


def test_of_many_rows_the_first_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "worlds: {records: 10, domain: [0, 1]}\nmechanism: {deterministic: sum(value)}\n"
        "checks: [{differential_privacy: {exp_epsilon: 2}, expect: violated}]\n",
        encoding="utf-8",
    )
    found = tables(shown_file(read_whole(path)))
    assert (len(found["worlds"].rows), found["worlds"].count) == (ROWS, 1024)
    assert (len(found["mechanism"].rows), found["mechanism"].count) == (ROWS, 1024)
    assert (len(found["neighbours of check 1"].rows)) == ROWS
    assert found["neighbours of check 1"].count == 1024 * 10


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["show", *arguments]) == 0
    return capsys.readouterr().out


def test_formats(spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, str(spec))
    assert text.startswith(f"{spec}: A <b>title</b>\n\nworlds: 6 possible worlds of 2 records")
    assert "  00     2/3  1/6  1/6\n" in text
    whole: Any = json.loads(said(capsys, "--format", "json", str(spec)))
    (file,) = whole["files"]
    shown = shown_file(read_whole(spec))
    assert [table["rows"] for table in file["tables"]] == [
        [list(row) for row in table.rows] for table in shown.tables
    ]
    rows = list(csv.reader(io.StringIO(said(capsys, "--format", "csv", str(spec)))))
    assert [str(spec), "mechanism noisy", "00", "2/3", "1/6", "1/6"] in rows
    page = said(capsys, "--format", "html", str(spec))
    assert "<h1>A &lt;b&gt;title&lt;/b&gt;</h1>" in page and "<b>" not in page
    assert "<tr><td>00</td><td>2/3</td><td>1/6</td><td>1/6</td></tr>" in page


@pytest.mark.parametrize("form", ["text", "csv", "json", "html"])
def test_users_texts_are_escaped(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        'title: "a\\u202eb"\nworlds: ["sun\\u2066x", rain]\nmechanism: {deterministic: world}\n'
        "checks: [{differential_privacy: {exp_epsilon: 2, neighbours: all}, expect: violated}]\n",
        encoding="utf-8",
    )
    text = said(capsys, "--format", form, str(path))
    assert not set("\u2066\u202e") & set(text)
    assert "sun\\u2066x" in text or "sun\\\\u2066x" in text


def test_notes_are_shown_and_strict_counts_them(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["show", "--strict", str(spec)]) == 0
    spec.write_text(SPEC.replace("priors: two, expect", "priors: one, expect"), encoding="utf-8")
    assert cli.main(["show", "--strict", str(spec)]) == 1
    assert "N104 the priors 'two' are used by no check" in capsys.readouterr().out


def test_a_bad_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC.replace("ann <= bob", "ann <= bobb"), encoding="utf-8")
    assert cli.main(["show", str(path)]) == 2
    assert f"{path}:5:17: S303" in capsys.readouterr().err

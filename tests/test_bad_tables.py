"""Tables in csv files and functions in Python files that are no mechanisms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_bad_input import ALL, NAMED, confirm, run
from verifier import cli
from verifier.cli import running

# content of the csv file -> the error, at its place in the csv file
CSV = {
    "": "1:1: S105 the first line names no outputs",
    "world\nw1\nw2\n": "1:1: S105 the first line names no outputs",
    "world,a,a\nw1,1,0\nw2,1,0\n": "1:1: S105 an output appears twice",
    "world,a,b\nw1,1/2,1/2\nw1,1,0\n": "3:1: S107 a second row for world 'w1'",
    "world,a,b\nw1,1/2,1/2\n": "2:1: S107 no row for world 'w2'",
    "world,a,b\nw1,1/2,1/2\nw3,1,0\n": "3:1: S107 unknown world 'w3'",
    "world,a,b\nw1,1/2\nw2,1,0\n": "2:1: S105 1 probabilities for 2 outputs",
    "world,a,b\nw1,1/2,1/2,0\nw2,1,0\n": "2:1: S105 3 probabilities for 2 outputs",
    "world,a,b\nw1,1/2,half\nw2,1,0\n": "2:8: S101 'half' is not an exact number",
    "world,a,b\nw1,1/2,1/2\nw2,2,-1\n": "3:4: S104 the probability 2 is not in [0, 1]",
    "world,a,b\nw1,1/2,1/2\nw2,0.5,0.4\n": "3:1: S103 row 'w2' sums to 9/10, must be 1 (off",
    "world,a,b\nw1,\0,1\nw2,0,1\n": "2:1: S004 the character U+0000 is not allowed",
    "world,a\x1b,b\nw1,0,1\nw2,0,1\n": "1:1: S004 the character U+001B is not allowed",
    "world,a,b\n\nw1,1e-99999,1\n": "3:4: S102 '1e-99999' has an exponent beyond 10000",
}


@pytest.mark.parametrize("content", CSV)
def test_bad_csv(content: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(content)
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{NAMED}mechanism: {{csv: table.csv}}\n{ALL}")
    confirm(*run(spec), f"{table}:{CSV[content]}")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00w", b"w," + b"x" * 200_000])
def test_a_csv_that_is_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(content)
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{NAMED}mechanism: {{csv: table.csv}}\n{ALL}")
    confirm(*run(spec), f"{spec}:2:18: S108 ")


# a Python file -> the error at `python:` in the spec file, or the reason why undecided
PYTHON = {
    "def noise(world): return {'a': 0.5, 'b': 0.5}": "S112 the Python function failed: TypeError: "
    "world w1: 0.5 is not exact",
    "def noise(world): return {'a': True}": "S112 the Python function failed: TypeError: world w1",
    "def noise(world): return 1": "S112 the Python function failed: TypeError: world w1: a dict",
    "def noise(world): return {1: '1/2', '1': '1/2'}": "S112 the Python function failed: TypeError",
    "def noise(world): return {'\\ud800': 1}": "S112 the Python function failed: UnicodeEncode",
    "def noise(world): 1 / 0": "S112 the Python function failed: ZeroDivisionError",
    "def noise(world): raise SystemExit": "S112 the Python function failed: SystemExit",
    "def noise(world): raise ValueError('a\\nb')": "S112 the Python function failed: ValueError: a",
    "def other(world): return {'a': 1}": "S112 the Python function failed: KeyError: 'noise'",
    "noise = (": "S112 the Python function failed: SyntaxError",
    "import os; os._exit(0)": "S112 the Python function gave no answer: it ended with status 0",
    "def noise(world): return {'a': 'half', 'b': 'half'}": "S101 'half' is not an exact number",
    "def noise(world): return {'a': '1/2'}": "S103 the row of world 'w1' sums to 1/2, must be 1",
    "def noise(world): return {'a': 2, 'b': -1}": "S104 the probability 2 is not in [0, 1]",
    "def noise(world): return {}": "S103 the row of world 'w1' sums to 0, must be 1",
}


@pytest.mark.parametrize("content", PYTHON)
def test_bad_python(content: str, tmp_path: Path) -> None:
    (tmp_path / "noise.py").write_text(f"{content}\n")
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{NAMED}mechanism: {{python: {{file: noise.py, function: noise}}}}\n{ALL}")
    status, said = run(spec, allow_python=True)
    confirm(status, said, f"{spec}:2:21: {PYTHON[content]}")


def test_a_python_file_that_is_not_there(tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{NAMED}mechanism: {{python: {{file: noise.py, function: noise}}}}\n{ALL}")
    confirm(*run(spec, allow_python=True), f"{spec}:2:28: S001 cannot read")


@pytest.mark.parametrize("wait", ["import time; time.sleep(99)", "exec('while True: pass')"])
def test_python_that_never_answers(
    wait: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer is not a mistake of the file: the check is undecided."""
    monkeypatch.setattr("verifier.mechanisms._guests.SECONDS", 1)
    monkeypatch.setattr("verifier.mechanisms._guests.GRACE", 0)
    (tmp_path / "noise.py").write_text(f"{wait}\n")
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{NAMED}mechanism: {{python: {{file: noise.py, function: noise}}}}\n{ALL}")
    assert cli.main(["check", "--allow-python", str(spec)]) == running.UNDECIDED
    assert "the Python function ran longer than 1 s" in capsys.readouterr().out


def test_what_a_python_function_prints_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "noise.py").write_text(
        "import atexit, sys\natexit.register(print, '{}')\n"
        "def noise(world):\n    print('{\"rows\": 1}')\n    sys.stdout.buffer.write(b'\\xff')\n"
        "    return {'a': '1/3', 'b': '2/3'}\n"
    )
    spec = tmp_path / "spec.yaml"
    spec.write_text(f"{NAMED}mechanism: {{python: {{file: noise.py, function: noise}}}}\n{ALL}")
    assert run(spec, allow_python=True) == (0, "")

"""`check --watch`, on a terminal: what changes is decided again, and one screen has it all."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.loops import each
from verifier import cli
from verifier.cli.watch import CLEAR

HEAD = "worlds: {records: [ann], domain: [0, 1]}\n"
TRUTH = "mechanism: {randomized_response: {truth: 3/4}}\n"
CHECK = "checks:\n  - differential_privacy: {exp_epsilon: 3}\n"
TABLE = "world,x,y\n0,3/4,1/4\n1,1/4,3/4\n"
PYTHON = "def f(w):\n    p = {0: '3/4', 1: '1/4'}\n    return {x: p[x ^ w['ann']] for x in p}\n"
PATIENCE = 120  # seconds, so that no slow machine fails


class Terminal:
    """The command on a terminal of thirty lines."""

    def __init__(self, *arguments: str) -> None:
        self.parent, child = pty.openpty()
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "verifier", "check", "--watch", *arguments],
            stdin=child,
            stdout=child,
            stderr=child,
            env={**os.environ, "TERM": "xterm", "LINES": "12", "COLUMNS": "80"},
            start_new_session=True,
        )
        os.close(child)

    def screen(self) -> str:
        """What is seen: all since it was cleared last, without colours."""
        return re.sub(r"\x1b\[[0-9;]*[mK]", "", self.said.rsplit(CLEAR, 1)[-1]).replace("\r", "")

    def until(self, *wanted: str) -> str:
        """The first screen that has some texts."""
        end = monotonic() + PATIENCE
        while not (CLEAR in self.said and all(text in self.screen() for text in wanted)):
            assert monotonic() < end, self.said
            if select.select([self.parent], [], [], 0.1)[0]:
                self.said += os.read(self.parent, 2**16).decode()
        return self.screen()

    def end(self, number: int) -> int:
        """The status after a signal."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(cli.__file__).parents[2]))
    return tmp_path


@pytest.fixture
def terminal(folder: Path) -> Iterator[Terminal]:
    write("a.yaml", HEAD + TRUTH + CHECK)
    write("b.yaml", HEAD + "mechanism: {csv: t.csv}\n" + CHECK)
    write("t.csv", TABLE)
    made = Terminal(".")
    yield made
    made.process.kill()
    made.process.wait()
    os.close(made.parent)


def write(name: str, text: str) -> None:
    """Save a file, as editors do it."""
    Path(f"{name}.new").write_text(text, encoding="utf-8")
    Path(f"{name}.new").rename(name)


@pytest.mark.processes
def test_what_changes_is_decided_again(terminal: Terminal) -> None:
    seen = terminal.until("2 ok; files: 2; Ctrl-C ends")
    assert re.match(r"\d\d:\d\d:\d\d  2 ok", seen)
    # a spec file: the last answer is the first one
    write("a.yaml", (HEAD + TRUTH + CHECK).replace("3/4", "4/5"))
    seen = terminal.until("1 ok, 1 failed", "holds with exp_epsilon: 4", "b.yaml", "smallest e^ε 3")
    assert seen.index("a.yaml") < seen.index("smallest e^ε 4") < seen.index("b.yaml")
    # a table that another one reads
    write("t.csv", TABLE.replace("/4", "/3").replace("3/3", "2/3"))
    seen = terminal.until("smallest e^ε 2", "a.yaml", "holds with exp_epsilon: 4")
    assert seen.index("b.yaml") < seen.index("a.yaml")
    # bad input stands on the screen, and goes
    write("t.csv", TABLE.replace("3/4", "1/4"))
    terminal.until("t.csv", "1 error")
    write("a.yaml", HEAD + TRUTH + CHECK)
    terminal.until("1 ok, 1 error")
    write("t.csv", TABLE)
    terminal.until("2 ok; files: 2")
    # files come and go
    write("c.yaml", HEAD + TRUTH + CHECK)
    terminal.until("3 ok; files: 3")
    Path("b.yaml").unlink()
    assert "b.yaml" not in terminal.until("2 ok; files: 2", "a.yaml", "c.yaml")
    # no more than a screen has room for
    write("c.yaml", HEAD + TRUTH + "checks:\n" + 30 * CHECK.splitlines()[1].join(("", "\n")))
    seen = terminal.until("31 ok; files: 2", "…")
    assert len(seen.splitlines()) < 12
    assert terminal.end(signal.SIGINT) == 130


@pytest.mark.processes
def test_a_signal_ends_it(terminal: Terminal) -> None:
    terminal.until("2 ok")
    assert terminal.end(signal.SIGTERM) == 143


@pytest.mark.processes
def test_python_is_watched_too(folder: Path) -> None:
    write("f.py", PYTHON)
    write("a.yaml", HEAD + "mechanism: {python: {file: f.py, function: f}}\n" + CHECK)
    made = Terminal("--allow-python", "a.yaml")
    try:
        made.until("smallest e^ε 3")
        write("f.py", PYTHON.replace("3", "2").replace("4", "3"))
        made.until("smallest e^ε 2")
        assert made.end(signal.SIGINT) == 130
    finally:
        made.process.kill()
        os.close(made.parent)


@each(
    "options",
    [
        ["--format", "github", "a.yaml"],
        ["--format", "json", "a.yaml"],
        ["--report", "sarif=a.sarif", "a.yaml"],
        ["--certificates", "c", "a.yaml"],
        ["--statistics", "a.yaml"],
        ["--locked", "a.yaml"],
        ["-"],
    ],
)
def test_what_does_not_go_with_it(
    options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("a.yaml", HEAD + TRUTH + CHECK)
    assert cli.main(["check", "--watch", *options]) == 2
    assert "--watch is told as text alone" in capsys.readouterr().err


def test_nothing_to_watch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--watch", "."]) == 2
    assert "S001 there is no spec file in this folder" in capsys.readouterr().err

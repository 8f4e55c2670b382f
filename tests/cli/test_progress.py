"""What is told of work that lasts: a line on a terminal, a line every 30 seconds elsewhere."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace

import pytest

from verifier.cli import progress
from verifier.cli.progress import Progress


class Terminal(io.StringIO):
    """What a terminal is sent."""

    def isatty(self) -> bool:
        return True

    def last(self) -> str:
        """What is seen in the line: after it was cleared last, without colours."""
        shown = self.getvalue().rsplit(progress.CLEAR, 1)[-1]
        return re.sub(r"\033\[[0-9;]*m", "", shown)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(progress, "OFTEN", 0.0)
    monkeypatch.setattr(progress, "monotonic", lambda: 100.0)
    return made


def test_elsewhere_a_line_at_first_and_after_each_thirty_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = io.StringIO()
    monkeypatch.setattr(sys, "stderr", told)
    line = Progress()
    for seconds in range(1, 100):
        line.tell("a\nb", float(seconds))
    line.tell("c", 1.0)
    line.hide()
    assert told.getvalue() == "a\\nb\na\\nb (0:31)\na\\nb (1:01)\na\\nb (1:31)\nc\n"


@pytest.mark.parametrize("has_rich", [True, False])
def test_on_a_terminal_one_line(
    has_rich: bool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_rich:
        monkeypatch.setattr(progress, "find_spec", lambda name: None)
    line = Progress()
    for seconds in (1.0, 75.0):
        line.tell("a.yaml: check 2 of 3: slow", seconds)
    assert "\n" not in terminal.getvalue()
    assert "a.yaml: check 2 of 3: slow" in terminal.last()
    assert terminal.last().rstrip().endswith("1:15 of 0:00")
    line.tell("x" * 200, 2.0)
    assert len(terminal.last()) < 60 and "…" in terminal.last() and "0:02" in terminal.last()
    line.hide()
    assert terminal.getvalue().endswith(progress.CLEAR)
    length = len(terminal.getvalue())
    line.hide()
    assert len(terminal.getvalue()) == length, "there is nothing left to take away"


def test_a_name_cannot_move_the_cursor(terminal: Terminal) -> None:
    Progress().tell("a\r\033[2Jb", 1.0)
    assert r"a\r\x1b[2Jb" in terminal.last()


@pytest.mark.parametrize("columns", ["1", "5", "20"])
@pytest.mark.parametrize("has_rich", [True, False])
def test_a_narrow_terminal(
    columns: str, has_rich: bool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    if not has_rich:
        monkeypatch.setattr(progress, "find_spec", lambda name: None)
    Progress().tell("a.yaml: reading", 1.0)
    assert len(terminal.last()) <= max(int(columns), 2)


def test_a_terminal_that_knows_no_commands_gets_lines(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    Progress().tell("reading", 1.0)
    assert terminal.getvalue() == "reading\n"


def test_nobody_has_to_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    monkeypatch.setattr(closed, "isatty", lambda: False)
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    Progress().tell("reading", 1.0)

"""`verifier completion`: real shells complete, with the script that it prints."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier import cli

STUB = "#!/bin/sh\necho GOT: $@.\n"
BASH = """
source {script}
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$(complete -p verifier | sed 's/.*-F \\([^ ]*\\).*/\\1/') verifier "${{COMP_WORDS[-1]}}" verifier
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
START = {  # how a shell is started without the files of a user, and told of completions
    "zsh": (["zsh", "-f", "-i"], 'autoload -U compinit && compinit -u -D && eval "$(<{})"'),
    "tcsh": (["tcsh", "-f"], "set edit; source {}"),
}


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The script for the shell that a test names."""
    if shutil.which(request.param) is None:
        pytest.skip(f"there is no {request.param}")
    path = tmp_path / request.param
    done = subprocess.run(
        [sys.executable, "-m", "verifier", "completion", request.param],
        capture_output=True,
        text=True,
        check=True,
    )
    path.write_text(done.stdout, encoding="utf-8")
    yield path


def in_bash(script: Path, *words: str) -> list[str]:
    """What bash offers for the last of some words."""
    text = BASH.format(script=script, words=" ".join(f"'{word}'" for word in words))
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_bash(script, "verifier", "sche") == ["schema"]
    assert {"check", "show", "init"} <= set(in_bash(script, "verifier", ""))
    assert in_bash(script, "verifier", "check", "--all") == ["--allow-vacuous", "--allow-python"]
    assert in_bash(script, "verifier", "init", "spa") == ["sparse-vector"]
    assert in_bash(script, "verifier", "explain", "blow") == ["blowfish"]
    monkeypatch.chdir(tmp_path)
    Path("survey.yaml").touch()
    assert in_bash(script, "verifier", "check", "surv") == ["survey.yaml"]


@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish(script: Path) -> None:
    def offered(line: str) -> list[str]:
        asked = f"source {script}; complete -C '{line}'"
        done = subprocess.run(["fish", "-c", asked], capture_output=True, text=True, check=True)
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert offered("verifier sche") == ["schema"]
    assert offered("verifier init spa") == ["sparse-vector"]
    assert offered("verifier explain blow") == ["blowfish"]


@pytest.mark.parametrize("script", ["zsh", "tcsh"], indirect=True)
def test_shells_on_a_terminal(script: Path, tmp_path: Path) -> None:
    """A key for completion is pressed; a stub of the command prints what it got."""
    stub = tmp_path / "bin" / "verifier"
    stub.parent.mkdir()
    stub.write_text(STUB, encoding="utf-8")
    stub.chmod(0o755)
    command, source = START[script.name]
    typed = [source.format(script), "verifier sche\t--help", "verifier init spa\t"]
    said = on_terminal(command, typed, {"PATH": f"{stub.parent}:{os.environ['PATH']}"})
    assert "GOT: schema --help." in said
    assert "GOT: init sparse-vector." in said


def on_terminal(command: list[str], lines: list[str], environment: dict[str, str]) -> str:
    """What a program prints on a terminal of its own, after lines typed on it."""
    child, terminal = pty.fork()
    if child == 0:
        settings = {**os.environ, "TERM": "xterm", "HOME": "/nonexistent", **environment}
        os.execvpe(command[0], command, settings)
    said = ""
    try:
        for number, line in enumerate([*lines, "exit"]):
            os.write(terminal, f"{line}\r".encode())
            if number < len(lines):
                os.write(terminal, f"echo DO''NE-{number}-\r".encode())
                said += until(terminal, f"DONE-{number}-\r\n")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    return said


def until(terminal: int, end: str) -> str:
    """What comes from a terminal up to some text."""
    said = ""
    while end not in said:
        said += os.read(terminal, 4096).decode(errors="replace")
    return said


def test_without_shtab_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "shtab; it is installed with: pip install 'privacy-verifier[completion]'" in said.err

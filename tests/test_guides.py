"""The tutorial and the how-to pages: every command is run, and prints what the page shows.

A page is one session in an empty folder: blocks with a title are saved as files, console blocks
are run in their order, and so are the lines of Python.
"""

from __future__ import annotations

import doctest
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.pages import DOCS, GUIDES, PROGRESS, Block, blocks
from verifier import cli

SESSIONS = [  # those of the tutorial in processes, as readers have it
    pytest.param(page, marks=[pytest.mark.processes] * (page.parent.name == "tutorial"))
    for page in GUIDES
]
WORKFLOW = DOCS / "tutorial" / "gate-in-ci.md"


@pytest.mark.usefixtures("here", "advised")
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_what_a_page_shows_is_what_happens(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            assert session(block.text, capsys) == block.text, block.place
        elif block.language == "python":
            doctested(block, names)


def session(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The commands of a console block, each with what it prints."""
    shown, status = [], 0
    for line in text.splitlines():
        if line.startswith("$ "):
            status, printed = run(line[2:], status, capsys)
            shown.append(f"{line}\n{printed}")
    return "".join(shown)


def run(command: str, last: int, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status of a command and what it prints; `last` is the status of the one before."""
    if command == "echo $?":
        return 0, f"{last}\n"
    if command.startswith("verifier "):
        capsys.readouterr()
        try:
            status = cli.main(shlex.split(command)[1:])
        except SystemExit as ended:  # of --version
            status = int(ended.code or 0)
        output = capsys.readouterr()
        return status, output.out + PROGRESS.sub("", output.err)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def doctested(block: Block, names: dict[str, object]) -> None:
    """The lines of a block of Python, with the names of the blocks before."""
    parser, report = doctest.DocTestParser(), list[str]()
    test = parser.get_doctest(block.text, names, block.place, str(block.page), block.line)
    assert test.examples, f"{block.place}: nothing is run"
    test.globs = names
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    assert runner.failures == 0, "".join(report)


def test_the_workflow_runs_the_commands_of_its_page() -> None:
    """Its steps are the commands that the page has run before."""
    page = {block.title: block.text for block in blocks(WORKFLOW) if block.title}
    (job,) = yaml.safe_load(page[".github/workflows/privacy.yml"])["jobs"].values()
    steps = [step["run"] for step in job["steps"] if "verifier " in step.get("run", "")]
    shown = [block.text for block in blocks(WORKFLOW) if block.language == "console"]
    run_before = {line[2:] for text in shown for line in text.splitlines()}
    assert len(steps) == 2 and set(steps) <= run_before

"""The hooks for pre-commit: their entries are run as pre-commit runs them.

`tests/packaging/test_pre_commit.py` has pre-commit itself run them.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import ROOT
from tests.services.repository import BROKEN, GOOD, WORSE, commit, git
from tests.services.runner import Machine

HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A repository with a file of promises, and files that are none."""
    folder = tmp_path / "repository"
    (folder / "privacy").mkdir(parents=True)
    git(folder, "init", "--quiet")
    for name in ("notes.yaml", "privacy/deep.privacy.yml", "old.privacy.yaml.bak"):
        (folder / name).write_text(GOOD if "privacy." in name else "a: 1\n", encoding="utf-8")
    git(folder, "add", "--all")
    commit(folder, GOOD)
    return Machine.at(folder, tmp_path / "runner")


def hooked(name: str, machine: Machine) -> tuple[list[str], subprocess.CompletedProcess[str]]:
    """The files that a hook gets, and what it does, for `pre-commit run --all-files`."""
    hook: dict[str, Any]
    (hook,) = (one for one in HOOKS if one["id"] == name)
    tracked = git(machine.folder, "ls-files").splitlines()
    files = [file for file in tracked if re.search(hook["files"], file)]
    return files, machine.shell([*shlex.split(hook["entry"]), *hook.get("args", []), *files])


def test_there_are_two() -> None:
    assert [hook["id"] for hook in HOOKS] == ["verifier-check", "verifier-lock"]
    for hook in HOOKS:
        assert hook["language"] == "python" and hook["require_serial"]


def test_promises_are_checked(machine: Machine) -> None:
    files, done = hooked("verifier-check", machine)
    assert files == ["privacy/deep.privacy.yml", "survey.privacy.yaml"]
    assert done.returncode == 0, done.stdout + done.stderr
    commit(machine.folder, BROKEN)
    _, done = hooked("verifier-check", machine)
    assert done.returncode == 1
    assert "FAILED  one participant: violated; smallest e^ε 10" in done.stdout


def test_answers_are_held_against_the_lock(machine: Machine) -> None:
    _, done = hooked("verifier-lock", machine)
    assert done.returncode == 2 and "verifier lock" in done.stderr + done.stdout
    assert machine.shell(["verifier", "lock"]).returncode == 0
    _, done = hooked("verifier-lock", machine)
    assert done.returncode == 0, done.stdout + done.stderr
    commit(machine.folder, WORSE)
    _, done = hooked("verifier-lock", machine)
    assert done.returncode == 1 and "the smallest level e^ε: 3 -> 4" in done.stdout + done.stderr

"""Runs the steps of a workflow or a composite action as GitHub's runner would, as far as they are
commands: steps that `use` other actions are passed over.

Expressions are those that the project's own files have: paths such as `inputs.base`, texts, `==`,
`!=`, `&&` and `always()`. The file of a script, its shell, and the files for outputs and summaries
are as in GitHub's documentation of workflow commands.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.pages import ROOT

EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
TERM = re.compile(r"\s*(?:(?P<text>'[^']*')|(?P<sign>==|!=|&&)|(?P<path>[\w.-]+)(?P<call>\(\))?)")
SHIM = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m verifier "$@"\n'
PYTHON = f"""#!/bin/sh
case "$1 $2 $3" in "-m pip install"|"-m pip wheel") echo "$@" >> "$0.pip"; exit ;; esac
exec "{sys.executable}" "$@"
"""


@dataclass
class Machine:
    """Where jobs run.

    folder    the checked out repository
    tools     a folder with `verifier`, and a `python` whose pip only notes what it should install
    scratch   for the runner's own files
    contexts  what expressions may name, by path
    """

    folder: Path
    tools: Path
    scratch: Path
    contexts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, folder: Path, scratch: Path, **contexts: str) -> Machine:
        """A machine for a repository, with a scratch folder."""
        tools = scratch / "tools"
        tools.mkdir(parents=True)
        for name, text in (("verifier", SHIM), ("python", PYTHON)):
            (tools / name).write_text(text, encoding="utf-8")
            (tools / name).chmod(0o755)
        return cls(folder, tools, scratch, dict(contexts))

    @property
    def installed(self) -> list[str]:
        """What pip should have installed."""
        noted = self.tools / "python.pip"
        return noted.read_text(encoding="utf-8").splitlines() if noted.exists() else []

    @property
    def summary(self) -> str:
        """What has been written for the summary of the job."""
        path = self.scratch / "summary.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def shell(self, command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
        """What a command does in the repository."""
        path = f"{self.tools}:{os.environ['PATH']}"
        settings = {**os.environ, "PATH": path, **environment}
        return subprocess.run(
            command, cwd=self.folder, env=settings, capture_output=True, text=True, check=False
        )


@dataclass(frozen=True)
class Done:
    """A step that was run: its name, its exit status and what it has printed."""

    name: str
    status: int
    printed: str


def run(steps: Sequence[Mapping[str, Any]], machine: Machine, **environment: str) -> list[Done]:
    """The steps that are commands and whose condition is met, after each other."""
    done: list[Done] = []
    for step in steps:
        failed = any(one.status for one in done)
        asked = str(step.get("if", "success()"))
        if "run" not in step or not _is_met(asked, machine.contexts, failed):
            continue
        done.append(_run(step, machine, environment))
    return done


def _run(step: Mapping[str, Any], machine: Machine, environment: Mapping[str, str]) -> Done:
    script, outputs = machine.scratch / "script.sh", machine.scratch / "outputs"
    script.write_text(_filled(step["run"], machine.contexts), encoding="utf-8")
    outputs.write_text("", encoding="utf-8")
    own = {key: _filled(str(value), machine.contexts) for key, value in step.get("env", {}).items()}
    found = machine.shell(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        GITHUB_OUTPUT=str(outputs),
        GITHUB_STEP_SUMMARY=str(machine.scratch / "summary.md"),
        GITHUB_ACTIONS="true",
        CI="true",
        **environment,
        **own,
    )
    for line in outputs.read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        machine.contexts[f"steps.{step['id']}.outputs.{name}"] = value
    return Done(step.get("name", ""), found.returncode, found.stdout + found.stderr)


def _filled(text: str, contexts: Mapping[str, str]) -> str:
    """A text with the values of its expressions; what is not known is empty, as on GitHub."""
    return EXPRESSION.sub(lambda found: contexts.get(found[1].strip(), ""), text)


def _is_met(condition: str, contexts: Mapping[str, str], failed: bool) -> bool:
    """Whether a step runs, after a step has `failed` or none has."""
    terms = [found.groupdict() for found in TERM.finditer(condition)]
    words: list[str] = []
    for term in terms:
        if term["call"]:
            words.append(str({"always": True, "success": not failed}[term["path"]]))
        elif term["path"]:
            words.append(repr(contexts.get(term["path"], "")))
        else:
            words.append(term["text"] or term["sign"].replace("&&", " and "))
    waits = "always()" not in condition and failed
    return not waits and bool(eval(" ".join(words), {"__builtins__": {}}))

"""The action and the workflow for GitHub: their steps are run as its runner would run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import DOCS, GUIDES, ROOT, blocks
from tests.services.repository import BROKEN, GOOD, WORSE, proposed
from tests.services.runner import Done, Machine, run

ACTION = ROOT / "action.yml"
WORKFLOW = ROOT / "verifier" / "share" / "templates" / "ci.yml"
PULL = {"GITHUB_BASE_REF": "main", "GITHUB_EVENT_NAME": "pull_request"}


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("schema", "path"), [("github-actions", ACTION), ("github-workflows", WORKFLOW)]
)
def test_it_is_written_as_github_reads_it(schema: str, path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


PAGES_OF_GITHUB = [
    (page, block.text)
    for page in GUIDES
    for block in blocks(page)
    if block.title.startswith(".github/workflows/")
]


@pytest.mark.parametrize(
    ("page", "text"), PAGES_OF_GITHUB, ids=lambda given: getattr(given, "stem", "")
)
def test_the_pages_show_what_github_reads(page: Path, text: str, tmp_path: Path) -> None:
    path = tmp_path / "workflow.yml"
    path.write_text(text, encoding="utf-8")
    test_it_is_written_as_github_reads_it("github-workflows", path)


def test_the_page_names_every_input() -> None:
    page = (DOCS / "how-to" / "github.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == list(read(ACTION)["inputs"])


def acted(
    tmp_path: Path, text: str, depth: int | None = None, **inputs: str
) -> tuple[Machine, list[Done]]:
    """What the action does with a change that makes the file of promises say a text."""
    action = read(ACTION)
    given = {name: str(value["default"]) for name, value in action["inputs"].items()} | inputs
    contexts = {f"inputs.{name}": value for name, value in given.items()}
    machine = Machine.at(proposed(tmp_path, text, depth), tmp_path / "runner", **contexts)
    steps = action["runs"]["steps"]
    return machine, run(steps, machine, GITHUB_ACTION_PATH="/actions/verifier", **PULL)


def test_a_change_that_leaks_more_is_stopped(tmp_path: Path) -> None:
    machine, (install, base, check, compare) = acted(tmp_path, WORSE)
    assert [install.status, base.status, check.status, compare.status] == [0, 0, 0, 1]
    assert machine.installed == ["-m pip install --quiet /actions/verifier"]
    assert "::error file=survey.privacy.yaml,line=4," in compare.printed
    assert "leaks more" in compare.printed and "leaks more" in machine.summary
    contexts = machine.contexts
    sarif = json.loads(Path(contexts["steps.diff.outputs.sarif"]).read_text(encoding="utf-8"))
    assert sarif["version"] == "2.1.0" and len(sarif["runs"][0]["results"]) == 1
    markdown = Path(contexts["steps.diff.outputs.markdown"]).read_text(encoding="utf-8")
    assert "leaks more" in markdown


def test_a_change_of_words_passes(tmp_path: Path) -> None:
    _, done = acted(tmp_path, GOOD.replace("worlds:", "title: A survey\nworlds:"))
    assert [step.status for step in done] == [0, 0, 0, 0]
    assert "::error" not in done[-1].printed


def test_it_fetches_what_a_shallow_clone_lacks(tmp_path: Path) -> None:
    _, done = acted(tmp_path, WORSE, depth=1)
    assert [step.status for step in done] == [0, 0, 0, 1]
    assert "leaks more" in done[-1].printed


def test_a_promise_that_is_not_kept_is_stopped(tmp_path: Path) -> None:
    """Both by what it is, and as a change: each says so."""
    _, done = acted(tmp_path, BROKEN)
    assert [step.status for step in done] == [0, 0, 1, 1]
    assert all("::error" in step.printed for step in done[2:])
    assert all("expected holds, found violated" in step.printed for step in done[2:])


def test_its_inputs_are_arguments(tmp_path: Path) -> None:
    """What leaks more may pass while the promise stands; another base; one file."""
    allow = {"arguments": "--fail-on promise", "files": "survey.privacy.yaml"}
    _, done = acted(tmp_path / "kept", WORSE, **allow)
    assert [step.status for step in done] == [0, 0, 0, 0]
    _, done = acted(tmp_path / "broken", BROKEN, base="HEAD^", **allow)
    assert [step.status for step in done] == [0, 0, 1, 1]


def test_an_input_is_no_command(tmp_path: Path) -> None:
    """Whoever proposes a change cannot have the action run something else."""
    machine, done = acted(tmp_path, GOOD, base='"; touch "$GITHUB_OUTPUT.evil"; "')
    assert done[1].status != 0
    assert not list(machine.scratch.glob("*evil*"))


@pytest.mark.parametrize(("text", "statuses"), [(GOOD, [0, 0, 0]), (WORSE, [0, 0, 1])])
def test_the_workflow_of_init(tmp_path: Path, text: str, statuses: list[int]) -> None:
    contexts = {"github.event_name": "pull_request", "vars.VERIFIER": "git+https://example.org/a"}
    machine = Machine.at(proposed(tmp_path, text), tmp_path / "runner", **contexts)
    (job,) = read(WORKFLOW)["jobs"].values()
    done = run(job["steps"], machine, **PULL)
    assert [step.status for step in done] == statuses, done
    assert machine.installed == ["-m pip install git+https://example.org/a"]


def test_the_workflow_of_init_stops_what_breaks_its_promise(tmp_path: Path) -> None:
    machine = Machine.at(proposed(tmp_path, BROKEN), tmp_path / "runner")
    (job,) = read(WORKFLOW)["jobs"].values()
    assert [step.status for step in run(job["steps"], machine)] == [0, 1]

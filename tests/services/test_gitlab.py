"""The template for GitLab: its jobs' scripts are run, and leave the reports that they promise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.pages import DOCS
from tests.services.repository import BROKEN, GOOD, WORSE, git, proposed
from tests.services.runner import Machine

TEMPLATE = DOCS / "ci" / "gitlab.yml"
JOBS = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))


def test_it_is_written_as_gitlab_reads_it() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.gitlab-ci"]
    done = subprocess.run([*command, str(TEMPLATE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def job(name: str) -> dict[str, Any]:
    """A job with what it extends."""
    found = JOBS[name]
    return {**JOBS[found["extends"]], **found}


def ran(name: str, text: str, tmp_path: Path) -> tuple[Machine, subprocess.CompletedProcess[str]]:
    """What a job does with a change that makes the file of promises say a text."""
    machine = Machine.at(proposed(tmp_path, text), tmp_path / "runner")
    base = git(machine.folder, "rev-parse", "HEAD^")
    asked = job(name)
    script = "\n".join(["set -eo pipefail", *asked["before_script"], *asked["script"]])
    environment = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "VERIFIER": "git+https://example.org/a"}
    return machine, machine.shell(["bash", "-c", script], **environment)


def reports(name: str, machine: Machine) -> tuple[list[dict[str, Any]], ElementTree.Element]:
    """The code quality and the test cases that a job has left where it says so."""
    named = job(name)["artifacts"]["reports"]
    quality = json.loads((machine.folder / named["codequality"]).read_text(encoding="utf-8"))
    return quality, ElementTree.parse(machine.folder / named["junit"]).getroot()


def test_promises_that_hold(tmp_path: Path) -> None:
    machine, done = ran("promises", GOOD, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert machine.installed == ["-m pip install --quiet git+https://example.org/a"]
    quality, cases = reports("promises", machine)
    assert quality == [] and len(list(cases.iter("testcase"))) == 1
    assert not list(cases.iter("failure"))


@pytest.mark.parametrize(("name", "text"), [("promises", BROKEN), ("promises-of-a-change", WORSE)])
def test_what_is_stopped_is_reported(name: str, text: str, tmp_path: Path) -> None:
    machine, done = ran(name, text, tmp_path)
    assert done.returncode != 0
    (found,), cases = reports(name, machine)
    assert found["location"]["path"] == "survey.privacy.yaml" and found["fingerprint"]
    assert found["location"]["lines"]["begin"] == 4
    assert len([*cases.iter("failure"), *cases.iter("error")]) == 1

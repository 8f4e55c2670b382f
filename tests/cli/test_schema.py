"""`verifier schema`, and a validator that is not ours with what it prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT
from verifier import cli
from verifier.report.schema import schema

MISSPELT = "worlds: [sun, rain]\nmechansim: x\nchecks: [{differential_privacy: {epsilon: 1}}]\n"


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["schema"]) == 0
    return capsys.readouterr().out


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys)) == schema()


def test_other_programs_validate_by_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved, bad = tmp_path / "spec.schema.json", tmp_path / "bad.yaml"
    saved.write_text(printed(capsys), encoding="utf-8")
    bad.write_text(MISSPELT, encoding="utf-8")
    model = ROOT / "models" / "pufferfish" / "correlated-records.yaml"
    command = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(saved)]
    done = subprocess.run([*command, str(model)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([*command, str(bad)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "'mechansim' was unexpected" in done.stdout

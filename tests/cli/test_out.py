"""Where commands write what they make: one name for the option, one error where they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.adapters.toy import BINARY, install
from verifier import cli

SPEC = """\
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{differential_privacy: {exp_epsilon: 2}}]
"""
OLDER = {"search": "--output", "init": "--output", "audit": "--write", "region": "--plot"}
SET = ["--set", "p=3/4"]
TAKEN = [  # each writes below a file
    ["check", "spec.yaml", *SET, "--certificates", "taken/proofs"],
    ["check", "spec.yaml", *SET, "--report", "json=taken/report.json"],
    ["sweep", "spec.yaml", *SET, "--out", "taken/t.csv"],
    ["search", "spec.yaml", *SET, "--out", "taken/found"],
    ["init", "--out", "taken/survey.yaml"],
    ["audit", BINARY, "--epsilon", "1", "--out", "taken/spec.yaml"],
    ["region", "spec.yaml", "--out", "taken/a.svg"],
    ["plot", "spec.yaml", *SET, "--what", "odds", "--out", "taken/a.svg"],
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(SPEC, encoding="utf-8")
    Path("taken").touch()


@pytest.mark.parametrize("arguments", TAKEN, ids=[" ".join(one[::3]) for one in TAKEN])
def test_what_cannot_be_written_is_one_error(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is as where standard output cannot be written: 4, whatever was decided."""
    if ".svg" in arguments[-1]:
        pytest.importorskip("matplotlib")
    install(monkeypatch)
    assert cli.main(arguments) == 4
    said = capsys.readouterr().err
    assert "S701 cannot write 'taken/" in said and "Traceback" not in said
    assert "hint: name a file below a folder that you may write to" in said


def test_older_names_are_taken_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for command, older in OLDER.items():
        needed = {"audit": [BINARY], "init": []}.get(command, ["spec.yaml"])
        parser = cli._parser([command])
        for name in (older, "--out"):
            options = parser.parse_args([command, *needed, name, "a.svg"])
            assert options.out == Path("a.svg")
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        said = capsys.readouterr().out
        assert "--out " in said and f"{older} " not in said

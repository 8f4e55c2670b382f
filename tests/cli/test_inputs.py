"""Files that arguments name: folders, patterns, standard input, and the same file twice."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from verifier import cli
from verifier.cli import inputs

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
HEAD = "worlds: {records: 2, domain: [0, 1]}\nmechanism: {randomized_response: {truth: 3/4}}\n"
SPEC = f"{HEAD}checks:\n  - differential_privacy: {{exp_epsilon: 3}}\n"
IN_JSON = json.dumps({"checks": [], "worlds": ["a"]})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    """Files by their names, of which `__` is a slash and the last `_` a dot."""
    for name, text in files.items():
        path = Path(".".join(name.replace("__", "/").rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def checked(capsys: Capture, *arguments: str) -> list[str]:
    """The names of the files of which results are told."""
    cli.main(["check", "--format", "json", *arguments])
    return [result["file"] for result in json.loads(capsys.readouterr().out)["results"]]


def test_a_folder_stands_for_the_spec_files_below_it() -> None:
    write(
        s__b_yaml=SPEC,
        s__a_yml=SPEC,
        s__deep__c_json=IN_JSON,
        s__data_csv=SPEC,
        s__other_yaml="title: no worlds\nchecks: []\n",
        s__nested_yaml="a:\n  worlds: 1\n  checks: 2\n",
        s__report_json='{"results": [{"worlds": 1, "checks": 2}]}',
        s__hidden__d_yaml=SPEC,
    )
    os.rename("s/hidden", "s/.hidden")
    assert list(inputs.named("s")) == ["s/a.yml", "s/b.yaml", "s/deep/c.json"]


@pytest.mark.parametrize(
    ("text", "is_spec"),
    [
        ("worlds: [a]\nchecks: []\n", True),
        ("\"checks\" : []\n'worlds': [a]\n", True),
        ("\ufeffworlds: [a]\nchecks: []\n", True),
        ("{worlds: [a], checks: []}", True),
        ('  {"worlds": ["a"], "checks": []}', True),
        ('{"worlds": [', False),
        ('{"worlds": ["checks"', True),  # damaged: an error tells it when it is read
        (" worlds: [a]\n checks: []\n", True),
        ("--- {worlds: [a], checks: []}\n", True),
        ('"\\x77orlds": [a]\nchecks: []\n', True),
        ("worlds: [a]\n", False),
        ("checks:\n- worlds: [a]\n", False),
        ("inner:\n  worlds: [a]\n  checks: []\n", False),
        ("my_worlds: 1\nchecks: []\n", False),
        ('["worlds", "checks"]', False),
    ],
)
def test_a_spec_file_is_known_by_its_keys(text: str, is_spec: bool) -> None:
    write(a_yaml=text)
    if is_spec:
        assert list(inputs.named(".")) == ["./a.yaml"]
    else:
        with pytest.raises(inputs.InputError, match="no spec file"):
            list(inputs.named("."))


def test_patterns_are_those_of_a_shell(capsys: Capture) -> None:
    write(a_yaml=SPEC, b_yaml=SPEC, x__c_yaml=SPEC, x__y__d_yaml=SPEC)
    assert checked(capsys, "?.yaml") == ["a.yaml", "b.yaml"]
    assert checked(capsys, "[b]*") == ["b.yaml"]
    everything = ["a.yaml", "b.yaml", "x/c.yaml", "x/y/d.yaml"]
    assert checked(capsys, "**/*.yaml") == everything
    assert checked(capsys, "x*") == ["x/c.yaml", "x/y/d.yaml"], "folders that match are read"


def test_a_file_whose_name_looks_like_a_pattern(capsys: Capture) -> None:
    Path("[a].yaml").write_text(SPEC, encoding="utf-8")
    write(a_yaml=SPEC)
    assert checked(capsys, "[a].yaml") == ["[a].yaml"]


def test_a_file_that_is_named_twice_is_read_once(folder: Path, capsys: Capture) -> None:
    write(x__a_yaml=SPEC, b_yaml=SPEC)
    arguments = ("x/a.yaml", "b.yaml", "./x/a.yaml", str(folder / "b.yaml"), "x", "*.yaml")
    assert checked(capsys, *arguments) == ["x/a.yaml", "b.yaml"]


@pytest.mark.parametrize("argument", ["empty", "*.yml", "**/*.yml"])
def test_nothing_to_check_is_an_error(argument: str, capsys: Capture) -> None:
    write(a_yaml=SPEC)
    Path("empty").mkdir()
    assert cli.main(["check", "a.yaml", argument]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"{argument}:1:1: S001 ") and "hint: " in told.err
    assert told.out.endswith("1 ok, 1 error\n"), "what is there is checked"


def test_a_folder_that_cannot_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    write(s__a_yaml=SPEC)

    def walk(top: str, onerror: object) -> object:
        assert callable(onerror)
        onerror(PermissionError(13, "Permission denied", "s/locked"))

    monkeypatch.setattr(os, "walk", walk)
    with pytest.raises(inputs.InputError, match="cannot read the folder: Permission denied"):
        list(inputs.named("s"))


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["check", "-"], "<stdin>\n  ok"),
        (["show", "-"], "<stdin>"),
        (["check", "--dry-run", "-"], "<stdin>"),
    ],
)
def test_a_dash_is_standard_input(
    command: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(SPEC.encode())))
    assert cli.main(command) == 0
    assert capsys.readouterr().out.startswith(told)


def test_errors_in_standard_input_have_their_place(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    bad = SPEC.replace("3/4", "5/4").encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(bad)))
    assert cli.main(["check", "-", "-"]) == 2
    assert capsys.readouterr().err.startswith("<stdin>:2:42: S104 ")

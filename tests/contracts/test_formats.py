"""Each command writes a report in each format that it offers."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.recipes import step
from tests.lab.adapters.toy import BINARY, install
from verifier import cli
from verifier.questions.witness import Construction, Example, Witness
from verifier.report.words import words

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
RECIPE = "A report format"
COMPARED, ROWS = "pufferfish", "row_cone"  # definitions whose examples the commands are run on
FILES = {  # command -> the definition whose example it is run on
    "advise": COMPARED,  # with a level that is too small
    "certify": COMPARED,
    "check": COMPARED,
    "compose": COMPARED,
    "diff": COMPARED,
    "explain-cone": ROWS,
    "influence": "influence",
    "region": COMPARED,  # with a parameter
    "show": COMPARED,
}
AUDITED = [BINARY, "--epsilon", "1.1"]  # instead of a file


PARAMETER = """\
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks: [{differential_privacy: {exp_epsilon: 1/(1 - p)}}]
"""


def shapes(base: type) -> Iterator[type]:
    """All classes below a class."""
    for one in base.__subclasses__():
        yield one
        yield from shapes(one)


@pytest.mark.parametrize("shape", [*shapes(Witness), *shapes(Construction)])
def test_a_witness_is_said_in_each_format(shape: type[Witness | Construction]) -> None:
    """As lines for people, and as JSON by its keys; a report has a construction under its `key`."""
    assert shape.lines is not Example.lines, step(RECIPE, 1, shape.__name__)
    assert hasattr(shape, "keys"), step(RECIPE, 1, shape.__name__)
    assert issubclass(shape, Witness) or hasattr(shape, "key"), step(RECIPE, 1, shape.__name__)


def offered() -> Iterator[tuple[str, str]]:
    """Each command, and each format that it offers."""
    parsers = next(
        action
        for action in cli._parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for command, parser in parsers.choices.items():
        for action in parser._actions:
            if action.dest == "format":
                yield from ((command, choice) for choice in action.choices or ())


def spec(command: str) -> str:
    """A file for a command; influence curves are about mechanisms too."""
    if command in ("region", "audit"):
        return PARAMETER
    if command == "advise":
        return PARAMETER.replace("1/(1 - p)", "1")
    text = words()[FILES[command]][0].example
    return text + "mechanism: {deterministic: bob}\n" if command == "influence" else text


def nothing(folder: Path) -> str:
    """An empty folder, beside which all checks of another one are new."""
    made = folder.with_name(f"{folder.name}-before")
    made.mkdir()
    return str(made)


@pytest.mark.parametrize(("command", "name"), list(offered()))
def test_a_command_writes_each_format(
    command: str,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    monkeypatch.chdir(tmp_path)
    install(monkeypatch)
    assert command in {*FILES, "audit"}, (
        "a command with formats needs a file to be run on: FILES above"
    )
    file = tmp_path / "spec.yaml"
    file.write_text(spec(command), encoding="utf-8")
    about = str(file)
    if command == "certify":
        about = str(tmp_path / "certificates")
        assert cli.main(["check", str(file), "--certificates", about]) == 0
        capsys.readouterr()
    expect = ["--expect", "holds"] if command == "certify" else []
    if command == "diff":
        about = nothing(tmp_path)
    on = AUDITED if command == "audit" else [about]
    assert cli.main([command, *on, "--format", name, *expect]) == 0, step(RECIPE, 2, name)
    found = capsys.readouterr().out
    assert found.strip(), step(RECIPE, 2, name)
    if name == "json":
        assert json.loads(found), step(RECIPE, 1, name)
    if name == "csv":
        assert len(list(csv.reader(found.splitlines()))) > 1, step(RECIPE, 1, name)
    if name == "html":
        assert found.lower().startswith("<!doctype html>") and "</html>" in found, step(
            RECIPE, 1, name
        )


def test_formats_do_not_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """A format that falls back to another one has no writer of its own."""
    monkeypatch.chdir(tmp_path)
    install(monkeypatch)
    for command in {command for command, _ in offered()} - {"certify"}:
        file = tmp_path / "spec.yaml"
        file.write_text(spec(command), encoding="utf-8")
        names = [name for one, name in offered() if one == command]
        said = []
        about = nothing(tmp_path) if command == "diff" else str(file)
        for name in names:
            on = AUDITED if command == "audit" else [about]
            cli.main([command, *on, "--format", name])
            said.append(capsys.readouterr().out)
        assert len(set(said)) == len(names), (command, step(RECIPE, 1, command))

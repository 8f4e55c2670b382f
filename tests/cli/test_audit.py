"""The command `audit`: its arguments, and the run that its page shows."""

from __future__ import annotations

import json
import shlex
import sys
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

import verifier
from tests.lab.adapters.toy import BINARY, install
from tests.pages import DOCS
from verifier import checker, cli
from verifier.lab.adapters import INEXACT, TARGETS
from verifier.lab.adapters.arguments import KINDS
from verifier.lab.adapters.diffprivlib import DEFAULTS


def test_every_argument_is_one_of_a_mechanism() -> None:
    assert set(KINDS) == {name for names in TARGETS.values() for name in sum(names, ())}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["diffprivlib.mechanisms.Binry"], f"did you mean '{BINARY}'?"),
        (["diffprivlib.mechanisms.Laplace"], "'diffprivlib.mechanisms.Laplace' releases floats"),
        (["diffprivlib.mechanisms.Laplace"], "for one, diffprivlib.mechanisms.Geometric"),
        ([BINARY, "--slack-epsilon", "-1"], "0 or more was expected"),
        ([BINARY, "--slack-delta", "x"], "0 or more was expected"),
        ([BINARY, "--values", "5..0"], "A..B was expected"),
    ],
)
def test_bad_usage(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [] if arguments[0] != BINARY else ["--epsilon", "1"]
    assert cli.main(["audit", *arguments, *given]) == 2
    said = capsys.readouterr().err
    assert told in said and said.startswith("S121 ") and "usage" not in said


def test_an_argument_of_another_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", BINARY, "--scale", "1"]) == 2
    assert "takes --epsilon, --value0, --value1, not --scale" in capsys.readouterr().err


@pytest.mark.parametrize("target", TARGETS)
def test_a_missing_argument_is_named(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With its meaning, and a whole command in which it is not missing."""
    assert cli.main(["audit", target]) == 2
    said = capsys.readouterr().err
    assert f"S121 {target} needs --{TARGETS[target][0][0]}: " in said
    command = shlex.split(said.partition(" such as: verifier ")[2])
    options = cli._parser(command).parse_args(command)
    assert all(getattr(options, name) is not None for name in TARGETS[target][0])
    assert cli.main(command[:-2]) == 2
    assert f"S121 {target} needs --" in capsys.readouterr().err


@pytest.mark.oracle
@pytest.mark.parametrize("target", [one for one in TARGETS if one.startswith("diffprivlib")])
def test_what_is_needed_is_what_the_library_needs(target: str) -> None:
    library = pytest.importorskip("diffprivlib.mechanisms")
    made = getattr(library, target.rpartition(".")[2])
    takes = {one.name: one.default for one in signature(made).parameters.values()}
    needed, optional = TARGETS[target]
    assert [takes[name] for name in needed] == [Parameter.empty] * len(needed)
    assert all(name in DEFAULTS or takes[name] is not Parameter.empty for name in optional)


@pytest.mark.oracle
def test_every_mechanism_of_the_library_is_known_or_refused() -> None:
    library = pytest.importorskip("diffprivlib.mechanisms")
    base = library.base.DPMechanism
    found = {name for name in dir(library) if is_below(getattr(library, name), base)}
    exact = {one.rpartition(".")[2] for one in TARGETS if one.startswith("diffprivlib")}
    assert found == exact | {name for name in INEXACT if not name.startswith("make_")}


def is_below(one: Any, base: type) -> bool:
    return isinstance(one, type) and issubclass(one, base) and one is not base


def test_a_report_where_the_file_goes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--epsilon", "1", "--out", "x.json", "--report", "json=x.json"]
    assert cli.main(["audit", BINARY, *arguments]) == 2
    assert "is a file that is read" in capsys.readouterr().err


def test_a_claim_that_holds_by_slack(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """ln 3 is 1.098612…: 1 is too little, 1 with 0.0987 is enough, as is δ = 3/4 − e/4."""
    install(monkeypatch)
    assert cli.main(["audit", BINARY, "--epsilon", "1"]) == 1
    said = capsys.readouterr().out
    assert "violated; smallest e^ε 3 (ε 1.098612)" in said
    assert "the smallest δ is 0.0704295; at δ = 0 the smallest ε is 0.0986 above" in said
    file = tmp_path / "toy.yaml"
    arguments = ["--slack-epsilon", "0.0987", "--out", str(file), "--format", "json"]
    assert cli.main(["audit", BINARY, "--epsilon", "1", *arguments]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert [one.content for one in verifier.check(file).results] == [found["digest"]]
    assert cli.main(["audit", BINARY, "--epsilon", "1", "--slack-delta", "0.0705"]) == 0


def test_certificates_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch)
    folder = tmp_path / "proofs"
    assert cli.main(["audit", BINARY, "--epsilon", "2", "--certificates", str(folder)]) == 0
    (path,) = (one for one in folder.glob("*.json") if "manifest" not in one.name)
    assert checker.check_file(path).outcome == "accepted"


def test_a_library_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("diffprivlib", "diffprivlib.mechanisms"):
        monkeypatch.setitem(sys.modules, name, None)
    assert cli.main(["audit", BINARY, "--epsilon", "1"]) == 4
    assert "pip install 'privacy-verifier[diffprivlib]'" in capsys.readouterr().err


@pytest.mark.oracle
def test_many_outcomes_stay_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    """With ε = 1/100 noise has some 7000 values: 37·100 on either side."""
    target = "diffprivlib.mechanisms.Geometric"
    assert cli.main(["audit", target, "--epsilon", "0.01"]) == 3
    assert "more than 4000 outcomes" in capsys.readouterr().err


@pytest.mark.oracle
def test_the_page_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "reference" / "audit.md").read_text(encoding="utf-8")
    command, shown = page.split("```console\n$ verifier ")[1].split("```")[0].split("\n", 1)
    assert cli.main(command.split()) == 1
    assert capsys.readouterr().out == shown


@pytest.mark.oracle
def test_what_the_library_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", BINARY, "--epsilon", "-1"]) == 2
    assert "S121 diffprivlib.mechanisms.Binary: Epsilon must be" in capsys.readouterr().err

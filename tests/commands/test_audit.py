"""The command `audit`: its arguments, and the run that its page shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import verifier
from tests.pages import DOCS
from verifier import cli
from verifier.adapters import TARGETS
from verifier.adapters.arguments import KINDS

BINARY = "diffprivlib.mechanisms.Binary"


def test_every_argument_is_one_of_a_mechanism() -> None:
    assert set(KINDS) == {name for names in TARGETS.values() for name in names}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["diffprivlib.mechanisms.Binry"], f"did you mean '{BINARY}'?"),
        ([BINARY, "--slack-epsilon", "-1"], "0 or more was expected"),
        ([BINARY, "--slack-delta", "x"], "0 or more was expected"),
        ([BINARY, "--values", "5..0"], "A..B was expected"),
    ],
)
def test_bad_usage(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["audit", *arguments])
    assert ended.value.code == 2 and told in capsys.readouterr().err


def test_an_argument_of_another_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", BINARY, "--scale", "1"]) == 2
    assert "takes --epsilon, --value0, --value1, not --scale" in capsys.readouterr().err


def test_a_report_where_the_file_goes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--epsilon", "1", "--write", "x.json", "--report", "json=x.json"]
    assert cli.main(["audit", BINARY, *arguments]) == 2
    assert "is a file that is read" in capsys.readouterr().err


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
def test_slack_lets_it_pass_and_the_file_asks_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The smallest level is ln(2⁵³ − 1) = 36.7368…"""
    file = tmp_path / "binary.yaml"
    arguments = ["--epsilon", "36", "--slack-epsilon", "0.74", "--write", str(file)]
    assert cli.main(["audit", BINARY, *arguments, "--format", "json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["results"]
    (result,) = verifier.check(file).results
    assert said["verdict"] == "holds" and said["digest"] == result.content


@pytest.mark.oracle
def test_what_the_library_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", BINARY, "--epsilon", "-1"]) == 2
    assert "S121 diffprivlib.mechanisms.Binary: Epsilon must be" in capsys.readouterr().err

"""The command `advise`, and the line of advice under a violation in `check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.loops import each
from verifier import cli
from verifier.cli import jobs
from verifier.cli.jobs import ADVISED  # as it is; tests change it

pytestmark = pytest.mark.usefixtures("here", "advised")

Capture = pytest.CaptureFixture[str]
HEAD = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
"""
HOLDS = "  - differential_privacy: {exp_epsilon: 3}\n"
VIOLATED = "  - differential_privacy: {exp_epsilon: 2}\n"
EXPECTED = "  - {name: known, differential_privacy: {exp_epsilon: 2}, expect: violated}\n"
LINE = "      holds with exp_epsilon: 3; or delta: 1/4; or truth from 1/3 to 2/3 in line 2"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(VIOLATED)


def write(*checks: str) -> None:
    Path("spec.yaml").write_text(f"{HEAD}checks:\n{''.join(checks)}", encoding="utf-8")


def test_the_lines_to_write(capsys: Capture) -> None:
    write(HOLDS, EXPECTED, VIOLATED)
    assert cli.main(["advise", "spec.yaml"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "spec.yaml",
        "  differential_privacy (exp_epsilon 2): violated; smallest e^ε 3 (ε 1.098612)",
        "      holds with exp_epsilon: 3",
        "           6 |   - differential_privacy: {exp_epsilon: 3}",
        "      holds with delta: 1/4",
        "           6 |   - differential_privacy: {delta: 1/4, exp_epsilon: 2}",
        "      holds with truth from 1/3 to 2/3 in line 2",
        "           2 | mechanism: {randomized_response: {truth: 2/3}}",
    ]


@each("name", ["known", "check 2", "2"])
def test_one_check_also_where_it_is_expected(name: str, capsys: Capture) -> None:
    write(HOLDS, EXPECTED, VIOLATED)
    assert cli.main(["advise", "spec.yaml", "--check", name, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["name"], found["index"], found["verdict"]) == ("known", 1, "violated")
    assert found["advice"][0]["text"] == "exp_epsilon: 3"


def test_bad_input(capsys: Capture) -> None:
    write(HOLDS, EXPECTED)
    assert cli.main(["advise", "spec.yaml"]) == 2
    assert "spec.yaml: there is nothing to advise: no check is violated" in capsys.readouterr().err
    assert cli.main(["advise", "spec.yaml", "--check", "knwn"]) == 2
    said = capsys.readouterr().err
    assert "spec.yaml:1:1: S606 no check is called 'knwn'" in said
    assert "hint: did you mean 'known'?" in said
    assert cli.main(["advise", "gone.yaml"]) == 2
    assert "S001" in capsys.readouterr().err


def test_nothing_is_found_or_decided(capsys: Capture) -> None:
    Path("spec.yaml").write_text(
        "worlds: {records: [ann], domain: [0, 1]}\nmechanism: {deterministic: ann}\n"
        f"checks:\n{VIOLATED}"
    )
    assert cli.main(["advise", "spec.yaml"]) == 3
    assert "nothing was found that it holds with" in capsys.readouterr().out
    write(VIOLATED)
    assert cli.main(["advise", "spec.yaml", "--time-limit", "0.000001"]) == 3
    said = capsys.readouterr()
    assert "the time limit of 1e-06 s was reached" in said.out + said.err


def test_each_choice_of_parameters_is_told(capsys: Capture) -> None:
    """What is written has to serve all of them, so the largest level is advised."""
    text = f"parameters: {{n: [1, 2]}}\n{HEAD}checks:\n".replace("[ann, bob]", "n")
    check = "  - differential_privacy: {exp_epsilon: 2, group: n}\n"
    Path("spec.yaml").write_text(text + check)
    assert cli.main(["advise", "spec.yaml"]) == 0
    told = capsys.readouterr().out
    assert told.count("holds with exp_epsilon: 9") == 1
    assert "holds with exp_epsilon: 3" not in told


def test_a_line_in_check(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    write(HOLDS, EXPECTED, VIOLATED)
    assert cli.main(["check", "spec.yaml"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "holds with" in line] == [LINE]
    assert cli.main(["check", "spec.yaml", "--no-advice"]) == 1
    assert capsys.readouterr().out.splitlines() == [line for line in lines if line != LINE]
    monkeypatch.setenv("VERIFIER_ADVICE", "false")
    assert cli.main(["check", "spec.yaml"]) == 1
    assert "holds with" not in capsys.readouterr().out
    assert cli.main(["check", "spec.yaml", "--advice"]) == 1
    assert LINE in capsys.readouterr().out
    Path("verifier.toml").write_text("advice = false\n")
    monkeypatch.delenv("VERIFIER_ADVICE")
    assert cli.main(["check", "spec.yaml"]) == 1
    assert "holds with" not in capsys.readouterr().out


def test_reports_for_people_and_programs_have_it(capsys: Capture) -> None:
    reports = [f"--report={name}={name}.txt" for name in ("html", "jsonl", "sarif", "junit")]
    assert cli.main(["check", "spec.yaml", "--format", "json", *reports]) == 1
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert [one["says"] for one in found["advice"]] == LINE[17:].split("; or ")
    line = Path("jsonl.txt").read_text().splitlines()[0]
    assert json.loads(line)["advice"] == found["advice"]
    has = {
        name: "1/3 to 2/3" in Path(f"{name}.txt").read_text() for name in ("html", "sarif", "junit")
    }
    assert has == {"html": True, "sarif": False, "junit": False}


@each("name", ["github", "sarif", "junit", "gitlab", "markdown", "latex"])
def test_formats_of_builds_do_not_ask_for_it(
    name: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object) -> None:
        raise AssertionError("advice was asked for")

    monkeypatch.setattr(jobs, "_advised", never)
    assert cli.main(["check", "spec.yaml", "--format", name]) == 1
    assert "holds with" not in capsys.readouterr().out


def test_it_takes_a_second_at_most_for_a_file(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left after the advice on other checks of the file; then nothing is tried."""
    taken: list[float] = []

    def slow(*arguments: object) -> list[object]:
        taken.append(arguments[-1])  # type: ignore[arg-type]
        return []

    monkeypatch.setattr("verifier.lab.advice.advice", slow)
    monkeypatch.setattr(jobs, "ADVISED", ADVISED)
    times = iter([0.0, 0.75, 1.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(jobs, "process_time", lambda: next(times))
    write(VIOLATED, VIOLATED, VIOLATED)
    assert cli.main(["check", "spec.yaml"]) == 1
    assert taken == [ADVISED, ADVISED - 0.75, ADVISED - 1.75]
    assert ADVISED == 1

"""The command `region`: each format, a figure, the smallest value of a list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier import cli

RECORDS = """
title: From which truth on correlated records leak more than 3
source: Kifer, Machanavajjhala 2014, Theorem 6.1; the polynomial by hand
parameters:
  p: 1/2 < p < 1
worlds:
  records: [ann, bob, cat]
  domain: [0, 1]
secrets:
  bob_yes: bob == 1
  bob_no: bob == 0
pairs: [[bob_yes, bob_no]]
priors:
  list:
    - markov:
        initial: stationary                      # (3/7, 4/7)
        transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}
mechanism:
  randomized_response: {truth: p}
checks:
  - pufferfish: {exp_epsilon: 3}
    expect: {holds: 124*p**3 - 400*p**2 + 583*p - 243 <= 0}
  - differential_privacy: {exp_epsilon: p/(1-p)}
  - differential_privacy: {exp_epsilon: 3}
    expect: {holds: p <= 3/4}
    leakage: [[p < 1, p/(1-p)]]
"""
BIT = """
parameters: {p: 0 <= p < 1}
worlds: [a, b]
mechanism: {table: {outputs: [x, y], a: [p, 1-p], b: [1-p, p]}}
checks:
  - differential_privacy: {exp_epsilon: 1 + 2*p, neighbours: all}
    expect: violated
"""


@pytest.fixture
def bit(tmp_path: Path) -> str:
    """p/(1 − p) <= 1 + 2p where 2p² <= 1, up to √½; (1 − p)/p where 2p² + 2p >= 1, from
    (√3 − 1)/2 on."""
    path = tmp_path / "bit.yaml"
    path.write_text(BIT, encoding="utf-8")
    return str(path)


def test_text(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["region", bit]) == 0
    said = capsys.readouterr().out
    assert "holds for      0.366025403784 <= p <= 0.707106781187" in said
    assert "infinite, for p = 0" in said and "(1 - p)/p, for 0 < p <= 1/2" in said
    assert "0.707106781187 is the root of -1 + 2*p^2 near there" in said


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The shape that the page has, with the polynomial of the known answer."""
    path = tmp_path / "records.yaml"
    path.write_text(RECORDS, encoding="utf-8")
    assert cli.main(["region", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    first, *_, last = report["results"]
    assert report["version"] == 1 and (first["index"], last["index"]) == (0, 2)
    (interval,) = first["region"]
    assert interval["from"] == {"rational": "1/2", "closed": False}
    assert interval["to"]["polynomial"] == ["-243", "583", "-400", "124"]
    assert interval["to"]["closed"] is True and len(interval["to"]["between"]) == 2
    (piece,) = last["leakage"]
    assert (piece["numerator"], piece["denominator"]) == (["0", "1"], ["1", "-1"])


def test_the_report_of_check_has_the_same(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the level meets (1 − p)/p and p/(1 − p): roots of 2p² + 2p − 1 and of 2p² − 1."""
    assert cli.main(["check", bit, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert cli.main(["region", bit, "--format", "json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["results"]
    (interval,) = found["region"]
    assert interval["from"]["polynomial"] == ["-1", "2", "2"]
    assert interval["to"]["polynomial"] == ["-1", "0", "2"]
    assert found["leakage"][0]["infinite"] is True
    first, second = ((one["numerator"], one["denominator"]) for one in found["leakage"][1:])
    assert first == (["1", "-1"], ["0", "1"]) and second == (["0", "1"], ["1", "-1"])
    keys = ("parameter", "domain", "region", "leakage")
    assert [found[key] for key in keys] == [told[key] for key in keys]
    for style in ("html", "sarif", "junit", "markdown"):
        assert cli.main(["check", bit, "--format", style]) == 0
    assert "1/2 &lt; p" in capsys.readouterr().out


def test_csv(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["region", bit, "--format", "csv", "--points", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "check,parameter,value,exp_epsilon,level,holds"
    values = [line.split(",")[-4:] for line in lines[1:]]
    assert ["0", "infinite", "1", "no"] in values and ["1/2", "1", "2", "yes"] in values
    assert ["1/4", "3", "3/2", "no"] in values and ["5/8", "5/3", "9/4", "yes"] in values


def test_latex(bit: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sympy")
    assert cli.main(["region", bit, "--format", "latex"]) == 0
    said = capsys.readouterr().out
    assert r"\infty & \text{for } p = 0 \\" in said and r"\le p \le \frac{\sqrt{2}}{2}" in said
    assert r"- \frac{1}{2} + \frac{\sqrt{3}}{2} \le p" in said


def test_a_figure(bit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An image of more than a frame; another kind of file is refused."""
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    assert cli.main(["region", bit, "--plot", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert "<svg" in text and text.count("<path") > 10
    with pytest.raises(SystemExit):
        cli.main(["region", bit, "--plot", "figure.doc"])
    assert "a file .png, .svg, .pdf was expected" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("level", "least"),
    [("n", "n: 2, of 4 values"), ("n - 1", "n: 3, of 4 values"), ("1 + 1/n", "none is found")],
)
def test_the_smallest(
    level: str, least: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Truth 2/3 needs 2: n has it from the start, n − 1 from 3 on, 1 + 1/n never."""
    path = tmp_path / "least.yaml"
    path.write_text(
        "parameters: {n: 2..5}\nworlds: [a, b]\n"
        "mechanism: {table: {outputs: [x, y], a: [2/3, 1/3], b: [1/3, 2/3]}}\n"
        f"checks:\n  - differential_privacy: {{exp_epsilon: {level}, neighbours: all}}\n",
        encoding="utf-8",
    )
    cli.main(["region", str(path), "--least", "n"])
    assert least in capsys.readouterr().out
    cli.main(["region", str(path), "--least", "m"])
    assert "m is no parameter with a list of integers" in capsys.readouterr().out


def test_a_check_without_a_parameter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plain.yaml"
    path.write_text(
        "worlds: [a, b]\nmechanism: {deterministic: 1}\nchecks:\n"
        "  - differential_privacy: {epsilon: 0, neighbours: all}\n",
        encoding="utf-8",
    )
    for style in ("text", "json", "csv", "latex"):
        assert cli.main(["region", str(path), "--format", style]) == 0
        said = capsys.readouterr()
        assert "no parameter stands in it" in said.out + said.err


def test_a_constant_mechanism_leaks_nothing(tmp_path: Path) -> None:
    """What is compared is equal for every p, and still compared: the answer is not vacuous."""
    path = tmp_path / "constant.yaml"
    constant = BIT.replace("b: [1-p, p]", "b: [p, 1-p]").replace("violated", "holds")
    path.write_text(f"{constant}    leakage: 1\n", encoding="utf-8")
    assert cli.main(["check", "-q", str(path)]) == 0

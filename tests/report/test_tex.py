"""Tables in LaTeX: fractions as fractions, names as text, one row for each line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from verifier import cli
from verifier.report import tex

pytestmark = pytest.mark.usefixtures("here")

Capture = pytest.CaptureFixture[str]
SPEC = r"""
parameters: {p: [3/4, 9/10]}
worlds: {records: 3, domain: [0, 1]}
pairs: values
priors:
  list: [{markov: {initial: stationary, transition: {0: {0: p, 1: 1-p}, 1: {0: 1-p, 1: p}}}}]
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 3}
  - name: 50% of a_b & c\d
    error: {loss: "0 if output == '000' else 1", prior: {iid: {0: 1/3, 1: 2/3}}}
  - pufferfish: {exp_epsilon: 1000}
"""


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("3", "$3$"),
        ("-3/4", r"$-3/4$"),
        ("0.250000", "$0.250000$"),
        ("infinite", r"$\infty$"),
        ("27^(1/2)", r"27\textasciicircum{}(1/2)"),
        ("", ""),
        (f"{10**50}/3", r"$\approx 3.33333333333e+49$"),
    ],
)
def test_a_number(said: str, written: str) -> None:
    assert tex.number(said) == written


def test_an_enclosure_has_the_digits_of_both_ends() -> None:
    third = Fraction(1, 3)
    assert tex.between(third, third + Fraction(1, 10**20)) == r"$\approx 0.33333333$"
    assert tex.between(Fraction(2), Fraction(5, 2)) == "$[2, 2.5]$"


def test_a_row_begins_with_no_option() -> None:
    """After the end of a line LaTeX takes a star and what stands in brackets for its own."""
    rows = list(tex.table(["a"], [[tex.text("[1cm] *")]], "l", "two\nlines"))
    assert rows[0] == r"% two\nlines" and rows[5] == r"{[}1cm] {*} \\"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    text = SPEC.replace("records: 3", "records: [r1, r2, r3]")
    Path("spec.yaml").write_text(text, encoding="utf-8")
    return "spec.yaml"


def test_checks(file: str, capsys: Capture) -> None:
    """Truth 3/4 leaks 3; a record shows 0 with 1/3·3/4 + 2/3·1/4 = 5/12, three of them cubed."""
    assert cli.main(["check", file, "--format", "latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == r"% needs \usepackage{booktabs}"
    assert (
        r"differential\_privacy (exp\_epsilon 3) (p = 3/4) & holds & $3$ & $1.098612$ \\" in lines
    )
    name = r"50\% of a\_b \& c\textbackslash{}d"
    assert any(line.startswith(name) and r"& $1603/1728$ &  \\" in line for line in lines)


def test_the_level_of_another_definition_has_its_own_sign(tmp_path: Path, capsys: Capture) -> None:
    """For ln 3 both ways the divergence is ln(3)/2, so that e^ρ is √3 = 1.7320508."""
    file = tmp_path / "rho.yaml"
    head = (
        "worlds: {records: [ann], domain: [0, 1]}\nmechanism: {randomized_response: {truth: 3/4}}\n"
    )
    file.write_text(f"{head}checks: [{{zcdp: {{rho: 1}}}}]\n", encoding="utf-8")
    assert cli.main(["check", str(file), "--format", "latex"]) == 0
    row = r"zcdp (rho 1) & holds & $e^{\rho}$: $\approx 1.7320508$ & $\rho$: $0.549306$ \\"
    assert row in capsys.readouterr().out.splitlines()


def test_what_compares_nothing_has_no_level(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "alone.yaml"
    head = "worlds: {records: [ann], domain: [0]}\nmechanism: {deterministic: ann}\n"
    file.write_text(f"{head}checks: [{{differential_privacy: {{epsilon: 1}}}}]\n", encoding="utf-8")
    assert cli.main(["check", str(file), "--format", "latex"]) == 1
    row = r"differential\_privacy (epsilon 1) & failed: vacuous &  &  \\"
    assert row in capsys.readouterr().out.splitlines()


def test_influence(file: str, capsys: Capture) -> None:
    """As p/(1 − p) = 3, and 9 for p = 9/10, on both sides; behind them 5/3 and 41/9."""
    assert cli.main(["influence", file, "--runs", "1", "--format", "latex"]) == 0
    said = capsys.readouterr().out
    assert "% p = 3/4\n% spec.yaml\n% check 3; priors list of 1\n" in said
    assert "$1$ & $9$ & $2.197225$ & r2 = 0 against r2 = 1 & r2" in said
    assert "$1$ & $81$ & $4.394449$ &" in said and r"% mechanism: α = 3 for one entry" in said


def test_runs(file: str, capsys: Capture) -> None:
    """One run: odds change by 3 through the middle record, by (3·3/4 + 1/4)/(3·1/4 + 3/4) = 5/3
    through each of its neighbours, 25/3 in all."""
    assert cli.main(["compose", file, "--runs", "1", "--set", "p=3/4", "--format", "latex"]) == 0
    said = capsys.readouterr().out
    assert r"$1$ & $25/3$ & $2.120264$ & $25/3$ & equal &" in said

"""The command explain-cone: what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.cli import main

pytestmark = pytest.mark.usefixtures("here")

HEAD = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanisms:
  response: {randomized_response: {truth: 3/4}}
  parity: {deterministic: "xor(ann, bob)"}
"""
ASKED = f"{HEAD}checks:\n  - name: four\n    row_cone: {{of: [response], facets: 4}}\n"
PLAIN = f"{HEAD}checks:\n  - differential_privacy: {{exp_epsilon: 3}}\n    mechanism: response\n"
FOUR = """\
  row cone of response: 4 facets, dimension 4
      asked about in: four
    1. 9·P(o|00) + P(o|11) ≥ 3·P(o|01) + 3·P(o|10)
       S₊: xor(ann, bob) == 0
       S₋: xor(ann, bob) == 1
       (1) prior {00: 9/16, 01: 3/16, 10: 3/16, 11: 1/16}: the odds of S₋ against S₊ are 3/5 \
before and at most 1 after
           that is, independently ann {0: 3/4, 1: 1/4}, bob {0: 3/4, 1: 1/4}
       (2) any prior proportional to it inside S₊ and inside S₋: the odds of S₋ against S₊ grow \
by a factor of at most 5/3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "spec.yaml"


def test_equation_3_as_a_text(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """9 x_00 + x_11 ≥ 3 x_01 + 3 x_10 is p² x_00 + (1−p)² x_11 ≥ p(1−p)(x_01 + x_10), p = 3/4."""
    file.write_text(ASKED)
    assert main(["explain-cone", str(file)]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{file}\n{FOUR}    2. ")
    assert text.endswith("    relaxed to two worlds: ln(3)-differential privacy\n")
    assert "parity" not in text.replace("parity of", "")


def test_every_mechanism_where_no_check_asks(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(PLAIN)
    assert main(["explain-cone", str(file)]) == 0
    text = capsys.readouterr().out
    assert "row cone of response: 4 facets, dimension 4\n    1." in text
    parity = text[text.index("row cone of parity") :]
    assert parity.startswith("row cone of parity: 2 facets, dimension 2\n    always P(o|")
    assert "    1. P(o|00) ≥ 0\n    2. P(o|01) ≥ 0\n" in parity
    assert "P(o|01) = P(o|10)\n      P(o|00) = P(o|11)\n" in parity[parity.index("relaxed") :]


def test_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(ASKED)
    assert main(["explain-cone", "--format", "json", str(file)]) == 0
    (cone,) = json.loads(capsys.readouterr().out)["cones"]
    assert (cone["of"], cone["checks"], cone["dimension"]) == (["response"], ["four"], 4)
    first = cone["facets"][0]
    assert first["coefficients"] == {"00": "9", "01": "-3", "10": "-3", "11": "1"}
    assert first["reading"]["positive"] == {"name": "xor(ann, bob) == 0", "worlds": ["00", "11"]}
    assert first["reading"]["weights"] == {"00": "9/16", "01": "3/16", "10": "3/16", "11": "1/16"}
    chances = {"0": "3/4", "1": "1/4"}
    assert first["reading"]["independent"] == {"ann": chances, "bob": chances}
    assert (first["reading"]["prior_odds"], first["reading"]["factor"]) == ("3/5", "5/3")
    assert len(cone["relaxation"]["bounds"]) == 8
    private = {"exp_epsilon": "3", "neighbours": "replace"}
    assert cone["relaxation"]["differential_privacy"] == private


@pytest.mark.parametrize(
    ("worlds", "mechanism", "said"),
    [
        (
            "{records: 1, domain: [a, b, c]}",
            "{randomized_response: {truth: 1/2}}",
            "two worlds: ln(2)-differential privacy\n",
        ),
        (
            "[left, right]",
            "{table: {outputs: [x, y], left: [2/3, 1/3], right: [1/3, 2/3]}}",
            "two worlds: ln(2)-differential privacy for neighbours 'all'\n",
        ),
        (
            "{records: 1, domain: [0, 1]}",
            "{table: {outputs: [x, y], 0: [2/3, 1/3], 1: [1/4, 3/4]}}",
            "two worlds:\n      P(o|0) ≤ 8/3·P(o|1)\n      P(o|1) ≤ 9/4·P(o|0)\n",
        ),
        (
            "{records: 1, domain: [0, 1], absent: true}",
            "{deterministic: 1}",
            "two worlds:\n      P(o|0) = P(o|1)\n      P(o|0) = P(o|⊥)\n",
        ),
    ],
)
def test_relaxations(
    worlds: str, mechanism: str, said: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check = "differential_privacy: {exp_epsilon: 9}"
    file.write_text(f"worlds: {worlds}\nmechanism: {mechanism}\nchecks: [{check}]\n")
    assert main(["explain-cone", str(file)]) == 0
    assert capsys.readouterr().out.endswith(said)


def test_bad_input_and_limits(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"{HEAD}checks:\n  - row_cone: {{of: [respons], facets: 4}}\n")
    assert main(["explain-cone", str(file)]) == 2
    assert f"{file}:7:21: S106" in capsys.readouterr().err
    file.write_text("worlds: [a]\nchecks: [{differential_privacy: {epsilon: 1}}]\n")
    assert main(["explain-cone", str(file)]) == 2
    assert "S605 the file has no mechanism to explain" in capsys.readouterr().err
    file.write_text(ASKED)
    assert main(["explain-cone", "--time-limit", "0.000001", str(file)]) == 3
    assert "undecided: the time limit" in capsys.readouterr().err

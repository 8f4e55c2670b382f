"""A file is read whole before anything is decided, and all that is wrong is told at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.steps import at_most
from verifier import cli
from verifier.base.errors import MOST_ERRORS, InputError, InputErrors, Place
from verifier.spec.reading import read_whole

pytestmark = pytest.mark.usefixtures("here")

WORLDS = "worlds: {records: [ann, bob], domain: [0, 1]}\n"
BIT = "mechanism: {randomized_response: {truth: 3/4}}\n"
CHECKS = "checks: [{differential_privacy: {exp_epsilon: 9}}]\n"


def wrong(tmp_path: Path, text: str) -> list[tuple[str, int]]:
    """The codes and lines of all errors of a file."""
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_whole(path)
    return [(error.code, error.place.line) for error in caught.value.all if error.place]


def test_every_section_tells_its_errors(tmp_path: Path) -> None:
    text = """\
worlds: {records: [ann, bob], domain: [0, 1], where: ann <= bobb}
secrets:
  s: ann = 1
  t: ann == 'x'
  u: bob == 1
mechanisms:
  first: {deterministic: nothing}
  second:
    program: |
      if ann == '1':
          return 1
      return 0
chekcs: []
checks:
  - differential_privacy: {epsilom: 1}
    mechanism: first
  - pufferfishh: {epsilon: 1}
"""
    assert wrong(tmp_path, text) == [
        ("S303", 1),
        ("S301", 3),
        ("S309", 4),
        ("S303", 7),
        ("S309", 10),
        ("S015", 13),
        ("S015", 15),
        ("S015", 17),
    ]


def test_what_needs_worlds_tells_its_errors_together(tmp_path: Path) -> None:
    text = f"""\
{WORLDS}pairs: [[s, t]]
priors: {{list: [{{iid: {{0: 1/2, 1: 1/3}}}}]}}
mechanisms:
  first: {{deterministic: 1/(ann - bob)}}
  second: {{randomized_response: {{truth: 3/2}}}}
checks:
  - {{differential_privacy: {{exp_epsilon: 1/2}}, mechanism: first}}
  - {{differential_privacy: {{exp_epsilon: 2}}, mechanism: second, leakage: high}}
"""
    assert wrong(tmp_path, text) == [
        ("S405", 2),
        ("S504", 3),
        ("S307", 5),
        ("S104", 6),
        ("S601", 8),
        ("S607", 9),
    ]


def test_an_error_is_told_once(tmp_path: Path) -> None:
    """Both checks and the section of mechanisms meet the same error."""
    text = f"{WORLDS}mechanism: {{deterministic: 1/ann}}\n"
    text += f"checks:{' [{differential_privacy: {exp_epsilon: 2}}, {noiseless: {epsilon: 1}}]'}\n"
    assert ("S307", 2) in wrong(tmp_path, text)
    assert len(wrong(tmp_path, text)) == 2  # noiseless has no priors


def test_at_most_so_many_errors_are_told() -> None:
    errors = [InputError("S303", "x", Place("a.yaml", line, 1)) for line in range(50, 0, -1)]
    told = InputErrors([*errors, InputErrors(errors)]).all
    assert [error.place.line for error in told if error.place] == list(range(1, MOST_ERRORS + 1))


@pytest.mark.parametrize(
    "mechanism",
    [
        "{deterministic: nosuch}",
        "{geometric: {query: count(value == '1'), ratio: 1/2}}",
        "{program: 'return bernoulli(1/2) == 1'}",
        "{post_process: {of: {deterministic: r1 == 7}, map: {}}}",
    ],
)
def test_slips_in_large_spaces_are_told_at_once(mechanism: str, tmp_path: Path) -> None:
    text = f"worlds: {{records: 24, domain: [0, 1]}}\nmechanism: {mechanism}\n{CHECKS}"
    with at_most(10**5):
        assert [line for _, line in wrong(tmp_path, text)] == [2]


def test_sizes_are_told_before_worlds_are_made(tmp_path: Path) -> None:
    text = f"worlds: {{records: 60, domain: [0, 1]}}\nmechanism: {{deterministic: no}}\n{CHECKS}"
    assert wrong(tmp_path, text) == [("S206", 1)]


def test_pairs_that_no_check_uses_are_read(tmp_path: Path) -> None:
    assert wrong(tmp_path, f"{WORLDS}pairs: [[s, t]]\n{BIT}{CHECKS}") == [("S405", 2)]


def test_nothing_is_decided_where_a_later_check_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    check = "differential_privacy: {exp_epsilon: 9}"
    text = f"{WORLDS}{BIT}checks: [{{{check}}}, {{{check}, leakage: x}}, {{blowfish: {{}}}}]\n"
    path.write_text(text, encoding="utf-8")
    assert cli.main(["check", str(path)]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert [line for line in found.err.splitlines() if line.startswith(str(path))] == [
        line for line in found.err.splitlines() if " S60" in line
    ]
    assert cli.main(["check", "--format", "json", str(path)]) == 2
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert [error["code"] for error in errors] == ["S607", "S601"]


def test_a_dry_run_decides_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(
        f"{WORLDS}priors: all\n{BIT}checks:\n  - differential_privacy: {{exp_epsilon: 2}}\n",
        encoding="utf-8",
    )
    assert cli.main(["check", "--dry-run", str(path)]) == 0  # it would be violated
    said = capsys.readouterr().out
    assert said.splitlines()[:3] == [
        str(path),
        "  would check  differential_privacy: expects holds",
        "      pairs: 8",
    ]
    assert "N104" in said
    assert cli.main(["check", "--dry-run", "--strict", str(path)]) == 1
    capsys.readouterr()
    assert cli.main(["check", "--dry-run", "--format", "json", str(path)]) == 0
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["definition"], check["level"]) == ("differential_privacy", {"exp_epsilon": "2"})
    path.write_text(f"{WORLDS}{BIT}checks: [{{blowfish: {{}}}}]\n", encoding="utf-8")
    assert cli.main(["check", "--dry-run", str(path)]) == 2


def test_what_is_too_large_hides_no_error(tmp_path: Path) -> None:
    text = f"{WORLDS}mechanisms:\n  large: {{repeat: {{of: bit, runs: 1000}}}}\n"
    text += "  bit: {randomized_response: {truth: 3/4}}\nchecks:\n"
    text += "  - {differential_privacy: {exp_epsilon: 2}, mechanism: large}\n"
    text += "  - {differential_privacy: {exp_epsilon: 2}, mechanism: bigger}\n"
    assert wrong(tmp_path, text) == [("S106", 7)]

"""`verifier certify`: certificates held against expectations and against spec files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier import cli

pytestmark = pytest.mark.usefixtures("here")

SPEC = """\
worlds: {records: 2, domain: [0, 1]}
mechanism: {randomized_response: {truth: TRUTH}}
checks:
  - differential_privacy: {exp_epsilon: 3}
    leakage: LEAKAGE
  - name: a hair below
    differential_privacy: {exp_epsilon: LEVEL}
    expect: violated
"""
FIRST, SECOND = "a.yaml-1.json", "a.yaml-2.json"


def written(truth: str = "3/4", level: str = "299/100", leakage: str = "3") -> str:
    """A spec file, of which the first check holds with leakage 3."""
    return SPEC.replace("TRUTH", truth).replace("LEVEL", level).replace("LEAKAGE", leakage)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec file `a.yaml`, and its certificates in `out`."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(written())
    assert cli.main(["check", "a.yaml", "--certificates", "out"]) == 0
    return tmp_path


def certify(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    capsys.readouterr()
    return cli.main(["certify", *arguments]), capsys.readouterr().out


def test_the_certificates_of_a_file(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = certify(capsys, "out", "--spec", "a.yaml")
    assert status == 0 and text.count(": accepted: ") == 2
    assert "differential_privacy (neighbours: replace; group: 1) at exp_epsilon 3" in text
    assert "taken from the engine: the matrix, the worlds" in text


def test_what_is_expected_without_a_file(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(capsys, f"out/{FIRST}")[0] == 0
    assert certify(capsys, f"out/{SECOND}", "--expect", "violated")[0] == 0
    for file, expected in ((SECOND, "holds"), (FIRST, "violated"), (FIRST, "vacuous")):
        status, text = certify(capsys, f"out/{file}", "--expect", expected)
        assert status == 1 and f"expected {expected}" in text


def test_vacuous_is_not_holds(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One possible world: nothing is compared."""
    worlds = "worlds: {records: 1, domain: [0, 1], where: r1 == 0}\n"
    check = "checks: [{differential_privacy: {epsilon: 0}, expect: vacuous}]\n"
    Path("v.yaml").write_text(f"{worlds}mechanism: {{deterministic: r1}}\n{check}")
    assert cli.main(["check", "v.yaml", "--certificates", "out"]) == 0
    assert certify(capsys, "out/v.yaml-1.json")[0] == 1
    assert certify(capsys, "out/v.yaml-1.json", "--expect", "vacuous")[0] == 0
    assert certify(capsys, "out/v.yaml-1.json", "--spec", "v.yaml")[0] == 0


@pytest.mark.parametrize(
    "changed, told",
    [
        (written(truth="2/3", leakage="2"), "is another one, or has changed since"),
        (written(level="298/100"), "is another one, or has changed since"),
        (written() + "# a comment\n", "is another one, or has changed since"),
    ],
)
def test_a_file_that_has_changed(
    made: Path, capsys: pytest.CaptureFixture[str], changed: str, told: str
) -> None:
    """Its certificates are stale, and its checks have none."""
    Path("a.yaml").write_text(changed)
    status, text = certify(capsys, "out", "--spec", "a.yaml")
    assert status == 1 and text.count(told) == 2
    assert text.count("no accepted certificate answers this check") == 2


def test_a_missing_one_and_one_too_many(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = certify(capsys, f"out/{FIRST}", "--spec", "a.yaml")
    assert status == 1
    assert "a.yaml: check 2 (a hair below): not as expected: no accepted certificate" in text
    status, text = certify(capsys, "out", f"out/{FIRST}", "--spec", "a.yaml")
    assert status == 1 and f"'out/{FIRST}' answers the same check" in text


def test_a_certificate_of_another_file(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the mechanism is the same."""
    Path("b.yaml").write_text(f"title: another file\n{written()}")
    assert cli.main(["check", "b.yaml", "--certificates", "out"]) == 0
    status, text = certify(capsys, "out/b.yaml-1.json", f"out/{SECOND}", "--spec", "a.yaml")
    assert status == 1 and "its file is another one" in text
    assert certify(capsys, "out", "--spec", "a.yaml", "--spec", "b.yaml")[0] == 0


def test_a_question_that_was_edited(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its digest made anew the checker accepts the easier question; the file does not."""
    from tests.checker.drafts import digest_of

    path = Path("out") / FIRST
    document = json.loads(path.read_text())
    document["question"]["level"]["exp_epsilon"] = "4"
    document["digest"] = digest_of(document["question"])
    path.write_text(json.dumps(document))
    assert certify(capsys, str(path))[0] == 0
    status, text = certify(capsys, "out", "--spec", "a.yaml")
    assert status == 1 and "the check asks another question (level differ)" in text


def test_an_answer_that_the_file_does_not_expect(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file asserts another leakage; its certificate is about the same question."""
    Path("a.yaml").write_text(written(leakage="[1, 2]"))
    assert cli.main(["check", "a.yaml", "--certificates", "out"]) == 1
    status, text = certify(capsys, "out", "--spec", "a.yaml")
    assert status == 1 and "the file expects the leakage [1, 2]" in text


def test_no_certificate_at_all(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert certify(capsys, "empty")[0] == 2
    Path("out/broken.json").write_text("{}")
    status, text = certify(capsys, "out", "--spec", "a.yaml")
    assert status == 2 and "out/broken.json: refused" in text


def test_a_rejected_one(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path("out") / FIRST
    document = json.loads(path.read_text())
    document["answer"]["leakage"]["exp_epsilon"] = "2"
    path.write_text(json.dumps(document))
    status, text = certify(capsys, "out", "--spec", "a.yaml")
    assert status == 4 and "rejected" in text


def test_the_report_in_json(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = certify(capsys, "out", "--spec", "a.yaml", "--format", "json")
    first = json.loads(text)["certificates"][0]
    assert status == 0 and first["subject"] == f"out/{FIRST}" and first["status"] == "accepted"
    assert first["taken"] == ["matrix", "worlds"]
    assert first["claim"].endswith("…]") and "check 1 of a file" in first["claim"]


def test_files_that_a_spec_reads_are_part_of_the_question(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A comment in a table changes its digest, though not the mechanism."""
    Path("m.csv").write_text("world,a,b\nw,1/2,1/2\nv,1/3,2/3\n")
    check = "checks: [{differential_privacy: {exp_epsilon: 2, neighbours: all}}]\n"
    Path("c.yaml").write_text(f"worlds: [w, v]\nmechanism: {{csv: m.csv}}\n{check}")
    assert cli.main(["check", "c.yaml", "--certificates", "out"]) == 0
    assert certify(capsys, "out/c.yaml-1.json", "--spec", "c.yaml")[0] == 0
    Path("m.csv").write_text("world,a,b\nw,1/2,2/4\nv,1/3,2/3\n")
    status, text = certify(capsys, "out/c.yaml-1.json", "--spec", "c.yaml")
    assert status == 1 and "the check asks another question (source differ)" in text


def test_values_of_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A certificate for each value; with --set those of the values that are given."""
    monkeypatch.chdir(tmp_path)
    text = "parameters: {p: [3/4, 2/3]}\n" + written("p", leakage="p/(1 - p)", level="p/(1 - p)")
    Path("a.yaml").write_text(text.replace("    expect: violated\n", ""))
    assert cli.main(["check", "a.yaml", "--certificates", "out"]) == 0
    assert certify(capsys, "out", "--spec", "a.yaml")[0] == 0
    names = [f"out/a.yaml-{number}-p_=_3_4.json" for number in (1, 2)]
    assert certify(capsys, *names, "--spec", "a.yaml", "--set", "p=3/4")[0] == 0
    status, said = certify(capsys, *names, "--spec", "a.yaml")
    assert status == 1 and "check 2 (a hair below, p = 2/3): " in said


OVER = """\
parameters: {p: 1/2 < p < 1}
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks:
  - CHECK
    expect: {holds: p <= 3/4}
    leakage: LEVEL
"""


def test_regions_and_functions_that_a_file_expects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One bit is told truly with probability p: the ratio is p/(1 - p), at most 3 up to 3/4."""
    monkeypatch.chdir(tmp_path)
    private, ranged = "differential_privacy: {exp_epsilon: 3}", "bounded_range: {exp_epsilon: 9}"
    files = {
        "right": (private, "p/(1-p)", "3/4", ""),
        "further": (private, "p/(1-p)", "9/10", "to hold where 1/2 < p <= 9/10"),
        "higher": (private, "7*p/(1-p)", "3/4", "the leakage 7*p/(1 - p)"),
        "pieces": (ranged, "(p/(1-p))**2", "3/4", ""),
        "shorter": (ranged, "(p/(1-p))**2", "2/3", "to hold where 1/2 < p <= 2/3"),
    }
    for name, (check, level, end, wrong) in files.items():
        text = OVER.replace("CHECK", check).replace("LEVEL", level).replace("3/4", end)
        Path(f"{name}.yaml").write_text(text)
        assert cli.main(["check", f"{name}.yaml", "--certificates", name]) == bool(wrong)
        status, told = certify(capsys, name, "--spec", f"{name}.yaml")
        assert status == bool(wrong) and wrong in told, told


def test_a_certificate_that_proves_less_than_its_file_expects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = OVER.replace("CHECK", "bounded_range: {exp_epsilon: 9}").replace(
        "    leakage: LEVEL\n", ""
    )
    Path("a.yaml").write_text(text)
    assert cli.main(["check", "a.yaml", "--certificates", "out"]) == 0
    (path,) = (one for one in Path("out").rglob("*.json") if one.name != "manifest.json")
    document = json.loads(path.read_text())
    pieces, shown = document["answer"]["pieces"], document["evidence"]["places"]
    for at, piece in enumerate(pieces):
        if piece["verdict"] == "holds":
            pieces[at] = {"from": piece["from"], "to": piece["to"], "undecided": True}
            shown[at] = None
    document["answer"]["region"] = []
    path.write_text(json.dumps(document))
    status, told = certify(capsys, str(path), "--expect", "violated")
    assert status == 0 and "violated (undecided for 1/2 < p <= 3/4)" in told
    status, told = certify(capsys, str(path), "--spec", "a.yaml")
    assert status == 1 and "undecided where 1/2 < p <= 3/4" in told

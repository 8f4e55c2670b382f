"""The command line: exit statuses, formats, certificates, explanations."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.loops import each
from verifier import checker, cli
from verifier.base.errors import CODES
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS
from verifier.checker import Verdict
from verifier.cli import arguments
from verifier.run.supervision import supervisor

pytestmark = pytest.mark.usefixtures("here")

Write = Callable[..., str]
Capture = pytest.CaptureFixture[str]

HEAD = "worlds: {records: 2, domain: [0, 1]}\nmechanism: {randomized_response: {truth: 3/4}}\n"
OK = "differential_privacy: {exp_epsilon: 3}"
FAILED = "differential_privacy: {exp_epsilon: 2}"
UNDECIDED = "universally_composable: {pairs: values, priors: {constraints: ['P(00) >= 1/5']}}"
BAD = "differential_privacy: {exp_epsilon: 0}"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a spec with the given checks, and gives its path."""

    def do(name: str, *checks: str, head: str = HEAD) -> str:
        path = tmp_path / name
        path.write_text(f"{head}checks:\n" + "".join(f"  - {check}\n" for check in checks))
        return str(path)

    return do


@pytest.mark.parametrize(
    ("checks", "status"),
    [([OK], 0), ([OK, OK], 0), ([FAILED], 1), ([BAD], 2), ([UNDECIDED], 3), ([UNDECIDED, OK], 3)],
)
@pytest.mark.processes
def test_exit_status(write: Write, checks: list[str], status: int) -> None:
    assert cli.main(["check", write("a.yaml", *checks)]) == status


@pytest.mark.processes
def test_a_rejected_certificate_is_never_a_pass(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(checker, "check", lambda document: Verdict("rejected", "because"))
    assert cli.main(["check", write("a.yaml", OK)]) == 4
    assert "because" in capsys.readouterr().out


@pytest.mark.processes
def test_a_crash_is_never_a_pass(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def crash(document: Any) -> Verdict:
        raise ZeroDivisionError

    monkeypatch.setattr(checker, "check", crash)
    assert cli.main(["check", write("a.yaml", OK)]) == 4
    assert "internal error: ZeroDivisionError" in capsys.readouterr().err


def test_the_worst_status_wins(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """4 before 2 before 1 before 3 before 0, in whatever order the files come."""
    ok, failed, undecided, bad = (
        write(f"{number}.yaml", check) for number, check in enumerate((OK, FAILED, UNDECIDED, BAD))
    )
    for files, status in (
        ([ok, undecided], 3),
        ([ok, undecided, failed], 1),
        ([ok, undecided, failed, bad], 2),
    ):
        assert cli.main(["check", *files]) == status
        assert cli.main(["check", *files[::-1]]) == status
    real = checker.check
    monkeypatch.setattr(
        checker,
        "check",
        lambda made: Verdict("rejected", "") if made["claim"]["verdict"] == "holds" else real(made),
    )
    assert cli.main(["check", bad, failed, undecided, ok]) == 4


def test_a_gate_that_fails_closed(write: Write, tmp_path: Path, capsys: Capture) -> None:
    good, empty = write("good.yaml", OK), write("empty.yaml")
    missing = str(tmp_path / "missing.yaml")
    assert cli.main(["check", good, missing]) == 2
    said = capsys.readouterr()
    assert "1 ok" in said.out and f"{missing}:1:1: S001" in said.err
    assert cli.main(["check", str(tmp_path)]) == 2
    assert cli.main(["check", good, empty]) == 2
    assert "S014" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["certify"],
        ["explain"],
        ["chekc", "a.yaml"],
        ["check", "--fast", "a.yaml"],
        ["check", "--format", "xml", "a.yaml"],
        ["check", "--time-limit", "0", "a.yaml"],
        ["check", "--time-limit", "-1", "a.yaml"],
        ["check", "--time-limit", "nan", "a.yaml"],
        ["check", "--time-limit", "soon", "a.yaml"],
        ["check", "--memory-limit", "0", "a.yaml"],
        ["check", "--memory-limit", "2X", "a.yaml"],
        ["check", "--memory-limit", "-2G", "a.yaml"],
        ["models", "all"],
    ],
)
def test_bad_usage(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("usage: verifier")


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("2K", 2048), ("512M", 2**29), ("2GB", 2**31), ("1gib", 2**30)]
)
def test_sizes(text: str, size: int) -> None:
    assert arguments.size(text) == size


def test_json(write: Write, capsys: Capture) -> None:
    """The schema, and the same bytes each time but for the seconds."""
    files = [write("a.yaml", OK, FAILED, UNDECIDED), write("b.yaml", BAD)]

    def report() -> dict[str, Any]:
        assert cli.main(["check", "--format", "json", *files]) == 2
        made: dict[str, Any] = json.loads(capsys.readouterr().out)
        for result in made["results"]:
            assert 0 <= result.pop("seconds") < 10
        return made

    first = report()
    assert json.dumps(first) == json.dumps(report())
    assert first["summary"] == {"ok": 1, "failed": 1, "undecided": 1, "errors": 1}
    assert [error["code"] for error in first["errors"]] == ["S601"]
    good, bad, open_ = first["results"]
    definition = "differential_privacy"
    shared = {"file": files[0], "name": None, "definition": definition}
    assert good.pop("asks")["options"] == {"neighbours": "replace", "group": "1"}
    for key in ("digest", "promise"):
        assert len(good.pop(key)) == len("sha256:") + 64
    assert len(good.pop("id")) == 16 and good.pop("asserted") is None
    scope = {"worlds": 4, "outputs": 4, "pairs": 8}  # 4 lines of 2 worlds, both orders
    # P(00 | 00) = 9/16 against P(00 | 01) = 3/16, the first in the file's order
    largest = {
        "pair": ["00", "01"],
        "prior": {"00": "1/2", "01": "1/2"},
        "output": "00",
        "prior_odds": "1",
        "posterior_odds": "3",
        "ratio": "3",
    }
    assert good.pop("tight") == largest
    assert good | {"scope": None, "certificate": None} == {
        **shared,
        "label": f"{definition} (exp_epsilon 3)",
        "line": HEAD.count("\n") + 2,
        "column": 5,
        "index": 0,
        "mechanism": None,
        "status": "ok",
        "verdict": "holds",
        "expected": "holds",
        "ok": True,
        "level": {"exp_epsilon": "3", "delta": "0"},
        "level_epsilon": "1.098612",  # ln 3 = 1.0986122…
        "leakage": {"exp_epsilon": "3", "attained": True},
        "epsilon": "1.098612",
        "scope": None,
        "witness": None,
        "certificate": None,
        "reason": None,
    }
    assert bad["tight"] == bad["witness"]
    assert scope.items() <= good["scope"].items()
    assert good["certificate"] == {"rule": "inequality", "accepted": True, "path": None}
    assert bad["verdict"] == "violated" and bad["ok"] is False
    assert bad["witness"] == bad["tight"] == largest
    assert (open_["verdict"], open_["leakage"], open_["certificate"]) == ("undecided", None, None)


@pytest.mark.usefixtures("advised")
def test_text(write: Write, capsys: Capture) -> None:
    file = write("a.yaml", OK, FAILED)
    assert cli.main(["check", file]) == 1
    assert capsys.readouterr().out.splitlines() == [
        file,
        "  ok  differential_privacy (exp_epsilon 3): holds; smallest e^ε 3 (ε 1.098612)",
        "  FAILED  differential_privacy (exp_epsilon 2): violated; smallest e^ε 3 (ε 1.098612)",
        "      expected holds, found violated",
        "      pair 00 against 01; prior {00: 1/2, 01: 1/2}",
        "      output 00: odds 1 before, 3 after, ratio 3",
        "      holds with exp_epsilon: 3; or delta: 1/4; or truth from 1/3 to 2/3 in line 2",
        "1 ok, 1 failed",
    ]


def test_quiet(write: Write, capsys: Capture) -> None:
    """What is not ok as without the option, under the names of its files alone; and the counts."""
    files = [write("a.yaml", OK, OK), write("b.yaml", OK, FAILED, UNDECIDED), write("c.yaml", OK)]
    noted = write("d.yaml", OK, head=f"{HEAD}priors: all\n")
    assert cli.main(["check", *files]) == 1
    wordy = capsys.readouterr().out.splitlines()
    assert cli.main(["check", "--quiet", *files]) == 1
    said = capsys.readouterr().out.splitlines()
    kept = [line for line in wordy if "  ok  " not in line and line not in (files[0], files[2])]
    assert said == [*kept[:-1], "files: 3, checks: 6", "4 ok, 1 failed, 1 undecided"]
    assert said[0] == files[1] and "      expected holds, found violated" in said
    assert cli.main(["check", "-q", files[0]]) == 0
    assert capsys.readouterr().out == "files: 1, checks: 2\n2 ok\n"
    assert cli.main(["check", "-q", noted]) == 0
    assert capsys.readouterr().out == "files: 1, checks: 1\n1 ok, 1 note\n"
    assert cli.main(["check", "-q", "--strict", noted]) == 1
    assert "N104" in capsys.readouterr().out


def test_names_with_any_letters(write: Write, capsys: Capture) -> None:
    head = "worlds: [naïve, 世界]\nmechanism: {deterministic: world}\n"
    check = "{differential_privacy: {exp_epsilon: 2, neighbours: all}, name: ⊥🙂, expect: violated}"
    assert cli.main(["check", write("été.yaml", check, head=head)]) == 0
    assert "ok  ⊥🙂: violated" in capsys.readouterr().out


def test_certificates_are_certified_by_the_other_program(
    write: Write, tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "certificates"
    files = [write("a.yaml", OK, FAILED), write("b.yaml", "sensitivity: {query: r1}")]
    assert cli.main(["check", *files, "--certificates", str(folder)]) == 1
    written = sorted(map(str, folder.rglob("*.yaml-*.json")))
    assert len(written) == 3
    assert cli.main(["certify", written[0], written[2]]) == 0
    assert cli.main(["certify", written[1], "--expect", "violated"]) == 0
    assert capsys.readouterr().out.count(": accepted: ") == 3
    assert cli.main(["certify", *written]) == 0
    assert capsys.readouterr().out.endswith("3 ok, 1 of them says violated\n")
    assert cli.main(["certify", *written, "--expect", "holds"]) == 1

    document = json.loads(Path(written[0]).read_text())
    document["answer"]["leakage"] = {"exp_epsilon": "2"}
    (tampered := tmp_path / "tampered.json").write_text(json.dumps(document))
    assert cli.main(["certify", str(tampered)]) == 4
    assert cli.main(["certify", written[0], str(tampered)]) == 4
    for content in (b"", b"{}", b"[" * 100_000, b"\xff\xfe", b'{"format": 1}', b"NaN"):
        (garbage := tmp_path / "garbage.json").write_bytes(content)
        assert cli.main(["certify", str(garbage)]) == 2
        assert cli.main(["certify", written[0], str(garbage)]) == 2
    assert cli.main(["certify", str(tmp_path / "missing.json")]) == 2
    capsys.readouterr()
    assert cli.main(["certify", str(folder)]) == 0
    assert capsys.readouterr().out.count(": accepted: ") == 3, "all that is in a folder"


def test_certificates_never_overwrite_each_other(write: Write, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    files = [write("a.yaml", OK), write("other/a.yaml", FAILED)]
    folder = tmp_path / "made"
    assert cli.main(["check", *files, "--certificates", str(folder)]) == 1
    assert len(list(folder.rglob("a.yaml-1.json"))) == 2
    new = tmp_path / "new"
    assert cli.main(["check", files[0], files[0], "--certificates", str(new)]) == 0
    assert len(list(new.rglob("a.yaml-1.json"))) == 1, "a file that is named twice is read once"


@each("subject", [*CODES, *DEFINITIONS.keywords()])
def test_explain(subject: str, capsys: Capture) -> None:
    assert cli.main(["explain", subject]) == 0
    said = capsys.readouterr().out
    assert said.startswith(subject) and len(said) > len(subject) + 20


@pytest.mark.parametrize(
    ("subject", "hint"),
    [("S19", "S1"), ("pufferfsh", "pufferfish"), ("noiselss", "noiseless"), ("xyzzy", "")],
)
def test_explain_suggests(subject: str, hint: str, capsys: Capture) -> None:
    assert cli.main(["explain", subject]) == 2
    said = capsys.readouterr().err
    assert subject in said and hint in said
    assert ("did you mean" in said) == bool(hint)


def test_models_lists_every_keyword(capsys: Capture) -> None:
    assert cli.main(["models"]) == 0
    words = capsys.readouterr().out.replace(",", " ").split()
    for known in (DEFINITIONS.keywords(), MECHANISMS.keywords(), PRIORS.keywords()):
        assert set(known) <= set(words)


@pytest.mark.processes
@pytest.mark.usefixtures("resting")
def test_progress_tells_of_what_takes_long(
    write: Write, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    honest, notify = checker.check, supervisor._Lane._notify

    def slow(document: Any) -> Verdict:
        while document["question"]["level"]["exp_epsilon"] == "4":
            time.sleep(0.01)
            if (tmp_path / "told").exists():
                break
        return honest(document)

    def notified(lane: Any, watch: Any) -> None:
        notify(lane, watch)
        if watch.message and supervisor.monotonic() - watch.said > 1.2:
            (tmp_path / "told").touch()

    monkeypatch.setattr(checker, "check", slow)
    monkeypatch.setattr(supervisor._Lane, "_notify", notified)
    file = write("a.yaml", OK, "differential_privacy: {exp_epsilon: 4}", OK)
    assert cli.main(["check", file]) == 0
    assert (
        capsys.readouterr().err == f"{file}: check 2 of 3: differential_privacy (exp_epsilon 4)\n"
    )
    (tmp_path / "told").unlink()
    assert cli.main(["check", "--quiet", file]) == 0
    assert capsys.readouterr().err == ""

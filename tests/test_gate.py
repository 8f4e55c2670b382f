"""The command as a gate: limits, signals, streams, and names that want to be taken for answers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.pace import PATIENCE
from verifier import checker, cli
from verifier.base import document
from verifier.run import certify, verify

Capture = pytest.CaptureFixture[str]
HEAD = (
    "worlds: {records: [ann, bob], domain: [0, 1]}\n"
    "mechanism: {randomized_response: {truth: 3/4}}\nchecks:\n"
)
OK = "  - differential_privacy: {exp_epsilon: 3}\n"
SLOW = "  - {differential_privacy: {exp_epsilon: 4}, name: the slow one}\n"
NOTHING = "worlds: {records: [ann, bob], domain: [0, 1], where: ann == bob}\n"


def written(path: Path, *checks: str, head: str = HEAD) -> str:
    path.write_text(head + "".join(checks), encoding="utf-8")
    return str(path)


def work_in_native_code() -> None:
    """No signal handler of Python runs in here."""
    sum(range(10**15))


@pytest.fixture
def hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker hangs in native code at certificates of level 4."""
    honest = checker.check

    def check(document: Any) -> Any:
        if document["question"]["level"]["exp_epsilon"] == "4":
            work_in_native_code()
        return honest(document)

    monkeypatch.setattr(checker, "check", check)


# Nothing compared is no pass.

ALONE = "worlds: [w]\nmechanism: {deterministic: world}\nchecks:\n"
POINT = (
    "worlds: {records: [ann, bob], domain: [0, 1]}\nmechanism: {deterministic: ann}\n"
    "priors: {list: [{worlds: {00: 1}}]}\nchecks:\n"
)
COIN = POINT.replace("00: 1", "00: 1/2, 10: 1/2")
SUM = "worlds: {records: [ann, bob], domain: [0, 1], where: ann == bob}\nchecks:\n"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("head", "check"),
    [
        (ALONE, "differential_privacy: {epsilon: 0, neighbours: all}"),
        (
            f"{NOTHING}mechanism: {{deterministic: ann}}\nchecks:\n",
            "differential_privacy: {epsilon: 0}",
        ),
        (POINT, "pufferfish: {epsilon: 0, pairs: values}"),
        (POINT, "noiseless: {epsilon: 0}"),
        (POINT, "distributional_privacy: {epsilon: 0}"),
        (POINT, "distributional_privacy: {epsilon: 0, form: inference}"),
        (SUM, "sensitivity: {query: ann, graph: {edges: []}}"),
    ],
)
def test_nothing_compared_is_no_pass(
    head: str, check: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "spec.yaml"
    file = written(path, f"  - {check}\n", head=head)
    assert cli.main(["check", file]) == 1
    said = capsys.readouterr().out
    assert "FAILED" in said and "nothing was compared" in said and "--allow-vacuous" in said
    assert cli.main(["check", "--allow-vacuous", file]) == 0
    assert "1 ok, 1 vacuous: nothing was compared" in capsys.readouterr().out
    written(path, f"  - {check}\n    expect: vacuous\n", head=head)
    assert cli.main(["check", "--format", "json", file]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["ok"] and result["leakage"]["vacuous"] is True


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("head", "check"),
    [
        (HEAD, "differential_privacy: {exp_epsilon: 3}"),
        (COIN, "distributional_privacy: {exp_epsilon: 9}"),
        (HEAD, "sensitivity: {query: ann}"),
    ],
)
def test_what_compares_something_is_not_vacuous(head: str, check: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    before = cli.main(["check", written(path, f"  - {check}\n", head=head)])
    file = written(path, f"  - {check}\n    expect: vacuous\n", head=head)
    assert cli.main(["check", file]) == 1
    assert (
        result := next(verify.run(file))
    ).mismatch and "something is compared" in result.mismatch
    assert not result.vacuous and before in (0, 1)


# Limits.


@pytest.mark.usefixtures("resting")
def test_a_check_that_hangs_leaves_the_others_decided(
    tmp_path: Path, hang: None, capsys: Capture
) -> None:
    files = [written(tmp_path / f"{name}.yaml", OK, SLOW, OK) for name in "ab"]
    assert cli.main(["check", "--time-limit", "0.3", *files]) == 3
    lines = capsys.readouterr().out.splitlines()
    marks = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert marks == ["ok", "undecided", "ok"] * 2
    assert lines[0] == files[0] and lines.count(files[0]) == 1
    assert "the time limit of 0.3 s was reached (--time-limit)" in "\n".join(lines)
    assert lines[-1] == "4 ok, 2 undecided"


@pytest.mark.usefixtures("resting")
def test_the_total_time_leaves_the_rest_undecided(
    tmp_path: Path, hang: None, capsys: Capture
) -> None:
    files = [written(tmp_path / f"{name}.yaml", OK, SLOW, OK) for name in "ab"]
    arguments = ["check", "--format", "json", "--total-time", "1", "--jobs", "1", *files]
    assert cli.main(arguments) == 3
    report = json.loads(capsys.readouterr().out)
    assert [result["verdict"] for result in report["results"]] == ["holds", *["undecided"] * 2]
    assert all("--total-time" in result["reason"] for result in report["results"][1:])
    (stopped,) = report["stopped"]
    assert stopped.startswith(f"{files[1]}: undecided: ")
    assert report["summary"] == {"ok": 1, "failed": 0, "undecided": 3}


@pytest.mark.usefixtures("resting")
def test_reading_is_limited_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(document, "load", lambda *arguments: work_in_native_code())
    files = [written(tmp_path / f"{name}.yaml", OK) for name in "ab"]
    assert cli.main(["check", "--time-limit", "0.3", *files]) == 3
    said = capsys.readouterr().err
    for file in files:
        assert f"{file}: undecided: the time limit of 0.3 s was reached" in said


@pytest.mark.usefixtures("resting")
@pytest.mark.parametrize("command", ["compose", "influence", "explain-cone", "search", "certify"])
def test_limits_hold_for_every_command(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def hang(*arguments: Any, **options: Any) -> None:
        work_in_native_code()

    head = HEAD.replace("checks:", "pairs: values\npriors: {list: [uniform]}\nchecks:")
    file = written(tmp_path / "a.yaml", "  - pufferfish: {exp_epsilon: 3}\n", head=head)
    for module, name in ((verify, "decide"), (checker, "check"), (certify, "read_certificate")):
        monkeypatch.setattr(module, name, hang)
    status = cli.main([command, "--time-limit", "0.1", file])
    said = capsys.readouterr()
    assert status == 3, said
    assert "time limit of 0.1 s" in said.out + said.err


# Signals.


def is_mine(process: str, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False


def processes(mark: str) -> list[str]:
    """The processes whose environment has a mark."""
    return [name for name in os.listdir("/proc") if name.isdecimal() and is_mine(name, mark)]


# The command, but that the checker is never done with certificates of level 4.
SLEEPY = """
import sys, time
from verifier import checker, cli
honest = checker.check
def check(document):
    if document["question"]["level"]["exp_epsilon"] == "4":
        time.sleep(600)
    return honest(document)
checker.check = check
sys.exit(cli.main(sys.argv[1:]))
"""


def started(mark: str, *arguments: str) -> subprocess.Popen[str]:
    """A run that has come to a check that lasts."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPY, "check", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark},
    )
    assert process.stderr
    while "check 2 of 2: the slow one" not in (line := process.stderr.readline()):
        assert line
    return process


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("number", "status", "form"), [(signal.SIGINT, 130, "text"), (signal.SIGTERM, 143, "json")]
)
def test_a_signal_ends_a_run_in_order(number: int, status: int, form: str, tmp_path: Path) -> None:
    file, mark = written(tmp_path / "a.yaml", OK, SLOW), str(uuid4())
    later, written_too = tmp_path / "later.yaml", tmp_path / "report.jsonl"
    options = ["--jobs", "1", "--format", form, "--report", f"jsonl={written_too}"]
    process = started(mark, *options, file, str(later))
    assert len(processes(mark)) == 3
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == status
    wait_until(lambda: not processes(mark))
    assert f"{later}: not run" in err
    lines = [json.loads(line) for line in written_too.read_text("utf-8").splitlines()]
    assert [line.get("status") for line in lines] == ["ok", "not run", "not run", None]
    if form == "text":
        assert out.splitlines()[1:] == [
            "  ok  differential_privacy (exp_epsilon 3): holds; smallest e^ε 3 (ε 1.098612)",
            "  not run  the slow one",
            "      the run was interrupted",
            "1 ok, 1 not run, 1 file not read to its end",
        ]
    else:
        report = json.loads(out)
        assert [result["verdict"] for result in report["results"]] == ["holds", "not run"]
        assert report["summary"] == {"ok": 1, "failed": 0, "undecided": 1, "not_run": 1}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_results_come_at_once_and_a_run_that_is_killed_takes_its_workers_along(
    tmp_path: Path,
) -> None:
    mark = str(uuid4())
    process = started(mark, written(tmp_path / "a.yaml", OK, SLOW))
    assert process.stdout and process.stderr
    process.stdout.readline()
    assert process.stdout.readline().startswith("  ok  ")
    process.kill()
    process.wait()
    wait_until(lambda: not processes(mark))
    process.stdout.close()
    process.stderr.close()


def wait_until(met: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not met():
        assert time.monotonic() < end
        time.sleep(0.01)


# Streams and files.


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_no_pass_without_its_words(tmp_path: Path) -> None:
    """Whatever cannot be written."""
    file = written(tmp_path / "a.yaml", OK)
    shell = f"{sys.executable} -m verifier"
    for redirected, status in (
        (f"check {file} >/dev/full", 4),
        (f"check {file} >&-", 4),
        ("--help >/dev/full", 4),
        (f"check {file} 2>&- </dev/null", 0),
        (f"check {file} <&- 2>/dev/full", 0),
        (f"check {file}.no 2>/dev/full", 2),
        (f"check {file} <&- >&- 2>&-", 4),
    ):
        done = subprocess.run(["sh", "-c", f"{shell} {redirected}"], capture_output=True, text=True)
        assert done.returncode == status, (redirected, done)
        assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("here")
def test_only_regular_files_are_read(tmp_path: Path, capsys: Capture) -> None:
    os.mkfifo(pipe := tmp_path / "pipe.yaml")
    os.mkfifo(tmp_path / "pipe.csv")
    table = written(
        tmp_path / "t.yaml",
        "  - differential_privacy: {exp_epsilon: 2, neighbours: all}\n",
        head="worlds: [a, b]\nmechanism: {csv: pipe.csv}\nchecks:\n",
    )
    for file in (str(pipe), "/dev/zero", "/dev/null", table):
        assert cli.main(["check", file]) == 2
        assert (
            "S001 cannot read" in (said := capsys.readouterr().err) and "not a regular file" in said
        )
    assert cli.main(["certify", str(pipe), "/dev/zero"]) == 2
    assert capsys.readouterr().out.count("refused: not a readable certificate") == 2


@pytest.mark.usefixtures("here")
def test_names_of_any_length_and_any_bytes(tmp_path: Path, capsys: Capture) -> None:
    long = "x" * 5000
    table = written(
        tmp_path / "t.yaml",
        "  - differential_privacy: {exp_epsilon: 2, neighbours: all}\n",
        head=f"worlds: [a, b]\nmechanism: {{csv: {long}}}\nchecks:\n",
    )
    assert cli.main(["check", table, long, "a\0b"]) == 2
    said = capsys.readouterr().err
    assert said.count("S001") == 3 and "Traceback" not in said
    file = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff\n.yaml")
    written(Path(file), OK)
    assert cli.main(["check", file]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path}/\\udcff\\n.yaml\n  ok  ")
    assert cli.main(["check", "--format", "json", file]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["file"] == file


@pytest.mark.usefixtures("here")
def test_five_thousand_names(tmp_path: Path, capsys: Capture) -> None:
    names = [str(tmp_path / f"{number}.yaml") for number in range(5000)]
    assert cli.main(["check", written(tmp_path / "a.yaml", OK), *names]) == 2
    said = capsys.readouterr()
    assert said.err.count("S001") == 5000 and "1 ok" in said.out


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    file = written(tmp_path / "a.yaml", OK)
    for library, package in (("yaml", "PyYAML"), ("numpy", "numpy")):
        code = (
            f"import sys; sys.modules[{library!r}] = None\n"
            "from verifier.cli import main\n"
            f"sys.exit(main(['check', '--memory-limit', '2G', {file!r}]))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 4
        assert f"the library '{library}' cannot be loaded" in done.stderr
        assert f"pip install {package}" in done.stderr
        assert "memory limit" not in done.stderr and not done.stdout


@pytest.mark.parametrize("option", ["--form", "--cert", "--time", "--allow-p", "--mem"])
def test_options_are_not_abbreviated(option: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["check", f"{option}=1", "a.yaml"])
    assert stopped.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


# Names.

EVIL = "ok: holds\n1 ok\n::error file=a::x\n##vso[task.complete]\r\x1b[2J\u202e\u2066\u200b"


@pytest.mark.usefixtures("here")
def test_no_name_is_taken_for_an_answer(tmp_path: Path, capsys: Capture) -> None:
    name = json.dumps(EVIL)
    body = (
        f"worlds: {{records: [ann, bob], domain: [0, 1]}}\ntitle: {name}\nmechanisms:\n"
        f"  {name}: {{randomized_response: {{truth: 3/4}}}}\n"
        f"  other: {{deterministic: {json.dumps(repr(EVIL) + ' if ann == 1 else 0')}}}\n"
        f"secrets: {{{name}: ann == 1, rest: ann == 0}}\n"
        f"pairs: [[{name}, rest]]\npriors: {{list: [uniform]}}\nchecks:\n"
        f"  - {{name: {name}, pufferfish: {{exp_epsilon: 2}}, mechanism: {name}}}\n"
        f"  - {{name: {name}, pufferfish: {{exp_epsilon: 2}}, mechanism: other}}\n"
    )
    file = written(tmp_path / "spec\n1 ok.yaml", head=body)
    for arguments in (
        ["check"],
        ["check", "--format", "json"],
        ["compose", "--runs", "2"],
        ["compose", "--runs", "2", "--format", "csv"],
        ["influence"],
        ["influence", "--format", "csv"],
        ["explain-cone"],
        ["search"],
    ):
        cli.main([*arguments, file])
        said = "".join(capsys.readouterr())
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u202e\u2060-\u2069]", said), said
        assert "\n1 ok" not in said and "\n::" not in said and "##vso[" not in said
    bad = written(tmp_path / "bad.yaml", f"  - {{{name}: {{}}}}\n")
    assert cli.main(["check", bad, EVIL]) == 2
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", capsys.readouterr().err)

"""The command `sweep`: every combination is decided, written once, and never lost."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from fractions import Fraction
from math import inf
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.drawing import wider
from tests.pace import PATIENCE
from verifier import checker, cli
from verifier.cli import progress
from verifier.run import verify

BITS = """
parameters: {p: 1/2 < p < 1, n: 2..4}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: p}}
checks:
  - differential_privacy: {exp_epsilon: n}
  - name: for few
    differential_privacy: {exp_epsilon: 19, delta: 1/10}
    where: n <= 2
"""
Rows = list[dict[str, Any]]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "AGAIN", inf)  # how far it is, is not told
    Path("bits.yaml").write_text(BITS, encoding="utf-8")
    return "bits.yaml"


def rows(path: str) -> Rows:
    """The rows of a table, by somebody who knows the format alone."""
    if path.endswith(".csv"):
        with open(path, newline="", encoding="utf-8") as stream:
            return [
                {key: value or None for key, value in row.items()} for row in csv.DictReader(stream)
            ]
    if path.endswith(".parquet"):
        from pyarrow import parquet

        return list(parquet.read_table(path).to_pylist())
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    found = [dict(row) for row in base.execute("SELECT * FROM results ORDER BY rowid")]
    base.close()
    return found


def ratio(p: str) -> Fraction:
    """The smallest e^ε of randomized response that tells the truth with probability p > 1/2."""
    return Fraction(p) / (1 - Fraction(p))


@pytest.mark.parametrize(
    "table", ["t.csv", "t.sqlite", pytest.param("t.parquet", marks=pytest.mark.oracle)]
)
def test_every_combination_is_decided(
    file: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second check, by δ: both outputs of one bit at e^ε = 19 need max(0, p − 19·(1 − p))."""
    command = ["sweep", file, "--set", "p=11/20..19/20:9", "--out", table, "--jobs", "2"]
    assert cli.main(command) == 1
    said = capsys.readouterr()
    assert said.out.startswith(f"{table}: 27 combinations; ") and not said.err
    found = sorted(rows(table), key=lambda row: (int(row["combination"]), int(row["check_number"])))
    grid = [(Fraction(11, 20) + Fraction(at, 20), n) for at in range(9) for n in (2, 3, 4)]
    expected = [(p, n, check) for p, n in grid for check in (1, 2) if check == 1 or n == 2]
    assert [(Fraction(r["p"]), int(r["n"]), int(r["check_number"])) for r in found] == expected
    for row in found:
        p, n = Fraction(row["p"]), int(row["n"])
        if row["name"] is None:
            assert Fraction(row["leakage"]) == ratio(row["p"]), row
            assert float(row["leakage_float"]) == pytest.approx(float(ratio(row["p"])))
            assert row["level"] == str(n) and row["reason"] == (
                None if ratio(row["p"]) <= n else "expected holds, found violated"
            )
            assert row["verdict"] == ("holds" if ratio(row["p"]) <= n else "violated")
        else:
            assert max(0, p - 19 * (1 - p)) <= Fraction(1, 10) and row["verdict"] == "holds"
            assert row["name"] == "for few" and row["level"] == "19"
        assert row["status"] == ("ok" if row["verdict"] == "holds" else "failed")
        assert row["definition"] == "differential_privacy" and float(row["seconds"]) > 0
    digests = [row["digest"] for row in found]
    assert len(set(digests)) == len(found) and len(digests[0]) == len("sha256:") + 64


def test_rows_are_as_check_has_them(file: str) -> None:
    cli.main(["sweep", file, "--set", "p=2/3,3/4", "--set", "n=2", "--out", "t.csv"])
    report = verify.check(file, values={"p": ["2/3", "3/4"], "n": ["2"]})
    assert [(row["digest"], row["verdict"]) for row in rows("t.csv")] == [
        (result.content, result.verdict) for result in report.results
    ]


def test_what_is_wrong_with_one_combination_is_a_row(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    values = ["--set", "p=2/3,1/2,x,4/6", "--set", "n=1/2,2"]
    assert cli.main(["sweep", file, *values, "--out", "t.csv"]) == 2
    said = capsys.readouterr()
    assert "5 bad input" in said.out
    assert said.err.startswith("bad input, the first of it: ") and said.err.count("\n") == 1
    found = {(row["p"], row["n"], row["check_number"]): row for row in rows("t.csv")}
    assert len(found) == 7  # 4/6 is 2/3
    assert found["2/3", "2", "1"]["verdict"] == "holds"
    for p, n, words in (
        *(("1/2", n, "S806 p = 1/2 lies outside of 1/2 < p < 1") for n in ("1/2", "2")),
        *(("x", n, "S101 'x'") for n in ("1/2", "2")),
        ("2/3", "1/2", "bits.yaml:6:41: S601 "),
    ):
        row = found[p, n, "0"]
        assert row["status"] == "bad" and row["verdict"] is None and row["reason"].startswith(words)


def test_what_can_never_be_equal_for_some_value_is_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each entry is told truly with 3/4; no entry is 2, and the sweep goes on."""
    text = """
parameters: {c: [2, 1, 3, 0]}
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks: [{error: {loss: 1 if output.bob == c else 0}}]
"""
    monkeypatch.chdir(tmp_path)
    Path("loss.yaml").write_text(text, encoding="utf-8")
    assert cli.main(["sweep", "loss.yaml", "--out", "t.csv"]) == 2
    assert "2 bad input" in capsys.readouterr().out
    found = {
        row["c"]: (row["status"], row["leakage"], row["reason"] or "") for row in rows("t.csv")
    }
    assert found["1"] == found["0"] == ("ok", "3/4", "")
    for value in ("2", "3"):
        assert found[value][0] == "bad" and "S309" in found[value][2]


def test_values_go_together_and_stand_in_the_text(file: str) -> None:
    Path(file).write_text(
        BITS.replace("exp_epsilon: n", "exp_epsilon: n, group: $g").replace("for few", "for $g")
    )
    values = ["--set", "p=2/3,3/4,3/4", "--set", "n=2", "--set", "g=1,2,2", "--zip"]
    assert cli.main(["sweep", file, *values, "--out", "t.csv"]) == 1
    found = rows("t.csv")
    assert [(r["p"], r["n"], r["g"], r["leakage"], r["name"]) for r in found] == [
        ("2/3", "2", "1", "2", None),
        ("2/3", "2", "1", found[1]["leakage"], "for 1"),
        ("3/4", "2", "2", "9", None),  # of both records at once; the second time is the same
        ("3/4", "2", "2", found[3]["leakage"], "for 2"),
    ]


def test_a_combination_without_a_check_is_not_asked_about_again(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(file).write_text(BITS.replace("  - differential_privacy: {exp_epsilon: n}\n", ""))
    command = ["sweep", file, "--set", "p=2/3", "--out", "t.csv", "--resume"]
    assert cli.main([*command, "--set", "n=3,4"]) == 2  # no check ran at all
    assert [row["status"] for row in rows("t.csv")] == ["none", "none"]
    assert cli.main(command) == 0
    assert "3 combinations, 2 of them there before; 1 ok" in capsys.readouterr().out


def test_a_table_is_gone_on_with(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """More values, a file that has changed, and one that is as it was."""
    command = ["sweep", file, "--set", "n=19", "--out", "t.csv"]
    assert cli.main([*command, "--set", "p=2/3,3/4"]) == 0
    before = rows("t.csv")
    assert cli.main([*command, "--set", "p=2/3,3/4"]) == 2
    assert "S702 't.csv' is there already" in capsys.readouterr().err
    assert cli.main([*command, "--set", "p=0.75,5/6", "--resume"]) == 0
    assert "2 combinations, 1 of them there before; 1 ok" in capsys.readouterr().out
    after = rows("t.csv")
    assert [row for row in after if row in before] == before and len(after) == 3
    Path(file).write_text(BITS.replace("[ann, bob]", "[ann, bob, cat]"))
    assert cli.main([*command, "--set", "p=2/3", "--resume"]) == 0
    assert "t.csv: 1 combination; 1 ok" in capsys.readouterr().out and len(rows("t.csv")) == 4
    assert cli.main([*command, "--set", "p=2/3", "--resume", "--certificates"]) == 2
    assert "S702" in capsys.readouterr().err


def test_a_table_that_is_gone_on_with_keeps_each_number(file: str) -> None:
    """Texts such as these are read by SQLite as another number than the nearest one."""
    command = ["sweep", file, "--set", "n=19", "--out", "t.csv"]
    assert cli.main([*command, "--set", "p=2/3"]) == 0
    (row,) = rows("t.csv")
    for seconds in ("0.005754", "0.002877", "0.011227"):
        with open("t.csv", "w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, row)
            table.writeheader()
            table.writerow({**row, "seconds": seconds})
        assert cli.main([*command, "--set", "p=2/3", "--resume"]) == 0
        assert [kept["seconds"] for kept in rows("t.csv")] == [seconds]


def test_a_failure_of_a_former_run_is_one_still(file: str) -> None:
    command = ["sweep", file, "--set", "p=2/3..3/4:4", "--set", "n=2", "--out", "t.sqlite"]
    assert cli.main(command) == 1
    assert cli.main([*command, "--resume"]) == 1
    assert cli.main([*command[:2], "--set", "p=3/5", *command[4:], "--resume"]) == 0


def test_a_table_that_a_spec_names_belongs_to_the_key(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("m-1.csv").write_text("world,a,b\nx,1/2,1/2\ny,1/3,2/3\n")
    Path(file).write_text(
        "worlds: [x, y]\nmechanism: {csv: m-$k.csv}\n"
        "checks: [{differential_privacy: {exp_epsilon: 9, neighbours: all}}]\n"
    )
    command = ["sweep", file, "--set", "k=1", "--out", "t.csv", "--resume"]
    assert cli.main(command) == 0 and rows("t.csv")[0]["leakage"] == "3/2"
    assert cli.main(command) == 0 and len(rows("t.csv")) == 1
    Path("m-1.csv").write_text("world,a,b\nx,1/2,1/2\ny,1/4,3/4\n")
    assert cli.main(command) == 0
    assert [row["leakage"] for row in rows("t.csv")] == ["3/2", "2"]


def test_certificates_are_accepted(file: str) -> None:
    assert cli.main(["sweep", file, "--set", "p=2/3,1", "--out", "t.csv", "--certificates"]) == 2
    found = [row["certificate"] for row in rows("t.csv")]
    assert found[-3:] == [None] * 3 and len(found) == 7
    for text in found[:-3]:
        assert checker.check(json.loads(text)).outcome == "accepted"


def test_what_does_not_go_together(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong, words in (
        (["--out", "t.csv"], "S801 the real parameter 'p' has no values"),
        (["--out", "t.csv", "--set", "p=2/3", "--set", "q=1"], "S801 the parameter 'q' does not"),
        (["--out", "t.csv", "--set", "p=2/3,3/4", "--set", "n=2,3,4", "--zip"], "S806"),
        (["--out", "t.csv", "--set", "p=1/2..1:9999999"], "S806"),
        (["--out", "t.csv", "--set", "p=2/3", "--engine", "dask"], "--address go together"),
        (["--out", "t.csv", "--set", "p=2/3", "--address", "localhost:1"], "--address go together"),
    ):
        assert cli.main(["sweep", file, *wrong]) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["sweep", file, "--out", "t.txt"])
    assert ".sqlite, .csv, .parquet was expected: 't.txt'" in capsys.readouterr().err
    assert os.listdir(tmp_path) == [file]


@pytest.mark.usefixtures("resting")
def test_a_check_that_stops_nowhere_is_one_row(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As native code, which no signal interrupts: the worker is killed, and its batch goes on
    without this check alone."""
    decide = verify.decide

    def endless(question: Any) -> Any:
        if Fraction(3, 4) in question.claim.mechanism.values:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
            time.sleep(PATIENCE)
        return decide(question)

    monkeypatch.setattr(verify, "decide", endless)
    Path(file).write_text(BITS.replace("[ann, bob]", "[ann]"))
    command = ["sweep", file, "--set", "p=11/20..19/20:9", "--out", "t.csv", "--time-limit", "0.3"]
    assert cli.main([*command, "--set", "n=20", "--jobs", "1"]) == 3
    verdicts = {row["p"]: row["verdict"] for row in rows("t.csv")}
    assert len(verdicts) == 9 and verdicts.pop("3/4") == "undecided"
    assert set(verdicts.values()) == {"holds"}
    assert "8 ok" in capsys.readouterr().out


def test_what_the_total_time_leaves_is_done_later(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["sweep", file, "--set", "p=11/20..19/20:4", "--set", "n=20", "--out", "t.csv"]
    assert cli.main([*command, "--total-time", "0.000001"]) == 3
    said = capsys.readouterr()
    assert "--total-time" in said.err and not Path("t.csv").exists()
    assert cli.main([*command, "--resume"]) == 0 and len(rows("t.csv")) == 4


def test_standard_input_and_progress(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "AGAIN", 0.0)
    reading, writing = os.pipe()
    os.write(writing, BITS.encode())
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert cli.main(["sweep", "-", "--set", "p=3/5", "--set", "n=3,4", "--out", "t.csv"]) == 0
    assert "2 of 2 combinations, " in capsys.readouterr().err
    assert cli.main(["sweep", file, "--set", "p=3/5", "--out", "u.csv", "--quiet"]) == 0
    assert not capsys.readouterr().err


COUNT = wider(120, 600)
KILLS = wider(4, 20)


def test_killed_at_any_instant_it_loses_nothing_and_repeats_nothing(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows with their seconds are the same ever after: each was decided once."""
    command = ["sweep", file, "--set", f"p=101/200..199/200:{COUNT}", "--set", "n=199"]
    command += ["--out", "t.csv", "--resume", "--jobs", "2"]
    draw, known = random.Random(1), dict[str, Any]()
    for _ in range(KILLS):
        ended(command, draw.uniform(0, 0.8), draw.choice((signal.SIGKILL, signal.SIGTERM)))
        if not Path("t.csv").exists():
            found = {row["key"]: row for row in kept("t.csv.partial")}
            assert all(found.get(key) == row for key, row in known.items())
            known = found
    assert cli.main(command) == 0
    before = f", {len(known)} of them there before" if known else ""
    if not Path("t.csv").exists():
        assert f"{COUNT} combinations{before}; {COUNT - len(known)} ok" in capsys.readouterr().out
    found = rows("t.csv")
    assert len({row["key"] for row in found}) == len(found) == COUNT
    for row in found:
        assert Fraction(row["leakage"]) == ratio(row["p"]) and row["verdict"] == "holds"
        if row["key"] in known:
            assert row["seconds"] == str(known[row["key"]]["seconds"])
    assert sorted(os.listdir()) == [file, "t.csv"]


def kept(path: str) -> Rows:
    """The rows of a table that is not whole: none where it was ended before it had any."""
    with suppress(sqlite3.OperationalError):
        return rows(path) if os.path.exists(path) else []
    return []


def ended(command: list[str], delay: float, number: int) -> None:
    """Run a command in another process, and end it after a while."""
    sys.stdout.flush()
    process = os.fork()
    if not process:
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            cli.main(command)
        finally:
            os._exit(0)
    time.sleep(delay)
    os.kill(process, number)
    os.waitpid(process, 0)


@pytest.mark.oracle
def test_a_cluster_in_this_process(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two threads of one worker; the rows are those of a sweep without it."""
    from distributed import LocalCluster

    command = ["sweep", file, "--set", "p=101/200..199/200:60", "--set", "n=2"]
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as made:
        there = ["--engine", "dask", "--address", made.scheduler_address]
        assert cli.main([*command, "--out", "t.csv", *there, "--certificates"]) == 1
        assert cli.main([*command[:3], "p=1", *command[4:], "--out", "u.csv", *there]) == 2
    assert cli.main([*command, "--out", "v.csv", "--certificates"]) == 1
    timed = ("seconds",)
    first, second = (
        [{key: value for key, value in row.items() if key not in timed} for row in rows(name)]
        for name in ("t.csv", "v.csv")
    )
    assert first == second and len(first) == 120
    assert rows("u.csv")[0]["status"] == "bad"


@pytest.mark.oracle
def test_a_cluster_of_processes_that_loses_a_worker(file: str) -> None:
    """A scheduler and two workers; one is killed, and what it was at is done by the other."""
    command = ["sweep", file, "--set", "p=101/200..199/200:300", "--set", "n=199", "--out", "t.csv"]
    options = ["--no-dashboard", "--scheduler-file", "scheduler.json"]
    with ExitStack() as stack:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments, *options],
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            stack.callback(finish, process)
            return process

        start("scheduler", "--port", "0", "--host", "127.0.0.1")
        workers = [start("worker", "--no-nanny", "--nthreads", "1") for _ in range(2)]
        address = waited_for(lambda: json.loads(Path("scheduler.json").read_text())["address"])

        def kill() -> None:
            waited_for(lambda: kept("t.csv.partial"))
            finish(workers[0])

        killer = Thread(target=kill)
        killer.start()
        assert cli.main([*command, "--engine", "dask", "--address", address]) == 0
        killer.join()
        assert workers[0].returncode == -signal.SIGKILL
    found = rows("t.csv")
    assert len({row["key"] for row in found}) == len(found) == 300
    assert all(Fraction(row["leakage"]) == ratio(row["p"]) for row in found)


def waited_for(look: Callable[[], Any]) -> Any:
    """What is found once it is there."""
    end = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError, ValueError, sqlite3.Error):
            if found := look():
                return found
        assert time.monotonic() < end
        time.sleep(0.02)


def finish(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

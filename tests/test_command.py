"""The command as a process: streams, closed pipes, limits, what it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from verifier import cli

COMMAND = [sys.executable, "-m", "verifier"]
PRIVATE = "differential_privacy: {exp_epsilon: 3}"


TRUE = "count(value == 1) >= 0"  # of every world


def spec(path: Path, *checks: str, records: int = 2, where: str = "") -> str:
    """A spec file about randomized response, and its path; all worlds of constraints (`where`) are
    enumerated."""
    path.write_text(
        f"worlds: {{records: {records}, domain: [0, 1]{where and f', where: {where}'}}}\n"
        "mechanism: {randomized_response: {truth: 3/4}}\nchecks:\n"
        + "".join(f"  - {check}\n" for check in checks),
        encoding="utf-8",
    )
    return str(path)


def test_the_time_limit_leaves_a_check_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = spec(tmp_path / "a.yaml", PRIVATE, records=12, where=TRUE)
    assert cli.main(["check", "--time-limit", "0.000001", file]) == 3
    said = capsys.readouterr()
    assert "undecided" in said.out + said.err
    assert "the time limit of 1e-06 s was reached" in said.out + said.err


def test_the_memory_limit_leaves_a_check_undecided(tmp_path: Path) -> None:
    for size, bits in (("1K", 2), ("20M", 2), ("300M", 14)):
        file = spec(tmp_path / "a.yaml", PRIVATE, records=bits, where=TRUE)
        done = command("check", "--memory-limit", size, file)
        assert done.returncode == 3, (size, done.stderr)
        assert "the memory limit " in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    file = spec(tmp_path / "b.yaml", PRIVATE)
    assert command("check", "--memory-limit", "99999999T", file).returncode == 0


def command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], text=True, encoding="utf-8", capture_output=True, **options
    )


def test_the_command_as_users_run_it(tmp_path: Path) -> None:
    """No colour where nobody looks; results on one stream, errors on the other; UTF-8 always."""
    files = [
        spec(tmp_path / "a.yaml", f"{{{PRIVATE}, name: ⊥}}", "differential_privacy: {epsilon: 1}"),
        spec(tmp_path / "b.yaml", "differential_privacy: {exp_epsilon: 0}"),
    ]
    done = command("check", *files, env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": ""})
    assert done.returncode == 2
    assert "ok  ⊥: holds" in done.stdout and "\033" not in done.stdout
    assert done.stderr.startswith(f"{files[1]}:4:41: S601 ") and len(done.stderr.splitlines()) == 4


@pytest.mark.parametrize("arguments", [["check", "--format", "json"], ["models"], ["--help"]])
def test_a_pipe_that_nobody_reads(tmp_path: Path, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    files = [spec(tmp_path / "a.yaml", PRIVATE)] if "check" in arguments else []
    quiet = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with os.fdopen(writing) as pipe:
        done = subprocess.run(
            [*COMMAND, *arguments, *files], stdout=pipe, stderr=subprocess.PIPE, env=quiet
        )
    assert (done.returncode, done.stderr) == (4, b"")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom verifier import cli\n"
        "try: cli.main(['check', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'yaml', 'flint'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "usage: verifier check" in done.stdout
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (
            "from verifier import cli; cli.main(['check', '-q', FILE])",  # the parent of the run
            "numpy yaml flint sqlite3 verifier.run.verify verifier.checker verifier.cli.lock",
        ),
        (
            "import verifier; assert verifier.check(FILE).exit_status == 0",
            "flint numpy.ma sqlite3 scipy highspy verifier.lp verifier.run.certify "
            "verifier.spec.clamped verifier.run.cache.store",
        ),
    ],
    ids=["parent", "worker"],
)
def test_a_small_check_loads_what_it_needs(code: str, heavy: str, tmp_path: Path) -> None:
    checks = (
        "differential_privacy: {epsilon: ln(3)}",
        "{differential_privacy: {epsilon: 1}, expect: violated}",
        "pufferfish: {exp_epsilon: 9, pairs: values, priors: product}",
    )
    file = spec(tmp_path / "a.yaml", PRIVATE, *checks)
    program = f"import sys\nFILE = {file!r}\n{code}\nprint()\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    *_, loaded = done.stdout.splitlines()
    assert "verifier" in loaded.split() and not {*heavy.split()} & {*loaded.split()}

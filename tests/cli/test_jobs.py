"""`--jobs`: however many files are worked on side by side, the same is told."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier import cli
from verifier.cli import running
from verifier.run.supervision import processes
from verifier.run.supervision.supervisor import Supervisor

Json = dict[str, Any]

MODELS = sorted(map(str, (Path(__file__).parents[2] / "models" / "blowfish").glob("*.yaml")))[:5]
HEAD = """
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
"""


def written(folder: Path) -> list[str]:
    """Files of every kind: with failures, notes, nothing to compare, errors; and one missing."""
    checks = {
        "fails": "[differential_privacy: {exp_epsilon: 2}]",
        "bad": "[differential_privacy: {exp_epsilon: 2.5.1}, differential_privacy: {}]",
        "vacuous": "[differential_privacy: {exp_epsilon: 2, neighbours: {hamming: 0}}]",
    }
    files = []
    for name, text in checks.items():
        files.append(folder / f"{name}.yaml")
        files[-1].write_text(f"{HEAD}checks: {text}\n")
    return [*map(str, files), str(folder / "missing.yaml")]


@pytest.mark.parametrize("more", [(), ("-q", "--strict"), ("--format", "json")])
def test_the_report_is_the_same(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    files = [*MODELS[:3], *written(tmp_path), *MODELS[3:]]
    found = []
    for jobs in ("1", "3"):
        status = cli.main(["check", "--jobs", jobs, *more, *files])
        said = capfd.readouterr()
        text = re.sub(r'"seconds": [0-9.e-]+', "", said.out)
        found.append((status, text, re.sub(".*: (reading|check .*)\n", "", said.err)))
    assert found[0] == found[1]
    assert found[0][0] == 2 and "missing.yaml" in found[0][2] and "S" in found[0][2]


def test_certificates_and_their_manifest_are_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifests = []
    for jobs in ("1", "4"):
        folder = tmp_path / jobs
        cli.main(["check", "--jobs", jobs, "--certificates", str(folder), *MODELS])
        specs = json.loads((folder / "manifest.json").read_text())["specs"]
        for check in (check for spec in specs for check in spec["checks"]):
            certificate = check["certificate"]
            assert Path(certificate["path"]).is_file()
            certificate["path"] = str(Path(certificate["path"]).relative_to(folder))
        manifests.append(specs)
    assert manifests[0] == manifests[1] and len(manifests[0]) == len(MODELS)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1001", "", "Auto"])
def test_a_number_of_jobs_is_needed(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["check", "--jobs", text, *MODELS])
    assert caught.value.code == 2
    assert "1 to 1000 jobs, or auto, were expected" in capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--jobs", "auto")])
def test_one_job_for_each_core(
    more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lanes = []

    class Noted(Supervisor):
        def __init__(self, *arguments: Any) -> None:
            lanes.append(arguments[-1])
            super().__init__(*arguments)

    monkeypatch.setattr(processes, "cores", lambda: 3)
    monkeypatch.setattr(running, "Supervisor", Noted)
    assert cli.main(["check", "-q", *more, *MODELS]) == 0
    assert cli.main(["check", "-q", *more, *MODELS[:2]]) == 0
    assert lanes == [3, 2]  # no more than there are files


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_death_of_a_worker_is_one_undecided_file(
    tmp_path: Path,
    jobs: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Killed as a system does that has no memory left, while the other worker goes on."""
    names = [str(tmp_path / f"{name}.yaml") for name in "abcd"]
    for name in names:
        Path(name).write_text(f"{HEAD}checks: [differential_privacy: {{exp_epsilon: 3}}]\n")

    def load() -> Callable[..., Iterator[Json]]:
        from verifier.cli import jobs

        def work(job: Json, tell: Callable[[Json], None]) -> Iterator[Json]:
            if job["file"] == names[1]:
                os.kill(os.getpid(), signal.SIGKILL)
            yield from jobs.run(job, tell)

        return work

    monkeypatch.setattr(running, "_load", load)
    assert cli.main(["check", "--format", "json", "--jobs", jobs, *names]) == 3
    report = json.loads(capfd.readouterr().out)
    assert [one["file"] for one in report["results"]] == [names[0], *names[2:]]
    assert all(one["ok"] for one in report["results"])
    (stopped,) = report["stopped"]
    assert stopped.startswith(f"{names[1]}: undecided: the process was ended by signal 9")

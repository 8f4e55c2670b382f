"""Jobs that tests do in their own process are told as those of workers are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn

import pytest

from tests.workers import Here
from verifier import cli
from verifier.run import verify
from verifier.run.supervision import supervisor

HEAD = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
"""
HELD = "  - differential_privacy: {exp_epsilon: 3}\n"
VIOLATED = "  - differential_privacy: {exp_epsilon: 2}\n"
MEASURED = re.compile(r"\d+\.\d+ s\b|(?<=\"seconds\": )[0-9.e-]+")


def crash(*arguments: object) -> NoReturn:
    raise AssertionError("the engine is broken")


@pytest.mark.parametrize(
    ("checks", "arguments", "status"),
    [
        (HELD + VIOLATED, ["--format", "json"], 1),
        (HELD, ["--cache", "spec.yaml"], 0),  # which is no folder: a warning
        (HELD + "  - noiseless: {}\n", [], 2),
        (HELD, [], 4),
    ],
)
def test_a_run_is_told_as_by_workers(
    checks: str,
    arguments: list[str],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(HEAD + checks)
    if status == 4:
        monkeypatch.setattr(verify, "decide", crash)
    told = []
    for here in (False, True):
        with monkeypatch.context() as patched:
            if here:
                patched.setattr(supervisor, "start", Here)
            found = cli.main(["check", "spec.yaml", *arguments])
        said = capsys.readouterr()
        told.append((found, MEASURED.sub("", said.out), MEASURED.sub("", said.err)))
    assert told[0] == told[1] and told[0][0] == status

"""Runs that are killed while they write certificates: what is there afterwards is whole.

`campaign(count, seed)` kills so many runs, half of them at random instants and half at a step of
the writing itself, and raises AssertionError for the first certificate that is lost or torn.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.pace import PATIENCE
from verifier import checker, cli
from verifier.base import files

SPEC = """worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism: {{randomized_response: {{truth: {truth}}}}}
checks:
  - differential_privacy: {{exp_epsilon: 20}}
  - differential_privacy: {{exp_epsilon: 1}}
    expect: violated
  - noiseless: {{exp_epsilon: 20}}
    priors: {{list: [uniform]}}
"""
VARIANTS = ("3/4", "4/5")  # of the mechanism, in turn
SPECS = ("spec.yaml", "north/spec.yaml", "south/spec.yaml")
STEPS = ("_fill", "replace", "fsync", "unlink")


@dataclass
class Outcome:
    """How many runs were killed, at random instants or at a step of writing, or had ended."""

    instants: int = 0
    steps: int = 0
    finished: int = 0
    whole: set[bytes] = field(default_factory=set, repr=False)


def campaign(count: int, seed: int) -> Outcome:
    """Kill `count` runs; every certificate that a completed run has left is there, and whole."""
    draw, outcome = random.Random(seed), Outcome()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = [_completed(folder, variant) for variant in VARIANTS]
        longest = _seconds(folder)
        while outcome.instants + outcome.steps < count:
            _write_specs(folder, draw.choice(VARIANTS))
            at_step = draw.random() < 0.5
            kill = _step(draw) if at_step else lambda main: None
            status = _killed(folder, kill, None if at_step else draw.uniform(0, longest))
            if status == -signal.SIGKILL:
                outcome.steps += at_step
                outcome.instants += not at_step
            else:
                assert status == 0, status
                outcome.finished += 1
            _inspect(folder, known, outcome)
    return outcome


def _write_specs(folder: Path, truth: str) -> None:
    for spec in SPECS:
        path = folder / spec
        path.parent.mkdir(exist_ok=True)
        path.write_text(SPEC.format(truth=truth))


def _completed(folder: Path, truth: str) -> dict[str, bytes]:
    """What a run writes that nobody kills."""
    _write_specs(folder, truth)
    assert _killed(folder, lambda main: None, None) == 0
    return _found(folder)


def _seconds(folder: Path) -> float:
    started = time.monotonic()
    _killed(folder, lambda main: None, None)
    return time.monotonic() - started


def _found(folder: Path) -> dict[str, bytes]:
    """The files that are whole as far as their names say, by name."""
    made = folder / "made"
    return {str(path.relative_to(made)): path.read_bytes() for path in made.rglob("*.json")}


def _inspect(folder: Path, known: list[dict[str, bytes]], outcome: Outcome) -> None:
    """Nothing is lost, nothing is torn."""
    found = _found(folder)
    assert set(found) == set(known[0]) == set(known[1]), set(found) ^ set(known[0])
    for name, content in found.items():
        assert content in (known[0][name], known[1][name]), f"{name} is torn"
        if name != files.MANIFEST and content not in outcome.whole:
            assert checker.check(json.loads(content)).outcome == "accepted"
            outcome.whole.add(content)


def _step(draw: random.Random) -> Callable[[int], None]:
    """Ends the run at one of the steps of writing, before it, after it, or in the middle."""
    name, number = draw.choice(STEPS), draw.randrange(1, 11)
    when = draw.choice(("before", "half", "after"))

    def patch(main: int) -> None:
        owner: Any = {"_fill": files, "unlink": Path}.get(name, os)
        real, calls = getattr(owner, name), [0]

        def end() -> None:
            for process in (main, os.getpid()):
                os.kill(process, signal.SIGKILL)

        def step(*arguments: Any, **options: Any) -> Any:
            calls[0] += 1
            if calls[0] == number and when == "before":
                end()
            if calls[0] == number and when == "half" and name == "_fill":
                path, data = arguments
                path.write_bytes(data[: len(data) // 2])
                end()
            done = real(*arguments, **options)
            if calls[0] == number:
                end()
            return done

        setattr(owner, name, step)

    return patch


def _killed(folder: Path, patch: Callable[[int], None], delay: float | None) -> int:
    """The status of a run that is killed after a delay, or by what is patched into it."""
    sys.stdout.flush()
    process = os.fork()
    if not process:
        _run(folder, patch)
    if delay is not None:
        time.sleep(delay)
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    _wait_for_the_rest(process)
    return os.waitstatus_to_exitcode(status)


def _run(folder: Path, patch: Callable[[int], None]) -> NoReturn:
    status = 70
    try:
        os.setsid()
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        patch(os.getpid())
        status = cli.main(["check", *SPECS, "--certificates", "made"])
    finally:
        os._exit(status)


def _wait_for_the_rest(session: int) -> None:
    """Wait until no process of a session is left; a run that is killed takes its workers along."""
    end = time.monotonic() + PATIENCE
    while any(_session(name) == session for name in os.listdir("/proc") if name.isdecimal()):
        assert time.monotonic() < end, "a process outlives its run"
        time.sleep(0.002)


def _session(process: str) -> int:
    with suppress(OSError, IndexError, ValueError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return int(fields[3]) if fields[0] not in "ZX" else 0
    return 0

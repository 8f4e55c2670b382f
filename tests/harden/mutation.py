"""Campaign "checker": every branch of the checker is run by its tests, and small changes of the
checker are noticed by them.

A mutant is killed when a test that runs the changed line fails, or runs out of time or memory.
Those in `mutants.toml` are not judged: bounds of work, and changes that change no outcome.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Collection
from itertools import accumulate
from math import sqrt
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

from tests.harden.exchange import CHECKER, install
from tests.harden.mutants import Mutant, mutants
from tests.harden.recording import CORES, Recording, Session, fork, limit, passes

LIST = Path(__file__).with_name("mutants.toml")
BUDGET = 10.0  # seconds of tests for one mutant, the quickest tests first
Judged = dict[str, list[str]]  # outcome -> keys


def campaign(count: int, seed: int, only: Collection[str] = ()) -> str:
    """Judge `count` drawn mutants, of some modules only if these are named, and say how many were
    killed; AssertionError below `wanted` of the list (of a sample, clearly below), or where a
    branch is not run."""
    wanted = tomllib.loads(LIST.read_text())["wanted"]
    found: Judged = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        Session(lambda session: _judge_all(session, count, seed, only, found), Path(folder)).run()
    judged = {name: len(keys) for name, keys in found.items()}
    killed = judged.get("killed", 0) + judged.get("timeout", 0)
    survived = judged.get("survived", 0) + judged.get("not run", 0)
    score = killed / max(1, killed + survived)
    for name in ("uncovered", "survived", "not run", "stale"):
        for key in sorted(found[name]):
            print(f"{name}: {key}", file=sys.stderr)
    parts = ", ".join(f"{n} {name}" for name, n in sorted(judged.items()) if n)
    summary = f"{score:.1%} of {killed + survived} mutants killed; {parts}"
    # the score of a sample varies: it fails where three standard errors do not explain it
    error = sqrt(wanted * (1 - wanted) / max(1, killed + survived)) if found["left out"] else 0
    if score < wanted - 3 * error or found["stale"] or found["uncovered"]:
        raise AssertionError(summary)
    return summary


def _judge_all(
    session: Session, count: int, seed: int, only: Collection[str], found: Judged
) -> None:
    listed = tomllib.loads(LIST.read_text())
    bounds, same = listed["work"], {key for part in listed["equivalent"] for key in part["mutants"]}
    recording = session.recording
    if not only:
        missing = recording.missing.items()
        found["uncovered"] += [f"{module}: {what}" for module, parts in missing for what in parts]
    modules = [path for path in sorted(CHECKER.glob("*.py")) if not only or path.stem in only]
    everything = [mutant for path in modules for mutant, _ in mutants(path.stem, path.read_text())]
    if not only:
        found["stale"] += same - {mutant.key for mutant in everything}
    work = {m.key for m in everything if m.work or any(part in m.key for part in bounds)}
    todo = [m for m in everything if m.key not in work | same]
    drawn = Random(seed).sample(todo, min(count, len(todo)))
    found["left out"] += {mutant.key for mutant in todo} - {mutant.key for mutant in drawn}
    chosen = {mutant.key for mutant in drawn} | (same if len(drawn) == len(todo) else set())
    found["work bound"] += work
    found["equivalent"] += same - work
    running: dict[int, str] = {}
    for path in modules:
        for mutant, compiled in mutants(path.stem, path.read_text()):
            if mutant.key in chosen:
                try:
                    code = compiled()
                except (SyntaxError, ValueError):
                    found["no Python"].append(mutant.key)
                    continue
                tests = _tests(mutant, recording)
                if not tests:
                    found["not run"].append(mutant.key)
                    continue
                if len(running) == CORES:
                    _wait(running, found)
                child = fork(lambda m=mutant, c=code, t=tests: _judge(session, m, c, t))
                running[child] = mutant.key
    while running:
        _wait(running, found)
    found["stale"] += same & {*found["killed"], *found["timeout"]}
    for outcome in ("killed", "timeout", "survived", "not run"):
        found[outcome] = [key for key in found[outcome] if key not in same]


def _wait(running: dict[int, str], found: Judged) -> None:
    child, status = os.wait()
    key = running.pop(child)
    late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM)
    outcome = "timeout" if late else "killed" if status else "survived"
    found[outcome].append(key)
    if "HARDEN_VERBOSE" in os.environ:
        print(f"{outcome}: {key}", file=sys.stderr, flush=True)


def _tests(mutant: Mutant, recording: Recording) -> list[tuple[float, int]]:
    """The tests that run the changed lines, the quickest first; of what runs on import, those that
    run any line of the module."""
    first, last = mutant.lines
    lines = recording.lines[mutant.module]
    found = {test for line in range(first, last + 1) for test in lines.get(line, ())}
    if not found and (not mutant.function or first in lines):
        found = {test for run in lines.values() for test in run}
    tests = sorted((recording.tests[test], test) for test in found)
    spent = accumulate(seconds for seconds, _ in tests)
    return [test for test, until in zip(tests, spent, strict=True) if until <= BUDGET]


def _judge(session: Session, mutant: Mutant, code: CodeType, tests: Any) -> None:
    """Return if all tests pass with the mutant in place; else raise, or be ended."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    limit(20)
    install(mutant.module, code, names=not mutant.function)
    for seconds, test in tests:
        limit(1 + 10 * seconds)
        if not passes(session.items[test]):
            raise AssertionError

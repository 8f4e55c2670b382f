"""The checker's tests in this process: which lines each one runs, and mutants judged by them.

The tests are collected once. Whatever runs them is a fork, so that nothing that one run leaves
behind (a cache, a changed function) reaches another.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import process_time

import pytest
from _pytest.runner import runtestprotocol

from tests.harden.exchange import CHECKER, install, loaded
from tests.harden.marks import NAME, Marks, marked

SELECTION = ["tests/checker", "verifier/checker", "--ignore=tests/checker/test_schema.py"]
CORES = 2
SPARE = 2**31  # bytes that a run may need beyond what this process has

# what the run of pytest around the items would say of itself is left out: it is no run of tests
OPTIONS = ["-qq", "-p", "no:cacheprovider", "--capture=no", "--hypothesis-profile=harden"]


@dataclass(frozen=True)
class Recording:
    """tests    item -> seconds
    lines    module -> line -> items that run it; no item, where it runs on import
    missing  module -> lines or branches that no item takes
    """

    tests: list[float]
    lines: dict[str, dict[int, list[int]]]
    missing: dict[str, list[str]]


class Session:
    """A collected session of pytest, as a plugin that hands its items to `use`."""

    def __init__(self, use: Callable[[Session], None], folder: Path) -> None:
        self.use, self.folder, self.items = use, folder, list[pytest.Item]()

    def run(self) -> None:
        if pytest.main([*OPTIONS, *SELECTION], plugins=[self]) != pytest.ExitCode.OK:
            raise RuntimeError("the tests of the checker cannot be run")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = session.items
        self.use(self)
        return True

    @cached_property
    def recording(self) -> Recording:
        """Every item runs once, in as many processes as there are cores."""
        marks = {path.stem: marked(path.read_text(), str(path)) for path in CHECKER.glob("*.py")}
        children = [fork(lambda part=part: self._record(part, marks)) for part in range(CORES)]
        statuses = [os.waitpid(child, 0)[1] for child in children]
        if any(statuses):
            raise RuntimeError("the tests fail without any mutation")
        return _recording(marks, self.folder)

    def _record(self, part: int, marks: dict[str, Marks]) -> None:
        for module, found in marks.items():
            setattr(loaded(module), NAME, found.ran)
            install(module, found.code, names=False)
        told = []
        for at in range(part, len(self.items), CORES):
            start = process_time()
            if not passes(self.items[at]):
                print(f"fails: {self.items[at].nodeid}", file=sys.stderr)
                os._exit(1)
            seconds = process_time() - start
            told.append((at, seconds, {module: found.taken() for module, found in marks.items()}))
        (self.folder / f"{part}.json").write_text(json.dumps(told))


def passes(item: pytest.Item) -> bool:
    return all(not report.failed for report in runtestprotocol(item, nextitem=None, log=False))


def fork(work: Callable[[], None]) -> int:
    """A child that does this, silently, and exits with 0 if it returns; its process id."""
    child = os.fork()
    if child:
        return child
    status = 1
    with suppress(BaseException):
        work()
        status = 0
    os._exit(status)


def limit(seconds: float, memory: int = SPARE) -> None:
    """Let a signal end this process after so much processor time (and ten times as much waiting),
    and an exception after so much more memory."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + memory, resource.RLIM_INFINITY))


def _recording(marks: dict[str, Marks], folder: Path) -> Recording:
    told = sorted(item for path in folder.glob("*.json") for item in json.loads(path.read_text()))
    lines: dict[str, dict[int, list[int]]] = {}
    missing: dict[str, list[str]] = {}
    for module, found in sorted(marks.items()):
        items: list[list[int]] = [[] for _ in found.places]
        for at, _, ran in told:
            for mark in ran[module]:
                items[mark].append(at)
        by_line = lines[module] = {line: [] for line in found.outside}
        by_line |= {
            line: ran for (line, what), ran in zip(found.places, items, strict=True) if not what
        }
        missing[module] = [
            f"line {line} {what}".rstrip()
            for (line, what), ran in zip(found.places, items, strict=True)
            if not ran
        ]
    return Recording([seconds for _, seconds, _ in told], lines, missing)

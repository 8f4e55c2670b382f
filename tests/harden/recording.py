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
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "verifier" / "checker"
PACKAGE = "verifier.checker"
SELECTION = ["tests/checker", "verifier/checker", "--ignore=tests/checker/test_schema.py"]
CORES = 2
SPARE = 2**31  # bytes that a run may need beyond what this process has

# what the run of pytest around the items would say of itself is left out: it is no run of tests
OPTIONS = ["-qq", "-p", "no:cacheprovider", "--capture=no", "--hypothesis-profile=harden"]


@dataclass(frozen=True)
class Recording:
    """tests    item -> seconds
    lines    file -> line -> items that run it
    missing  file -> lines or branches that no item takes
    """

    tests: list[float]
    lines: dict[str, dict[int, list[int]]]
    missing: dict[str, list[str]]


class Session:
    """A collected session of pytest, as a plugin that hands its items to `use`."""

    def __init__(self, use: Callable[[Session], None], folder: Path) -> None:
        self.use, self.folder, self.items = use, folder, list[pytest.Item]()
        self.cov = Coverage(
            data_file=str(folder / "coverage"),
            data_suffix=True,  # each process has its own
            branch=True,
            source=[PACKAGE],
        )

    def run(self) -> None:
        self.cov.start()
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
        children = [fork(lambda part=part: self._record(part)) for part in range(CORES)]
        statuses = [os.waitpid(child, 0)[1] for child in children]
        if any(statuses):
            raise RuntimeError("the tests fail without any mutation")
        self.cov.stop()
        self.cov.save()
        self.cov.combine([str(self.folder)])
        return _recording(self.cov, self.folder, [item.nodeid for item in self.items])

    def _record(self, part: int) -> None:
        seconds = {}
        for at in range(part, len(self.items), CORES):
            self.cov.switch_context(str(at))
            start = process_time()
            if not passes(self.items[at]):
                print(f"fails: {self.items[at].nodeid}", file=sys.stderr)
                os._exit(1)
            seconds[at] = process_time() - start
        self.cov.stop()
        self.cov.save()
        (self.folder / f"seconds-{part}.json").write_text(json.dumps(seconds))


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


def _recording(cov: Coverage, folder: Path, items: list[str]) -> Recording:
    seconds: dict[str, float] = {}
    for path in folder.glob("seconds-*.json"):
        seconds |= json.loads(path.read_text())
    data, lines, missing = cov.get_data(), {}, {}
    for path in sorted(CHECKER.glob("*.py")):
        contexts = data.contexts_by_lineno(str(path))
        lines[path.stem] = {n: [int(c) for c in found if c] for n, found in contexts.items()}
        missing[path.stem] = list(_missing(cov, path))
    return Recording([seconds[str(at)] for at in range(len(items))], lines, missing)


def _missing(cov: Coverage, path: Path) -> Iterator[str]:
    analysis: Any = cov._analyze(str(path))
    yield from (f"line {line}" for line in sorted(analysis.missing))
    branches = analysis.missing_branch_arcs()
    for line, ends in sorted(branches.items()):
        if line not in analysis.missing:
            yield from (f"{line} -> {'exit' if end < 0 else end}" for end in ends)

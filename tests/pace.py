"""Time as tests measure it: not longer where the machine is slow, or busy with other things."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, process_time

from verifier.supervision import processes

STEP = 0.05  # seconds that pass between two looks at a clock, at most
REST = "STtZXI"  # states of processes that wait for something
USUAL = 0.02  # seconds of the processor that `slowness` takes where it is 1
PATIENCE = 600  # seconds until what a test waits for is taken to never come


class RestingClock:
    """A clock that goes on only while all processes that descend from this one are at rest.

    So what sleeps oversteps its limit, and what is about to do its work does not.
    """

    def __init__(self) -> None:
        self._read, self._looked = 0.0, monotonic()

    def __call__(self) -> float:
        """The seconds that have passed."""
        now = monotonic()
        if all(map(_rests, processes.descendants(os.getpid()))):
            self._read += min(now - self._looked, STEP)
        self._looked = now
        return self._read


def _rests(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in REST
    return True


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is done inside takes at most so many seconds of the processor, of a usual one."""
    started = process_time()
    yield
    spent = process_time() - started
    assert spent < seconds * slowness(), f"it took {spent:.2f} s"


def slowness() -> float:
    """How many times as long as usual some arithmetic and some objects take here, or 1."""
    started = process_time()
    found = {n: n * n for n in range(100_000)}
    assert sum(found.values()) + len(str(3**9_000))
    return max(1.0, (process_time() - started) / USUAL)

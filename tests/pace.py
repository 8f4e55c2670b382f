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
    """A clock that goes on while all processes that descend from this one are at rest, and by what
    they take of the processor: it stands still while others have that.

    So what sleeps or never ends oversteps its limit, and what is about to do its work does not.
    """

    def __init__(self) -> None:
        self._read, self._looked = 0.0, monotonic()
        self._taken: dict[int, float] = {}

    def __call__(self) -> float:
        """The seconds that have passed."""
        now, rests, taken = monotonic(), True, dict[int, float]()
        for process in processes.descendants(os.getpid()):
            with suppress(OSError):
                text = Path(f"/proc/{process}/stat").read_text()
                state, *numbers = text.rpartition(")")[2].split()
                rests &= state in REST
                taken[process] = sum(map(int, numbers[10:12])) / os.sysconf("SC_CLK_TCK")
        worked = sum(spent - self._taken.get(process, 0.0) for process, spent in taken.items())
        self._read += worked + (min(now - self._looked, STEP) if rests else 0.0)
        self._looked, self._taken = now, taken
        return self._read


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

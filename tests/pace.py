"""Time as tests measure it: not longer where the machine is slow, or busy with other things."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import monotonic

from verifier.run.supervision import processes

STEP = 0.05  # seconds that pass between two looks at a clock, at most
GLANCE = 0.03  # seconds until it looks again at what all processes do
REST = "STtZXI"  # states of processes that wait for something
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
        if now - self._looked < GLANCE:
            return self._read
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

"""The parent of a run: it holds the clock, the memory and the output, and no engine.

Work is done by workers (`worker`), which tell when they begin and end a part that limits apply to.
A worker that does not keep to a limit is killed with all that descends from it, whatever code it
runs, and another one goes on without the part.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from types import FrameType, TracebackType
from typing import Any

from verifier.base.errors import MEMORY_REACHED, time_reached
from verifier.supervision import processes
from verifier.supervision.children import TICK, Spawned, Zygote, start
from verifier.supervision.worker import Work

Json = dict[str, Any]
SHARE = 0.02  # of the time may go into looking for descendants
GRACE, SLACK = 0.2, 0.01  # seconds, and share, by which a worker may overrun before it is killed
LASTING = 1.0  # seconds after which it is said what still goes on
GIVEN_UP = (9, signal.SIGABRT)  # how systems and libraries end what has no memory


@dataclass(frozen=True)
class Limits:
    """Seconds for each part and in all, and bytes of memory; None: no limit."""

    part: float | None = None
    total: float | None = None
    memory: int | None = None

    @property
    def total_reason(self) -> str:
        """What is said where the run has lasted too long."""
        return f"the time of {self.total or 0:g} s for the whole run was over (--total-time)"


def in_units(size: int) -> str:
    """A number of bytes, `size`, for people.

    >>> in_units(2**29), in_units(1000)
    ('512M', '1000 bytes')
    """
    for unit, letter in ((2**30, "G"), (2**20, "M"), (2**10, "K")):
        if size >= unit and (size % unit == 0 or size >= 64 * unit):
            return f"{size // unit}{letter}"
    return f"{size} bytes"


class Interrupted(Exception):
    """A signal asks the run to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class _Watch:
    """What is known of a worker: which part it is at since when, what it says that it is doing,
    and why it did not finish."""

    part: str = ""
    began: float = field(default_factory=monotonic)
    message: str = ""
    said: float = 0.0
    done: bool = False
    reason: str | None = None

    def takes(self, event: Json) -> bool:
        """Take in an event; False for those that are not for us alone."""
        if "part" in event:
            self.began = monotonic() - event.get("spent", 0.0)
            if event["part"] is not None:
                self.part = event["part"]
        elif "progress" in event:
            self.message, self.said = event["progress"], monotonic()
        elif "crash" in event:
            self.reason = event["crash"]
            return False
        elif "full" in event:
            self.reason = MEMORY_REACHED
        else:
            self.done = event.get("done", False)
            return self.done
        return True


class Supervisor:
    """Runs jobs in workers that are killed where they overstep a limit; to be used in a `with`.

    load    loads the engine, in the zygote
    notify  is told, once, of what lasts longer than a second
    """

    def __init__(
        self,
        load: Callable[[], Work],
        limits: Limits,
        notify: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.load, self.limits, self.notify = load, limits, notify
        self._signals: list[int] = []
        self._handlers: dict[int, Any] = {}
        self._end = None if limits.total is None else monotonic() + limits.total
        self._zygote: Zygote | Spawned | None = None
        self._memory = _Memory()

    def __enter__(self) -> Supervisor:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._handlers[number] = signal.signal(number, self._take)
        self._zygote = start(self.load)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._zygote:
            self._zygote.close()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._signals:  # the second one: nobody reads what we write, or somebody is in a hurry
            if self._zygote:
                self._zygote.close()
            os._exit(128 + number)
        self._signals.append(number)

    def run(self, job: Json) -> Iterator[Json]:
        """The events of a job, over all the workers that it takes.

        To what workers tell are added {"stopped": reason}, where a job cannot be finished, {"over":
        reason}, where the whole run has lasted too long, and {"crash": what}. Raises Interrupted
        after the events that came before the signal.
        """
        stopped: dict[str, str] = {}
        start = 0
        while True:
            watch = _Watch()
            asked = {**job, "start": start, "stopped": stopped, "memory": self.limits.memory}
            for event in self._events(asked, watch):
                start = event.pop("next", start)
                yield event
            if watch.reason is None:
                return
            if watch.reason == self.limits.total_reason:
                yield {"over": watch.reason}
                return
            if not watch.part or watch.part in stopped:
                yield {"stopped": watch.reason}
                return
            stopped[watch.part] = watch.reason

    def _events(self, job: Json, watch: _Watch) -> Iterator[Json]:
        """The events of one worker, until it is done or `watch` has the reason why it is not."""
        if self._is_late():
            watch.reason = self.limits.total_reason
            return
        if self._zygote is None or not self._zygote.is_alive:
            self._zygote = start(self.load)
        zygote = self._zygote
        zygote.send(job)
        while not watch.done and watch.reason is None:
            yield from (event for event in zygote.receive(TICK) if not watch.takes(event))
            if watch.done:
                self._retire(zygote)
            elif watch.reason is not None:
                zygote.kill()
            elif self._signals:
                yield from (event for event in zygote.kill() if not watch.takes(event))
                raise Interrupted(self._signals[0])
            elif zygote.ended is not None:
                yield from self._ended(zygote.ended, watch)
            elif reason := self._overstepped(watch, zygote):
                yield from (event for event in zygote.kill() if not watch.takes(event))
                watch.reason = None if watch.done else watch.reason or reason
            else:
                self._notify(watch)

    def _ended(self, status: int, watch: _Watch) -> Iterator[Json]:
        """A worker ended by itself, without a word."""
        if -status in GIVEN_UP:
            watch.reason = f"the process was ended by signal {-status}: its memory may be too small"
            return
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        watch.reason = f"internal error: the process ended {how}"
        yield {"crash": watch.reason}

    def _is_late(self) -> bool:
        return self._end is not None and monotonic() >= self._end

    def _overstepped(self, watch: _Watch, zygote: Zygote | Spawned) -> str | None:
        """Which limit a worker oversteps, in words."""
        if self._is_late():
            return self.limits.total_reason
        part, memory = self.limits.part, self.limits.memory
        if part is not None and monotonic() - watch.began > part * (1 + SLACK) + GRACE:
            return time_reached(part)
        if memory is not None and zygote.worker and self._memory.held(zygote.worker) > memory:
            return f"the memory limit of {in_units(memory)} was reached (--memory-limit)"
        return None

    def _retire(self, zygote: Zygote | Spawned) -> None:
        """End a worker that keeps so much memory that the next job would have too little."""
        memory = self.limits.memory
        if memory is not None and processes.resident(zygote.worker) > memory // 4:
            zygote.kill()

    def _notify(self, watch: _Watch) -> None:
        if watch.message and monotonic() - watch.said > LASTING:
            self.notify(watch.message)
            watch.message = ""


class _Memory:
    """Looks at the memory of a worker and of all that descends from it, not too often."""

    def __init__(self) -> None:
        self._next = self._next_search = 0.0
        self._found: list[int] = []

    def held(self, process: int) -> int:
        """The bytes held; 0 where it is too early to look again."""
        now = monotonic()
        if now < self._next:
            return 0
        self._next = now + TICK
        if now >= self._next_search:
            self._found = processes.descendants(process)
            self._next_search = now + (monotonic() - now) / SHARE
        return sum(map(processes.resident, [process, *self._found]))

"""The parent of a run: it holds the clock, the memory and the output, and no engine.

Work is done by workers (`worker`), which tell when they begin and end a part that limits apply to.
A worker that does not keep to a limit is killed with all that descends from it, whatever code it
runs, and another one goes on without the part. Several may work side by side, each in a lane.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from types import FrameType, TracebackType
from typing import Any

from verifier.base.errors import MEMORY_REACHED, time_reached
from verifier.base.nouns import Later, dataclass
from verifier.run.supervision import processes
from verifier.run.supervision.children import TICK, Spawned, Zygote, start
from verifier.run.supervision.worker import Work

Json = dict[str, Any]
SHARE = 0.02  # of the time may go into looking for descendants
GRACE, SLACK = 0.2, 0.01  # seconds, and share, by which a worker may overrun before it is killed
LASTING = 1.0  # seconds after which it is said what still goes on
CROWDED = "there was too little memory for all workers at once"
GIVEN_UP = (9, signal.SIGABRT)  # how systems and libraries end what has no memory


@dataclass(frozen=True)
class Limits(Later):
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
class _Watch(Later):
    """What is known of a worker: which part it is at since when, and what it had taken of the
    processor by then; what it says that it is doing, why it did not finish, and whether others
    have worked beside it."""

    began: float
    taken: float = 0.0
    part: str = ""
    message: str = ""
    said: float = 0.0
    done: bool = False
    reason: str | None = None
    beside: bool = False

    def takes(self, event: Json) -> bool:
        """Take in an event; False for those that are not for us alone."""
        if "part" in event:
            spent = event.get("spent", 0.0)
            # what was spent on this part before, as on reading its check, counts too
            self.began, self.taken = monotonic() - spent, event["taken"] - spent
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

    def is_late(self, seconds: float, worker: int) -> bool:
        """Whether its part has taken more seconds of the processor, or far more on the clock."""
        most, lasted = seconds * (1 + SLACK) + GRACE, monotonic() - self.began
        # one thread takes no more of the processor than of the clock: so long /proc is not read
        taken = lasted > most and processes.seconds(worker) - self.taken
        return taken > most or lasted > processes.NET * most


class Supervisor:
    """Runs jobs in workers that are killed where they overstep a limit; to be used in a `with`.

    load    loads the engine, in the zygote
    notify  is told again and again of what lasts longer than a second, and for how long it has
    lanes   how many workers there are side by side, where processes can be forked
    """

    def __init__(
        self,
        load: Callable[[], Work],
        limits: Limits,
        notify: Callable[[str, float], None] = lambda message, seconds: None,
        lanes: int = 1,
    ) -> None:
        self.load, self.limits, self.notify = load, limits, notify
        self.signals: list[int] = []
        self.memory = _Memory()
        self._handlers: dict[int, Any] = {}
        self._end = None if limits.total is None else monotonic() + limits.total
        self.lanes = [_Lane(self) for _ in range(lanes if hasattr(os, "fork") else 1)]

    def __enter__(self) -> Supervisor:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._handlers[number] = signal.signal(number, self._take)
        for lane in self.lanes:
            lane.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _close(self) -> None:
        for lane in self.lanes:
            if lane.zygote:
                lane.zygote.close()

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.signals:  # the second one: nobody reads what we write, or somebody is in a hurry
            self._close()
            os._exit(128 + number)
        self.signals.append(number)

    def run(self, job: Json) -> Iterator[Json]:
        """The events of a job, over all the workers that it takes.

        To what workers tell are added {"stopped": reason}, where a job cannot be finished, {"over":
        reason}, where the whole run has lasted too long, and {"crash": what}. Raises Interrupted
        after the events that came before the signal.
        """
        return (event for event in self.lanes[0].run(job) if event is not None)

    def run_all(self, jobs: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        """The events of several jobs, done side by side and told in the order of the jobs, each
        with the number of its job.

        The last event of each job is {"ended": how}: "done", or "interrupted" or "not run" where a
        signal ends the run.
        """
        held: dict[int, list[Json]] = defaultdict(list)
        front = 0
        for number, event in self.as_they_come(jobs):
            held[number].append(event)
            while held[front]:
                first = held[front].pop(0)
                yield front, first
                if "ended" in first:
                    del held[front]
                    front += 1

    def as_they_come(self, jobs: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        """The events of several jobs as of `run_all`, but in the order in which they come; a job
        is asked for when a worker is free."""
        waiting = enumerate(jobs)
        busy: dict[_Lane, tuple[int, Iterator[Json | None]]] = {}
        while True:
            for lane in self.lanes:
                if not self.signals and lane not in busy and (one := next(waiting, None)):
                    busy[lane] = one[0], lane.run(one[1])
            if not busy:
                break
            came, patience = False, TICK if len(busy) == 1 else 0
            for lane, (number, events) in list(busy.items()):
                lane.patience = patience  # 0 where another one may be free by now
                event = _next(events)
                if event is None:
                    continue
                came = True
                if "ended" in event:
                    del busy[lane]
                yield number, event
            if not came and len(busy) > 1:
                _wait(busy)
        yield from ((number, {"ended": "not run"}) for number, _ in waiting)

    def workers(self) -> list[int]:
        """The processes of all workers."""
        return [lane.zygote.worker for lane in self.lanes if lane.zygote and lane.zygote.worker]

    def is_late(self) -> bool:
        """Whether the whole run has lasted too long."""
        return self._end is not None and monotonic() >= self._end


def _next(events: Iterator[Json | None]) -> Json | None:
    try:
        return next(events, {"ended": "done"})
    except Interrupted:
        return {"ended": "interrupted"}


def _wait(lanes: Iterable[_Lane]) -> None:
    """Wait until a worker tells something, or it is time to look at the limits."""
    poll = select.poll()
    for lane in lanes:
        if lane.works and lane.zygote:
            for source in lane.zygote.sources:
                poll.register(source, select.POLLIN)
    poll.poll(TICK * 1000)


class _Lane:
    """The place of one worker.

    patience  seconds to wait for what it tells
    works     whether it is at a job
    """

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor, self.limits = supervisor, supervisor.limits
        self.zygote: Zygote | Spawned | None = None
        self.patience, self.works = TICK, False

    def start(self) -> None:
        """Make a zygote, which closes what it inherits of the others."""
        others = [
            pipe for lane in self.supervisor.lanes if lane.zygote for pipe in lane.zygote.pipes
        ]
        self.zygote = start(self.supervisor.load, others)

    def run(self, job: Json) -> Iterator[Json | None]:
        """The events of a job, as of `Supervisor.run`; None while there are none."""
        stopped: dict[str, str] = {}
        start = 0
        while True:
            while self._must_wait():
                yield None
            watch = _Watch(monotonic())
            asked = {**job, "start": start, "stopped": stopped, "memory": self.limits.memory}
            self.works = True
            try:
                for event in self._events(asked, watch):
                    # if this worker has to be replaced, the next one begins after what is answered
                    start = event.pop("next", start) if event else start
                    yield event
            finally:
                self.works = False
            if watch.reason is None:
                return
            if watch.reason == CROWDED:
                continue
            if watch.reason == self.limits.total_reason:
                yield {"over": watch.reason}
                return
            # there is no part to leave out, or it was left out and the worker failed all the same
            if not watch.part or watch.part in stopped:
                yield {"stopped": watch.reason}
                return
            stopped[watch.part] = watch.reason

    def _must_wait(self) -> bool:
        """Where memory was too small for all, one works after the other, alone."""
        if not self.supervisor.memory.is_crowded or self.supervisor.signals:
            return False
        if any(lane.works for lane in self._others()):
            return True
        # those that wait for a job hold memory too
        for lane in self._others():
            if lane.zygote and lane.zygote.worker:
                lane.zygote.kill()
        return False

    def _others(self) -> list[_Lane]:
        return [lane for lane in self.supervisor.lanes if lane is not self]

    def _events(self, job: Json, watch: _Watch) -> Iterator[Json | None]:
        """The events of one worker, until it is done or `watch` has the reason why it is not."""
        if self.supervisor.is_late():
            watch.reason = self.limits.total_reason
            return
        if self.zygote is None or not self.zygote.is_alive:
            self.start()
        zygote = self.zygote
        assert zygote
        watch.taken = processes.seconds(zygote.worker)
        zygote.send(job)
        while not watch.done and watch.reason is None:
            watch.beside |= any(lane.works for lane in self._others())
            yield from (event for event in zygote.receive(self.patience) if not watch.takes(event))
            if watch.done:
                self._retire(zygote)
            elif watch.reason is not None:
                zygote.kill()
            elif self.supervisor.signals:
                yield from (event for event in zygote.kill() if not watch.takes(event))
                raise Interrupted(self.supervisor.signals[0])
            elif zygote.ended is not None:
                yield from self._ended(zygote.ended, watch)
            elif reason := self._overstepped(watch, zygote):
                yield from (event for event in zygote.kill() if not watch.takes(event))
                watch.reason = None if watch.done else watch.reason or reason
            else:
                self._notify(watch)
                yield None

    def _ended(self, status: int, watch: _Watch) -> Iterator[Json]:
        """A worker ended by itself, without a word."""
        # others held memory as well: it is tried again, alone, before it is called too small
        if -status in GIVEN_UP and watch.beside:
            self.supervisor.memory.is_crowded, watch.reason = True, CROWDED
            return
        if -status in GIVEN_UP:
            watch.reason = f"the process was ended by signal {-status}: its memory may be too small"
            return
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        watch.reason = f"internal error: the process ended {how}"
        yield {"crash": watch.reason}

    def _overstepped(self, watch: _Watch, zygote: Zygote | Spawned) -> str | None:
        """Which limit a worker oversteps, in words."""
        if self.supervisor.is_late():
            return self.limits.total_reason
        part, memory = self.limits.part, self.limits.memory
        if part is not None and watch.is_late(part, zygote.worker):
            return time_reached(part)
        if memory is not None and zygote.worker:
            return self.supervisor.memory.overstepped(
                zygote.worker, self.supervisor.workers(), memory
            )
        return None

    def _retire(self, zygote: Zygote | Spawned) -> None:
        """End a worker that keeps so much memory that the next job would have too little."""
        memory = self.limits.memory
        share = 4 * len(self.supervisor.lanes)
        if memory is not None and processes.resident(zygote.worker) > memory // share:
            zygote.kill()

    def _notify(self, watch: _Watch) -> None:
        if watch.message and monotonic() - watch.said > LASTING:
            self.supervisor.notify(watch.message, monotonic() - watch.said)


class _Memory:
    """Looks at the memory of workers and of all that descends from them, not too often.

    is_crowded  whether workers have held too much together that none held alone
    """

    def __init__(self) -> None:
        self.is_crowded = False
        self._next = self._next_search = 0.0
        self._found: dict[int, list[int]] = {}
        self._largest, self._held = 0, 0

    def overstepped(self, worker: int, workers: list[int], limit: int) -> str | None:
        """Why a worker must end; None where it need not, or it is too early to look again."""
        if monotonic() >= self._next:
            self._look(workers, limit)
        # each lane asks for its own worker, and only the one that holds most has to end
        if worker != self._largest:
            return None
        self._largest = 0
        if self._held > limit:
            return f"the memory limit of {in_units(limit)} was reached (--memory-limit)"
        self.is_crowded = True
        return CROWDED

    def _look(self, workers: list[int], limit: int) -> None:
        """Find the worker that holds most, where all together hold more than the limit."""
        now = monotonic()
        self._next = now + TICK
        if now >= self._next_search:
            self._found = {worker: processes.descendants(worker) for worker in workers}
            # the longer it takes to look through /proc, the rarer it is done
            self._next_search = now + (monotonic() - now) / SHARE
        held = {
            worker: sum(map(processes.resident, [worker, *self._found.get(worker, [])]))
            for worker in workers
        }
        self._largest = 0
        if sum(held.values()) > limit:
            self._largest = max(held, key=lambda worker: held[worker])
            self._held = held[self._largest]

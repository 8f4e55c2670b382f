"""The parent's end of the processes that work.

It is that of a zygote and its worker, or of a worker that is started anew where there is no fork.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from verifier.run.supervision import processes
from verifier.run.supervision.worker import STOPS, Messages, Work, run_zygote

if TYPE_CHECKING:
    from queue import Queue
    from subprocess import Popen

Json = dict[str, Any]
Load = Callable[[], Work]
TICK = 0.05  # seconds between two looks at clock and memory
PATIENCE = 5.0  # seconds until a zygote must have ended what it was told to
SERVE = "import sys; from verifier.run.supervision import worker; worker.serve(sys.argv[1])"


class Zygote:
    """The parent's end of a zygote and of its worker, 0 while there is none.

    ended  how the last worker ended, once it has: its status, negative for a signal
    """

    def __init__(self, load: Load, others: Iterable[int] = ()) -> None:
        jobs, self._jobs = os.pipe()
        self._events, events = os.pipe()
        self._says, says = os.pipe()
        self.worker, self._closed = 0, False
        self.ended: int | None = None
        parent = os.getpid()
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # or the child would have it too
        # blocked until the child has handlers of its own: ours would take what is meant to end it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        self.process = os.fork()
        if not self.process:
            for ours in (*self.pipes, *others):
                os.close(ours)
            run_zygote(parent, load, jobs, events, says)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for theirs in (jobs, events, says):
            os.close(theirs)
        for ours in (self._events, self._says):
            os.set_blocking(ours, False)
        self._poll = select.poll()
        self._poll.register(self._events, select.POLLIN)
        self._poll.register(self._says, select.POLLIN)
        self._messages, self._lines, self.is_alive = Messages(), b"", True

    @property
    def pipes(self) -> tuple[int, ...]:
        """Our ends of all pipes, while they are open."""
        return () if self._closed else (self._jobs, self._events, self._says)

    @property
    def sources(self) -> tuple[int, ...]:
        """The pipes to wait for."""
        return (self._events, self._says) if self.is_alive else ()

    def send(self, job: Json) -> None:
        """Give a job to the worker, or to a new one."""
        self.ended = None
        line = memoryview(json.dumps(job).encode() + b"\n")
        with suppress(BrokenPipeError):  # then it is found to have ended
            while line:
                line = line[os.write(self._jobs, line) :]

    def receive(self, seconds: float) -> list[Json]:
        """The events that come within so many seconds, as soon as there are any."""
        ready = {source for source, _ in self._poll.poll(seconds * 1000)}
        said = self._listen() if self._says in ready else b""  # first: what came before it is there
        found = self._taken(b"ended" in said) if ready else []
        for line in said.splitlines():
            word, number = line.split()
            if word == b"began":
                self.worker = int(number)
            else:
                self.worker, self.ended = 0, int(number)
                self._messages = Messages()  # half a message is lost with its writer
        return found

    def _listen(self) -> bytes:
        """The complete lines that the zygote says; it has ended where it says nothing."""
        data = _read(self._says)
        if data is None:
            # the system kills the worker of a zygote that ends
            self.is_alive, self.worker, self.ended = False, 0, self.ended or -signal.SIGKILL
            return b""
        whole, _, self._lines = (self._lines + data).rpartition(b"\n")
        return whole

    def _taken(self, everything: bool) -> list[Json]:
        found: list[Json] = []
        while data := _read(self._events):
            found += map(json.loads, self._messages.taken(data))
            if not everything:
                break
        return found

    def kill(self) -> list[Json]:
        """Kill the worker and all that descends from it; what it told before that."""
        found: list[Json] = []
        end = monotonic() + PATIENCE
        if self.worker:
            processes.kill(self.worker)
        # a zygote that somebody has stopped would not see that its worker ended
        with suppress(OSError):
            os.kill(self.process, signal.SIGCONT)
        while self.is_alive and self.ended is None and monotonic() < end:
            found += self.receive(TICK)
            # again, for what it has started while its descendants were listed
            if self.worker:
                processes.kill(self.worker)
        if self.ended is None:
            self.close()
        return found

    def close(self) -> None:
        """End the zygote and all that descends from it."""
        if self._closed:
            return
        pipes = self.pipes
        self._closed = True
        for number in (signal.SIGTERM, signal.SIGCONT):
            with suppress(OSError):
                os.kill(self.process, number)
        end = monotonic() + PATIENCE
        while not self._is_reaped():
            if monotonic() > end:
                processes.kill(self.process)
            select.select([], [], [], 0.001)
        self.is_alive, self.worker, self.ended = False, 0, self.ended or -signal.SIGKILL
        for ours in pipes:
            os.close(ours)

    def _is_reaped(self) -> bool:
        try:
            return os.waitpid(self.process, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True


class Spawned:
    """The parent's end of a worker in a new interpreter, 0 while there is none.

    What such a worker starts is not known, and may outlive it. `load` is a function of a module.

    ended  how the last worker ended, once it has
    """

    is_alive = True
    pipes: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()

    def __init__(self, load: Load) -> None:
        from queue import Queue

        self._load = f"{load.__module__}:{load.__qualname__}"
        self._process: Popen[bytes] | None = None
        self._heard: Queue[bytes] = Queue()
        self._messages = Messages()
        self.worker = 0
        self.ended: int | None = None

    def send(self, job: Json) -> None:
        """Give a job to the worker, or to a new one."""
        from subprocess import PIPE, Popen
        from threading import Thread

        self.ended = None
        if self._process is None:
            command = [sys.executable, "-c", SERVE, self._load]
            self._process = Popen(command, stdin=PIPE, stdout=PIPE)
            self.worker, self._messages = self._process.pid, Messages()
            Thread(target=_hear, args=(self._process, self._heard), daemon=True).start()
        assert self._process.stdin
        with suppress(OSError):  # then it is found to have ended
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float) -> list[Json]:
        """The events that come within so many seconds, as soon as there are any."""
        from queue import Empty

        try:
            data = self._heard.get(timeout=seconds)
        except Empty:
            return []
        if not data and self._process is not None:
            self.ended, self.worker = self._process.wait(), 0
            for stream in (self._process.stdin, self._process.stdout):
                assert stream
                with suppress(OSError):
                    stream.close()
            self._process = None
        return [json.loads(message) for message in self._messages.taken(data)]

    def kill(self) -> list[Json]:
        """Kill the worker; what it told before that."""
        found: list[Json] = []
        if self._process is not None:
            self._process.kill()
        while self._process is not None:
            found += self.receive(TICK)
        return found

    def close(self) -> None:
        """End the worker."""
        self.kill()


def _hear(process: Popen[bytes], heard: Queue[bytes]) -> None:
    """Pass on what a process writes, and b"" at its end."""
    assert process.stdout
    while data := os.read(process.stdout.fileno(), 2**16):
        heard.put(data)
    heard.put(b"")


def start(load: Load, others: Iterable[int] = ()) -> Zygote | Spawned:
    """What does the work on this system; `others` are pipes that are none of its business."""
    return Zygote(load, others) if hasattr(os, "fork") else Spawned(load)


def _read(source: int) -> bytes | None:
    """What a pipe holds: b"" for nothing yet, None at its end."""
    try:
        return os.read(source, 2**20) or None
    except BlockingIOError:
        return b""

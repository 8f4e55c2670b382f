"""The processes that do the work of a run: a zygote, and one worker after the other.

The zygote loads the engine once and forks a worker for the next job. A worker does job after job,
until it is killed; then the zygote ends what the worker has left behind, says so, and forks
another one. Jobs come as lines of JSON; events go back as JSON with their length before them.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from verifier.run.supervision import processes

Json = dict[str, Any]
Work = Callable[[Json, Callable[[Json], None]], Iterator[Json]]  # what a job and a listener give
LENGTH = struct.Struct("!Q")
FENCE = 256 * 2**20  # bytes of address space beyond the limit on memory
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
CRASHED = 4
STOPS = (signal.SIGINT, signal.SIGTERM)


def run_zygote(
    parent: int, load: Callable[[], Work], jobs: int, events: int, says: int
) -> NoReturn:
    """Fork workers until no more jobs come.

    parent  the process that asks; all ends when it does
    load    loads the engine; its errors are those of every job
    jobs, events, says  file descriptors: of jobs, of a worker's events, of the zygote's own lines
    """
    try:
        wake = _leave(parent)
        for name in THREADS:  # more cost time on small matrices, and are lost in a fork
            os.environ.setdefault(name, "1")
        work = _loaded(load)
        gc.freeze()  # what workers share, and need not look through
        while line := _job(jobs, wake):
            process = os.fork()
            if not process:
                os.close(says)
                _run_worker(work, line, jobs, events)
            # the worker does so too: whoever is first, its group is there before it can be killed
            with suppress(OSError):
                os.setpgid(process, process)
            os.write(says, b"began %d\n" % process)
            ended, status = 0, 0
            while not ended:
                ended, status = os.waitpid(process, os.WNOHANG)
                if not ended:
                    _wait(wake)
            # what a dead worker leaves is adopted by this process, see `end_with`
            processes.end_descendants()
            os.write(says, b"ended %d\n" % os.waitstatus_to_exitcode(status))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _leave(parent: int) -> int:
    """Leave the group of the parent, whose signals are not for us; end when it ends.

    Returns a pipe that wakes up who waits for it at a signal, even one that came just before.
    """
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    # it does nothing, but without a handler no signal would reach the pipe below
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    processes.end_with(parent, signal.SIGTERM)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # native code prints; the parent alone writes the report
    os.close(nothing)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    return wake


def _wait(wake: int, *sources: int) -> list[int]:
    """Wait for a signal or for one of the pipes; those that can be read."""
    ready, _, _ = select.select([wake, *sources], [], [])
    if wake in ready:
        os.read(wake, 2**10)
    return [source for source in sources if source in ready]


def _job(jobs: int, wake: int) -> bytes:
    while not _wait(wake, jobs):
        pass
    return read_line(jobs)


def _end(number: int, frame: object) -> NoReturn:
    processes.end_descendants()
    os._exit(128 + number)


def _loaded(load: Callable[[], Work]) -> Work:
    try:
        return load()
    except Exception as error:
        wrong = error

    # nobody listens yet: it is told with the first job
    def fail(job: Json, tell: Callable[[Json], None]) -> Iterator[Json]:
        raise wrong

    return fail


def read_line(source: int) -> bytes:
    """The next line of `source`, a pipe on which one comes only after an answer; b"" at its end."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(source, 2**16)
        if not piece:
            return b""
        line += piece
    return line


def _run_worker(work: Work, line: bytes, jobs: int, events: int) -> NoReturn:
    status = CRASHED
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        processes.end_with(os.getppid(), signal.SIGKILL)
        while line:
            _do(json.loads(line), work, events)
            line = read_line(jobs)
        status = 0
    finally:
        # a fork must not return into the zygote's stack, nor run what the zygote does at exit
        os._exit(status)


def serve(name: str) -> None:
    """Be a worker in an interpreter of its own: jobs come from standard input, events go to
    standard output. `name` is the module and the function that load the engine."""
    events = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    module, _, function = name.partition(":")
    work = _loaded(getattr(import_module(module), function))
    try:
        while line := read_line(0):
            _do(json.loads(line), work, events)
    except BaseException:
        os._exit(CRASHED)
    os._exit(0)


def _do(job: Json, work: Work, events: int) -> None:
    """Do one job, and end the process where that fails."""
    _fence(job["memory"])

    def tell(event: Json) -> None:
        if "part" in event:
            event = {**event, "taken": processes.seconds(os.getpid())}
        send(events, json.dumps(event).encode())

    try:
        for event in work(job, tell):
            tell(event)
        tell({"done": True})
    except MemoryError:
        tell({"full": True})
        raise
    except ImportError as error:
        tell({"crash": _missing(error)})
        raise
    except BaseException as error:
        said = f"internal error: {type(error).__name__}: {error}"
        tell({"crash": said, "traceback": traceback.format_exc()})
        raise


def _missing(error: ImportError) -> str:
    """Which library cannot be loaded, and how to install it."""
    library = (error.name or "").partition(".")[0]
    if library in ("", "verifier"):
        return f"internal error: {type(error).__name__}: {error}"
    known = {"flint": "python-flint", "yaml": "PyYAML"}
    return (
        f"the library '{library}' cannot be loaded: {error}; it is installed with: "
        f"pip install {known.get(library, library)}"
    )


def _fence(memory: int | None) -> None:
    """A second fence against memory, for what grows faster than one can look."""
    if memory is None:
        return
    try:
        import resource
    except ImportError:  # the system has no such limit
        return
    before = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = sys.maxsize if before == resource.RLIM_INFINITY else before
    # the soft limit alone: a hard one could not be raised for a later job
    resource.setrlimit(resource.RLIMIT_AS, (min(memory + FENCE, most), before))


def send(target: int, message: bytes) -> None:
    """Write a `message` with its length before it to `target`."""
    rest = memoryview(LENGTH.pack(len(message)) + message)
    while rest:
        rest = rest[os.write(target, rest) :]


class Messages:
    """The messages that come through a pipe, put together from what it gives."""

    def __init__(self) -> None:
        self._held = bytearray()

    def taken(self, data: bytes) -> Iterator[bytes]:
        """The messages that are complete with this data."""
        self._held += data
        while len(self._held) >= LENGTH.size:
            (size,) = LENGTH.unpack_from(self._held)
            if len(self._held) < LENGTH.size + size:
                return
            message = bytes(self._held[LENGTH.size : LENGTH.size + size])
            del self._held[: LENGTH.size + size]
            yield message

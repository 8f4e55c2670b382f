"""Foreign Python code as an untrusted guest: how it is shut in, asked, bounded and ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from verifier.base.exact import MAX_DIGITS

SECONDS = 60  # of processor time; so many more may pass on the clock:
GRACE = 5
MEMORY = 2 * 2**30  # of address space
ANSWER = 64 * 2**20  # bytes
THREADS = 64
PROBE_SECONDS = 10

RUNNER = Path(__file__).with_name("_python_runner.py")
INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # where libraries are; nothing else is told
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SEEDS = ("0", "1")  # of the hashes of text, and so of the order of sets


@dataclass(frozen=True)
class Isolation:
    """A way to shut a guest in.

    name      as reports say it
    landlock  whether the guest gives up writing, and reading what Python is not made of
    seccomp   whether it gives up all but some system calls
    command   what starts it
    """

    name: str
    landlock: bool = False
    seccomp: bool = False
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ended:
    """A guest that has ended: its exit status, or minus the signal; why, if it was ended here
    (`time` or `threads`); what it wrote."""

    status: int
    reason: str | None
    answer: bytes


# What must fail in a probe for a way to count.
EVERYTHING = {"write", "read", "connect", "signal", "fork"}
REFUSED = {
    "landlock": EVERYTHING,
    "bubblewrap": {"write", "read", "connect"},  # processes of its own, which end with it
    "seccomp": EVERYTHING - {"read"},
}


@cache
def isolation() -> Isolation:
    """The strongest way that this system has, found by trying what it must refuse."""
    for kind, way in _ways():
        if not REFUSED[kind] & _goes_through(way):
            return way
    return Isolation("rlimit")


def isolation_name() -> str | None:
    """What reports say; None where the system could not be tried, so that no guest has run."""
    try:
        return isolation().name
    except OSError:
        return None


def _ways() -> Iterator[tuple[str, Isolation]]:
    from verifier.mechanisms import _confinement

    filtered, version = _confinement.has_seccomp(), _confinement.landlock_version()
    if filtered and version:
        yield "landlock", Isolation(f"landlock-{version}+seccomp", True, True)
    if program := shutil.which("bwrap"):
        yield "bubblewrap", Isolation("bubblewrap", False, filtered, _bubblewrap(program))
    if filtered:
        yield "seccomp", Isolation("seccomp", False, True)


def _bubblewrap(program: str) -> tuple[str, ...]:
    """Nothing but what Python is read from, read only; no network; processes of its own."""
    found = json.loads(_run_to_end(Isolation(""), {"do": "readable"}).answer or b"[]")
    real = os.path.realpath(sys.executable)
    python = [os.path.dirname(sys.executable), os.path.dirname(real), f"{sys.prefix}/pyvenv.cfg"]
    shown = [path for path in found if not path.startswith(("/dev/", "/proc/"))]
    binds: list[str] = []
    for path in [*python, *shown, str(RUNNER.parent)]:
        binds += ["--ro-bind-try", os.path.realpath(path), path]
    options = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    return (program, *options, *binds, "--proc", "/proc", "--dev", "/dev", "--chdir", "/")


def _goes_through(way: Isolation) -> set[str]:
    """What a probe can do that a guest may not; everything where the system has not this way.

    Raises OSError where the probe ends before it can say: less would not do instead.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard,
    ):
        canary = Path(folder, "canary")
        canary.write_text("")
        heard.setblocking(False)
        task = {
            "do": "probe",
            "canary": str(canary),
            "port": _port(heard),
            "asking": os.getpid(),
        }
        ended = _run_to_end(way, task)
        if ended.reason or not (ended.answer or way.command):
            raise OSError(ended.status, "what shuts it in could not be tried")
        found = json.loads(ended.answer or b"null")
        return EVERYTHING if found is None else set(found) - _unheard(heard)


def _port(listening: socket.socket) -> int:
    """Where a socket can be reached; the port that nobody reads where there is no network."""
    try:
        listening.bind(("127.0.0.1", 0))
    except OSError:
        return 9
    port: int = listening.getsockname()[1]
    return port


def _unheard(heard: socket.socket) -> set[str]:
    """`connect` where nothing has come: a network of its own takes what leads nowhere."""
    try:
        heard.recv(1)
    except BlockingIOError:
        return {"connect"}
    return set()


def _run_to_end(way: Isolation, task: Mapping[str, Any]) -> Ended:
    """One process of this package's own, asked something short."""
    with _started(way, task, SEEDS[0]) as guest:
        (ended,) = _wait([guest], PROBE_SECONDS)
    return ended


def ask(task: Mapping[str, Any]) -> list[Ended]:
    """What two guests answer to the same task, each with other hashes, the second asked about
    the worlds in reverse; both have ended."""
    # a function that remembers what it was asked answers otherwise in another order
    backwards = {**task, "worlds": task["worlds"][::-1]}
    way = isolation()
    with (
        _started(way, {**task, "do": "run"}, SEEDS[0]) as first,
        _started(way, {**backwards, "do": "run"}, SEEDS[1]) as second,
    ):
        return _wait([first, second], SECONDS + GRACE)


Guest = tuple["subprocess.Popen[bytes]", IO[bytes]]


@contextmanager
def _started(way: Isolation, task: Mapping[str, Any], seed: str) -> Iterator[Guest]:
    """A guest, with nothing inherited but its task and a file for its answer; ended at the end."""
    limits = {"seconds": SECONDS, "memory": MEMORY, "size": ANSWER, "digits": MAX_DIGITS}
    shut = {"landlock": way.landlock, "seccomp": way.seccomp}
    # bubblewrap stands in between: then this process is not the guest's parent
    parent = None if way.command else os.getpid()
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    with _scratch() as given, _scratch() as answer:
        given.write(json.dumps({**task, **limits, **shut, "parent": parent}).encode())
        given.seek(0)
        process = subprocess.Popen(
            # no packages of the user, no folder of the script, no bytecode written, texts in UTF-8
            [*way.command, sys.executable, "-s", "-P", "-B", "-X", "utf8", str(RUNNER)],
            stdin=given,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            env={**kept, **ONE_THREAD, "PYTHONHASHSEED": seed},
            cwd="/",
            start_new_session=True,
        )
        try:
            yield process, answer
        finally:
            if process.returncode is None:
                _end(process)


def _scratch() -> IO[bytes]:
    """A file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("guest"), "w+b")
    return tempfile.TemporaryFile()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a guest and the group that it leads."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _wait(guests: Sequence[Guest], seconds: float) -> list[Ended]:
    """Wait until all have ended; end those that take too long or start too many threads."""
    reasons: dict[int, str] = {}
    running = [process for process, _ in guests]
    end, pause = time.monotonic() + seconds, 0.001
    while running:
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
        for process in running[:]:
            if time.monotonic() > end:
                reasons[process.pid] = "time"
            elif _threads(process.pid) > THREADS:
                reasons[process.pid] = "threads"
            if process.pid in reasons or process.poll() is not None:
                _end(process)
                running.remove(process)
    return [
        Ended(process.returncode, reasons.get(process.pid), _written(answer))
        for process, answer in guests
    ]


def _written(answer: IO[bytes]) -> bytes:
    answer.seek(0)
    # the one byte more shows that an answer is too long
    return answer.read(ANSWER + 1)


def _threads(process: int) -> int:
    """How many threads a process has, as far as the system says it."""
    try:
        return len(os.listdir(f"/proc/{process}/task"))
    except OSError:
        return 1

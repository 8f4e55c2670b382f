"""Limits on the time and the memory of a block of work in this process."""

from __future__ import annotations

import ctypes
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import count
from math import inf
from threading import Condition, Lock, Thread, current_thread, get_ident, main_thread
from time import monotonic
from types import FrameType

from verifier.base.errors import TimeLimitReached, time_reached
from verifier.run.supervision import processes

Left = Callable[[], float]


@contextmanager
def memory(size: int) -> Iterator[None]:
    """Allow the whole process an address space of `size` bytes; MemoryError beyond."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    most = sys.maxsize if before[1] == resource.RLIM_INFINITY else before[1]
    resource.setrlimit(resource.RLIMIT_AS, (min(size, most), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def clock(seconds: float, spent: float = 0.0) -> AbstractContextManager[None]:
    """End a block with TimeLimitReached between two steps of Python, in any thread.

    seconds  of the processor that its thread may take for the block; NET times as many may pass
    spent    those of them that are gone before it begins

    Native code is not interrupted. Blocks of one thread do not lie inside one another.
    """
    of_signals = hasattr(signal, "setitimer") and current_thread() is main_thread()
    left = _left(max(seconds - spent, 0.001))
    return _by_signal(seconds, left) if of_signals else _by_timer(seconds, left)


def _left(seconds: float) -> Left:
    """What tells, in any thread, how many seconds of this one are left from now on, at least."""
    taken = monotonic
    if hasattr(time, "pthread_getcpuclockid"):
        taken = partial(time.clock_gettime, time.pthread_getcpuclockid(get_ident()))
    end, net = taken() + seconds, monotonic() + processes.NET * seconds
    return lambda: min(end - taken(), net - monotonic())


@contextmanager
def _by_signal(seconds: float, left: Left) -> Iterator[None]:
    """The main thread is interrupted by a signal.

    The import system's callbacks swallow every exception, so the limit waits until it is left.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
        elif (rest := left()) > 0:  # others had the processor
            signal.setitimer(signal.ITIMER_REAL, max(rest, 0.001))
        else:
            raise TimeLimitReached(time_reached(seconds))

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(left(), 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _by_timer(seconds: float, left: Left) -> Iterator[None]:
    """Another thread is interrupted by an exception that the interpreter raises in it.

    The timer sends at most one, and none once `over` is set. One that was sent and has not been
    raised when the block ends is raised then, so it never arrives later; to take it back would
    leave the interpreter looking for it, and CPython 3.11 then hangs under a profiler.
    """

    class Over(TimeLimitReached):
        def __init__(self) -> None:  # the interpreter makes it, without arguments
            super().__init__(time_reached(seconds))

    thread, lock, over, number = ctypes.c_ulong(get_ident()), Lock(), False, -1
    send = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def stop() -> None:
        nonlocal number
        with lock:
            if over:
                return
            if (rest := left()) > 0:  # others had the processor
                number = _ALARMS.set(rest, stop)
            else:
                send(thread, ctypes.py_object(Over))

    number = _ALARMS.set(left(), stop)
    try:
        yield
    finally:
        ended = False
        while not ended:
            with suppress(Over):
                with lock:
                    over = True
                _ALARMS.drop(number)
                for _ in range(100):  # the interpreter raises what was sent where a loop goes on
                    pass
                ended = True


class _Alarms:
    """Calls functions when their time has come, all in one thread: a block is too short for a
    thread of its own."""

    def __init__(self) -> None:
        self._sooner, self._numbers = Condition(), count()
        self._due: dict[int, tuple[float, Callable[[], None]]] = {}
        self._wakes = inf  # when the thread looks again
        self._thread: Thread | None = None

    def set(self, seconds: float, call: Callable[[], None]) -> int:
        """Call in so many seconds; the number of the alarm."""
        with self._sooner:
            number, end = next(self._numbers), monotonic() + seconds
            self._due[number] = end, call
            if self._thread is None or not self._thread.is_alive():  # as after a fork
                self._thread = Thread(target=self._run, daemon=True)
                self._thread.start()
            elif end < self._wakes:
                self._sooner.notify()
            return number

    def drop(self, number: int) -> None:
        """Forget an alarm, if it has not been called; without a lock, as the call may interrupt
        even this."""
        self._due.pop(number, None)

    def _run(self) -> None:
        while True:
            now = monotonic()
            for number, (end, call) in list(self._due.items()):
                found = self._due.pop(number, None) if end <= now else None
                if found:
                    call()
            with self._sooner:
                ends = [end for end, _ in list(self._due.values())]
                later = (
                    self._wakes if self._wakes > now else inf
                )  # what is set next is hardly sooner
                self._wakes = min(ends, default=later)
                self._sooner.wait(max(0.0, min(self._wakes - now, LONGEST)))


LONGEST = 3600.0  # seconds that the thread sleeps at a time
_ALARMS = _Alarms()

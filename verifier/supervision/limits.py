"""Limits on the time and the memory of a block of work in this process."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, current_thread, get_ident, main_thread
from types import FrameType

from verifier.base.errors import TimeLimitReached, time_reached


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


@contextmanager
def clock(seconds: float, spent: float = 0.0) -> Iterator[None]:
    """End a block with TimeLimitReached between two steps of Python, in any thread.

    seconds  allowed for the block
    spent    those of them that are gone before it begins

    Native code is not interrupted. Blocks of one thread do not lie inside one another.
    """
    left = max(seconds - spent, 0.001)
    of_signals = hasattr(signal, "setitimer") and current_thread() is main_thread()
    with _by_signal(seconds, left) if of_signals else _by_timer(seconds, left):
        yield


@contextmanager
def _by_signal(seconds: float, left: float) -> Iterator[None]:
    """The main thread is interrupted by a signal.

    The import system's callbacks swallow every exception, so the limit waits until it is left.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
        else:
            raise TimeLimitReached(time_reached(seconds))

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _by_timer(seconds: float, left: float) -> Iterator[None]:
    """Another thread is interrupted by an exception that the interpreter raises in it.

    The timer sends at most one, and none once `over` is set. One that was sent and has not been
    raised when the block ends is taken back, so it never arrives later.
    """

    class Over(TimeLimitReached):
        def __init__(self) -> None:  # the interpreter makes it, without arguments
            super().__init__(time_reached(seconds))

    thread, lock, over = ctypes.c_ulong(get_ident()), Lock(), False
    send = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def stop() -> None:
        with lock:
            if not over:
                send(thread, ctypes.py_object(Over))

    timer = Timer(left, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over = True
            send(thread, None)

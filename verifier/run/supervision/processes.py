"""Processes: which descend from one, how much memory they hold, and how none of them stays.

Everything is read from `/proc`; where there is none, nothing is known of descendants or memory.
"""

from __future__ import annotations

import os
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

NET = 5.0  # times as long work may last on the clock, as it waits or others have the processor
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def set_process(option: int, value: int) -> bool:
    """Set an `option` of `prctl` for this process to a `value`; False where there is none."""
    import ctypes

    try:
        return bool(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError, TypeError):
        return False


def end_with(parent: int, number: int) -> None:
    """Let this process get the signal `number` when its `parent` ends, and adopt what its
    descendants leave."""
    set_process(PR_SET_PDEATHSIG, number)
    set_process(PR_SET_CHILD_SUBREAPER, 1)
    if os.getppid() != parent:  # it has ended already
        os.kill(os.getpid(), number)


def descendants(process: int) -> list[int]:
    """The processes that descend from `process`, in whatever session or group."""
    children: dict[int, list[int]] = defaultdict(list)
    for one, parent in _parents():
        children[parent].append(one)
    found, waiting = [], [process]
    while waiting:
        below = children.pop(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """Every process with its parent."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    rest = file.read().rpartition(b")")[2].split()  # the name may hold anything
                # zombies, for which nobody has waited, hold nothing and cannot be killed
                if rest[0] not in (b"Z", b"X"):
                    yield int(name), int(rest[1])


def resident(process: int) -> int:
    """The bytes of memory that a process holds; 0 where it cannot be found out."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def seconds(process: int) -> float:
    """The seconds of the processor that a process has taken, with what it has waited for; 0 where
    that cannot be found out."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            rest = file.read().rpartition(b")")[2].split()
        # in user and kernel mode, its own and those of its children
        return sum(map(int, rest[11:15])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def total_memory() -> int | None:
    """The bytes of memory that this machine, or the group of processes we are in, may use."""
    found = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError), open(path) as file:
            found.append(int(file.read()))
    return min((size for size in found if size > 0), default=None)


def cores() -> int:
    """The number of cores that this process may use."""
    found = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    with suppress(OSError, ValueError), open("/sys/fs/cgroup/cpu.max") as file:
        quota, period = file.read().split()
        found = min(found, -(-int(quota) // int(period)))  # "max" is no number, and no quota
    return max(1, found)


def kill(process: int) -> None:
    """Kill a process, its group if it leads one, and all its descendants."""
    for one in [*descendants(process), process]:
        with suppress(OSError):
            os.kill(one, signal.SIGKILL)
    with suppress(OSError):
        os.killpg(process, signal.SIGKILL)


def end_descendants() -> None:
    """Kill and reap all descendants of this process, those too that come while it does."""
    while True:
        for one in descendants(os.getpid()):
            with suppress(OSError):
                os.kill(one, signal.SIGKILL)
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not ended:
            time.sleep(0.001)

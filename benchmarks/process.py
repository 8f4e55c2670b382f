"""One measured run of a command in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Run:
    """What one process took.

    seconds  from start to exit
    cpu      processor seconds, user and system
    peak     largest resident set, in MiB
    report   what the process printed as JSON about its parts; empty for other commands
    """

    seconds: float
    cpu: float
    peak: float
    report: dict[str, Any]


def fresh(arguments: Sequence[str]) -> Run:
    """Run `python ARGUMENTS…` in a process of its own; RuntimeError where it fails."""
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}:\n{printed}")
    report = json.loads(printed) if printed.startswith("{") else {}
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, report)

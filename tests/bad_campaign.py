"""Time and memory of bad files, each in a process of its own as a user runs it.

`make harden` measures all of the corpus, `make harden SAMPLE=1` some of it.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests import bad_files
from verifier.cli.running import BAD_INPUT

SECONDS, BYTES = 2, 256 * 2**20
PATIENCE = 120  # seconds by the clock, on a machine that is busy

# A small process in between: Linux counts the memory of whoever starts a process as its own.
MEASURED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(status)
"""


@dataclass(frozen=True)
class Measured:
    """What one file took: seconds of the processor, bytes at the peak; and what was wrong."""

    name: str
    seconds: float
    size: int
    wrong: str


def measure(path: Path, status: int) -> Measured:
    """Run `verifier check` on a file, which must end with a status, within the limits."""
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "verifier", "check", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return Measured(path.stem, PATIENCE, 0, "it does not end")
    seconds, kibibytes = map(float, done.stdout.splitlines()[-1].split())
    wrong = "" if done.returncode == status else f"exit status {done.returncode}, not {status}"
    wrong = "a traceback" if "Traceback" in done.stderr else wrong
    if status == BAD_INPUT and not done.stderr.startswith(f"{path}:"):
        wrong = wrong or "no place"
    within = seconds < SECONDS and kibibytes * 1024 < BYTES
    limits = "" if within or status != BAD_INPUT else "beyond the limits"
    return Measured(path.stem, seconds, int(kibibytes * 1024), wrong or limits)


def drawn(count: int, seed: int) -> list[Measured]:
    """So many files of the corpus, drawn without repetition; all, if there are no more."""
    corpus = [bad for bad in bad_files.corpus() if bad.code != bad_files.LIMIT]
    chosen = random.Random(seed).sample(corpus, min(count, len(corpus)))
    with tempfile.TemporaryDirectory() as folder:
        return [measure(bad.write(Path(folder)), BAD_INPUT) for bad in chosen]


def campaign(count: int, seed: int) -> str:
    """The worst time and memory of so many files; AssertionError where something is wrong."""
    found = drawn(count, seed)
    failed = [one for one in found if one.wrong]
    wrong = [f"{m.name}: {m.wrong}, {m.seconds:.2f} s, {m.size >> 20} MiB" for m in failed]
    slowest, largest = (max(found, key=key) for key in (lambda m: m.seconds, lambda m: m.size))
    assert not wrong, "; ".join(wrong)
    return (
        f"{len(found)} bad files; slowest {slowest.name} {slowest.seconds:.2f} s, "
        f"largest {largest.name} {largest.size >> 20} MiB"
    )

"""Small checks by the thousand: as a sweep, and one after the other in Python.

python -m benchmarks.sweeps sweep COUNT JOBS    `verifier sweep` with so many workers, into SQLite
python -m benchmarks.sweeps dask COUNT JOBS     the same on a cluster of so many processes
python -m benchmarks.sweeps python COUNT        each question made and answered in this process

Each prints as JSON the seconds for a check, by the clock and of the processor, all processes
together; start-up is left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from time import perf_counter

SPEC = "benchmarks/specs/sweep.yaml"


def sweep(count: int, *options: str) -> None:
    """Decide so many values of p into a table."""
    with tempfile.TemporaryDirectory() as folder:
        values, table = f"p=501/1000..999/1000:{count}", str(Path(folder) / "t.sqlite")
        command = [sys.executable, "-m", "verifier", "sweep", SPEC, "--quiet", *options]
        subprocess.run(
            [*command, "--set", values, "--out", table], stdout=subprocess.DEVNULL, check=True
        )


def dask(count: int, jobs: int) -> None:
    """The same on a cluster of so many processes on this machine, without Dask's own profiler,
    which would take an eighth of the time."""
    os.environ["DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED"] = "False"
    from distributed import LocalCluster

    with LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None) as cluster:
        sweep(count, "--engine", "dask", "--address", cluster.scheduler_address)


def alone(count: int) -> None:
    """The same questions in Python, about the same worlds."""
    import verifier
    from verifier.base.level import Level
    from verifier.definitions import differential_privacy
    from verifier.run import verify
    from verifier.world.worlds import database

    space, level = database(["ann", "bob"], [0, 1]), Level.of_exp_epsilon(10**6)
    low, high = Fraction(501, 1000), Fraction(999, 1000)
    for at in range(count):
        p = low + (high - low) * at / (count - 1)
        response = verifier.mechanism(space, {"randomized_response": {"truth": str(p)}})
        question = differential_privacy.question(space=space, mechanism=response, level=level)
        assert verify.answer(question).verdict == "holds"


def spent(run: Callable[[int], None], count: int) -> dict[str, float]:
    """The seconds for a check, of many beyond two, which have paid for what is loaded."""
    found = []
    for number in (2, count):
        clock, before = perf_counter(), sum(os.times()[:4])
        run(number)
        found.append((perf_counter() - clock, sum(os.times()[:4]) - before))
    clock, processor = (
        (after - before) / (count - 2) for before, after in zip(*found, strict=True)
    )
    return {"clock": clock, "processor": processor}


def main(how: str, count: int, jobs: int = 1) -> None:
    """Measure one way."""
    ways: dict[str, Callable[[int], None]] = {
        "python": alone,
        "dask": lambda number: dask(number, jobs),
        "sweep": lambda number: sweep(number, "--jobs", str(jobs)),
    }
    print(json.dumps(spent(ways[how], count)))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))

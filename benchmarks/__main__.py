"""`python -m benchmarks [JOB…]`: run the jobs and print a table of medians."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from statistics import median

from benchmarks.jobs import JOBS, Job
from benchmarks.process import fresh


def rows(job: Job) -> Iterator[str]:
    """One line of the table per figure of a job."""
    rounds = [
        {name: fresh(arguments) for name, arguments in job.processes.items()}
        for _ in range(job.rounds)
    ]
    for figure in job.figures:
        values = [figure.of(runs) for runs in rounds]
        middle = median(values)
        spread = f"{show(min(values))} to {show(max(values))}"
        target = verdict = ""
        if figure.limit is not None:
            target = f"{'≥' if figure.at_least else '≤'} {figure.limit:g} {figure.unit}"
            verdict = "met" if figure.is_met(middle) else "missed"
        cells = (job.title, figure.name, f"{show(middle)} {figure.unit}", spread, target, verdict)
        yield f"| {' | '.join(cells)} |"


def show(value: float) -> str:
    """Three significant digits."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main(names: list[str]) -> int:
    """Run the named jobs, or all; 1 where a process fails, 2 for an unknown name."""
    unknown = [name for name in names if name not in JOBS]
    if unknown:
        print(f"no job is named '{unknown[0]}'; jobs: {', '.join(JOBS)}", file=sys.stderr)
        return 2
    print("| job | figure | median | range | target | |\n|---|---|---|---|---|---|")
    status = 0
    for name in names or JOBS:
        try:
            for row in rows(JOBS[name]):
                print(row, flush=True)
        except RuntimeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

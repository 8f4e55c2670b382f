"""The command `sweep`: every check of a file for every combination of values, in a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from time import monotonic
from typing import Any

from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.base.version import VERSION
from verifier.cli import inputs
from verifier.cli.arguments import (
    Parsers,
    add_command,
    add_jobs,
    add_limits,
    add_out,
    add_parameters,
    file_of,
)
from verifier.cli.clusters import Cluster, NoScheduler
from verifier.cli.inputs import single
from verifier.cli.running import (
    BAD_INPUT,
    OF_CHECKS,
    OK,
    PROGRESS,
    UNDECIDED,
    Run,
    complain,
    say,
)
from verifier.lab.sweeps.plan import Plan, Values
from verifier.lab.sweeps.tables import OF_CHECK, SUFFIXES, Table, columns
from verifier.run.supervision.supervisor import Supervisor

Json = dict[str, Any]
OF_ROWS = {**OF_CHECKS, "bad": BAD_INPUT, "none": OK}  # exit statuses by the status of a row
STATUS, REASON = map(list(OF_CHECK).index, ("status", "reason"))  # places in what is told
NAMES = {"bad": "bad input", "none": "without a check"}
FIRST_SIZE = 10  # combinations of the first batches
BATCHES = {  # the most combinations of a batch, and the seconds that it is to take
    "local": (200, 0.2),
    "dask": (1000, 1.0),  # as each costs the cluster some milliseconds
}


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "sweep", "decide every check for every combination of values, into a table"
    )
    command.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    add_out(
        command,
        type=file_of(SUFFIXES),
        required=True,
        metavar="FILE",
        help=f"the table: {', '.join(SUFFIXES)}",
    )
    command.add_argument(
        "--resume",
        action="store_true",
        help="go on with a table: what it has is not decided again",
    )
    command.add_argument(
        "--certificates", action="store_true", help="put the certificate into each row"
    )
    add_parameters(command)
    command.add_argument(
        "--engine",
        choices=("local", "dask"),
        default="local",
        help="where it is decided: here, or on a cluster of dask.distributed; %(default)s by "
        "default",
    )
    command.add_argument(
        "--address", metavar="ADDRESS", help="of the cluster's scheduler: tcp://10.0.0.1:8786"
    )
    add_jobs(command, "batches of combinations that are decided")
    command.add_argument("-q", "--quiet", action="store_true", help="do not tell the progress")
    add_limits(command, "check")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Decide every combination, and write the table."""
    if (options.engine == "dask") != (options.address is not None):
        complain("--engine dask and --address go together")
        return BAD_INPUT
    work = _Sweep(options)
    try:
        signal = work.sweep(single(options.file))
    except InputError as error:
        work.refuse(error)
        signal = None
    except NoScheduler as error:
        complain(escaped(str(error)))
        return BAD_INPUT
    finally:
        PROGRESS.hide()
    return signal or work.status()


class _Sweep(Run):
    """A run that decides combinations in batches, and writes what is told of them."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self._plan: Json | None = None
        self._rows: _Rows | None = None

    def sweep(self, file: str) -> int | None:
        """Decide and write what is not there yet; the status 130 or 143 where a signal ends it."""
        options = self.options
        PROGRESS.begin()
        self.job = {**self.shared(), "file": file, **inputs.given(file)}
        with ExitStack() as stack:
            supervisor = stack.enter_context(self.supervisor(options.jobs))
            for event in supervisor.run({**self.job, "work": "plan"}):
                self.take(file, event)
            if self._plan is None:
                return None
            plan = Plan.of(self._plan, options.zip)
            shape = columns(plan.names, options.certificates)
            whole = stack.enter_context(Table(options.out, shape, options.resume))
            self._rows = _Rows(plan, whole, *BATCHES[options.engine])
            for number, event in self._events(supervisor, stack):
                self._rows.batch = number
                self._take_next(event)
            self._end(whole, self._rows)
            return 128 + supervisor.signals[0] if supervisor.signals else None

    def _events(self, supervisor: Supervisor, stack: ExitStack) -> Iterator[tuple[int, Json]]:
        """What is told of the batches, by workers of this machine or of a cluster."""
        assert self._rows and self._plan
        job = {
            **self.job,
            "work": "sweep",
            "parameters": {},
            "version": VERSION,
            "given": self._plan["given"],
            "names": self._plan["names"],
            "certified": self.options.certificates,
        }

        def batches(workers: int) -> Iterator[Json]:
            assert self._rows
            for values in self._rows.batches(workers):
                if supervisor.signals or supervisor.is_late():
                    return
                yield {**job, "batch": values}

        if self.options.engine == "local":
            return supervisor.as_they_come(batches(len(supervisor.lanes)))
        cluster = stack.enter_context(Cluster(self.options.address))
        return cluster.as_they_come(batches(cluster.workers()))

    def answer(self, file: str, event: Json) -> None:
        """Write what a batch tells, and say how far the sweep is."""
        if "plan" in event:
            self._plan = event["plan"]
            return
        assert self._rows
        self._rows.put(event)
        if not self.options.quiet:
            PROGRESS.advance(*self._rows.progress())

    def stop(self, file: str, reason: str) -> None:
        """Say once that not all was done."""
        if f"{file}: {reason}" not in self.stopped:
            super().stop(file, reason)

    def _end(self, whole: Table, rows: _Rows) -> None:
        """Complete the table where all is in it, and say what it has."""
        self.statuses |= {OF_ROWS[status] for status in rows.statuses}
        if rows.bad:
            complain(escaped(f"bad input, the first of it: {rows.bad}"))
        if set(rows.statuses) == {"none"}:
            self.statuses.add(BAD_INPUT)
        if rows.done == rows.plan.size:
            whole.complete()
            say([escaped(f"{self.options.out}: {rows.told()}")])
        else:
            self.statuses.add(UNDECIDED)
            said = f"{rows.told()}; of {rows.plan.size} in all: go on with --resume"
            complain(escaped(f"{whole.path}: {said}"))


class _Rows:
    """What a sweep has written, and what it has still to do.

    plan      its combinations
    most      of these in a batch
    lasting   seconds that a batch is to take
    batch     the number of the batch of which something is told
    statuses  of rows -> how many there are, of former runs 0 where there are some
    bad       the reason of the first row that is bad input, if there is one
    done      how many combinations are in the table
    """

    def __init__(self, plan: Plan, table: Table, most: int, lasting: float) -> None:
        self.plan, self.batch = plan, 0
        self._most, self._lasting = most, lasting
        self.statuses: dict[str, int] = {}
        self.bad = ""
        self.done = self._known = 0
        self._table, self._keys = table, table.keys()
        self._at_work: list[list[tuple[int, str, Values]]] = []
        self._each = 0.0  # seconds that a combination takes
        self._began = monotonic()

    def batches(self, workers: int) -> Iterator[list[Values]]:
        """The combinations that are not there yet, as many at a time as take a moment."""
        held: list[tuple[int, str, Values]] = []
        for number, values in enumerate(self.plan.combinations(), 1):
            key = self.plan.key(values)
            if key not in self._keys:
                self._keys[key] = set()
                held.append((number, key, values))
            else:
                self._note(self._keys[key])
            if len(held) >= self._size((self.plan.size - number) // (2 * workers)):
                yield self._begun(held)
                held = []
        if held:
            yield self._begun(held)

    def _note(self, statuses: Iterable[str]) -> None:
        """Take into account a combination that is there, or at work."""
        self.done, self._known = self.done + 1, self._known + 1
        for status in statuses:
            self.statuses.setdefault(status, 0)

    def _size(self, share: int) -> int:
        """How many combinations a batch has; a worker's share of those that are left bounds it."""
        size = self._lasting / self._each if self._each else FIRST_SIZE
        return max(1, min(int(size), self._most, share))

    def _begun(self, held: list[tuple[int, str, Values]]) -> list[Values]:
        self._at_work.append(held)
        return [values for *_, values in held]

    def put(self, event: Json) -> None:
        """Write the rows of some combinations of the present batch."""
        held, found = self._at_work[self.batch], event["rows"]
        first, after = event["first"], event["first"] + len(found)
        self._table.put(
            (number, *values, *row, key)
            for (number, key, values), rows in zip(held[first:after], found, strict=True)
            for row in rows
        )
        for row in (row for rows in found for row in rows):
            self.statuses[row[STATUS]] = self.statuses.get(row[STATUS], 0) + 1
            if row[STATUS] == "bad":
                self.bad = self.bad or row[REASON]
        self.done += len(found)
        self._each = event["seconds"] / len(found)
        if after == len(held):
            self._at_work[self.batch] = []

    def progress(self) -> tuple[str, float]:
        """How far it is, in words, and the seconds that it may still take."""
        new = self.done - self._known
        rate = new / max(monotonic() - self._began, 1e-9)
        said = f"{self.done} of {self.plan.size} combinations, {rate:.3g}/s"
        return said, (self.plan.size - self.done) / max(rate, 1e-9)

    def told(self) -> str:
        """What has been written, in words."""
        found = ((count, NAMES.get(s, s)) for s, count in self.statuses.items() if count)
        counts = ", ".join(f"{count} {name}" for count, name in found)
        known = f", {self._known} of them there before" if self._known else ""
        plural = "s" if self.done != 1 else ""
        return f"{self.done} combination{plural}{known}" + (f"; {counts}" if counts else "")

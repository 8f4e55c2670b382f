"""What commands share: files, streams, statuses, and runs of workers.

This room alone has side effects. The work is done by workers under
`verifier.run.supervision.supervisor`; what is here prints what they tell, as soon as they do, and
loads no engine.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.cli import inputs
from verifier.cli.progress import Progress
from verifier.report.errors import error_as_json, together
from verifier.report.formats.json import TOOL, written
from verifier.run.supervision import processes
from verifier.run.supervision.supervisor import Limits, Supervisor
from verifier.run.supervision.worker import Work

Json = dict[str, Any]
OK, FAILED, BAD_INPUT, UNDECIDED, INTERNAL = range(5)
INTERRUPTED = 130
OF_CHECKS = {  # by the status of a check
    "ok": OK,
    "failed": FAILED,
    "undecided": UNDECIDED,
    "not run": UNDECIDED,
    "internal": INTERNAL,
}
SEVERITY = (INTERNAL, BAD_INPUT, FAILED, UNDECIDED, OK)
MEANINGS = {  # of the exit statuses
    f"{OK}": "every check met its expectation, and the checker accepted its certificate",
    f"{FAILED}": "some check did not, or compared nothing",
    f"{BAD_INPUT}": "bad usage or bad input, or no check ran at all",
    f"{UNDECIDED}": "something stayed undecided or hit a limit, and nothing failed",
    f"{INTERNAL}": "internal error, a library that is missing, a rejected certificate, or output "
    "that could not be written: never a pass",
    "130, 143": "ended by SIGINT or SIGTERM before all was done",
}
UNWRITTEN = "S701"  # the code of output that could not be written
SHARE_OF_MEMORY = 0.8
PROGRESS = Progress()


def say(lines: Iterable[str]) -> None:
    """Print lines that are safe to print, at once; OSError where they cannot be written."""
    for line in lines:
        PROGRESS.hide()
        print(line)
    sys.stdout.flush()


def complain(text: str) -> None:
    """Print a text on standard error, if it can be written to; the exit status tells it too."""
    PROGRESS.hide()
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # nor must it fail when Python ends


def failed(what: str, error: Exception) -> int:
    """Say what has failed within the program itself, and where; the exit status for it."""
    import traceback

    complain("".join(traceback.format_exception(error)))
    complain(escaped(f"internal error: {what}{type(error).__name__}: {error}"))
    return INTERNAL


def of_error(code: str) -> int:
    """The exit status of an error by its code."""
    return INTERNAL if code == UNWRITTEN else BAD_INPUT


def _load() -> Work:
    from verifier.cli import jobs

    return jobs.run


class Run:
    """What all commands do alike: they give jobs to workers and take in what these tell.

    is_quiet  whether what is wrong with files is told by its report alone, not on standard error
    """

    is_quiet = False

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.statuses = {OK}
        self.job: Json = {}  # of which something is told
        self.items: list[Json] = []
        self.errors: list[Json] = []
        self.stopped: list[str] = []
        self.wrong: list[Json] = []  # errors of choices of parameters that are not told yet
        self._crashes: set[str] = set()
        self._warned: set[str] = set()
        self._is_headed = False
        self.signals: Sequence[int] = ()  # that have ended the run

    def status(self) -> int:
        """The worst of all statuses."""
        return next(status for status in SEVERITY if status in self.statuses)

    def files(self, arguments: Iterable[str]) -> list[str]:
        """The files that arguments name, each once; says what is wrong with arguments."""
        found: dict[str, str] = {}
        for argument in arguments:
            try:
                for name in inputs.named(argument):
                    found.setdefault(os.path.abspath(name), name)
            except InputError as error:
                self.refuse(self._of_settings(argument, error))
        return list(found.values())

    def _of_settings(self, argument: str, error: InputError) -> InputError:
        """What is wrong with a file that is asked for, where the settings name it if they do."""
        from verifier.cli import settings

        if not settings.is_set(self.options, "paths"):
            return error
        return settings.error(self.options, "paths", f"'{argument}': {error.message}")

    def refuse(self, error: InputError) -> None:
        """Say what is wrong."""
        self.bad({"error": [str(error)], "json": [error_as_json(error)]})

    def all(self, names: Iterable[str], **job: Any) -> int | None:
        """Do a job on each of the files; the status 130 or 143 where a signal ends the run."""
        jobs = [{**job, "file": name, **inputs.given(name)} for name in names]
        return self.each([jobs], len(jobs))

    def each(self, rounds: Iterable[Sequence[Json]], workers: int) -> int | None:
        """Do rounds of jobs, and take in what is told in their order.

        The status 130 or 143 where a signal ends the run. Several are done at a time where `--jobs`
        says so.

        rounds   jobs, each with its `file`; a round is asked for when the one before it is done
        workers  as many as are of use
        """
        try:
            with self.supervisor(workers) as supervisor:
                self.signals = supervisor.signals
                for jobs in rounds:
                    for _ in self.round(supervisor, jobs):
                        pass
                    if supervisor.signals:
                        break
                if supervisor.signals:
                    return 128 + supervisor.signals[0]
        finally:
            PROGRESS.hide()
        return None

    def round(self, supervisor: Supervisor, jobs: Sequence[Json]) -> Iterator[None]:
        """Do jobs, and take in what is told in their order, step by step."""
        shared = self.shared()
        for number, event in supervisor.run_all({**shared, **job} for job in jobs):
            self.job = jobs[number]
            self._take_next(event)
            yield

    def shared(self) -> Json:
        """What all jobs of the run have."""
        options = self.options
        shared = {"work": options.command, "time_limit": options.time_limit}
        shared["allow_python"] = getattr(options, "allow_python", False)
        shared |= {"parameters": self.given(), "zip": getattr(options, "zip", False)}
        cache = getattr(options, "cache", None)
        shared["cache"] = cache and str(cache)
        return shared

    def supervisor(self, workers: int) -> Supervisor:
        """The parent of as many workers as are of use and allowed, within the limits."""
        options = self.options
        memory = options.memory_limit
        if memory is None and (most := processes.total_memory()):
            memory = int(most * SHARE_OF_MEMORY)
        limits = Limits(options.time_limit, options.total_time, memory)
        lanes = min(getattr(options, "jobs", 1), workers) or 1
        return Supervisor(_load, limits, self.progress, lanes)

    def given(self) -> dict[str, list[str]]:
        """The values of parameters that arguments give, by their names."""
        found: dict[str, list[str]] = {}
        for name, values in getattr(self.options, "parameters", ()):
            found.setdefault(name, []).extend(values)
        return found

    def _take_next(self, event: Json) -> None:
        """Take in what is told of the present job, or that it has ended."""
        file = self.job["file"]
        if "ended" not in event:
            self.take(file, event)
            return
        self.settle()
        if event["ended"] == "done":
            self.ended(file)
        else:
            self.not_run(file, begun=event["ended"] == "interrupted")
            self.statuses.add(UNDECIDED)

    def progress(self, message: str, seconds: float) -> None:
        """Tell what lasts, unless it is to be quiet."""
        if not getattr(self.options, "quiet", False):
            PROGRESS.tell(message, seconds)

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "note" in event and "error" in event:
            self.wrong.append(event)
        elif "error" in event:
            self.bad(event)
        elif "crash" in event:
            self.crashed(file, event)
        elif "warning" in event:
            self._warn(event["warning"])
        elif "rejected" in event:
            complain(escaped(f"{file}: {event['rejected']}"))
            self.statuses.add(INTERNAL)
        elif "stopped" in event:
            self.stop(file, f"undecided: {event['stopped']}")
        elif "over" in event:
            self.stop(file, f"undecided: {event['over']}")
        else:
            self.answer(file, event)

    def settle(self) -> None:
        """Say what is wrong with some choices of parameters of a job that has ended."""
        if self.wrong:
            self.bad(together(self.wrong, self.wrong[0]["choices"]))
            self.wrong = []

    def bad(self, event: Json) -> None:
        """Say what is wrong with a file."""
        if not self.is_quiet:
            complain("\n".join(event["error"]))
        self.errors += event["json"]
        self.statuses |= {of_error(error["code"]) for error in event["json"]}

    def _warn(self, reason: str) -> None:
        """Say once what no answer depends on."""
        if reason not in self._warned:
            self._warned.add(reason)
            complain(escaped(reason))

    def stop(self, file: str, reason: str) -> None:
        """Say that a file was not done to its end."""
        self.stopped.append(f"{file}: {reason}")
        if not self.is_quiet:
            complain(escaped(self.stopped[-1]))
        self.statuses.add(UNDECIDED)

    def crashed(self, file: str, event: Json) -> None:
        """Say that the work on a file has failed, once for each cause."""
        self.statuses.add(INTERNAL)
        if event["crash"] not in self._crashes:
            self._crashes.add(event["crash"])
            complain(event.get("traceback", ""))
            complain(escaped(event["crash"]))

    def answer(self, file: str, event: Json) -> None:
        """Report one answer; the head of a table once."""
        if "head" in event and not self._is_headed:
            self._is_headed = True
            say([escaped(event["head"])])
        say(map(escaped, event.get("lines", ())))
        for line in event.get("say", ()):
            complain(escaped(line))
        if "json" in event:
            self.items.append(event["json"])
        self.statuses.add(event["status"])

    def ended(self, file: str) -> None:
        """A file is done."""

    def not_run(self, file: str, begun: bool) -> None:
        """A signal has ended the run before a file was done."""
        self.stop(file, "interrupted" if begun else "not run")

    def document(self, **parts: Any) -> None:
        """Print a report in JSON."""
        whole = {"version": 1, "tool": TOOL, **parts}
        if self.errors:
            whole["errors"] = self.errors
        if self.stopped:
            whole["stopped"] = self.stopped
        say([written(whole)])

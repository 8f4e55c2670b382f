"""The commands: files, streams, statuses. With the command line the only room with side effects.

The work is done by workers under `verifier.supervision.supervisor`; what is here prints what they
tell, as soon as they do, and loads no engine.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from verifier import __version__
from verifier import certify as certificates
from verifier.base import files
from verifier.base.errors import InputError
from verifier.base.escape import escaped
from verifier.report import run as report
from verifier.supervision import processes
from verifier.supervision.supervisor import Interrupted, Limits, Supervisor
from verifier.supervision.worker import Work

Json = dict[str, Any]
OK, FAILED, BAD_INPUT, UNDECIDED, INTERNAL = range(5)
INTERRUPTED = 130
SEVERITY = (INTERNAL, BAD_INPUT, FAILED, UNDECIDED, OK)
STATUSES = {
    "ok": OK,
    "failed": FAILED,
    "undecided": UNDECIDED,
    "not run": UNDECIDED,
    "internal": INTERNAL,
}
JUDGED = {"accepted": OK, "not as expected": FAILED, "rejected": INTERNAL, "refused": BAD_INPUT}
MEANINGS = {  # of the exit statuses
    f"{OK}": "every check met its expectation, and the checker accepted its certificate",
    f"{FAILED}": "some check did not, or compared nothing",
    f"{BAD_INPUT}": "bad usage or bad input, or no check ran at all",
    f"{UNDECIDED}": "something stayed undecided or hit a limit, and nothing failed",
    f"{INTERNAL}": "internal error, a library that is missing, a rejected certificate, or output "
    "that could not be written: never a pass",
    "130, 143": "ended by SIGINT or SIGTERM before all was done",
}
DEFAULT_SECONDS = 300.0  # for each part of the work
SHARE_OF_MEMORY = 0.8
DRY = ("checks", "notes")  # of the report on a dry run
STYLE = "body{font-family:sans-serif}td,th{border:1px solid #999;padding:2px 6px;text-align:left}"
PAGE_BEGIN = (
    f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{STYLE}</style>'
    "<title>verifier show</title></head><body>"
)
PAGE_END = "</body></html>"


def say(lines: Iterable[str]) -> None:
    """Print lines that are safe to print, at once; OSError where they cannot be written."""
    for line in lines:
        print(line)
    sys.stdout.flush()


def complain(text: str) -> None:
    """Print a text on standard error, if it can be written to; the exit status tells it too."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # nor must it fail when Python ends


def _load() -> Work:
    from verifier import jobs

    return jobs.run


class Run:
    """What all commands do alike: they give jobs to workers and take in what these tell."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.statuses = {OK}
        self.items: list[Json] = []
        self.errors: list[Json] = []
        self.stopped: list[str] = []
        self._crashes: set[str] = set()

    def status(self) -> int:
        """The worst of all statuses."""
        return next(status for status in SEVERITY if status in self.statuses)

    def all(self, names: Iterable[str], **job: Any) -> int | None:
        """Do a job on each of the files; the status 130 or 143 where a signal ends the run."""
        options, waiting = self.options, list(names)
        memory = options.memory_limit
        if memory is None and (most := processes.total_memory()):
            memory = int(most * SHARE_OF_MEMORY)
        limits = Limits(options.time_limit, options.total_time, memory)
        shared = {"work": options.command, "time_limit": options.time_limit}
        job = {**shared, "allow_python": getattr(options, "allow_python", False), **job}
        with Supervisor(_load, limits, self.progress) as supervisor:
            try:
                while waiting:
                    for event in supervisor.run({**job, "file": waiting[0]}):
                        self.take(waiting[0], event)
                    self.ended(waiting.pop(0))
            except Interrupted as signal:
                for number, file in enumerate(waiting):
                    self.not_run(file, begun=not number)
                self.statuses.add(UNDECIDED)
                return 128 + signal.number
        return None

    def progress(self, message: str) -> None:
        """Tell what lasts."""
        complain(escaped(message))

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "error" in event:
            complain(event["error"])
            self.errors += event["json"]
            self.statuses.add(BAD_INPUT)
        elif "crash" in event:
            self._crashed(event)
        elif "rejected" in event:
            complain(escaped(f"{file}: {event['rejected']}"))
            self.statuses.add(INTERNAL)
        elif "stopped" in event:
            self.stop(file, f"undecided: {event['stopped']}")
        elif "over" in event:
            self.stop(file, f"undecided: {event['over']}")
        else:
            self.answer(file, event)

    def stop(self, file: str, reason: str) -> None:
        """Say that a file was not done to its end."""
        self.stopped.append(f"{file}: {reason}")
        complain(escaped(self.stopped[-1]))
        self.statuses.add(UNDECIDED)

    def _crashed(self, event: Json) -> None:
        self.statuses.add(INTERNAL)
        if event["crash"] not in self._crashes:
            self._crashes.add(event["crash"])
            complain(event.get("traceback", ""))
            complain(escaped(event["crash"]))

    def answer(self, file: str, event: Json) -> None:
        """Report one answer."""
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
        whole = {"version": 1, **parts}
        if self.errors:
            whole["errors"] = self.errors
        if self.stopped:
            whole["stopped"] = self.stopped
        say([report.document(whole)])


class CheckRun(Run):
    """Decides checks: reports each at once, and keeps account of the certificates.

    With `--quiet` the text tells only what is not ok.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.specs: list[Json] = []
        self._file, self._headed = "", False
        self._listed: dict[int, Json] = {}
        self._notes: list[Json] = []
        self._told: set[str] = set()
        self.notes: list[Json] = []

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "listed" in event:
            self._spec(file)["sha256"] = event["sha256"]
            self._listed = {item["index"]: item for item in event["listed"]}
        elif "over" in event and self._listed:
            self._rest(file, "undecided", event["over"])
        else:
            super().take(file, event)

    def progress(self, message: str) -> None:
        """Tell what lasts, unless it is to be quiet."""
        if not self.options.quiet:
            super().progress(message)

    def _spec(self, file: str) -> Json:
        """What the manifest says of a file; a new entry for a new file."""
        if self._file != file or not self.specs:
            self._file, self._headed, self._listed, self._told = file, False, {}, set()
            self.specs.append({"file": file, "sha256": None, "checks": []})
        return self.specs[-1]

    def answer(self, file: str, event: Json) -> None:
        """Report one result."""
        item, spec = event["item"], self._spec(file)
        self._listed.pop(item["index"], None)
        self.items.append(item)
        self.statuses.add(STATUSES[item["status"]])
        kept = ("index", "name", "definition", "verdict", "status")
        certificate = item["path"] and {"path": item["path"], "sha256": item["sha256"]}
        spec["checks"].append({**{k: item[k] for k in kept}, "certificate": certificate})
        if self.options.format == "text" and not (self.options.quiet and item["status"] == "ok"):
            head = [] if self._headed else [escaped(file)]
            self._headed = True
            say([*head, *report.shown(item, self._told, sys.stdout.isatty())])
        self._notes += item.get("told", [])

    def _rest(self, file: str, status: str, reason: str) -> None:
        """Report what the run did not come to."""
        for item in list(self._listed.values()):
            self.answer(file, {"item": report.undone(item, status, reason)})

    def _tell_notes(self) -> None:
        """Report what a file says that nobody asked for, after its checks."""
        if self.options.format == "text" and (self.options.strict or not self.options.quiet):
            say(escaped(f"  note: {note['line']}") for note in self._notes)
        self.notes += [note["json"] for note in self._notes]
        if self._notes and self.options.strict:
            self.statuses.add(FAILED)
        self._notes = []

    def ended(self, file: str) -> None:
        """Report the notes on a file, and remove the certificates of former runs that are not about
        it as it is now."""
        self._tell_notes()
        self._listed, checks = {}, self._spec(file)["checks"]
        self._file = ""
        if folder := self.options.certificates:
            fresh = {Path(c["certificate"]["path"]) for c in checks if c["certificate"]}
            files.remove_stale(folder, file, fresh)

    def not_run(self, file: str, begun: bool) -> None:
        """Report the checks that are not run; all that is known of a file not begun is its name."""
        self._tell_notes()
        if begun and self._listed:
            self._rest(file, "not run", "the run was interrupted")
        else:
            self._spec(file)
            self.stop(file, "not run")
        self._file = ""


def check(options: argparse.Namespace) -> int:
    """Decide every check of files, and report."""
    if options.dry_run:
        return _dry_run(options)
    run = CheckRun(options)
    folder = options.certificates
    if folder is not None:
        places = [files.place(folder, file) for file in options.files]
        if len(set(places)) < len(places):
            complain("--certificates needs spec files with different names")
            return BAD_INPUT
    try:
        signal = run.all(
            options.files,
            format=options.format,
            certificates=None if folder is None else str(folder),
            allow_vacuous=options.allow_vacuous,
            dry_run=False,
        )
        if folder is not None:
            files.write_manifest(folder, f"verifier {__version__}", run.specs)
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    if options.format == "json":
        say([report.as_json(run.items, run.errors, run.stopped, run.notes)])
    elif run.items:
        count = [f"files: {len(run.specs)}, checks: {len(run.items)}"] if options.quiet else []
        say([*count, report.summary(run.items, len(run.notes))])
    if not run.items and run.statuses == {OK}:
        run.statuses.add(BAD_INPUT)
    return signal or run.status()


def _dry_run(options: argparse.Namespace) -> int:
    """Read files whole, and say what would be checked."""
    run = Run(options)
    signal = run.all(options.files, format=options.format, strict=options.strict, dry_run=True)
    if options.format == "json":
        parts = {key: [one for item in run.items for one in item[key]] for key in DRY}
        run.document(**parts)
    return signal or run.status()


def show(options: argparse.Namespace) -> int:
    """Print worlds, mechanisms, secrets, priors and neighbours as the engine understands them."""
    run = Run(options)
    if options.format == "html":
        say([PAGE_BEGIN])
    signal = run.all(options.files, format=options.format, strict=options.strict)
    if options.format == "html":
        say([PAGE_END])
    elif options.format == "json":
        run.document(files=run.items)
    return signal or run.status()


def certify(options: argparse.Namespace) -> int:
    """Give certificates to the independent checker, and hold them against what was asked."""
    run, asked = Run(options), Run(options)
    if options.spec and (signal := asked.all(options.spec, work="questions")):
        return signal
    names = list(certificates.listed(options.files))
    if not names:
        complain("there are no certificates")
        return BAD_INPUT
    signal = run.all(names)
    found = [certificates.Certificate(**item) for item in run.items]
    if options.spec:
        questions = [certificates.Question(**item) for item in asked.items]
        judged = list(certificates.answered(found, questions))
    else:
        judged = [certificates.expected(one, options.expect) for one in found]
    if options.format == "json":
        run.errors += asked.errors
        run.document(certificates=[asdict(one) for one in judged])
    else:
        say(escaped(line) for one in judged for line in one.lines())
    run.statuses |= asked.statuses | {JUDGED[one.status] for one in judged}
    return signal or run.status()


def influence(options: argparse.Namespace) -> int:
    """Influence curves of a file, and what they promise."""
    run = Run(options)
    signal = run.all(
        [options.file], mechanism=options.mechanism, runs=options.runs, format=options.format
    )
    if options.format == "json" and (run.items or not run.errors):
        undecided = [item for item in run.items if "reason" in item]
        settings = [item for item in run.items if "reason" not in item]
        run.document(file=options.file, settings=settings, undecided=undecided)
    return signal or run.status()


def compose(options: argparse.Namespace) -> int:
    """What repeated runs leak, and when everything is known."""
    run = Run(options)
    signal = run.all([options.file], runs=options.runs, format=options.format)
    if options.format == "json" and (run.items or not run.errors):
        decided = sum(not item["undecided"] for item in run.items)
        counts = {"decided": decided, "undecided": len(run.items) - decided + len(run.stopped)}
        run.document(file=options.file, runs=options.runs, settings=run.items, summary=counts)
    return signal or run.status()


class SearchRun(Run):
    """Searches for examples, and writes or prints each at once."""

    count = 0

    def answer(self, file: str, event: Json) -> None:
        """Report the examples for one choice of parameters."""
        for finding in event["found"]:
            if finding["reason"]:
                complain(escaped(f"{file}: {finding['about']}: no example: {finding['reason']}"))
                self.statuses.add(UNDECIDED)
            else:
                self.count += 1
                self._show(Path(file), finding)

    def _show(self, path: Path, finding: Json) -> None:
        folder = self.options.output
        if folder is None:
            say([f"# {escaped(finding['about'])}", *map(escaped, finding["spec"].split("\n"))])
            return
        target = folder / f"{path.stem}-{self.count}.yaml"
        files.write(target, finding["spec"])
        say([escaped(f"{target}: {finding['about']}")])


def search(options: argparse.Namespace) -> int:
    """Small examples of violations or collapses: 0 with something found, 1 without, 3 where some
    could not be searched for."""
    run = SearchRun(options)
    parameters: dict[str, list[str]] = {}
    for key, values in options.parameters:
        parameters.setdefault(key, []).extend(values)
    try:
        signal = run.all([options.file], goal=options.goal, parameters=parameters)
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    status = run.status()
    if not run.count and status in (OK, UNDECIDED) and not run.stopped:
        complain(escaped(f"{options.file}: nothing found"))
    return signal or status or (OK if run.count else FAILED)


def explain_cone(options: argparse.Namespace) -> int:
    """What the row cones of mechanisms protect."""
    run = Run(options)
    signal = run.all(options.files, format=options.format)
    if options.format == "json":
        run.document(cones=run.items)
    return signal or run.status()


def explain(options: argparse.Namespace) -> int:
    """Explain an error code or a keyword."""
    from verifier.report import words as keywords

    found = keywords.explained(options.subject)
    if found is None:
        hint = keywords.suggestion(options.subject)
        complain(escaped(f"nothing is named '{options.subject}'{hint}"))
        return BAD_INPUT
    say([found])
    return OK


def models(options: argparse.Namespace) -> int:
    """List what a spec file can be made of, a line for each word."""
    from verifier.report import words as keywords

    for title, words in keywords.listed().items():
        width = max(len(word.name) for word in words)
        say([f"{title}:", *(f"  {word.name:<{width}}  {word.summary}" for word in words)])
    return OK

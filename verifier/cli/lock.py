"""The command `lock`, and what holds a check of files against the lock."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from verifier.base import files
from verifier.base.errors import InputError, Place
from verifier.base.escape import escaped
from verifier.changes import locks
from verifier.changes.lines import Line, of_result
from verifier.changes.locks import BETTER, FAILING, MISSING, NAME, SAME, Held
from verifier.cli import sides
from verifier.cli.arguments import (
    OTHERWISE,
    Parsers,
    add_cache,
    add_command,
    add_jobs,
    add_limits,
    add_parameters,
)
from verifier.cli.inputs import STDIN, covers
from verifier.cli.running import (
    BAD_INPUT,
    INTERNAL,
    OF_CHECKS,
    Json,
    Run,
    complain,
    say,
)
from verifier.cli.settings import is_set
from verifier.report.findings import Finding, of_error, of_note

WEAKER = "S904"  # the code of what is not as it was locked


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "lock", "write the exact answers into verifier.lock")
    command.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help=f"spec files, folders of them, or patterns{OTHERWISE}",
    )
    command.add_argument(
        "--update",
        action="append",
        default=[],
        metavar="NAME",
        help="write only the lines of the checks of this name or label; may be given several times",
    )
    add_cache(command)
    add_jobs(command)
    add_parameters(command)
    add_limits(command, "check")
    command.set_defaults(run=run)


class LockRun(Run):
    """Decides checks, and keeps their lines."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.decided: dict[str, tuple[Line, str]] = {}  # line and label, by the line as text

    def answer(self, file: str, event: Json) -> None:
        """Keep one answer."""
        result = event["item"]["json"]
        line = _line(result)
        self.decided[locks.text(line)] = line, result["label"]
        self.statuses.add(OF_CHECKS[result["status"]])
        if result["status"] != "ok":
            reason = result["reason"] or event["item"]["message"]
            complain(escaped(f"{file}: {result['label']}: {result['status']}: {reason}"))


def run(options: argparse.Namespace) -> int:
    """Decide checks, and write their answers into the lock."""
    work = LockRun(options)
    before = _before(bool(options.update))
    if options.update and not before:
        raise InputError("S902", f"there is no {NAME} to update", hint="run `verifier lock`")
    jobs = _to_decide(options, before, work.files(options.files))
    signal = work.each([jobs], len(jobs))
    if signal or work.statuses & {BAD_INPUT, INTERNAL} or work.stopped:
        complain(f"{NAME} is not written")
        return signal or work.status()
    after = _updated(before, work.decided, options.update)
    if not work.decided and not options.update:
        hint = f"name spec files; remove {NAME} where nothing is to be locked any more"
        raise InputError("S902", "there is no check to lock", hint=hint)
    files.write(Path(NAME), locks.written(after))
    for held in locks.held(before, after) if before else ():
        if held.status != SAME:
            say([escaped(f"{held.line.file}: {_told(held)}")])
    say([f"{NAME}: {len(after)} check{'s' * (len(after) != 1)}"])
    return work.status()


def _before(is_kept: bool) -> list[Line]:
    """The lines that are there; none where they cannot be read, unless some are to be kept."""
    if not Path(NAME).exists():
        return []
    try:
        return read_lock_here()
    except InputError as error:
        if is_kept:
            raise
        complain(escaped(f"note: nothing is compared with what was locked: {error}"))
        return []


def read_lock_here() -> list[Line]:
    """The lines of the lock in the current folder; InputError S902."""
    try:
        text = Path(NAME).read_text(encoding="utf-8")
    except OSError as error:
        said = f"cannot read {NAME}: {error.strerror}"
        raise InputError("S902", said, hint="run `verifier lock`, and commit it") from None
    except UnicodeDecodeError:
        raise InputError("S902", "this is no text in UTF-8", Place(NAME, 1, 1)) from None
    return locks.read_lock(text)


def _to_decide(
    options: argparse.Namespace, before: Sequence[Line], named: Sequence[str]
) -> list[Json]:
    """The jobs: of the files that are named, or hold what is to be updated, or of all."""
    if STDIN in named:
        raise InputError("S902", "standard input cannot be locked", hint="name a file")
    if options.files and not (options.update and is_set(options, "paths")):
        return [_job(name) for name in named]
    if options.update:
        names = {line.file for line in before if _names(line) & set(options.update)}
        return [_job(name) for name in sorted(names) if Path(name).exists()]
    return [_job(name, False) for name in sides.contents(sides.here(), ())]


def _job(name: str, named: bool = True) -> Json:
    return {"work": "lock", "file": name, "named": named}


def _line(result: Json) -> Line:
    """The line of a check, with the path of its file from the current folder."""
    line = of_result(result)
    return replace(line, file=os.path.relpath(line.file))


def _names(line: Line | None) -> set[str | None]:
    return {line.name, line.label} if line else set()


def _updated(
    before: Sequence[Line], known: Mapping[str, tuple[Line, str]], names: Sequence[str]
) -> list[Line]:
    """The lines that the lock is to have; InputError S902 where a name is that of no check.

    before  the lines that it has
    known   lines and labels of the checks that were decided, by their lines as text
    names   of the checks whose lines are written anew; all where there are none
    """
    now = [line for line, _ in known.values()]
    if not names:
        return now
    decided, found, used = {line.file for line in now}, [], set[str]()
    for held in locks.held(before, now):
        label = known[locks.text(held.after)][1] if held.after else None
        chosen = set(names) & {*_names(held.before), *_names(held.after), label}
        is_decided = held.line.file in decided or not Path(held.line.file).exists()
        line = held.after if chosen and is_decided else held.before
        found += [line] if line else []
        used |= chosen
    if unused := sorted(set(names) - used):
        hint = "name the file too, where a check is new: verifier lock --update NAME FILE"
        raise InputError("S902", f"no check is named '{unused[0]}'", hint=hint)
    return found


def _told(held: Held) -> str:
    """One line about a check that is not as it was locked."""
    reasons = f": {'; '.join(held.reasons)}" if held.reasons else ""
    return f"{held.line.label}: {held.status}{reasons}"


def hold(found: Sequence[Finding], named: Sequence[str], strict: bool) -> list[Finding]:
    """What is said of checks that are not as the lock has them: errors, and notes.

    found   all that was found of files: their checks, and what is wrong with them
    named   the files, folders and patterns that were given
    strict  whether notes are failures

    A file that was not given is passed over if it is there. InputError S902.
    """
    results = [one for one in found if one.is_result]
    lines = [_line(one.json) for one in results]
    places = {locks.text(line): one for line, one in zip(lines, results, strict=True)}
    seen = {line.file for line in lines}
    told, passed = [], Counter[str]()
    for held in locks.held(read_lock_here(), lines):
        file = held.line.file
        now = places[locks.text(held.after)] if held.after else None
        if held.status == MISSING and file not in seen and _is_elsewhere(file, named):
            passed[file] += 1
        elif held.status in FAILING:
            told.append(_failing(held, now))
        elif held.status == BETTER:
            told.append(_better(held, now, strict))
    if passed:
        checks = f"{passed.total()} locked check{'s' * (passed.total() != 1)}"
        complain(f"note: {checks} not asked for, of files that are there but were not named")
    return told


def _is_elsewhere(file: str, named: Sequence[str]) -> bool:
    """Whether a file is there, and none of those that were named."""
    return Path(file).exists() and not any(covers(argument, file) for argument in named)


def _place(held: Held, check: Finding | None) -> Json:
    if check is None:
        return {"file": NAME, "line": held.number, "column": 1}
    return {"file": check.file, "line": check.line, "column": check.column}


def _failing(held: Held, check: Finding | None) -> Finding:
    again = f"verifier lock --update {quote(held.line.name or held.line.label)} FILE"
    hint = f"look at the change with `verifier diff`; if it is meant: {again}"
    error = {**_place(held, check), "code": WEAKER, "message": _told(held), "hint": hint}
    return of_error(error, f"{_told(held)}\n  hint: {hint}")


def _better(held: Held, check: Finding | None, strict: bool) -> Finding:
    return of_note({**_place(held, check), "code": "N202", "message": _told(held)}, strict)

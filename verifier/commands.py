"""The commands: files, streams, statuses. With the command line the only room with side effects."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from verifier.errors import InputError, LimitReached, nearest

if TYPE_CHECKING:
    from verifier.reading import Reading
    from verifier.verify import Options, Result

Found = TypeVar("Found")
OK, FAILED, BAD_INPUT, UNDECIDED, INTERNAL = range(5)
SEVERITY = (INTERNAL, BAD_INPUT, FAILED, UNDECIDED, OK)


def check(options: argparse.Namespace) -> int:
    """Decide every check of files, and report."""
    from verifier import verify
    from verifier.report import json, text

    if options.dry_run:
        return _dry_run(options)
    settings = verify.Options(
        options.certificates,
        options.time_limit,
        options.memory_limit,
        options.allow_python,
        _progress(),
    )
    results: list[Result] = []
    errors: list[InputError] = []
    stopped: list[str] = []
    statuses = {OK}
    if options.certificates and len({Path(file).name for file in options.files}) < len(
        options.files
    ):
        print("--certificates needs spec files with different names", file=sys.stderr)
        return BAD_INPUT
    for file in options.files:
        done: list[Result] = []
        try:
            for result in verify.run(file, settings):
                done.append(result)
                statuses.add(_status(result))
                if options.strict and result.notes:
                    statuses.add(FAILED)
        except InputError as error:
            errors.append(error)
            statuses.add(BAD_INPUT)
        except (LimitReached, MemoryError) as error:
            stopped.append(f"{file}: undecided: {str(error) or 'the memory limit was reached'}")
            print(stopped[-1], file=sys.stderr)
            statuses.add(UNDECIDED)
        results += done
        if options.format == "text" and done:
            print(text.render(done, sys.stdout.isatty()))
    if options.format == "json":
        print(json.render(results, errors, stopped))
    elif results:
        print(text.summary(results))
    for wrong in errors:
        print(wrong, file=sys.stderr)
    if not results and statuses == {OK}:
        statuses.add(BAD_INPUT)
    return next(status for status in SEVERITY if status in statuses)


def _dry_run(options: argparse.Namespace) -> int:
    """Read files whole, and say what would be checked."""
    from verifier.report import reading as report

    return _read(options, report.dry_run_json if options.format == "json" else report.dry_run)


def show(options: argparse.Namespace) -> int:
    """Print worlds, mechanisms, secrets, priors and neighbours as the engine understands them."""
    from verifier import show
    from verifier.report import reading as report

    write = {
        "text": report.text,
        "csv": report.comma_separated,
        "json": report.as_json,
        "html": report.page,
    }[options.format]
    return _read(options, lambda found, errors: write(map(show.of, found), errors))


def _read(
    options: argparse.Namespace,
    write: Callable[[list[Reading], list[InputError]], str],
) -> int:
    """Read files whole, and print what is written about them; errors and notes on the side."""
    from verifier import verify
    from verifier.reading import read_whole

    limits = verify.Options(None, options.time_limit, options.memory_limit, options.allow_python)
    found: list[Reading] = []
    errors: list[InputError] = []
    status = OK
    for file in options.files:
        try:
            guard = partial(verify.limits, limits)
            found.append(read_whole(file, options.allow_python, guard))
        except InputError as error:
            errors.append(error)
            status = BAD_INPUT
        except (LimitReached, MemoryError) as error:
            reason = str(error) or "the memory limit was reached"
            print(f"{file}: undecided: {reason}", file=sys.stderr)
            status = status or UNDECIDED
    if written := write(found, errors):
        print(written)
    for wrong in errors:
        print(wrong, file=sys.stderr)
    if options.strict and any(one.notes for one in found):
        status = status or FAILED
    return status


def _status(result: Result) -> int:
    return {"ok": OK, "failed": FAILED, "undecided": UNDECIDED, "internal": INTERNAL}[result.status]


def _progress() -> Callable[[str], None]:
    """Announces on standard error what still goes on after a second; "" when all is done."""
    from threading import Timer

    waiting: list[Timer] = []

    def say(message: str) -> None:
        while waiting:
            waiting.pop().cancel()
        if message:
            timer = Timer(1, lambda: print(message, file=sys.stderr, flush=True))
            timer.daemon = True
            timer.start()
            waiting.append(timer)

    return say


def certify(options: argparse.Namespace) -> int:
    """Give certificates to the independent checker."""
    from verifier import checker

    statuses = {OK}
    for file in options.files:
        verdict = checker.check_file(file)
        print(f"{file}: {verdict.outcome}: {verdict.reason}")
        statuses.add({"accepted": OK, "rejected": INTERNAL}.get(verdict.outcome, BAD_INPUT))
    return next(status for status in SEVERITY if status in statuses)


def _everything(
    options: argparse.Namespace, run: Callable[[Options], Iterator[Found]]
) -> tuple[list[Found], int]:
    """All that is found about the settings of a file; nothing, and the exit status, on failure."""
    from verifier import verify

    limits = options.time_limit, options.memory_limit, options.allow_python
    try:
        return list(run(verify.Options(None, *limits, _progress()))), OK
    except InputError as error:
        print(error, file=sys.stderr)
        return [], BAD_INPUT
    except (LimitReached, MemoryError) as error:
        reason = str(error) or "the memory limit was reached"
        print(f"{options.file}: undecided: {reason}", file=sys.stderr)
        return [], UNDECIDED
    except verify.NotAccepted as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return [], INTERNAL


def influence(options: argparse.Namespace) -> int:
    """Influence curves of a file, and what they promise."""
    from verifier.curves import influence, promises
    from verifier.report import influence as report

    found, status = _everything(
        options,
        lambda settings: influence.run(options.file, settings, options.mechanism, options.runs),
    )
    if status != OK:
        return status
    undecided = [part for part in found if isinstance(part, promises.Undecided)]
    if options.format == "json":
        print(report.as_json(options.file, found))
    elif options.format == "csv":
        print(report.as_csv(found))
        for part in undecided:
            print(f"{options.file}: {part.check}: undecided: {part.reason}", file=sys.stderr)
    else:
        print(report.render(options.file, found))
    return UNDECIDED if undecided else OK


def compose(options: argparse.Namespace) -> int:
    """What repeated runs leak, and when everything is known."""
    from verifier.repeated import compose
    from verifier.report import compose as report

    found, status = _everything(
        options, lambda settings: compose.run(options.file, settings, options.runs)
    )
    if status != OK:
        return status
    if options.format == "json":
        print(report.as_json(options.file, options.runs, found))
    elif options.format == "csv":
        print(report.as_csv(found))
        for reason in (reason for part in found for reason in part.reasons):
            print(f"{options.file}: undecided: {reason}", file=sys.stderr)
    else:
        print(report.render(options.file, found))
    return UNDECIDED if any(part.reasons for part in found) else OK


def search(options: argparse.Namespace) -> int:
    """Small examples of violations or collapses: 0 with something found, 1 without, 3 where some
    could not be searched for."""
    from verifier import discover, verify

    path, count, status = Path(options.file), 0, OK
    limits = verify.Options(None, options.time_limit, options.memory_limit, options.allow_python)
    parameters: dict[str, list[str]] = {}
    for key, values in options.parameters:
        parameters.setdefault(key, []).extend(values)
    try:
        for finding in discover.findings(path, options.goal, parameters, limits):
            if finding.reason:
                print(f"{path}: {finding.about}: no example: {finding.reason}", file=sys.stderr)
                status = UNDECIDED
                continue
            count += 1
            if options.output is None:
                print(f"# {finding.about}\n{finding.spec}")
                continue
            target = options.output / f"{path.stem}-{count}.yaml"
            try:
                options.output.mkdir(parents=True, exist_ok=True)
                target.write_text(finding.spec, encoding="utf-8")
            except OSError as error:
                raise InputError("S701", f"cannot write '{target}': {error.strerror}") from None
            print(f"{target}: {finding.about}")
    except InputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except (LimitReached, MemoryError) as error:
        print(f"{path}: undecided: {str(error) or 'the memory limit was reached'}", file=sys.stderr)
        return UNDECIDED
    except verify.NotAccepted as error:
        print(f"{path}: {error}", file=sys.stderr)
        return INTERNAL
    if not count:
        print(f"{path}: nothing found", file=sys.stderr)
    return status or (OK if count else FAILED)


def explain_cone(options: argparse.Namespace) -> int:
    """What the row cones of mechanisms protect."""
    from verifier.explain_cone import Explanation, explain
    from verifier.report import cone
    from verifier.verify import Options

    settings = Options(None, options.time_limit, options.memory_limit, options.allow_python)
    found: list[tuple[str, Explanation]] = []
    errors: list[InputError] = []
    stopped: list[str] = []
    for file in options.files:
        done: list[Explanation] = []
        try:
            for one in explain(file, settings):
                done.append(one)
        except InputError as error:
            errors.append(error)
        except (LimitReached, MemoryError) as error:
            stopped.append(f"{file}: undecided: {str(error) or 'the memory limit was reached'}")
        found += [(file, one) for one in done]
        if options.format == "text" and done:
            print(cone.render(file, done))
    if options.format == "json":
        print(cone.as_json(found, errors, stopped))
    for wrong in [*errors, *stopped]:
        print(wrong, file=sys.stderr)
    return BAD_INPUT if errors else UNDECIDED if stopped else OK


def explain(options: argparse.Namespace) -> int:
    """Explain an error code or a keyword."""
    from verifier import keywords

    found = keywords.explained(options.subject)
    if found is None:
        hint = nearest(options.subject, keywords.known())
        print(f"nothing is named '{options.subject}'{hint}", file=sys.stderr)
        return BAD_INPUT
    print(found)
    return OK


def models(options: argparse.Namespace) -> int:
    """List what a spec file can be made of."""
    from verifier import keywords

    for title, words in keywords.listed().items():
        print(f"{title}:\n  {', '.join(words)}")
    return OK

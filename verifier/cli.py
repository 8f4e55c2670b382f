"""The command line: arguments, files, streams, exit statuses. The only room with side effects.

Exit statuses: 0 every check met its expectation and its certificate was accepted; 1 some check
did not; 2 bad usage or bad input, or no check ran; 3 something stayed undecided and nothing
failed; 4 internal error or rejected certificate.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from verifier import __version__
from verifier.errors import InputError, LimitReached, nearest

if TYPE_CHECKING:
    from verifier.verify import Options, Result

Found = TypeVar("Found")
OK, FAILED, BAD_INPUT, UNDECIDED, INTERNAL = range(5)
SEVERITY = (INTERNAL, BAD_INPUT, FAILED, UNDECIDED, OK)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the returned status is the process's exit status."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for small matrices threads only cost time
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:  # nobody reads what is written, or the disk is full
        if not isinstance(error, BrokenPipeError):
            print(f"cannot write: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERNAL


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    command: Callable[[argparse.Namespace], int] = options.run
    try:
        return command(options)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERNAL
    except Exception as error:
        import traceback

        traceback.print_exc()
        print(f"internal error: {type(error).__name__}: {error}", file=sys.stderr)
        return INTERNAL


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verifier",
        description="Exact decisions about the privacy of mechanisms over finite worlds.",
        epilog="exit status: 0 all as expected, 1 a check failed, 2 bad input or nothing checked, "
        "3 undecided, 4 internal error",
    )
    parser.add_argument("--version", action="version", version=f"verifier {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="decide every check of spec files")
    check.add_argument("files", nargs="+", metavar="FILE", help="spec files, YAML or JSON")
    check.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    check.add_argument("--certificates", type=Path, metavar="DIR", help="write certificates here")
    _add_limits(check, "check")
    check.set_defaults(run=_check)

    certify = commands.add_parser("certify", help="re-verify certificates, independently")
    certify.add_argument("files", nargs="+", metavar="FILE", help="certificates, JSON")
    certify.set_defaults(run=_certify)

    influence = commands.add_parser("influence", help="influence curves and what they promise")
    influence.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    influence.add_argument("--mechanism", metavar="NAME", help="only this one of the file")
    influence.add_argument("--runs", type=_runs, default=3, metavar="K", help="up to so many runs")
    influence.add_argument("--format", choices=("text", "json", "csv"), default="text")
    _add_limits(influence, "curve")
    influence.set_defaults(run=_influence)

    compose = commands.add_parser("compose", help="what repeated runs leak, and when all is known")
    compose.add_argument("file", metavar="FILE", help="a spec file, YAML or JSON")
    compose.add_argument("--runs", type=_runs, default=10, metavar="K", help="up to so many runs")
    compose.add_argument("--format", choices=("text", "json", "csv"), default="text")
    _add_limits(compose, "part of the answer")
    compose.set_defaults(run=_compose)

    explain = commands.add_parser("explain", help="explain an error code or a keyword")
    explain.add_argument("subject", metavar="CODE|DEFINITION|MECHANISM|PRIORS")
    explain.set_defaults(run=_explain)

    models = commands.add_parser("models", help="list what a spec file can be made of")
    models.set_defaults(run=_models)
    return parser


def _add_limits(command: argparse.ArgumentParser, each: str) -> None:
    command.add_argument(
        "--time-limit", type=_seconds, metavar="S", help=f"seconds for each {each}"
    )
    command.add_argument("--memory-limit", type=_size, metavar="SIZE", help="such as 512M or 2G")
    command.add_argument(
        "--allow-python", action="store_true", help="let spec files run Python functions"
    )


def _check(options: argparse.Namespace) -> int:
    from verifier import verify
    from verifier.report import json, text

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


def _certify(options: argparse.Namespace) -> int:
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


def _influence(options: argparse.Namespace) -> int:
    from verifier import influence, promises
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


def _compose(options: argparse.Namespace) -> int:
    from verifier import compose
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


def _explain(options: argparse.Namespace) -> int:
    from verifier import keywords

    found = keywords.explained(options.subject)
    if found is None:
        hint = nearest(options.subject, keywords.known())
        print(f"nothing is named '{options.subject}'{hint}", file=sys.stderr)
        return BAD_INPUT
    print(found)
    return OK


def _models(options: argparse.Namespace) -> int:
    from verifier import keywords

    for title, words in keywords.listed().items():
        print(f"{title}:\n  {', '.join(words)}")
    return OK


def _runs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"1 to 100 runs were expected, not '{text}'")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 10**9:
        raise argparse.ArgumentTypeError(f"a positive number of seconds was expected, not '{text}'")
    return value


def _size(text: str) -> int:
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number, unit = text.upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in units:
        number, unit = number[:-1], units[number[-1]]
    if not number.isdecimal() or int(number) == 0:
        raise argparse.ArgumentTypeError(f"a size such as 512M or 2G was expected, not '{text}'")
    return int(number) * unit

"""The command line: arguments, files, streams, exit statuses. The only room with side effects.

Exit statuses: 0 every check met its expectation and its certificate was accepted; 1 some check
did not; 2 bad usage or bad input, or no check ran; 3 something stayed undecided and nothing
failed; 4 internal error or rejected certificate.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifier import __version__
from verifier.errors import CODES, InputError, LimitReached, nearest

if TYPE_CHECKING:
    from verifier.verify import Result

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
    _add_common(check)
    check.add_argument("--certificates", type=Path, metavar="DIR", help="write certificates here")
    check.set_defaults(run=_check)

    certify = commands.add_parser("certify", help="re-verify certificates, independently")
    certify.add_argument("files", nargs="+", metavar="FILE", help="certificates, JSON")
    certify.set_defaults(run=_certify)

    search = commands.add_parser("search", help="find small examples of a violation or a collapse")
    search.add_argument("file", metavar="FILE", help="a spec file, which may have parameters $name")
    search.add_argument("--goal", choices=("violation", "collapse"), default="violation")
    search.add_argument(
        "--set", action="append", default=[], type=_parameter, metavar="NAME=V,…", dest="parameters"
    )
    search.add_argument("--output", type=Path, metavar="DIR", help="write the examples here")
    search.add_argument("--allow-python", action="store_true", help="as for check")
    search.set_defaults(run=_search)

    explain = commands.add_parser("explain", help="explain an error code or a keyword")
    explain.add_argument("subject", metavar="CODE|DEFINITION|MECHANISM|PRIORS")
    explain.set_defaults(run=_explain)

    cone = commands.add_parser("explain-cone", help="explain what the mechanisms of files protect")
    _add_common(cone)
    cone.set_defaults(run=_explain_cone)

    models = commands.add_parser("models", help="list what a spec file can be made of")
    models.set_defaults(run=_models)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    """The arguments of commands that read spec files."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="spec files, YAML or JSON")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the report")
    parser.add_argument("--time-limit", type=_seconds, metavar="S", help="seconds for each check")
    parser.add_argument("--memory-limit", type=_size, metavar="SIZE", help="such as 512M or 2G")
    parser.add_argument(
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


def _search(options: argparse.Namespace) -> int:
    """0 with something found, 1 without, 3 where a check could not be searched."""
    from verifier import discover, document
    from verifier.priors import NotDecided

    path, count = Path(options.file), 0
    try:
        text = document.read_text(path)
        for note, made in discover.instances(text, dict(options.parameters)):
            found = (
                discover.violations(made, path, options.allow_python)
                if options.goal == "violation"
                else discover.collapses(made, path)
            )
            for finding in found:
                count += 1
                title = " ".join(filter(None, [finding.about, note and f"({note})"]))
                if options.output is None:
                    print(f"# {title}\n{finding.spec}")
                    continue
                target = options.output / f"{path.stem}-{count}.yaml"
                options.output.mkdir(parents=True, exist_ok=True)
                target.write_text(finding.spec, encoding="utf-8")
                print(f"{target}: {title}")
    except InputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except (LimitReached, NotDecided) as error:
        print(f"{path}: undecided: {error}", file=sys.stderr)
        return UNDECIDED
    if not count:
        print(f"{path}: nothing found", file=sys.stderr)
    return OK if count else FAILED


def _parameter(text: str) -> tuple[str, list[str]]:
    name, _, values = text.partition("=")
    if not name.isidentifier() or not values:
        raise argparse.ArgumentTypeError(f"NAME=VALUE,VALUE,… was expected, not '{text}'")
    return name, values.split(",")


def _explain(arguments: argparse.Namespace) -> int:
    subject: str = arguments.subject
    if subject in CODES:
        print(f"{subject}: {CODES[subject]}")
        return OK
    from importlib import import_module
    from inspect import cleandoc

    from verifier import definitions, mechanisms, priors

    rooms = {
        "definitions": definitions.decided(),
        "mechanisms": mechanisms.keywords(),
        "priors": priors.keywords(),
    }
    for room, words in rooms.items():
        if subject in words:
            module = import_module(f"verifier.{room}.{subject}")
            options = getattr(module.read, "__doc__", "") if room == "mechanisms" else ""
            print(f"{subject}\n\n{module.__doc__}\n{cleandoc(options or '')}".rstrip())
            return OK
    if subject in definitions.NOT_DECIDED:
        print(f"{subject}: known, and not decided by this version")
        return OK
    known = [*CODES, *(word for words in rooms.values() for word in words)]
    hint = nearest(subject, [*known, *definitions.NOT_DECIDED])
    print(f"nothing is named '{subject}'{hint}", file=sys.stderr)
    return BAD_INPUT


def _explain_cone(options: argparse.Namespace) -> int:
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


def _models(options: argparse.Namespace) -> int:
    from verifier import definitions, mechanisms, prior, priors

    for title, words in (
        ("definitions", definitions.decided()),
        ("definitions known but not decided yet", definitions.NOT_DECIDED),
        ("mechanisms", mechanisms.keywords()),
        ("classes of priors", priors.keywords()),
        ("single priors", ["uniform", *prior.KINDS]),
    ):
        print(f"{title}:\n  {', '.join(words)}")
    return OK


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

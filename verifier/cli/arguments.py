"""Arguments that several commands take, and their types."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from verifier.base.nouns import Later, dataclass
from verifier.run.cache import FOLDER
from verifier.run.supervision import processes

Parsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
OTHERWISE = "; by default those of the setting `paths`, else all of this folder"
MOST_RUNS = 100  # whose outputs are looked at
DEFAULT_SECONDS = 300  # for each part of the work
FAIL_ON = ("leak", "promise")  # what `diff` fails on; the first is the default


@dataclass(frozen=True)
class Target(Later):
    """A format, and the file that gets the report in it."""

    format: str
    path: Path

    def __str__(self) -> str:
        return f"{self.format}={self.path}"


def add_command(parsers: Parsers, name: str, about: str) -> argparse.ArgumentParser:
    """A command, with what it does as the start of its help."""
    return parsers.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")


def add_files(command: argparse.ArgumentParser, otherwise: str = "") -> None:
    """The files that it reads; `otherwise` says which, where it may be called without."""
    command.add_argument(
        "files",
        nargs="*" if otherwise else "+",
        metavar="FILE",
        help="spec files, YAML or JSON; folders of them; patterns such as '**/*.yaml'; - for "
        f"standard input{otherwise}",
    )


def add_out(command: argparse.ArgumentParser, *older: str, **options: Any) -> None:
    """Where it writes its result: `--out`, and by `older` names, which no help shows."""
    command.add_argument("--out", **options)
    for name in older:
        command.add_argument(name, **{**options, "dest": "out", "help": argparse.SUPPRESS})


def add_strict(command: argparse.ArgumentParser) -> None:
    """Whether notes are failures."""
    _add_flag(
        command, "strict", "a note is a failure: exit status 1", "a note is no failure, whatever"
    )


def add_advice(command: argparse.ArgumentParser) -> None:
    """Whether violated checks say what would make them hold."""
    _add_flag(
        command,
        "advice",
        "say under a violation what the check would hold with, as far as it is found in a second",
        "say nothing of it, whatever",
    )


def _add_flag(command: argparse.ArgumentParser, name: str, on: str, off: str) -> None:
    """A truth that a setting may have too, and what the option and its opposite mean."""
    both, dest = command.add_mutually_exclusive_group(), name.replace("-", "_")
    both.add_argument(f"--{name}", action="store_true", default=None, help=on)
    both.add_argument(
        f"--no-{name}",
        action="store_const",
        const=False,
        dest=dest,
        help=f"{off} the settings say",
    )


def add_limits(command: argparse.ArgumentParser, each: str) -> None:
    """Limits on time and memory, and whether files may run Python; the first is for `each` part of
    the work, named in words."""
    add_bounds(command, each)
    _add_flag(
        command,
        "allow-python",
        "let spec files run Python functions, as untrusted guests",
        "let them run none, whatever",
    )


def add_bounds(command: argparse.ArgumentParser, each: str) -> None:
    """Limits on time and memory; the first is for `each` part of the work, named in words."""
    command.add_argument(
        "--time-limit",
        type=seconds,
        metavar="S",
        help=f"seconds of the processor for each {each}, and five times as many on the clock; "
        f"{DEFAULT_SECONDS} by default",
    )
    command.add_argument(
        "--total-time",
        type=seconds,
        metavar="S",
        help="seconds for the whole run; without a limit by default",
    )
    command.add_argument(
        "--memory-limit",
        type=size,
        metavar="SIZE",
        help="such as 512M or 2G, for all processes of the run; by default 80%% of the memory",
    )
    command.add_argument("--isolated", action="store_true", help="take no settings from a file")


def add_parameters(command: argparse.ArgumentParser) -> None:
    """Values for the parameters of files."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        type=parameter,
        metavar="NAME=V,…",
        dest="parameters",
        help="values of a parameter NAME, or of $NAME in the text: 0.7, 2..9, 1/4,1/2, or 20 at "
        "equal distances: 1/2..3/4:20",
    )
    command.add_argument(
        "--zip",
        action="store_true",
        help="take the first values of all parameters together, then the second ones, …, in place "
        "of all combinations",
    )


def parameter(text: str) -> tuple[str, list[str]]:
    """A name and its values, as an argument gives them."""
    name, _, values = text.partition("=")
    if not name.isidentifier() or not values:
        raise argparse.ArgumentTypeError(f"NAME=VALUE,VALUE,… was expected, not '{text}'")
    return name, values.split(",")


def file_of(suffixes: Sequence[str]) -> Callable[[str], Path]:
    """The type of an argument that is a file with one of the `suffixes`."""

    def path(text: str) -> Path:
        found = Path(text)
        if found.suffix not in suffixes:
            said = f"a file {', '.join(suffixes)} was expected: '{text}'"
            raise argparse.ArgumentTypeError(said)
        return found

    return path


def add_runs(command: argparse.ArgumentParser, default: int, most: str = "") -> None:
    """How many runs a `command` is about, and the format of its tables; in some cases more, `most`,
    in words."""
    command.add_argument(
        "--runs",
        type=many_runs if most else runs,
        default=default,
        metavar="K",
        help=f"1 to {MOST_RUNS} runs{most}; %(default)d by default",
    )
    command.add_argument(
        "--format", choices=("text", "json", "csv", "latex"), default="text", help="of the report"
    )


def add_jobs(command: argparse.ArgumentParser, things: str = "files that are worked on") -> None:
    """How many workers there are, and what each does."""
    command.add_argument(
        "--jobs",
        type=jobs,
        metavar="N|auto",
        help=f"{things} side by side; auto, the default: as many as there are cores",
    )


def add_cache(command: argparse.ArgumentParser) -> None:
    """Where answers are kept, or that they are not."""
    one = command.add_mutually_exclusive_group()
    add_folder(one)
    one.add_argument(
        "--no-cache",
        action="store_const",
        const=False,
        dest="cache",
        help="decide everything anew, and keep nothing",
    )


def add_folder(command: argparse._ActionsContainer) -> None:
    """The folder of the cache."""
    command.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help=f"where answers are kept for the next run; by default {FOLDER}",
    )


def cache(text: str) -> Path | None:
    """The folder that a text names; None where it is empty, and says that there is none."""
    return Path(text) if text else None


def jobs(text: str) -> int:
    """A number of workers, as an argument gives it; `auto` stands for the number of cores."""
    if text == "auto":
        return processes.cores()
    return _up_to(1000, "jobs, or auto,", text)


def runs(text: str) -> int:
    """A number of runs, as an argument gives it."""
    return _up_to(MOST_RUNS, "runs", text)


def many_runs(text: str) -> int:
    """A number of runs, as an argument gives it where they are only multiplied."""
    return _up_to(10**6, "runs", text)


def points(text: str) -> int:
    """A number of points, as an argument gives it."""
    return _up_to(100_000, "points", text)


def exp_epsilon(text: str) -> str:
    """A level e^ε, one or more, as an argument gives it."""
    from verifier.base import exact
    from verifier.base.errors import InputError

    try:
        level = exact.number(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(f"{error.message}; write e^ε, such as 3 or 5/2") from None
    if level < 1:
        raise argparse.ArgumentTypeError(f"a level e^ε is 1 or more, not '{text}'")
    return text


def delta(text: str) -> str:
    """A delta in [0, 1], as an argument gives it."""
    from verifier.base import exact
    from verifier.base.errors import InputError

    try:
        found = exact.number(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(f"{error.message}; write 1e-5 or 1/100000") from None
    if exact.is_irrational(found) or not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"a rational delta in [0, 1] was expected, not '{text}'")
    return text


def epsilon(text: str) -> str:
    """A level ε, 0 or more, as an argument gives it: a rational or ln(x)."""
    from verifier.base.errors import InputError
    from verifier.base.level import Level

    try:
        Level.of_epsilon(text)
    except InputError as error:
        said = f"{error.message}; {error.hint}" if error.hint else error.message
        raise argparse.ArgumentTypeError(said) from None
    return text


def _up_to(most: int, things: str, text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"1 to {most} {things} were expected, not '{text}'")
    return int(text)


def seconds(text: str) -> float:
    """A time, as an argument gives it."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 10**9:
        raise argparse.ArgumentTypeError(f"a positive number of seconds was expected, not '{text}'")
    return value


def size(text: str) -> int:
    """A number of bytes, as an argument gives it."""
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number, unit = text.upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in units:
        number, unit = number[:-1], units[number[-1]]
    if not number.isdecimal() or int(number) == 0:
        raise argparse.ArgumentTypeError(f"a size such as 512M or 2G was expected, not '{text}'")
    return int(number) * unit


def target(text: str) -> Target:
    """A further report, as an argument gives it."""
    from verifier.report.formats import FORMATS

    name, _, path = text.partition("=")
    if name not in FORMATS or path in ("", "-"):
        known = ", ".join(FORMATS)
        said = f"FORMAT=PATH was expected, not '{text}'; the formats are {known}"
        raise argparse.ArgumentTypeError(said)
    return Target(name, Path(path))

"""The command `search`: small mechanisms that violate a check, or leak all."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction
from pathlib import Path

from verifier.base import files
from verifier.base.escape import escaped
from verifier.cli.arguments import Parsers, add_command, add_limits, add_out, add_parameters
from verifier.cli.inputs import single
from verifier.cli.running import BAD_INPUT, FAILED, OK, UNDECIDED, Json, Run, complain, say

ABOUT = {  # options of one goal, or of two -> the goal
    "keep": "violation",
    "once": "collapse",
    "more_than": "collapse",
    "runs": "collapse or separate",
    "checks": "separate",
    "over": "separate",
    "priors": "prior",
}
DEFAULTS: Json = {"once": "1", "runs": 2, "over": {}, "priors": "all"}
OVER = re.compile(
    r"(?P<key>worlds|outputs|denominators|priors)=(?P<low>[0-9]{1,3})(\.\.(?P<high>[0-9]{1,3}))?"
)
OVER_LIKE = "worlds=2..3,outputs=2,denominators=6"
MOST_OVER = 100


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(
        parsers, "search", "find small mechanisms that violate a check, or leak all after k runs"
    )
    command.add_argument("file", metavar="FILE", help="a spec file, which may have parameters")
    command.add_argument(
        "--goal",
        choices=("violation", "collapse", "separate", "prior", "constraint"),
        default="violation",
        help="small examples of violations; a mechanism that leaks little once and much in several "
        "runs; one that tells two checks apart; the worst prior of a class; the smallest "
        "constraint under which a check fails",
    )
    command.add_argument(
        "--keep", choices=("worlds",), help="what of the file does not become smaller: its worlds"
    )
    command.add_argument(
        "--once",
        type=level,
        metavar="A",
        help="of a collapse: the level e^ε of one run, a rational; 1 by default",
    )
    command.add_argument(
        "--more-than",
        type=level,
        metavar="B",
        help="of a collapse: what several runs leak more than; by default they rule a secret out",
    )
    command.add_argument(
        "--runs",
        type=several,
        metavar="K",
        help="of a collapse: 2 to 10 runs; 2 by default; of two checks: the second is asked of K "
        "runs, the first of K - 1",
    )
    command.add_argument(
        "--checks",
        nargs=2,
        metavar="CHECK",
        help="to be told apart, by name or number: one that holds and one that is violated",
    )
    command.add_argument(
        "--over",
        type=family,
        metavar="KEY=N,…",
        help="what is tried to tell checks apart: worlds=2..3,outputs=2,denominators=6,priors=4",
    )
    command.add_argument(
        "--priors",
        metavar="CLASS",
        help="of the worst prior: its class, as in a file, such as product; all by default",
    )
    add_parameters(command)
    add_out(command, "--output", type=Path, metavar="DIR", help="write the examples here")
    add_limits(command, "choice of parameters")
    command.set_defaults(run=run)


def level(text: str) -> str:
    """A level e^ε, as an argument gives it."""
    try:
        if Fraction(text) >= 1:
            return text
    except (ValueError, ZeroDivisionError):
        pass
    raise argparse.ArgumentTypeError(f"a rational of 1 or more was expected, not '{text}'")


def several(text: str) -> int:
    """A number of runs, as an argument gives it."""
    if text.isdecimal() and 2 <= int(text) <= 10:
        return int(text)
    raise argparse.ArgumentTypeError(f"2 to 10 runs were expected, not '{text}'")


def family(text: str) -> Json:
    """What is tried, as an argument gives it: numbers from one to another of worlds and outputs,
    and largest denominators."""
    found: Json = {}
    for part in text.split(","):
        match = OVER.fullmatch(part)
        if match is None or match["key"] in found:
            raise argparse.ArgumentTypeError(f"{OVER_LIKE} was expected, not '{text}'")
        low, high = int(match["low"]), int(match["high"] or match["low"])
        several = match["key"] in ("worlds", "outputs")
        if not 1 <= low <= high <= MOST_OVER or (match["high"] and not several):
            raise argparse.ArgumentTypeError(f"'{part}' is no range of 1 to {MOST_OVER}")
        found[match["key"]] = list(range(low, high + 1)) if several else low
    return found


class SearchRun(Run):
    """Searches for examples, and writes or prints each at once."""

    count = 0

    def answer(self, file: str, event: Json) -> None:
        """Report an example for one choice of parameters; keep one that may become better, for
        a worker that goes on where another one is stopped."""
        finding, note = event.get("found"), event.get("note")
        if finding is None:
            return
        self.job["best"].pop(note, None)
        if not finding["whole"]:
            self.job["best"][note] = finding
            return
        if note:
            finding["about"] = f"{finding['about']} ({note})"
        if finding["note"]:
            complain(escaped(f"{file}: {finding['about']}: {finding['note']}"))
        if finding["reason"]:
            what = "the best so far" if finding["spec"] else "no example"
            complain(escaped(f"{file}: {finding['about']}: {what}: {finding['reason']}"))
            self.statuses.add(UNDECIDED)
        if finding["spec"]:
            self.count += 1
            self._show(Path(file), finding)

    def _show(self, path: Path, finding: Json) -> None:
        folder = self.options.out
        if folder is None:
            say([f"# {escaped(finding['about'])}", *map(escaped, finding["spec"].split("\n"))])
            return
        target = folder / f"{path.stem}-{self.count}.yaml"
        files.write(target, finding["spec"])
        say([escaped(f"{target}: {finding['about']}")])


def run(options: argparse.Namespace) -> int:
    """Small examples of violations or collapses: 0 with something found, 1 without, 3 where some
    could not be searched for."""
    given = {key: value for key in ABOUT if (value := getattr(options, key)) is not None}
    for key in given:
        if options.goal not in ABOUT[key].split(" or "):
            complain(f"--{key.replace('_', '-')} belongs to --goal {ABOUT[key]}")
            return BAD_INPUT
    if options.goal == "separate" and "checks" not in given:
        complain("--goal separate needs --checks FIRST SECOND")
        return BAD_INPUT
    work = SearchRun(options)
    about = {**dict.fromkeys(ABOUT), **DEFAULTS, **given, "goal": options.goal}
    if options.goal == "separate" and "runs" in given:
        about["over"] = {**about["over"], "runs": given["runs"]}
    signal = work.all([single(options.file)], best={}, **about)
    status = work.status()
    if not work.count and status in (OK, UNDECIDED) and not work.stopped:
        complain(escaped(f"{options.file}: nothing found"))
    return signal or status or (OK if work.count else FAILED)

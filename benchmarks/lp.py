"""Linear programs: this package and other solvers on the same instances.

python -m benchmarks.lp [FAMILY…]    two tables: times, and how they grow with the size; every
                                     engine in a process of its own, in turn
python -m benchmarks.lp --one NAME…  families by this package alone; figures as JSON

Options by environment: PEERS, a Python that has z3, cvc5, highspy or qif (left out: this one);
ESOLVER, the program of QSopt_ex; LIMIT, the processor seconds an engine may take to decide (60);
ROUNDS (3). Times are processor seconds on one thread, models built beforehand. Every answer is
compared with what is known by construction, and every certificate is checked in plain integers,
entry by entry.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd, log
from pathlib import Path
from statistics import linear_regression, median
from time import process_time
from typing import Any

from benchmarks.cases import FAMILIES, Case

SCRIPT = Path(__file__).with_name("peers.py")
ROOT = SCRIPT.parent.parent
ENGINES = ("highs", "z3", "cvc5", "qsopt", "qif")
LIMIT = float(os.environ.get("LIMIT", "60"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def own(names: list[str]) -> dict[str, float]:
    """Seconds of this package on families, of the checks of its proofs, and wrong answers."""
    report: dict[str, float] = {}
    for name in names:
        engine, check, wrong = [], [], 0
        for case in FAMILIES[name]():
            started = process_time()
            answer, proof = case.answer()
            answered = process_time()
            wrong += not proof() or answer != case.feasible
            engine.append(answered - started)
            check.append(process_time() - answered)
        report |= {name: median(engine), f"{name} check": median(check), f"{name} wrong": wrong}
    return report


def written(case: Case) -> dict[str, Any]:
    """A program as `peers` reads it, every row without a common factor."""
    program = case.program
    entries = [case.unit * value for value in program.matrix.values.tolist()]
    right, ends = [int(value) for value in program.right], program.matrix.indptr.tolist()
    for row, value in enumerate(right):
        part = slice(ends[row], ends[row + 1])
        factor = gcd(value, *entries[part]) or 1
        entries[part] = [entry // factor for entry in entries[part]]
        right[row] = value // factor
    return {
        "columns": program.matrix.shape[1],
        "indptr": program.matrix.indptr.tolist(),
        "indices": program.matrix.indices.tolist(),
        "values": list(map(str, entries)),
        "senses": program.senses.tolist(),
        "right": list(map(str, right)),
        "channels": case.channels,
    }


def run(command: list[str]) -> list[dict[str, Any]] | None:
    """The lines of JSON a process prints until it ends; None where the engine is not there."""
    environment = os.environ | ONE_THREAD
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    printed = process.communicate()[0]
    if process.returncode == 3:
        return None
    return [json.loads(line) for line in printed.splitlines() if line.endswith("}")]


@dataclass(frozen=True)
class Entry:
    """One engine on a family: its seconds in each round, or in words why there are none."""

    seconds: Sequence[float] = ()
    words: str = "–"


def answered(lines: list[dict[str, Any]] | None, cases: list[Case]) -> Entry:
    """One round of a peer: median seconds over the cases if it answered everything right."""
    if lines is None:
        return Entry(words="not installed")
    truth = ["feasible" if case.feasible else "infeasible" for case in cases]
    right = sum(line["answer"] == true for line, true in zip(lines, truth, strict=False))
    none = len(cases) - len(lines) + sum(line["answer"] == "no answer" for line in lines)
    if not lines:
        return Entry(words=f"none in {LIMIT:.0f} s")
    if right == len(cases):
        return Entry([median(line["seconds"] for line in lines)])
    return Entry(words=f"{right} right, {len(cases) - right - none} wrong, {none} none")


@dataclass(frozen=True)
class Line:
    """A family measured: how large it is, this package, its checks, and the other engines."""

    name: str
    unknowns: int
    this: Entry
    share: float
    peers: Mapping[str, Entry]

    @property
    def text(self) -> str:
        """A line of the table of times."""
        cells = [self.name, shown(self.this), f"{self.share:.2g}"]
        for engine in ENGINES:
            peer = self.peers.get(engine, Entry())
            both = zip(peer.seconds, self.this.seconds, strict=True) if peer.seconds else ()
            ratio = f" ({median(p / t for p, t in both):.2g})" if peer.seconds else ""
            cells.append(shown(peer) + ratio)
        return f"| {' | '.join(cells)} |"


def shown(entry: Entry) -> str:
    """Median and range, or words."""
    if not entry.seconds:
        return entry.words
    ends = f" [{min(entry.seconds):.3g}, {max(entry.seconds):.3g}]"
    return f"{median(entry.seconds):.3g} s{ends if len(entry.seconds) > 1 else ''}"


def line(name: str, hopeless: dict[str, str]) -> Line:
    """A family, the engines taking turns.

    hopeless  engines that are left out, and why; those without an answer are added
    """
    cases = FAMILIES[name]()
    peers = [engine for engine in ENGINES if engine != "qif" or cases[0].channels]
    peers = peers if cases[0].feasible is not None else []
    found = {engine: Entry(words=hopeless.get(engine, "–")) for engine in peers}
    mine = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "programs.json"
        path.write_text(json.dumps([written(case) for case in cases]), encoding="utf-8")
        for turn in range(ROUNDS):
            mine += run([sys.executable, "-m", "benchmarks.lp", "--one", name]) or []
            for engine in peers:
                if (turn and len(found[engine].seconds) < turn) or engine in hopeless:
                    continue
                python = os.environ.get("PEERS", sys.executable)
                lines = run([python, str(SCRIPT), engine, str(path), str(LIMIT)])
                now = answered(lines, cases)
                earlier = found[engine].seconds
                found[engine] = Entry([*earlier, *now.seconds]) if now.seconds else now
    for engine in peers:
        if not found[engine].seconds:
            absent = found[engine].words == "not installed"
            hopeless[engine] = "not installed" if absent else "none on a smaller one"
    wrong = int(max(report[f"{name} wrong"] for report in mine))
    seconds = [report[name] for report in mine]
    this = Entry(words=f"{wrong} wrong") if wrong else Entry(seconds)
    share = median(report[f"{name} check"] / report[name] for report in mine)
    return Line(name, cases[0].program.matrix.shape[1], this, share, found)


def family(name: str) -> str:
    """The name of a family without its size: `full-3000-yes` is one of `full-yes`."""
    return "-".join(part for part in name.split("-") if not part.isdigit())


def growth(lines: Sequence[Line]) -> list[str]:
    """For each family of three sizes or more the exponents k where time grows as unknowns^k, by
    least squares of the logarithms."""
    found = []
    for name in dict.fromkeys(family(line.name) for line in lines):
        sizes = [line for line in lines if family(line.name) == name]
        engines = [[(line.unknowns, line.this) for line in sizes]]
        engines += [
            [(line.unknowns, line.peers.get(e, Entry())) for line in sizes] for e in ENGINES
        ]
        cells = [exponent(engine) for engine in engines]
        if cells[0] != "–":
            known = [line.unknowns for line in sizes]
            span = f"{min(known)} to {max(known)}"
            found.append(f"| {' | '.join([name, span, *cells])} |")
    return found


def exponent(engine: Sequence[tuple[int, Entry]]) -> str:
    """The slope of log time over log size, of sizes that were answered, if these are three."""
    pairs = [(log(size), log(median(entry.seconds))) for size, entry in engine if entry.seconds]
    if len({size for size, _ in pairs}) < 3:
        return "–"
    return f"{linear_regression(*zip(*pairs, strict=True)).slope:.2f}"


def main(arguments: list[str]) -> int:
    """Print the table, or with --one the figures of families."""
    sys.set_int_max_str_digits(0)
    if arguments[:1] == ["--one"]:
        if not ONE_THREAD.items() <= os.environ.items():  # to be set before numpy is imported
            command = [sys.executable, "-m", "benchmarks.lp", *arguments]
            return subprocess.call(command, cwd=ROOT, env=os.environ | ONE_THREAD)
        print(json.dumps(own(arguments[1:])))
        return 0
    print(f"| family | this | check / this | {' | '.join(ENGINES)} |")
    print(f"|{'---|' * (len(ENGINES) + 3)}", flush=True)
    lines, hopeless = [], defaultdict[str, dict[str, str]](dict)
    for name in arguments or FAMILIES:
        lines.append(line(name, hopeless[family(name)]))
        print(lines[-1].text, flush=True)
    print(f"\n| family | unknowns | this | {' | '.join(ENGINES)} |\n|{'---|' * (len(ENGINES) + 3)}")
    print("\n".join(growth(lines)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Linear programs: this package and other solvers on the same instances.

python -m benchmarks.lp [FAMILY…]    a table; every engine in a process of its own, in turn
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
from math import gcd
from pathlib import Path
from statistics import median
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


def cell(lines: list[dict[str, Any]] | None, cases: list[Case]) -> tuple[str, float | None]:
    """What one engine did on a family, and its median seconds if it answered everything right."""
    if lines is None:
        return "not installed", None
    truth = ["feasible" if case.feasible else "infeasible" for case in cases]
    right = sum(line["answer"] == true for line, true in zip(lines, truth, strict=False))
    none = len(cases) - len(lines) + sum(line["answer"] == "no answer" for line in lines)
    if not lines:
        return f"none in {LIMIT:.0f} s", None
    seconds = median(line["seconds"] for line in lines)
    if right == len(cases):
        return f"{seconds:.3g} s", seconds
    return f"{right} right, {len(cases) - right - none} wrong, {none} none", None


def row(name: str) -> str:
    """One line of the table: medians over the rounds, the engines taking turns."""
    cases = FAMILIES[name]()
    peers = [engine for engine in ENGINES if engine != "qif" or cases[0].channels]
    peers = peers if cases[0].feasible is not None else []
    seen: dict[str, list[tuple[str, float | None]]] = {engine: [] for engine in peers}
    mine = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "programs.json"
        path.write_text(json.dumps([written(case) for case in cases]), encoding="utf-8")
        for _ in range(ROUNDS):
            mine += run([sys.executable, "-m", "benchmarks.lp", "--one", name]) or []
            for engine in peers:
                if any(seconds is None for _, seconds in seen[engine]):
                    continue
                python = os.environ.get("PEERS", sys.executable)
                lines = run([python, str(SCRIPT), engine, str(path), str(LIMIT)])
                seen[engine].append(cell(lines, cases))
    taken = median(report[name] for report in mine)
    share = median(report[f"{name} check"] for report in mine) / taken
    wrong = int(max(report[f"{name} wrong"] for report in mine))
    cells = [name, f"{taken:.3g} s" if not wrong else f"{wrong} wrong", f"{share:.2g}"]
    for engine in ENGINES:
        found = seen.get(engine, [])
        times = [seconds for _, seconds in found if seconds is not None]
        if found and len(times) == len(found):
            cells.append(f"{median(times):.3g} s ({median(times) / taken:.2g})")
        else:
            cells.append(next((text for text, seconds in found if seconds is None), "–"))
    return f"| {' | '.join(cells)} |"


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
    for name in arguments or FAMILIES:
        print(row(name), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Other solvers on a feasibility program, in a process and, if need be, a Python of their own.

python peers.py ENGINE FILE LIMIT: FILE holds a list of programs as JSON; one line with `answer`
and `seconds` is printed for each. Only the standard library and the engine are imported. Times are
processor seconds of the decision alone, not of building the model; only those of QSopt_ex are of
the whole program `esolver`, reading included. After LIMIT such seconds the process ends.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

Row = tuple[list[tuple[int, int]], int, int]  # (column, entry), sense -1, 0, 1, right side
FOUND, NONE, OTHER = "feasible", "infeasible", "no answer"
Decision = Callable[[], str]
SENSES = {-1: "<=", 0: "=", 1: ">="}


def rows_of(program: dict[str, Any]) -> Iterator[Row]:
    """The rows of a program as written by `benchmarks.lp`."""
    starts, columns, entries = program["indptr"], program["indices"], program["values"]
    for row, (sense, right) in enumerate(zip(program["senses"], program["right"], strict=True)):
        part = slice(starts[row], starts[row + 1])
        terms = zip(columns[part], map(int, entries[part]), strict=True)
        yield list(terms), sense, int(right)


def z3(program: dict[str, Any]) -> Decision:
    """z3's simplex, linear real arithmetic."""
    import z3 as engine

    solver = engine.SolverFor("QF_LRA")
    unknowns = [engine.Real(f"x{j}") for j in range(program["columns"])]
    for unknown in unknowns:
        solver.add(unknown >= 0)
    for terms, sense, right in rows_of(program):
        left = engine.Sum([engine.RealVal(entry) * unknowns[j] for j, entry in terms])
        solver.add(left == right if sense == 0 else left <= right if sense < 0 else left >= right)
    return lambda: {"sat": FOUND, "unsat": NONE}.get(str(solver.check()), OTHER)


def cvc5(program: dict[str, Any]) -> Decision:
    """cvc5, linear real arithmetic."""
    import cvc5 as engine

    terms = engine.TermManager()
    solver = engine.Solver(terms)
    solver.setLogic("QF_LRA")
    kind, real = engine.Kind, terms.getRealSort()
    zero = terms.mkReal(0)
    unknowns = [terms.mkConst(real, f"x{j}") for j in range(program["columns"])]
    for unknown in unknowns:
        solver.assertFormula(terms.mkTerm(kind.GEQ, unknown, zero))
    relations = {-1: kind.LEQ, 0: kind.EQUAL, 1: kind.GEQ}
    for entries, sense, right in rows_of(program):
        parts = [terms.mkTerm(kind.MULT, terms.mkReal(e), unknowns[j]) for j, e in entries]
        left = parts[0] if len(parts) == 1 else terms.mkTerm(kind.ADD, *parts)
        solver.assertFormula(terms.mkTerm(relations[sense], left, terms.mkReal(right)))

    def decide() -> str:
        answer = solver.checkSat()
        return FOUND if answer.isSat() else NONE if answer.isUnsat() else OTHER

    return decide


def qsopt(program: dict[str, Any]) -> Decision:
    """The program `esolver` of QSopt_ex, found in PATH or where ESOLVER says."""
    folder = tempfile.TemporaryDirectory()
    path, solution = Path(folder.name) / "program.lp", Path(folder.name) / "solution"
    path.write_text(lp_text(program), encoding="utf-8")

    def decide() -> str:
        command = [os.environ.get("ESOLVER", "esolver"), "-O", str(solution), str(path)]
        silent = subprocess.DEVNULL
        subprocess.run(command, stdout=silent, stderr=silent, check=False)
        text = solution.read_text(encoding="utf-8") if solution.exists() else ""
        folder.cleanup()
        found = FOUND if "OPTIMAL" in text else OTHER
        return NONE if "INFEASIBLE" in text else found

    return decide


def highs(program: dict[str, Any]) -> Decision:
    """HiGHS as it comes, in floats: a floor for the time, not an exact answer."""
    import highspy as engine

    count, infinite = program["columns"], engine.kHighsInf
    model = engine.HighsLp()
    lower, upper, starts, columns, values = [], [], [0], [], []
    for terms, sense, right in rows_of(program):
        largest = max((abs(entry) for _, entry in terms), default=1)
        level = float(Fraction(right, largest))
        lower.append(level if sense >= 0 else -infinite)
        upper.append(level if sense <= 0 else infinite)
        columns += [j for j, _ in terms]
        values += [entry / largest for _, entry in terms]
        starts.append(len(columns))
    model.num_col_, model.num_row_ = count, len(lower)
    model.col_cost_, model.col_lower_ = [0.0] * count, [0.0] * count
    model.col_upper_ = [infinite] * count
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = engine.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = starts, columns
    model.a_matrix_.value_ = values
    solver = engine.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.passModel(model)
    status = engine.HighsModelStatus
    answers = {status.kOptimal: FOUND, status.kInfeasible: NONE}

    def decide() -> str:
        solver.run()
        return answers.get(solver.getModelStatus(), OTHER)

    return decide


def qif(program: dict[str, Any]) -> Decision:
    """qif's factorisation of channels in rationals; only for programs that come with channels."""
    import numpy as np
    import qif as engine

    first, second = (
        np.array([[engine.rat(value) for value in row] for row in table])
        for table in program["channels"]
    )
    return lambda: FOUND if engine.channel.factorize(second, first).size else NONE


def lp_text(program: dict[str, Any]) -> str:
    """The program in LP format."""
    lines = ["Maximize", " obj: 0 x0", "Subject To"]
    for at, (terms, sense, right) in enumerate(rows_of(program)):
        left = "\n ".join(f"{entry:+d} x{j}" for j, entry in terms)
        lines.append(f" r{at}: {left} {SENSES[sense]} {right}")
    return "\n".join([*lines, "End", ""])


ENGINES = {"z3": z3, "cvc5": cvc5, "qsopt": qsopt, "highs": highs, "qif": qif}
MODULES = {"highs": "highspy"}


def is_here(engine: str) -> bool:
    """Whether an engine is installed."""
    if engine == "qsopt":
        return shutil.which(os.environ.get("ESOLVER", "esolver")) is not None
    try:
        __import__(MODULES.get(engine, engine))
    except ImportError:
        return False
    return True


def used() -> float:
    """Processor seconds of this process and of those it waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(part.ru_utime + part.ru_stime for part in map(resource.getrusage, kinds))


def main(engine: str, path: str, limit: str) -> int:
    if not is_here(engine):
        return 3
    sys.set_int_max_str_digits(0)
    for program in json.loads(Path(path).read_text(encoding="utf-8")):
        decide = ENGINES[engine](program)
        started = used()
        most = int(started + float(limit)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        answer = decide()
        print(json.dumps({"answer": answer, "seconds": used() - started}), flush=True)
    return 0


if __name__ == "__main__":
    here = str(Path(__file__).parent)
    sys.path[:] = [place for place in sys.path if place != here]
    sys.exit(main(*sys.argv[1:]))

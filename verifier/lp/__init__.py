"""Exact linear programming: systems, proofs of both answers, hints from floats.

May enter: rows of exact numbers.
Must not know: privacy, and what its unknowns stand for.

A `Program` in integers; `solve` gives its exact outcome, `Optimal`, `Infeasible` or `Unbounded`,
which carries its own proof. Floats guide (`oracle`), integers decide (`basis`, `refine`,
`simplex`). Heavy packages are imported here freely: the room itself is imported where it is used.
"""

from verifier.lp.model.program import (
    Basis,
    Infeasible,
    Optimal,
    Outcome,
    Program,
    Row,
    Unbounded,
    Vector,
)
from verifier.lp.solve import Solver, basic_solution, solve, solve_rows

__all__ = [
    "Basis",
    "Infeasible",
    "Optimal",
    "Outcome",
    "Program",
    "Row",
    "Solver",
    "Unbounded",
    "Vector",
    "basic_solution",
    "solve",
    "solve_rows",
]

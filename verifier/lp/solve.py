"""Exact outcomes of linear programs: float oracle, exact basis, refinement, exact pivots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import lcm

from verifier.base.exact import is_irrational, number
from verifier.lp.exact.determined import determined
from verifier.lp.exact.simplex import Corner, pivoted, vector
from verifier.lp.hints.oracle import Oracle, Sifting, pays
from verifier.lp.hints.refine import ROUNDS, floating, refined
from verifier.lp.model.program import (
    Basis,
    Outcome,
    Program,
    Row,
    Standard,
    Translation,
    Unbounded,
    Vector,
)

# Below so many entries of a tableau, exact pivots need no advice, and for a feasible point alone
# they are faster than refinement.
TINY, TINY_FEASIBILITY, SMALL_FEASIBILITY = 200, 800, 10_000


class Solver:
    """Programs that differ in objective and right sides; the float model is kept between calls."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.translation = Translation(program)

    def maximise(
        self, objective: Sequence[int] | None = None, right: Sequence[int] | None = None
    ) -> Outcome:
        """The exact outcome with another objective (over the same scale) or other right sides."""
        costs = self.program.objective if objective is None else objective
        form = self.translation.form(costs, self.program.right if right is None else right)
        return self.translation.back(self._outcome(form), costs)

    def direction(self, objective: Sequence[int]) -> Vector | None:
        """The best point for another objective in floats, up to a positive factor; None where the
        program is small or has bounds, or floats find none."""
        form = self.translation.form(objective, self.program.right)
        if _is_tiny(form) or not self.translation.plain:
            return None
        return floating(form, self._oracle)

    def _outcome(self, form: Standard) -> Outcome:
        if _is_tiny(form):
            return pivoted(form)
        m, n = form.matrix.shape
        rounds = ROUNDS if any(form.objective) or m * n > SMALL_FEASIBILITY else 0
        found = refined(form, self._oracle, rounds)
        return pivoted(form, found) if found is None or isinstance(found, Basis) else found

    @cached_property
    def _oracle(self) -> Oracle:
        form = self.translation.form(self.program.objective, self.program.right)
        return Sifting(form) if pays(form) else Oracle(form)


def _is_tiny(form: Standard) -> bool:
    """Whether exact pivots need no advice."""
    m, n = form.matrix.shape
    return m * n <= (TINY if any(form.objective) else TINY_FEASIBILITY) or form.matrix.nnz == 0


def solve(program: Program, start: Basis | None = None) -> Outcome:
    """The exact outcome of a program, always.

    program  what is solved
    start    the basis of an outcome of a program much like it, from which few pivots may be enough

    >>> rows = [Row("budget", {"x": 3, "y": "1/2"}, "<=", 1)]
    >>> solve(Program.build(["x", "y"], rows, {"x": 1, "y": 1})).value
    Fraction(2, 1)
    """
    if start is not None:
        translation = Translation(program)
        form = translation.form(program.objective, program.right)
        return translation.back(pivoted(form, start), program.objective)
    m, n = program.matrix.shape
    outcome = determined(program) if m * n > SMALL_FEASIBILITY else None
    return outcome or Solver(program).maximise()


def solve_rows(
    columns: int,
    rows: Sequence[Row],
    objective: Mapping[int, Fraction] | None = None,
    free: Collection[int] = (),
    upper: Mapping[int, int] | None = None,
) -> Outcome:
    """The exact outcome of a program whose numbers may be made of powers of e.

    columns    how many there are; they are >= 0
    rows       with terms by the index of columns
    objective  column -> gain; None asks for any feasible point
    free       columns that may be negative
    upper      column -> the largest value that it may have

    Multipliers are of the rows as they are given.

    Raises LimitReached where a program with powers of e takes too many exact pivots.

    >>> from verifier.base.exponential import power
    >>> solve_rows(1, [Row("", {0: 1 + power(1)}, "<=", power(1))], {0: Fraction(1)}).value
    exact.number('e/(1 + e)')
    """
    gains = objective or {}
    given = [
        *gains.values(),
        *(value for row in rows for value in (*row.terms.values(), row.right)),
    ]
    if any(isinstance(value, Fraction) and is_irrational(value) for value in given):
        from verifier.lp import irrational

        return irrational.outcome(columns, rows, gains, free, upper or {})
    names = [f"x{column}" for column in range(columns)]
    lower = dict.fromkeys(free) if free else None
    outcome = solve(Program.build(names, rows, gains, lower, upper))
    if isinstance(outcome, Unbounded):
        return outcome
    # rows of a program are scaled to integers
    units = [lcm(*(number(v).denominator for v in (*r.terms.values(), r.right))) for r in rows]
    found = {at: y * units[at] for at, y in outcome.multipliers.numerators.items()}
    return replace(outcome, multipliers=Vector(found, outcome.multipliers.denominator))


def basic_solution(
    program: Program,
    basis: Basis,
    right: Sequence[int] | None = None,
    objective: Sequence[int] | None = None,
) -> tuple[Vector, Vector]:
    """Point and multipliers of a `basis` of a `program`, signs not checked. Raises SingularMatrix.

    program    which has this basis
    right      right sides in place of its own
    objective  in place of its own
    """
    translation = Translation(program)
    costs = program.objective if objective is None else objective
    form = translation.form(costs, program.right if right is None else right)
    corner = Corner(form, basis)
    primal, dual = corner.primal, corner.dual
    point = vector(basis.columns, primal.values, primal.denominator)
    multipliers = vector(basis.rows, dual.values, dual.denominator)
    scale = program.objective_scale
    return translation.point(point), translation.multipliers(multipliers, scale)

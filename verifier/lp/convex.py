"""Linear programs that are written in cvxpy, with exact numbers.

cvxpy computes with floats, so each number it hands over is read as the shortest decimal that is
this float: 0.1 is 1/10, and 1/3 is 0.3333333333333333. Multiply such rows out. `Parts` shows what
was understood, and what is solved is exactly that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from verifier.lp.model.program import Row

if TYPE_CHECKING:
    import cvxpy


@dataclass(frozen=True)
class Parts:
    """Minimise costs · x + offset subject to rows, over columns x that are free.

    first  the first column of each variable of the problem, by its id; entries column by column
    """

    columns: int
    rows: list[Row]
    costs: Mapping[int, Fraction]
    offset: Fraction
    first: Mapping[int, int]


def parts(problem: cvxpy.Problem) -> Parts:
    """The linear program that a problem means. Raises ValueError where it is not linear, or does
    not minimise; variables must have no attributes such as nonneg (write constraints instead)."""
    import cvxpy

    if not isinstance(problem.objective, cvxpy.Minimize):
        raise ValueError("the objective must be cvxpy.Minimize(…)")
    if not problem.is_dcp():
        raise ValueError("the problem is not convex by the rules of cvxpy")
    data, _, inverse = problem.get_problem_data(cvxpy.CLARABEL)
    cones = data["dims"]
    if cones.soc or cones.psd or cones.exp or cones.p3d or cones.pnd or data.get("P") is not None:
        raise ValueError("the problem is not linear")
    matrix, right = data["A"].tocsr(), data["b"]
    rows = []
    for at in range(matrix.shape[0]):
        span = slice(matrix.indptr[at], matrix.indptr[at + 1])
        found = zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True)
        terms = {column: number(value) for column, value in found}
        rows.append(
            Row(f"given {at + 1}", terms, "=" if at < cones.zero else "<=", number(right[at]))
        )
    costs = {c: number(value) for c, value in enumerate(data["c"].tolist()) if value}
    first = dict(data["param_prob"].var_id_to_col)
    missing = [v.name() for v in problem.variables() if v.id not in first]
    if missing:
        raise ValueError(f"the variable {missing[0]} has attributes; write constraints instead")
    offset = number(inverse[-1].get("offset", 0.0))
    return Parts(matrix.shape[1], rows, costs, offset, first)


def number(value: float) -> Fraction:
    """The shortest decimal that the float `value` is.

    >>> number(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(value)))

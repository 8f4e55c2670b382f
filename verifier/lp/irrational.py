"""Programs with powers of e: a basis of floats is a proposal, decided in the field of such numbers.

Neither end of an enclosure of the numbers decides anything. Let x_1, x_2 >= 0 be such that
x_1/(1 + e) + x_2·e/(1 + e) = 1/2 and x_1 + x_2 = 1. Near both ends of an enclosure of e the two
coefficients no longer sum to 1, and where they are rounded alike their half and half mixture is
not 1/2; yet x = (1/2, 1/2) is a point, as an identity.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from verifier.base.exact import coprime, is_irrational, is_symbolic, near, number
from verifier.lp.exact import field
from verifier.lp.hints.oracle import Oracle
from verifier.lp.model.program import (
    Basis,
    Number,
    Optimal,
    Outcome,
    Program,
    Row,
    Translation,
    Unbounded,
    Vector,
)

ROUNDED = (64, 256, 1024)  # bits of proofs that hold by more than nothing


def outcome(
    columns: int,
    rows: Sequence[Row],
    objective: Mapping[int, Fraction],
    free: Collection[int],
    upper: Mapping[int, int],
) -> Outcome:
    """The exact outcome, as of `solve_rows`; LimitReached where that takes too many pivots.

    columns    how many there are
    rows       with terms by the index of columns
    objective  column -> gain
    free       columns that may be negative: each is the difference of two
    upper      column -> the largest value that it may have: a further row
    """
    second = {column: columns + k for k, column in enumerate(sorted(free))}
    ends = [Row("", {column: 1}, "<=", end) for column, end in upper.items()]
    whole = [replace(row, terms=_both(row.terms, second)) for row in (*rows, *ends)]
    gains = _both(objective, second)
    size = columns + len(second)
    program = field.Program(size, whole, gains)
    found = field.Simplex(program, proposed(size, whole, gains)).run()
    if isinstance(found, Unbounded):
        return Unbounded(_joined(found.point, second), _joined(found.ray, second))
    kept = {at: y for at, y in found.multipliers.numerators.items() if at < len(rows)}
    if isinstance(found, Optimal):
        found = replace(found, point=_joined(found.point, second))
    return replace(found, multipliers=Vector(kept))


def _both(terms: Mapping[int, Number], second: Mapping[int, int]) -> dict[int, Fraction]:
    found = {at: number(value) for at, value in terms.items() if value}
    return found | {second[at]: -value for at, value in found.items() if at in second}


def _joined(vector: Vector, second: Mapping[int, int]) -> Vector:
    """A vector of all columns as one of those of the program."""
    found = dict(vector.numerators)
    for at, other in second.items():
        found[at] = found.get(at, 0) - found.pop(other, 0)
    return Vector({at: value for at, value in sorted(found.items()) if value})


def proposed(columns: int, rows: Sequence[Row], objective: Mapping[int, Fraction]) -> Basis | None:
    """The basis where HiGHS ends on rational numbers nearby, if it has any.

    columns    how many there are; they are >= 0
    rows       with terms by the index of columns
    objective  column -> gain
    """
    names = [str(column) for column in range(columns)]
    rational = [replace(row, terms=_near(row.terms), right=near(number(row.right))) for row in rows]
    program = Program.build(names, rational, _near(objective))
    if not program.matrix.nnz:
        return None
    form = Translation(program).form(program.objective, program.right)
    oracle = Oracle(form)
    nothing, right = np.zeros(oracle.size), oracle.scaled_right(form.right)
    answer = oracle.solve(oracle.scaled_costs(form.objective), nothing, right)
    if answer in ("failed", "unbounded"):
        oracle.solve(nothing, nothing, right)
    return oracle.basis()


def _near(terms: Mapping[int, Number]) -> dict[int, Fraction]:
    return {at: near(number(value)) for at, value in terms.items()}


def rounded(vector: Vector) -> Iterator[Vector]:
    """Vectors of integers that are ever nearer to a multiple of a vector.

    A vector of rationals has such a multiple itself. One of functions of a parameter is given
    back as it is: no integers need be near to it for all values of the parameter.
    """
    numbers = list(vector.numerators.values())
    if any(map(is_symbolic, numbers)):
        yield vector
        return
    if not any(map(is_irrational, numbers)):
        yield Vector(dict(zip(vector.numerators, coprime(numbers), strict=True)))
        return
    unit = max(map(abs, numbers))
    for bits in ROUNDED:
        values = {at: near(y / unit, bits) for at, y in vector.numerators.items()}
        yield Vector({at: round(value * 2**bits) for at, value in values.items()})

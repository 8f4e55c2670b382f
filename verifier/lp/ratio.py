"""The largest ratio of two linear functions over a polyhedron, exactly.

W. Dinkelbach, On nonlinear fractional programming, Management Science 13 (1967): r is the largest
ratio a·x / b·x exactly if max (a − r b)·x = 0; otherwise the maximiser has a larger ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np

from verifier.lp.model.integers import IntegerMatrix
from verifier.lp.model.program import Infeasible, Optimal, Outcome, Program, Vector
from verifier.lp.solve import Solver

STEPS = 20  # in floats, at most
NEAR = Fraction(1, 2**20)  # a ratio that has grown by less is near enough


@dataclass(frozen=True)
class Largest:
    """The ratio at `point` is `value`, and none is larger: the `proof` is the optimum, at most 0,
    of maximise (q a − p b)·x, where value = p/q. Without `attained` the point is a ray along which
    the ratio tends to the value."""

    value: Fraction
    point: Vector
    proof: Optimal
    attained: bool = True


@dataclass(frozen=True)
class Infinite:
    """b·point = 0 < a·point; if not `attained`, the point is a ray of the polyhedron."""

    point: Vector
    attained: bool = True


@dataclass(frozen=True)
class Undefined:
    """b·x = 0 and a·x <= 0 all over the polyhedron: `proofs` are the optima, at most 0, of
    maximise a·x and maximise b·x."""

    proofs: tuple[Optimal, Optimal]


@dataclass(frozen=True)
class Empty:
    """There is no point at all."""

    proof: Infeasible


Ratio = Largest | Infinite | Undefined | Empty


def largest_ratio(solver: Solver, above: Sequence[int], below: Sequence[int]) -> Ratio:
    """max above·x / below·x over the points of the solver's program, below >= 0, all integers.

    `below` must be >= 0 on the whole polyhedron: negative entries are refused with ValueError, and
    so are columns that may be negative. A cone needs `sliced`.
    """
    program = solver.program
    if min(below, default=0) < 0 or any(low is None or low < 0 for low in program.lower or ()):
        raise ValueError("the denominator of a ratio must not be negative")
    outcome = solver.maximise(_difference(above, below, _near(solver, above, below)))
    if isinstance(outcome, Infeasible):
        return Empty(outcome)
    point, attained = _witness(outcome)
    if not _at(below, point) and _at(above, point) <= 0:
        weight, gain = solver.maximise(below), solver.maximise(above)
        if isinstance(weight, Optimal) and weight.value == 0:
            if isinstance(gain, Optimal) and gain.value <= 0:
                return Undefined((gain, weight))
            weight = gain
        point, attained = _witness(weight)
    while _at(below, point):
        value = Fraction(_at(above, point), _at(below, point))
        outcome = solver.maximise(_difference(above, below, value))
        if isinstance(outcome, Optimal) and outcome.value <= 0:
            return Largest(value, point, outcome, attained)
        point, attained = _witness(outcome)
    return Infinite(point, attained)


def sliced(program: Program) -> Program:
    """The `program` of a cone (right sides 0, x >= 0), cut by Σ x = 1."""
    if any(program.right) or program.lower is not None or program.upper is not None:
        raise ValueError("only a cone of x >= 0 has the same ratios on Σ x = 1")
    matrix = program.matrix
    m, n = matrix.shape
    names = program.row_names
    return replace(
        program,
        matrix=IntegerMatrix(
            (m + 1, n),
            np.append(matrix.indptr, matrix.nnz + n),
            np.concatenate([matrix.indices, np.arange(n)]),
            np.concatenate([matrix.values, np.ones(n, dtype=matrix.values.dtype)]),
        ),
        senses=np.append(program.senses, np.int8(0)),
        right=[*program.right, 1],
        row_names=None if names is None else [*names, "total"],
    )


def _near(solver: Solver, above: Sequence[int], below: Sequence[int]) -> Fraction:
    """A first ratio, by the same steps in floats: any value will do, and from a near one few exact
    steps are left."""
    value = _guess(above, below)
    for _ in range(STEPS):
        point = solver.direction(_difference(above, below, value))
        if point is None or not (weight := _at(below, point)):
            break
        before, value = value, Fraction(_at(above, point), weight)
        if value <= before * (1 + NEAR):
            break
    return value


def _guess(above: Sequence[int], below: Sequence[int]) -> Fraction:
    """A first ratio, between that of the sums and the largest of two entries: a power of two. Any
    value will do; with a good one the second program ends near the first."""
    high, low = max(above, default=0), min((entry for entry in below if entry), default=0)
    if high <= 0 or not low or sum(above) <= 0:
        return Fraction(0)
    shares = high.bit_length() - low.bit_length() + sum(above).bit_length()
    return Fraction(2) ** ((shares - sum(below).bit_length()) // 2)


def _difference(above: Sequence[int], below: Sequence[int], ratio: Fraction) -> list[int]:
    """Integer weights proportional to above − ratio · below."""
    p, q = ratio.numerator, ratio.denominator
    weights = [q * a - p * b for a, b in zip(above, below, strict=True)]
    common = gcd(*weights) or 1
    return [weight // common for weight in weights]


def _witness(outcome: Outcome) -> tuple[Vector, bool]:
    """The best point, or the ray where there is none; and whether it is a point."""
    if isinstance(outcome, Infeasible):
        raise AssertionError("a polyhedron with a point has no proof that it is empty")
    return (outcome.point, True) if isinstance(outcome, Optimal) else (outcome.ray, False)


def _at(weights: Sequence[int], point: Vector) -> int:
    """weights · point, times the denominator of the point."""
    return sum(weights[at] * value for at, value in point.numerators.items())

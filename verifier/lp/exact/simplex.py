"""Exact pivots that always end, first towards a feasible point, then uphill, by Bland's rule.

R. G. Bland, New finite pivoting rules for the simplex method, Math. of OR 2 (1977), in its dual
form (all costs 0, which is dual feasible in every basis) and its primal form.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import lcm

import numpy as np

from verifier.lp.exact.revised import Revised
from verifier.lp.exact.tableau import Tableau
from verifier.lp.model.outcome import Basis, Infeasible, Optimal, Outcome, Unbounded, Vector
from verifier.lp.model.standard import Standard

DENSE = 30_000  # entries of a tableau that is kept whole
STILL = 20  # pivots without progress before the rule changes


def pivots(form: Standard, wanted: Basis | None = None) -> Outcome:
    """The outcome of a program with x >= 0, from a basis that need not fit; always ends."""
    m, n = form.matrix.shape
    if m * n <= DENSE:
        return Simplex(form, Tableau(form, wanted)).run()
    nothing = Basis(np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    return Simplex(form, Revised(form, wanted or nothing)).run()


class Simplex:
    """Pivots on a tableau. A variable is a column or, from number n, the slack of a row."""

    def __init__(self, form: Standard, tableau: Tableau | Revised) -> None:
        self.form, self.tableau, self.n = form, tableau, form.matrix.shape[1]
        # slacks of rows <= grow from 0 like columns, those of >= fall, those of = stay
        self.directions = [1] * self.n + [-sense for sense in form.senses.tolist()]

    def run(self) -> Outcome:
        """Both phases."""
        return self.towards_feasible() or self.uphill()

    def towards_feasible(self) -> Infeasible | None:
        """Repair the first variable beyond its bound by the first that can move it back. Where
        that takes long, and rows are at hand, for a while the one that the fewest can move back."""
        rows_at_hand = isinstance(self.tableau, Tableau)
        for turn in count():
            values = self.tableau.values()
            beyond = sorted(p for p, (value, _) in values.items() if self._beyond(p, value))
            if not beyond:
                return None
            every = rows_at_hand and STILL < turn <= STILL + len(self.directions)
            rows = [(p, *self._repair(p)) for p in (beyond if every else beyond[:1])]
            leaving, able, multipliers = min(rows, key=lambda row: len(row[1]))
            if not able:
                return Infeasible(multipliers)
            self.tableau.pivot(leaving, min(able))
        raise AssertionError("Bland's rule ends")

    def _repair(self, variable: int) -> tuple[list[int], Vector]:
        """The variables that can move one back to its bound; if none, the multipliers prove that
        nothing is feasible."""
        scale, alphas, value = self.tableau.row(variable)
        able = [k for k, alpha in alphas.items() if alpha * self.directions[k] * value > 0]
        sign = 1 if value < 0 else -1
        slacks = {k - self.n: sign * alpha for k, alpha in alphas.items() if k >= self.n and alpha}
        if variable >= self.n:
            slacks[variable - self.n] = sign * scale
        return able, Vector(slacks)

    def uphill(self) -> Optimal | Unbounded:
        """Let the variable that gains most enter until none gains, from a feasible basis. Where
        the value stays the same for long, the first one enters until it grows."""
        still = 0
        while True:
            scale, gains = self.tableau.reduced()
            gaining = [k for k, gain in gains.items() if gain * self.directions[k] > 0]
            if not gaining:
                found = {k - self.n: -gain for k, gain in gains.items() if k >= self.n and gain}
                return self._optimal(Vector(found, scale))
            first = min(gaining) if still > STILL else max(gaining, key=lambda k: abs(gains[k]))
            column = self.tableau.column(first)
            ends = [
                (Fraction(abs(value), abs(alpha)), p)
                for p, (alpha, value, _) in column.items()
                if self.directions[p] * alpha * self.directions[first] > 0
                or self.directions[p] == 0
            ]
            if not ends:
                return self._unbounded(first)
            step, leaving = min(ends)
            still = 0 if step else still + 1
            self.tableau.pivot(leaving, first)

    def _beyond(self, variable: int, value: int) -> bool:
        """Whether a value is not allowed to a variable."""
        direction = self.directions[variable]
        return value * direction < 0 or (value != 0 and direction == 0)

    def _point(self) -> Vector:
        values = self.tableau.values().items()
        return _vector({p: Fraction(*value) for p, value in values if p < self.n})

    def _optimal(self, multipliers: Vector) -> Optimal:
        point = self._point()
        total = sum(self.form.objective[at] * value for at, value in point.numerators.items())
        value = Fraction(total, point.denominator)
        return Optimal(point, value, multipliers, self.tableau.basis)

    def _unbounded(self, entering: int) -> Unbounded:
        sign = -self.directions[entering]
        column = self.tableau.column(entering).items()
        ray = {p: Fraction(sign * alpha, scale) for p, (alpha, _, scale) in column if p < self.n}
        if entering < self.n:
            ray[entering] = Fraction(1)
        return Unbounded(self._point(), _vector(ray))


def _vector(entries: dict[int, Fraction]) -> Vector:
    """Sparse entries over their common denominator."""
    common = lcm(*(entry.denominator for entry in entries.values()))
    found = {at: entry.numerator * (common // entry.denominator) for at, entry in entries.items()}
    return Vector({at: value for at, value in found.items() if value}, common)

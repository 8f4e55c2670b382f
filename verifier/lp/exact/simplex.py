"""Bases of a linear program, and exact pivots from one to the next that always end.

A basis has as many columns C as rows R, and a regular kernel A[R, C]. Its point is x_C =
A[R, C]⁻¹ b_R, its multipliers are y_R = A[R, C]⁻ᵀ c_C; all else is 0. Pivots go first towards a
feasible point, then uphill, by Bland's rule (R. G. Bland, New finite pivoting rules for the simplex
method, Mathematics of Operations Research 2, 1977), in its dual form (all costs 0, which is dual
feasible in every basis) and its primal form.

Variables are numbered: column j is j, the slack right_i − (A x)_i of row i is n + i. A small
tableau is kept whole (`Tableau`); of a large one entries are computed as they are asked for
(`Revised`). By hand: maximise x subject to 2 x <= 3 starts at the slack 3 − 2 x = 3; x enters, the
slack leaves, and the basis x = 3/2 with the multiplier 1/2 is optimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import gcd, lcm
from typing import Any

import flint
import numpy as np

from verifier.lp.exact.square import PRIMES, SingularMatrix, Square, dense, pivots
from verifier.lp.model.integers import IntegerMatrix, Ints
from verifier.lp.model.program import (
    Basis,
    Infeasible,
    Optimal,
    Outcome,
    Standard,
    Unbounded,
    Vector,
)

Entry = tuple[int, int, int]
DENSE = 30_000  # entries of a tableau that is kept whole
STILL = 20  # pivots without progress before the rule changes


class Tableau:
    """Rows scale · p + Σ_k alpha_k · z_k = value, p basic and z nonbasic; the last row has the
    objective as p. Starts at the basis of all slacks, moved towards `wanted` if given."""

    def __init__(self, form: Standard, wanted: Basis | None = None) -> None:
        m, self.n = form.matrix.shape
        self.nonbasic = list(range(self.n))
        self.basic = list(range(self.n, self.n + m))
        self.scales = [1] * (m + 1)
        starts, places = form.matrix.indptr.tolist(), form.matrix.indices.tolist()
        entries = form.matrix.values.tolist()
        self.rows = [[0] * self.n + [right] for right in form.right]
        for i, row in enumerate(self.rows):
            for at in range(starts[i], starts[i + 1]):
                row[places[at]] = entries[at]
        self.rows.append([-cost for cost in form.objective] + [0])
        if wanted is not None:
            self._move(wanted)

    def _move(self, wanted: Basis) -> None:
        """Pivot the columns of a basis in, those that depend on others excepted."""
        leaving = {self.n + row for row in wanted.rows.tolist()}
        for column in wanted.columns.tolist():
            at = self.nonbasic.index(column)
            usable = [i for i, p in enumerate(self.basic) if p in leaving and self.rows[i][at]]
            if usable:
                chosen = max(usable, key=lambda i: self.rows[i].count(0))
                leaving.remove(self.basic[chosen])
                self.pivot(self.basic[chosen], column)

    @property
    def basis(self) -> Basis:
        """The present basis."""
        columns = sorted(p for p in self.basic if p < self.n)
        rows = sorted(k - self.n for k in self.nonbasic if k >= self.n)
        return Basis(np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64))

    def values(self) -> dict[int, tuple[int, int]]:
        """Numerator and denominator of each basic variable."""
        scaled = zip(self.basic, self.rows, self.scales, strict=False)
        return {p: (row[-1], scale) for p, row, scale in scaled}

    def row(self, basic: int) -> tuple[int, dict[int, int], int]:
        """Scale, alphas of the nonbasic variables, and value of a basic variable's row."""
        at = self.basic.index(basic)
        row = self.rows[at]
        return self.scales[at], dict(zip(self.nonbasic, row, strict=False)), row[-1]

    def reduced(self) -> tuple[int, dict[int, int]]:
        """A denominator, and by nonbasic variable the gain of the objective per unit of it."""
        gains = (-alpha for alpha in self.rows[-1])
        return self.scales[-1], dict(zip(self.nonbasic, gains, strict=False))

    def column(self, nonbasic: int) -> dict[int, Entry]:
        """By basic variable: alpha of a `nonbasic` one, value and scale of its row, where alpha is
        not 0."""
        at = self.nonbasic.index(nonbasic)
        scaled = zip(self.basic, self.rows, self.scales, strict=False)
        return {p: (row[at], row[-1], scale) for p, row, scale in scaled if row[at]}

    def pivot(self, leaving: int, entering: int) -> None:
        """Exchange a basic variable, `leaving`, and a nonbasic one, `entering`."""
        r, s = self.basic.index(leaving), self.nonbasic.index(entering)
        own = self.rows[r]
        size = abs(own[s])
        own[s], sign = self.scales[r], (1 if own[s] > 0 else -1)
        if sign < 0:
            own = self.rows[r] = [-entry for entry in own]
        self.scales[r] = size
        for i, row in enumerate(self.rows):
            factor = row[s]
            if i == r or not factor:
                continue
            row[s] = 0
            shared = gcd(size, factor)
            up, down = size // shared, factor // shared
            changed = [up * e - down * o if o else up * e for e, o in zip(row, own, strict=True)]
            scale = self.scales[i] * up
            common = gcd(scale, *changed)
            self.rows[i] = [entry // common for entry in changed] if common > 1 else changed
            self.scales[i] = scale // common
        self.basic[r], self.nonbasic[s] = entering, leaving


@dataclass(frozen=True, eq=False)
class Primal:
    """Numerators of the basic columns and, for every row, of right − A x; one denominator > 0."""

    values: list[Any]
    slacks: list[Any]
    denominator: int

    def feasible(self, form: Standard) -> bool:
        """Whether the point satisfies every row of the `form` and x >= 0."""
        fits = all(
            not slack or (sense and (slack < 0) == (sense > 0))
            for slack, sense in zip(self.slacks, form.senses.tolist(), strict=True)
        )
        return fits and min(self.values, default=0) >= 0


@dataclass(frozen=True, eq=False)
class Dual:
    """Numerators of the multipliers of the basic rows and, for every column, of objective − y A;
    one denominator > 0."""

    values: list[Any]
    reduced: list[Any]
    denominator: int

    def feasible(self, form: Standard, basis: Basis) -> bool:
        """Whether the multipliers prove that no point of the `form` is better than that of the
        `basis`."""
        senses = form.senses[basis.rows].tolist()
        signs = all(value * sense <= 0 for value, sense in zip(self.values, senses, strict=True))
        return signs and max(self.reduced, default=0) <= 0


class Corner:
    """A basis of a program in standard form, with its exact point and multipliers.

    Both raise SingularMatrix where there are none.
    """

    def __init__(self, form: Standard, basis: Basis) -> None:
        self.form, self.basis = form, basis
        self.kernel = Square(form.matrix.take(basis.rows, basis.columns))

    @cached_property
    def primal(self) -> Primal:
        """The exact point."""
        right = [self.form.right[row] for row in self.basis.rows.tolist()]
        values, denominator = self.kernel.solve(right) if any(right) else ([0] * len(right), 1)
        taken = self.used.times(values)
        slacks = [denominator * b - a for b, a in zip(self.form.right, taken, strict=True)]
        return Primal(values, slacks, denominator)

    @cached_property
    def dual(self) -> Dual:
        """The exact multipliers."""
        costs = [self.form.objective[column] for column in self.basis.columns.tolist()]
        found = self.kernel.solve_transposed(costs) if any(costs) else ([0] * len(costs), 1)
        values, denominator = found
        taken = products(self.form, self.basis.rows, values)
        reduced = [denominator * c - a for c, a in zip(self.form.objective, taken, strict=True)]
        return Dual(values, reduced, denominator)

    @cached_property
    def used(self) -> IntegerMatrix:
        """The basic columns, in all rows."""
        rows = np.arange(self.form.matrix.shape[0])
        return self.form.matrix.transposed.take(self.basis.columns, rows).transposed

    @property
    def optimum(self) -> Optimal | None:
        """The outcome where point and multipliers prove each other optimal."""
        if not (self.primal.feasible(self.form) and self.dual.feasible(self.form, self.basis)):
            return None
        point = vector(self.basis.columns, self.primal.values, self.primal.denominator)
        multipliers = vector(self.basis.rows, self.dual.values, self.dual.denominator)
        total = sum(self.form.objective[at] * value for at, value in point.numerators.items())
        return Optimal(point, Fraction(total, point.denominator), multipliers, self.basis)


def corners(forms: Iterable[Standard], basis: Basis) -> list[Corner]:
    """The corners of one `basis` in several `forms`, each with its point."""
    found = [Corner(form, basis) for form in forms]
    for corner in found:
        corner.primal  # noqa: B018 - computed here, and kept
    return found


def products(form: Standard, rows: Ints, values: Sequence[int]) -> list[int]:
    """y·A for every column of the `form`, where y has these `values` in these `rows` and is 0
    elsewhere."""
    weights = [0] * form.matrix.shape[0]
    for row, value in zip(rows.tolist(), values, strict=True):
        weights[row] = value
    return form.matrix.transposed.times(weights)


def is_farkas(form: Standard, multipliers: Vector) -> bool:
    """Whether `multipliers` y prove that the `form` has no point: y·A >= 0 and y·b < 0."""
    rows, values = list(multipliers.numerators), list(multipliers.numerators.values())
    senses = form.senses[np.array(rows, dtype=np.int64)].tolist()
    if any(value * sense > 0 for value, sense in zip(values, senses, strict=True)):
        return False
    if sum(value * form.right[row] for row, value in zip(rows, values, strict=True)) >= 0:
        return False
    return min(products(form, np.array(rows, dtype=np.int64), values), default=0) >= 0


def vector(places: Iterable[int] | Ints, values: Iterable[int], denominator: int = 1) -> Vector:
    """The sparse vector with these `values` in these `places`, over a `denominator`."""
    found = zip(np.asarray(places, dtype=np.int64).tolist(), values, strict=True)
    return Vector({at: value for at, value in found if value}, denominator)


class Revised:
    """Starts at a basis, or where that is singular at the regular part of it."""

    def __init__(self, form: Standard, wanted: Basis) -> None:
        self.form = form
        self.n = form.matrix.shape[1]
        self._set(wanted)
        try:
            self.corner.kernel.solve([1] * len(wanted.rows))
        except SingularMatrix:
            rows, columns = regular_part(self.corner.kernel.matrix)
            self._set(Basis(wanted.columns[columns], wanted.rows[rows]))

    def _set(self, basis: Basis) -> None:
        self.corner = Corner(self.form, basis)
        self._others = np.setdiff1d(np.arange(self.form.matrix.shape[0]), basis.rows)

    @property
    def basis(self) -> Basis:
        """The present basis."""
        return self.corner.basis

    def values(self) -> dict[int, tuple[int, int]]:
        """Numerator and denominator of each basic variable."""
        found = self.corner.primal
        values = dict(zip(self.basis.columns.tolist(), found.values, strict=True))
        values |= {self.n + row: found.slacks[row] for row in self._others.tolist()}
        return {p: (value, found.denominator) for p, value in values.items()}

    def row(self, basic: int) -> tuple[int, dict[int, int], int]:
        """Scale, alphas of the nonbasic variables, and value of a basic variable's row."""
        columns, rows, other = self.basis.columns, self.basis.rows, basic - self.n
        if other < 0:
            right = (columns == basic).astype(np.int64).tolist()
            values, scale = self.corner.kernel.solve_transposed(right)
        else:
            part = self.form.matrix.take([other], columns)
            right = part.transposed.times([-1])
            values, scale = self.corner.kernel.solve_transposed(right)
            rows, values = np.append(rows, other), [*values, scale]
        alphas = dict(enumerate(products(self.form, rows, values)))
        for column in columns.tolist():
            del alphas[column]
        alphas |= {self.n + row: y for row, y in zip(rows.tolist(), values, strict=True)}
        alphas.pop(basic, None)
        right = self.form.right
        return scale, alphas, sum(y * right[i] for i, y in zip(rows.tolist(), values, strict=True))

    def reduced(self) -> tuple[int, dict[int, int]]:
        """A denominator, and by nonbasic variable the gain of the objective per unit of it."""
        found = self.corner.dual
        gains = dict(enumerate(found.reduced))
        for column in self.basis.columns.tolist():
            del gains[column]
        slacks = zip(self.basis.rows.tolist(), found.values, strict=True)
        return found.denominator, gains | {self.n + row: -y for row, y in slacks}

    def column(self, nonbasic: int) -> dict[int, Entry]:
        """By basic variable: alpha of a `nonbasic` one, value and scale of its row, where alpha is
        not 0."""
        columns, rows, m = self.basis.columns, self.basis.rows, self.form.matrix.shape[0]
        if nonbasic < self.n:
            entering = self.form.matrix.transposed.take([nonbasic], np.arange(m))
            whole = entering.transposed.times([1])
        else:
            whole = (np.arange(m) == nonbasic - self.n).astype(np.int64).tolist()
        change, scale = self.corner.kernel.solve([whole[row] for row in rows.tolist()])
        used = self.corner.used.times(change)
        alphas = dict(zip(columns.tolist(), change, strict=True))
        for row in self._others.tolist():
            alphas[self.n + row] = scale * whole[row] - used[row]
        found, values = {}, self.values()
        for p, alpha in alphas.items():
            if alpha:
                value, denominator = values[p]
                found[p] = (alpha * denominator, value * scale, scale * denominator)
        return found

    def pivot(self, leaving: int, entering: int) -> None:
        """Exchange a basic variable, `leaving`, and a nonbasic one, `entering`."""
        basic = {*self.basis.columns.tolist(), *(self.n + self._others).tolist()}
        basic = basic - {leaving} | {entering}
        columns = sorted(p for p in basic if p < self.n)
        rows = [i for i in range(self.form.matrix.shape[0]) if self.n + i not in basic]
        self._set(Basis(np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64)))


def regular_part(kernel: IntegerMatrix) -> tuple[list[int], list[int]]:
    """Rows and columns of a regular submatrix of `kernel`, as large as the rank modulo a prime."""
    reduced = flint.nmod_mat(dense(kernel), PRIMES[0])
    return pivots(reduced.transpose()), pivots(reduced)


def pivoted(form: Standard, wanted: Basis | None = None) -> Outcome:
    """The outcome of a program with x >= 0; always ends.

    form    the program
    wanted  the basis to begin with, which need not fit
    """
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

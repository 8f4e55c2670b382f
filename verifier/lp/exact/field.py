"""Exact pivots where the numbers of a program are made of powers of e, or of a parameter.

All exponents of a program are multiples of one rational u, so that its rows, times what is
positive, have polynomials of t = e^u with integer coefficients. Such a polynomial is 0 just where
it has no term (F. Lindemann 1882; K. Weierstraß 1885), and else enclosures of growing precision
find its sign. So every sign and every equation of a basis is decided, and the pivots of
`simplex` work as they do over the rationals.

By hand: maximise x subject to (1 + e)·x <= e starts at the slack e; x enters, the slack leaves,
and the basis x = e/(1 + e) with the multiplier 1/(1 + e) is optimal.

Functions of a parameter are treated alike: there t is the parameter, and signs are those at the
sample of the active cell (`verifier.base.cell`). They only guide the pivots. What the last tableau
proves is recorded in the cell: the signs of its values and prices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.errors import LimitReached
from verifier.base.exact import number
from verifier.base.quotient import Poly
from verifier.lp.exact.ring import ZERO, Ring
from verifier.lp.exact.simplex import Dual, Primal
from verifier.lp.model.program import (
    SIGNS,
    Basis,
    Infeasible,
    Optimal,
    Outcome,
    Row,
    Unbounded,
    Vector,
)

MOST_PIVOTS = 400  # after those that a proposed basis needs
MOST_ENTRIES = 60_000  # of a tableau
MOST_WORK = 3 * 10**7  # terms of entries that pivots have made


class Program:
    """maximise objective · x subject to rows, x >= 0, all times positive factors.

    columns    how many there are
    rows       of m rows the n coefficients and the right side, and the objective: polynomials
    scales     the factor of each of them
    """

    def __init__(
        self, columns: int, rows: Sequence[Row], objective: Mapping[int, Fraction]
    ) -> None:
        self.columns, self.senses = columns, [SIGNS[row.sense] for row in rows]
        listed: list[list[Any]] = [[*row.terms.values(), row.right] for row in rows]
        listed.append(list(objective.values()))
        self.ring = Ring([list(map(number, values)) for values in listed])
        places: list[list[int]] = [[*row.terms, columns] for row in rows]
        places.append(list(objective))
        self.rows, self.scales = list[list[Poly]](), self.ring.scales
        for at, found in zip(places, self.ring.rows, strict=True):
            entries = [self.ring.zero] * (columns + 1)
            for place, poly in zip(at, found, strict=True):
                entries[place] = poly
            self.rows.append(entries)


class Simplex:
    """Rows scale · p + Σ_k alpha_k · z_k = value, p basic and z nonbasic; the last row has the
    objective as p. Variables are numbered as in `simplex`, whose rules these are."""

    def __init__(self, program: Program, wanted: Basis | None) -> None:
        self.program, self.ring, self.n = program, program.ring, program.columns
        m = len(program.senses)
        if (m + 1) * (self.n + 1) > MOST_ENTRIES:
            raise undecided(m, self.n, "too many for exact pivots")
        self.rows = [list(row) for row in program.rows[:m]]
        self.rows.append([-cost for cost in program.rows[m]])
        self.scales = [self.ring.one] * (m + 1)
        self.nonbasic, self.basic = list(range(self.n)), list(range(self.n, self.n + m))
        self.directions = [1] * self.n + [-sense for sense in program.senses]
        self.work = self.pivots = 0
        if wanted is not None:
            self._move(wanted)

    def _move(self, wanted: Basis) -> None:
        """Pivot the columns of a basis in, those that depend on others excepted."""
        leaving = {self.n + row for row in wanted.rows.tolist()}
        entering = set(wanted.columns.tolist())
        while True:
            at = [s for s, k in enumerate(self.nonbasic) if k in entering]
            rows = [i for i, p in enumerate(self.basic) if p in leaving]
            able = [i for i in rows if any(self.rows[i][s] for s in at)]
            if not able:
                return
            i = min(able, key=lambda i: sum(map(len, self.rows[i])))
            s = min((s for s in at if self.rows[i][s]), key=lambda s: len(self.rows[i][s]))
            leaving.remove(self.basic[i])
            entering.remove(self.nonbasic[s])
            self.pivot(i, s)

    def pivot(self, r: int, s: int) -> None:
        """Exchange the basic variable of row r and the nonbasic one of column s."""
        own = self.rows[r]
        size, own[s] = own[s], self.scales[r]
        if self.ring.sign(size) < 0:
            size, own = -size, [-entry for entry in own]
            self.rows[r] = own
        self.scales[r] = size
        for i, row in enumerate(self.rows):
            factor = row[s]
            if i != r and factor:
                common = self.ring.divisor((size, factor))
                up, by = size // common, factor // common
                row[s] = self.ring.zero
                self.rows[i] = [
                    up * e - by * o if o else up * e for e, o in zip(row, own, strict=True)
                ]
                self.scales[i] *= up
                self._reduce(i)
        self.basic[r], self.nonbasic[s] = self.nonbasic[s], self.basic[r]
        self.pivots += 1
        if self.work > MOST_WORK:
            raise self._given_up("the numbers became too long")

    def _reduce(self, i: int) -> None:
        """Take the common divisor out of a row."""
        *self.rows[i], self.scales[i] = self.ring.reduced([*self.rows[i], self.scales[i]])
        self.work += sum(map(len, self.rows[i]))

    def run(self) -> Outcome:
        """Both phases, by Bland's rule."""
        for _ in range(MOST_PIVOTS):
            beyond = [(p, i) for i, p in enumerate(self.basic) if self._beyond(i)]
            if not beyond:
                return self._uphill()
            _, i = min(beyond)
            direction = self.ring.sign(self.rows[i][-1])
            able = [
                (k, s)
                for s, k in enumerate(self.nonbasic)
                if self.directions[k]
                and self.ring.sign(self.rows[i][s]) * self.directions[k] * direction > 0
            ]
            if not able:
                return self._infeasible(i, -direction)
            self.pivot(i, min(able)[1])
        raise self._given_up("it did not end")

    def _beyond(self, i: int) -> bool:
        """Whether the value of a row's variable is not allowed."""
        direction = self.directions[self.basic[i]]
        if not direction:
            return bool(self.rows[i][-1])
        return self.ring.sign(self.rows[i][-1]) * direction < 0

    def _uphill(self) -> Optimal | Unbounded:
        """From a feasible basis to the best one."""
        for _ in range(MOST_PIVOTS):
            gaining = [
                (k, s)
                for s, k in enumerate(self.nonbasic)
                if self.ring.sign(self.rows[-1][s]) * self.directions[k] < 0
            ]
            if not gaining:
                return self._optimal()
            k, s = min(gaining)
            leaving: tuple[Poly, Poly, int, int] | None = None
            for i, p in enumerate(self.basic):
                alpha = self.rows[i][s]
                turned = self.ring.sign(alpha) * self.directions[k]
                if not turned or self.directions[p] * turned < 0:
                    continue
                # the step is value / alpha in absolute value
                found = (self._size(self.rows[i][-1]), self._size(alpha), p, i)
                if leaving is None or self._is_shorter(found, leaving):
                    leaving = found
            if leaving is None:
                return self._unbounded(s)
            self.pivot(leaving[3], s)
        raise self._given_up("it did not end")

    def _proves(self) -> Iterator[Poly]:
        """What proves that the point of the basis is allowed."""
        yield from self.scales
        values = zip(self.basic, self.rows, strict=False)
        yield from (row[-1] for p, row in values if self.directions[p])

    def _size(self, poly: Poly) -> Poly:
        return -poly if self.ring.sign(poly) < 0 else poly

    def _is_shorter(self, one: Sequence[Any], other: Sequence[Any]) -> bool:
        """Whether a step is shorter than another one, or as long and of an earlier variable."""
        sign = self.ring.sign(one[0] * other[1] - other[0] * one[1])
        return sign < 0 or (sign == 0 and one[2] < other[2])

    def _point(self) -> Vector:
        columns = zip(self.basic, self.rows, self.scales, strict=False)
        listed = sorted((p, row[-1], scale) for p, row, scale in columns if p < self.n)
        return Vector(self.ring.numbers(listed))

    def _optimal(self) -> Optimal:
        gains = zip(self.nonbasic, self.rows[-1], strict=False)
        self.ring.keep([*self._proves(), *(g for k, g in gains if self.directions[k])])
        point, scale = self._point(), self.scales[-1]
        gains = zip(self.nonbasic, self.rows[-1], strict=False)
        listed = sorted((k - self.n, gain, scale) for k, gain in gains if k >= self.n)
        found = self.ring.numbers(listed)
        *factors, last = self.program.scales
        multipliers = {i: y * factors[i] / last for i, y in found.items()}
        value = self.ring.number(self.rows[-1][-1], scale) / last
        return Optimal(point, value, Vector(multipliers), self._basis())

    def _basis(self) -> Basis:
        columns = sorted(p for p in self.basic if p < self.n)
        rows = sorted(k - self.n for k in self.nonbasic if k >= self.n)
        return Basis(np.array(columns, dtype=np.int64), np.array(rows, dtype=np.int64))

    def _infeasible(self, i: int, sign: int) -> Infeasible:
        """The proof that the variable of a row cannot be moved back to its bound."""
        listed = [(k, poly) for k, poly in zip(self.nonbasic, self.rows[i], strict=False) if poly]
        listed.append((self.basic[i], self.scales[i]))
        self.ring.keep([self.rows[i][-1], *(poly for k, poly in listed if self.directions[k])])
        slacks = sorted((k - self.n, sign * poly) for k, poly in listed if k >= self.n)
        found = ((at, self.ring.number(poly, self.ring.one)) for at, poly in slacks)
        return Infeasible(Vector({at: y * self.program.scales[at] for at, y in found}))

    def _unbounded(self, s: int) -> Unbounded:
        sign = -self.directions[self.nonbasic[s]]
        self.ring.keep([*self._proves(), *(row[s] for row in self.rows)])
        scaled = zip(self.basic, self.rows, self.scales, strict=False)
        ray = self.ring.numbers((p, sign * row[s], scale) for p, row, scale in scaled if p < self.n)
        if self.nonbasic[s] < self.n:
            ray[self.nonbasic[s]] = Fraction(1)
        return Unbounded(self._point(), Vector(ray))

    def _given_up(self, why: str) -> LimitReached:
        said = f"{self.pivots} exact pivots, to the basis of floats and from there, and {why}"
        return undecided(len(self.program.senses), self.n, said)


class FieldCorner:
    """A basis of a program with its exact point and multipliers, as `simplex.Corner` has them.

    columns, rows, objective  the program
    basis                     which has to be regular
    """

    def __init__(
        self, columns: int, rows: Sequence[Row], objective: Mapping[int, Fraction], basis: Basis
    ) -> None:
        self.basis = basis
        at = Simplex(Program(columns, rows, objective), basis)
        ring, factors = at.ring, at.program.scales
        ring.keep(at.scales)
        values = zip(at.basic, at.rows, at.scales, strict=False)
        found = ring.numbers((p, row[-1], scale) for p, row, scale in values)
        gains = zip(at.nonbasic, at.rows[-1], strict=False)
        prices = ring.numbers((k, gain, at.scales[-1]) for k, gain in gains)
        slacks = [found.get(columns + i, ZERO) / factor for i, factor in enumerate(factors[:-1])]
        self.primal = Primal([found.get(k, ZERO) for k in basis.columns.tolist()], slacks, 1)
        multipliers = [prices.get(columns + i, ZERO) * f for i, f in enumerate(factors[:-1])]
        self.dual = Dual(
            [multipliers[row] / factors[-1] for row in basis.rows.tolist()],
            [-prices.get(k, ZERO) / factors[-1] for k in range(columns)],
            1,
        )


def undecided(rows: int, columns: int, why: str) -> LimitReached:
    """What is said of a program of so many `rows` and `columns` that is too much, and `why`."""
    said = f"a linear program of {rows} rows and {columns} columns with powers of e"
    return LimitReached(f"the probabilities are irrational: {said}: {why}")

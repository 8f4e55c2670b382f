"""Exact pivots where the numbers of a program are made of powers of e.

All exponents of a program are multiples of one rational u, so that its rows, times what is
positive, have polynomials of t = e^u with integer coefficients. Such a polynomial is 0 just where
it has no term (F. Lindemann 1882; K. Weierstraß 1885), and else enclosures of growing precision
find its sign. So every sign and every equation of a basis is decided, and the pivots of
`simplex` work as they do over the rationals.

By hand: maximise x subject to (1 + e)·x <= e starts at the slack e; x enters, the slack leaves,
and the basis x = e/(1 + e) with the multiplier 1/(1 + e) is optimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import flint
import numpy as np

from verifier.base import exponential
from verifier.base.errors import LimitReached
from verifier.base.exact import number
from verifier.base.exponential import Sum
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

Poly = Any  # of t, as FLINT holds it
ZERO = Fraction(0)
SHORT = 200  # terms of a common denominator
DEGREE = 10_000  # of polynomials whose greatest common divisor is looked for
MOST_PIVOTS = 400  # after those that a proposed basis needs
MOST_ENTRIES = 60_000  # of a tableau
MOST_WORK = 3 * 10**7  # terms of entries that pivots have made


class Ring:
    """The polynomials of t = e^unit for what all `exponents` are multiples of."""

    def __init__(self, exponents: Iterable[Fraction]) -> None:
        different = set(exponents) - {Fraction(0)}
        bottom = lcm(1, *(q.denominator for q in different))
        top = gcd(*(q.numerator * (bottom // q.denominator) for q in different))
        self.unit = Fraction(top or 1, bottom)
        self.context = flint.fmpz_mpoly_ctx.get(("t",), "lex")
        self.zero, self.one = self.context.constant(0), self.context.constant(1)

    def poly(self, sum_: Sum, least: Fraction) -> Poly:
        """A sum times e^-least."""
        terms: dict[tuple[int, ...], Any] = {}
        for k, c in sum_.terms:
            power = (Fraction(k, sum_.unit) - least) / self.unit
            terms[(power.numerator,)] = c
        return self.context.from_dict(terms)

    def sum_of(self, poly: Poly) -> Sum:
        """The value of a polynomial."""
        p, q = self.unit.numerator, self.unit.denominator
        return Sum.of(q, {int(k) * p: int(c) for (k,), c in poly.to_dict().items()})

    def sign(self, poly: Poly) -> int:
        """-1, 0 or 1: that of the value of a polynomial."""
        return self.sum_of(poly).sign() if poly else 0

    def divisor(self, polys: Iterable[Poly]) -> Poly:
        """A common divisor of polynomials that are not all 0, with a positive value."""
        found = self.zero
        for poly in polys:
            if poly:
                found = self._common(found, poly) if found else poly
                if found.is_one():
                    break
        return -found if self.sign(found) < 0 else found

    def _common(self, one: Poly, other: Poly) -> Poly:
        """The greatest common divisor; of long polynomials one that is easily found."""
        if max(one.degrees()[0], other.degrees()[0]) <= DEGREE:
            return one.gcd(other)
        if one in (other, -other):
            return one
        terms = [*one.to_dict().items(), *other.to_dict().items()]
        least = min(int(k) for (k,), _ in terms)
        return self.context.from_dict({(least,): gcd(*(int(c) for _, c in terms))})

    def number(self, top: Poly, bottom: Poly) -> Fraction:
        """The quotient of two values."""
        return exponential.quotient(self.sum_of(top)) / exponential.quotient(self.sum_of(bottom))

    def numbers(self, entries: Iterable[tuple[int, Poly, Poly]]) -> dict[int, Fraction]:
        """By place the quotients of two values other than 0, given by a place, top and bottom.

        Sums are in lowest terms, and quotients over one denominator where it is short: that saves
        whoever adds them up much work.
        """
        lowest = []
        for at, top, bottom in entries:
            if top:
                common = self.divisor((top, bottom))
                lowest.append((at, top // common, bottom // common))
        unit = self.one
        for _, _, bottom in lowest:
            if len(bottom) > 1 and len(unit) <= SHORT:
                unit *= bottom // self.divisor((unit, bottom))
        if len(unit) > SHORT:
            return {at: self.number(top, bottom) for at, top, bottom in lowest}
        return {
            at: self.number(top, bottom)
            if len(bottom) == 1
            else self.number(top * (unit // bottom), unit)
            for at, top, bottom in lowest
        }


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
        whole = [exponential.shared(list(map(number, values))) for values in listed]
        sums = [sum_ for unit, found in whole for sum_ in (unit, *found)]
        self.ring = Ring(Fraction(k, s.unit) for s in sums for k, _ in s.terms)
        places: list[list[int]] = [[*row.terms, columns] for row in rows]
        places.append(list(objective))
        self.rows = list[list[Poly]]()
        self.scales = list[Fraction]()
        for at, (unit, found) in zip(places, whole, strict=True):
            least = min((Fraction(s.terms[0][0], s.unit) for s in found if s.terms), default=0)
            entries = [self.ring.zero] * (columns + 1)
            for place, sum_ in zip(at, found, strict=True):
                entries[place] = self.ring.poly(sum_, Fraction(least))
            self.rows.append(entries)
            self.scales.append(exponential.quotient(unit) * exponential.power(-Fraction(least)))


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
        common = self.ring.divisor([self.scales[i], *self.rows[i]])
        if not common.is_one():
            self.rows[i] = [entry // common if entry else entry for entry in self.rows[i]]
            self.scales[i] //= common
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
        slacks = sorted((k - self.n, sign * poly) for k, poly in listed if k >= self.n)
        found = ((at, exponential.quotient(self.ring.sum_of(poly))) for at, poly in slacks)
        return Infeasible(Vector({at: y * self.program.scales[at] for at, y in found}))

    def _unbounded(self, s: int) -> Unbounded:
        sign = -self.directions[self.nonbasic[s]]
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

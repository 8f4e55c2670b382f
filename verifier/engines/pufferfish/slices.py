"""Pufferfish on a cone of priors, for one pair of secrets and one event: slices of constant odds.

A point x of the cone enters through (A, B, C, D) = (P(s, E), P(s), P(t, E), P(t)), linear in x.
Scale it so that B + D = 1 and call p = B its share. The condition A·D <= α·C·B is then

    max (1 − p) A(x) − α p C(x)  <=  0   over the points with B(x) = p and D(x) = 1 − p,

a linear program for each p. A basis has a point and multipliers (λ, μ, ν), of the rows, of B and
of D, that are linear in p. Where the multipliers have the right signs they prove the bound
μ p + ν (1 − p), where the point is one of the cone as well it attains it. So [0, 1] is covered by
intervals of p with a bound that is nowhere positive; or a basis violates the condition, and the
smallest level of its points, which form a segment, is known exactly.

Example. x = (x_0, x_1) >= 0, A = 3/4 x_0, B = x_0, C = 1/4 x_1, D = x_1. The slice of share p is
one point, with the value p (1 − p) (3 − α) / 4. Its multipliers μ = 3/4 (1 − p) and ν = −α p / 4
are linear in p, and for α = 3 the bound μ p + ν (1 − p) is nowhere positive: one piece covers [0,
1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, gcd

from verifier.kernels import segments
from verifier.kernels.cones import Cone
from verifier.kernels.segments import (
    ONE,
    ZERO,
    Cell,
    Edge,
    Multipliers,
    Piece,
    Point,
    inside,
    joined,
    span,
)
from verifier.lp.exact.simplex import Corner, vector
from verifier.lp.model.program import Optimal, Program, Standard, Vector
from verifier.lp.solve import Solver


class Slices:
    """The slices of a cone for one pair of secrets, in both orders; the solver stays hot.

    b, d   integers for every coordinate: P(s), P(t) times `unit`; both secrets are possible
    """

    def __init__(self, cone: Cone, b: Sequence[int], d: Sequence[int], unit: int) -> None:
        self.cone, self.b, self.d, self.unit = cone, b, d, unit

    @cached_property
    def program(self) -> Program:
        """The rows of the cone, then B(x) and D(x)."""
        return self.cone.program(self.b, self.d)

    @cached_property
    def solver(self) -> Solver:
        return Solver(self.program)

    @cached_property
    def shares(self) -> list[tuple[Fraction, Multipliers]]:
        """The smallest and the largest share of the first secret, each with multipliers for which
        λ G + μ B + ν D >= 0, and μ p + ν (1 − p) is 0 there and negative beyond."""
        solver = Solver(self.cone.program([b + d for b, d in zip(self.b, self.d, strict=True)]))
        right = [0] * len(self.cone.rows) + [1]
        found = []
        for sign in (-1, 1):
            outcome = solver.maximise([sign * b for b in self.b], right)
            assert isinstance(outcome, Optimal)  # some secret is possible, and 0 <= p <= 1
            *rows, total = outcome.multipliers.dense(len(right))
            ray = [*(y / self.unit for y in rows), total - sign, total]
            found.append((sign * outcome.value, ray))
        return found

    def range(self, cell: Cell) -> list[tuple[Fraction, Multipliers]]:
        """The shares of the cell's s, likewise."""
        if not cell.turned:
            return self.shares
        return [(1 - share, [*rows, nu, mu]) for share, (*rows, mu, nu) in reversed(self.shares)]

    def form(self, cell: Cell, alpha: Fraction, share: Fraction) -> Standard:
        """The program at a share of the cell's s and a level alpha, all times a positive
        integer."""
        here, there = share.numerator, share.denominator - share.numerator
        gain, loss = there * alpha.denominator, here * alpha.numerator
        costs = [gain * a - loss * c for a, c in zip(cell.a, cell.c, strict=True)]
        sides = [there, here] if cell.turned else [here, there]
        right = [0] * len(self.cone.rows) + sides
        return Standard(self.program.matrix, self.program.senses, right, costs)

    def optimum(self, cell: Cell, alpha: Fraction, share: Fraction) -> Optimal:
        """The largest (1 − p) A − α p C of a cell, α = `alpha`, at a share that the cone allows."""
        form = self.form(cell, alpha, share)
        outcome = self.solver.maximise(form.objective, form.right)
        assert isinstance(outcome, Optimal)  # A <= B and C <= D
        return outcome

    def piece(self, cell: Cell, alpha: Fraction, low: Fraction, high: Fraction) -> Piece | Edge:
        """A piece within [low, high], of positive length unless low = high, where the condition of
        a cell holds at alpha; or an edge that violates it."""
        for share in inside(low, high):
            basis = self.optimum(cell, alpha, share).basis
            first, last = (Corner(self.form(cell, alpha, end), basis) for end in (ZERO, ONE))
            start, end = span(self._of_cone(first), self._of_cone(last), low, high)
            points = tuple(_between(first, last, p) for p in (start, end))
            edge = Edge((points[0], points[1]), (cell.ends(points[0]), cell.ends(points[1])))
            if not segments.holds(*edge.ends, alpha):
                return edge
            # only where the signs of the multipliers are right too does the basis prove a bound
            start, end = span(self._signs(first), self._signs(last), start, end)
            if start < end or low == high:
                found = (
                    vector(basis.rows, c.dual.values, c.dual.denominator) for c in (first, last)
                )
                sides = [self._multipliers(cell, alpha.denominator, y) for y in found]
                at = (
                    [(1 - p) * x + p * y for x, y in zip(*sides, strict=True)] for p in (start, end)
                )
                return Piece(start, end, *at)
        raise AssertionError("shares are endless")

    def bound(self, cell: Cell, alpha: Fraction, share: Fraction) -> Multipliers:
        """Multipliers (λ, μ, ν) for a cell's A, B, C, D that prove the optimum for alpha at a
        share."""
        found = self.optimum(cell, alpha, share).multipliers
        return self._multipliers(cell, alpha.denominator * share.denominator, found)

    def _of_cone(self, corner: Corner) -> tuple[list[int], int]:
        """What is >= 0 where the point of a basis is in the cone and has the share."""
        slacks = list(zip(corner.primal.slacks, self.program.senses.tolist(), strict=True))
        opposite = [-slack for slack, sense in slacks if not sense]
        return [*corner.primal.values, *corner.primal.slacks, *opposite], corner.primal.denominator

    def _signs(self, corner: Corner) -> tuple[list[int], int]:
        """What is >= 0 where the multipliers of a basis prove a bound."""
        senses = self.program.senses[corner.basis.rows].tolist()
        of_rows = (y for y, sense in zip(corner.dual.values, senses, strict=True) if sense)
        return [*of_rows, *(-cost for cost in corner.dual.reduced)], corner.dual.denominator

    def _multipliers(self, cell: Cell, factor: int, found: Vector) -> Multipliers:
        """(λ, μ, ν) for A, B, C, D as they are, from those of a program times a factor."""
        unit = factor * cell.scale
        *rows, mu, nu = (y / unit for y in found.dense(len(self.cone.rows) + 2))
        return [*(y / self.unit for y in rows), *((nu, mu) if cell.turned else (mu, nu))]

    def explore(self, cell: Cell, alpha: Callable[[], Fraction]) -> Iterator[Piece | Edge]:
        """Pieces that cover all shares of the cone where a cell's condition holds at alpha. An edge
        where it fails comes before them, until alpha is another.

        A gap between pieces is often closed by the multipliers at its ends; else a basis inside
        makes it smaller, and there are finitely many bases.
        """
        (low, _), (high, _) = self.range(cell)
        ends = (self.bound(cell, alpha(), share) for share in (low, high))
        gaps = [Piece(low, high, *ends)]
        while gaps:
            gap = gaps.pop()
            if gap.holds():
                yield gap
                continue
            found = self.piece(cell, alpha(), gap.low, gap.high)
            yield found
            if isinstance(found, Edge):
                gaps.append(gap)
            else:
                before = Piece(gap.low, found.low, gap.at_low, found.at_low)
                after = Piece(found.high, gap.high, found.at_high, gap.at_high)
                gaps += [part for part in (before, after) if part.low < part.high]

    def tight(self, cell: Cell, alpha: Fraction) -> Iterator[Fraction]:
        """The shares of a cell, but 0 and 1, among which are those where a point may have the ratio
        alpha, the smallest level: one of each interval of them, and all others."""
        most, least = cell.extremes()
        if most >= alpha * least:
            for piece in self.explore(cell, lambda: alpha):
                assert isinstance(piece, Piece)
                yield from (share for share in piece.tight() if 0 < share < 1)

    def worst_at(self, cell: Cell, share: Fraction) -> Point | None:
        """A point of a share with the largest ratio of a cell, if one is above 1; all are
        finite."""
        alpha, worst = ONE, None
        while True:
            point = self.optimum(cell, alpha, share).point.numerators
            ends = cell.ends(point)
            if segments.holds(ends, ends, alpha):
                return worst
            worst, (n, d) = point, segments.form(ends, ends)
            alpha = Fraction(n, d)

    def simple_bound(self, most: Fraction, least: Fraction) -> Piece:
        """The proof where A <= most · B and α C >= least · D everywhere, most <= least."""
        rows = [ZERO] * len(self.cone.rows)
        return Piece(ZERO, ONE, [*rows, most, ZERO], [*rows, ZERO, -least])

    def bounded(self, cell: Cell, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces of a cell, which cover all shares of the cone, in order, and beyond them what
        proves that it has no others: multiples of the multipliers of the smallest and largest
        share."""
        found = sorted(pieces, key=lambda piece: piece.low)
        (low, below), (high, above) = self.range(cell)
        rows = [ZERO] * len(self.cone.rows)
        first, last = found[0].at_low, found[-1].at_high
        found = joined([piece for piece in found if piece.low < piece.high])
        if low > 0:
            times = max(0, ceil((low + first[-1]) / -below[-1]))
            found.insert(0, Piece(ZERO, low, [*rows, ONE, ZERO], _plus(first, times, below)))
        if high < 1:
            times = max(0, ceil(last[-2] / -above[-2]))
            found.append(Piece(high, ONE, _plus(last, times, above), [*rows, ZERO, ZERO]))
        return found


def _plus(first: Multipliers, times: int, second: Multipliers) -> Multipliers:
    return [x + times * y for x, y in zip(first, second, strict=True)]


def _between(first: Corner, last: Corner, share: Fraction) -> Point:
    """The point of a basis at a share, from those at 0 and 1."""
    here = share.numerator * first.primal.denominator
    there = (share.denominator - share.numerator) * last.primal.denominator
    values = zip(first.primal.values, last.primal.values, strict=True)
    mixed = [there * x + here * y for x, y in values]
    common = gcd(*mixed)
    columns = first.basis.columns.tolist()
    return {at: x // common for at, x in zip(columns, mixed, strict=True) if x}

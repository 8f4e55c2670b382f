"""Pufferfish on a cone of priors, for one pair of secrets and one event: slices, and segments.

A point x of the cone enters through (A, B, C, D) = (P(s, E), P(s), P(t, E), P(t)), linear in x.
Scale it so that B + D = 1 and call p = B its share. The condition A·D <= α·C·B is then

    max (1 − p) A(x) − α p C(x)  <=  0   over the points with B(x) = p and D(x) = 1 − p,

a linear program for each p. A basis has a point and multipliers (λ, μ, ν), of the rows, of B and
of D, that are linear in p. Where the multipliers have the right signs they prove the bound
μ p + ν (1 − p), where the point is one of the cone as well it attains it. So [0, 1] is covered by
intervals of p with a bound that is nowhere positive; or a basis violates the condition, and the
smallest level of its points, which form a segment, is known exactly:

Mixing priors adds them. (With δ, E is an event, and A is P(s, E) − δ P(s), which may be negative.)
The condition at a mixture u·x + v·y of two priors is a quadratic,

    F_x u² + 2 G u v + F_y v² <= 0,   F_x = n − α d of form(x, x), G likewise of form(x, y).

It holds for all u, v >= 0 iff F_x <= 0, F_y <= 0 and (G <= 0 or G² <= F_x F_y).

Two are enough. Scale mixtures of any number of priors so that B + D = 1; then (B, A, C) ranges
over a polytope whose corners are priors. Where B is fixed, A·D − α·C·B is linear, so it is
largest at a corner of that slice, on an edge of the polytope: at a mixture of two priors, with
the same B. Where it is positive or A > 0, the mixture has B > 0, and D > 0 likewise.

Example. x = (x_0, x_1) >= 0, A = 3/4 x_0, B = x_0, C = 1/4 x_1, D = x_1. The slice of share p is
one point, with the value p (1 − p) (3 − α) / 4. Its multipliers μ = 3/4 (1 − p) and ν = −α p / 4
are linear in p, and for α = 3 the bound μ p + ν (1 − p) is nowhere positive: one piece covers [0,
1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import isqrt
from typing import Any

from verifier.base import exact
from verifier.base.cell import NoFunction
from verifier.kernels.cones import SIGNS, Cone
from verifier.lp.exact.simplex import Corner, Dual, corners, vector
from verifier.lp.model.program import Basis, Optimal, Outcome, Program, Standard, Vector
from verifier.lp.solve import Solver

Ends = Sequence[Any]  # A, B, C, D
Weights = tuple[Any, Any]
ZERO, ONE = Fraction(0), Fraction(1)
Point = dict[int, Any]  # integers > 0 by coordinate, scaled as one likes; or numbers of any kind
Maximise = Callable[[Sequence[Any], Sequence[Any]], Outcome]
Multipliers = list[Fraction]  # one for each row, then μ and ν


@dataclass(frozen=True)
class Root:
    """The number 1 / (rational + √square) > 1, where the root is no such number as both are, which
    may be made of powers of e; equal numbers have equal fields."""

    rational: Fraction
    square: Fraction

    def bounds(self, bits: int) -> tuple[Fraction, Fraction]:
        """An enclosure, in multiples of 2^-bits, of relative width below 2^(2 - bits)."""
        if exact.is_symbolic(self.rational) or exact.is_symbolic(self.square):
            raise NoFunction
        unit = 1 << bits
        steps = isqrt(exact.floor(self.square / self.rational**2 * unit**2))
        low, high = (unit / (self.rational * (1 + Fraction(s, unit))) for s in (steps + 1, steps))
        ends = exact.floor(low), exact.floor(high) + 1
        return max(Fraction(1), Fraction(ends[0], unit)), Fraction(ends[1], unit)


Smallest = Fraction | Root | None  # None is infinite


def form(p: Ends, q: Ends) -> tuple[Any, Any]:
    """The coefficients (n, d) of u·v in A·D and C·B at u·p + v·q; at p = q twice those of u²."""
    return p[0] * q[3] + q[0] * p[3], p[2] * q[1] + q[2] * p[1]


def signed(p: Ends, q: Ends, alpha: Fraction) -> tuple[Any, Any, Any]:
    """F_p, F_q and G of the points `p` and `q` at `alpha`, times twice its denominator."""
    a, b = exact.ratio(alpha)
    forms = form(p, p), form(q, q), form(p, q)
    f_p, f_q, g = (n * b - d * a for n, d in forms)
    return f_p, f_q, g


def holds(p: Ends, q: Ends, alpha: Fraction) -> bool:
    """Whether the condition holds at alpha for all mixtures of p and q."""
    f_p, f_q, g = signed(p, q, alpha)
    return bool(f_p <= 0 and f_q <= 0 and (g <= 0 or g * g <= f_p * f_q))


def smallest(p: Ends, q: Ends) -> Smallest:
    """The smallest alpha >= 1 at which the condition holds for all mixtures of p and q.

    If not already where the given priors hold, it is the smaller root of G² − F_p F_q =
    y α² − 2 e α + x, that is x / (e + √(e² − x y)); y is a square, so the parabola opens upwards.

    >>> smallest((81, 90, 9, 10), (1, 10, 9, 90))
    Fraction(49, 9)
    """
    (n_p, d_p), (n_q, d_q), (n, d) = form(p, p), form(q, q), form(p, q)
    if n_p > 0 == d_p or n_q > 0 == d_q or n > 0 == d:
        return None
    given = max([Fraction(1), *(exact.over(a, b) for a, b in ((n_p, d_p), (n_q, d_q)) if b)])
    if holds(p, q, given):
        return given
    x, y = n * n - n_p * n_q, d * d - d_p * d_q
    e = exact.over(2 * n * d - n_p * d_q - n_q * d_p, 2 * x)
    square = e * e - exact.over(y, x)
    root = exact.root(square)
    return Root(e, square) if root is None else 1 / (e + root)


def bounds(level: Fraction | Root, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around a `level`, equal to it where it is rational, else as near as `bits` say."""
    return level.bounds(bits) if isinstance(level, Root) else (level, level)


def attaining(p: Ends, q: Ends, alpha: Fraction | None) -> Weights | None:
    """Weights of a mixture of both with the ratio alpha (None: infinite), which is the smallest
    level of all mixtures; None where no such mixture has it. For p = q, the prior itself."""
    n, d = form(p, q)
    if alpha is None:
        (n_p, d_p), (n_q, d_q) = form(p, p), form(q, q)
        if not n > 0 == d == d_p == d_q:
            return None
        return (1, 1) if n_p + 2 * n + n_q > 0 else exceeding(p, q, Fraction(1))
    f_p, f_q, g = signed(p, q, alpha)
    if f_p == f_q == g == 0 < d:
        return 1, 1
    return (g, -f_p) if g > 0 and g * g == f_p * f_q else None


def exceeding(p: Ends, q: Ends, alpha: Fraction) -> Weights:
    """Small weights of a mixture of `p` and `q` whose ratio is above `alpha`, where the condition
    fails."""
    f_p, f_q, g = signed(p, q, alpha)
    if f_p > 0 or f_q > 0:
        return (1, 0) if f_p > 0 else (0, 1)
    if f_p == 0:
        return exact.floor(exact.over(-f_q, 2 * g)) + 1, 1
    best = exact.over(g, g - f_p)  # the share of p where F_p u² + 2 G u v + F_q v² is largest
    if exact.is_symbolic(best):
        return best, 1 - best
    size = 1
    while True:
        share = _near(best, size).limit_denominator(size)
        u, v = share.numerator, share.denominator - share.numerator
        if f_p * u * u + 2 * g * u * v + f_q * v * v > 0:
            return u, v
        size *= 2


def _near(value: Fraction, size: int) -> Fraction:
    """A number, or a rational one that is nearer than others of so small a denominator."""
    return exact.near(value, 64 + 2 * size.bit_length())


@dataclass(frozen=True, eq=False)
class Cell:
    """One ordered pair of secrets (s, t) and one event E: an integer for every coordinate, or a
    number with powers of e.

    b, d    P(s), P(t) times a unit
    a, c    P(s, E) − δ P(s) and P(t, E), times the same unit and `scale`
    turned  whether s is the second secret of the slices
    """

    pair: tuple[str, str]
    outputs: tuple[int, ...]
    a: Sequence[Any]
    b: Sequence[Any]
    c: Sequence[Any]
    d: Sequence[Any]
    scale: Any
    turned: bool = False

    def ends(self, point: Point) -> Ends:
        """(A, B, C, D) of a point, up to factors that change no ratio."""
        parts = point.items()
        a, b, c, d = (sum(x * row[k] for k, x in parts) for row in (self.a, self.b, self.c, self.d))
        return a, b, c, d

    def extremes(self) -> tuple[Fraction, Fraction]:
        """The largest A/B and the smallest C/D of a coordinate."""
        most = max(exact.over(a, b) for a, b in zip(self.a, self.b, strict=True) if b)
        least = min(exact.over(c, d) for c, d in zip(self.c, self.d, strict=True) if d)
        return most / self.scale, least / self.scale


@dataclass(frozen=True, eq=False)
class Edge:
    """Two points of the cone with their (A, B, C, D); they may be the same point."""

    points: tuple[Point, Point]
    ends: tuple[Ends, Ends]

    def towards_limit(self) -> Sequence[Point]:
        """The points; one without a ratio of its own, which mixtures approach, first."""
        alone = form(self.ends[0], self.ends[0])
        return self.points if alone == (0, 0) else self.points[::-1]

    def mixed(self, weights: tuple[Any, Any]) -> Point:
        """The mixture of the two points with these `weights`."""
        found: Point = {}
        for point, weight in zip(self.points, weights, strict=True):
            for at, x in point.items():
                found[at] = found.get(at, 0) + weight * x
        return {at: x for at, x in found.items() if x}


@dataclass(frozen=True, eq=False)
class Piece:
    """An interval of p, with multipliers at both ends; linear in between."""

    low: Fraction
    high: Fraction
    at_low: Multipliers
    at_high: Multipliers

    @cached_property
    def form(self) -> tuple[Any, Any, Any]:
        """The bound μ p + ν (1 − p) as f u² + 2 h u v + g v², f, g, h: u, v >= 0 are the weights of
        the ends."""
        sides = ((self.low, self.at_low), (self.high, self.at_high))
        (first, last), _ = scaled(*([mu, 1 - p, -nu, p] for p, (*_, mu, nu) in sides))
        return signed(first, last, ONE)  # A·D − C·B of (μ, 1 − p, −ν, p)

    def holds(self) -> bool:
        """Whether the bound is nowhere positive, and somewhere negative."""
        f, g, h = self.form
        return (f, g, h) != (0, 0, 0) and f <= 0 and g <= 0 and (h <= 0 or h * h <= f * g)

    def tight(self) -> list[Fraction]:
        """The shares where the bound is 0 (one of those inside where it is 0 everywhere)."""
        f, g, h = self.form
        found = [p for p, value in ((self.low, f), (self.high, g)) if not value]
        if f == g == h == 0:
            found.append((self.low + self.high) / 2)
        elif h > 0 and h * h == f * g:
            found.append(self.low + (self.high - self.low) * exact.over(-f, h - f))
        return found

    def statement(self) -> list[Fraction | Multipliers]:
        """The piece as it stands in a certificate."""
        return [self.low, self.high, self.at_low, self.at_high]


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Fewer pieces, where the multipliers at the ends of several are enough; with a parameter each
    try would be a comparison that has to be the same for all of its values."""
    if any(exact.is_symbolic(piece.low) or exact.is_symbolic(piece.high) for piece in pieces):
        return list(pieces)
    found: list[Piece] = []
    for piece in pieces:
        while found:
            wider = Piece(found[-1].low, piece.high, found[-1].at_low, piece.at_high)
            if not wider.holds():
                break
            found.pop()
            piece = wider
        found.append(piece)
    return found


def scaled(*rows: Sequence[Fraction]) -> tuple[list[list[Any]], Any]:
    """Rows of numbers times their common denominator, and that: integers, unless one has powers of
    e."""
    values = [x for row in rows for x in row]
    common, found = exact.cleared(values)
    parts = iter(found)
    return [[next(parts) for _ in row] for row in rows], common


def span(
    first: tuple[list[Any], int], last: tuple[list[Any], int], low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction]:
    """The part of [low, high] where (1 − p)·first + p·last >= 0, integers over a denominator."""
    (xs, unit), (ys, other) = first, last
    for x, y in zip(xs, ys, strict=True):
        if x < 0 or y < 0:
            root = exact.over(x * other, x * other - y * unit)
            low, high = (max(low, root), high) if x < 0 else (low, min(high, root))
    return low, high


def inside(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Different simple numbers between low and high, the first near the middle; or low = high. Of
    functions of a parameter, different mixtures of both."""
    if low == high:
        yield low
    if exact.is_symbolic(low) or exact.is_symbolic(high):
        yield from (low + (high - low) * share for share in inside(ZERO, ONE))
    size = 1
    while exact.is_irrational(low) or exact.is_irrational(high):
        size *= 2
        within = [exact.near(low + (high - low) / parts, size) for parts in (4, Fraction(4, 3))]
        if low < within[0] < within[1] < high:
            low, high = within
    for parts in count(2):
        middle, radius = low + (high - low) / parts, (high - low) / (2 * parts * parts)
        yield simplest_between(middle - radius, middle + radius)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational with the smallest denominator in the open interval, 0 <= low < high.

    >>> simplest_between(Fraction(3, 8), Fraction(5, 8))
    Fraction(1, 2)
    """
    whole = low.numerator // low.denominator
    if whole + 1 < high:
        return Fraction(whole + 1)
    if low == whole:
        return whole + Fraction(1, int(1 / (high - whole)) + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))


class Slices:
    """The slices of a cone for one pair of secrets, in both orders; the solver stays hot.

    b, d   integers for every coordinate: P(s), P(t) times `unit`; both secrets are possible
    """

    def __init__(self, cone: Cone, b: Sequence[int], d: Sequence[int], unit: int) -> None:
        self.cone, self.b, self.d, self.unit = cone, b, d, unit

    @cached_property
    def senses(self) -> list[int]:
        """Of the rows of the cone, then of B(x) and D(x)."""
        return [SIGNS[row.sense] for row in self.cone.rows] + [0, 0]

    @cached_property
    def program(self) -> Program:
        """The rows of the cone, then B(x) and D(x)."""
        return self.cone.program(self.b, self.d)

    @cached_property
    def maximise(self) -> Maximise:
        """The best point of the slices for an objective and right sides."""
        return self.maximiser(self.b, self.d)

    def maximiser(self, *equations: Sequence[Any]) -> Maximise:
        """What maximises over the points of the cone that satisfy equations of these left sides."""
        return Solver(self.cone.program(*equations)).maximise

    @cached_property
    def shares(self) -> list[tuple[Fraction, Multipliers]]:
        """The smallest and the largest share of the first secret, each with multipliers for which
        λ G + μ B + ν D >= 0, and μ p + ν (1 − p) is 0 there and negative beyond."""
        maximise = self.maximiser([b + d for b, d in zip(self.b, self.d, strict=True)])
        right = [0] * len(self.cone.rows) + [1]
        found = []
        for sign in (-1, 1):
            outcome = maximise([sign * b for b in self.b], right)
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

    def sides(self, cell: Cell, alpha: Fraction, share: Fraction) -> tuple[list[Any], list[Any]]:
        """Objective and right sides of the program at a share of the cell's s and a level alpha,
        all times a positive integer."""
        (here, whole), (high, low) = exact.ratio(share), exact.ratio(alpha)
        there = whole - here
        gain, loss = there * low, here * high
        costs = [gain * a - loss * c for a, c in zip(cell.a, cell.c, strict=True)]
        sides = [there, here] if cell.turned else [here, there]
        return costs, [0] * len(self.cone.rows) + sides

    def corners(self, cell: Cell, alpha: Fraction, basis: Basis) -> list[Corner]:
        """The corners of a basis at the shares 0 and 1."""
        both = [self.sides(cell, alpha, end) for end in (ZERO, ONE)]
        matrix, senses = self.program.matrix, self.program.senses
        return corners([Standard(matrix, senses, right, costs) for costs, right in both], basis)

    def optimum(self, cell: Cell, alpha: Fraction, share: Fraction) -> Optimal:
        """The largest (1 − p) A − α p C of a cell, α = `alpha`, at a share that the cone allows."""
        outcome = self.maximise(*self.sides(cell, alpha, share))
        assert isinstance(outcome, Optimal)  # A <= B and C <= D
        return outcome

    def piece(self, cell: Cell, alpha: Fraction, low: Fraction, high: Fraction) -> Piece | Edge:
        """A piece within [low, high], of positive length unless low = high, where the condition of
        a cell holds at alpha; or an edge that violates it."""
        for share in inside(low, high):
            basis = self.optimum(cell, alpha, share).basis
            first, last = self.corners(cell, alpha, basis)
            start, end = span(self._of_cone(first), self._of_cone(last), low, high)
            points = tuple(_between(first, last, p) for p in (start, end))
            edge = Edge((points[0], points[1]), (cell.ends(points[0]), cell.ends(points[1])))
            if not holds(*edge.ends, alpha):
                return edge
            # only where the signs of the multipliers are right too does the basis prove a bound
            duals = first.dual, last.dual
            signs = [self._signs(basis, dual) for dual in duals]
            start, end = span(signs[0], signs[1], start, end)
            if start < end or low == high:
                found = [vector(basis.rows, dual.values, dual.denominator) for dual in duals]
                sides = [self._multipliers(cell, exact.ratio(alpha)[1], y) for y in found]
                at = (
                    [(1 - p) * x + p * y for x, y in zip(*sides, strict=True)] for p in (start, end)
                )
                return Piece(start, end, *at)
        raise AssertionError("shares are endless")

    def bound(self, cell: Cell, alpha: Fraction, share: Fraction) -> Multipliers:
        """Multipliers (λ, μ, ν) for a cell's A, B, C, D that prove the optimum for alpha at a
        share."""
        found = self.optimum(cell, alpha, share).multipliers
        return self._multipliers(cell, exact.ratio(alpha)[1] * exact.ratio(share)[1], found)

    def _of_cone(self, corner: Corner) -> tuple[list[int], int]:
        """What is >= 0 where the point of a basis is in the cone and has the share."""
        slacks = list(zip(corner.primal.slacks, self.senses, strict=True))
        opposite = [-slack for slack, sense in slacks if not sense]
        return [*corner.primal.values, *corner.primal.slacks, *opposite], corner.primal.denominator

    def _signs(self, basis: Basis, dual: Dual) -> tuple[list[int], int]:
        """What is >= 0 where the multipliers of a basis prove a bound."""
        senses = [self.senses[row] for row in basis.rows.tolist()]
        of_rows = (y for y, sense in zip(dual.values, senses, strict=True) if sense)
        return [*of_rows, *(-cost for cost in dual.reduced)], dual.denominator

    def _multipliers(self, cell: Cell, factor: int, found: Vector) -> Multipliers:
        """(λ, μ, ν) for A, B, C, D as they are, from those of a program times a factor."""
        unit = found.denominator * factor * cell.scale
        *rows, mu, nu = (found.numerators.get(at, 0) for at in range(len(self.cone.rows) + 2))
        of_rows = [exact.over(y, unit * self.unit) for y in rows]
        return [*of_rows, *(exact.over(y, unit) for y in ((nu, mu) if cell.turned else (mu, nu)))]

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
            if holds(ends, ends, alpha):
                return worst
            worst, (n, d) = point, form(ends, ends)
            alpha = exact.over(n, d)

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
            times = max(0, -exact.floor((low + first[-1]) / below[-1]))
            found.insert(0, Piece(ZERO, low, [*rows, ONE, ZERO], _plus(first, times, below)))
        if high < 1:
            times = max(0, -exact.floor(last[-2] / above[-2]))
            found.append(Piece(high, ONE, _plus(last, times, above), [*rows, ZERO, ZERO]))
        return found


def _plus(first: Multipliers, times: int, second: Multipliers) -> Multipliers:
    return [x + times * y for x, y in zip(first, second, strict=True)]


def _between(first: Corner, last: Corner, share: Fraction) -> Point:
    """The point of a basis at a share, from those at 0 and 1."""
    part, whole = exact.ratio(share)
    here, there = part * first.primal.denominator, (whole - part) * last.primal.denominator
    values = zip(first.primal.values, last.primal.values, strict=True)
    mixed = [there * x + here * y for x, y in values]
    columns = first.basis.columns.tolist()
    return {at: x for at, x in zip(columns, exact.coprime(mixed), strict=True) if x}

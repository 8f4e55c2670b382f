"""What proves the condition for a range of shares p, and what refutes it: intervals and segments.

See verifier.engines.pufferfish.slices for the mathematics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import lcm

from verifier.kernels import segments
from verifier.kernels.segments import Ends

ZERO, ONE = Fraction(0), Fraction(1)
Point = dict[int, int]  # integers > 0 by coordinate, scaled as one likes
Multipliers = list[Fraction]  # one for each row, then μ and ν


@dataclass(frozen=True, eq=False)
class Cell:
    """One ordered pair of secrets (s, t) and one event E: an integer for every coordinate.

    b, d    P(s), P(t) times a unit
    a, c    P(s, E) − δ P(s) and P(t, E), times the same unit and `scale`
    turned  whether s is the second secret of the slices
    """

    pair: tuple[str, str]
    outputs: tuple[int, ...]
    a: Sequence[int]
    b: Sequence[int]
    c: Sequence[int]
    d: Sequence[int]
    scale: int
    turned: bool = False

    def ends(self, point: Point) -> Ends:
        """(A, B, C, D) of a point, up to factors that change no ratio."""
        parts = point.items()
        a, b, c, d = (sum(x * row[k] for k, x in parts) for row in (self.a, self.b, self.c, self.d))
        return a, b, c, d

    def extremes(self) -> tuple[Fraction, Fraction]:
        """The largest A/B and the smallest C/D of a coordinate."""
        most = max(Fraction(a, b) for a, b in zip(self.a, self.b, strict=True) if b)
        least = min(Fraction(c, d) for c, d in zip(self.c, self.d, strict=True) if d)
        return most / self.scale, least / self.scale


@dataclass(frozen=True, eq=False)
class Edge:
    """Two points of the cone with their (A, B, C, D); they may be the same point."""

    points: tuple[Point, Point]
    ends: tuple[Ends, Ends]

    def towards_limit(self) -> Sequence[Point]:
        """The points; one without a ratio of its own, which mixtures approach, first."""
        alone = segments.form(self.ends[0], self.ends[0])
        return self.points if alone == (0, 0) else self.points[::-1]

    def mixed(self, weights: tuple[int, int]) -> Point:
        """A mixture of the two points."""
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
    def form(self) -> tuple[int, int, int]:
        """The bound μ p + ν (1 − p) as f u² + 2 h u v + g v², f, g, h: u, v >= 0 are the weights of
        the ends."""
        sides = ((self.low, self.at_low), (self.high, self.at_high))
        (first, last), _ = scaled(*([mu, 1 - p, -nu, p] for p, (*_, mu, nu) in sides))
        return segments.signed(first, last, ONE)  # A·D − C·B of (μ, 1 − p, −ν, p)

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
            found.append(self.low + (self.high - self.low) * Fraction(-f, h - f))
        return found

    def statement(self) -> list[Fraction | Multipliers]:
        """The piece as it stands in a certificate."""
        return [self.low, self.high, self.at_low, self.at_high]


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Fewer pieces, where the multipliers at the ends of several are enough."""
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


def scaled(*rows: Sequence[Fraction]) -> tuple[list[list[int]], int]:
    """Rows of numbers times their common denominator, and that."""
    common = lcm(*(x.denominator for row in rows for x in row))
    return [[x.numerator * (common // x.denominator) for x in row] for row in rows], common


def span(
    first: tuple[list[int], int], last: tuple[list[int], int], low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction]:
    """The part of [low, high] where (1 − p)·first + p·last >= 0, integers over a denominator."""
    (xs, unit), (ys, other) = first, last
    for x, y in zip(xs, ys, strict=True):
        if x < 0 or y < 0:
            root = Fraction(x * other, x * other - y * unit)
            low, high = (max(low, root), high) if x < 0 else (low, min(high, root))
    return low, high


def inside(low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """Different simple numbers between low and high, the first near the middle; or low = high."""
    if low == high:
        yield low
    for parts in count(2):
        middle, radius = low + (high - low) / parts, (high - low) / (2 * parts * parts)
        yield simplest(middle - radius, middle + radius)


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational with the smallest denominator in the open interval, 0 <= low < high.

    >>> simplest(Fraction(3, 8), Fraction(5, 8))
    Fraction(1, 2)
    """
    whole = low.numerator // low.denominator
    if whole + 1 < high:
        return Fraction(whole + 1)
    if low == whole:
        return whole + Fraction(1, int(1 / (high - whole)) + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))

"""What many independent answers tell, enclosed: sums over a grid of ratios, in decimals.

The step of a grid is rho = (1 + 2^-64)^(2^level), which is enclosed itself. An answer with
probabilities P and Q lies at the index i with rho^i <= P/Q <= rho^(i + 1). Three sides are kept:

upper   P, each split between i and i + 1 so that their Q together are Q; rounded up
low     P at i, rounded down
tilted  rho^i Q at i, rounded up

Where numbers have powers of e, the upper side has an upper end of P and a lower one of Q/P, which
can only raise max(0, P (1 - alpha Q/P)); the others have the other ends, at the same index.

Indices of independent answers are added. Where they are more than so many points, the grid of
every second one is taken: upper splits the others again, low and tilted are of the halves, rounded
down. Ends that are almost 0 are cut off. What has no index is lost: above all these, and P where Q
is 0; below this alone; of the tilted the ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from functools import cache, reduce
from math import ceil, floor
from typing import Any

from . import reading as read
from .document import keep, need, spend

BITS, FARTHEST = 256, 2048  # of the enclosures of steps, and of their powers
FINEST = 64
MOST_LEVEL = 80
MOST_POINTS = 2**16
UPPER, LOW, TILTED = range(3)
# multiplies whole numbers of many digits fast, or raises
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])
Answer = tuple[Any, int]  # Q / P -> P, and how often it is drawn


@cache
def step(level: int) -> tuple[int, int]:
    """Bounds of the step of a `level`, in units of 2^-BITS."""
    need(level < MOST_LEVEL, "the ratios are too far apart for a grid")
    if not level:
        return ((1 << FINEST) + 1 << BITS - FINEST,) * 2
    low, high = step(level - 1)
    return low * low >> BITS, -(-high * high >> BITS)


def raised(base: int, times: int, up: bool) -> tuple[int, int]:
    """A bound n 2^e, as n and e, of a power of `base`, which is in units of 2^-BITS."""
    n, e = 1, 0
    for bit in bin(times)[2:]:
        n, e = n * n, 2 * e
        if bit == "1":
            n, e = n * base, e - BITS
        cut = max(0, n.bit_length() - 2 * BITS)
        n, e = -(-n >> cut) if up else n >> cut, e + cut
    return n, e


@dataclass(frozen=True)
class Side:
    """Masses at indices from `start` on, and `lost` ones, all in units of 10^`exponent`."""

    start: int
    masses: list[int]
    lost: int
    exponent: int

    def times(self, other: "Side", up: bool, digits: int, end: int) -> "Side":
        """The sums of independent answers; an `end` that has no more than so much is cut off."""
        x, y = self.masses, other.masses
        total = (sum(x) + self.lost) * (sum(y) + other.lost)
        width, spent = len(str(total)), len(x) + len(y)
        drop = max(0, width - 1 - digits)  # so that the total has so many digits
        spend(100 + spent * (100 + width) // 100)
        found = list[int]()
        if x and y:
            size = width * (spent - 1)
            text = str(EXACT.multiply(_packed(x, width), _packed(y, width))).zfill(size)
            ends = range(size - drop, 0, -width)
            found = [int(text[at - width + drop : at] or "0") + up for at in ends]
        first, last, below, above = 0, len(found), 0, 0
        while first < last and below + found[first] <= end:
            below, first = below + found[first], first + 1
        while first < last and above + found[last - 1] <= end:
            above, last = above + found[last - 1], last - 1
        lost = (total - sum(x) * sum(y)) // 10**drop + (1 + below + above) * up
        start, exponent = self.start + other.start + first, self.exponent + other.exponent + drop
        return Side(start, found[first:last], lost, exponent)

    def coarser(self, kind: int, level: int) -> "Side":
        """The same on the grid of the next `level`."""
        own = [0] * (self.start % 2) + self.masses
        even, odd = own[::2], own[1::2] + [0] * (len(own) % 2)
        low, high = step(level)
        start = self.start // 2
        if kind == UPPER:
            share = (1 << BITS) - (1 << 2 * BITS) // ((1 << BITS) + high)
            above = [min(b, (b * share >> BITS) + 1) for b in odd]
            below = [a + b - c for a, b, c in zip(even, odd, above, strict=True)]
            both = zip([*below, 0], [0, *above], strict=True)
            return Side(start, [a + b for a, b in both], self.lost, self.exponent)
        share = (1 << BITS) if kind == LOW else (1 << 2 * BITS) // low + 1
        rounded = [(b * share >> BITS) + (kind == TILTED) for b in odd]
        both = zip(even, rounded, strict=True)
        return Side(start, [a + b for a, b in both], self.lost, self.exponent)


def _packed(masses: Sequence[int], width: int) -> Decimal:
    """The number whose digits are the masses, the first one last, each of a `width`."""
    return Decimal("".join([str(n).zfill(width) for n in reversed(masses)]))


@dataclass(frozen=True)
class Grid:
    """The sides upper, low and tilted of independent answers on the grid of a `level`."""

    level: int
    sides: tuple[Side, ...]

    def coarser(self) -> "Grid":
        """The same on the next grid."""
        sides = (one.coarser(kind, self.level) for kind, one in enumerate(self.sides))
        return Grid(self.level + 1, tuple(sides))

    def times(self, other: "Grid", points: int, digits: int) -> "Grid":
        """Both together, on a grid that needs no more than so many `points`."""
        one: Grid = self
        while one.level < other.level:
            one = one.coarser()
        while other.level < one.level:
            other = other.coarser()
        end, both = 10 * points, zip(one.sides, other.sides, strict=True)
        sides = (x.times(y, kind != LOW, digits, end) for kind, (x, y) in enumerate(both))
        found = Grid(one.level, tuple(sides))
        while max(len(side.masses) for side in found.sides) > points:
            found = found.coarser()
        return found

    def upper(self, alpha: Fraction) -> Fraction:
        """At least the sum of max(0, P - `alpha` Q) over all outputs."""
        side = self.sides[UPPER]
        one, x = self._first(side.start + len(side.masses) - 1, alpha, False)
        total = side.lost * one
        for mass in reversed(side.masses):
            if x >= one:
                break
            total += mass * (one - x)
            x = x * step(self.level)[0] >> BITS
        return min(Fraction(1), Fraction(total, one) * Fraction(10) ** side.exponent)

    def lower(self, alpha: Fraction) -> Fraction:
        """At most that sum: P - `alpha` Q of the event of all indices from one on."""
        _, low, tilted = self.sides
        last = max(side.start + len(side.masses) for side in (low, tilted)) - 1
        one, x = self._first(last, alpha, True)
        unit = min(low.exponent, tilted.exponent)
        p, q = (dict(enumerate(side.masses, side.start)) for side in (low, tilted))
        own, other = (10 ** (side.exponent - unit) for side in (low, tilted))
        total = best = 0
        for index in range(last, low.start - 1, -1):
            total += p.get(index, 0) * own * one - x * q.get(index, 0) * other
            best = max(best, total - x * tilted.lost * other)
            x = (x * step(self.level)[1] >> BITS) + 1
        return Fraction(best, one) * Fraction(10) ** unit + self.infinite()

    def infinite(self) -> Fraction:
        """At most the probability that Q is 0."""
        return self.sides[LOW].lost * Fraction(10) ** self.sides[LOW].exponent

    def _first(self, last: int, alpha: Fraction, up: bool) -> tuple[int, int]:
        """A unit, and in it a bound of `alpha` rho^-`last`."""
        is_over = last >= 0
        n, e = raised(step(self.level)[is_over != up], abs(last), is_over != up)
        bits = 2 * BITS + max(0, (e + n.bit_length()) * is_over)
        spend(len(self.sides[UPPER].masses) * bits // 500)
        keep(1, bits)
        power = n * Fraction(2) ** e
        x = (Fraction(alpha, power) if is_over else alpha * power) * 2**bits
        return 1 << bits, ceil(x) if up else floor(x)


def ends(value: Any) -> Any:
    """Rationals around a number, which are equal to it if it is one."""
    found = value.within(2 * BITS) if read.is_other(value) else (value, value)
    need(found and (found[0] > 0 or not found[1]), "a probability is too close to 0")
    return found


def placed(losses: Any, points: int, digits: int) -> Grid:
    """The grid of one answer, with about so many `points` from the least ratio to the largest."""
    known = [(*ends(ratio), *ends(p)) for ratio, p in losses.items() if ratio]
    atoms = sorted((Fraction(1, near), far, less, p) for near, far, less, p in known)
    ratios = [Fraction(1), *(ratio for ratio, *_ in atoms)]
    width = Fraction(max(ratios), min(ratios)) - 1
    width = width if width < 1 else Fraction(int(width + 1).bit_length())  # above the logarithm
    level = max(0, int(Fraction(width * 2**FINEST, points))).bit_length()
    low, high = step(level)
    sides: list[dict[int, int]] = [{}, {}, {}]
    one, unit, share = 1 << FARTHEST, 10**digits, Fraction(low, low - (1 << BITS))
    at, below, above = 0, one, one  # bounds of rho^at
    while atoms and below > atoms[0][0] * one:
        at, below, above = at - 1, (below << BITS) // high, (above << BITS) // low + 1
        spend(20)
    for ratio, far, less, p in atoms:
        while (following := below * low >> BITS) < ratio * one:
            at, below, above = at + 1, following, (above * high >> BITS) + 1
            spend(20)
        q, mass = Fraction(p, ratio), ceil(p * unit)
        part = ceil((p - q * Fraction(below, one)) * share * unit)  # of it goes up
        part = max(0, min(mass, part))
        for side, index, n in (
            (UPPER, at + 1, part),
            (UPPER, at, mass - part),
            (LOW, at, floor(less * unit)),
            (TILTED, at, ceil(less * far * Fraction(above, one) * unit)),
        ):
            sides[side][index] = sides[side].get(index, 0) + n
        spend(50)
    less, more = ends(losses.get(0, Fraction(0)))
    lost = ceil(more * unit), floor(less * unit), 0
    starts = [min(side, default=0) for side in sides]
    listed = [
        [side.get(i, 0) for i in range(start, max(side, default=-1) + 1)]
        for side, start in zip(sides, starts, strict=True)
    ]
    return Grid(level, tuple(map(Side, starts, listed, lost, [-digits] * 3)))


def enclosed(answers: Sequence[Answer], points: int, delta: Fraction) -> Grid:
    """What independent `answers` tell, on a grid of so many `points`, if `delta` is asked."""
    runs = sum(times for _, times in answers)
    digits = sum(len(str(n)) for n in (int(Fraction(1, delta)), *[points] * 3, runs)) + 3
    grids = list[Grid]()
    for losses, times in answers:
        one = placed(losses, points, digits)
        grids.append(one)
        for bit in bin(times)[3:]:
            grids[-1] = grids[-1].times(grids[-1], points, digits)
            grids[-1] = grids[-1].times(one, points, digits) if bit == "1" else grids[-1]
    return reduce(lambda one, other: one.times(other, points, digits), grids)

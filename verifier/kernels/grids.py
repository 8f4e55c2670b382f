"""Enclosures of delta(alpha) of many independent answers, on a grid of ratios, in fixed point.

With P and Q the probabilities of all answers on two sides, delta(alpha) = Σ max(0, P − alpha·Q).
The privacy losses of k answers are the k-fold convolution of those of one, but their values may be
too many to be listed. On a grid of ratios ρ^i they stay few:

- from above, an answer of ratio t between ρ^i and ρ^(i+1) is split into two answers of these
  ratios, whose P and whose Q have the sums of its own. Who is told which one is told more.
- from below, only the sum of the indices i is told, of which P and Q are convolved each by itself.
  Q stands in them as ρ^i·Q, which has the size of P.

Of a number with powers of e the first takes an upper end of P and a lower one of Q, the second the
other ends.

When indices are more than a number of points, only every second grid point is kept, by the same two
ways. So k answers take about 2·log2 k products of bounded length, and the error falls with the
square of the number of points. Decimals are rounded outwards, and ρ = (1 + 2^-64)^(2^level) is
enclosed.

After Koskela, Jälkö, Honkela 2020, Computing tight differential privacy guarantees using FFT;
Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, Connect the dots: tighter discrete approximations
of privacy loss distributions.

By hand: for one answer with P = (3/4, 1/4) and Q = (1/4, 3/4), delta(2) = 3/4 − 2/4.

>>> one = {Fraction(3): (Fraction(3, 4), Fraction(1, 4))}
>>> one[Fraction(1, 3)] = (Fraction(1, 4), Fraction(3, 4))
>>> found = enclosed([(one, 1)], points=64, delta=Fraction(1, 9))
>>> [round(float(end(Fraction(2))), 3) for end in (found.at_least, found.at_most)]
[0.25, 0.25]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache, reduce
from math import ceil, floor, log

import numpy as np

from verifier.base import intervals
from verifier.base.decimals import logarithm
from verifier.base.errors import LimitReached
from verifier.base.exponential import Exponential
from verifier.kernels.products import Drawn, Losses

BITS = 256  # of the enclosures of steps
UNIT = 1 << BITS
FINEST = 64  # the first step is 1 + 2^-FINEST
MAX_LEVEL = 80
MARGINS = [0.0, *(10.0**-n for n in range(12, 2, -1))]
DIGITS = 12  # of ends
STEPS = 60  # of bisection
FAR = 60.0  # logarithms of what is nothing beside 1
MAX_LOGARITHM = 200_000
MAX_POINTS = 2**14
FIRST_POINTS = 64  # each further grid has four times as many
ENOUGH_POINTS = 2**12  # for a level that is decided
NEAR = Fraction(1, 10**5)
LEAST_DELTA = Fraction(1, 10**30)  # that is told from 0
FEW_DIGITS = 8
ZERO, ONE = Fraction(0), Fraction(1)
UPPER, LOWER, TILTED = range(3)
Masses = list[int]  # in units of 10^-digits


@cache
def _step(level: int) -> tuple[int, int]:
    """Bounds of ρ, in units of 2^-BITS."""
    if level >= MAX_LEVEL:
        raise LimitReached("the privacy losses are too far apart for a grid")
    low = high = UNIT + (UNIT >> FINEST)
    for _ in range(level):
        low, high = low * low // UNIT, -(-high * high // UNIT)
    return low, high


def _power(base: int, times: int, up: bool) -> tuple[int, int]:
    """(n, e) with n·2^e a bound of (`base`/2^BITS)^`times`, of 2·BITS digits."""
    n, e = 1, 0
    for digit in f"{times:b}":
        n, e = n * n, e + e
        if digit == "1":
            n, e = n * base, e - BITS
        extra = max(0, n.bit_length() - 2 * BITS)
        n = (n + (1 << extra) - 1 if up else n) >> extra
        e += extra
    return n, e


@dataclass(frozen=True)
class _Side:
    """Masses at indices from one on.

    start     the first index
    masses    in units of 10^exponent, which `lost` has too
    lost      mass without an index: from above what was cut off, and P where Q is 0; from below the
              latter alone; of ρ^i·Q the former alone
    """

    start: int
    masses: Masses
    lost: int
    exponent: int

    @property
    def stop(self) -> int:
        """The first index after the last."""
        return self.start + len(self.masses)

    def convolved(self, other: _Side, up: bool, digits: int, end: int) -> _Side:
        """The sums of independent indices.

        other   the other ones
        up      whether masses are rounded up
        digits  that the total is to have
        end     mass up to which either end is cut off
        """
        from flint import fmpz_poly

        x, y = sum(self.masses), sum(other.masses)
        total = (x + self.lost) * (y + other.lost)
        drop = max(0, len(str(total)) - 1 - digits)
        unit, found = 10**drop, Masses()
        if self.masses and other.masses:
            raw = (fmpz_poly(self.masses) * fmpz_poly(other.masses)).coeffs()
            size = len(self.masses) + len(other.masses) - 1
            found = [int(n) // unit + up for n in raw] + [int(up)] * (size - len(raw))
        first, below = _cut(found, end)
        found = found[first:]
        last, above = _cut(found[::-1], end)
        lost = (total - x * y) // unit + (1 + below + above if up else 0)
        start, exponent = self.start + other.start + first, self.exponent + other.exponent + drop
        return _Side(start, found[: len(found) - last], lost, exponent)

    def split(self, level: int) -> _Side:
        """From above, every second grid point: the others are split between their neighbours."""
        even, odd = self._halves()
        share = UNIT - UNIT * UNIT // (UNIT + _step(level)[1])  # ρ / (1 + ρ)
        raised = [min(n, n * share // UNIT + 1) for n in odd]
        found = [a + b - c for a, b, c in zip(even, odd, raised, strict=True)] + [0]
        for at, n in enumerate(raised, 1):
            found[at] += n
        return _Side(self.start // 2, found, self.lost, self.exponent)

    def told(self, level: int, up: bool) -> _Side:
        """Every second grid point, of which the next one is told too; with `up`, of Q, whose ratio
        falls by a step."""
        even, odd = self._halves()
        factor = UNIT * UNIT // _step(level)[0] + 1 if up else UNIT
        found = [a + b * factor // UNIT + up for a, b in zip(even, odd, strict=True)]
        return _Side(self.start // 2, found, self.lost, self.exponent)

    def _halves(self) -> tuple[Masses, Masses]:
        masses = [0] * (self.start % 2) + self.masses
        masses += [0] * (len(masses) % 2)
        return masses[::2], masses[1::2]


def _cut(masses: Masses, end: int) -> tuple[int, int]:
    """How many of the first masses are at most `end` together, and their sum."""
    total = 0
    for at, mass in enumerate(masses):
        if total + mass > end:
            return at, total
        total += mass
    return len(masses), total


@dataclass(frozen=True)
class Grid:
    """Privacy losses of a pair of distributions P and Q, rounded to a grid of ratios ρ^i.

    level          how fine the grid is
    upper          P, for bounds from above
    lower, tilted  P and ρ^i·Q, for bounds from below
    """

    level: int
    upper: _Side
    lower: _Side
    tilted: _Side

    def coarser(self) -> Grid:
        """The same on every second grid point."""
        at = self.level
        lower, tilted = self.lower.told(at, False), self.tilted.told(at, True)
        return Grid(at + 1, self.upper.split(at), lower, tilted)

    def convolved(self, other: Grid, points: int, digits: int) -> Grid:
        """Both, independent, on a grid of at most so many `points`."""
        one, end = self, 10 * points
        while one.level != other.level:
            if one.level < other.level:
                one = one.coarser()
            else:
                other = other.coarser()
        found = Grid(
            one.level,
            one.upper.convolved(other.upper, True, digits, end),
            one.lower.convolved(other.lower, False, digits, end),
            one.tilted.convolved(other.tilted, True, digits, end),
        )
        while max(len(x.masses) for x in (found.upper, found.lower, found.tilted)) > points:
            found = found.coarser()
        return found

    def power(self, times: int, points: int, digits: int) -> Grid:
        """So many, independent."""
        found = self
        for digit in f"{times:b}"[1:]:
            found = found.convolved(found, points, digits)
            if digit == "1":
                found = found.convolved(self, points, digits)
        return found

    def at_most(self, alpha: Fraction) -> Fraction:
        """At least delta(`alpha`)."""
        side = self.upper
        unit, x = self._first(side.stop - 1, alpha, up=False)
        total, (step, _) = side.lost * unit, _step(self.level)
        for mass in reversed(side.masses):
            if x >= unit:
                break
            total += mass * (unit - x)
            x = x * step // UNIT
        return min(ONE, total * Fraction(10) ** side.exponent / unit)

    def at_least(self, alpha: Fraction) -> Fraction:
        """At most delta(`alpha`): P - `alpha`·Q of all indices from one on."""
        low, tilted = self.lower, self.tilted
        last, exponent = max(low.stop, tilted.stop) - 1, min(low.exponent, tilted.exponent)
        unit, x = self._first(last, alpha, up=True)
        own, other = (10 ** (side.exponent - exponent) for side in (low, tilted))
        total = best = 0
        _, step = _step(self.level)
        for index in range(last, low.start - 1, -1):
            p, q = (
                side.masses[index - side.start] if side.start <= index < side.stop else 0
                for side in (low, tilted)
            )
            total += p * own * unit - x * q * other
            best = max(best, total - x * tilted.lost * other)
            x = x * step // UNIT + 1
        return best * Fraction(10) ** exponent / unit + self.infinite()

    def infinite(self) -> Fraction:
        """At most the probability under P that Q is 0."""
        return self.lower.lost * Fraction(10) ** self.lower.exponent

    def _first(self, last: int, alpha: Fraction, up: bool) -> tuple[int, int]:
        """A unit, and in it a bound of alpha·ρ^-last."""
        is_over = last >= 0
        n, e = _power(_step(self.level)[is_over != up], abs(last), is_over != up)
        bits = 2 * BITS + max(0, (e + n.bit_length()) * is_over)
        power = n * Fraction(2) ** e
        x = (alpha / power if is_over else alpha * power) * 2**bits
        return 1 << bits, ceil(x) if up else floor(x)

    def least(self, delta: Fraction) -> Fraction | None:
        """A level of few digits at which delta(alpha) <= `delta`, near the least; None if there is
        none on this grid."""
        if self.at_most(ONE) <= delta:
            return ONE
        lost = self.upper.lost * Fraction(10) ** self.upper.exponent
        near = self._near(self.upper, self.upper, delta, lost)
        each = (_rounded(near + margin, ROUND_CEILING) for margin in MARGINS)
        return next((alpha for alpha in each if self.at_most(alpha) <= delta), None)

    def most(self, delta: Fraction) -> Fraction:
        """A level of few digits, near the largest at which delta(alpha) > `delta`; 1 where none is
        found."""
        near = self._near(self.lower, self.tilted, delta, self.infinite())
        each = (_rounded(near - margin, ROUND_FLOOR) for margin in MARGINS)
        return next((x for x in each if x > 1 and self.at_least(x) > delta), ONE)

    def _near(self, p: _Side, q: _Side, delta: Fraction, infinite: Fraction) -> float:
        """About the logarithm of the level at which the P of a side, and the ρ^i·Q of one, are
        `delta` less the part of it that is `infinite`; by floats."""
        start, stop = min(p.start, q.start), max(p.stop, q.stop)
        scale = max(1, delta * Fraction(10) ** -p.exponent // 1)
        high, low = np.zeros((2, stop - start))
        for sums, side in ((high, p), (low, q)):
            sums[side.start - start : side.stop - start] = [mass / scale for mass in side.masses]
        logs = np.arange(start, stop) * 2.0 ** (self.level - FINEST)
        logs += (p.exponent - q.exponent) * log(10)
        rest, ends = float(1 - infinite / delta), [0.0, float(logs.max(initial=0)) + FAR]
        for _ in range(STEPS):
            middle = sum(ends) / 2
            told = np.maximum(0, high - low * np.exp(np.minimum(middle - logs, FAR))).sum()
            ends[bool(told <= rest)] = middle
        return sum(ends) / 2


def _placed(losses: Losses, points: int, digits: int) -> Grid:
    """The finite losses of one answer on the finest grid whose range has about so many points."""
    known = [(*_ends(p), *_ends(q)) for p, q in losses.values()]
    atoms = sorted((own[1] / own[2], own) for own in known if own[2])
    ratios = [Fraction(1), *(ratio for ratio, _ in atoms)]
    width = max(ratios) / min(ratios) - 1
    if width >= 1:
        width = Fraction((width // 1 + 1).bit_length())  # above the logarithm
    level = (width * (1 << FINEST) // points).bit_length()
    low, high = _step(level)
    sides: list[dict[int, int]] = [{}, {}, {}]

    unit = 10**digits

    def place(at: int, below: int, above: int, own: Sequence[Fraction]) -> None:
        """An atom from ρ^at on, which is enclosed; ρ/(ρ − 1)·(P − ρ^at·Q) of it goes up."""
        least, p, q, most = own
        whole, over = -(-p.numerator * unit // p.denominator), p.denominator * q.denominator
        gap = p.numerator * q.denominator * UNIT - below * q.numerator * p.denominator
        raised = max(0, min(whole, -(-gap * low * unit // (over * UNIT * (low - UNIT)))))
        for side, index, mass in (
            (UPPER, at + 1, raised),
            (UPPER, at, whole - raised),
            (LOWER, at, least.numerator * unit // least.denominator),
            (TILTED, at, -(-most.numerator * above * unit // (most.denominator * UNIT))),
        ):
            sides[side][index] = sides[side].get(index, 0) + mass

    at, below, above, following = 0, UNIT, UNIT, low
    for ratio, own in atoms:
        if ratio >= 1:
            while ratio.numerator * UNIT > following * ratio.denominator:
                at, below, above = at + 1, following, above * high // UNIT + 1
                following = following * low // UNIT
            place(at, below, above, own)
    at, below, above = -1, UNIT * UNIT // high, UNIT * UNIT // low + 1
    for ratio, own in reversed(atoms):
        if ratio < 1:
            while ratio.numerator * UNIT <= below * ratio.denominator:
                at, below, above = at - 1, below * UNIT // high, above * UNIT // low + 1
            place(at, below, above, own)
    least, most = (sum((own[end] for own in known if not own[2]), ZERO) for end in (0, 1))
    lost = ceil(most * unit), floor(least * unit), 0
    return Grid(level, *(_listed(*both, -digits) for both in zip(sides, lost, strict=True)))


def _ends(value: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around a number, which are equal to it if it is one."""
    if not isinstance(value, Exponential):
        return value, value
    return intervals.ends(value.enclosed(2 * BITS))


def _listed(side: dict[int, int], lost: int, exponent: int) -> _Side:
    start, stop = (min(side), max(side) + 1) if side else (0, 0)
    return _Side(start, [side.get(at, 0) for at in range(start, stop)], lost, exponent)


def enclosed(draws: Drawn, points: int, delta: Fraction) -> Grid:
    """Bounds of delta(alpha) of independent answers, on a grid.

    draws   losses of answers, each with the number of its draws; at least one
    points  of the grid, at most
    delta   that is asked, above 0; errors of rounding are far below it
    """
    runs = sum(times for _, times in draws)
    digits = 3 + 3 * len(str(points)) + len(str(1 / delta // 1)) + len(str(runs))
    grids = (_placed(each, points, digits).power(k, points, digits) for each, k in draws)
    return reduce(lambda one, other: one.convolved(other, points, digits), grids)


@dataclass(frozen=True)
class Level:
    """The smallest level of several choices of draws, from both sides.

    points  of the grid
    low     what it is at least; None where it is infinite
    high    what it is at most; None where it is infinite
    worst   the choice that needs the lower end
    """

    points: int
    low: Fraction | None
    high: Fraction | None
    worst: int


def smallest_level(
    choices: Sequence[Drawn], delta: Fraction, decides: Callable[[Fraction, Fraction], bool]
) -> Level:
    """The smallest level at which each of some choices is within delta, on the first grid on which
    its ends decide and are near each other.

    choices  what is drawn in each
    delta    that is asked, above 0
    decides  whether a lower and an upper end are enough

    LimitReached, with the ends, where no grid decides.
    """
    left, low, points = dict(enumerate(choices)), ONE, FIRST_POINTS
    worst = 0
    while points <= MAX_POINTS:
        high: Fraction | None = ONE
        for number, drawn in list(left.items()):
            found = enclosed(drawn, points, delta)
            if found.infinite() > delta:
                return Level(points, None, None, number)
            least, most = found.least(delta), found.most(delta)
            if most > low:
                low, worst = most, number
            if least is not None and least <= low:
                del left[number]
            high = None if high is None or least is None else max(high, least)
        if high is not None:
            high = max(low, high)
            is_near = high - low <= NEAR * (high - 1) or points >= ENOUGH_POINTS
            if is_near and decides(low, high):
                return Level(points, low, high, worst)
        points *= 4
    ends = " and ".join("infinity" if end is None else logarithm(end) for end in (low, high))
    raise LimitReached(f"ε lies between {ends}: a grid of {MAX_POINTS} ratios does not decide it")


def deltas(choices: Sequence[Drawn], below: Fraction, above: Fraction) -> tuple[Fraction, Fraction]:
    """Ends, of few digits, of the largest delta(alpha) of some choices; the lower one is 0 where it
    may be 0.

    choices       what is drawn in each
    below, above  between which alpha is
    """
    left, low, points, least = list(choices), ZERO, FIRST_POINTS, LEAST_DELTA
    while True:
        ends = []
        for drawn in left:
            found = enclosed(drawn, points, least)
            ends.append((found.at_least(above), found.at_most(below)))
        low, high = (max(side, default=ZERO) for side in zip(*ends, strict=True))
        left = [drawn for drawn, (_, end) in zip(left, ends, strict=True) if end >= low]
        is_near = high - low <= NEAR * min(high, 1 - low)
        if is_near or points >= ENOUGH_POINTS:
            return _digits(low, ROUND_FLOOR), min(ONE, _digits(high, ROUND_CEILING))
        points *= 4


def _digits(value: Fraction, rounding: str) -> Fraction:
    """A number of few digits near a value."""
    context = Context(prec=FEW_DIGITS, rounding=rounding)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _rounded(logarithm: float, rounding: str) -> Fraction:
    """e^`logarithm` in few digits, at least 1; LimitReached where it is too long."""
    if logarithm > MAX_LOGARITHM:
        raise LimitReached("the smallest level has too many digits")
    near = Context(prec=2 * DIGITS).exp(Decimal(logarithm))
    return max(Fraction(1), Fraction(Context(prec=DIGITS, rounding=rounding).plus(near)))

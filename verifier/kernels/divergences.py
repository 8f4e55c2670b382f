"""How far apart two distributions are: their range, and Rényi's divergences of one order or all.

Two distributions P and Q are told apart by their ratios r = P/Q alone. The range is the largest r
over the smallest. Write K(t) = ln Σ Q·r^(t + 1); Rényi's divergence of order t + 1 is K(t)/t. It
grows with t, and K is convex with K(0) = 0.

Of all orders, ρ = sup K(t)/(t·(t + 1)) over t > 0. Floats find where it is largest. That a number
is no less is proved by chords of K between chosen orders, each below ρ·t·(t + 1), and after the
last one by K(t) <= K(s) + (t − s)·ln max r.

By hand: P = (3/4, 1/4) and Q = (1/4, 3/4) have the ratios 3 and 1/3, so the range is 9; order 2
gives Σ P²/Q = 9/4 + 1/12 = 7/3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import exp, expm1, log, log1p
from typing import TYPE_CHECKING, Any

from verifier.base.errors import LimitReached, NotDecided
from verifier.base.exact import is_irrational, largest, near
from verifier.base.intervals import ends, ends_of_ball
from verifier.base.nouns import Later, dataclass
from verifier.kernels import logarithms
from verifier.kernels.ratios import root

if TYPE_CHECKING:
    from flint import arb

BITS = (256, 1024)  # of enclosures, as the checker has them
PLACES = 60  # binary digits of each part of an order, twice: as there
MOST = 2000  # chords
LONGEST = 20_000  # binary digits of a power, as the checker has them
ONE = Fraction(1)
Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True, eq=False)
class Profile(Later):
    """The ratios P(o)/Q(o) of two distributions.

    ratios  each ratio, also 0 -> the probability of its outputs under Q; None where P is positive
            and Q is 0 somewhere
    """

    ratios: dict[Fraction, Fraction] | None

    @cached_property
    def range(self) -> Fraction | None:
        """The largest ratio over the smallest; None where infinite."""
        if self.ratios is None or not all(self.ratios):
            return None
        return largest(self.ratios) / -largest(-r for r in self.ratios)

    def power(self, order: Fraction) -> Fraction | None:
        """(Σ Q·r^order)^k for an order j/k, where it is rational or k = 1; else None."""
        assert self.ratios is not None
        j, k = order.as_integer_ratio()
        if k > 1 and any(map(is_irrational, (*self.ratios, *self.ratios.values()))):
            return None
        ratios = [(r, q) for r, q in self.ratios.items() if r]
        if k == 1:
            return sum((q * r**j for r, q in ratios), Fraction(0))
        first, total = ratios[0][0], Fraction(0)
        for r, q in ratios:  # r^(j/k) is a rational multiple of first^(j/k)
            one = _root(r / first, k)
            if one is None:
                return None
            total += q * one**j
        return first**j * total**k

    def size(self, t: Fraction) -> int:
        """About how many binary digits r^t has before or after the point, at most."""
        parts = (near(r).as_integer_ratio() for r in self.ratios or () if r)
        return int(max(abs(n.bit_length() - d.bit_length()) + 1 for n, d in parts) * t) + 1

    def logarithm(self, t: Fraction, bits: int = BITS[0]) -> Bounds:
        """Bounds of K(t), for t > 0, by enclosures of so many binary digits."""
        from flint import arb, ctx, fmpq

        before, ctx.prec = ctx.prec, bits
        try:
            total, power = arb(0), arb(fmpq(*t.as_integer_ratio()))
            for r, q in (self.ratios or {}).items():
                if r:
                    ratio, p = (_ball(x, bits) for x in (r, q * r))
                    total += p * (power * ratio.log()).exp()
            low, high = ends_of_ball(total.log())
            return max(Fraction(0), low), high
        finally:
            ctx.prec = before

    @cached_property
    def _floats(self) -> list[tuple[float, float]]:
        """ln r and P for each ratio above 0."""
        items = [(near(r), float(r * q)) for r, q in (self.ratios or {}).items() if r]
        return [(log(r.numerator) - log(r.denominator), p) for r, p in items]

    def near(self, t: float) -> float:
        """About K(t)/(t·(t + 1)); at 0 its limit."""
        if not t:
            return sum(p * x for x, p in self._floats)
        top = max(x for x, _ in self._floats)
        if t * top < 1:
            found = log1p(sum(p * expm1(t * x) for x, p in self._floats))
        else:
            rest = sum(p * exp(t * (x - top)) for x, p in self._floats)
            found = t * top + log(rest) if rest else 0.0
        return found / (t * (t + 1))

    def worst(self) -> tuple[float, float]:
        """About the largest K(t)/(t·(t + 1)), and where."""
        steps = [expm1(k / 8) / 64 for k in range(100)]
        best = max(range(len(steps)), key=lambda k: self.near(steps[k]))
        low, high = steps[max(0, best - 1)], steps[min(best + 1, len(steps) - 1)]
        for _ in range(80):
            first, second = low + (high - low) * 0.382, low + (high - low) * 0.618
            if self.near(first) >= self.near(second):
                high = second
            else:
                low = first
        return self.near((low + high) / 2), (low + high) / 2


def of_columns(first: Iterable[Fraction], second: Iterable[Fraction]) -> Profile:
    """The profile of two distributions over the same outputs."""
    found: dict[Fraction, Fraction] = {}
    for p, q in zip(first, second, strict=True):
        if q:
            found[p / q] = found.get(p / q, Fraction(0)) + q
        elif p:
            return Profile(None)
    return Profile(found)


def order_of(t: float, places: int) -> Fraction:
    """An order near t + 1, above 1 and with so many binary digits after the point."""
    return 1 + Fraction(max(round(t * 2**places), 1), 2**places)


def at_order(profile: Profile, order: Fraction) -> Bounds:
    """Bounds of K(t)/(t·(t + 1)) at an order t + 1."""
    low, high = profile.logarithm(order - 1)
    return low / (order * (order - 1)), high / (order * (order - 1))


def chords(profiles: Iterable[Profile], rho: Fraction) -> list[Fraction]:
    """Orders from 1 on, between which chords prove K(t) <= ρ·t·(t + 1) for all profiles.

    NotDecided where there are too many.
    """
    known = {Fraction(0), Fraction(1)}
    for profile in profiles:
        assert profile.ratios is not None
        if set(profile.ratios) == {ONE}:
            continue
        known.update(_proved(profile, rho, sorted(known)))
        if len(known) > MOST:
            raise LimitReached(f"more than {MOST} orders are needed for a proof")
    return [t + 1 for t in sorted(known)]


def _proved(profile: Profile, rho: Fraction, known: list[Fraction]) -> Iterator[Fraction]:
    """Points between and after those `known` such that all chords are below ρ·t·(t + 1)."""
    assert profile.ratios is not None
    slope = logarithms.bounds(_around(max(profile.ratios), BITS[0])[1], BITS[0])[1]
    values = {t: profile.logarithm(t)[1] if t else Fraction(0) for t in known}
    last = known[-1]
    while not is_below(rho, (last, values[last]), slope, None):
        last *= 2
        if profile.size(last) > LONGEST:
            raise LimitReached("orders that are too large are needed for a proof")
        values[last] = profile.logarithm(last)[1]
    pieces = list(pairwise(sorted(values)))
    while pieces:
        a, b = pieces.pop()
        if is_below(rho, (a, values[a]), (values[b] - values[a]) / (b - a), b):
            continue
        middle = b / 2**8 if not a else (a + b) / 2
        if len(values) > MOST or not _is_short(middle + 1):
            raise NotDecided("the level is too close to the smallest one")
        values[middle] = profile.logarithm(middle)[1]
        pieces += [(a, middle), (middle, b)]
    yield from values


def _ball(value: Fraction, bits: int) -> arb:
    """A number as a ball of flint."""
    from flint import arb, fmpq

    low, high = (arb(fmpq(*end.as_integer_ratio())) for end in _around(value, bits))
    return low.union(high)


def _around(value: Any, bits: int) -> Bounds:
    """Rational numbers around one, or it twice."""
    return ends(value.enclosed(bits)) if is_irrational(value) else (value, value)


def _is_short(order: Fraction) -> bool:
    return max(part.bit_length() for part in order.as_integer_ratio()) <= 2 * PLACES


def is_below(rho: Fraction, start: Bounds, slope: Fraction, end: Fraction | None) -> bool:
    """Whether a line is at most ρ·t·(t + 1) from a point on, up to an `end` if there is one."""
    at, value = start

    def gap(t: Fraction) -> Fraction:
        return rho * t * (t + 1) - value - slope * (t - at)

    vertex = (slope - rho) / (2 * rho)
    inside = at < vertex and (end is None or vertex < end)
    points = [at, *([] if end is None else [end]), *([vertex] if inside else [])]
    return all(gap(t) >= 0 for t in points)


def _root(value: Fraction, degree: int) -> Fraction | None:
    """The root of a positive rational, where it is rational."""
    found = Fraction(root(value.numerator, degree), root(value.denominator, degree))
    return found if found**degree == value else None

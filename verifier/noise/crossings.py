"""Where a sum of terms c·y^j·e^(ry) of one real number y changes its sign.

As in `verifier.base.exponential_polynomial`, zeros are counted by Budan and Fourier: f' − r·f, with
the sign of the derivative of f·e^(−ry), follows f. Here coefficients are sums of powers of e.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

from verifier.base.errors import LimitReached
from verifier.base.exponential_polynomial import sign_of

Number = dict[Fraction, Any]  # exponent of e -> coefficient, a rational other than 0
Terms = dict[tuple[Fraction, int], Number]  # rate and power of y -> coefficient
End = Fraction | None
BITS = 320  # of what guides
DIGITS = 40  # behind the point, of the ends
WIDTH = Fraction(1, 2**140)  # below which zeros are not told apart
SIMPLE = 1000  # the largest denominator of a place that is tried for a zero
MAX_STEPS = 10_000


def combined(parts: Sequence[tuple[Terms, Mapping[Fraction, Any]]]) -> Terms:
    """The sum of some terms, each times a number."""
    found: Terms = {}
    for terms, factor in parts:
        for key, number in terms.items():
            own = found.setdefault(key, {})
            for (q, c), (s, d) in ((a, b) for a in number.items() for b in factor.items()):
                own[q + s] = own.get(q + s, 0) + c * d
    return _kept(found)


def crossings(terms: Terms, low: End, high: End) -> Iterator[tuple[Fraction, Fraction]]:
    """Rationals around all places in an open interval where the sign changes, twice the same where
    it is one; LimitReached where they are too near to each other.

    low, high  the ends of the interval, None for an infinite one
    """
    if not terms:
        return
    if low is None:
        turned = {(-r, p): {q: c * (-1) ** p for q, c in n.items()} for (r, p), n in terms.items()}
        middle = Fraction(0) if high is None else -high
        yield from ((-b, -a) for a, b in crossings(turned, middle, None))
        if high is None:
            if not _sign(terms, middle):
                yield middle, middle
            yield from crossings(terms, Fraction(0), None)
        return
    chain, waiting = _chain(terms), [(low, high)]
    for _ in range(MAX_STEPS):
        if not waiting:
            return
        low, high = waiting.pop()
        first, last = _signs(chain, low, 1), _signs(chain, high, -1)
        count = _changes(first) - _changes(last)
        if high is not None and count and (count == 1 or high - low < WIDTH):
            yield _narrowed(terms, low, high, first[-1])
        elif count:
            middle = low + max(Fraction(1), abs(low)) if high is None else (low + high) / 2
            if not _sign(terms, middle):
                yield middle, middle
            waiting += [(low, middle), (middle, high)]
    raise LimitReached("places where the odds of two worlds reach the level are too near")


def _chain(terms: Terms) -> list[Terms]:
    """A function other than 0 and what follows it, the last of one term."""
    found = [terms]
    while len(found[-1]) > 1 or any(p for _, p in found[-1]):
        (least, _), made = min(found[-1]), dict[tuple[Fraction, int], Number]()
        for (rate, power), number in found[-1].items():
            for key, factor in (((rate, power), rate - least), ((rate, power - 1), power)):
                own = made.setdefault(key, {})
                for q, c in number.items() if factor else ():
                    own[q] = own.get(q, 0) + c * _flint(factor)
        found.append(_kept(made))
    return found


def _kept(terms: Terms) -> Terms:
    kept = ((key, {q: c for q, c in number.items() if c}) for key, number in terms.items())
    return {key: number for key, number in kept if number}


def _signs(chain: Sequence[Terms], x: End, side: int) -> list[int]:
    """The signs of a chain right of a number, where `side` is 1, or left of it; the last first."""
    found = [0]
    for one in reversed(chain):
        found.append(_sign(one, x) or side * found[-1])
    return found[1:]


def _changes(signs: Sequence[int]) -> int:
    return sum(a != b for a, b in pairwise(signs))


def _sign(terms: Terms, x: End) -> int:
    """The sign at a rational; for all large numbers where it is None."""
    if x is None:
        return sign_of(terms[max(terms)])
    value: Number = {}
    for (rate, power), number in terms.items():
        for q, c in number.items():
            at = q + rate * x
            value[at] = value.get(at, 0) + c * _flint(x**power)
    return sign_of(value)


def _narrowed(terms: Terms, low: Fraction, high: Fraction, sign: int) -> tuple[Fraction, Fraction]:
    """Near ends of an interval in which the sign changes, `sign` being that right of `low`."""
    from flint import arb, ctx

    before, ctx.prec = ctx.prec, BITS
    try:
        near = [
            (
                _flint(rate),
                power,
                sum((arb(c) * arb(_flint(q)).exp() for q, c in n.items()), arb(0)),
            )
            for (rate, power), n in terms.items()
        ]
        a, b = low, high
        while b - a > WIDTH:
            middle = (a + b) / 2
            x = arb(_flint(middle))
            value = sum((c * x**power * (rate * x).exp() for rate, power, c in near), arb(0))
            if not (value > 0 or value < 0):
                break
            a, b = (middle, b) if (value > 0) == (sign > 0) else (a, middle)
    finally:
        ctx.prec = before
    simple = ((a + b) / 2).limit_denominator(SIMPLE)
    if low < simple < high and not _sign(terms, simple):
        return simple, simple
    unit = 10**DIGITS
    least, most = Fraction(floor(a * unit) - 1, unit), Fraction(floor(b * unit) + 2, unit)
    return max(low, least), min(high, most)


def _flint(number: Fraction | int) -> Any:
    from flint import fmpq

    return fmpq(number.numerator, number.denominator)

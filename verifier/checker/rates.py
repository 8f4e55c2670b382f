"""Polynomials of a parameter x >= 0 and of powers e^(qx), q >= 0: their signs, and their zeros.

Let f' - r f follow f, with the least rate r of f: this has the sign of the derivative of f e^(-rx),
and one power of x less at that rate, so that a single term is left at last. Between two numbers f
has as many zeros as sign changes in this chain are lost from one to the other, or fewer by an even
number (Budan, Fourier). At a rational x the e^(qx) are linearly independent (Lindemann).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf as INFINITE
from math import lcm
from typing import Any

from .document import need, spend
from .numbers import DIGIT, MAX_EXPONENT, MOST_OF_E, NUMBERS, ONE, SCALE, Poly, packed, primitive
from .reading import numbers


POWERS = (1 << DIGIT) - 1  # the part of exponents that is the one of x


def has_rates(a: Poly) -> bool:
    """Whether powers of e are in a polynomial of one parameter."""
    return max(a, default=0) > POWERS


def read_rates(rows: Sequence[Any]) -> Poly:
    """A polynomial with powers of e, from texts of c, i and q for each c x^i e^(qx)."""
    found = Poly()
    for c, i, q in map(numbers, rows):
        whole = type(c) is type(i) is Fraction and c.denominator == i.denominator == 1
        rate = q * SCALE
        fits = 0 <= i <= MAX_EXPONENT and 0 <= q <= MOST_OF_E and rate.denominator == 1
        need(whole and fits and c, "integers, and an exponent that is not too large")
        found[packed([int(i), int(rate)])] = int(c)
    need(len(found) == len(rows) and has_rates(found), "each power once, and one of e")
    return found


def _valued(points: Sequence[tuple[int, int, Fraction]]) -> Poly:
    """A positive multiple of the sum of c x^i e^(qx) over all (exponents, c, x)."""
    unit = lcm(*(x.denominator ** (m & POWERS) for m, _, x in points))
    found: dict[Fraction, int] = {}
    for m, c, x in points:
        rate, power = (m >> DIGIT) * x, x ** (m & POWERS)
        spend(20 + power.numerator.bit_length() // 10)
        found[rate] = found.get(rate, 0) + c * int(power * unit)
    return Poly({k if k.denominator > 1 else int(k): c for k, c in found.items() if c})  # type: ignore[misc]


def sign(a: Poly, x: Fraction) -> int:
    """The sign of a(x), or of a for all large x."""
    if x == INFINITE:
        return (a[max(a)] > 0) - (a[max(a)] < 0) if a else 0
    return NUMBERS.sign(_valued([(m, c, x) for m, c in a.items()]))


@lru_cache(maxsize=1000)
def _chain(a: Poly) -> list[Poly]:
    """A polynomial other than 0, and what follows it."""
    found = [a]
    while len(found[-1]) > 1 or max(found[-1]) & POWERS:
        last, terms = found[-1], dict[int, int]()
        rate = min(last) >> DIGIT
        spend(100 + 20 * len(last) * len(found))
        for m, c in last.items():
            terms[m] = terms.get(m, 0) + c * ((m >> DIGIT) - rate)
            if m & POWERS:
                terms[m - 1] = terms.get(m - 1, 0) + c * (m & POWERS) * SCALE
        found.append(primitive(Poly({m: c for m, c in terms.items() if c})))
    return found


def _changes(chain: Sequence[Poly], x: Fraction, side: int) -> int:
    """The sign changes of a chain above x, or below it where `side` is -1."""
    last, signs = 0, list[int]()
    for one in reversed(chain):
        last = sign(one, x) or side * last
        signs.append(last)
    return sum(s != t for s, t in pairwise(signs))


def variations(a: Poly, low: Fraction, high: Fraction) -> int:
    """0 or 1 is the number of zeros between `low` and `high`, with their multiplicities."""
    need(low >= 0, "powers of e have a parameter that is at least 0")
    lost = _changes(_chain(a), low, 1) - _changes(_chain(a), high, -1)
    return 0 if lost > 1 and high != INFINITE and _is_apart(a, low, high) else lost


def _is_apart(a: Poly, low: Fraction, high: Fraction) -> bool:
    """Whether positive terms at one end outweigh the others at the other one."""
    for up in (1, -1):
        ends = [(m, up * c, low if up * c > 0 else high) for m, c in a.items()]
        if NUMBERS.sign(_valued(ends)) > 0:
            return True
    return False


def shared(a: Poly, b: Poly) -> Poly:
    """One of two polynomials that divides the other, without a constant factor; else 1."""
    for one, other in ((a, primitive(b)), (b, primitive(a))):
        if _divides(other, one):
            return other
    return ONE


def _divides(b: Poly, a: Poly) -> bool:
    """Whether a is b, which is not 0, times a polynomial; the largest exponents first."""
    lead, rest = max(b, default=0), dict(a)
    while b and rest:
        spend(10 + 3 * len(b))
        first = max(rest)
        x, left = divmod(rest[first], b[lead])
        if left or first < lead or (first - lead) & POWERS > MAX_EXPONENT:
            return False
        for m, y in b.items():
            at = first - lead + m
            rest[at] = rest.get(at, 0) - x * y
            if not rest[at]:
                del rest[at]
    return bool(b)

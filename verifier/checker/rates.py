"""Polynomials of a parameter x >= 0 and of powers e^(qx + r), q, r >= 0: their signs, and zeros.

Let f' - r f follow f, with the least rate r of f: this has the sign of the derivative of f e^(-rx),
and one power of x less at that rate, so that a single term is left at last. Between two numbers f
has as many zeros as sign changes in this chain are lost from one to the other, or fewer by an even
number (Budan, Fourier). At a rational x different e^(qx + r) are linearly independent (Lindemann);
of a polynomial that x - k does not divide it is a zero only where two exponents are the same.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import gcd, inf, lcm
from typing import Any

from .document import kept, need, spend
from .numbers import (
    CONSTANT,
    DIGIT,
    MAX_EXPONENT,
    MOST_OF_E,
    NUMBERS,
    ONE,
    SCALE,
    ZERO,
    Poly,
    divided,
    packed,
    primitive,
)
from .reading import numbers

INFINITE: Any = inf  # the upper end of numbers that have none
POWERS = (1 << DIGIT) - 1  # the part of exponents that is the one of x
WITH_X = (1 << CONSTANT) - 1  # and that of e^(qx) besides, without the one of e


def has_rates(a: Poly) -> bool:
    """Whether powers of e are in a polynomial of one parameter."""
    return max(a, default=0) > POWERS


def read_rates(rows: Sequence[Any]) -> Poly:
    """A polynomial with powers of e, from texts of c, i and q for each c x^i e^(qx), or of c, i, q
    and r for each c x^i e^(qx + r)."""
    found = Poly()
    for row in rows:
        c, i, q, r, *_ = numbers([*row, "0"])
        known = [i, q * SCALE, Fraction(0), r * SCALE]
        fits = 0 <= i <= MAX_EXPONENT and 0 <= min(q, r) <= max(q, r) <= MOST_OF_E
        whole = all(x.denominator == 1 for x in [c, *known])
        need(whole and fits and c, "integers, and an exponent that is not too large")
        found[packed(map(int, known))] = int(c)
    need(len(found) == len(rows) and has_rates(found), "each power once, and one of e")
    return found


def _valued(points: Sequence[tuple[int, int, Fraction]]) -> Poly:
    """A positive multiple of the sum of c x^i e^(qx + r) over all (exponents, c, x)."""
    unit = lcm(*(x.denominator ** (m & POWERS) for m, _, x in points))
    found: dict[Fraction, int] = {}
    for m, c, x in points:
        rate, power = ((m & WITH_X) >> DIGIT << CONSTANT) * x + (m & ~WITH_X), x ** (m & POWERS)
        spend(20 + power.numerator.bit_length() // 10)
        found[rate] = found.get(rate, 0) + c * int(power * unit)
    return Poly({k if k.denominator > 1 else int(k): c for k, c in found.items() if c})  # type: ignore[misc]


def sign(a: Poly, x: Fraction) -> int:
    """The sign of a(x), or of a for all large x."""
    if x == INFINITE:
        most = max((m & WITH_X for m in a), default=0)
        return NUMBERS.sign(Poly({m - most: c for m, c in a.items() if m & WITH_X == most}))
    return NUMBERS.sign(_valued([(m, c, x) for m, c in a.items()]))


@kept
def _chain(a: Poly) -> list[Poly]:
    """A polynomial other than 0, and what follows it."""
    found = [a]
    while len(parts := {m & WITH_X for m in found[-1]}) > 1 or max(parts) & POWERS:
        spend(100 + 20 * len(found[-1]) * len(found))
        found.append(follows(found[-1]))
    return found


def follows(a: Poly) -> Poly:
    """A positive multiple of a' - r a, with the least rate r of a."""
    rate, terms = min(m & WITH_X for m in a) >> DIGIT, dict[int, int]()
    for m, c in a.items():
        terms[m] = terms.get(m, 0) + c * (((m & WITH_X) >> DIGIT) - rate)
        if m & POWERS:
            terms[m - 1] = terms.get(m - 1, 0) + c * (m & POWERS) * SCALE
    return primitive(Poly({m: c for m, c in terms.items() if c}))


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


def common(a: Poly, b: Poly, shift: int = CONSTANT) -> Poly:
    """The largest common divisor of a and b, not both 0, as polynomials of x, e^x and e, or of what
    is below the exponents that begin at `shift`: of remainders without contents."""
    if not (a and b) or shift < 0:
        return Poly({0: gcd(*a.values(), *b.values())}) if shift < 0 else a or b
    contents = [_content(a, shift), _content(b, shift)]
    a, b = map(divided, (a, b), contents)
    while b:
        rest, lead = a, _lead(b, shift)
        while rest and max(rest) >> shift >= max(b) >> shift:
            at = (max(rest) >> shift) - (max(b) >> shift) << shift
            factor = Poly({m + at: c for m, c in _lead(rest, shift).items()})
            rest = rest.times(lead).plus(b.times(factor), -1)
        a, b = b, divided(rest, _content(rest, shift)) if rest else rest
    return a.times(common(contents[0], contents[1], shift - DIGIT))


def _lead(a: Poly, shift: int) -> Poly:
    """The coefficient of the highest power of the variable whose exponents begin at `shift`."""
    top = max(a) >> shift
    return Poly({m - (top << shift): c for m, c in a.items() if m >> shift == top})


def _content(a: Poly, shift: int) -> Poly:
    """The largest common divisor of all coefficients of powers of that variable."""
    found, rest = ZERO, a
    while rest and found != ONE:
        lead, top = _lead(rest, shift), max(rest) >> shift
        found = common(found, lead, shift - DIGIT)
        rest = Poly({m: c for m, c in rest.items() if m >> shift < top})
    return found


def distinct(a: Poly) -> Poly:
    """The product of the factors of a, each once."""
    return divided(a, common(a, follows(a)))


def coincidences(a: Poly) -> list[Fraction]:
    """The numbers at which two exponents of e in a are the same, if constants are among them."""
    rates = {((m & WITH_X) >> DIGIT, m >> CONSTANT) for m in a}
    spend(len(rates) ** 2)
    pairs = combinations(rates, 2) if max(a) > WITH_X else ()
    return sorted({Fraction(s - r, q - p) for (q, r), (p, s) in pairs if q != p})

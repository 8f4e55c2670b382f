"""Real roots of integer polynomials, as exact numbers that can be compared.

A real number is rational, or a `Root`: an irreducible polynomial and an interval that has no other
root of it. Polynomials are lists of integers from the constant term up, or exponential ones. An end
of an interval may be `INFINITE`.

>>> golden, = real_roots((-1, -1, 1), Fraction(0), Fraction(2))
>>> compare(golden, Fraction(8, 5)), sign_at((-1, -1, 1), golden)
(1, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from typing import Any

from verifier.base import cell, exact
from verifier.base import exponential_polynomial as exponentials
from verifier.base.cell import Coefficients, Root
from verifier.base.exponential_polynomial import INFINITE, ExponentialPolynomial

End = Fraction | Root
DIGITS = 10  # of the ends of the interval around a root, unless others are nearer
NEAR = Fraction(1, 2**80)  # of a root, where balls are tried first


def real_roots(polynomial: Sequence[int], low: End, high: End) -> list[End]:
    """The different roots of a polynomial other than 0 in an open interval, ascending.

    polynomial  integers from the constant term up
    low, high   the ends of the interval
    """
    outer = _outside(low, high)
    if isinstance(polynomial, ExponentialPolynomial):
        listed: Any = _of_exponential(polynomial, *outer)
    elif not may_vanish(polynomial, *outer):
        return []
    else:
        listed = [r for factor in _factors(tuple(polynomial)) for r in _of_factor(factor)]
    found = [root for root in listed if compare(low, root) < 0 < compare(high, root)]
    return sorted(found, key=cmp_to_key(compare))


def may_vanish(polynomial: Sequence[int], low: End, high: End) -> bool:
    """Whether Descartes' rule leaves open that there is a root in an open interval.

    The interval is extended to rational ends, at which roots are first divided out.
    """
    from flint import fmpq, fmpz_poly

    low, high = _outside(low, high)
    if isinstance(polynomial, ExponentialPolynomial):
        return len(polynomial) > 1 and cell.variations(polynomial, low, high) > 0
    rest = fmpz_poly(list(polynomial))
    for end in (low, *[high] * (high != INFINITE)):
        while rest.degree() > 0 and not rest(fmpq(end.numerator, end.denominator)):
            rest //= fmpz_poly([-end.numerator, end.denominator])
    return rest.degree() > 0 and cell.variations(tuple(map(int, rest.coeffs())), low, high) > 0


def compare(x: End, y: End) -> int:
    """-1, 0 or 1, as x is smaller than y, equal or larger.

    >>> root, = real_roots((-2, 0, 1), Fraction(0), Fraction(2))
    >>> compare(root, Fraction(7, 5)), compare(root, root), compare(Fraction(3, 2), root)
    (1, 0, 1)
    """
    if not isinstance(x, Root) and not isinstance(y, Root):
        return (x > y) - (x < y)
    if isinstance(x, Root) and isinstance(y, Root):
        low, high = max(x.low, y.low), min(x.high, y.high)
        if low < high and _have_common_root(x.polynomial, y.polynomial, low, high):
            return 0
    width = Fraction(1, 2**10)
    while True:
        (a, b), (c, d) = enclosed(x, width), enclosed(y, width)
        if b <= c or d <= a:
            return -1 if b <= c else 1
        width /= 2**20


def _have_common_root(
    one: Coefficients, other: Coefficients, low: Fraction, high: Fraction
) -> bool:
    """Whether two irreducible polynomials, each with at most one root from `low` to `high`, have it
    in common."""
    if one == other:
        return _sign(one, low) != _sign(one, high)
    if not any(isinstance(each, ExponentialPolynomial) for each in (one, other)):
        return False
    return exponentials.have_common_zero(one, other, low, high)


def enclosed(x: End, width: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around a number, at most `width` > 0 apart; the number twice if it is rational."""
    return x.enclosed(width) if isinstance(x, Root) else (x, x)


def apart(x: End, y: End) -> tuple[Fraction, Fraction]:
    """Rationals between two numbers x < y: x <= the first < the second <= y."""
    if y == INFINITE:
        low = enclosed(x, Fraction(1))[1]
        return low, low + 3
    width = Fraction(1, 2**10)
    while True:
        low, high = enclosed(x, width)[1], enclosed(y, width)[0]
        if low < high:
            return low, high
        width /= 2**20


def between(x: End, y: End) -> Fraction:
    """A simple rational strictly between two numbers x < y, not near either.

    >>> between(Fraction(1, 2), Fraction(1))
    Fraction(2, 3)
    """
    low, high = apart(x, y)
    third = (high - low) / 3
    return simple(low + third, high - third)


def simple(low: Fraction, high: Fraction) -> Fraction:
    """The rational of the smallest denominator from `low` to `high`, of any sign."""
    if low <= 0 <= high:
        return Fraction(0)
    return -exact.simplest(-high, -low) if high < 0 else exact.simplest(low, high)


def sign_at(polynomial: Sequence[int], x: End) -> int:
    """The sign of a polynomial at a number: -1, 0 or 1."""
    if not isinstance(x, Root):
        return cell.sign_at(polynomial, x)
    if isinstance(polynomial, ExponentialPolynomial):
        value = exponentials.valued(polynomial, _ball(x))
    elif len(polynomial) < 2:
        return _sign(polynomial, Fraction(0))
    else:
        from flint import fmpz_poly

        value = fmpz_poly(list(polynomial))(_ball(x))
    if value > 0 or value < 0:
        return 1 if value > 0 else -1
    return x.sign(polynomial if isinstance(polynomial, tuple) else tuple(polynomial))


def _sign(polynomial: Sequence[int], x: Fraction) -> int:
    return cell.sign_at(polynomial, x)


def _outside(low: End, high: End) -> tuple[Fraction, Fraction]:
    """Rational ends of an interval that is hardly larger."""
    return enclosed(low, NEAR)[0], enclosed(high, NEAR)[1]


@lru_cache(maxsize=1000)
def _ball(root: Root) -> Any:
    from flint import arb, fmpq

    low, high = root.enclosed(NEAR)
    middle, radius = (low + high) / 2, (high - low) / 2
    return arb(
        arb(fmpq(middle.numerator, middle.denominator)),
        arb(fmpq(radius.numerator, radius.denominator)).upper(),
    )


@lru_cache(maxsize=1000)
def _factors(polynomial: Coefficients) -> tuple[Coefficients, ...]:
    """The irreducible factors that are not constant, each once."""
    from flint import fmpz_poly

    _, found = fmpz_poly(list(polynomial)).factor()
    return tuple(tuple(map(int, factor.coeffs())) for factor, _ in found)


@lru_cache(maxsize=1000)
def _of_exponential(
    polynomial: ExponentialPolynomial, low: Fraction, high: Fraction
) -> tuple[End, ...]:
    """The zeros of an exponential polynomial in an open interval."""
    if exponentials.variations(polynomial, low, high) == 0:
        return ()
    found = list[End]()
    for factor in exponentials.factors(polynomial):
        if isinstance(factor, ExponentialPolynomial):
            pairs = exponentials.isolated(factor, low, high)
            found += [_root(factor, *ends) if ends[0] < ends[1] else ends[0] for ends in pairs]
        else:
            found += real_roots(factor, low, high)
    return tuple(found)


@lru_cache(maxsize=1000)
def _of_factor(factor: Coefficients) -> tuple[End, ...]:
    """The real roots of an irreducible polynomial.

    Those that FLINT isolates have an imaginary part of exactly 0 where they are real.
    """
    from flint import fmpz_poly

    if len(factor) == 2:
        return (Fraction(-factor[0], factor[1]),)
    found: Any = fmpz_poly(list(factor)).complex_roots()
    balls = [each.real for each, _ in found if each.imag == 0]
    return tuple(_root(factor, *_bounds(ball)) for ball in balls)


def _bounds(ball: Any) -> tuple[Fraction, Fraction]:
    middle, radius = (Fraction(int(x.p), int(x.q)) for x in (ball.mid().fmpq(), ball.rad().fmpq()))
    return middle - radius, middle + radius  # exactly: ends that are rounded would take in others


def _root(factor: Coefficients, low: Fraction, high: Fraction) -> Root:
    """The root between `low` and `high`, with the shortest decimals around it that isolate it."""
    unit = 10**DIGITS
    root = Root(factor, low, high)
    while True:
        low, high = root.enclosed(Fraction(1, 4 * unit))
        below = Fraction((low * unit).__floor__(), unit)
        above = Fraction((high * unit).__ceil__(), unit)
        if cell.variations(factor, below, above) == 1:
            return Root(factor, below, above)
        unit *= unit

"""Levels as people read them: the logarithm of an exact level as a rounded decimal.

Six digits after the point; more for a small number, of which six digits count. The logarithm of a
rational other than 1 is irrational (F. Lindemann, Über die Zahl π, Mathematische Annalen 20, 1882),
so that two bounds which are close enough are rounded alike.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

PLACES = 6
DIGITS = 40  # of the first bounds
LONGEST = 12  # places; smaller numbers have a power of ten


def logarithm(value: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    """The natural logarithm of a number above 0, correctly rounded.

    value     the number
    rounding  one of the modes of the module `decimal`

    >>> logarithm(Fraction(3)), logarithm(Fraction(10**9 + 1, 10**9)), logarithm(Fraction(1))
    ('1.098612', '1.00000e-9', '0.000000')
    """
    if value == 1:
        return _text(Decimal(0), rounding)
    if type(value) is not Fraction:
        from verifier.base.exponential import exponent

        if (known := exponent(value)) is not None:
            return rounded(known)
    digits = DIGITS
    while True:
        low, high = (_text(end, rounding) for end in bounds(value, digits))
        if low == high:
            return low
        digits *= 2


def logarithm_of_root(value: Fraction, root: int) -> str:
    """The natural logarithm of a root of a number of at least 1, rounded down.

    >>> logarithm_of_root(Fraction(27), 2), logarithm_of_root(Fraction(1), 3)
    ('1.647918', '0.000000')
    """
    digits = DIGITS
    while value != 1:
        with localcontext(prec=digits, rounding=ROUND_FLOOR):
            ends = [end / root for end in bounds(value, digits)]
        low, high = (_text(end, ROUND_FLOOR) for end in ends)
        if low == high:
            return low
        digits *= 2
    return _text(Decimal(0), ROUND_FLOOR)


def rounded(value: Fraction) -> str:
    """A number, correctly rounded.

    >>> rounded(Fraction(1, 2)), rounded(Fraction(2, 3)), rounded(Fraction(1, 30))
    ('0.500000', '0.666667', '0.0333333')
    """
    with localcontext(prec=DIGITS):
        near = round(value, _places(_quotient(value)))
        return _text(_quotient(near), ROUND_HALF_EVEN)


def enclosed(low: Fraction, high: Fraction) -> str:
    """The logarithm of a number between two bounds above 0: itself where both are rounded alike,
    otherwise the interval, rounded outwards.

    >>> enclosed(Fraction(2), Fraction(3))
    '[0.693147, 1.098613]'
    """
    first, last = logarithm(low), logarithm(high)
    if first == last:
        return first
    return f"[{logarithm(low, ROUND_FLOOR)}, {logarithm(high, ROUND_CEILING)}]"


def significant(value: Fraction, digits: int = 12) -> str:
    """The first digits of a number, rounded.

    >>> from verifier.base.exponential import power
    >>> significant(power(1)), significant(power(-20)), significant(Fraction(10**20, 3))
    ('2.71828182846', '2.06115362244e-9', '3.33333333333e+19')
    """
    if type(value) is not Fraction:
        from verifier.base import exponential

        value = exponential.bounds(value, DIGITS)[0]
    with localcontext(prec=max(DIGITS, digits)):
        return f"{_quotient(value):.{digits}g}"


def bounds(value: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Numbers below and above the logarithm of `value`, from logarithms of so many digits."""
    if type(value) is not Fraction:
        from verifier.base import exponential

        ends = exponential.bounds(value, digits)
        return bounds(ends[0], digits)[0], bounds(ends[1], digits)[1]
    with localcontext(prec=digits) as context:
        top, bottom = _ln(value.numerator, digits), _ln(value.denominator, digits)
        context.rounding = ROUND_FLOOR
        low = top.next_minus() - bottom.next_plus()
        context.rounding = ROUND_CEILING
        return low, top.next_plus() - bottom.next_minus()


@lru_cache(maxsize=2**10)
def _ln(whole: int, digits: int) -> Decimal:
    """The logarithm of a positive integer, `whole`."""
    with localcontext(prec=digits):
        return Decimal(whole).ln()


def _quotient(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _places(value: Decimal) -> int:
    return max(PLACES, PLACES - 1 - value.adjusted()) if value else PLACES


def _text(value: Decimal, rounding: str) -> str:
    places = _places(value)
    with localcontext(prec=DIGITS):
        near = value.quantize(Decimal(1).scaleb(-places), rounding)
        return f"{near:f}" if places <= LONGEST else f"{near:.{PLACES - 1}e}"

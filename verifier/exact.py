"""The one door for numbers: text, int and Fraction come in, Fraction comes out.

Nothing behind this door is rounded. A float is refused: it has been rounded before it got here
(`0.1` would be 3602879701896397/36028797018963968).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from fractions import Fraction

from verifier.errors import InputError, LimitReached

MAX_DIGITS = 10_000
MAX_EXPONENT = 10_000
MAX_BITS = 10**6

# Exact answers may be longer than the interpreter's default cap of 4,300 digits; the caps above
# bound what is read.
sys.set_int_max_str_digits(0)

_NATURAL = r"(?:0|[1-9][0-9]*)"
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?:(?P<num>{_NATURAL})/(?P<den>{_NATURAL})"
    rf"|(?=[0-9.])(?P<whole>{_NATURAL})?(?:\.(?P<frac>[0-9]+))?(?:[eE](?P<exp>[+-]?[0-9]+))?)"
)


def number(value: str | int | Fraction) -> Fraction:
    """The exact rational that `value` denotes.

    Raises InputError S101 when it is no number (or a float), S102 beyond the caps on digits and
    exponents, which are tested before anything large is built.

    >>> number("0.1"), number("1/3"), number("1e-9") == Fraction(1, 10**9)
    (Fraction(1, 10), Fraction(1, 3), True)
    """
    if isinstance(value, bool):
        raise InputError("S101", f"a number was expected, found the truth value {value}")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, float):
        raise InputError(
            "S101",
            f"a float is refused: {value!r} has already been rounded; write it as text or Fraction",
        )
    if not isinstance(value, str):
        raise InputError("S101", f"a number was expected, found {type(value).__name__}")
    return _parse(value.strip())


def _parse(text: str) -> Fraction:
    shown = text if len(text) <= 40 else text[:37] + "..."
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise InputError("S101", f"'{shown}' is not an exact number such as 3, 1/3, 0.25 or 1e-9")
    part = match.groupdict(default="")
    digits = len(text) - len(part["exp"])
    if digits > MAX_DIGITS:
        raise InputError("S102", f"number with {digits} characters, at most {MAX_DIGITS} allowed")
    sign = -1 if part["sign"] == "-" else 1
    if part["den"]:
        if int(part["den"]) == 0:
            raise InputError("S101", f"'{shown}' divides by zero")
        return Fraction(sign * int(part["num"]), int(part["den"]))
    exponent = part["exp"].lstrip("+-0") or "0"
    if len(exponent) > 5 or int(exponent) > MAX_EXPONENT:
        raise InputError("S102", f"'{shown}' has an exponent beyond {MAX_EXPONENT}")
    power = int(part["exp"] or 0) - len(part["frac"])
    mantissa = sign * int(part["whole"] + part["frac"])
    return Fraction(mantissa) * Fraction(10) ** power


def looks_like_number(text: str) -> bool:
    """Whether a scalar of a file denotes a number; `011` does not, it keeps its leading zero."""
    return _NUMBER.fullmatch(text) is not None


def total(values: Iterable[Fraction | int]) -> Fraction:
    """The sum; LimitReached where different denominators would make it extremely long.

    >>> total([Fraction(1, 3), Fraction(1, 6)])
    Fraction(1, 2)
    """
    terms = list(values)
    bits = sum(d.bit_length() for d in {term.denominator for term in terms})
    if bits > MAX_BITS:
        raise LimitReached(f"a sum with denominators of {bits} binary digits is too long")
    return Fraction(sum(terms))


def text(value: Fraction | int) -> str:
    """The canonical text of a rational: `p/q` in lowest terms, or `p`."""
    return str(value)

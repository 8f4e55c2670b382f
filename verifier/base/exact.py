"""The one door for numbers: text, int and Fraction come in, Fraction comes out.

Nothing behind this door is rounded. A float is refused: it has been rounded before it got here
(`0.1` would be 3602879701896397/36028797018963968).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from math import gcd, isqrt, lcm, prod
from typing import Any

from verifier.base import parameters
from verifier.base.errors import InputError, LimitReached

MAX_DIGITS = 10_000
MAX_EXPONENT = 10_000
MAX_BITS = 10**6
RATIONAL = (int, Fraction)

# Exact answers may be longer than the interpreter's default cap of 4,300 digits; the caps above
# bound what is read.
sys.set_int_max_str_digits(0)

_NATURAL = r"(?:0|[1-9][0-9]*)"
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?:(?P<num>{_NATURAL})/(?P<den>{_NATURAL})"
    rf"|(?=[0-9.])(?P<whole>{_NATURAL})?(?:\.(?P<frac>[0-9]+))?(?:[eE](?P<exp>[+-]?[0-9]+))?)"
)
_DECIMAL = rf"(?=[0-9.])(?:{_NATURAL})?(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
# numbers with operators or brackets between them; that it can be read is found out by reading it
_DATE = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"  # which nobody means as a difference
ARITHMETIC = rf"(?!{_DATE} *$)[-+( ]*{_DECIMAL}(?: *[-+*/^()][-+*/^() ]*{_DECIMAL})*[) ]*"
_ARITHMETIC = re.compile(ARITHMETIC)
_POWER_OF_E = re.compile(r"(?<![\w.])e(?:xp)?(?!\w)")
PATTERN = re.sub(r"\?P<\w+>", "?:", _NUMBER.pattern)  # of any dialect of regular expressions


def number(value: str | int | Fraction) -> Fraction:
    """The exact rational that `value` denotes.

    Raises InputError S101 when it is no number (or a float), S102 beyond the caps on digits and
    exponents, which are tested before anything large is built.

    >>> number("0.1"), number("1/3"), number("1e-9") == Fraction(1, 10**9)
    (Fraction(1, 10), Fraction(1, 3), True)
    """
    if isinstance(value, bool):
        raise InputError("S101", f"a number was expected, found the truth value {value}")
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
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
    if _NUMBER.fullmatch(text) is None and is_formula(text):
        from verifier.base import formula

        return formula.number(text, _plain)
    return _plain(text)


def _plain(text: str) -> Fraction:
    """The number that a `text` without operators denotes."""
    shown = text if len(text) <= 40 else text[:37] + "..."
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise InputError("S101", f"'{shown}' is not an exact number", hint=_meant(text))
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


def _meant(text: str) -> str:
    """The hint how a number is written, which somebody wrote in another way."""
    if found := parameters.TEXT.search(text):
        return f"give {found[0]} a value: --set {found[1]}=1/4"
    found = re.fullmatch(r"([0-9./]+) ?([A-Za-z_]\w*)", text)
    if found and parameters.parameter_value(found[2]) is not None:
        return f"write {found[1]}*{found[2]}"
    plain = unicodedata.normalize("NFKC", text[:100]).translate({0x2044: "/", 0x2212: "-"})
    plain = "".join(str(unicodedata.decimal(sign, sign)) for sign in plain)
    plain = re.sub(r"(?<=[0-9])[_' ](?=[0-9])|(?<=[-+/]) +| +(?=/)", "", plain).rstrip(".")
    if re.search(r"[0-9],[0-9]{3}(?![0-9])", plain):
        return "write it without the comma"
    plain = re.sub(r"^([+-]?)0+(?=[0-9])", r"\1", re.sub(r"(?<=[0-9]),(?=[0-9])", ".", plain))
    value: Fraction | None = None
    if re.fullmatch(r"0[xob][0-9a-f]{1,30}", plain, re.I):
        with suppress(ValueError):
            value = Fraction(int(plain, 0))
    parts = re.sub(r" *(%|percent)$", "/100", plain).split("/")
    if value is None and all(map(_NUMBER.fullmatch, parts)) and len(parts) <= 2:
        with suppress(InputError, ZeroDivisionError):
            first, *divisors = map(_plain, parts)
            value = first / prod(divisors)
    written = "" if value is None else str(value)
    if 0 < len(written) < 60:
        return f"write {written}"
    names = ", ".join(parameters.active().names) if re.search(r"[A-Za-z]", text) else ""
    return f"write 3, 1/3, 0.25 or 1e-9{'; the parameters are: ' if names else ''}{names}"


def looks_like_number(text: str) -> bool:
    """Whether the `text` of a file denotes a number; `011`, which keeps its leading zero, and `1/0`
    do not."""
    match = _NUMBER.fullmatch(text)
    return match is not None and match["den"] != "0"


def is_formula(text: str) -> bool:
    """Whether the `text` of a file may denote a number that is written with operators, powers of e
    or parameters, such as 1/2 - 1/3 or exp(1/2)."""
    return (
        is_arithmetic(text) or _POWER_OF_E.search(text) is not None or parameters.is_mentioned(text)
    )


def is_arithmetic(text: str) -> bool:
    """Whether a `text` is made of plain numbers, operators and brackets, such as (1 - 1/3)/2."""
    return _ARITHMETIC.fullmatch(text) is not None


def is_irrational(value: Fraction | int) -> bool:
    """Whether a number has no numerator, as it is made of powers of e or of a parameter."""
    return type(value) not in RATIONAL and isinstance(value, Fraction)  # the second is slow


def numbers(texts: Iterable[str]) -> list[Fraction | None]:
    """The number that each of the `texts` of a file denotes; None where it does not look like one.

    InputError S102 where one looks like a number and is too long.
    """
    return [number(text) if looks_like_number(text) else None for text in texts]


def in_integers(values: Sequence[Any]) -> tuple[int, list[Any]]:
    """A common denominator of the `values`, and the values times it, which are integers; (1, the
    values themselves) where one is irrational.

    >>> in_integers([Fraction(1, 2), Fraction(2, 3)])
    (6, [3, 4])
    """
    if any(map(is_irrational, values)):
        return 1, list(values)
    unit = lcm(*(value.denominator for value in values))
    return unit, [value.numerator * (unit // value.denominator) for value in values]


def cleared(values: Sequence[Any]) -> tuple[Any, list[Any]]:
    """A positive number, and each of the `values` times it: integers, or sums of powers of e or
    polynomials of a parameter, where a value has these."""
    for value in values:
        if is_irrational(value):
            from verifier.base import quotient

            return quotient.scaled_quotients(values)
    return in_integers(values)


def coprime(values: Sequence[Any]) -> list[Any]:
    """Numbers in the same proportions as `values`, with the same signs: integers without a common
    factor, or with powers of e as short as they are found. Not all values are 0.

    >>> coprime([Fraction(1, 2), 2])
    [1, 4]
    """
    for value in values:
        if is_irrational(value):
            from verifier.base import quotient

            return quotient.coprime(values)
    _, parts = in_integers(values)
    common = gcd(*parts)
    return [part // common for part in parts]


def over(mass: Any, unit: Any) -> Fraction:
    """The number `mass` / `unit`, of integers or of numbers of any kind."""
    if is_irrational(mass) or is_irrational(unit):
        found: Fraction = mass / unit
        return found
    return Fraction(mass, unit)


def total(values: Iterable[Fraction | int]) -> Fraction:
    """The sum of the `values`; LimitReached where their denominators would make it extremely long.

    >>> total([Fraction(1, 3), Fraction(1, 6)])
    Fraction(1, 2)
    """
    terms = list(values)
    for term in terms:
        if is_irrational(term):
            from verifier.base import quotient

            return quotient.added(terms)
    bits = sum(d.bit_length() for d in {term.denominator for term in terms})
    if bits > MAX_BITS:
        raise LimitReached(f"a sum with denominators of {bits} binary digits is too long")
    return Fraction(0) + sum(terms)


def root(square: Fraction, degree: int = 2) -> Fraction | None:
    """The square root of a number >= 0; None where it is neither rational nor found to be made of
    powers of e. Another `degree` than 2 goes with numbers that are no rationals.

    >>> root(Fraction(9, 4)), root(Fraction(2))
    (Fraction(3, 2), None)
    """
    if is_irrational(square):
        from verifier.base import quotient

        return quotient.root(square, degree)
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    exactly = top * top == square.numerator and bottom * bottom == square.denominator
    return Fraction(top, bottom) if exactly else None


def near(value: Fraction | int, bits: int = 64) -> Fraction:
    """A rational number near a `value`, to so many binary digits; a rational one itself. A function
    of a parameter has the value of its sample."""
    if is_irrational(value):
        irrational: Any = value
        found: Fraction = irrational.near(bits)
        return found
    return Fraction(value)


def largest(values: Iterable[Fraction]) -> Fraction:
    """The largest of some `values`.

    Functions of a parameter are first compared at the sample alone, which records nothing. Then
    only comparisons with the largest one are recorded, and the cell around the sample stays large.
    """
    found = list(values)
    return max([max(found, key=near), *found] if any(map(is_symbolic, found)) else found)


def floor(value: Fraction | int) -> Any:
    """The largest integer that is at most a `value`; a function of a parameter itself."""
    if is_symbolic(value):
        return value
    if is_irrational(value):
        from verifier.base import exponential

        return exponential.floor(number(value))
    return value.__floor__()


def ratio(value: Fraction) -> tuple[Any, int]:
    """Numerator and denominator of a `value`. One with powers of e has itself and 1."""
    return (value, 1) if is_irrational(value) else value.as_integer_ratio()


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational with the smallest denominator in [low, high], 0 <= low <= high.

    It is read off the continued fractions of both ends, of any length.

    low, high  the ends of the interval

    >>> simplest(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    wholes = []
    while low.__ceil__() > high:
        wholes.append(low.__floor__())
        low, high = 1 / (high - wholes[-1]), 1 / (low - wholes[-1])
    found = Fraction(low.__ceil__())
    for whole in reversed(wholes):
        found = whole + 1 / found
    return found


def share(value: Fraction | int) -> str:
    """The hint what probability a `value` outside [0, 1] may have been meant to be."""
    if 1 < value <= 100 and not is_irrational(value) and value.denominator == 1:
        return f"write {text(Fraction(value) / 100)} for {text(value)} percent"
    return "write a number from 0 to 1, such as 1/3 or 0.25"


def completed(values: Sequence[Fraction | int]) -> str:
    """The hint which of the `values` to change so that their sum is 1; nothing where it is too
    long."""
    whole = total(values)
    last = next((value for value in reversed(values) if value), Fraction(0))
    rest = last + 1 - whole
    if len(values) > 100:
        return ""
    if last and 0 <= rest <= 1:
        hint = f"{text(rest)} in place of {text(last)} makes it 1"
    else:
        shares = ", ".join(text(number(value) / whole) for value in values) if whole > 0 else ""
        hint = f"divided by their sum they are {shares}" if shares else ""
    return hint if len(hint) <= 120 else ""


def text(value: Fraction | int) -> str:
    """The text of a `value` in lowest terms: `p/q`, or `p`; an irrational one as it is read."""
    return str(value)


def is_symbolic(value: Fraction | int) -> bool:
    """Whether a number depends on a parameter."""
    return getattr(value, "is_symbolic", False)

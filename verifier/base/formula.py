"""Numbers written with operators, such as 1/2 - 1/3, powers of e and parameters: arithmetic.

Numbers, `exp(q)` and `e^q`, for a rational q, and the names of the parameters of a file are put
together by + − * / and whole powers, with brackets.
What reports print, such as (1 + e)/2, is read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from verifier.base import parameters
from verifier.base.errors import InputError
from verifier.base.exponential import Exponential, power
from verifier.base.exponential import exponent as logarithm
from verifier.base.rational_function import RationalFunction, power_of, rate_of

MAX_LENGTH = 10_000
MAX_BITS = 10**6
MAX_EXPONENT = 10_000  # of e
MAX_POWER = 1_000  # of other numbers
MAX_DEPTH = 50
_TOKEN = re.compile(
    r"\s*((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|exp|e|\*\*|[-+*/^()])"
)


def number(text: str, rational: Callable[[str], Fraction]) -> Fraction:
    """The exact number that a `text` with operators denotes.

    text      such as exp(1/2)/(1 + exp(1/2))
    rational  reads the plain numbers in it

    >>> str(number("exp(1/2) / (1 + exp(1/2))", Fraction))
    'e^(1/2)/(1 + e^(1/2))'

    Raises InputError S115 where it cannot be read, S116 for a power of e that is not rational or
    too large, S117 for other powers, S102 for a number that is too long.
    """
    if len(text) > MAX_LENGTH:
        raise InputError("S102", f"a number with {len(text)} characters")
    formula = _Formula(text, rational)
    try:
        value = formula.sum(0)
    except ZeroDivisionError:
        raise InputError("S115", f"'{text[:40]}' divides by zero") from None
    if formula.next:
        raise formula.unread()
    return value


class _Formula:
    """What is left to read of a text: `next` is the token at the place, "" at the end."""

    def __init__(self, text: str, rational: Callable[[str], Fraction]) -> None:
        self.text, self.place, self.next, self.rational = text, 0, "", rational
        self.names = parameters.pattern()
        self.advance()

    def advance(self) -> str:
        """The next token, which is left behind."""
        before, rest = self.next, self.text[self.place :]
        match = _TOKEN.match(rest)
        if self.names and (named := self.names.match(rest.lstrip())):
            self.next, self.place = (
                named[1],
                self.place + len(rest) - len(rest.lstrip()[named.end() :]),
            )
            return before
        self.next = match[1] if match else rest.strip()[:1]
        self.place += match.end() if match else len(rest)
        return before

    def unread(self) -> InputError:
        """The error that something else was expected at this place."""
        found = f"'{self.next}'" if self.next else "the end"
        return InputError("S115", f"'{self.text[:40]}' is no number: {found} was not expected")

    def sum(self, depth: int) -> Fraction:
        """Terms with + or − between them; `depth` brackets are open."""
        if depth > MAX_DEPTH:
            raise InputError("S115", f"more than {MAX_DEPTH} brackets in one another")
        value = self.product(depth)
        while self.next in ("+", "-"):
            sign, term = self.advance(), self.product(depth)
            value = value + term if sign == "+" else value - term
        return value

    def product(self, depth: int) -> Fraction:
        """Factors with * or / between them."""
        value = self.factor(depth)
        while self.next in ("*", "/"):
            sign, factor = self.advance(), self.factor(depth)
            value = value * factor if sign == "*" else value / factor
        return value

    def factor(self, depth: int) -> Fraction:
        """A signed power."""
        negative = False
        while self.next in ("+", "-"):
            negative ^= self.advance() == "-"
        value = self.atom(depth)
        if self.next in ("^", "**"):
            self.advance()
            if depth > MAX_DEPTH:
                raise InputError("S115", f"more than {MAX_DEPTH} powers of powers")
            value = _raised(value, self.factor(depth + 1))
        return -value if negative else value

    def atom(self, depth: int) -> Fraction:
        """A number, a parameter, e, exp(…) or what stands in brackets."""
        token = self.advance()
        if (known := parameters.parameter_value(token)) is not None:
            return known
        if token == "e":
            return power(1)
        if token == "exp":
            if self.next != "(":
                raise self.unread()
            return exponential(self.atom(depth))
        if token == "(":
            value = self.sum(depth + 1)
            if self.next != ")":
                raise self.unread()
            self.advance()
            return value
        if token and token[0] in "0123456789.":
            return self.rational(token)
        self.next = token
        raise self.unread()


def exponential(exponent: Fraction | int) -> Fraction:
    """The number e^`exponent`, or the function, of a multiple of a real parameter; S116 where this
    is not rational, or beyond 10,000."""
    if isinstance(exponent, RationalFunction):
        rate = rate_of(exponent)
        if rate is None or abs(rate) > MAX_EXPONENT:
            said = f"an exponent of e is a number times the parameter, found {exponent}"
            raise InputError("S804", said)
        return power_of(exponent.parameter, rate)
    if isinstance(exponent, Exponential):
        raise InputError("S116", f"an exponent of e must be rational, found {exponent}")
    if not -MAX_EXPONENT <= exponent <= MAX_EXPONENT:
        raise InputError("S116", f"an exponent of e must be at most {MAX_EXPONENT}")
    return power(exponent)


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if (known := logarithm(base)) is not None:
        return exponential(known * exponent)
    if isinstance(exponent, Exponential | RationalFunction) or exponent.denominator != 1:
        said = f"only e has powers that are not whole, found {base} to the power {exponent}"
        raise InputError("S117", said)
    times, size = int(exponent), 1
    if not isinstance(base, Exponential | RationalFunction):
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(times) > MAX_POWER or size * abs(times) > MAX_BITS:
        raise InputError("S102", f"a power with an exponent above {MAX_POWER}, or too long")
    return Fraction(1) * base**times

"""The operations of the language on single values; everything else lifts these to columns.

Each raises `Failure` where it has no value: S306 for a wrong type, S307 for arithmetic without
result (division by zero, too large), S308 for an index outside a list or an empty list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.base.exact import looks_like_number
from verifier.world.language.values import (
    ABSENT,
    FALSE,
    MAX_BITS,
    TRUE,
    Failure,
    Truth,
    World,
    bounded,
    brief,
    is_number,
    kind,
    number,
    truth,
)

Number = int | Fraction

COMPARED_DISTRIBUTION = "a distribution is compared, which equals nothing"
DRAW = "draw(...) draws a value from a distribution"


def need_number(value: Any, where: str) -> Number:
    """The value, if it is a number."""
    if not is_number(value):
        raise Failure("S306", f"{where} needs a number, found {brief(value)}", _hint(value))
    return value  # type: ignore[no-any-return]


def need_integer(value: Any, where: str) -> int:
    """The value, if it is a whole number."""
    if type(value) is not int:
        raise Failure("S306", f"{where} needs a whole number, found {brief(value)}")
    return value


def need_truth(value: Any, where: str) -> Truth:
    """The value, if it is a truth."""
    if not isinstance(value, Truth):
        found = f"{where} needs a truth such as `x == 1`, found {brief(value)}"
        raise Failure("S306", found, _hint(value))
    return value


def _hint(value: Any) -> str:
    if isinstance(value, Truth):
        return "count(...) counts truths"
    if isinstance(value, str) and looks_like_number(value):
        return "a number is written without quotes"
    return DRAW if kind(value) == "a distribution" else ""


def add(a: Any, b: Any) -> Any:
    """Sum of numbers, or one list after the other."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return bounded(a + b)
    return number(need_number(a, "+") + need_number(b, "+"))


def subtract(a: Any, b: Any) -> Number:
    """a − b."""
    return number(need_number(a, "-") - need_number(b, "-"))


def multiply(a: Any, b: Any) -> Number:
    """a · b."""
    return number(need_number(a, "*") * need_number(b, "*"))


def divide(a: Any, b: Any) -> Number:
    """a / b, exactly."""
    need_number(a, "/")
    return number(Fraction(a) / _nonzero(b, "/"))


def floor_divide(a: Any, b: Any) -> Number:
    """The largest integer that is at most a / b."""
    need_number(a, "//")
    return number(a // _nonzero(b, "//"))


def modulo(a: Any, b: Any) -> Number:
    """a − b · (a // b)."""
    need_number(a, "%")
    rest: Any = a % _nonzero(b, "%")
    return number(rest)


def _nonzero(value: Any, where: str) -> Number:
    if need_number(value, where) == 0:
        raise Failure("S307", "division by zero")
    return value  # type: ignore[no-any-return]


def power(a: Any, b: Any) -> Number:
    """a to an integer power, with 0 ** 0 = 1."""
    need_number(a, "**")
    if type(b) is not int:
        raise Failure("S307", f"the exponent of ** must be a whole number, found {brief(b)}")
    if a == 0 and b < 0:
        raise Failure("S307", "division by zero: 0 to a negative power")
    bits = max(a.numerator.bit_length(), a.denominator.bit_length())
    if abs(a) != 1 and bits * abs(b) > MAX_BITS:
        raise Failure("S307", f"a power longer than {MAX_BITS} binary digits")
    return number(Fraction(a) ** (b if abs(a) != 1 else b % 2))


def negate(a: Any) -> Number:
    """−a."""
    return -need_number(a, "-")


def plus(a: Any) -> Number:
    """+a."""
    return need_number(a, "+")


def absolute(a: Any) -> Number:
    """|a|."""
    value = need_number(a, "abs")
    return value if value >= 0 else -value


def negation(a: Any) -> Truth:
    """not a."""
    return truth(not need_truth(a, "not"))


def equal(a: Any, b: Any) -> Truth:
    """Whether two values are equal. A world equals the word of its name, and the list of its
    records' values. Values of different kinds differ; a distribution is compared with nothing."""
    for value in (a, b):
        if kind(value) == "a distribution":
            raise Failure("S309", f"{COMPARED_DISTRIBUTION}, found {brief(value)}", DRAW)
    if a == b:
        return TRUE
    if isinstance(a, World) and isinstance(b, World):
        return FALSE
    if isinstance(b, World):
        a, b = b, a
    if isinstance(a, World) and isinstance(b, str):
        return truth(a.name == b)
    if isinstance(a, World) and isinstance(b, tuple):
        if len(a.records) != len(b):
            return FALSE
        a = a.records
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return truth(all(equal(x, y) for x, y in zip(a, b, strict=True)))
    return FALSE


def different(a: Any, b: Any) -> Truth:
    """Not equal."""
    return truth(not equal(a, b))


def less(a: Any, b: Any) -> Truth:
    """a < b, of numbers."""
    return truth(need_number(a, "<") < need_number(b, "<"))


def at_most(a: Any, b: Any) -> Truth:
    """a <= b, of numbers."""
    return truth(need_number(a, "<=") <= need_number(b, "<="))


def greater(a: Any, b: Any) -> Truth:
    """a > b, of numbers."""
    return truth(need_number(a, ">") > need_number(b, ">"))


def at_least(a: Any, b: Any) -> Truth:
    """a >= b, of numbers."""
    return truth(need_number(a, ">=") >= need_number(b, ">="))


@dataclass(frozen=True)
class Chain:
    """`a < b < c`: the comparisons in turn, up to the first that does not hold."""

    tests: tuple[Callable[[Any, Any], Truth], ...]

    def __call__(self, *values: Any) -> Truth:
        pairs = zip(self.tests, values, values[1:], strict=False)
        return truth(all(test(a, b) for test, a, b in pairs))


def present(value: Any) -> Truth:
    """Whether a record is in the database."""
    return truth(value is not ABSENT)


@dataclass(frozen=True)
class Attribute:
    """The attribute at a position of a record; ⊥ of an absent record."""

    position: int

    def __call__(self, record: Any) -> Any:
        return record if record is ABSENT else record[self.position]

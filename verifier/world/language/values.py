"""The values of the language: numbers, words, truths, worlds, the absent record, tuples.

A number is an `int`, or a `Fraction` that is no integer; a word is a `str`; a tuple holds values
(lists are tuples). Truths are a type of their own, so that `1 == True` does not hold and the two
never merge as outputs or states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from verifier.base import exact
from verifier.base.errors import InputError

MAX_BITS = 100_000
MAX_LENGTH = 100_000


class Truth(Enum):
    """True or false, distinct from the numbers 1 and 0."""

    FALSE = False
    TRUE = True

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return str(self.value)


class Absent(Enum):
    """The value of a record that is not in the database."""

    ABSENT = "⊥"

    def __repr__(self) -> str:
        return "⊥"


TRUE, FALSE, ABSENT = Truth.TRUE, Truth.FALSE, Absent.ABSENT


@dataclass(frozen=True, slots=True)
class World:
    """A possible database as a value; two are equal when their names are."""

    name: str
    number: int = field(compare=False, default=0)
    records: tuple[Any, ...] = field(compare=False, default=())

    def __repr__(self) -> str:
        return self.name


Value = int | Fraction | str | Truth | Absent | World | tuple[Any, ...]


class Failure(Exception):
    """An operation that has no value, as code, message, and a hint what to write instead; the
    place is added by the caller."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.code, self.message, self.hint = code, message, hint


def is_number(value: object) -> bool:
    """Whether a value is a number."""
    return type(value) is int or type(value) is Fraction


def truth(condition: bool) -> Truth:
    """A Python condition as a truth of the language."""
    return TRUE if condition else FALSE


def number(value: int | Fraction) -> int | Fraction:
    """A rational as a value: an integer is an `int`. Raises Failure S307 when it is too long."""
    if type(value) is not int:
        if value.denominator.bit_length() > MAX_BITS:
            raise Failure("S307", f"a number longer than {MAX_BITS} binary digits")
        if value.denominator == 1:
            value = value.numerator
    if value.numerator.bit_length() > MAX_BITS:
        raise Failure("S307", f"a number longer than {MAX_BITS} binary digits")
    return value


def bounded(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """The list, unless it holds too many values at all depths (or is nested too deeply)."""
    if _count(items, 0) > MAX_LENGTH:
        raise Failure("S307", f"a list of more than {MAX_LENGTH} values")
    return items


def _count(items: tuple[Any, ...], depth: int) -> int:
    if depth > 50:
        raise Failure("S307", "lists nested more than 50 levels deep")
    nested = [x for x in items if isinstance(x, tuple)]
    total = len(items)
    for inner in nested:
        total += _count(inner, depth + 1)
        if total > MAX_LENGTH:
            break
    return total


def literal(text: str) -> int | Fraction | str:
    """The value that a scalar of a file denotes: a number if it looks like one, else a word.

    >>> literal("0.5"), literal("011"), literal("flu")
    (Fraction(1, 2), '011', 'flu')
    """
    return number(exact.number(text)) if exact.looks_like_number(text) else text


def of(value: object) -> Value:
    """A Python object as a value: bool, int, Fraction, str, list and tuple are taken.

    >>> of([True, 1, "a"])
    (True, 1, 'a')
    """
    if isinstance(value, bool):
        return truth(value)
    if isinstance(value, int | Fraction):
        return number(value)
    if isinstance(value, list | tuple):
        return tuple(of(item) for item in value)
    if isinstance(value, str | Truth | Absent | World):
        return value
    if isinstance(value, float):
        return number(exact.number(value))  # type: ignore[arg-type]  # raises, with the reason
    raise InputError("S306", f"{type(value).__name__} is no value of the language")


def show(value: Any) -> str:
    """The label of a value.

    >>> show(Fraction(1, 2)), show("yes"), show(("noisy", 2)), show((3,)), show(TRUE), show(ABSENT)
    ('1/2', 'yes', "('noisy', 2)", '(3,)', 'True', '⊥')
    """
    return value if isinstance(value, str) else _inside(value)


def _inside(value: Any) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_inside, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, int | Fraction):
        return exact.text(value)
    return repr(value)


def labels(values: Sequence[Any]) -> list[str]:
    """`show` of each value; a word that reads like another value is quoted.

    >>> labels(["1", 1, "yes"])
    ["'1'", '1', 'yes']
    """
    times = Counter(map(show, values))
    return [repr(v) if isinstance(v, str) and times[v] > 1 else show(v) for v in values]


def order_key(value: Any) -> tuple[Any, ...]:
    """Sorts values: numbers, truths, words, worlds, ⊥, tuples (element by element)."""
    if isinstance(value, tuple):
        return (5, tuple(map(order_key, value)))
    if isinstance(value, World):
        return (3, value.number)
    if isinstance(value, Truth):
        return (1, value.value)
    if isinstance(value, Absent):
        return (4,)
    return (2, value) if isinstance(value, str) else (0, value)


def kind(value: Any) -> str:
    """What a value is, with article, for messages."""
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, Absent):
        return "an absent record"
    names = {str: "a word", Truth: "a truth", World: "a world", int: "a number"}
    return names.get(type(value), "a number" if is_number(value) else "a distribution")


def brief(value: Any) -> str:
    """A short form of a value, with its kind, for messages."""
    text = _inside(value)
    return f"{kind(value)} ({text if len(text) <= 40 else text[:37] + '...'})"

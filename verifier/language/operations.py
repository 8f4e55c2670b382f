"""The operations of the language on single values; everything else lifts these to columns.

Each raises `Failure` where it has no value: S306 for a wrong type, S307 for arithmetic without
result (division by zero, too large), S308 for an index outside a list or an empty list.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from verifier.language.values import (
    ABSENT,
    FALSE,
    MAX_BITS,
    MAX_LENGTH,
    TRUE,
    Failure,
    Truth,
    World,
    brief,
    is_number,
    number,
    truth,
)

Number = int | Fraction


def need_number(value: Any, where: str) -> Number:
    """The value, if it is a number."""
    if not is_number(value):
        raise Failure("S306", f"{where} needs a number, found {brief(value)}{_hint(value)}")
    return value  # type: ignore[no-any-return]


def need_integer(value: Any, where: str) -> int:
    """The value, if it is a whole number."""
    if type(value) is not int:
        raise Failure("S306", f"{where} needs a whole number, found {brief(value)}")
    return value


def need_truth(value: Any, where: str) -> Truth:
    """The value, if it is a truth."""
    if not isinstance(value, Truth):
        raise Failure("S306", f"{where} needs a truth such as `x == 1`, found {brief(value)}")
    return value


def elements(value: Any, where: str) -> tuple[Any, ...]:
    """The elements of a list, or the records of a world."""
    if isinstance(value, World) and value.records:
        return value.records
    if not isinstance(value, tuple):
        raise Failure("S306", f"{where} needs a list, found {brief(value)}")
    return value


def _hint(value: Any) -> str:
    return "; count(...) counts truths" if isinstance(value, Truth) else ""


def add(a: Any, b: Any) -> Any:
    """Sum of numbers, or one list after the other."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _checked(a + b)
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
    """Equality, always defined; different types differ. A world equals the word of its name."""
    if a == b:
        return TRUE
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return truth(all(equal(x, y) for x, y in zip(a, b, strict=True)))
    if isinstance(a, World) and isinstance(b, str):
        return truth(a.name == b)
    if isinstance(b, World) and isinstance(a, str):
        return truth(a == b.name)
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


def member(a: Any, b: Any) -> Truth:
    """Whether a is an element of the list b."""
    return truth(any(equal(a, x) for x in elements(b, "in")))


def not_member(a: Any, b: Any) -> Truth:
    """Whether a is no element of the list b."""
    return truth(not member(a, b))


def chain(tests: tuple[Callable[[Any, Any], Truth], ...]) -> Callable[..., Truth]:
    """`a < b < c`: the comparisons in turn, up to the first that does not hold."""
    return lambda *values: truth(
        all(test(a, b) for test, a, b in zip(tests, values, values[1:], strict=False))
    )


def append(a: Any, b: Any) -> Any:
    """The list a with the elements of the list b added."""
    return _checked(elements(a, "append") + b)


def index(a: Any, i: Any) -> Any:
    """The element a[i], counted from 0, or from the end when i is negative."""
    items = elements(a, "an index")
    need_integer(i, "an index")
    if not -len(items) <= i < len(items):
        raise Failure("S308", f"index {i} is outside a list of {len(items)} elements")
    return items[i]


def display(*items: Any) -> tuple[Any, ...]:
    """A list of the items."""
    return _checked(items)


def _checked(items: tuple[Any, ...]) -> tuple[Any, ...]:
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


def length(a: Any) -> int:
    """The number of elements."""
    return len(elements(a, "len"))


def minimum(*values: Any) -> Number:
    """The least of several numbers, or of one list."""
    return min(_numbers(values, "min"))


def maximum(*values: Any) -> Number:
    """The greatest of several numbers, or of one list."""
    return max(_numbers(values, "max"))


def _numbers(values: tuple[Any, ...], where: str) -> list[Number]:
    items = elements(values[0], where) if len(values) == 1 else values
    if not items:
        raise Failure("S308", f"{where} of an empty list")
    return [need_number(item, where) for item in items]


def xor(*values: Any) -> Any:
    """Exclusive or of truths, or of numbers 0 and 1 (as such a number); also of one list."""
    if len(values) == 1 and isinstance(values[0], tuple):
        values = values[0]
    if values and all(isinstance(value, Truth) for value in values):
        return truth(sum(map(bool, values)) % 2 == 1)
    for value in values:
        if not (type(value) is int and 0 <= value <= 1):
            raise Failure("S306", f"xor needs truths, or numbers 0 and 1, found {brief(value)}")
    return sum(values) % 2


def hamming(a: Any, b: Any) -> int:
    """The number of positions in which two lists (or two worlds) differ."""
    x, y = elements(a, "hamming"), elements(b, "hamming")
    if len(x) != len(y):
        raise Failure("S308", f"hamming of lists with {len(x)} and {len(y)} elements")
    return sum(map(bool, map(different, x, y)))


def range_of(*bounds: Any) -> tuple[int, ...]:
    """The whole numbers of Python's range."""
    whole = [need_integer(bound, "range") for bound in bounds]
    if len(whole) == 3 and whole[2] == 0:
        raise Failure("S307", "the step of range is 0")
    numbers = range(*whole)
    if (numbers.stop - numbers.start) // numbers.step > MAX_LENGTH:
        raise Failure("S307", f"a range of more than {MAX_LENGTH} numbers")
    return tuple(numbers)


def as_count(value: Any) -> int:
    """1 for true, 0 for false."""
    return int(bool(need_truth(value, "count")))


def as_term(value: Any) -> Number:
    """A number to be summed."""
    return need_number(value, "sum")


def count_list(value: Any) -> int:
    """The number of true elements of a list."""
    return sum(map(as_count, elements(value, "count without records")))


def sum_list(value: Any) -> Number:
    """The sum of a list."""
    return number(sum(map(as_term, elements(value, "sum without records"))))


def count_over(value: Any, records: int) -> int:
    """The number of true elements of a list, or of records if one truth is given for all."""
    return count_list(value) if isinstance(value, tuple | World) else as_count(value) * records


def sum_over(value: Any, records: int) -> Number:
    """The sum of a list, or of one number over the records."""
    if isinstance(value, tuple | World):
        return sum_list(value)
    return number(as_term(value) * records)


def present(value: Any) -> Truth:
    """Whether a record is in the database."""
    return truth(value is not ABSENT)


def attribute(position: int) -> Callable[[Any], Any]:
    """The attribute at a position of a record; ⊥ of an absent record."""
    return lambda record: record if record is ABSENT else record[position]

"""Operations on lists, and on worlds as lists of their records.

Each raises `Failure` where it has no value: S306 for a wrong type, S307 for a list that is too
long, S308 for an index outside a list or an empty list.
"""

from __future__ import annotations

from typing import Any

from verifier.world.language.operations import (
    Number,
    different,
    equal,
    need_integer,
    need_number,
    need_truth,
)
from verifier.world.language.values import (
    MAX_LENGTH,
    Failure,
    Truth,
    World,
    bounded,
    brief,
    number,
    truth,
)


def elements(value: Any, where: str) -> tuple[Any, ...]:
    """The elements of a list, or the records of a world."""
    if isinstance(value, World) and value.records:
        return value.records
    if not isinstance(value, tuple):
        raise Failure("S306", f"{where} needs a list, found {brief(value)}")
    return value


def member(a: Any, b: Any) -> Truth:
    """Whether a is an element of the list b."""
    return truth(any(equal(a, x) for x in elements(b, "in")))


def not_member(a: Any, b: Any) -> Truth:
    """Whether a is no element of the list b."""
    return truth(not member(a, b))


def append(a: Any, b: Any) -> Any:
    """The list a with the elements of the list b added."""
    return bounded(elements(a, "append") + b)


def index(a: Any, i: Any) -> Any:
    """The element a[i], counted from 0, or from the end when i is negative."""
    items = elements(a, "an index")
    need_integer(i, "an index")
    if not -len(items) <= i < len(items):
        raise Failure("S308", f"index {i} is outside a list of {len(items)} elements")
    return items[i]


def display(*items: Any) -> tuple[Any, ...]:
    """A list of the items."""
    return bounded(items)


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

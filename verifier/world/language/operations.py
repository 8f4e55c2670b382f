"""The operations of the language on single values; everything else lifts these to columns.

They are those on numbers, truths and comparisons, on lists (and on worlds as lists of their
records), and the finite distributions that `draw` takes. Each raises `Failure` where it has no
value: S306 for a wrong type, S307 for arithmetic without result (division by zero, too large),
S308 for an index outside a list or an empty list, S311 for what is no distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

from verifier.base import exact
from verifier.base.errors import InputError
from verifier.base.exact import is_irrational, looks_like_number
from verifier.base.nouns import Later, dataclass
from verifier.world.space import (
    ABSENT,
    FALSE,
    MAX_BITS,
    MAX_LENGTH,
    TRUE,
    Dictionary,
    Failure,
    Truth,
    World,
    bounded,
    brief,
    is_number,
    kind,
    number,
    only,
    order_key,
    show,
    truth,
)

Number = int | Fraction

COMPARED_DISTRIBUTION = "a distribution is compared, which equals nothing"
DRAW = "draw(...) draws a value from a distribution"
SORTED = "its keys in order are sorted(x), its pairs sorted(x.items())"
SQUARES = "compare squares, x**2 <= 2; normal noise has a variance, normal(0, variance=2)"
MAX_OUTCOMES = 100_000
MAX_POWER = 1_000  # of an irrational number


def need_number(value: Any, where: str) -> Number:
    """The `value`, if it is a number; else Failure S306 says `where` one is needed."""
    value = plain(value)
    if not is_number(value):
        raise Failure("S306", f"{where} needs a number, found {brief(value)}", _hint(value))
    return value  # type: ignore[no-any-return]


def plain(value: Any) -> Any:
    """The `value`, or what it is besides a world."""
    return value if not isinstance(value, World) or value.value is None else value.value


def need_integer(value: Any, where: str) -> int:
    """The `value`, if it is a whole number; else Failure S306 says `where` one is needed."""
    value = plain(value)
    if type(value) is not int:
        raise Failure("S306", f"{where} needs a whole number, found {brief(value)}")
    return value


def need_truth(value: Any, where: str) -> Truth:
    """The `value`, if it is a truth; else Failure S306 says `where` one is needed."""
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
    """a + b: the sum of numbers, or one list after the other."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return bounded(a + b)
    return number(need_number(a, "+") + need_number(b, "+"))


def subtract(a: Any, b: Any) -> Number:
    """a − b."""
    return number(need_number(a, "-") - need_number(b, "-"))


def multiply(a: Any, b: Any) -> Any:
    """a · b: the product of numbers, or a list repeated so many times."""
    for items, times in ((a, b), (b, a)):
        if isinstance(items, tuple):
            return _repeated(items, need_integer(times, "* of a list"))
    return number(need_number(a, "*") * need_number(b, "*"))


def _repeated(items: tuple[Any, ...], times: int) -> tuple[Any, ...]:
    if len(items) * times > MAX_LENGTH:
        raise Failure("S307", f"a list of more than {MAX_LENGTH} values")
    return bounded(items * times)


def divide(a: Any, b: Any) -> Number:
    """a / b, exactly."""
    return number(_fraction(need_number(a, "/")) / _nonzero(b, "/"))


def _fraction(value: Number) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(value)


def floor_divide(a: Any, b: Any) -> Number:
    """The largest integer that is at most a / b."""
    return number(_rational(a, "//") // _nonzero(_rational(b, "//"), "//"))


def _rational(value: Any, where: str) -> Number:
    found = need_number(value, where)
    if is_irrational(found):
        raise Failure("S118", f"{where} needs a rational number, found {brief(found)}")
    return found


def modulo(a: Any, b: Any) -> Number:
    """a − b · (a // b)."""
    rest: Any = _rational(a, "%") % _nonzero(_rational(b, "%"), "%")
    return number(rest)


def _nonzero(value: Any, where: str) -> Number:
    found = need_number(value, where)
    if found == 0:
        raise Failure("S307", "division by zero")
    return found


def power(a: Any, b: Any) -> Number:
    """a ** b: `a` to an integer power `b`, with 0 ** 0 = 1."""
    a, b = need_number(a, "**"), plain(b)
    if type(b) is not int:
        said = f"the exponent of ** must be a whole number, found {brief(b)}"
        raise Failure("S307", said, f"write sqrt(x); {SQUARES}" if b == Fraction(1, 2) else "")
    if a == 0 and b < 0:
        raise Failure("S307", "division by zero: 0 to a negative power")
    if abs(a) != 1 and _bits(a) * abs(b) > MAX_BITS:
        raise Failure("S307", f"a power longer than {MAX_BITS} binary digits")
    return number(_fraction(a) ** (b if abs(a) != 1 else b % 2))


def _bits(value: Number) -> int:
    """About how long the powers of a number become, for each one more."""
    if is_irrational(value):
        return MAX_BITS // MAX_POWER
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def exponential(exponent: Any) -> Number:
    """exp(q), the number e to the power q, for a rational `exponent`.

    >>> exponential(Fraction(1, 2)) * exponential(Fraction(-1, 2))
    Fraction(1, 1)
    """
    from verifier.base import formula

    try:
        return number(formula.exponential(need_number(exponent, "exp")))
    except InputError as error:
        raise Failure(error.code, error.message, error.hint) from None


def square_root(a: Any) -> Number:
    """The square root of `a`, where it is rational or made of powers of e."""
    value = need_number(a, "sqrt")
    if value < 0:
        raise Failure("S307", f"the square root of {value}, which is below 0")
    found = exact.root(_fraction(value))
    if found is None:
        raise Failure("S118", f"the square root of {value} is irrational", SQUARES)
    return number(found)


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
    """Whether `a` and `b` are equal. A world equals the word of its name, the list of its records'
    values, and the value of its only record. Values of different kinds differ; a distribution is
    compared with nothing."""
    for value in (a, b):
        if kind(value) == "a distribution":
            raise Failure("S309", f"{COMPARED_DISTRIBUTION}, found {brief(value)}", DRAW)
    if a == b:
        return TRUE
    if isinstance(a, World) and isinstance(b, World):
        return FALSE
    if isinstance(b, World):
        a, b = b, a
    if isinstance(a, World):
        if b in (a.name, a.value, only(a.records)):
            return TRUE
        a = a.records or a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return truth(all(equal(x, y) for x, y in zip(a, b, strict=True)))
    return FALSE


def different(a: Any, b: Any) -> Truth:
    """Whether `a` and `b` are not equal."""
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
class Chain(Later):
    """`a < b < c`: the comparisons in turn, up to the first that does not hold."""

    tests: tuple[Callable[[Any, Any], Truth], ...]

    def __call__(self, *values: Any) -> Truth:
        pairs = zip(self.tests, values, values[1:], strict=False)
        return truth(all(test(a, b) for test, a, b in pairs))


def present(value: Any) -> Truth:
    """Whether a record with this `value` is in the database."""
    return truth(value is not ABSENT)


@dataclass(frozen=True)
class Attribute(Later):
    """The attribute at a position of a record; ⊥ of an absent record."""

    position: int

    def __call__(self, record: Any) -> Any:
        return record if record is ABSENT else record[self.position]


@dataclass(frozen=True)
class OfRecord(Later):
    """The value of a record in a world that is bound to a name, or in a list with an element for
    each record.

    name    of the record
    place   of the record
    count   the number of records
    """

    name: str
    place: int
    count: int

    def __call__(self, world: Any) -> Any:
        items = elements(world, f".{self.name}")
        if len(items) != self.count:
            said = f".{self.name} needs a world of {self.count} records, found {brief(world)}"
            raise Failure("S306", said)
        return items[self.place]


def elements(value: Any, where: str) -> tuple[Any, ...]:
    """The elements of a list `value`, or the records of a world; `where` names the operation."""
    if isinstance(value, World) and value.records:
        return value.records
    if not isinstance(value, tuple):
        hint = SORTED if isinstance(value, Dictionary) else ""
        raise Failure("S306", f"{where} needs a list, found {brief(value)}", hint)
    return value


def rounds(items: Any) -> tuple[Any, ...]:
    """What a `for` loop goes through: the elements of the list `items`."""
    return elements(items, "for")


def member(a: Any, b: Any) -> Truth:
    """Whether a is an element of the list b, or a key of the dictionary b."""
    if isinstance(b, Dictionary):
        return truth(key(a) in dict(b.entries))
    return truth(any(equal(a, x) for x in elements(b, "in")))


def not_member(a: Any, b: Any) -> Truth:
    """Whether a is no element of the list b."""
    return truth(not member(a, b))


def append(a: Any, b: Any) -> Any:
    """The list a with the elements of the list b added."""
    return bounded(elements(a, "append") + b)


def key(value: Any) -> Any:
    """The `value`, if it may be a key of a dictionary; what is no index fails where it is used."""
    value = plain(value)
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, tuple):
            key(part)
        elif not isinstance(part, str | Truth) and part is not ABSENT and not is_number(part):
            said = "an index or key is a number, a word, a truth or a list of these"
            hint = "write such a value for it, such as x[world[0]]"
            raise Failure("S306", f"{said}, found {brief(part)}", hint)
    return value


def index(a: Any, i: Any) -> Any:
    """The element a[i] of a list, counted from 0, or from the end when i is negative; or what the
    dictionary a has for the key i."""
    if isinstance(a, Dictionary):
        known = dict(a.entries)
        if i not in known:
            hint = f"write x.get({show((i,))[1:-2]}, 0), or give it a value before"
            raise Failure("S308", f"{show(i)} is no key of the dictionary {a}", hint)
        return known[i]
    items = elements(a, "an index")
    return items[_place(items, i)]


def _place(items: tuple[Any, ...], i: Any) -> int:
    """The place of an index, from 0."""
    place = need_integer(i, "an index")
    if not -len(items) <= place < len(items):
        raise Failure("S308", f"index {place} is outside a list of {len(items)} elements")
    return place % len(items)


def put(a: Any, i: Any, item: tuple[Any]) -> Any:
    """The list a with the only element of the list `item` in place of its element a[i], or the
    dictionary a with this for the key i."""
    if isinstance(a, Dictionary):
        return _checked(Dictionary.of((*a.entries, (i, item[0]))))
    items = elements(a, "an index")
    place = _place(items, i)
    return bounded((*items[:place], *item, *items[place + 1 :]))


def dictionary(*parts: Any) -> Dictionary:
    """A dictionary of key, value, key, value, …"""
    return _checked(Dictionary.of(zip(map(key, parts[::2]), parts[1::2], strict=True)))


def _checked(made: Dictionary) -> Dictionary:
    bounded(made.entries)
    return made


def get(a: Any, i: Any, other: Any) -> Any:
    """What the dictionary a has for the key i, or the `other` value."""
    return dict(_entries(a, "get")).get(i, other)


def keys_of(a: Any) -> tuple[Any, ...]:
    """The keys of the dictionary a, in order."""
    return tuple(name for name, _ in _entries(a, "keys"))


def values_of(a: Any) -> tuple[Any, ...]:
    """What the dictionary a has, in the order of its keys."""
    return tuple(value for _, value in _entries(a, "values"))


def items_of(a: Any) -> tuple[Any, ...]:
    """The pairs of key and value of the dictionary a, in the order of its keys."""
    return _entries(a, "items")


def _entries(a: Any, where: str) -> tuple[tuple[Any, Any], ...]:
    if not isinstance(a, Dictionary):
        raise Failure("S306", f".{where} needs a dictionary, found {brief(a)}")
    return a.entries


def sorted_of(a: Any) -> tuple[Any, ...]:
    """The keys of the dictionary a, or the elements of the list a, in order: numbers, truths,
    words, worlds, ⊥, lists."""
    if isinstance(a, Dictionary):
        return keys_of(a)
    items = elements(a, "sorted")
    for item in items:
        if not isinstance(item, World):
            key(item)
    return tuple(sorted(items, key=order_key))


def unpacked(a: Any, place: int, count: int) -> Any:
    """The element at a `place` of the list a, which has `count` elements."""
    items = elements(a, "for")
    if len(items) != count:
        said = f"for gives {count} names to a list of {len(items)} elements"
        raise Failure("S306", said, "write a name for each element")
    return items[place]


def display(*items: Any) -> tuple[Any, ...]:
    """A list of the items."""
    return bounded(items)


def length(a: Any) -> int:
    """The number of elements of the list `a`, or of keys of the dictionary `a`."""
    return len(a.entries if isinstance(a, Dictionary) else elements(a, "len"))


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


def argmax(*values: Any) -> int:
    """The place, from 0, of the greatest of several numbers, or of one list: the first of equal
    ones."""
    items = _numbers(values, "argmax")
    return max(range(len(items)), key=lambda i: (items[i], -i))


def floor_of(a: Any) -> int:
    """The largest integer that is at most a."""
    return floor(need_number(a, "floor"))


def round_of(a: Any) -> int:
    """The nearest integer; half way the even one."""
    return round(need_number(a, "round"))


def xor(*values: Any) -> Any:
    """Exclusive or of truths, or of numbers 0 and 1 (as such a number); also of one list."""
    if len(values) == 1 and isinstance(values[0], tuple):
        values = values[0]
    if values and all(isinstance(value, Truth) for value in values):
        return truth(sum(map(bool, values)) % 2 == 1)
    values = tuple(map(plain, values))
    for value in values:
        if not (type(value) is int and 0 <= value <= 1):
            raise Failure("S306", f"xor needs truths, or numbers 0 and 1, found {brief(value)}")
    return sum(values) % 2


def hamming(a: Any, b: Any) -> int:
    """The number of positions in which two lists (or two worlds) `a` and `b` differ."""
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
    """1 where `value` is true, 0 where it is false."""
    return int(bool(need_truth(value, "count")))


def as_term(value: Any) -> Number:
    """The number `value`, to be summed."""
    return need_number(value, "sum")


def count_list(value: Any) -> int:
    """The number of true elements of a list `value`."""
    return sum(map(as_count, elements(value, "count without records")))


def sum_list(value: Any) -> Number:
    """The sum of a list `value`."""
    return number(sum(map(as_term, elements(value, "sum without records"))))


def count_over(value: Any, records: int) -> int:
    """The number of true elements of a list `value`, or of `records` if one truth is given for
    all."""
    return count_list(value) if isinstance(value, tuple | World) else as_count(value) * records


def sum_over(value: Any, records: int) -> Number:
    """The sum of a list `value`, or of one number over the `records`."""
    if isinstance(value, tuple | World):
        return sum_list(value)
    return number(as_term(value) * records)


@dataclass(frozen=True)
class Distribution(Later):
    """Distinct outcomes with positive probabilities that sum to 1."""

    outcomes: tuple[Any, ...]
    probabilities: tuple[int | Fraction, ...]

    def __repr__(self) -> str:
        pairs = zip(self.outcomes, self.probabilities, strict=True)
        return f"{{{', '.join(f'{show(value)}: {p}' for value, p in pairs)}}}"


def _distribution(pairs: Iterable[tuple[Any, int | Fraction]]) -> Distribution:
    """Equal outcomes are added up, those with probability 0 left out."""
    total: dict[Any, int | Fraction] = {}
    for outcome, probability in pairs:
        if probability:
            total[outcome] = number(total.get(outcome, 0) + probability)
    return Distribution(tuple(total), tuple(total.values()))


def table(*parts: Any) -> Distribution:
    """`{value: probability, …}`, given as value, probability, value, probability, …

    Values that turn out equal are added up. Raises Failure S311 unless every probability lies in
    [0, 1] and they sum to exactly 1.
    """
    values, probabilities = parts[::2], parts[1::2]
    for value, p in zip(values, probabilities, strict=True):
        if not is_number(p) or not 0 <= p <= 1:
            raise Failure("S311", f"the probability of {show(value)} is {show(p)}, not in [0, 1]")
        if kind(value) == "a distribution":
            raise Failure("S311", "a distribution cannot be drawn from a distribution")
    total = number(sum(probabilities))
    if total != 1:
        off = f"off by {abs(1 - total)}"
        raise Failure("S311", f"the probabilities sum to {total}, must be 1 ({off})")
    return _distribution(zip(values, probabilities, strict=True))


def uniform(a: Any, b: Any) -> Distribution:
    """Each whole number from a to b, inclusive, with the same probability."""
    need_integer(a, "uniform")
    need_integer(b, "uniform")
    _check_range(a, b, "uniform")
    size = b - a + 1
    return _distribution((value, number(Fraction(1, size))) for value in range(a, b + 1))


def bernoulli(p: Any) -> Distribution:
    """1 with probability p, else 0."""
    if not is_number(p) or not 0 <= p <= 1:
        raise Failure("S311", f"the probability of bernoulli is {show(p)}, not in [0, 1]")
    return _distribution([(1, p), (0, number(1 - p))])


def binomial(n: Any, p: Any) -> Distribution:
    """How many of n independent draws are 1, if each is with probability p.

    >>> binomial(2, Fraction(1, 3)).probabilities
    (Fraction(4, 9), Fraction(4, 9), Fraction(1, 9))
    """
    need_integer(n, "the n of binomial")
    if not 0 <= n < MAX_OUTCOMES:
        raise Failure("S311", f"the n of binomial is {n}, not in 0..{MAX_OUTCOMES - 1}")
    if not is_number(p) or not 0 <= p <= 1:
        raise Failure("S311", f"the p of binomial is {show(p)}, not in [0, 1]")
    if _bits(p) * n > MAX_BITS:
        raise Failure("S307", f"a probability longer than {MAX_BITS} binary digits")
    ways, rest = 1, _fraction(1 - p)
    found: list[tuple[int, Number]] = []
    for k in range(n + 1):
        found.append((k, number(ways * _fraction(p) ** k * rest ** (n - k))))
        ways = ways * (n - k) // (k + 1)
    return _distribution(found)


def geometric(center: Any, ratio: Any, low: Any, high: Any) -> Distribution:
    """center + Z, clamped to [low, high], with P(Z = z) = (1−ρ)/(1+ρ)·ρ^|z| on all integers, ρ =
    `ratio`.

    The tails are exact: P(center + Z ≤ low) is the probability of `low`, and so for `high`.

    >>> geometric(0, Fraction(1, 2), -1, 1).probabilities
    (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    """
    for value, name in ((center, "center"), (low, "low"), (high, "high")):
        need_integer(value, f"the {name} of geometric")
    if not 0 <= need_number(ratio, "the ratio of geometric") < 1:
        raise Failure("S311", f"the ratio of geometric is {ratio}, must be in [0, 1)")
    _check_range(low, high, "geometric")
    if _bits(ratio) * (max(abs(low - center), abs(high - center)) + 1) > MAX_BITS:
        raise Failure("S307", f"a probability longer than {MAX_BITS} binary digits")
    upper = [_upper_tail(value - center, ratio) for value in range(low, high + 1)]
    upper[0] = Fraction(1)
    upper.append(Fraction(0))
    steps = (number(a - b) for a, b in pairwise(upper))
    return _distribution(zip(range(low, high + 1), steps, strict=True))


def geometric_wider(center: Any, ratio: Any, low: Any, high: Any) -> Distribution:
    """`geometric` of `center` and `ratio` with about twice the range of `low` and `high`."""
    more = (need_integer(high, "high") - need_integer(low, "low") + 1) // 2
    return geometric(center, ratio, low - more, high + more)


def _upper_tail(z: int, ratio: int | Fraction) -> Fraction:
    """P(Z ≥ z)."""
    ratio = _fraction(ratio)
    return ratio**z / (1 + ratio) if z > 0 else 1 - ratio ** (1 - z) / (1 + ratio)


def _check_range(low: int, high: int, name: str) -> None:
    if low > high:
        raise Failure("S311", f"{name} from {low} to {high}: the range is empty")
    if high - low >= MAX_OUTCOMES:
        raise Failure("S311", f"{name} has {high - low + 1} outcomes, at most {MAX_OUTCOMES}")


def need_distribution(value: Any) -> Distribution:
    """The value, if it is a distribution."""
    if isinstance(value, Distribution):
        return value
    said = f"draw needs a distribution such as {{0: 1/2, 1: 1/2}}, found {brief(value)}"
    named = "{…} is a dictionary where it is empty, or x[…] or x.get(…) asks for its values"
    raise Failure("S306", said, named if isinstance(value, Dictionary) else "")


def need_output(value: Any) -> Any:
    """The value, if it has a label and may be returned."""
    if kind(value) == "a distribution":
        raise Failure("S306", "return needs a value; draw(...) draws one from a distribution")
    if isinstance(value, Dictionary):
        said = f"return needs a value that has an order, found {brief(value)}"
        raise Failure("S306", said, "return sorted(x.items()), the list of its pairs")
    if isinstance(value, tuple):
        for item in value:
            need_output(item)
    return value

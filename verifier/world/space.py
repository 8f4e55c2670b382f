"""What a world is made of, and the finite, ordered list of possible worlds.

A value is a number (an `int`, or a `Fraction` that is no integer), a word (a `str`), a truth, a
world, the absent record, or a tuple of values (lists are tuples). Truths are a type of their own,
so that `1 == True` does not hold and the two never merge as outputs or states.
"""

from __future__ import annotations

from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass as made_at_once
from dataclasses import field, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np

from verifier.base import exact, histograms, parameters
from verifier.base.document import Node, Scalar
from verifier.base.errors import HINTS, InputError, nearest
from verifier.base.exact import is_irrational, looks_like_number
from verifier.base.nouns import Later, Shown, dataclass
from verifier.noise.draws import Floor, Linear
from verifier.world.mechanism import Column, Mechanism, Output, Several

MAX_BITS = 100_000
MAX_LENGTH = 100_000
WORDS = frozenset(  # of the language; `reader` says what its functions do
    {"world", "value", "present", "draw", "True", "False", "count", "sum", "len", "min", "max"}
    | {"abs", "xor", "hamming", "range", "uniform", "bernoulli", "binomial", "geometric"}
    | {
        "argmax",
        "sorted",
        "floor",
        "round",
        "exp",
        "sqrt",
        "laplace",
        "exponential",
        "interval",
        "normal",
    }
)


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


@made_at_once(frozen=True, slots=True)
class World:
    """A database as a value; two are equal when their names are.

    number   of the possible world; -1 where a constraint excludes the database
    records  their values; empty where they have no names
    value    what it may be used as besides, where it is an output or a candidate: the value of its
             only record, or the number 10 where a file names it by the text `10`
    """

    name: str
    number: int = field(compare=False, default=0)
    records: tuple[Any, ...] = field(compare=False, default=())
    value: Any = field(compare=False, default=None)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Dictionary(Later):
    """A dictionary as a value of a program; equal ones have equal entries.

    entries  pairs of a key and what it stands for, in the order of the keys, all different
    """

    entries: tuple[tuple[Any, Any], ...] = ()

    @classmethod
    def of(cls, entries: Iterable[tuple[Any, Any]]) -> Dictionary:
        """The dictionary with some `entries`; of equal keys the last one counts."""
        return cls(tuple(sorted(dict(entries).items(), key=lambda entry: order_key(entry[0]))))

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{_inside(key)}: {_inside(x)}' for key, x in self.entries)}}}"


Value = int | Fraction | str | Truth | Absent | World | tuple[Any, ...]


class Failure(Exception):
    """An operation that has no value, as code, message, and a hint what to write instead; the
    place is added by the caller."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.code, self.message, self.hint = code, message, hint


def needs_records(code: str, what: str, space: WorldSpace) -> InputError:
    """The error that `what` was asked needs records, which the worlds of `space` have not, or which
    are not told apart there; its `code` is that of where it is asked."""
    if space.is_histograms:
        hint = "leave exchangeable: true out"
        return InputError(code, f"{what} needs records that are told apart", hint=hint)
    return InputError(code, f"{what} needs worlds made of records", hint=HINTS["S502"])


def is_number(value: object) -> bool:
    """Whether a value is a number."""
    return type(value) is int or isinstance(value, Fraction)


def truth(condition: bool) -> Truth:
    """A Python condition as a truth of the language."""
    return TRUE if condition else FALSE


def number(value: int | Fraction) -> int | Fraction:
    """A number as a value: an integer is an `int`. Raises Failure S307 when it is too long."""
    if is_irrational(value):
        return value
    if type(value) is not int:
        if value.denominator.bit_length() > MAX_BITS:
            raise Failure("S307", f"a number longer than {MAX_BITS} binary digits")
        if value.denominator == 1:
            value = value.numerator
    if value.numerator.bit_length() > MAX_BITS:
        raise Failure("S307", f"a number longer than {MAX_BITS} binary digits")
    return value


def bounded(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """The list `items`, unless it holds too many values at all depths (or is nested too deeply)."""
    if _count(items, 0) > MAX_LENGTH:
        raise Failure("S307", f"a list of more than {MAX_LENGTH} values")
    return items


def _count(items: tuple[Any, ...], depth: int) -> int:
    if depth > 50:
        raise Failure("S307", "lists nested more than 50 levels deep")
    nested = [x.entries if isinstance(x, Dictionary) else x for x in items]
    nested = [x for x in nested if isinstance(x, tuple)]
    total = len(items)
    for inner in nested:
        total += _count(inner, depth + 1)
        if total > MAX_LENGTH:
            break
    return total


def literal(text: str) -> int | Fraction | str:
    """The value that a `text` of a file denotes: a number if it looks like one, else a word.

    >>> literal("0.5"), literal("011"), literal("flu")
    (Fraction(1, 2), '011', 'flu')
    """
    return literals([text])[0]


def literals(texts: Sequence[str]) -> tuple[int | Fraction | str, ...]:
    """The values that several `texts` of a file denote, each as `literal` has it."""
    found = zip(texts, map(_number, texts, exact.numbers(texts)), strict=True)
    return tuple(text if value is None else number(value) for text, value in found)


def _number(text: str, value: Fraction | None) -> Fraction | None:
    """The number that a `text` denotes, also as the name of a parameter; S803 for a real one."""
    found = parameters.parameter_value(text) if value is None else value
    if found is not None and is_irrational(found):
        said = f"the real parameter {text} cannot be a size or a value of the worlds"
        raise InputError("S803", said, hint=f"give it a list of values: {text}: 2..5")
    return found


def only(values: Sequence[Any]) -> Any:
    """The only one of several `values`, such as those of a world's records; None where there are
    more."""
    return values[0] if len(values) == 1 else None


def _denoted_alone(text: str) -> Any:
    """The truth, number or word that a text denotes, whatever the worlds are."""
    if text in ("True", "False"):
        return truth(text == "True")
    if text[:1] in ("'", '"'):
        with suppress(ValueError, SyntaxError):
            return str(literal_eval(text))
    try:
        return literal(text)
    except InputError:  # the name of a real parameter
        return text


def _listed(text: str) -> list[str] | None:
    """The elements of a list as labels write it: `(a, 'b, c', (1, 2))`, `(3,)`; None for others."""
    if text == "()":
        return []
    if not (text.startswith("(") and text.endswith(")")):
        return None
    parts, depth, quote, start = [], 0, "", 1
    for at, sign in enumerate(text[:-1]):
        if quote:
            quote = "" if sign == quote and text[at - 1] != "\\" else quote
        elif sign in "'\"" and text[at - 1] in "( ":
            quote = sign
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "," and depth == 1 and (text[at + 1] == " " or at == len(text) - 2):
            parts.append(text[start:at])
            start = at + 2
    if not parts or quote or depth != 1:
        return None
    return parts if start >= len(text) else [*parts, text[start:-1]]


def as_value(value: object) -> Value:
    """A Python object as a value: bool, int, Fraction, str, list and tuple are taken.

    >>> as_value([True, 1, "a"])
    (True, 1, 'a')
    """
    if isinstance(value, bool):
        return truth(value)
    if isinstance(value, int | Fraction):
        return number(value)
    if isinstance(value, list | tuple):
        return tuple(as_value(item) for item in value)
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
        return str(value)
    return repr(value)


def labels(values: Sequence[Any]) -> list[str]:
    """`show` of each of the `values`; a word that reads like another value is quoted.

    >>> labels(["1", 1, "yes"])
    ["'1'", '1', 'yes']
    """
    times = Counter(map(show, values))
    return [repr(v) if isinstance(v, str) and times[v] > 1 else show(v) for v in values]


def answers(mechanism: Mechanism, space: WorldSpace) -> tuple[Any, ...]:
    """The values that the outputs of a `mechanism` over a `space` are: as it returned them, or what
    their labels denote."""
    return tuple(map(_answer, mechanism.released)) or tuple(map(space.denoted, mechanism.outputs))


def _answer(value: Any) -> Any:
    """What is released, as losses see it: a world of one record may be used as its value."""
    if isinstance(value, World):
        return value if value.value is not None else replace(value, value=only(value.records))
    return tuple(map(_answer, value)) if isinstance(value, tuple) else value


def candidates(node: Node, space: WorldSpace, one: str, several: str) -> list[Output]:
    """The values that a list of a file names as possible outputs, all different; S110.

    node     the list
    space    the worlds
    one      what each is, with article
    several  what they are
    """
    scalars = [item.scalar(one) for item in node.sequence(f"a list of {several}")]
    texts = [show(item.placed(partial(literal, item.text))) for item in scalars]
    if not texts or len(set(texts)) < len(texts):
        hint = f"write [{', '.join(dict.fromkeys(texts)) or '0, 1'}]"
        raise node.fail("S110", f"{several} must be different, at least one", hint)
    return [Output(text, space.denoted(text)) for text in texts]


def key_of(value: Any) -> Any:
    """What is the same for outputs that are equal: for a world and the list of its records' values,
    the value of its only record, or its name where it has no records."""
    if isinstance(value, World):
        records = value.records or (value.name,)
        return key_of(records if len(records) > 1 else records[0])
    return tuple(map(key_of, value)) if isinstance(value, tuple) else value


def labelled(values: Sequence[Any]) -> list[Output]:
    """The `values` with their labels."""
    return list(map(Output, labels(values), values))


def order_key(value: Any) -> tuple[Any, ...]:
    """Sorts by `value`: numbers, truths, words, worlds, ⊥, tuples (element by element)."""
    if isinstance(value, tuple):
        return (5, tuple(map(order_key, value)))
    if isinstance(value, World):
        return (3, value.number)
    if isinstance(value, Truth):
        return (1, value.value)
    if isinstance(value, Absent):
        return (4,)
    if isinstance(value, Several):
        return (0, value.end)
    return (2, value) if isinstance(value, str) else (0, value)


def kind(value: Any) -> str:
    """What a value is, with article, for messages."""
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, Absent):
        return "an absent record"
    names: dict[type, str] = {str: "a word", Truth: "a truth", World: "a world", int: "a number"}
    names[Dictionary] = "a dictionary"
    names |= dict.fromkeys((Linear, Floor), "a draw that is not clamped")
    return names.get(type(value), "a number" if is_number(value) else "a distribution")


def brief(value: Any) -> str:
    """A short form of a value, with its kind, for messages."""
    text = _inside(value)
    return f"{kind(value)} ({text if len(text) <= 40 else text[:37] + '...'})"


@dataclass(frozen=True, eq=False)
class WorldSpace(Shown, Later):
    """The finite, ordered list of possible worlds.

    They are given by names, or are all allowed assignments of values to records, or all allowed
    histograms of records that are not told apart.

    size           number of worlds
    records        names of the records; empty for a list of names
    attributes     names of the attributes; empty where a record is one unnamed value
    record_values  what one record may be: a value, or a tuple with one value per attribute;
                   ABSENT last where records may be absent
    record_codes   shape (records, worlds): indices into record_values; the first record varies
                   slowest
    complete       whether no constraint removed a world
    given          the names, for a list of names, of histograms, or of one record among others
    counts         shape (record_values, worlds), for histograms: how many records have each value;
                   with one record, how many have it of this one and others that are not told apart
    bare           whether worlds of one record are named like its values, `flu` and not `(flu)`
    """

    size: int
    records: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    record_values: tuple[Any, ...] = ()
    record_codes: np.ndarray = None  # type: ignore[assignment]
    complete: bool = True
    given: tuple[str, ...] = ()
    counts: np.ndarray | None = None
    bare: bool = False

    def __post_init__(self) -> None:
        if self.record_codes is None:
            object.__setattr__(self, "record_codes", np.zeros((0, self.size), dtype=np.uint8))

    @property
    def record_count(self) -> int:
        """The number of records of a world, told apart or not."""
        return len(self.records) if self.counts is None else int(self.counts[:, 0].sum())

    @property
    def is_histograms(self) -> bool:
        """Whether worlds are histograms of records that are not told apart."""
        return self.counts is not None and not self.records

    def ways(self) -> list[int]:
        """How many lists of records each world stands for: of its histogram, or of the records
        besides the one that is told apart."""
        if self.counts is None:
            return [1] * self.size
        rest = self.counts.copy()
        if self.records:
            rest[self.record_codes[0], np.arange(self.size)] -= 1
        return [histograms.multiplicity(row) for row in rest.T.tolist()]

    @property
    def may_be_absent(self) -> bool:
        """Whether records may be absent."""
        return bool(self.record_values) and self.record_values[-1] is ABSENT

    def record(self, number: int) -> Column:
        """The value of the record with this `number` in every world."""
        return Column(self.record_values, self.record_codes[number])

    def name(self, world: int) -> str:
        """The name of a world: `011`, `(flu, none)`, `(a/b, c/d)`; an absent record is `⊥`."""
        if self.given:
            return self.given[world]
        return self._join(self._texts[code] for code in self.record_codes[:, world].tolist())

    def halves(self, left: int, right: int) -> dict[str, Fraction]:
        """The prior that gives 1/2 to each of two worlds, `left` and `right`, by their names."""
        return {self.name(left): Fraction(1, 2), self.name(right): Fraction(1, 2)}

    def partial_names(self, several: Iterable[Iterable[int | None]]) -> list[str]:
        """The values of some records, by their codes, as they stand in names; None is `⊥`."""
        texts, join = self._texts, self._join
        parts = (["⊥" if code is None else texts[code] for code in codes] for codes in several)
        return [join(part) or "()" for part in parts]

    def names(self, worlds: Iterable[int]) -> list[str]:
        """The names of several worlds."""
        return [self.name(int(world)) for world in worlds]

    def index(self, name: str) -> int | None:
        """The number of the world with this name, or None."""
        return self._index.get(name)

    def owner(self, name: str, secrets: Collection[str] = ()) -> str | None:
        """What a name means in expressions, as `a record`; None where it is free.

        name     the name
        secrets  the names of secrets
        """
        if name in WORDS:
            return "a word of the language"
        kinds: dict[str, Collection[str]] = {
            "a record": self.records,
            "an attribute": self.attributes,
            "a secret": secrets,
            "a world": self.given,
            "a parameter": parameters.active().names,
        }
        return next((kind for kind, names in kinds.items() if name in names), None)

    def may_be_named(self, name: str) -> bool:
        """Whether a world has this name, or would if no constraint removed it. Of histograms
        that have not been enumerated any name will do."""
        if self.given or not self.records:
            return name in self.given or (self.counts is not None and not self.given)
        return self._codes_in(name) is not None

    def _codes_in(self, name: str) -> tuple[int, ...] | None:
        """The codes of the records' values that a name of a database is made of."""
        inside = name[1:-1].split(", ")
        if self.bare:
            parts: Sequence[str] = [name]
        elif all(len(text) == 1 for text in self._texts):
            parts = name
        elif name == f"({', '.join(inside)})":
            parts = inside
        else:
            return None
        found = [self._code_of_text[part] for part in parts if part in self._code_of_text]
        return tuple(found) if len(found) == len(parts) == len(self.records) else None

    @cached_property
    def _code_of_text(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self._texts)}

    def world(self, number: int) -> World:
        """The world with this `number` as a value of the language."""
        codes = self.record_codes[:, number].tolist()
        return World(self.name(number), number, tuple(self.element_values[code] for code in codes))

    def database(self, values: Sequence[Any]) -> World | None:
        """The database of these `values`, one for each record; None where they make none."""
        known = self._code_of_element
        codes = [known[value] for value in values if value in known]
        if self.given or not len(codes) == len(values) == len(self.records):
            return None
        name = self._join(self._texts[code] for code in codes)
        whole = self.complete and self.size == len(self.record_values) ** len(codes)
        number = reduce(lambda place, code: place * len(known) + code, codes, 0)
        number = number if whole else self._index.get(name, -1)
        return World(name, number, tuple(values), only(values))

    @cached_property
    def _code_of_element(self) -> dict[Any, int]:
        return {value: code for code, value in enumerate(self.element_values)}

    def denoted(self, text: str) -> Any:
        """The value that a `text` of a file denotes where it names an output or a candidate.

        It is a value before it is arithmetic: a database, else the value of a record, else a list
        of such, a truth, a number or a word. A database whose name looks like a number is also
        this number.

        >>> from verifier.world.worlds import database
        >>> bits = database(["ann", "bob"], [0, 1])
        >>> bits.denoted("10").records, bits.denoted("10").value, bits.denoted("2")
        ((1, 0), 10, 2)
        """
        plain = _denoted_alone(text)
        for name in (text, show(plain)) if looks_like_number(text) else (text,):
            if (world := self._named(name)) is not None:
                number = plain if is_number(plain) and world.value is None else world.value
                return replace(world, value=number)
        code = self.value_code(text)
        if code is not None:
            return self.element_values[code]
        parts = _listed(text)
        return plain if parts is None else tuple(map(self.denoted, parts))

    def _named(self, name: str) -> World | None:
        """The database of this name."""
        if self.given or not self.records:
            number = self.index(name)
            return None if number is None else self.world(number)
        values = [self.element_values[code] for code in self._codes_in(name) or ()]
        return self.database(values)

    @cached_property
    def element_values(self) -> tuple[Any, ...]:
        """What each of `record_values` is as an element of a world: a single attribute's value
        stands for the record."""
        if len(self.attributes) != 1:
            return self.record_values
        return tuple(v[0] if isinstance(v, tuple) else v for v in self.record_values)

    def worlds(self) -> Column:
        """The current world, in every world."""
        return Column(tuple(map(self.world, range(self.size))), np.arange(self.size))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(map(self.record_text, self.record_values))

    @cached_property
    def _index(self) -> dict[str, int]:
        if self.given:
            return {name: world for world, name in enumerate(self.given)}
        return {
            self._join(self._texts[code] for code in codes): world
            for world, codes in enumerate(self.record_codes.T.tolist())
        }

    @cached_property
    def _join(self) -> Callable[[Iterable[str]], str]:
        if self.bare or all(len(text) == 1 for text in self._texts):
            return "".join
        return lambda texts: f"({', '.join(texts)})"

    @property
    def absent_code(self) -> int | None:
        """The code of an absent record, or None where all are present."""
        return len(self.record_values) - 1 if self.may_be_absent else None

    def present(self, record: int) -> np.ndarray:
        """Boolean array: whether a record is present in each world."""
        codes = self.record_codes[record]
        return (
            np.ones(self.size, dtype=bool)
            if self.absent_code is None
            else (codes != self.absent_code)
        )

    @cached_property
    def value_names(self) -> list[str]:
        """Each value of a record as it is written in worlds' names."""
        return list(self._texts)

    @property
    def present_value_names(self) -> list[str]:
        """The names of the values of a record that is present."""
        return self.value_names[: self.absent_code]

    def value_code(self, text: str) -> int | None:
        """The code of a value of a record named `text`; a plain value `0.5` is found as `1/2`."""
        if text not in self.value_names and len(self.attributes) < 2 and looks_like_number(text):
            with suppress(InputError):  # 1/0 is no number
                text = show(literal(text))
        return self.value_names.index(text) if text in self.value_names else None

    def value_name(self, text: str) -> str | None:
        """The name of the value that a `text` names; None where it names none."""
        code = self.value_code(text)
        return None if code is None else self.value_names[code]

    def world_name(self, text: str) -> str | None:
        """The `text` itself where it names a world."""
        return None if self.index(text) is None else text

    @cached_property
    def entry_values(self) -> list[tuple[Any, ...]]:
        """The values of each attribute of a record (a plain domain counts as one attribute)."""
        present = self.record_values[: self.absent_code]
        if not self.attributes:
            return [tuple(present)]
        return [tuple(dict.fromkeys(column)) for column in zip(*present, strict=True)]

    @cached_property
    def entry_codes(self) -> np.ndarray:
        """Shape (records * attributes, worlds): indices into entry_values, -1 where absent."""
        tables = []
        for at, values in enumerate(self.entry_values):
            place = {value: code for code, value in enumerate(values)}
            parts = [
                v[at] if self.attributes else v for v in self.record_values[: self.absent_code]
            ]
            tables.append(np.array([place[part] for part in parts] + [-1], dtype=np.int64))
        return np.array([table[row] for row in self.record_codes for table in tables])

    def locate(self, name: Scalar) -> int:
        """The number of the world that a scalar `name` of a file names; InputError S208."""
        found = self.index(name.text)
        if found is None:
            raise name.fail("S208", f"unknown world '{name.text}'", self.suggestion(name.text))
        return found

    def suggestion(self, name: str) -> str:
        """The hint of an error about an unknown world: the nearest name, or a few names."""
        known = self.names(range(min(self.size, 2000)))
        few = ", ".join(known[:8]) + (", …" if self.size > 8 else "")
        return nearest(name, known).removeprefix("; ") or f"worlds: {few}"

    def of_one_record(self) -> WorldSpace:
        """The space of a single record with the same values."""
        codes = np.arange(len(self.record_values), dtype=np.int64)[None, :]
        return WorldSpace(
            codes.shape[1], self.records[:1], self.attributes, self.record_values, codes
        )

    def record_text(self, value: Any) -> str:
        """How the value of a record is written inside a world's name."""
        if value is ABSENT:
            return "⊥"
        return "/".join(map(show, value)) if self.attributes else show(value)

"""The linear rules, each once: rows, sums of their multiples, and what multipliers prove.

Farkas: where all rows a of a class have a·x <= 0, and Σ y a >= b for some y >= 0, also b·x <= 0 for
every x >= 0 of the class. Rows = 0 have multipliers of any sign, rows >= 0 none above 0.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

from . import reading as read
from .digits import Digits
from .document import prove
from .reading import Table, common, grouped, ratio, whole

SENSES = {"<=": -1, "=": 0, ">=": 1}


@dataclass(frozen=True)
class Row:
    """An exact sparse vector: integer -> the places that have it, all over `unit`; numbers with
    powers of e in place of both, where an entry is one.

    As a row of a class or a program its `sense` says whether it is bounded from above (-1), from
    below (1) or from both sides (0).
    """

    places: Mapping[Any, Sequence[int]]
    unit: Any = 1
    sense: int = -1
    known: dict[Digits, int] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, entries: Mapping[int, Fraction]) -> "Row":
        """The row with these `entries`, place -> coefficient."""
        unit, values = whole(list(entries.values()))
        return cls.over(unit, dict(zip(entries, values, strict=True)))

    @classmethod
    def over(cls, unit: Any, entries: Mapping[int, Any]) -> "Row":
        """The row with these `entries`, place -> integer, all over one `unit`."""
        at = list(entries)
        found = grouped(entries.values()).items()
        return cls({v: [at[k] for k in ks] for v, ks in found if v}, unit)

    @classmethod
    def all_of(cls, table: Table) -> "list[Row]":
        """The rows of a `table`."""
        unit, rows = table.whole_rows()
        return [cls.over(unit, dict(enumerate(row))) for row in rows]

    def packed(self, vectors: Digits) -> int:
        """The entries, none of which is negative, as one vector."""
        if vectors not in self.known:
            entries = [0] * vectors.count
            for value, ks in self.places.items():
                for k in ks:
                    entries[k] = value
            self.known[vectors] = vectors.of(entries)
        return self.known[vectors]

    def at(self, point: Sequence[Any]) -> Any:
        """The product with a `point`, times the unit."""
        return sum(v * sum(map(point.__getitem__, ks)) for v, ks in self.places.items())

    def allows(self, over: Any) -> bool:
        """Whether a product that is `over` its bound by so much, or below 0, is allowed."""
        return bool(over == 0 or over * self.sense > 0)


Terms = Iterable[tuple[Fraction, Row]]


def multiples(pairs: Iterable[tuple[Any, Row]]) -> list[tuple[Fraction, Row]]:
    """The `pairs` of a multiplier as text and its row; rejected where a sign proves nothing."""
    return signed((read.number(y), row) for y, row in pairs)


def signed(pairs: Terms) -> list[tuple[Fraction, Row]]:
    """The `pairs` of a multiplier and its row; rejected where a sign proves nothing."""
    found = list(pairs)
    proves = all(y * row.sense <= 0 for y, row in found)
    prove(proves, "a multiplier is negative, or has the wrong sign")
    return found


def _integers(terms: Terms) -> tuple[Any, list[tuple[Any, Row]]]:
    """A positive number, and the rows with their factors times it: both are integers, unless one
    is irrational."""
    used = [(y, row) for y, row in terms if y]
    if any(read.is_other(y) or type(row.unit) is not int for y, row in used):
        unit, factors = whole([ratio(y, row.unit) for y, row in used])
        return unit, list(zip(factors, (row for _, row in used), strict=True))
    scaled = [(y.numerator, y.denominator * row.unit, row) for y, row in used]
    unit = common([below for _, below, _ in scaled])
    return unit, [(above * (unit // below), row) for above, below, row in scaled]


def combined(size: int, terms: Terms) -> tuple[Any, list[Any]]:
    """A positive number, and the sum of all `terms`, factor and row of `size` places, times it."""
    (unit, factors), found = _integers(terms), [0] * size
    for factor, row in factors:
        for value, ks in row.places.items():
            more = factor * value
            for k in ks:
                found[k] += more
    return unit, found


def vanishes(size: int, terms: Terms) -> bool:
    """Whether the sum of `terms`, whose rows have no negative entries, is 0 in all of `size`
    places: no entry of it is half as large as its place allows, so only they sum to 0."""
    terms = list(terms)
    _, factors = _integers(terms)
    entries = (value for _, row in factors for value in row.places)
    if set(map(type, chain((factor for factor, _ in factors), entries))) - {int}:
        return not any(combined(size, terms)[1])
    most = sum(abs(factor) * max(row.places, default=0) for factor, row in factors)
    vectors = Digits.up_to(most, size).wider()
    return not sum(factor * row.packed(vectors) for factor, row in factors)


def is_bounded(size: int, terms: Terms, without: Collection[int] = ()) -> bool:
    """Whether the sum of `terms` is >= 0 in all of `size` places but those `without` bound."""
    found = combined(size, terms)[1]
    return all(x >= 0 for k, x in enumerate(found) if k not in without)

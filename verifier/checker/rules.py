"""The linear rules, each once: rows, sums of their multiples, and what multipliers prove.

Farkas: where all rows a of a class have a·x <= 0, and Σ y a >= b for some y >= 0, also b·x <= 0 for
every x >= 0 of the class. Rows = 0 have multipliers of any sign, rows >= 0 none above 0.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import reading as read
from .reading import Table, denominator, grouped, prove, whole

SENSES = {"<=": -1, "=": 0, ">=": 1}


@dataclass(frozen=True)
class Row:
    """An exact sparse vector: integer -> the places that have it, all over `unit`.

    As a row of a class or a program its `sense` says whether it is bounded from above (-1), from
    below (1) or from both sides (0).
    """

    places: Mapping[int, Sequence[int]]
    unit: int = 1
    sense: int = -1

    @classmethod
    def of(cls, entries: Mapping[int, Fraction]) -> "Row":
        """The row with these `entries`, place -> coefficient."""
        unit, values = whole(list(entries.values()))
        return cls.over(unit, dict(zip(entries, values, strict=True)))

    @classmethod
    def over(cls, unit: int, entries: Mapping[int, int]) -> "Row":
        """The row with these `entries`, place -> integer, all over one `unit`."""
        at = list(entries)
        found = grouped(entries.values()).items()
        return cls({v: [at[k] for k in ks] for v, ks in found if v}, unit)

    @classmethod
    def all_of(cls, table: Table) -> "list[Row]":
        """The rows of a `table`."""
        unit, rows = table.whole_rows()
        return [cls.over(unit, dict(enumerate(row))) for row in rows]

    def at(self, point: Sequence[Any]) -> Any:
        """The product with a `point`, times the unit."""
        return sum(v * sum(map(point.__getitem__, ks)) for v, ks in self.places.items())

    def allows(self, over: Any) -> bool:
        """Whether a product that is `over` its bound by so much, or below 0, is allowed."""
        return bool(over == 0 or over * self.sense > 0)


Terms = Iterable[tuple[Fraction, Row]]


def multiples(pairs: Iterable[tuple[Any, Row]]) -> list[tuple[Fraction, Row]]:
    """The `pairs` of a multiplier and its row; rejected where a sign proves nothing."""
    found = [(read.number(y), row) for y, row in pairs]
    signed = all(y * row.sense <= 0 for y, row in found)
    prove(signed, "a multiplier is negative, or has the wrong sign")
    return found


def combined(size: int, terms: Terms) -> tuple[int, list[int]]:
    """A positive integer, and the sum of all `terms`, factor and row of `size` places, times it."""
    scaled = [(Fraction(factor, row.unit), row.places) for factor, row in terms if factor]
    unit, found = denominator(factor for factor, _ in scaled), [0] * size
    for factor, places in scaled:
        scale = factor.numerator * (unit // factor.denominator)
        for value, ks in places.items():
            more = scale * value
            for k in ks:
                found[k] += more
    return unit, found


def vanishes(size: int, terms: Terms) -> bool:
    """Whether the sum of `terms` is 0 in all of `size` places."""
    return not any(combined(size, terms)[1])


def is_bounded(size: int, terms: Terms, without: Collection[int] = ()) -> bool:
    """Whether the sum of `terms` is >= 0 in all of `size` places but those `without` bound."""
    found = combined(size, terms)[1]
    return min(x for k, x in enumerate(found) if k not in without) >= 0

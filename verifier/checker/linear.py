"""Linear systems: rows, sums of their multiples, and what a solution or multipliers prove.

A solution is put into every row. Multipliers y of rows a, one each, prove by a sum (Farkas): where
all a·x <= 0 and Σ y a >= b, also b·x <= 0 for every x >= 0. Rows = 0 have multipliers of any sign,
rows >= 0 none above 0, all others none below.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import gcd
from typing import Any

from .document import prove, spend
from .reading import ONE, ZERO, Table, grouped, in_integers, ratio

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

    @classmethod
    def of(cls, entries: Mapping[int, Fraction]) -> "Row":
        """The row with these `entries`, place -> coefficient."""
        unit, values = in_integers(list(entries.values()))
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

    def at(self, point: Sequence[Any]) -> Any:
        """The product with a `point`, times the unit."""
        return sum(v * sum(map(point.__getitem__, ks)) for v, ks in self.places.items())

    def value(self, x: Mapping[int, Fraction]) -> Fraction:
        """The product with `x`, 0 where it has no entry."""
        found = sum(v * sum(x.get(k, 0) for k in ks) for v, ks in self.places.items())
        return ratio(found, self.unit)

    def allows(self, over: Any) -> bool:
        """Whether a product that is `over` its bound by so much, or below 0, is allowed."""
        return bool(over == 0 or over * self.sense > 0)


Terms = Iterable[tuple[Any, Row]]  # a factor, and what it is of
Point = tuple[int, ...]


End = Fraction | None  # a bound of an unknown, if there is one


@dataclass(frozen=True)
class System:
    """Rows of some unknowns with their right sides, and the two ends of each unknown."""

    rows: list[tuple[Row, Fraction]]
    ends: list[tuple[End, End]]

    def allows(self, x: Mapping[int, Fraction], times: int = 1) -> bool:
        """Whether `x`, 0 where it has no entry, satisfies all rows and ends, these `times` 1; with
        0 times it is a direction."""
        unit, parts = in_integers(list(x.values()))
        known = dict(zip(x, parts, strict=True))
        point, scale = [known.get(k, 0) for k in range(len(self.ends))], times * unit
        return all(
            row.allows(row.at(point) - end * row.unit * scale) for row, end in self.rows
        ) and all(
            (low is None or entry >= low * scale) and (high is None or entry <= high * scale)
            for entry, (low, high) in zip(point, self.ends, strict=True)
        )

    def most(self, costs: Row, multipliers: Mapping[int, Fraction]) -> Fraction:
        """What `costs` · x exceeds at no solution x, by `multipliers` of rows; else rejected.

        With d = costs − y A it is y A x + d x, so at most y b and what d x is at the ends."""
        used = signed((y, self.rows[at][0]) for at, y in multipliers.items())
        found = sum((y * self.rows[at][1] for at, y in multipliers.items()), ZERO)
        unit, rest = combined(len(self.ends), [(ONE, costs), *((-y, row) for y, row in used)])
        for cost, (low, high) in zip(rest, self.ends, strict=True):
            end = high if cost > 0 else low
            prove(cost == 0 or end is not None, "the multipliers give no bound")
            found += ratio(cost, unit) * (end or 0)
        return found

    def is_crossed(self) -> bool:
        """Whether some lower end is above the upper one."""
        return any(low is not None and high is not None and low > high for low, high in self.ends)


def signed(pairs: Terms) -> list[tuple[Fraction, Row]]:
    """The `pairs` of a multiplier and its row; rejected where a sign proves nothing."""
    found = list(pairs)
    proves = all(y * row.sense <= 0 for y, row in found)
    prove(proves, "a multiplier is negative, or has the wrong sign")
    return found


def combined(size: int, terms: Terms) -> tuple[Any, list[Any]]:
    """A positive number, and the sum of all `terms`, factor and row of `size` places, times it."""
    terms, found = list(terms), [0] * size
    unit, factors = in_integers([ratio(y, row.unit) for y, row in terms])
    for factor, (_, row) in zip(factors, terms, strict=True):
        for value, ks in row.places.items():
            more = factor * value
            for k in ks:
                found[k] += more
    return unit, found


def is_bounded(size: int, terms: Terms, without: Collection[int] = ()) -> bool:
    """Whether the sum of `terms` is >= 0 in all of `size` places but those `without` bound."""
    found = combined(size, terms)[1]
    return all(x >= 0 for k, x in enumerate(found) if k not in without)


def is_positive(coefficients: Sequence[Any], level: Fraction | None) -> bool:
    """Whether a quadratic polynomial, c_0 + c_1 x + c_2 x², is above 0 at all x just below a
    `level`, or if that is None at all large ones: by the first sign that is not 0."""
    c0, c1, c2 = coefficients
    signs = (c2, c1, c0)
    if level is not None:
        signs = (c0 + level * (c1 + level * c2), -(c1 + 2 * level * c2), c2)
    return bool(next((sign for sign in signs if sign), 0) > 0)


def corners(size: int, rows: Sequence[Row]) -> list[Point]:
    """The corners of the x >= 0 of this `size` that satisfy all `rows`, in coprime integers and
    descending order, by double description: one row after the other.

    With each one stand the coordinates and rows that are 0 there, as the bits of an integer."""
    units = [tuple([int(k == at) for k in range(size)]) for at in range(size)]
    found = {x: sum(1 << k for k, value in enumerate(x) if not value) for x in units}
    for number, row in enumerate(rows, size):
        over = {x: row.at(x) for x in found}
        above, below = ([x for x in found if over[x] * side > 0] for side in (1, -1))
        spend(10 * len(found) * number + len(above) * len(below))
        made = {}
        for x, y in product(above, below):
            both = found[x] & found[y]
            if both.bit_count() >= size - 2:
                spend(len(found))
                if sum(both & other == both for other in found.values()) == 2:  # an edge
                    pairs = zip(x, y, strict=True)
                    edge = coprime([over[x] * b - over[y] * a for a, b in pairs])
                    made[edge] = both | 1 << number
        kept = (x for x in found if row.allows(over[x]))
        found = {x: found[x] | (not over[x]) << number for x in kept} | made
    return sorted(found, reverse=True)


def coprime(x: Sequence[int]) -> Point:
    """The integers `x` in lowest terms."""
    divisor = gcd(*x) or 1
    return tuple([value // divisor for value in x])

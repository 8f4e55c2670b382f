"""The largest product of ratios in several answers, among many pairs of columns.

A ratio is bounded by whole powers of the 64-th root of 2. The bounds of all pairs with one column
are the digits of one long integer, so products of ratios are sums of these.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from typing import Protocol

from . import reading as read
from .digits import Digits
from .document import Budget

MANY = 10**5  # pairs of columns
HEAD = 64  # binary digits of a number that are looked at
PARTS = 64  # of a factor of 2
WIDE = 3  # a bound is less than so many parts above the ratio
Numbers = tuple[int, ...]


class Ratios(Protocol):
    """The largest ratios of columns in one answer: `ratios` has them by their numbers, None where
    infinite; `kinds` has the number of each column, the same for equal ones."""

    kinds: list[int]
    ratios: list[Fraction | None]

    def number(self, i: int, j: int) -> int:
        """The number of the ratio of columns `i` and `j`."""


def closest(each: Sequence[Ratios], s: list[int], t: list[int], budget: Budget) -> set[Numbers]:
    """The numbers of ratios in `each` answer of pairs of columns in `s` and `t`: those of an
    infinite ratio, or all whose product may be the largest one. A `budget` pays."""
    few = [_first(one.kinds, columns) for one in each for columns in (s, t)]
    budget.spend(20 * sum(len(left) * (len(right) + len(t)) for left, right in _pairs(few)))
    for one, (left, right) in zip(each, _pairs(few), strict=True):
        for i in left.values():
            for j in right.values():
                if one.ratios[one.number(i, j)] is None:
                    return {tuple([other.number(i, j) for other in each])}
    if read.is_other(*(ratio for one in each for ratio in one.ratios)):
        budget.spend(30 * len(each) * len(s) * len(t))
        return {tuple([one.number(i, j) for one in each]) for i, j in product(s, t)}
    return _of_finite(each, s, t, budget)


def _first(kinds: list[int], columns: list[int]) -> dict[int, int]:
    """The last column of each kind among some `columns`."""
    return {kinds[column]: column for column in columns}


def _pairs(few: list[dict[int, int]]) -> list[tuple[dict[int, int], dict[int, int]]]:
    return list(zip(few[::2], few[1::2], strict=True))


def _of_finite(each: Sequence[Ratios], s: list[int], t: list[int], budget: Budget) -> set[Numbers]:
    bounds = [list(map(bound, one.ratios)) for one in each]  # type: ignore[arg-type]
    vectors = Digits.up_to(sum(map(max, bounds)), len(t))

    @cache
    def of_kind(at: int, kind: int) -> int:
        """The bounds in one answer of the pairs of a column of this kind and all of `t`."""
        one = each[at]
        numbers = [one.number(columns[at, kind], j) for j in t]
        return vectors.of([bounds[at][number] for number in numbers])

    columns = {(at, one.kinds[i]): i for at, one in enumerate(each) for i in s}
    different = {tuple([one.kinds[i] for one in each]): i for i in s}
    budget.spend(len(different) * (100 + len(t) * vectors.size // 8 * (len(each) + 10)))
    sums = [sum(of_kind(at, kind) for at, kind in enumerate(kinds)) for kinds in different]
    most = max(vectors.entries(reduce(vectors.larger, sums)))
    enough = vectors.of([max(0, most - WIDE * len(each))] * len(t))
    found = set()
    for i, total in zip(different.values(), sums, strict=True):
        close = vectors.below(enough, total)
        budget.spend(100 * len(each) * len(close))
        found |= {tuple([one.number(i, t[place]) for one in each]) for place in close}
    return found


def bound(ratio: Fraction) -> int:
    """A number of `PARTS`, at least those of a `ratio` >= 1 and less than `WIDE` more."""
    above, below = ratio.as_integer_ratio()
    cut, other = (max(0, number.bit_length() - HEAD) for number in (above, below))
    high, low = pow((above >> cut) + (cut > 0), PARTS), pow(below >> other, PARTS)
    found: int = high.bit_length() - low.bit_length() + 1 + PARTS * (cut - other)
    return found

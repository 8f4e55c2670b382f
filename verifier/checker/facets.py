"""The facets of a cone that rows generate.

Equations and facets have an integer as text for each entry. Equations are independent, 0 on all
rows, and as many as the entries less the rank d of the rows. Of d independent rows every other one
is a combination. So the facets are, up to positive factors, the corners of the cone of products
with these that are >= 0, the same combinations of them too. They are listed once each, in any
order.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from . import reading as read
from .document import need, prove, spend
from .linear import Row, coprime, corners
from .numbers import NEEDS_RATIONAL
from .reading import in_integers

Whole = tuple[int, ...]


def read_facets(
    rows: Iterable[Sequence[Fraction]], equations: Any, facets: Any
) -> tuple[list[Whole], list[Whole]]:
    """The `equations` and `facets` of the cone of some `rows`, which are rational, if these are
    all. For some z the products with all rows but 0 are positive.

    The facets are also all extreme rays z of the cone where no product with a row is below 0."""
    integers = [in_integers(row)[1] for row in rows if any(row)]
    need(all(type(x) is int for row in integers for x in row), NEEDS_RATIONAL)
    base, others = _based(dict.fromkeys(map(coprime, integers)))  # of each direction one
    size = len(base[0])
    equal, least = _read_whole(equations, size), _read_whole(facets, size)
    spend(size * len(base) * (len(equal) + len(least)))
    fits = rank(equal) == len(equal) == size - len(base)
    prove(fits, "the equations depend on each other, or there are others")
    fits = not any(dot(one, row) for one in equal for row in base)
    prove(fits, "an equation does not hold")
    listed = [[dot(one, row) for row in base] for one in least]
    found = corners(len(base), [Row.over(1, dict(enumerate(row))) for row in others])
    prove(sorted(map(coprime, listed), reverse=True) == found, "these are not the facets")
    return equal, least


def _read_whole(listed: Any, width: int) -> list[Whole]:
    found = read.matrix(listed)
    need(all(len(part) == width for part in found), "one coefficient for each entry of a row")
    need(all(x.denominator == 1 for part in found for x in part), "coefficients are integers")
    return [tuple([x.numerator for x in part]) for part in found]


def rank(rows: Iterable[Sequence[Any]]) -> int:
    """The rank of `rows`."""
    return len(_based(in_integers(row)[1] for row in rows)[0])


def _based(rows: Iterable[Sequence[int]]) -> tuple[list[Sequence[int]], list[list[int]]]:
    """The `rows` that are independent of those before; and for every other one the numbers with
    which these add up to a negative multiple of it."""
    base: list[Sequence[int]] = []
    steps, others = list[tuple[int, Whole]](), list[list[int]]()
    for row in rows:
        size = len(row)
        rest: Whole = (*row, *[0] * size, 1)  # a row, and how it is made of the base and this one
        for place, step in steps:
            if rest[place]:
                spend(size * (1 + max(map(int.bit_length, rest)) // 500))
                pairs = zip(rest, step, strict=True)
                rest = coprime([step[place] * a - rest[place] * b for a, b in pairs])
        place = next((k for k in range(size) if rest[k]), size)
        if place < size:
            own = size + len(base)
            steps.append((place, (*rest[:own], rest[-1], *rest[own + 1 : -1], 0)))
            base.append(row)
        else:
            side = 1 if rest[-1] > 0 else -1
            others.append([side * x for x in rest[size : size + len(base)]])
    return base, [[*row, *[0] * (len(base) - len(row))] for row in others]


def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The sum of the products of the numbers of two vectors."""
    return sum(map(mul, left, right))

"""Domains of parameters as a question has them: intervals with ends, what covers them, cells.

Evidence is not read here. One parameter lies in pieces: points and open intervals in turn, whose
ends are rational or algebraic. Several lie in a box with conditions, whose cells have each of them
at an end or between its ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise, product
from operator import itemgetter
from typing import Any

from . import reading as read
from .document import fields, items, mapping, need, prove, spend, texts
from .numbers import Poly, read_polynomial
from .rates import INFINITE, read_rates
from .signs import Cell, Spot
from .sturm import Dense, Real, compare, sign, variations

APART = {"records", "entries_per_record", "counts", "entries_of_values"}  # beside all cells
MAX_DEGREE = 5_000
MOST = 8  # parameters


def read_parts(question: Any) -> list[tuple[Any, Any]]:
    """The cells of the domain of a `question`, and on each the plain question that is asked there:
    a `Spot` of one parameter, or a `Cell` of several, which asks nothing where it is null."""
    names, sides, where, listed = fields(question["domain"], "parameters sides where cells")
    need(question["relation"] is None, "with a domain each cell has a relation")
    need(0 < texts(names) <= MOST, "a few parameters")
    need(all(name.isidentifier() and name != "e" for name in names), "a parameter is a word")
    need(len(items(sides)) == len(names), "an interval for each parameter")
    cells: Sequence[Any]
    if len(names) == 1:
        need(where == [], "one parameter has an interval alone")
        domain = read_domain(*fields(sides[0], "from to"))
        cells, ends = read_spots(items(listed), names[0], domain), "from to "
    else:
        cells, ends = read_cells(names, sides, where), ""
    need(len(cells) == len(items(listed)), "a question for each cell")
    pairs = zip(cells, listed, strict=True)
    return [(cell, None if one is None else _asked_on(question, one, ends)) for cell, one in pairs]


def _asked_on(question: Any, cell: Any, ends: str) -> dict[str, Any]:
    """What a `question` asks on a cell of its domain, as a plain one."""
    *_, relation, own = fields(cell, f"{ends}relation model")
    whole = mapping(question["model"])
    need(not {*whole, *APART} & mapping(own).keys(), "worlds stand once, beside the cells")
    plain = {key: part for key, part in question.items() if key != "domain"}
    return {**plain, "relation": relation, "model": {**whole, **own}}


@dataclass(frozen=True)
class End:
    """The end of a set of numbers, and whether it belongs to them."""

    at: Real
    closed: bool


def read_end(value: Any) -> End:
    """An end: a rational, or a polynomial with rationals around its only root between them."""
    if "rational" in mapping(value):
        text, closed = fields(value, "rational closed")
        at: Any = INFINITE if text == "infinite" and closed is False else read.number(text)
        need(at is INFINITE or type(at) is Fraction, "an end is rational, algebraic or infinite")
        found = Real(at, at)
    else:
        listed, around, closed = fields(value, "polynomial between closed")
        low, high = read.numbers(around)
        polynomial = read_integers(listed)
        need(len(polynomial) > 1 and low < high, "a root lies between two numbers")
        simple = variations(polynomial, low, high) == 1
        simple = simple and sign(polynomial, low) * sign(polynomial, high) < 0
        need(simple, "a polynomial with one root between the two numbers is needed")
        found = Real(low, high, polynomial)
    need(type(closed) is bool, "closed is true or false")
    return End(found, closed)


def read_integers(listed: Sequence[Any]) -> Dense:
    """A polynomial from texts of integers, the last of which is not 0; or of a coefficient and the
    exponents i, q and, if there is one, r of x^i e^(qx + r), where it has powers of e."""
    if type(items(listed)[0]) is list:
        return read_rates(items(listed, 4 if len(listed[0]) == 4 else 3))
    found = read.numbers(items(listed))
    whole = all(type(c) is Fraction and c.denominator == 1 for c in found)
    need(whole and len(found) <= MAX_DEGREE, "integers are needed")
    need(not found or found[-1], "the last coefficient is not 0")
    return tuple([c.numerator for c in found])


def read_domain(low: Any, high: Any) -> list[End]:
    """The two ends of an interval that is no point."""
    ends = [read_end(low), read_end(high)]
    need(compare(ends[0].at, ends[1].at) < 0, "an interval has a lower and upper end")
    return ends


def read_spots(parts: Sequence[Any], name: str, domain: list[End]) -> list[Spot]:
    """The places of `parts`, which cover a domain: points and open intervals in turn."""
    found: list[Spot] = []
    for part in parts:
        low, high = (read_end(part[key]) for key in ("from", "to"))
        order = compare(low.at, high.at)
        need(order <= 0 and low.closed == high.closed == (order == 0), "an interval or a point")
        found.append(Spot(name, low.at, high.at, order == 0))
    need(found, "there is a piece")
    prove(have_ends(found, domain), "the pieces do not reach the ends")
    for one, other in pairwise(found):
        meet = not compare(one.high, other.low)
        prove(meet and one.is_point != other.is_point, "the pieces do not meet")
    return found


def ends_of(pieces: Sequence[Spot]) -> list[End]:
    """Where some pieces, one after the other, begin and end."""
    first, last = pieces[0], pieces[-1]
    return [End(first.low, first.is_point), End(last.high, last.is_point)]


def have_ends(pieces: Sequence[Spot], ends: Sequence[End]) -> bool:
    """Whether some pieces begin and end at these two `ends`."""
    pairs = zip(ends_of(pieces), ends, strict=True)
    return all(not compare(x.at, y.at) and x.closed == y.closed for x, y in pairs)


def is_inside(piece: Spot, cell: Spot) -> bool:
    """Whether a piece lies in a cell, or has to wait for a later one."""
    low, high = compare(cell.low, piece.low), compare(piece.high, cell.high)
    if piece.is_point and not cell.is_point:
        return low < 0 and high < 0
    return low <= 0 and high <= 0


def check_region_of(stated: Sequence[Any], pieces: Sequence[Spot], holds: Sequence[bool]) -> None:
    """Reject another region than that of the pieces where it holds."""
    parts = groupby(zip(holds, pieces, strict=True), key=itemgetter(0))
    found = [[piece for _, piece in part] for good, part in parts if good]
    same = len(stated) == len(found) and all(
        have_ends(part, [read_end(end) for end in fields(one, "from to")])
        for one, part in zip(stated, found, strict=True)
    )
    prove(same, "the region is another")


def read_cells(names: Any, ends: Any, where: Any) -> list[Cell]:
    """The cells of a domain of several parameters, in their order."""
    conditions = list(map(_condition, items(where), [tuple(names)] * len(where)))
    sides = list(product(*map(_sides, ends)))
    return [Cell(tuple(names), own, conditions) for own in sides]


def _sides(part: Any) -> list[tuple[Fraction, Fraction]]:
    """An end that belongs to an interval, what is between both, and the other end."""
    ends = [read_end(end) for end in fields(part, "from to")]
    need(not any(end.at.polynomial for end in ends), "rational ends")
    (a, first), (b, last) = ((end.at.low, end.closed) for end in ends)
    need(a < b or (a == b and first and last), "an interval has a lower and an upper end")
    return [(a, a)] * first + [(a, b)] * (a < b) + [(b, b)] * (last and a < b)


def _condition(one: Any, names: tuple[str, ...]) -> tuple[Poly, bool]:
    text, strict = fields(one, "polynomial strict")
    need(type(text) is str and type(strict) is bool, "a polynomial, and whether it is > 0")
    spend(20 * len(text))
    return read_polynomial(text, names), strict

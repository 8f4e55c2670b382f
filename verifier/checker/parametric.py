"""Matrices and priors whose numbers are rational functions of one parameter, on a cell.

A number is a text such as (1 - p)/(2*p). A cell is an interval or a point; on it no number is
negative, and columns and priors sum to 1, which is decided here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from . import reading as read
from .comparison import read_blocks
from .reading import CODES, Budget, Model, need, prove
from .univariate import (
    ONE,
    ZERO,
    Gap,
    Poly,
    Real,
    plus,
    primitive,
    sign_at,
    steps_of_product,
    times,
    trimmed,
)

Quotient = tuple[Poly, Poly]
Pair = tuple[int, int, int]  # two columns and their distance
TERM = re.compile(r"([0-9]+)?(?:\*?(?<![0-9])([a-z_A-Z]\w*)(?:\^([0-9]+))?)?")
MAX_EXPONENT = 5_000
FARTHEST = 100  # distances are below


@dataclass(frozen=True)
class Spot:
    """A piece of the domain: one point, or the numbers between two ends."""

    low: Real
    high: Real
    budget: Budget
    is_point: bool

    @cached_property
    def signs(self) -> dict[Poly, int]:
        """The signs of polynomials that have been found, which are the same on all of it."""
        return {}

    @cached_property
    def gap(self) -> Gap:
        """The numbers between the ends."""
        return Gap(self.low, self.high, self.budget)

    def side(self, a: Poly) -> int:
        """1 where a >= 0 on the piece, -1 where a < 0 on it; 0 where neither."""
        if not self.is_point:
            return self.gap.side(a)
        return 1 if sign_at(a, self.low, self.budget) >= 0 else -1

    def vanishes(self, a: Poly) -> bool:
        """Whether a is 0 on the piece; it is 0 nowhere on it otherwise, or this is rejected."""
        if self.is_point:
            return not sign_at(a, self.low, self.budget)
        prove(not a or self.gap.is_free(a), "a piece is not divided where something vanishes")
        return not a

    def is_positive(self, a: Poly) -> bool:
        """Whether a > 0 on the piece."""
        return bool(a) and not self.vanishes(a) and self.side(a) > 0

    def turned(self, bottom: Poly) -> int:
        """1 where a denominator is positive on the piece, -1 where it is negative."""
        prove(bottom and not self.vanishes(bottom), "a denominator vanishes")
        return 1 if self.side(bottom) > 0 else -1


@dataclass(frozen=True)
class Columns:
    """What is compared on a cell, if anything is `compared`: columns of codes of quotients, by
    different pairs and distances; `names` has the numbers of those that belong to a prior and a
    secret."""

    numbers: list[Quotient]
    columns: list[tuple[int, ...]]
    pairs: set[Pair]
    compared: bool
    names: Mapping[tuple[int, str], int] | None
    kinds: Sequence[int] = ()

    def shown(self, place: Any, keys: str) -> tuple[int, int, list[Any]]:
        """Two columns that are compared, and what else is said of them."""
        if self.names is None:
            pair, *rest = read.fields(place, f"pair {keys}")
            i, j = (self.kinds[w] for w in read.indices(pair, len(self.kinds)))
        else:
            prior, pair, *rest = read.fields(place, f"prior pair {keys}")
            i, j = (self.names[read.index(prior, CODES), name] for name in read.pair(pair))
        prove(any((s, t) == (i, j) for s, t, _ in self.pairs), "no pair of the relation")
        return i, j, rest


def scaled(a: Poly, factor: int) -> Poly:
    """a times an integer."""
    return tuple([factor * c for c in a])


def added(x: Quotient, y: Quotient) -> Quotient:
    """x + y, over their one denominator if it is the same."""
    (a, b), (c, d) = x, y
    return (plus(a, c), b) if b == d else (plus(times(a, d), times(c, b)), times(b, d))


def read_function(text: Any, name: str) -> Quotient:
    """A quotient of two polynomials of the parameter `name`: p, (1 - p)/(2*p), 3/4.

    The polynomials are written from the constant term up, one of several terms in brackets where
    there are two."""
    if type(text) is Fraction:
        return trimmed([text.numerator]), (text.denominator,)
    if isinstance(text, Fraction):
        text = str(text)  # of another class, which is not trusted
    need(type(text) is str and len(text) <= read.MAX_DIGITS, "a function is a text, not too long")
    halves = text.split("/")
    need(len(halves) <= 2, "a function is a quotient of two polynomials")
    above, *below = ("" if half[:1] == "(" else half for half in halves)
    plain = not below or not (" " in above or {" ", "*"} & set(below[0]))
    need(plain, "a polynomial stands in brackets where it needs them")
    parts = [_read_polynomial(half, name) for half in halves]
    top, bottom = (*parts, ONE)[:2]
    need(bottom, "a denominator is not 0")
    return top, bottom


def _read_polynomial(text: str, name: str) -> Poly:
    bare = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text
    found: dict[int, int] = {}
    for term in bare.replace(" - ", " + -").split(" + "):
        shown = TERM.fullmatch(term.removeprefix("-"))
        need(shown and any(shown.groups()), "a polynomial is a sum of terms")
        assert shown
        factor, symbol, exponent = shown.groups()
        need(symbol in (None, name), "another parameter")
        at = 0 if symbol is None else int(exponent or 1)
        need(at <= MAX_EXPONENT and at not in found, "an exponent stands twice, or is too high")
        found[at] = int(factor or 1) * (-1 if term.startswith("-") else 1)
    return trimmed(found.get(k, 0) for k in range(max(found) + 1))


def read_columns(relation: Any, part: Any, name: str, model: Model, spot: Spot) -> Columns:
    """What a `relation` compares on a cell, whose columns are distributions on it."""
    _, _, outputs, listed, codes = read.fields(part, "from to outputs values columns")
    size = read.texts(outputs)
    values = [read_function(text, name) for text in read.items(listed)]
    columns = list(map(tuple, read.unpacked(read.items(codes), len(values))))
    need(set(map(len, columns)) == {size}, "a column has one code per output")
    need(len(columns) == model.size, "there is one column for each world")
    model.check_alike(columns)
    for number in values:
        _check_not_negative(number, spot)
    for column in set(columns):
        _check_sum([values[code] for code in column], spot, "a column")
    if relation["rule"] == "secrets" and relation["priors"]["class"] in ("list", "conditionals"):
        return _believed(relation, values, columns, name, model, spot)
    known: dict[Any, int] = {}
    kinds = [known.setdefault(column, len(known)) for column in columns]
    pairs: set[Pair] = set()
    blocks = read_blocks(relation, model, kinds)
    for s, t, d in blocks:
        need(d.denominator == 1 and d < FARTHEST, "a distance is an integer")
        spot.budget.spend(len(s) * len(t))
        pairs.update((i, j, int(d)) for i in s for j in t if i != j)
    return Columns(values, list(known), pairs, bool(blocks), None, kinds)


def _check_not_negative(number: Quotient, spot: Spot) -> None:
    top, bottom = number
    prove(spot.side(scaled(top, spot.turned(bottom))) > 0, "a number is negative")


def _check_sum(numbers: Sequence[Quotient], spot: Spot, what: str) -> None:
    """Reject numbers that do not sum to 1 on a cell."""
    length = sum(len(top) + len(bottom) for top, bottom in numbers)
    bottoms = {bottom for _, bottom in numbers}
    spot.budget.spend(length * len(bottoms) ** 2 + steps_of_product(*bottoms))
    rest = plus(*_total(numbers), -1)
    zero = not rest or (spot.is_point and spot.vanishes(rest))
    prove(zero, f"{what} does not sum to 1")


def _believed(
    relation: Any,
    values: list[Quotient],
    columns: list[tuple[int, ...]],
    name: str,
    model: Model,
    spot: Spot,
) -> Columns:
    """P(output | secret) under priors whose weights are functions; not where the secret has no
    weight."""
    secrets, pairs = read.secrets(relation, model)
    numbers: dict[Quotient, int] = {}
    found: list[tuple[int, ...]] = []
    names: dict[tuple[int, str], int] = {}
    for k, prior in enumerate(_priors(relation["priors"], name, secrets, model, spot)):
        for secret, weights in prior.items():
            mass = _total([weights[w] for w in secrets[secret]])
            if not mass[0] or (spot.is_point and spot.vanishes(mass[0])):
                continue
            names[k, secret] = len(found)
            spot.budget.spend(100 * len(secrets[secret]) * len(columns[0]))
            column = []
            for at in range(len(columns[0])):
                for w in secrets[secret]:
                    spot.budget.spend(steps_of_product(*weights[w], *values[columns[w][at]]))
                joint = _total(
                    [_product(weights[w], values[columns[w][at]]) for w in secrets[secret]]
                )
                ratio = times(joint[0], mass[1]), times(joint[1], mass[0])
                column.append(numbers.setdefault(_lowest(ratio), len(numbers)))
            found.append(tuple(column))
    priors = {k for k, _ in names}
    listed = {
        (names[k, s], names[k, t], 1)
        for k in priors
        for s, t in pairs
        if (k, s) in names and (k, t) in names
    }
    return Columns(list(numbers), found, listed, bool(listed), names)


def _lowest(number: Quotient) -> Quotient:
    """A quotient without a constant factor that both parts have."""
    both = primitive(number[0] + number[1])
    return both[: len(number[0])], both[len(number[0]) :]


def _product(x: Quotient, y: Quotient) -> Quotient:
    return times(x[0], y[0]), times(x[1], y[1])


def _total(numbers: Sequence[Quotient]) -> Quotient:
    """The sum, over one denominator for those that are equal."""
    total: dict[Poly, Poly] = {}
    for top, bottom in numbers:
        total[bottom] = plus(total.get(bottom, ZERO), top)
    found: Quotient = (ZERO, ONE)
    for bottom, top in total.items():
        found = added(found, (top, bottom)) if top else found
    return found


def _priors(
    priors: Any, name: str, secrets: Mapping[str, list[int]], model: Model, spot: Spot
) -> Iterator[dict[str, list[Quotient]]]:
    """For each prior, and each secret that it speaks of, the weights of the worlds."""
    kind, listed = read.fields(priors, "class priors")
    for prior in read.items(listed):
        rows = dict.fromkeys(secrets, prior) if kind == "list" else read.mapping(prior)
        known: dict[int, list[Quotient]] = {}
        for secret, row in rows.items():
            if id(row) not in known:
                known[id(row)] = [read_function(text, name) for text in read.items(row)]
                need(len(row) == model.size, "a weight for each world")
                for number in known[id(row)]:
                    _check_not_negative(number, spot)
                _check_sum(known[id(row)], spot, "a prior")
            if kind != "list":
                inside = [known[id(row)][w] for w in secrets[secret]]
                _check_sum(inside, spot, "a prior within its secret")
        yield {secret: known[id(row)] for secret, row in rows.items()}

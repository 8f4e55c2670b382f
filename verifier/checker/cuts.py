"""Polynomials in several groups of variables, and why they are nowhere positive where all variables
are >= 0.

A polynomial is homogeneous in each group. A tree proves it nowhere positive: no coefficient is; or
it is so on both sides of a cut x_i / x_j = a / b; or by one of `RULES`, for which conditions may be
given: further polynomials that are nowhere negative.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import accumulate, zip_longest
from math import comb
from operator import add
from typing import Any

from . import reading as read
from .document import (
    MAX_DIGITS,
    fields,
    index,
    indices,
    items,
    keep,
    mapping,
    need,
    spend,
)
from .numbers import Divided, spend_products
from .reading import ONE, ZERO
from .sturm import is_nowhere_positive, longest, multiplied, shortened

TOO_LONG = 10**MAX_DIGITS  # takes milliseconds to make
Polynomial = dict[tuple[int, ...], Any]  # exponents, one per variable -> coefficient


def summed(terms: Iterable[tuple[Polynomial, Any]]) -> Polynomial:
    """The sum of polynomial times factor over all `terms`."""
    found: Polynomial = {}
    for p, factor in terms:
        for m, x in p.items() if factor else ():
            found[m] = found.get(m, 0) + factor * x
    return found


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of `p` and `q`."""
    sizes = longest(p.values()), longest(q.values())
    spend_products(5 * (1 + len(p)) * (1 + len(q)), *sizes)
    found: Polynomial = defaultdict(int)
    for m, x in p.items():
        for n, y in q.items():
            found[tuple(map(add, m, n))] += x * y
        keep(len(found), sum(sizes))
    return dict(found)


def power(p: Polynomial, times: int, count: int) -> Polynomial:
    """p^times, in `count` variables."""
    return reduce(multiply, [p] * times, {(0,) * count: 1})


def linear(coefficients: Sequence[Any], start: int, count: int) -> Polynomial:
    """The linear form with these coefficients of the variables from `start` on."""
    unit = [tuple(int(k == start + v) for k in range(count)) for v in range(len(coefficients))]
    return {m: x for m, x in zip(unit, coefficients, strict=True) if x}


def slices(groups: Sequence[int]) -> list[slice]:
    """The places of the variables of each of the `groups`, given by their sizes."""
    return [slice(end - size, end) for end, size in zip(accumulate(groups), groups, strict=True)]


@dataclass(frozen=True)
class Region:
    """Where all variables are >= 0, and `conditions` too.

    groups      the sizes of the groups of variables
    conditions  polynomials that are nowhere negative there
    strict      of each condition whether it is > 0
    is_open     whether all variables are > 0
    """

    groups: Sequence[int]
    conditions: Sequence[Polynomial] = ()
    strict: Sequence[bool] = ()
    is_open: bool = False

    @property
    def count(self) -> int:
        """How many variables there are."""
        return sum(self.groups)

    def proved(self, p: Polynomial, tree: Any, below: bool = False) -> bool:
        """Whether a tree proves p <= 0 there; or `below` 0 where all variables are > 0."""
        spend(20 + 2 * len(p))
        if type(tree) is int:
            return tree == 0 and _is_nonpositive(p) and (not below or any(p.values()))
        if type(tree) is list:
            return not below and self._on_both_sides(p, tree)
        named = [rule for key, rule in RULES.items() if key in mapping(tree)]
        need(named, "no rule of trees")
        return named[0](self, p, tree, below)

    def _on_both_sides(self, p: Polynomial, tree: list[Any]) -> bool:
        """Whether two trees prove it where x_i / x_j >= a / b, and where it is <= that."""
        i, j, a, b, left, right = tree
        indices([a, b], read.LARGE, low=1)
        self._check_edge(i, j)
        found = []
        for at, half in (((i, j, a, b), left), ((j, i, b, a), right)):
            side = replace(self, conditions=[cut(c, *at) for c in self.conditions], is_open=False)
            found.append(side.proved(cut(p, *at), half))
        return all(found)

    def _check_edge(self, i: Any, j: Any) -> None:
        """Refuse what are not two variables of one group."""
        both, places = {*indices([i, j], self.count)}, range(self.count)
        need(i != j and any(both <= {*places[part]} for part in slices(self.groups)), "no edge")

    def _by_contradiction(self, _: Polynomial, tree: Any, below: bool) -> bool:
        """Nothing lies there: a condition that is > 0 is nowhere positive."""
        number = index(fields(tree, "none")[0], len(self.conditions))
        condition = self.conditions[number]
        fails = self.strict[number] or (self.is_open and condition)
        return bool(fails) and _is_nonpositive(condition)

    def _by_condition(self, p: Polynomial, tree: Any, below: bool) -> bool:
        """p plus a multiple of a condition has no positive coefficient."""
        number, text = items(fields(tree, "plus")[0])
        factor, condition = read.number(text), self.conditions[index(number, len(self.conditions))]
        need(type(factor) is Fraction and factor >= 0, "a factor is at least 0")
        p, condition = self._alike(p, condition)
        rest = summed([(p, factor.denominator), (condition, factor.numerator)])
        sure = not below or any(rest.values()) or (factor > 0 and self.strict[number])
        return sure and _is_nonpositive(rest)

    def _alike(self, p: Polynomial, q: Polynomial) -> list[Polynomial]:
        """Both times powers of the sums of groups, so that they have the same degrees."""
        both = [p, q]
        for part in slices(self.groups):
            degrees = [max((sum(m[part]) for m in one), default=0) for one in both]
            total = linear([1] * (part.stop - part.start), part.start, self.count)
            for k, degree in enumerate(degrees):
                n = max(degrees) - degree
                both[k] = multiply(both[k], power(total, n, self.count))
        return both

    def _by_product(self, p: Polynomial, tree: Any, below: bool) -> bool:
        """p is, up to a positive factor, a condition or a square times what is proved."""
        key = "factor" if "factor" in tree else "square"
        stated, rows, own = fields(tree, f"{key} rest tree")
        if key == "factor":
            number = index(stated, len(self.conditions))
            known, sure = self.conditions[number], self.strict[number] or not below
        else:
            square, sure = read_terms(stated, self.count), not below
            known = multiply(square, square)
        rest = read_terms(rows, self.count)
        same = any(p.values()) and _is_multiple(multiply(rest, known), p)
        return same and sure and self.proved(rest, own, below)

    def _by_quotient(self, p: Polynomial, tree: Any, below: bool) -> bool:
        """p by a polynomial with positive coefficients, > 0 where all variables are, is proved."""
        divisor, own = fields(tree, "divisor tree")
        found = quotient(p, divisor, self.count)
        if not read.is_other(*found.values()):
            found = dict(zip(found, shortened(found.values()), strict=True))
        return self.proved(found, own, below)

    def _by_merging(self, p: Polynomial, tree: Any, below: bool) -> bool:
        """p depends on x_i + x_j only, as conditions may not, and is proved where x_j = 0."""
        both, own = fields(tree, "merge tree")
        i, j = indices(both, self.count)
        rest = {m: x for m, x in p.items() if not m[j]}
        same = i != j and _is_same(cut(rest, i, j, 1, 1), p)
        return same and Region(self.groups).proved(rest, own, below)

    def _by_ratio(self, p: Polynomial, tree: Any, below: bool) -> bool:
        """The coefficient of each monomial in all variables but two of a group, for each degree in
        these, is nowhere positive as a polynomial in their ratio."""
        i, j = items(fields(tree, "sturm")[0])
        self._check_edge(i, j)
        rows: dict[tuple[int, ...], list[Any]] = {}
        degree = max((m[i] for m in p), default=0)
        for m, x in p.items():
            rest = (m[i] + m[j], *(e for k, e in enumerate(m) if k not in (i, j)))
            rows.setdefault(rest, [0] * (degree + 1))[m[i]] += x
        spend(len(rows) * (degree + 1))
        return not below and all(map(is_nowhere_positive, rows.values()))

    def _by_discriminant(self, p: Polynomial, tree: Any, below: bool) -> bool:
        """p = A x^2 + B x + C, times a power of the variable x, has A, C and B^2 - 4 A C that three
        trees prove to be nowhere positive. Then p is so."""
        variable, trees = fields(tree, "quadratic trees")
        c, b, a = quadratic(p, index(variable, self.count))
        found = summed([(multiply(b, b), 1), (multiply(a, c), -4)])
        need(len(items(trees)) == 3, "not three trees")
        pairs = zip((a, c, found), trees, strict=True)
        return not below and all(self.proved(one, own) for one, own in pairs)


RULES = {  # the key of a tree -> its rule
    "none": Region._by_contradiction,
    "plus": Region._by_condition,
    **dict.fromkeys(("factor", "square"), Region._by_product),
    "divisor": Region._by_quotient,
    "merge": Region._by_merging,
    "sturm": Region._by_ratio,
    "quadratic": Region._by_discriminant,
}


def nowhere_positive(p: Polynomial, tree: Any, groups: Sequence[int]) -> bool:
    """Whether the tree proves p <= 0 where all variables are >= 0."""
    return Region(groups).proved(p, tree)


def _is_nonpositive(p: Polynomial) -> bool:
    return all(c <= 0 for c in p.values())


def _is_same(p: Polynomial, q: Polynomial, scale: Any = 1) -> bool:
    """Whether p is `scale` times q."""
    return all(p.get(m, 0) == scale * q.get(m, 0) for m in (*p, *q))


def _is_multiple(p: Polynomial, q: Polynomial) -> bool:
    """Whether p is a positive multiple of q, by a rational."""
    scale = next((Fraction(p.get(m, 0), x) for m, x in q.items() if x), ONE)
    return scale > 0 and _is_same(p, q, scale)


def quadratic(p: Polynomial, variable: int) -> tuple[Polynomial, Polynomial, Polynomial]:
    """C, B and A, where p is A x^2 + B x + C times a power of the variable x."""
    least = min((m[variable] for m in p), default=0)
    parts: tuple[Polynomial, Polynomial, Polynomial] = ({}, {}, {})
    for m, x in p.items():
        need(m[variable] - least <= 2, "a polynomial of too high a degree for a discriminant")
        parts[m[variable] - least][(*m[:variable], 0, *m[variable + 1 :])] = x
    return parts


def fails_on(p: Polynomial, line: Any, eliminated: Any, count: int) -> bool:
    """Whether p, in `count` variables, is positive at start + t direction for some t > 0, start and
    direction being points of a `line`; where a variable x is `eliminated`, for some x > 0 beside.

    With A x^2 + B x + C on the line, B >= 0 and B^2 - 4 A C > 0, some x is large or near
    -B / (2 A)."""
    points = read.matrix(line)
    need(len(points) == 2 and all(len(x) == count for x in points), "no line")
    need(min(map(min, points)) >= 0, "a line of priors has no negative numbers")
    if eliminated is None:
        return not is_nowhere_positive(_along(p, points))
    parts = quadratic(p, index(eliminated, count))
    c, b, a = (_along(part, points) for part in parts)
    need(all(x >= 0 for x in b), "a value below 0")
    pairs = zip_longest(multiplied(b, b), multiplied(a, c), fillvalue=0)
    return not is_nowhere_positive([x - 4 * y for x, y in pairs])


def _along(p: Polynomial, line: list[list[Fraction]]) -> list[Any]:
    """The coefficients of p at start + t direction, a polynomial in t."""
    found: list[Any] = [ZERO]
    for m, x in p.items():
        term: Sequence[Any] = [x]
        for e, start, direction in zip(m, *line, strict=True):
            for _ in range(e):
                term = multiplied(term, [start, direction])
        found = [a + b for a, b in zip_longest(found, term, fillvalue=0)]
    return found


def quotient(p: Polynomial, listed: Any, count: int) -> Polynomial:
    """p by a divisor, `listed`, that is positive where all of `count` variables are."""
    divisor, rest, found = read_terms(listed, count), dict(p), dict[tuple[int, ...], Any]()
    indices(list(divisor.values()), read.CODES, low=1)
    lead = max(divisor)
    while rest:
        first = max(rest)
        x = read.ratio(rest.pop(first), divisor[lead])
        if _vanishes(x):
            continue
        place = tuple([e - k for e, k in zip(first, lead, strict=True)])
        need(min(place) >= 0, "no divisor")
        found[place] = x
        spend(len(divisor) * count * (20 + len(found)))
        for m, y in divisor.items():
            if m != lead:
                at = tuple([e + k for e, k in zip(place, m, strict=True)])
                rest[at] = rest.get(at, 0) - x * y
    return found


def _vanishes(x: Fraction) -> bool:
    """Whether a number is 0, a function everywhere on a piece."""
    try:
        return not x
    except Divided:
        return False


def read_terms(rows: Any, count: int) -> dict[tuple[int, ...], int]:
    """A polynomial from rows of a coefficient and `count` exponents."""
    found = {tuple(indices(m, 10**4)): c for c, *m in items(rows, count + 1)}
    need(found and len(found) == len(rows), "terms are different, at least one")
    fits = all(type(c) is int and c and abs(c) < TOO_LONG for c in found.values())
    need(fits, "a coefficient is an integer, not 0 and not too long")
    return found


def cut(p: Polynomial, i: int, j: int, a: int, b: int) -> Polynomial:
    """p at x_i + a x_j and b x_j in place of x_i and x_j: the points with x_i / x_j >= a / b."""
    found, long = Polynomial(), longest(p.values())
    for m, x in p.items():
        own = m[i] * (1 + a.bit_length()) + m[j] * b.bit_length()
        spend_products(5 * (m[i] + 1 if a else 1), long + own, 20 + own)
        for k in range(m[i] + 1 if a else 1):
            new = list(m)
            new[i], new[j] = m[i] - k, m[j] + k
            at = tuple(new)
            found[at] = found.get(at, 0) + x * comb(m[i], k) * a**k * b ** m[j]
        keep(len(found), long + own)
    return found

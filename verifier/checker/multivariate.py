"""Integer polynomials of several parameters, and their signs on a cell where conditions hold.

A polynomial maps exponents, one per parameter, to coefficients other than 0. On a cell a parameter
is at a rational, or between two; there it is (low u + high v)/(u + v) with u, v > 0, so that a
polynomial has the sign of one that is homogeneous in each pair of variables.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, gcd, lcm, prod
from typing import Any

from . import reading as read
from .cuts import cut, nodes, quotient, simpler
from .reading import Budget, afford, keep, need, prove

Poly = dict[tuple[int, ...], int]
Quotient = tuple[Poly, Poly]
Key = frozenset[tuple[tuple[int, ...], int]]
FACTOR = re.compile(r"([a-zA-Z_]\w*)(?:\^([0-9]{1,4}))?")
MAX_EXPONENT = 500
MOST_TERMS = 10**6  # of a polynomial on a cell


def plus(a: Poly, b: Poly, factor: int = 1) -> Poly:
    """a + `factor` b."""
    found = dict(a)
    for m, c in b.items():
        found[m] = found.get(m, 0) + factor * c
    return {m: c for m, c in found.items() if c}


def times(a: Poly, b: Poly, budget: Budget) -> Poly:
    """a b."""
    budget.spend(len(a) * len(b) * (1 + (_longest(a) + _longest(b)) // 1000))
    found: Poly = {}
    for m, x in a.items():
        for n, y in b.items():
            both = tuple([i + j for i, j in zip(m, n, strict=True)])
            found[both] = found.get(both, 0) + x * y
    return {m: c for m, c in found.items() if c}


def power(a: Poly, exponent: int, budget: Budget) -> Poly:
    """a^`exponent`, which is at least 1."""
    found = a
    for _ in range(exponent - 1):
        found = times(found, a, budget)
    return found


def _longest(a: Poly) -> int:
    return max((c.bit_length() for c in a.values()), default=0)


def value(a: Poly, point: Sequence[Fraction]) -> Fraction:
    """a at a point."""
    afford(sum(_steps_of_powers(max(m, default=0), *point) for m in a))
    found = Fraction(0)
    for m, c in a.items():
        found += c * prod((x**k for x, k in zip(point, m, strict=True) if k), start=Fraction(1))
    return found


def _steps_of_powers(exponent: int, *numbers: Fraction) -> int:
    """Those that it takes to add up products of `numbers` to at most an `exponent`."""
    bits = exponent * _bits_of(*numbers)
    return 10 + bits // 10 + bits * bits // 60_000


def _bits_of(*numbers: Fraction) -> int:
    return sum(n.bit_length() for x in numbers for n in x.as_integer_ratio())


def primitive(a: Poly) -> Poly:
    """a divided by the largest common divisor of its coefficients."""
    divisor = gcd(*a.values())
    return {m: c // divisor for m, c in a.items()}


def read_quotient(text: Any, names: Sequence[str]) -> Quotient:
    """A quotient of two polynomials of the parameters: p*q, (1 - p)/(2*q), 3/4."""
    if isinstance(text, Fraction):
        text = str(text)  # which may be of another class, that is not trusted
    need(type(text) is str and len(text) <= read.MAX_DIGITS, "a function is a text, not too long")
    halves = text.split("/")
    need(len(halves) <= 2, "a function is a quotient of two polynomials")
    above, *below = ("" if half[:1] == "(" else half for half in halves)
    plain = not below or not (" " in above or {" ", "*"} & set(below[0]))
    need(plain, "a polynomial stands in brackets where it needs them")
    top, bottom = (*(read_polynomial(half, names) for half in halves), {(0,) * len(names): 1})[:2]
    need(bottom, "a denominator is not 0")
    return top, bottom


def read_polynomial(text: str, names: Sequence[str]) -> Poly:
    """A sum of terms such as 3*p^2*q, with + or - between them."""
    bare = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text
    found: Poly = {}
    for term in bare.replace(" - ", " + -").split(" + "):
        size, exponents = 1, [0] * len(names)
        first, *others = term.removeprefix("-").split("*")
        factors = [first, *others]
        if first.isascii() and first.isdecimal():
            size, factors = int(first), others
        for factor in factors:
            shown = FACTOR.fullmatch(factor)
            need(shown and shown[1] in names, "a term is a number, or powers of the parameters")
            assert shown
            k = list(names).index(shown[1])
            need(not exponents[k], "a parameter stands twice in a term")
            exponents[k] = int(shown[2] or 1)
            need(0 < exponents[k] <= MAX_EXPONENT, "an exponent is too high")
        need(tuple(exponents) not in found, "two terms with the same exponents")
        found[tuple(exponents)] = -size if term.startswith("-") else size
    return {m: c for m, c in found.items() if c}


@dataclass(frozen=True)
class Place:
    """A cell: the ends of each parameter, the same where it is fixed; and conditions, each of
    which is >= 0 there, or > 0.

    budget  for all that is done there
    sample  a point of it
    trees   what proves that a polynomial is nowhere negative on it; 0 for those left out
    asked   the polynomials that were to be proved
    """

    sides: tuple[tuple[Fraction, Fraction], ...]
    conditions: Sequence[tuple[Poly, bool]]
    budget: Budget
    sample: Sequence[Fraction] = ()
    trees: Mapping[Key, Any] = field(default_factory=dict)
    asked: set[Key] = field(default_factory=set)

    @cached_property
    def groups(self) -> list[int]:
        """The numbers of variables that belong together."""
        return [2 for low, high in self.sides if low != high]

    @cached_property
    def _conditions(self) -> list[Poly]:
        return [self.homogeneous(condition) for condition, _ in self.conditions]

    def homogeneous(self, a: Poly) -> Poly:
        """The primitive positive multiple of a in the variables of the cell."""
        degrees = [max(ks, default=0) for ks in zip(*a, strict=True)] or [0] * len(self.sides)
        need(prod(1 + n for n in degrees) <= MOST_TERMS, "a polynomial has too many terms")
        sides = list(zip(self.sides, degrees, strict=True))
        bits = sum(n * _bits_of(*side) for side, n in sides)  # of a coefficient on the cell
        keep(prod(1 + n for n in degrees), bits)
        own = 1 + sum(degrees) + bits // 1000 + (bits // 3000) ** 2
        self.budget.spend(len(a) * prod(1 + n for n in degrees) * own)
        for m in a:
            for (side, n), k in zip(sides, m, strict=True):
                terms = (1 + k) * (1 + n - k)
                self.budget.spend(terms * _steps_of_powers(n, *side) // 100)
        found: Poly = {}
        for m, c in a.items():
            rows = [_row(side, k, n) for side, k, n in zip(self.sides, m, degrees, strict=True)]
            for chosen in product(*rows):
                key = tuple([e for pair, _ in chosen for e in pair])
                found[key] = found.get(key, 0) + c * prod(x for _, x in chosen)
        return primitive({m: c for m, c in found.items() if c})

    def oriented(self, number: Quotient) -> Quotient:
        """A number whose denominator is positive at the sample, and proved to be >= 0."""
        top, bottom = number
        at = value(bottom, self.sample)
        prove(at, "a denominator vanishes at the sample")
        if at < 0:
            top, bottom = ({m: -c for m, c in part.items()} for part in number)
        self.need_sign(bottom, "a denominator")
        return top, bottom

    def need_sign(self, a: Poly, what: str) -> None:
        """Reject a polynomial that is not proved to be nowhere negative on the cell."""
        prove(not a or self._is_proved(a), f"{what} is not proved to be nowhere negative")

    def is_positive(self, a: Poly) -> bool:
        """Whether a polynomial has only positive coefficients in the variables of the cell, so that
        it is above 0 everywhere on it."""
        return bool(a) and all(c > 0 for c in self.homogeneous(a).values())

    def _is_proved(self, a: Poly) -> bool:
        key = frozenset(primitive(a).items())
        self.asked.add(key)
        tree = self.trees.get(key, 0)
        p = {m: -c for m, c in self.homogeneous(a).items()}
        terms = [m for each in (p, *self._conditions) for m in each]
        size = prod(1 + sum(max(ks) for ks in pair) for pair in _pairs(terms))
        degree = max(map(sum, terms), default=0)
        own = (1 + degree) * (1 + len(self.conditions)) * (1 + _longest(p) // 1000)
        self.budget.spend(nodes(tree, 0, degree) * size * own)
        return self._proved(p, tree, self._conditions, True)

    def _proved(self, p: Poly, tree: Any, conditions: Sequence[Poly], whole: bool = False) -> bool:
        """Whether a tree proves p <= 0 where all variables and the conditions are >= 0, on the
        `whole` cell or a part of it."""
        if type(tree) is int:
            return tree == 0 and all(c <= 0 for c in p.values())
        if type(tree) is dict:
            return self._by_rule(p, tree, conditions, whole)
        i, j, a, b, left, right = read.items(tree)
        read.indices([i, j], 2 * len(self.groups))
        need(i != j and i // 2 == j // 2, "no edge")
        return all(
            self._proved(cut(p, *at), half, [cut(c, *at) for c in conditions])
            for at, half in (((i, j, a, b), left), ((j, i, b, a), right))
        )

    def _by_rule(self, p: Poly, tree: Any, conditions: Sequence[Poly], whole: bool) -> bool:
        if "none" in tree:
            (number,) = read.fields(tree, "none")
            condition = conditions[read.index(number, len(conditions))]
            fails = self.conditions[number][1] or (whole and condition)
            return bool(fails) and all(c <= 0 for c in condition.values())
        if "plus" in tree:
            number, text = read.items(read.fields(tree, "plus")[0])
            factor = read.number(text)
            need(type(factor) is Fraction and factor >= 0, "a factor is at least 0")
            p, condition = self._alike(p, conditions[read.index(number, len(conditions))])
            return all(
                c * factor.denominator + factor.numerator * condition.get(m, 0) <= 0
                for m, c in {**dict.fromkeys(condition, 0), **p}.items()
            )
        if "factor" in tree:
            number, rows, own = read.fields(tree, "factor rest tree")
            rest = read_terms(rows, 2 * len(self.groups))
            condition = conditions[read.index(number, len(conditions))]
            both = times(rest, condition, self.budget)
            same = both and primitive(both) == primitive(p)
            return bool(same) and self._proved(rest, own, conditions, whole)
        if "divisor" in tree:
            divisor, own = read.fields(tree, "divisor tree")
            rest = quotient(p, divisor, 2 * len(self.groups))
            return self._proved(_whole(rest), own, conditions, whole)
        inner = simpler(p, tree, 2 * len(self.groups))
        kept = conditions if "square" in tree else []  # others may not depend on a sum only
        return inner is not None and self._proved(inner, tree["tree"], kept, whole)

    def _alike(self, p: Poly, q: Poly) -> tuple[Poly, Poly]:
        """Both times powers of u + v, so that they have the same degrees."""
        found = []
        degrees = [
            max(sum(m[k : k + 2]) for m in (*p, *q)) for k in range(0, 2 * len(self.groups), 2)
        ]
        for one in (p, q):
            for k, degree in enumerate(degrees):
                own = max((sum(m[2 * k : 2 * k + 2]) for m in one), default=degree)
                unit = [0] * 2 * len(self.groups)
                sums = {}
                for i in range(degree - own + 1):
                    unit[2 * k], unit[2 * k + 1] = degree - own - i, i
                    sums[tuple(unit)] = comb(degree - own, i)
                one = times(one, sums, self.budget)
            found.append(one)
        return found[0], found[1]


def _whole(p: Mapping[tuple[int, ...], Any]) -> Poly:
    """The primitive positive multiple of a polynomial with rational coefficients."""
    unit = lcm(*(c.denominator for c in p.values()))
    return primitive({m: int(c * unit) for m, c in p.items() if c})


def read_terms(rows: Any, count: int) -> Poly:
    """A polynomial from rows of a coefficient and `count` exponents."""
    found = {tuple(read.indices(m, 10**4)): c for c, *m in read.items(rows, count + 1)}
    need(found and len(found) == len(rows), "terms are different, at least one")
    fits = all(type(c) is int and c and abs(c) < 10**read.MAX_DIGITS for c in found.values())
    need(fits, "a coefficient is an integer, not 0 and not too long")
    return found


def _pairs(terms: Sequence[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """The exponents of both variables of each group."""
    columns = list(zip(*terms, strict=True))
    return [columns[k : k + 2] for k in range(0, len(columns), 2)]


def _row(
    side: tuple[Fraction, Fraction], exponent: int, degree: int
) -> list[tuple[tuple[int, ...], int]]:
    """(low u + high v)^exponent (u + v)^(degree − exponent), times a power of a denominator, as
    terms; a number where the ends are the same."""
    unit = lcm(side[0].denominator, side[1].denominator)
    low, high = (int(end * unit) for end in side)
    whole = unit ** (degree - exponent)
    if low == high:
        return [((), low**exponent * whole)]
    row = [0] * (degree + 1)
    for i in range(exponent + 1):
        for j in range(degree - exponent + 1):
            size = comb(exponent, i) * low ** (exponent - i) * high**i
            row[i + j] += size * comb(degree - exponent, j) * whole
    return [((degree - i, i), x) for i, x in enumerate(row) if x]

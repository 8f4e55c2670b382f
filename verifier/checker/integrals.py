"""Integrals of products of densities of draws and of comparisons between them, exactly.

The probability of an event is the integral of a product of factors: a density for each draw, and
for each condition what is 1 where it holds and else 0. One draw after the other is integrated: the
product of the factors that are about it becomes one factor, about the draws with which it was
compared. A factor is a sum of pieces: where some conditions hold, a sum of terms c x^j b^x in its
draws (functions.py). Where several conditions limit the draw, there are cells, in which one of its
lower bounds is the largest and one of its upper bounds the smallest; of equal ones the first, so
that cells do not overlap. In each cell a primitive is known, and the bounds are put into it.

Real draws come first. Beside them whole draws are only parameters; conditions on whole draws alone
are rounded, also strict ones, so that cells fit together at every whole number. Whole draws are
summed in the same way, with differences for derivatives. Where a bound would be a fraction, another
draw is split into residue classes first. Each term vanishes at an infinite end, or is refused.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise, product
from math import ceil, floor, gcd, lcm, prod
from operator import mul
from typing import Any

from .document import need, spend
from .functions import NOTHING, Kind, Rate, Sum, constant, expanded, exponent

LAWS = {  # name -> the kind of draws
    "laplace": "real",
    "exponential": "real",
    "interval": "real",
    "geometric": "ratios",
    "geometric_epsilon": "powers",
}
ORIGIN = Fraction(0)
CELL = 1_000  # steps that it costs, and a residue class
MAX_TERMS = 10**6  # of a product of two sums
Law = tuple[str, Fraction]
Form = tuple[tuple[int, ...], Any, bool]  # factors of draws, constant: at least 0, or above
Forms = tuple[Form, ...]
Event = tuple[Any, ...]  # laws, conditions; and a share of a density, if it is one
Line = tuple[tuple[Any, ...], Any]  # the same, with fractions, of what is a number
Kinds = tuple[Kind, ...]  # of some draws
Key = tuple[tuple[Rate, int], ...]  # the rate and the power of each draw
Terms = dict[Key, Sum]
Piece = tuple[Forms, Terms]  # where all forms hold, and the sum there
Factor = tuple[int, tuple[int, ...]]  # the number of a function, and its draws


class Work:
    """Integrals over one m. Functions have numbers, and what is made of the same is made once."""

    def __init__(self, m: int) -> None:
        self.m, self.functions = m, list[tuple[Kinds, list[Piece]]]()
        self.densities = dict[Any, int]()  # of numbers
        self.density = cache(self._density)
        self.indicator = cache(self._indicator)
        self.both = cache(self._both)
        self.integral = cache(self._integral)
        self.in_class = cache(self._in_class)
        self.primitive = cache(Kind.primitive)

    def made(self, kinds: Kinds, pieces: list[Piece]) -> int:
        """The number of one more function."""
        self.functions.append((kinds, pieces))
        return len(self.functions) - 1

    def probability(self, event: Event) -> Sum:
        """The probability that all forms of an event hold."""
        laws, given = event
        kinds = tuple(Kind(LAWS[name], self.m) for name, _ in laws)
        forms = tidied(given, kinds)
        if forms is None:
            return NOTHING
        factors: list[Factor] = [(self.density(law), (i,)) for i, law in enumerate(laws)]
        for whole, shift, strict in forms:
            draws = tuple(i for i, c in enumerate(whole) if c)
            form = tuple(whole[i] for i in draws), shift, strict
            factors.append((self.indicator(form, tuple(kinds[i] for i in draws)), draws))
        return self.total(factors)

    def total(self, factors: list[Factor]) -> Sum:
        """The integral of a product of `factors` over all of their draws."""
        while kinds := self.kinds_of(factors):
            spend(10 * len(kinds) * len(factors))
            about = {x: [factor for factor in factors if x in factor[1]] for x in kinds}
            costs = (
                (kinds[x].step, len(self.kinds_of(own)), len(own), *self._split(x, own), x)
                for x, own in about.items()
            )
            is_whole, _, _, _, apart, split, y = min(costs)
            if is_whole and apart > 1:
                return self._by_class(factors, split, apart)
            rest = [factor for factor in factors if y not in factor[1]]
            factors = [*rest, self.without(y, about[y])]
        parts = (self.functions[number][1] for number, _ in factors)
        sums = (sum((terms[()] for _, terms in pieces), NOTHING) for pieces in parts)
        return reduce(mul, sums, constant(1))

    def kinds_of(self, factors: list[Factor]) -> dict[int, Kind]:
        """The kind of each draw that some factors are about."""
        parts = (zip(draws, self.functions[f][0], strict=True) for f, draws in factors)
        return {x: kind for part in parts for x, kind in part}

    def _split(self, y: int, factors: list[Factor]) -> tuple[int, int, int]:
        """How many classes of whole draws there are if all bounds of draw y are to be whole; the
        most that there are of one draw, and which draw it is."""
        found = {y: 1}
        for number, draws in factors:
            rows = {form[0] for forms, _ in self.functions[number][1] for form in forms}
            for row in rows:
                own = row[draws.index(y)]
                for x, c in zip(draws, row, strict=True) if own else ():
                    found[x] = lcm(found.get(x, 1), own // gcd(own, c))
        return prod(found.values()), *max((apart, x) for x, apart in found.items())

    def _by_class(self, factors: list[Factor], x: int, apart: int) -> Sum:
        """The integral with apart · x + start in place of draw x, for each of the starts."""
        spend(CELL * apart)
        found = NOTHING
        for start in range(apart):
            moved = [
                (self.in_class(f, draws.index(x), apart, start) if x in draws else f, draws)
                for f, draws in factors
            ]
            found = found + self.total(moved)
        return found

    def _in_class(self, number: int, at: int, apart: int, start: int) -> int:
        """A function with apart · x + start in place of the draw in this place."""
        (kinds, pieces), found = self.functions[number], []
        spread = [apart if k == at else 1 for k in range(len(kinds))]
        line = tuple(apart if k == at else 0 for k in range(len(kinds))), Fraction(start)
        for forms, terms in pieces:
            moved = ((tuple(map(mul, c, spread)), x + c[at] * start, over) for c, x, over in forms)
            cell = tidied(moved, kinds)
            if cell is not None:
                found.append((cell, replaced(terms, at, line, kinds)))
        return self.made(kinds, found)

    def without(self, y: int, factors: list[Factor]) -> Factor:
        """The integral over draw y of a product of `factors`."""
        kinds = self.kinds_of(factors)
        draws = (y, *sorted(kinds.keys() - {y}))
        alone = sorted(number for number, own in factors if own == (y,))
        others = sorted((f, tuple(map(draws.index, own))) for f, own in factors if own != (y,))
        listed = ((reduce(self.both, alone), (0,)), *others)
        return self.integral(listed, tuple(kinds[x] for x in draws)), draws[1:]

    def _both(self, one: int, other: int) -> int:
        """The product of two functions of one draw, the pieces of each of which do not overlap."""
        (kinds, pieces), (_, more) = self.functions[one], self.functions[other]
        return self.made(kinds, _products(pieces, more, kinds))

    def _integral(self, factors: tuple[Factor, ...], kinds: Kinds) -> int:
        """The integral over the first draw of a product of `factors`."""
        pieces: list[Piece] = [((), {still_of(kinds): constant(1)})]
        for number, places in factors:
            pieces = _products(pieces, placed(self.functions[number][1], places, kinds), kinds)
        found: dict[Forms, Terms] = defaultdict(dict)
        for forms, terms in pieces:
            for low, high, cell in _limited(forms, kinds):
                spend(CELL)
                add(found[cell], self.between(terms, low, high, kinds))
        parts = list(found.items())
        return self.made(kinds[1:], parts if len(kinds) > 2 else _merged(parts, kinds[1:]))

    def between(self, terms: Terms, low: Line | None, high: Line | None, kinds: Kinds) -> Terms:
        """The terms integrated over the first draw, `low` to `high`; at infinity they vanish."""
        (kind, *_), whole, found = kinds, dict[Key, Sum](), dict[Key, Sum]()
        for ((rate, n), *rest), c in terms.items():
            need((low or rate > kind.still) and (high or rate < kind.still), "an infinite integral")
            for power, factor in enumerate(self.primitive(kind, rate, n)):
                if factor:
                    add(whole, {((rate, power), *rest): c * factor})
        if high:
            add(found, replaced(whole, 0, (high[0], high[1] + kind.step), kinds))
        if low:
            add(found, replaced(whole, 0, low, kinds), -1)
        return {key[1:]: c for key, c in found.items()}

    def _indicator(self, form: Form, kinds: Kinds) -> int:
        """What is 1 where a form holds, else 0."""
        return self.made(kinds, [((form,), {still_of(kinds): constant(1)})])

    def _density(self, law: Law) -> int:
        """The density of a law, or the probabilities of whole numbers."""
        name, parameter = law
        kind, above, below = Kind(LAWS[name], self.m), (ORIGIN, None), (None, ORIGIN)
        if name == "geometric":
            height = constant(Fraction(1 - parameter, 1 + parameter))
            rates: list[Rate] = [parameter, Fraction(1, parameter)]
        else:
            known = {"geometric_epsilon": parameter * self.m, "interval": ORIGIN}
            rate = exponent(known.get(name, Fraction(self.m, parameter)))
            height = constant(Fraction(1, parameter * (2 if name == "laplace" else 1)))
            rates = [-rate, rate]
        if name == "geometric_epsilon":  # (1 − ρ)/(1 + ρ) = (1 − ρ)²/(1 − ρ²)
            height = Sum(expanded(constant(1).terms, {rate: 2}), below={2 * rate: 1})
        within: dict[str, list[Any]] = {"interval": [(ORIGIN, parameter)], "exponential": [above]}
        parts = within.get(name, [above, below])
        both = zip(parts, rates[: len(parts)], strict=True)
        pieces: list[Piece] = [(span(kind, *ends), {((b, 0),): height}) for ends, b in both]
        return self.made((kind,), pieces)


def still_of(kinds: Kinds) -> Key:
    """What is the same at all values of the draws."""
    return tuple((kind.still, 0) for kind in kinds)


def span(kind: Kind, low: Fraction | None, high: Fraction | None) -> Forms:
    """That a draw is at least `low` and below `high`, where these are given."""
    found: list[Form] = [] if low is None else [((1,), -low, False)]
    if high is not None:
        found.append(((-1,), high - kind.step, not kind.step))
    return tuple(found)


def _merged(pieces: list[Piece], kinds: Kinds) -> list[Piece]:
    """The same function, of at most one draw, in pieces that do not overlap."""
    first: Terms = {}
    changes: dict[Fraction, Terms] = defaultdict(dict)
    for forms, terms in pieces:
        starts = [-shift for (c,), shift, _ in forms if c > 0]
        add(changes[starts[0]] if starts else first, terms)
        for end in (shift + kinds[0].step for (c,), shift, _ in forms if c < 0):
            add(changes[end], terms, -1)
    if not kinds:
        return [((), first)] if first else []
    found, ends = [], [None, *sorted(changes), None]
    for low, high in pairwise(ends):
        if low is not None:
            add(first, changes[low])
        if first:
            found.append((span(kinds[0], low, high), dict(first)))
    return found


def tidied(forms: Iterable[Form], kinds: Kinds) -> Forms | None:
    """The forms, of parallel ones the strictest, rounded where all draws are whole. None if two of
    them contradict each other; for real draws also if they leave no room."""
    least: dict[tuple[int, ...], tuple[Any, bool]] = {}
    for given, shift, strict in forms:
        spend(140 + 8 * len(given))
        unit, size = given, gcd(*given)
        if size > 1:
            unit, shift = tuple(c // size for c in given), Fraction(shift, size)
        if _is_whole(unit, kinds):
            shift, strict = ceil(shift) - 1 if strict else floor(shift), False
        least[unit] = min((shift, not strict), least.get(unit, (shift, True)))
    for unit, (shift, _) in least.items():  # what is about no draw is opposite to itself
        opposite, _ = least.get(tuple(-c for c in unit), (1 - shift, True))
        if shift + opposite < 0 or (shift + opposite == 0 and not _is_whole(unit, kinds)):
            return None
    return tuple((unit, shift, not loose) for unit, (shift, loose) in least.items() if any(unit))


def _is_whole(factors: tuple[int, ...], kinds: Kinds) -> bool:
    return all(kind.step for c, kind in zip(factors, kinds, strict=True) if c)


def _limited(forms: Forms, kinds: Kinds) -> Iterator[tuple[Line | None, Line | None, Forms]]:
    """What the first draw is at least and at most, each None where it has no such bound; and the
    forms of the others by which these two are the narrowest bounds, of equal ones the first."""
    sides: list[list[Any]] = [[f for f in forms if f[0][0] * s > 0] or [None] for s in (1, -1)]
    for (i, low), (j, high) in product(*map(enumerate, sides)):
        cell = [form for form in forms if not form[0][0]]
        for side, at in zip(sides, (i, j), strict=True):
            cell += [compared(f, side[at], k < at) for k, f in enumerate(side) if k != at]
        if low and high:
            cell.append(compared(low, high, False))
        found = tidied([(given[1:], shift, strict) for given, shift, strict in cell], kinds[1:])
        if found is not None:
            yield low and solved(low), high and solved(high), found


def compared(one: Form, other: Form, strict: bool) -> Form:
    """That a bound of the first draw by one form is not narrower than that by another, on its side;
    or, if they are on two sides, not beyond it."""
    ((a, *_), x, _), ((b, *_), y, _) = one, other
    factor, times = abs(b), -a if b > 0 else a
    both = zip(one[0], other[0], strict=True)
    return tuple(factor * c + times * d for c, d in both), factor * x + times * y, strict


def solved(form: Form) -> Line:
    """What the first draw is at least, or at most, where the form holds."""
    (own, *rest), shift, _ = form
    over = -own if abs(own) == 1 else Fraction(-1, own)
    return (0, *(c * over for c in rest)), shift * over


def add(terms: Terms, more: Terms, factor: int = 1) -> None:
    """Add more terms, times a factor, to some; none is left that is 0."""
    for key, c in more.items():
        total = terms.pop(key, NOTHING) + (c if factor == 1 else c * constant(factor))
        if total:
            terms[key] = total


def times(terms: Terms, more: Terms, kinds: Kinds) -> Terms:
    """The product of two sums of terms."""
    need(len(terms) * len(more) <= MAX_TERMS, f"more than {MAX_TERMS} terms")
    found: Terms = {}
    for (one, c), (other, d) in product(terms.items(), more.items()):
        both = zip(kinds, one, other, strict=True)
        add(found, {tuple((k.join(r, s), i + j) for k, (r, i), (s, j) in both): c * d})
    return found


def _products(pieces: list[Piece], more: list[Piece], kinds: Kinds) -> list[Piece]:
    """The pieces of a product, without those that nowhere meet."""
    found = []
    for (forms, terms), (others, its) in product(pieces, more):
        cell = tidied((*forms, *others), kinds)
        if cell is not None:
            found.append((cell, times(terms, its, kinds)))
    return found


def placed(pieces: list[Piece], places: tuple[int, ...], kinds: Kinds) -> list[Piece]:
    """The pieces with their draws in these places of more draws."""

    def wider(own: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
        known = dict(zip(places, own, strict=True))
        return tuple(known.get(k, other) for k, other in enumerate(others))

    still, no = still_of(kinds), [0] * len(kinds)
    return [
        (
            tuple((wider(given, no), shift, strict) for given, shift, strict in forms),
            {wider(key, still): c for key, c in terms.items()},
        )
        for forms, terms in pieces
    ]


def replaced(terms: Terms, at: int, line: Line, kinds: Kinds) -> Terms:
    """The terms with a line, factors of all draws and a constant, in place of one draw."""
    (factors, shift), kind, still = line, kinds[at], still_of(kinds)
    straight: Terms = {still: constant(shift)} if shift else {}
    used = [k for k, factor in enumerate(factors) if factor]
    for k in used:
        straight[*still[:k], (still[k][0], 1), *still[k + 1 :]] = constant(factors[k])
    found: Terms = {}
    for key, c in terms.items():
        (rate, n), moved = key[at], [*key]
        moved[at] = still[at]
        if rate != kind.still:
            c = c * kind.power(rate, shift)
            for k in used:
                own, power = moved[k]
                moved[k] = kinds[k].join(own, kind.stretched(rate, factors[k])), power
        part: Terms = {tuple(moved): c}
        for _ in range(n):
            part = times(part, straight, kinds)
        add(found, part)
    return found

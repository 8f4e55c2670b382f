"""Elimination by cells: for draws that are each compared with several others, or summed.

Of a draw's lower bounds one is the largest and of its upper bounds one is the smallest; in the
cell where these are two given ones, the others become comparisons of the remaining draws, and the
draw is integrated between the two. Splitting by the order of the draws would be wrong: other
comparisons do not follow it. Each integrand is a sum of x^j·b^x in several variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import floor, gcd, lcm
from typing import Any

from verifier.noise.pieces import NOTHING, Pieces, Scale, primitive
from verifier.noise.sums import Sum, rational

MAX_CELLS = 100_000
Form = tuple[Fraction, ...]  # factors of the variables, then a constant
Number = int | Fraction
Unit = tuple[Number, ...]  # factors in normal form
Key = tuple[tuple[Any, ...], tuple[int, ...]]  # rates and powers of the variables
Terms = Mapping[Key, Sum]


class TooMany(Exception):
    """More cells than allowed."""


@dataclass
class Cells:
    """One integral: the scale of the draws, and how many cells it has had."""

    scale: Scale
    count: int = 0

    def total(self, functions: Sequence[Pieces], conditions: Iterable[Form]) -> Sum:
        """∫ Π functions[i](x_i) over the x that meet all `conditions`, each a form >= 0."""
        step, total = self.scale.step, NOTHING
        given = _reduced(conditions, step)
        size = len(functions)
        for choice in product(*(range(len(f.pieces)) for f in functions)):
            pieces = [f.pieces[k] for f, k in zip(functions, choice, strict=True)]
            if all(pieces):
                ends = (
                    end
                    for i, (f, k) in enumerate(zip(functions, choice, strict=True))
                    for end in _ends(f, k, i, size)
                )
                merged = _reduced([*(given or ()), *ends], step)
                if given is not None and merged is not None:
                    total = total + self.eliminate(range(size), merged, _joined(pieces))
        return total

    def eliminate(self, variables: Sequence[int], conditions: list[Form], terms: Terms) -> Sum:
        """The integral of some `terms` over `variables` where the `conditions` hold."""
        parts = self.leaves(variables, conditions, terms)
        return sum((c for _, found in parts for c in found.values()), NOTHING)

    def leaves(
        self, variables: Sequence[int], conditions: list[Form], terms: Terms
    ) -> Iterator[tuple[list[Form], Terms]]:
        """The same of other variables too: conditions on these, and terms, which add up to it."""
        if not variables:
            self.count += 1
            if self.count > MAX_CELLS:
                raise TooMany(f"more than {MAX_CELLS} cells")
            yield conditions, terms
            return
        y = min(variables, key=lambda v: _splits(conditions, v))
        rest = [v for v in variables if v != y]
        apart = lcm(*(int(form[y]) for form in conditions if form[y])) if self.scale.step else 1
        if apart > 1:
            for split, changed in self.residues(y, apart, rest, conditions, terms):
                yield from self.leaves(variables, split, changed)
            return
        lower, upper, others = _sides(conditions, y)
        for i, low in enumerate(lower or (None,)):
            for j, high in enumerate(upper or (None,)):
                cell = _reduced([*others, *self.cell(lower, upper, i, j)], self.scale.step)
                if cell is not None:
                    yield from self.leaves(rest, cell, self.between(y, low, high, terms))

    def residues(
        self, y: int, apart: int, rest: Sequence[int], conditions: Iterable[Form], terms: Terms
    ) -> Iterator[tuple[list[Form], Terms]]:
        """The conditions and terms with apart · x + s in place of each other variable x that is
        compared with y, for all 0 <= s < apart: then the bounds of y are whole."""
        beside = [v for v in rest if any(form[v] and form[y] for form in conditions)]
        if apart ** len(beside) > MAX_CELLS:
            raise TooMany(f"more than {MAX_CELLS} residue classes")
        for starts in product(range(apart), repeat=len(beside)):
            split, cell = terms, list(conditions)
            for v, start in zip(beside, starts, strict=True):
                form = tuple(Fraction(apart * (i == v)) for i in range(len(cell[0]) - 1))
                found: dict[Key, Sum] = {}
                for key, c in split.items():
                    self.put(found, key, c, v, (*form, Fraction(start)), rational(1))
                split = found
                cell = [
                    tuple(
                        c * apart if i == v else c + start * old[v] if i == len(old) - 1 else c
                        for i, c in enumerate(old)
                    )
                    for old in cell
                ]
            reduced = _reduced(cell, 1)
            if reduced is not None:
                yield reduced, split

    def cell(self, lower: list[Form], upper: list[Form], i: int, j: int) -> list[Form]:
        """That lower bound i is the largest, upper bound j the smallest, and the one below the
        other; of equal ones the first counts."""
        step = self.scale.step
        low, high = lower[i : i + 1], upper[j : j + 1]
        more = [_minus(a, b, step * (k < i)) for a in low for k, b in enumerate(lower) if k != i]
        more += [_minus(b, a, step * (k < j)) for a in high for k, b in enumerate(upper) if k != j]
        return more + [_minus(b, a, 0) for a in low for b in high]

    def between(self, y: int, low: Form | None, high: Form | None, terms: Terms) -> Terms:
        """The terms integrated over y from `low` to `high`; at an infinite end they vanish."""
        found: dict[Key, Sum] = {}
        one = rational(1)
        for (rates, powers), c in terms.items():
            for power, factor in enumerate(primitive(self.scale, rates[y], powers[y])):
                if factor:
                    raised = (*powers[:y], power, *powers[y + 1 :])
                    key, whole = (rates, raised), c * factor
                    if high:
                        end = (*high[:-1], high[-1] + self.scale.step)
                        self.put(found, key, whole, y, end, one)
                    if low:
                        self.put(found, key, whole, y, low, -one)
        return found

    def put(self, found: dict[Key, Sum], key: Key, c: Sum, y: int, form: Form, sign: Any) -> None:
        """Add a term with y replaced by a `form`, times a `sign`."""
        (rates, powers), scale = key, self.scale
        rate, power = rates[y], powers[y]
        if rate != scale.still:
            stretched = [*rates[:y], scale.still, *rates[y + 1 :]]
            for i, factor in enumerate(form[:-1]):
                if factor:
                    stretched[i] = scale.join(stretched[i], scale.stretched(rate, factor))
            rates = tuple(stretched)
            c = c * scale.power(rate, form[-1])
        for extra, factor in _expanded(form, power).items():
            part = scale.placed(c, power - sum(extra))
            raised = tuple(
                (p if i != y else 0) + e for i, (p, e) in enumerate(zip(powers, extra, strict=True))
            )
            total = found.get((rates, raised), NOTHING) + part.scaled(sign * rational(factor))
            found[rates, raised] = total
            if not total:
                del found[rates, raised]


def _ends(f: Pieces, k: int, i: int, size: int) -> Iterable[Form]:
    """That variable `i` of `size` lies in piece `k` of its function."""
    unit = tuple(Fraction(v == i) for v in range(size))
    if k:
        yield (*unit, -f.breaks[k - 1])
    if k < len(f.breaks):
        yield (*(-u for u in unit), f.breaks[k] - f.scale.step)


def _joined(pieces: Sequence[Mapping[tuple[Any, int], Sum]]) -> Terms:
    """The product of functions of one variable each."""
    found: dict[Key, Sum] = {((), ()): Sum.of(1)}
    for piece in pieces:
        found = {
            ((*rates, rate), (*powers, power)): c * d
            for (rates, powers), c in found.items()
            for (rate, power), d in piece.items()
        }
    return found


def _expanded(form: Form, power: int) -> dict[tuple[int, ...], Fraction]:
    """The monomials of form^power."""
    found = {(0,) * (len(form) - 1): Fraction(1)}
    for _ in range(power):
        longer: dict[tuple[int, ...], Fraction] = {}
        for powers, c in found.items():
            for i, factor in enumerate(form):
                if factor:
                    more = tuple(p + (v == i) for v, p in enumerate(powers))
                    longer[more] = longer.get(more, Fraction(0)) + c * factor
        found = longer
    return found


def _splits(conditions: Iterable[Form], v: int) -> int:
    """How many cells an elimination of variable v makes."""
    signs = [form[v] for form in conditions]
    return max(1, sum(s > 0 for s in signs)) * max(1, sum(s < 0 for s in signs))


def _sides(conditions: Iterable[Form], y: int) -> tuple[list[Form], list[Form], list[Form]]:
    """The lower bounds of variable y, its upper bounds, and the conditions without it."""
    lower: list[Form] = []
    upper: list[Form] = []
    others: list[Form] = []
    for form in conditions:
        if not form[y]:
            others.append(form)
            continue
        bound = tuple(Fraction(0) if i == y else -c / form[y] for i, c in enumerate(form))
        (lower if form[y] > 0 else upper).append(bound)
    return lower, upper, others


def _minus(a: Form, b: Form, less: int) -> Form:
    """a − b − less, to be at least 0."""
    found = [x - y for x, y in zip(a, b, strict=True)]
    return (*found[:-1], found[-1] - less)


def _reduced(conditions: Iterable[Form], whole: int) -> list[Form] | None:
    """The conditions, of parallel ones the tightest; None if two contradict each other."""
    tightest: dict[Unit, Number] = {}
    for form in conditions:
        unit, constant = _whole_unit(form) if whole else _real_unit(form)
        if not any(unit):
            if constant < 0:
                return None
        elif constant < tightest.get(unit, constant + 1):
            tightest[unit] = constant
    for unit, constant in tightest.items():
        if constant + tightest.get(tuple(-c for c in unit), -constant) < 0:
            return None
    return [(*map(_fraction, unit), _fraction(constant)) for unit, constant in tightest.items()]


_fraction = lru_cache(maxsize=2**12)(Fraction)


def _whole_unit(form: Form) -> tuple[Unit, Number]:
    """The factors without a common one, as integers, and the constant to them rounded down."""
    factors = tuple(c.numerator for c in form[:-1])
    size = gcd(*factors)
    if size < 2:
        return factors, floor(form[-1])
    return tuple(c // size for c in factors), floor(form[-1] / size)


def _real_unit(form: Form) -> tuple[Unit, Number]:
    """The factors, of which the largest is 1 or −1, and the constant to them."""
    size = max(map(abs, form[:-1]), default=Fraction(0))
    if not size or size == 1:
        return form[:-1], form[-1]
    return tuple(c / size for c in form[:-1]), form[-1] / size

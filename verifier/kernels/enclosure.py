"""Enclosing the smallest level at which polynomials are nowhere positive.

A cell asks for n − α·d <= 0 on a product of simplices. A search gives lower bounds, as limits of
n/d along curves; a proof at a level gives an upper bound, or a point that is a better lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from verifier.base.exact import is_irrational, simplest
from verifier.base.intervals import ends
from verifier.base.level import Level
from verifier.base.polynomial import (
    Curve,
    Polynomial,
    add,
    limit,
    limit_of_products,
    multiply,
    primitive,
)
from verifier.kernels.positivity import Positive, Tree, nowhere_positive
from verifier.kernels.suprema import largest, plain_bound

DIGITS = 128  # binary ones, of the smallest number that is rounded
BITS = 31  # of an enclosure, unless the level is closer
ROUNDS = 3  # improvements of the lower bound at one stage
STEPS = 8  # of the search for a smaller upper bound where the nearest ones are not proved
ONE = Fraction(1)


@dataclass(frozen=True, eq=False)
class Cell:
    """One ordered pair of secrets and one event; n and d of (1), both times one factor.

    above, below  two polynomials each, whose products are n and d
    is_rounded    whether n is only known to be at most, and d at least, these products
    """

    pair: tuple[str, str]
    outputs: tuple[int, ...]
    above: tuple[Polynomial, Polynomial]
    below: tuple[Polynomial, Polynomial]
    is_rounded: bool = False

    @cached_property
    def n(self) -> Polynomial:
        """The numerator, multiplied out."""
        return multiply(*self.above)

    @cached_property
    def d(self) -> Polynomial:
        """The denominator, multiplied out."""
        return multiply(*self.below)

    def limit(self, curve: Curve) -> Fraction | None:
        """The limit of n/d along a curve, without multiplying out; see `limit`."""
        return limit_of_products(self.above, self.below, curve)

    def excess(self, alpha: Fraction) -> Polynomial:
        """n − alpha·d, of numbers of any kind."""
        below: Any = {m: c * alpha for m, c in self.d.items()}
        return add(self.n, below, -1)

    def at(self, alpha: Fraction) -> Polynomial:
        """alpha's denominator times n − alpha·d."""
        scaled = {m: c * alpha.denominator for m, c in self.n.items()}
        return primitive(add(scaled, self.d, -alpha.numerator))


def rounded(cell: Cell) -> Cell:
    """A `cell` with integers in place of irrational numbers: n is rounded up, and d down.

    So n − α·d grows, and where all variables are >= 0 a proof by cuts for it is one for the cell.
    """
    parts = [{m: _around(x) for m, x in p.items()} for p in (*cell.above, *cell.below)]
    least = min(min(abs(low), abs(high)) for p in parts for low, high in p.values())
    unit = Fraction(2) ** (DIGITS + (1 / Fraction(least)).__ceil__().bit_length())
    (_, a), (less, more), (c, _), (b, _) = (
        (
            {m: (low * unit).__floor__() for m, (low, _) in p.items()},
            {m: (high * unit).__ceil__() for m, (_, high) in p.items()},
        )
        for p in parts
    )
    n = add(
        multiply({m: x for m, x in a.items() if x > 0}, more),
        multiply({m: x for m, x in a.items() if x < 0}, less),
    )
    one = {(0,) * len(next(iter(more))): 1}
    return Cell(cell.pair, cell.outputs, (n, one), (multiply(c, b), one), is_rounded=True)


def _around(value: Any) -> tuple[Fraction, Fraction]:
    """Rational numbers around a number, near to each other."""
    return ends(value.enclosed(DIGITS)) if is_irrational(value) else (value, value)


@dataclass(frozen=True)
class Lower:
    """No level below `level` is enough (None: none is): the limit of a cell along a curve."""

    level: Fraction | None = Fraction(1)
    cell: Cell | None = None
    curve: Curve | None = None

    @property
    def is_point(self) -> bool:
        """Whether a prior attains the level."""
        return self.curve is None or not any(self.curve.powers)


@dataclass(frozen=True)
class Upper:
    """A level that is enough (None: none was found), and the proofs that are not plain."""

    level: Fraction | None = None
    proofs: tuple[tuple[Cell, Tree], ...] = ()


@dataclass(frozen=True, eq=False)
class Kind:
    """Cells with the same polynomials, and the level from which on no coefficient is positive."""

    cells: list[Cell]
    plain: Fraction | None

    @property
    def cell(self) -> Cell:
        """One of them."""
        return self.cells[0]


def kinds_of(cells: Sequence[Cell]) -> list[Kind]:
    """The `cells` with the same polynomials together, in the order of the largest plain bound."""
    found: dict[object, list[Cell]] = {}
    for cell in cells:
        key = frozenset(cell.n.items()), frozenset(cell.d.items())
        found.setdefault(key, []).append(cell)
    kinds = [Kind(same, plain_bound(same[0].n, same[0].d)) for same in found.values()]
    return sorted(kinds, key=lambda kind: (kind.plain is not None, -(kind.plain or 0)))


def search(kinds: Sequence[Kind], groups: Sequence[int]) -> Lower:
    """The largest level that was found to be needed."""
    lower = Lower()
    for kind in kinds:
        assert lower.level is not None
        found = largest(kind.cell.n, kind.cell.d, groups, lower.level)
        if found:
            lower = Lower(found[0], kind.cell, found[1])
            if lower.level is None:
                break
    return lower


def enclosed(kinds: Sequence[Kind], groups: Sequence[int], asked: Level) -> tuple[Lower, Upper]:
    """A lower and an upper bound of the smallest level, both proved.

    They are equal, or within a relative 2^-BITS with the level asked for outside, or as near as
    could be proved.

    kinds   the cells, those with the same polynomials together
    groups  how many variables each simplex has
    asked   the level asked for

    First the lower bound itself is tried, then the simplest number that is hardly larger, and the
    level asked for; then numbers that are larger by more and more, and the middle of both bounds.
    """
    proof = _Proof(kinds, groups, search(kinds, groups))
    for target in (_same, _simple, partial(_asked, asked)):
        for _ in range(ROUNDS):
            if not proof.improve(target):
                break
        if proof.is_narrow and proof.decides(asked):
            return proof.lower, proof.upper
    more = BITS
    while more > -BITS and proof.improve(partial(_above, bits=more)):
        more -= 3
    while proof.upper.level is not None and not (proof.is_narrow and proof.decides(asked)):
        before = proof.upper
        if not proof.improve(proof.middle) and proof.upper is before:
            break
    if proof.lower.level is not None and proof.upper.level is None:
        proof.widen(asked)
    return proof.lower, proof.upper


@dataclass
class _Proof:
    """The bounds found so far."""

    kinds: Sequence[Kind]
    groups: Sequence[int]
    lower: Lower
    upper: Upper = Upper()

    @property
    def is_narrow(self) -> bool:
        """Whether both bounds are close, or the lower one infinite."""
        low, high = self.lower.level, self.upper.level
        return low is None or (high is not None and high <= low * (1 + Fraction(1, 10**9)))

    def decides(self, level: Level) -> bool:
        """Whether the level asked for is not between the bounds."""
        low, high = self.lower.level, self.upper.level
        return low is None or not level.admits(low) or (high is not None and level.admits(high))

    def improve(self, target: Callable[[Fraction], Fraction | None]) -> bool:
        """Try to prove the target, a function of the lower bound, to be enough. Whether the lower
        bound was improved instead."""
        level = None if self.lower.level is None else target(self.lower.level)
        found = None if level is None else self._prove(level)
        if isinstance(found, Upper):
            self.upper = found
        elif found is not None:
            self.lower = found
        return isinstance(found, Lower)

    def _prove(self, level: Fraction) -> Upper | Lower | None:
        proofs: list[tuple[Cell, Tree]] = []
        for kind in self.kinds:
            if kind.plain is not None and kind.plain <= level:
                continue
            through, curve = None, self.lower.curve
            near = self.lower.level == level or kind.cell.is_rounded
            if kind.cell is self.lower.cell and near and curve:
                through = curve.at(Fraction(0))
            p = kind.cell.at(level)
            found = nowhere_positive(p, self.groups, through, only_cuts=kind.cell.is_rounded)
            if found is None:
                return None
            if isinstance(found, Positive):
                curve = Curve(tuple(map(Fraction, found.point)), (0,) * len(found.point))
                return Lower(limit(kind.cell.n, kind.cell.d, curve), kind.cell, curve)
            proofs += [(cell, found) for cell in kind.cells]
        return Upper(level, tuple(proofs))

    def middle(self, low: Fraction) -> Fraction | None:
        """A simple number between `low` and the upper bound, or in the middle of their digits if
        far apart."""
        high = self.upper.level
        if high is None or high <= low:
            return None
        if high > 4 * low:
            return low * (1 << (high // low).bit_length() // 2)
        third = (high - low) / 3
        return simplest(low + third, high - third)

    def widen(self, level: Level) -> None:
        """Prove some larger level to be enough, then smaller ones."""
        plain = [kind.plain for kind in self.kinds]
        assert self.lower.level is not None
        tops = [self.lower.level * 2**k for k in range(1, 11)]
        tops = [max(p or ONE for p in plain)] if None not in plain else tops
        known = level.exp_epsilon is not None and not is_irrational(level.exp_epsilon)
        asked = [level.exp_epsilon] if known else []
        for top in sorted([*asked, *tops]):
            self.improve(partial(_larger, top))
            if self.upper.level is not None:
                break
        unproved = self.lower.level
        for _ in range(STEPS):
            if self.lower.level is None or unproved is None or self.upper.level is None:
                return
            third = (self.upper.level - max(unproved, self.lower.level)) / 3
            if third <= 0:
                return
            tried = simplest(self.upper.level - 2 * third, self.upper.level - third)
            before = self.upper
            self.improve(partial(_larger, tried))
            if self.upper is before:
                unproved = tried


def _larger(level: Fraction, low: Fraction) -> Fraction | None:
    return level if level > low else None


def _same(low: Fraction) -> Fraction:
    return low


def _simple(low: Fraction) -> Fraction:
    """The simplest number that is hardly larger."""
    return simplest(low, low * (1 + Fraction(1, 2 ** (BITS + 5))))


def _asked(level: Level, low: Fraction) -> Fraction | None:
    """The level asked for, where it is hardly larger."""
    asked = level.exp_epsilon
    if asked is None or is_irrational(asked):
        return None
    return asked if low <= asked < low * (1 + Fraction(1, 1000)) else None


def _above(low: Fraction, bits: int) -> Fraction:
    """A simple number that is larger by a relative 2^-bits at most."""
    step = Fraction(2) ** -bits
    return simplest(low * (1 + step / 2), low * (1 + step))

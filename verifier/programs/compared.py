"""Real numbers that are released after their draws have been compared, or summed.

Of each output without its number, the densities in all worlds are, on each cell between two places
where one of them changes its form, combinations of the functions of one basis, which are nowhere
negative; so are they mixtures of these as outputs. Whoever is told such a function can draw the
number, in no need of the world. So outputs say no less than the number does; and where the odds of
each two worlds are largest at ends of cells, which densities have there, no more. Cells are halved
until they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import gcd, inf
from typing import Any

import numpy as np

from verifier.base.errors import LimitReached
from verifier.noise.densities import coefficient
from verifier.noise.draws import Number
from verifier.noise.events import Basis, Event, Released, Share, seen
from verifier.noise.pieces import NOTHING, Piece, Pieces, Real
from verifier.noise.probability import Probabilities
from verifier.noise.sums import Sum
from verifier.programs.chances import Case, Frame, Returned, chances, real_base
from verifier.programs.told import REAL, raw, replaced
from verifier.world.language.unclamped import CLAMP, DENSITIES
from verifier.world.mechanism import ENDS, MIXED, Mechanism, Several
from verifier.world.space import Failure, key_of, number

MOST_ORDER = 3  # of what y is replaced by
ROUNDS = 6  # of halving
FAR = 1e6  # in place of an infinite logarithm
ALONE = "several numbers are released, one of which is a sum of draws or comes after comparisons"
NOTES = [
    "a real number is released after comparisons: 'near c' and 'far out' have the odds of its "
    "densities there, and these are mixtures of all outputs"
]
NEAR = 1e-9  # of logarithms that may be equal
BITS = 256  # of what guides
Place = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """A returned value with a real number in it, on one path.

    beside  events that are independent of the number
    event   the others
    """

    value: Any
    place: tuple[int, ...]
    beside: tuple[Event, ...]
    event: Event
    released: Released
    block: int
    weight: Fraction

    def told(self, label: Several, basis: Basis, place: Place) -> Case:
        """That a function of a basis is told."""
        own = Share(self.event.laws, self.event.conditions, self.released, basis, place)
        value = replaced(self.value, self.place, label)
        return value, (*self.beside, own), self.block, self.weight


def is_compared(rows: Iterable[Returned]) -> bool:
    """Whether a real number is returned of which the path, or the sum that it is, says more."""
    return any(
        len(form.terms) > 1 or not path.draws.isdisjoint(draw for draw, _ in form.terms)
        for value, path, _, _ in rows
        for forms in [[form for _, form in raw(value)]]
        for form in forms[:1]
        if len(forms) == 1
    )


@dataclass(frozen=True)
class Compared:
    """The values that are returned, and the frame of their mechanism."""

    rows: Sequence[Returned]
    frame: Frame

    def mechanism(self) -> Mechanism:
        """What says at least as much as the numbers, for no pairs of worlds in particular."""
        return replace(self._made({}, MIXED)[0], cutter=self.at)

    def at(self, distances: Mapping[tuple[int, int], Number]) -> tuple[Mechanism, int]:
        """The mechanism for pairs of worlds at some distances, and how many of its outputs, the
        first ones, are densities at ends. LimitReached where odds are largest inside of cells."""
        blocks, found = self.frame.blocks.tolist(), dict[tuple[int, int], Number]()
        for (i, j), distance in distances.items():
            pair = blocks[i], blocks[j]
            found[pair] = min(distance, found.get(pair, distance))
        return self._made(found, ENDS)

    def _made(
        self, distances: Mapping[tuple[int, int], Number], kind: str
    ) -> tuple[Mechanism, int]:
        if real_base():
            raise LimitReached(
                "a real number is released after comparisons, and noise has a parameter"
            )
        known = Probabilities()
        cases: list[Case] = list(self._plain)
        cells = known.over_one(lambda: _every_cell(self._groups, known, distances))
        for group, own in zip(self._groups, cells, strict=True):
            for cell in own:
                for place in cell.rows:
                    label = cell.label(place)
                    cases += [one.told(label, cell.basis, place) for one in group]
        frame = replace(
            self.frame, order=lambda value: (_is_middle(value), self.frame.order(value))
        )
        made = frame.mechanism(chances(cases, frame.size), NOTES, kind)
        if not isinstance(made, Mechanism):
            raise LimitReached("a real number is released beside comparisons of normal draws")
        middles = sum(len(c.rows.keys() - c.ends.keys()) for own in cells for c in own)
        return made, len(made.outputs) - middles

    @cached_property
    def _plain(self) -> list[Returned]:
        """What is returned without draws in it."""
        return [row for row in self.rows if not list(raw(row[0]))]

    @cached_property
    def _groups(self) -> list[list[Seen]]:
        """The values that are equal but for their numbers."""
        found: dict[Any, list[Seen]] = defaultdict(list)
        for value, path, block, weight in self.rows:
            made = list(raw(value))
            if not made:
                continue
            if len(made) > 1 or any(d.law.kind not in DENSITIES for d, _ in made[0][1].terms):
                raise Failure("S322", ALONE, CLAMP)
            ((place, form),) = made
            beside, event, number_of = seen(path, form)
            one = Seen(value, place, tuple(beside), event, number_of, block, weight)
            found[key_of(replaced(value, place, REAL))].append(one)
        return list(found.values())


class Middle(Several):
    """A function of a basis that is no density at an end."""


def _is_middle(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_middle, value))
    return isinstance(value, Middle)


@dataclass(frozen=True)
class Cell:
    """Densities between two ends.

    basis   of functions
    pieces  for each block of worlds its terms
    """

    basis: Basis
    pieces: Sequence[Piece]
    scale: Real

    @classmethod
    def of(
        cls,
        low: Fraction | None,
        high: Fraction | None,
        anchor: int,
        order: int,
        densities: Sequence[Pieces],
    ) -> Cell | None:
        """The cell of `densities` between two ends; None where all are 0. See `Basis`."""
        pieces = [f.at(low) for f in densities]
        keys = {key for piece in pieces for key in piece}
        if not keys:
            return None
        scale = densities[0].scale
        assert isinstance(scale, Real)
        rates, power = {rate for rate, _ in keys}, max(power for _, power in keys)
        start = max(rates) if high is None else min(rates)
        unit = gcd(*(rate - start for rate in rates))
        degree = (max(rates) - min(rates)) // unit if unit else 0
        step = Fraction(-unit if high is None else unit, scale.m)
        rest: tuple[int, ...] = degree, power
        if low is not None and high is not None:
            of_y = bool(power and unit)
            rest = degree + power * (order if of_y else 1), power * of_y
            rest += (anchor, order) if of_y else ()
        basis = Basis(low, high, Fraction(start, scale.m), step, *rest)
        return cls(basis, pieces, scale)

    @cached_property
    def rows(self) -> dict[Place, list[Sum]]:
        """The coefficients of functions that are not all 0, by block of worlds."""
        places = product(range(self.basis.degree + 1), range(self.basis.power + 1))
        known: dict[int, Sum]
        found = {}
        for place in places:
            known = {}
            for piece in self.pieces:
                if id(piece) not in known:
                    known[id(piece)] = coefficient(piece, self.basis, place, self.scale)
            row = [known[id(piece)] for piece in self.pieces]
            if any(row):
                found[place] = row
        return found

    @cached_property
    def near(self) -> np.ndarray:
        """Floats near the coefficients: functions × blocks of worlds."""
        known: dict[int, float] = {}
        for row in self.rows.values():
            for c in row:
                if id(c) not in known:
                    known[id(c)] = _near(c, self.scale.m)
        return np.array([[known[id(c)] for c in row] for row in self.rows.values()])

    @cached_property
    def ends(self) -> dict[Place, str]:
        """The functions whose coefficients are densities at an end, or far out; in words."""
        basis, found = self.basis, dict[Place, str]()
        low, high = basis.low, basis.high
        finite = low is not None and high is not None
        if not (finite and basis.power and basis.anchor):
            found[0, basis.power if low is None else 0] = (
                "far out" if low is None else f"near {low}"
            )
        if not (finite and basis.power and not basis.anchor):
            far = high is None
            found[basis.degree, basis.power if far else 0] = "far out" if far else f"near {high}"
        return {place: text for place, text in found.items() if place in self.rows}

    @property
    def name(self) -> str:
        """Where the cell is."""
        low, high = self.basis.low, self.basis.high
        if low is None:
            return "any" if high is None else f"≤{high}"
        return f"≥{low}" if high is None else f"{low} to {high}"

    def label(self, place: Place) -> Several:
        """The output that tells a function."""
        end = self.basis.low if self.basis.low is not None else self.basis.high or 0
        if len(self.rows) == 1:
            return Several(number(end), self.name)
        if place in self.ends:
            return Several(number(end), f"{self.name}, {self.ends[place]}")
        part = f"part {list(self.rows).index(place) + 1} of {len(self.rows)}"
        return Middle(number(end), f"{self.name}, {part}")

    def halves(self) -> list[tuple[Fraction | None, Fraction | None, int, int]]:
        """The ends of two parts of it, their anchors and orders."""
        low, high = self.basis.low, self.basis.high
        if low is not None and high is not None:
            middle = (low + high) / 2
        elif low is None:
            end = high or Fraction(0)
            middle = end - max(Fraction(1), abs(end))
        else:
            middle = low + max(Fraction(1), abs(low))
        order = min(self.basis.order + 1, MOST_ORDER)
        return [(low, middle, 0, order), (middle, high, 1, order)]


def _every_cell(
    groups: Sequence[Sequence[Seen]],
    known: Probabilities,
    distances: Mapping[tuple[int, int], Number],
) -> list[list[Cell]]:
    """The cells of each output, such that no odds of two worlds inside need a higher level than
    those at all ends."""
    blocks = sorted({one.block for group in groups for one in group})
    place = {block: k for k, block in enumerate(blocks)}
    far = np.full((len(blocks), len(blocks)), inf)
    for (i, j), distance in distances.items():
        if i in place and j in place and i != j:
            far[place[i], place[j]] = float(distance)
    densities = [_densities(group, blocks, known) for group in groups]
    todo = [
        (at, (*ends, 0, 1))
        for at, own in enumerate(densities)
        for ends in pairwise([None, *_breaks(own), None])
    ]
    found: list[tuple[int, Cell]] = []
    for left in reversed(range(ROUNDS + 1)):
        made = ((at, Cell.of(*ends, densities[at])) for at, ends in todo)
        found += [(at, cell) for at, cell in made if cell is not None]
        bad = _bad([cell for _, cell in found], far)
        if not bad:
            break
        if not left:
            said = "the odds of two worlds are not shown to be largest where its densities change"
            raise LimitReached(f"a real number is released after comparisons, and {said}")
        todo = [(found[k][0], ends) for k in bad for ends in found[k][1].halves()]
        found = [one for k, one in enumerate(found) if k not in bad]
    by: list[list[Cell]] = [[] for _ in groups]
    for at, cell in found:
        by[at].append(cell)
    return by


def _densities(group: Sequence[Seen], blocks: Sequence[int], known: Probabilities) -> list[Pieces]:
    """The density of an output's number in each block of worlds."""
    sums: dict[int, dict[Any, Fraction]] = {block: defaultdict(Fraction) for block in blocks}
    for one in group:
        sums[one.block][one.beside, one.event, one.released] += one.weight
    made: dict[Any, Pieces] = {}
    return [_density(sums[block], made, known) for block in blocks]


def _density(own: dict[Any, Fraction], made: dict[Any, Pieces], known: Probabilities) -> Pieces:
    key = frozenset(own.items())
    if key not in made:
        total = None
        for (beside, event, released), weight in own.items():
            factor = Sum.of(weight)
            for other in beside:
                factor = factor * known.one(other)
            f = known.density(event, released)
            pieces = [{at: c * factor for at, c in piece.items()} for piece in f.pieces]
            more = Pieces(f.scale, f.breaks, pieces)
            total = more if total is None else total.plus(more)
        made[key] = total or Pieces(known.reals, [], [{}])
    return made[key]


def _breaks(densities: Sequence[Pieces]) -> list[Fraction]:
    """Where the terms of a density change."""
    return sorted(
        {
            end
            for f in {id(f): f for f in densities}.values()
            for end, one, other in zip(f.breaks, f.pieces, f.pieces[1:], strict=False)
            if any(one.get(key, NOTHING) - other.get(key, NOTHING) for key in {*one, *other})
        }
    )


def _bad(cells: Sequence[Cell], far: np.ndarray) -> list[int]:
    """The cells in which a coefficient is below 0, or the odds of two worlds at a distance need a
    higher level than at all ends."""
    if wide := [k for k, c in enumerate(cells) if c.basis.order and c.basis.width > 1]:
        return wide
    tables = [cell.near for cell in cells]
    below = [k for k, table in enumerate(tables) if (table < 0).any()]
    if below:
        return below
    ends: list[np.ndarray] = []
    middles: list[tuple[int, np.ndarray]] = []
    for k, cell in enumerate(cells):
        for row, place in zip(tables[k], cell.rows, strict=True):
            if place in cell.ends:
                ends.append(_odds(row))
            else:
                middles.append((k, row))
    most = np.max(ends, axis=0) if ends else np.full(far.shape, -inf)
    top = (most / far).max(initial=0)
    found = dict[int, None]()
    for k, row in middles:
        odds = _odds(row)
        over = (odds > most + NEAR) & (odds / far >= top - NEAR) & np.isfinite(far)
        if over.any():
            found[k] = None
    return list(found)


def _odds(row: np.ndarray) -> np.ndarray:
    """The logarithms of the odds of each two worlds at one place, at most `FAR`."""
    logs = np.log(np.where(row > 0, row, 1))
    found = np.where(row[None, :] > 0, logs[:, None] - logs[None, :], FAR)
    return np.where(row[:, None] > 0, found, -FAR)


def _near(value: Sum, m: int) -> float:
    """A float near a number."""
    if not value:
        return 0.0
    from flint import arb, ctx, fmpq

    before, ctx.prec = ctx.prec, BITS
    try:
        found = arb(0)
        for k, c in value.terms.items():
            found += arb(c) * arb(fmpq(k, m)).exp()
        for j, times in value.over.items():
            found /= (1 - arb(fmpq(-j, m)).exp()) ** times
        return float(found.mid())
    finally:
        ctx.prec = before

"""Real numbers that are released after their draws have been compared, or summed.

Of each output without its numbers, the densities in all worlds are, on each cell between places
where one of them changes its form, combinations of the functions of one basis, which are nowhere
negative; so are they mixtures of these as outputs. Whoever is told such a function can draw the
numbers, in no need of the world. So outputs say no less than the numbers do; and where the odds of
what is compared are largest at ends of cells, which densities have there, no more. Cells are halved
until they are, or hardly more inside: then the smallest level is between both. Of several numbers,
independent of one another in each world, functions multiply.

With delta, cells are divided where the odds of what is compared reach the level: in which part of
which cell a number is, is all that matters of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise, product
from math import gcd, inf
from operator import contains, mul
from typing import Any

import numpy as np

from verifier.base.errors import LimitReached
from verifier.base.exponential import parts_of
from verifier.noise.crossings import Terms, combined, crossings
from verifier.noise.densities import coefficient
from verifier.noise.draws import LAPLACE, Condition, Draw, Law, Linear, Path
from verifier.noise.events import Basis, Event, Released, Share, seen
from verifier.noise.pieces import NOTHING, Piece, Pieces, Real
from verifier.noise.probability import Probabilities
from verifier.noise.sums import Sum, rational
from verifier.programs.chances import Case, Frame, Returned, chances, real_base
from verifier.programs.told import REAL, raw, replaced
from verifier.world.language.axes import Axis, apart
from verifier.world.language.regions import Region, beside, labelled
from verifier.world.language.unclamped import CLAMP, DENSITIES, TOGETHER
from verifier.world.mechanism import (
    CUT,
    ENDS,
    MIXED,
    Asked,
    Mechanism,
    Middle,
    Several,
    is_middle,
    is_rational,
)
from verifier.world.space import Failure, key_of, number

MOST_ORDER = 3  # of what y is replaced by
ROUNDS = 6  # of halving
FAR = 1e6  # in place of an infinite logarithm
NOTES = [
    "a real number is released after comparisons: 'near c' and 'far out' have the odds of its "
    "densities there, and these are mixtures of all outputs"
]
CUT_NOTES = ["real numbers are told by regions in which odds are on one side of the level"]
NEAR = 1e-9  # of logarithms that may be equal
BITS = 256  # of what guides
AXIS = Axis(Law(LAPLACE, Fraction(1)), 1, 1, (1,), 0, ((0, 1),))  # of the only number
Place = tuple[int, int]
Places = tuple[Place, ...]
End = Fraction | None
Spans = tuple[tuple[End, End, int, int], ...]  # for each number two ends, an anchor and an order
Term = tuple[int, tuple[Pieces, ...]]  # a block of worlds, and the density of each number
Weights = dict[int, Fraction]  # of blocks of worlds


@dataclass(frozen=True)
class Seen:
    """A returned value with real numbers in it, on one path.

    forms   the sums of draws that these are, and where they stand
    beside  events that are independent of the numbers
    events  the others, of each number those about it
    """

    value: Any
    path: Path
    forms: tuple[tuple[tuple[int, ...], Linear], ...]
    beside: tuple[Event, ...]
    events: tuple[tuple[Event, Released], ...]
    block: int
    weight: Fraction

    @classmethod
    def of(cls, value: Any, path: Path, block: int, weight: Fraction) -> Seen:
        """What is returned; Failure S322 where its numbers are not independent of one another."""
        forms = tuple(raw(value))
        kinds = {draw.law.kind for _, form in forms for draw, _ in form.terms}
        found = seen(path, [form for _, form in forms]) if kinds <= DENSITIES else None
        if found is None:
            raise Failure("S322", TOGETHER, CLAMP)
        beside = tuple(sorted(found[0], key=repr))
        return cls(value, path, forms, beside, tuple(found[1]), block, weight)

    def labelled(self, labels: Iterable[Several]) -> Any:
        """The value with labels in place of its numbers."""
        value = self.value
        for (place, _), label in zip(self.forms, labels, strict=True):
            value = replaced(value, place, label)
        return value

    def told(self, labels: Iterable[Several], bases: Sequence[Basis], places: Places) -> Case:
        """That functions of some bases are told, one for each number."""
        every = zip(self.events, bases, places, strict=True)
        shares = (
            Share(event.laws, event.conditions, released, basis, place)
            for (event, released), basis, place in every
        )
        return self.labelled(labels), (*self.beside, *shares), self.block, self.weight

    def within(self, region: Region, label: Several) -> Returned | None:
        """That its only number is in a region; None where it cannot be."""
        ((_, number),) = self.forms
        inside = (
            Condition.of(number.times(factor).plus(form.constant))
            for form in region.forms
            for _, factor in form.terms
        )
        path = self.path.plus(inside)
        return None if path is None else (self.labelled([label]), path, self.block, self.weight)


def is_compared(rows: Iterable[Returned]) -> bool:
    """Whether a returned real number needs this room: its draws have been compared on the way, or
    it is a sum of several draws that does not come apart."""
    return any(
        any(draw in path.draws for form in forms for draw, _ in form.terms)
        or (any(len(form.terms) > 1 for form in forms) and apart(forms) is None)
        for value, path, _, _ in rows
        for forms in [[form for _, form in raw(value)]]
    )


@dataclass(frozen=True)
class Compared:
    """The values that are returned, and the frame of their mechanism."""

    rows: Sequence[Returned]
    frame: Frame

    def mechanism(self) -> Mechanism:
        """What says at least as much as the numbers, for no pairs of worlds in particular."""
        if real_base():
            raise LimitReached(
                "a real number is released after comparisons, and noise has a parameter"
            )
        blocks = range(self.frame.size)
        return replace(self._mixed([{k: Fraction(1)} for k in blocks], {}, MIXED), cutter=self.at)

    def _columns(self, asked: Asked) -> tuple[list[Weights], dict[tuple[int, int], Fraction]]:
        """The different columns that are compared, as mixtures of blocks, and at what distances."""
        mixtures, between = asked
        blocks, number = self.frame.blocks.tolist(), dict[frozenset[Any], int]()
        columns, place = list[Weights](), list[int]()
        for column in mixtures.codes.T.tolist():
            own: Weights = defaultdict(Fraction)
            for block, code in zip(blocks, column, strict=True):
                own[block] += mixtures.values[code]
            own = {block: weight for block, weight in own.items() if weight}
            if not is_rational(own.values()):
                raise LimitReached("a real number is released, and a prior is irrational")
            place.append(number.setdefault(frozenset(own.items()), len(number)))
            columns += [own] * (len(number) - len(columns))
        found: dict[tuple[int, int], Fraction] = {}
        for (i, j), distance in between.items():
            pair = place[i], place[j]
            found[pair] = min(distance, found.get(pair, distance))
        return columns, {pair: d for pair, d in found.items() if pair[0] != pair[1]}

    def _mixed(
        self,
        columns: Sequence[Weights],
        distances: Mapping[tuple[int, int], Fraction],
        kind: str,
    ) -> Mechanism:
        cases: list[Case] = list(self._plain)
        cells = self._known.over_one(lambda: _every_cell(self._densities(), columns, distances))
        for group, own in zip(self._groups, cells, strict=True):
            for cell in own:
                for places in cell.rows:
                    labels = cell.labels(places)
                    cases += [one.told(labels, cell.bases, places) for one in group]
        frame = replace(self.frame, order=lambda value: (is_middle(value), self.frame.order(value)))
        made = frame.mechanism(chances(cases, frame.size), NOTES, kind)
        if not isinstance(made, Mechanism):
            raise LimitReached("a real number is released beside comparisons of normal draws")
        return made

    def at(self, levels: Sequence[Fraction], asked: Asked, more: bool) -> Any:
        """The mechanism that is cut for some `levels` and what is `asked`, see `Mechanism`; without
        levels the one for its densities, which come first."""
        columns, distances = self._columns(asked)
        if not levels:
            return self._mixed(columns, distances, ENDS)
        if any(len(one.forms) > 1 for group in self._groups for one in group):
            raise LimitReached("several real numbers are released after comparisons, and delta")
        cases: list[Case] = list(self._plain)
        every = self._known.over_one(self._densities)
        for group, terms in zip(self._groups, every, strict=True):
            found = _regions(_cut(terms, columns, distances, levels))
            for region, (label,) in zip(found, labelled(found, [AXIS]), strict=True):
                for one in group:
                    told = beside([label], f", world {one.block + 1}" * (region.thin and more))
                    case = one.within(region, told[0])
                    cases += [] if case is None else [case]
        made = self.frame.mechanism(chances(cases, self.frame.size), CUT_NOTES, CUT)
        return replace(made, levels=tuple(levels))

    @cached_property
    def _known(self) -> Probabilities:
        return Probabilities()

    @cached_property
    def _plain(self) -> list[Returned]:
        """What is returned without draws in it."""
        return [row for row in self.rows if not list(raw(row[0]))]

    @cached_property
    def _groups(self) -> list[list[Seen]]:
        """The values that are equal but for their numbers."""
        found: dict[Any, list[Seen]] = defaultdict(list)
        for row in self.rows:
            if list(raw(row[0])):
                one = Seen.of(*row)
                label = one.labelled([REAL] * len(one.forms))  # type: ignore[list-item]
                found[key_of(label)].append(one)
        return list(found.values())

    def _densities(self) -> list[list[Term]]:
        """The densities of the numbers of each group; Coarse if m has to grow."""
        made: dict[Any, Pieces] = {}
        return [_terms(group, made, self._known) for group in self._groups]


@dataclass(frozen=True)
class Cell:
    """Densities of some numbers, each between two ends.

    bases   of functions, for each number
    blocks  of worlds, of each of some terms
    pieces  for each of these terms, that of each number: the term is their product
    size    how many blocks there are
    """

    bases: tuple[Basis, ...]
    blocks: Sequence[int]
    pieces: Sequence[Sequence[Piece]]
    size: int
    scale: Real

    @classmethod
    def of(cls, spans: Spans, terms: Sequence[Term], size: int) -> Cell | None:
        """The cell of some densities between ends; None where all are 0."""
        blocks, pieces = list[int](), list[list[Piece]]()
        for block, functions in terms:
            own = [f.at(low) for f, (low, *_) in zip(functions, spans, strict=True)]
            if all(own):
                blocks.append(block)
                pieces.append(own)
        if not pieces:
            return None
        scale = terms[0][1][0].scale
        assert isinstance(scale, Real)
        columns = zip(*pieces, strict=True)
        bases = (_basis(*span, own, scale.m) for span, own in zip(spans, columns, strict=True))
        return cls(tuple(bases), blocks, pieces, size, scale)

    @cached_property
    def rows(self) -> dict[Places, list[Sum]]:
        """The coefficients of functions that are not all 0, by block of worlds."""
        known: dict[Any, Sum] = {}
        found = {}
        every = ([*product(range(b.degree + 1), range(b.power + 1))] for b in self.bases)
        for places in product(*every):
            row = [NOTHING] * self.size
            for block, own in zip(self.blocks, self.pieces, strict=True):
                key = places, *map(id, own)
                if key not in known:
                    known[key] = self._coefficient(places, own)
                row[block] = row[block] + known[key] if row[block] else known[key]
            if any(row):
                found[places] = row
        return found

    def _coefficient(self, places: Places, pieces: Sequence[Piece]) -> Sum:
        every = zip(pieces, self.bases, places, strict=True)
        found = (coefficient(piece, basis, place, self.scale) for piece, basis, place in every)
        return reduce(mul, found)

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
    def ends(self) -> set[Places]:
        """The functions whose coefficients are densities at ends, or far out."""
        every = [_at_ends(basis) for basis in self.bases]
        return {p for p in self.rows if all(map(contains, every, p))}

    def labels(self, places: Places) -> list[Several]:
        """The output that tells functions, of each number."""
        found = []
        for at, (basis, place) in enumerate(zip(self.bases, places, strict=True)):
            present = list(dict.fromkeys(row[at] for row in self.rows))
            end = number(basis.low if basis.low is not None else basis.high or 0)
            ends, name = _at_ends(basis), _named(basis)
            if len(present) == 1:
                found.append(Several(end, name))
            elif place in ends:
                found.append(Several(end, f"{name}, {ends[place]}"))
            else:
                part = f"part {present.index(place) + 1} of {len(present)}"
                found.append(Middle(end, f"{name}, {part}"))
        return found

    def halves(self) -> Iterator[Spans]:
        """The ends, anchors and orders of its parts, where those of each number are halved."""
        return product(*map(_halves, self.bases))


def _basis(low: End, high: End, anchor: int, order: int, pieces: Sequence[Piece], m: int) -> Basis:
    """The basis of some terms between two ends. See `Basis`."""
    keys = {key for piece in pieces for key in piece}
    rates, power = {rate for rate, _ in keys}, max(power for _, power in keys)
    start = max(rates) if high is None else min(rates)
    unit = gcd(*(rate - start for rate in rates))
    degree = (max(rates) - min(rates)) // unit if unit else 0
    step = Fraction(-unit if high is None else unit, m)
    rest: tuple[int, ...] = degree, power
    if low is not None and high is not None:
        of_y = bool(power and unit)
        rest = degree + power * (order if of_y else 1), power * of_y
        rest += (anchor, order) if of_y else ()
    return Basis(low, high, Fraction(start, m), step, *rest)


def _at_ends(basis: Basis) -> dict[Place, str]:
    """The functions whose coefficients are densities at an end, or far out; in words."""
    low, high, found = basis.low, basis.high, dict[Place, str]()
    finite = low is not None and high is not None
    if not (finite and basis.power and basis.anchor):
        found[0, basis.power if low is None else 0] = "far out" if low is None else f"near {low}"
    if not (finite and basis.power and not basis.anchor):
        far = high is None
        found[basis.degree, basis.power if far else 0] = "far out" if far else f"near {high}"
    return found


def _named(basis: Basis) -> str:
    """Where a number is."""
    low, high = basis.low, basis.high
    if low is None:
        return "any" if high is None else f"≤{high}"
    return f"≥{low}" if high is None else f"{low} to {high}"


def _halves(basis: Basis) -> Spans:
    """The ends of two parts between the ends of a basis, their anchors and orders; of a basis of
    one function itself."""
    low, high = basis.low, basis.high
    if not basis.degree and not basis.power:
        return ((low, high, 0, 1),)
    if low is not None and high is not None:
        middle = (low + high) / 2
    elif low is None:
        end = high or Fraction(0)
        middle = end - max(Fraction(1), abs(end))
    else:
        middle = low + max(Fraction(1), abs(low))
    order = min(basis.order + 1, MOST_ORDER)
    return (low, middle, 0, order), (middle, high, 1, order)


def _every_cell(
    groups: Sequence[Sequence[Term]],
    columns: Sequence[Weights],
    distances: Mapping[tuple[int, int], Fraction],
) -> list[list[Cell]]:
    """The cells of each output. Those in which odds of two columns need a higher level than at all
    ends are halved, a few times."""
    size = 1 + max(block for own in columns for block in own)
    mixed, far = np.zeros((size, len(columns))), np.full((len(columns),) * 2, inf)
    for at, own in enumerate(columns):
        for block, weight in own.items():
            mixed[block, at] = weight
    for pair, distance in distances.items():
        far[pair] = float(distance)
    todo = [
        (at, tuple((*ends, 0, 1) for ends in spans))
        for at, terms in enumerate(groups)
        for spans in product(*map(_spans, _of_numbers(terms)))
    ]
    found: list[tuple[int, Cell]] = []
    for left in reversed(range(ROUNDS + 1)):
        made = ((at, Cell.of(spans, groups[at], size)) for at, spans in todo)
        found += [(at, cell) for at, cell in made if cell is not None]
        cells = [cell for _, cell in found]
        unfit = _unfit(cells)
        bad = unfit or _over(cells, mixed, far)
        if unfit and not left:
            said = "its densities are no mixtures of few functions"
            raise LimitReached(f"a real number is released after comparisons, and {said}")
        if not (bad and left):
            break
        todo = [(found[k][0], spans) for k in bad for spans in found[k][1].halves()]
        found = [one for k, one in enumerate(found) if k not in bad]
    by: list[list[Cell]] = [[] for _ in groups]
    for at, cell in found:
        by[at].append(cell)
    return by


def _terms(group: Sequence[Seen], made: dict[Any, Pieces], known: Probabilities) -> list[Term]:
    """The densities of an output's numbers in each block of worlds: products, which add up."""
    sums: dict[Any, dict[Any, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for one in group:
        first, *others = one.events
        sums[one.block, tuple(others)][one.beside, first] += one.weight
    return [
        (block, (_density(own, made, known), *(known.density(*other) for other in others)))
        for (block, others), own in sums.items()
    ]


def _density(own: dict[Any, Fraction], made: dict[Any, Pieces], known: Probabilities) -> Pieces:
    key = frozenset(own.items())
    if key not in made:
        total = None
        for (beside, (event, released)), weight in own.items():
            factor = Sum.of(weight)
            for other in beside:
                factor = factor * known.one(other)
            f = known.density(event, released)
            pieces = [{at: c * factor for at, c in piece.items()} for piece in f.pieces]
            more = Pieces(f.scale, f.breaks, pieces)
            total = more if total is None else total.plus(more)
        assert total is not None
        made[key] = total
    return made[key]


def _of_numbers(terms: Sequence[Term]) -> Iterator[tuple[Pieces, ...]]:
    """The functions of each number."""
    return zip(*(functions for _, functions in terms), strict=True)


def _spans(densities: Sequence[Pieces]) -> Iterator[tuple[End, End]]:
    """Between which ends no density changes its terms."""
    return pairwise([None, *_breaks(densities), None])


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


def _unfit(cells: Sequence[Cell]) -> list[int]:
    """The cells that are too wide, or else in which a coefficient is below 0."""
    if wide := [k for k, c in enumerate(cells) if any(b.order and b.width > 1 for b in c.bases)]:
        return wide
    return [k for k, cell in enumerate(cells) if (cell.near < 0).any()]


def _over(cells: Sequence[Cell], mixed: np.ndarray, far: np.ndarray) -> list[int]:
    """The cells in which the odds of two columns at a distance need a higher level than at all
    ends."""
    ends: list[np.ndarray] = []
    middles: list[tuple[int, np.ndarray]] = []
    for k, cell in enumerate(cells):
        for row, places in zip(cell.near @ mixed, cell.rows, strict=True):
            if places in cell.ends:
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


def _cut(
    terms: Sequence[Term],
    columns: Sequence[Weights],
    pairs: Iterable[tuple[int, int]],
    levels: Sequence[Fraction],
) -> list[tuple[Fraction, Fraction]]:
    """Rationals around all places where the odds of a pair of columns reach a level, or where a
    density changes its form."""
    size = 1 + max(block for own in columns for block in own)
    found = set[tuple[Fraction, Fraction]]()
    for low, high in _spans([f for _, (f,) in terms]):
        cell = Cell.of(((low, high, 0, 1),), terms, size)
        found |= {(end, end) for end in (low, high) if end is not None}
        if cell is None:
            continue
        (basis,) = cell.bases
        of_y = basis.order and basis.width > 1
        signs = None if of_y or (cell.near < 0).any() else cell.near
        exactly = {
            block: _exactly(piece, cell.scale.m)
            for block, (piece,) in zip(cell.blocks, cell.pieces, strict=True)
        }
        for (i, j), level in product(pairs, levels):
            if signs is None or _may_cross(signs, columns[i], columns[j], float(level)):
                top, bottom = parts_of(level)
                parts = [
                    (exactly[block], {q: c * rational(weight * sign) for q, c in factor.items()})
                    for own, factor, sign in ((columns[i], bottom, 1), (columns[j], top, -1))
                    for block, weight in own.items()
                    if block in exactly
                ]
                found.update(crossings(combined(parts), low, high))
    return sorted(found)


def _exactly(piece: Piece, m: int) -> Terms:
    """A piece, with rates and exponents as they are."""
    return {
        (Fraction(rate, m), power): {Fraction(k, m): x for k, x in c.terms.items()}
        for (rate, power), c in piece.items()
    }


def _may_cross(near: np.ndarray, one: Weights, other: Weights, level: float) -> bool:
    """Whether the odds of two columns may reach a level where coefficients are near to these."""
    first, last = (
        sum((near[:, block] * float(weight) for block, weight in own.items()), np.zeros(len(near)))
        for own in (one, other)
    )
    gap, room = first - level * last, NEAR * (first + level * last)
    return not ((gap > room).all() or (gap < -room).all())


def _regions(brackets: Sequence[tuple[Fraction, Fraction]]) -> list[Region]:
    """The regions between some places, and thin ones around those that are not rational."""
    joined: list[tuple[Fraction, Fraction]] = []
    for low, high in brackets:
        if joined and low <= joined[-1][1]:
            low, high = joined[-1][0], max(high, joined.pop()[1])
        joined.append((low, high))
    ends = [None, *(end for both in joined for end in both), None]
    return [
        Region(_between(low, high), thin=bool(at % 2))
        for at, (low, high) in enumerate(pairwise(ends))
        if low is None or high is None or low < high
    ]


def _between(low: End, high: End) -> tuple[Linear, ...]:
    """That a number is between two ends."""
    draw = Draw(0, AXIS.law)
    least = () if low is None else (Linear(((draw, 1),), -low),)
    return least if high is None else (*least, Linear(((draw, -1),), high))

"""Deciding Pufferfish over all priors of a cone: intervals of prior odds, and the worst segment.

The smallest level alpha* is rational, infinite or the root of a quadratic; it may be approached
by priors without being attained. `verifier.kernels.segments` has the mathematics.

Example. All priors (x_0, x_1) on a bit that is told with probability 3/4, s: it is 0, t: it is 1.
Whatever the odds x_0 : x_1 are, the output 0 makes them 3 times as large: one piece of shares
proves that 3 is enough, and any prior that allows both needs it.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations
from typing import Any

from verifier.base import exact
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.claims.answer import Answer, Proof, leveled, proved, sizes
from verifier.claims.claim import PolytopeClaim
from verifier.claims.evidence import ConePrior, PolytopeEvidence
from verifier.claims.witness import Belief, EventWitness, OutputWitness, Witness
from verifier.kernels import cones, segments
from verifier.kernels.segments import ONE, Cell, Edge, Piece, Point, Root, Slices, Smallest, scaled
from verifier.lp.model.program import Optimal

BITS = 40  # of an enclosure in the answer, unless the level is closer


@dataclass
class Search:
    """The smallest level found so far, with the edge of a cell that needs it; None at 1."""

    asked: Level
    level: Smallest = ONE
    worst: tuple[Cell, Edge] | None = None
    floor: Fraction = ONE  # the level, or just above it where it is irrational

    def raise_to(self, cell: Cell, edge: Edge) -> None:
        """Take note of an edge of a cell that violates the condition at the floor."""
        self.level, self.worst = segments.smallest(*edge.ends), (cell, edge)
        if self.level is not None:
            self.floor = enclosure(self.level, self.asked)[1]


def decide(claim: PolytopeClaim) -> Answer:
    """The verdict on a claim, the smallest level, a witness where violated, and a certificate.

    What bounds a cell at one level does so at all higher levels: one walk over the cells decides.
    """
    search, bounds = Search(claim.level), []
    for slices, cell in cells(claim):
        bounds.append(cover(slices, cell, search))
        if search.level is None:
            bounds.clear()
            break
    if search.worst is not None:
        return told(claim, _above_one(claim, search, *search.worst, bounds))
    if not bounds:
        return told(claim, _proof(claim, True, NO_COMPARISON, None, []))
    slices, cell = next(cells(claim))
    (low, _), (high, _) = slices.range(cell)
    point = slices.optimum(cell, ONE, (low + high) / 2).point.numerators
    needs = replace(_needs(cell, claim), at=_dense(claim, point))
    return told(claim, _proof(claim, True, Leakage(ONE), needs, bounds))


def told(claim: PolytopeClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; that no prior attains the level, which the checker
    does not see, is found again."""
    answer = leveled(claim, proof, sizes(claim.space, claim.mechanism))
    assert isinstance(proof.witness, PolytopeEvidence)
    needs, leakage = proof.witness.lower, answer.leakage
    if needs is None or leakage is None or leakage.exp_epsilon == ONE:
        return answer
    cell = _cell(claim, needs)
    found: tuple[Cell, Point] | None = None
    if needs.at is not None:
        found = cell, _whole(needs.at)
    elif needs.between is not None:
        first, second = map(_whole, needs.between)
        edge = Edge((first, second), (cell.ends(first), cell.ends(second)))
        if leakage.bounds is None:
            found = attained(claim, leakage.exp_epsilon, cell, edge)
            leakage = replace(leakage, attained=found is not None)
        if found is None and answer.verdict == "violated":
            found = cell, edge.mixed(segments.exceeding(*edge.ends, _between(claim.level, edge)))
    return replace(answer, leakage=leakage, shown=found and _shown(claim, *found))


def _above_one(
    claim: PolytopeClaim, search: Search, cell: Cell, edge: Edge, bounds: list[list[Piece]]
) -> Proof:
    level, found = search.level, None
    if isinstance(level, Root):
        ends = enclosure(level, claim.level)
        leakage, holds = Leakage(bounds=ends), claim.level.admits(ends[1])
    else:
        found = attained(claim, level, cell, edge)
        leakage, holds = Leakage(level), level is not None and claim.level.admits(level)
    if found:
        needs = replace(_needs(found[0], claim), at=_dense(claim, found[1]))
    else:
        near = [_dense(claim, point) for point in edge.towards_limit()]
        needs = replace(_needs(cell, claim), between=near)
    return _proof(claim, holds, leakage, needs, bounds)


def cells(claim: PolytopeClaim) -> Iterator[tuple[Slices, Cell]]:
    """All pairs of possible secrets of a claim in both orders, and all outputs; with delta,
    events."""
    outputs = range(len(claim.mechanism.outputs))
    families = [outputs] if claim.delta else [range(o, o + 1) for o in outputs]
    places, kind = range(len(families[0])), Slices
    if any(map(exact.is_irrational, chain(claim.mechanism.values, *claim.mass.values()))):
        from verifier.kernels.irrational import IrrationalSlices

        kind = IrrationalSlices
    events = list(chain.from_iterable(combinations(places, k + 1) for k in places))
    for names in claim.pairs:
        if not claim.impossible.keys().isdisjoint(names):
            continue
        (b, d), unit = scaled(*(claim.mass[name] for name in names))
        slices = kind(claim.cone, b, d, unit)
        for family in families:
            yield from ((slices, cell) for cell in _cells(claim, names, family, events, b, d, unit))


def _cells(
    claim: PolytopeClaim,
    names: tuple[str, str],
    family: Sequence[int],
    events: Iterable[Sequence[int]],
    b: list[Any],
    d: list[Any],
    unit: int,
) -> Iterator[Cell]:
    """Both orders of a pair, and events: places in a family of outputs."""
    joint = [[x * unit for x in claim.joint(name, o)] for name in names for o in family]
    (*rows, (scale, loss)), _ = scaled(*joint, [ONE, claim.delta])
    of_first, of_second = rows[: len(family)], rows[len(family) :]
    for event in events:
        first, second = (_total([side[k] for k in event]) for side in (of_first, of_second))
        outputs = tuple(family[k] for k in event)
        excess = _total([first, [-loss * x for x in b]])
        yield Cell(names, outputs, excess, b, second, d, scale)
        excess = _total([second, [-loss * x for x in d]])
        yield Cell((names[1], names[0]), outputs, excess, d, first, b, scale, turned=True)


def _cell(claim: PolytopeClaim, needs: ConePrior) -> Cell:
    """The cell that evidence is about."""
    family = [needs.output] if needs.output is not None else needs.outputs or ()
    (b, d), unit = scaled(*(claim.mass[name] for name in needs.pair))
    return next(_cells(claim, needs.pair, family, [range(len(family))], b, d, unit))


def _total(rows: Sequence[list[Any]]) -> list[Any]:
    return rows[0] if len(rows) == 1 else [sum(column) for column in zip(*rows, strict=True)]


def cover(slices: Slices, cell: Cell, search: Search) -> list[Piece]:
    """Pieces of `slices` that prove the condition for a cell, after raising the level of a search
    as far as it needs; none where no level is enough."""
    most, least = cell.extremes()
    if most <= search.floor * least:
        return [slices.simple_bound(most, search.floor * least)]
    pieces = []
    for found in slices.explore(cell, lambda: search.floor):
        if isinstance(found, Piece):
            pieces.append(found)
        else:
            search.raise_to(cell, found)
            if search.level is None:
                return []
    return slices.bounded(cell, pieces)


def attained(
    claim: PolytopeClaim, level: Fraction | None, cell: Cell, edge: Edge
) -> tuple[Cell, Point] | None:
    """A point that attains the smallest level of a claim: on the worst edge, or else in any
    cell."""
    weights = segments.attaining(*edge.ends, level)
    return _anywhere(claim, level) if weights is None else (cell, edge.mixed(weights))


@lru_cache(maxsize=1)  # found before it is told
def _anywhere(claim: PolytopeClaim, level: Fraction | None) -> tuple[Cell, Point] | None:
    return next(attaining(claim, level), None)


def attaining(claim: PolytopeClaim, level: Fraction | None) -> Iterator[tuple[Cell, Point]]:
    """Points that attain the smallest level of a claim by themselves, in any cell."""
    for slices, other in cells(claim):
        if level is None:
            points = [without_second(claim.cone, other)]
        else:
            points = [slices.worst_at(other, share) for share in slices.tight(other, level)]
        for point in points:
            if point is not None:
                ends = other.ends(point)
                if segments.attaining(ends, ends, level):
                    yield other, point


def without_second(cone: cones.Cone, cell: Cell) -> Point | None:
    """A point of a cone with A > 0 = C and D > 0 for a cell, if there is one: the sum of one that
    has the first and one that has the second, enough of the former."""
    kept = [at for at, c in enumerate(cell.c) if not c]
    if not kept:
        return None
    goals = [[row[at] for at in kept] for row in (cell.a, cell.d)]
    found = []
    for outcome in cones.largest(cone.face(kept), goals):
        if not isinstance(outcome, Optimal) or outcome.value <= 0:
            return None
        found.append({kept[at]: x for at, x in outcome.point.numerators.items()})
    excess = [cell.ends(point)[0] for point in found]
    times = 1 if excess[1] >= 0 else 1 - exact.floor(exact.over(excess[1], excess[0]))
    return Edge((found[0], found[1]), (cell.ends(found[0]), cell.ends(found[1]))).mixed((times, 1))


def enclosure(level: Fraction | Root, asked: Level) -> tuple[Fraction, Fraction]:
    """Rationals around a level that leave the one asked for outside where it is irrational."""
    bits = BITS
    # ends, for an irrational level is not the rational one that is asked for
    while True:
        low, high = segments.bounds(level, bits)
        if low == high or asked.admits(high) or not asked.admits(low):
            return low, high
        bits *= 2


def _between(level: Level, edge: Edge) -> Fraction:
    """A rational that is at least the level, and at which the edge still fails."""
    if level.exp_epsilon is not None:
        return level.exp_epsilon
    low, high = Fraction(1), Fraction(2)
    while level.admits(high):
        low, high = high, 2 * high
    while segments.holds(*edge.ends, high):
        middle = (low + high) / 2
        low, high = (middle, high) if level.admits(middle) else (low, middle)
    return high


def _dense(claim: PolytopeClaim, point: Point) -> list[Fraction]:
    """All coordinates of a point, of sum 1."""
    total = sum(point.values())
    return [exact.over(point.get(at, 0), total) for at in range(claim.cone.size)]


def _whole(point: Sequence[Fraction]) -> Point:
    """The positive coordinates of a point, in coprime integers."""
    return {at: x for at, x in enumerate(exact.whole(point)[1]) if x}


def _needs(cell: Cell, claim: PolytopeClaim) -> ConePrior:
    """Where the level is needed, without a prior yet."""
    if claim.delta:
        return ConePrior(cell.pair, outputs=cell.outputs)
    return ConePrior(cell.pair, output=cell.outputs[0])


def _shown(claim: PolytopeClaim, cell: Cell, point: Point) -> Witness:
    """A prior in the reader's terms: its worlds, and the odds before and after the output."""
    a, b, c, d = cell.ends(point)
    p, q = exact.over(a, b * cell.scale) + claim.delta, exact.over(c, d * cell.scale)
    outputs = [claim.mechanism.outputs[output] for output in cell.outputs]
    weights = enumerate(claim.prior(_dense(claim, point)))
    prior = {claim.space.name(world): weight for world, weight in weights if weight}
    before = Belief(cell.pair, prior, exact.over(b, d))
    if claim.delta:
        return EventWitness(before, outputs, (p, q))
    return OutputWitness(before, outputs[0], p / q if q else None)


def _proof(
    claim: PolytopeClaim,
    holds: bool,
    leakage: Leakage,
    needs: ConePrior | None,
    bounds: list[list[Piece]],
) -> Proof:
    upper = [[piece.statement() for piece in pieces] for pieces in bounds]
    return proved(holds, leakage, PolytopeEvidence(needs, upper, claim.impossible))

"""Deciding Pufferfish over all priors of a cone: intervals of prior odds, and the worst segment.

The smallest level alpha* is rational, infinite or the root of a quadratic; it may be approached
by priors without being attained. `verifier.kernels.segments` has the mathematics.

Example. All priors (x_0, x_1) on a bit that is told with probability 3/4, s: it is 0, t: it is 1.
Whatever the odds x_0 : x_1 are, the output 0 makes them 3 times as large: one piece of shares
proves that 3 is enough, and any prior that allows both needs it.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from verifier.base import exact
from verifier.base.cell import NoFunction
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.engines.pufferfish import mixtures
from verifier.engines.pufferfish.cells import cell_of, cells, dense
from verifier.kernels import cones, segments
from verifier.kernels.segments import ONE, Cell, Edge, Piece, Point, Root, Slices, Smallest
from verifier.lp.model.program import Optimal
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.claim import PolytopeClaim
from verifier.questions.evidence import ConePrior, PolytopeEvidence
from verifier.questions.witness import Belief, EventWitness, OutputWitness, Witness

Proofs = list[list[Any]]  # as they stand in a certificate
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


@dataclass
class AtLevel(Search):
    """A search that ends at the first edge of a cell which violates the condition."""

    def raise_to(self, cell: Cell, edge: Edge) -> None:
        """Take note of it, and of no level."""
        self.level, self.worst = None, (cell, edge)


def decide(claim: PolytopeClaim) -> Answer:
    """The verdict on a claim, the smallest level, and a witness where violated."""
    return told(claim, prove(claim))


def prove(claim: PolytopeClaim) -> Proof:
    """The proof of the answer to a claim; only about the level asked for where the smallest one is
    no function of a parameter."""
    try:
        return _smallest(claim)
    except NoFunction:
        return _at_level(claim)


def _at_level(claim: PolytopeClaim) -> Proof:
    """That no point exceeds the level that is asked for, or one that does, and by what ratio."""
    alpha = claim.level.alpha
    search = AtLevel(claim.level, floor=alpha)
    bounds = _all_pieces(claim, search)
    if search.worst is None:
        return _proof(claim, True, Leakage(alpha, side="at_most"), None, bounds)
    cell, edge = search.worst
    point = edge.mixed(segments.exceeding(*edge.ends, alpha))
    ends = cell.ends(point)
    ratio = exact.over(*segments.form(ends, ends))
    assert ratio > alpha
    needs = replace(_needs(cell, claim), at=dense(claim, point))
    return _proof(claim, False, Leakage(ratio, side="at_least"), needs, [])


def _smallest(claim: PolytopeClaim) -> Proof:
    """The proof of the smallest level.

    What bounds a cell at one level does so at all higher levels: one walk over the cells decides.
    """
    search = Search(claim.level)
    bounds = (_all_cuts if mixtures.decide(claim) else _all_pieces)(claim, search)
    if search.worst is not None:
        return _above_one(claim, search, *search.worst, bounds)
    if not bounds:
        return _proof(claim, True, NO_COMPARISON, None, [])
    return _proof(claim, True, Leakage(ONE), _possible(claim), bounds)


def _all_pieces(claim: PolytopeClaim, search: Search) -> Proofs:
    """For each cell the pieces that prove the condition, after raising the level of a search as far
    as they need; none where no level is enough."""
    found: list[list[Any]] = []
    for slices, cell in cells(claim):
        found.append([piece.statement() for piece in cover(slices, cell, search)])
        if search.level is None:
            return []
    return found


def _all_cuts(claim: PolytopeClaim, search: Search) -> Proofs:
    """For each ordered pair of secrets the shares at which segments between corners are cut, by
    the numbers of the two corners; likewise."""
    found: list[list[Any]] = []
    for names, between in mixtures.sides(claim):
        found.append([])
        for (i, j), points, segment in between:
            shares = []
            for one in segment.uncut(lambda: search.floor):
                if not isinstance(one, tuple):
                    shares.append(one)
                    continue
                cell = cell_of(claim, ConePrior(names, outputs=one))
                search.raise_to(cell, Edge(points, segment.ends(one)))
                if search.level is None:
                    return []
            if shares:
                found[-1].append([i, j, shares])
    return found


def _possible(claim: PolytopeClaim) -> ConePrior:
    """A prior that allows both secrets of a pair which is compared."""
    if mixtures.decide(claim):
        return mixtures.possible(claim)
    slices, cell = next(cells(claim))
    (low, _), (high, _) = slices.range(cell)
    point = slices.optimum(cell, ONE, (low + high) / 2).point.numerators
    return replace(_needs(cell, claim), at=dense(claim, point))


def told(claim: PolytopeClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; that no prior attains the level, which the checker
    does not see, is found again."""
    answer = leveled(claim, proof, sizes(claim.space, claim.mechanism))
    assert isinstance(proof.witness, PolytopeEvidence)
    needs, leakage = proof.witness.lower, answer.leakage
    if needs is None or leakage is None or leakage.exp_epsilon == ONE:
        return answer
    cell = cell_of(claim, needs)
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
    claim: PolytopeClaim, search: Search, cell: Cell, edge: Edge, bounds: Proofs
) -> Proof:
    level, found = search.level, None
    if isinstance(level, Root):
        ends = enclosure(level, claim.level)
        leakage, holds = Leakage(bounds=ends), claim.level.admits(ends[1])
    else:
        found = attained(claim, level, cell, edge)
        leakage, holds = Leakage(level), level is not None and claim.level.admits(level)
    if found:
        needs = replace(_needs(found[0], claim), at=dense(claim, found[1]))
    else:
        near = [dense(claim, point) for point in edge.towards_limit()]
        needs = replace(_needs(cell, claim), between=near)
    return _proof(claim, holds, leakage, needs, bounds)


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
    if mixtures.decide(claim):
        yield from mixtures.attaining(claim, level)
        return
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


def _whole(point: Sequence[Fraction]) -> Point:
    """The positive coordinates of a point, in coprime integers."""
    return {at: x for at, x in enumerate(exact.in_integers(point)[1]) if x}


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
    weights = enumerate(claim.prior(dense(claim, point)))
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
    bounds: Proofs,
) -> Proof:
    upper, cuts = (None, bounds) if mixtures.decide(claim) else (bounds, None)
    return proved(holds, leakage, PolytopeEvidence(needs, claim.impossible, upper, cuts))

"""Deciding whether a claim of any kind holds for all values of several parameters.

It is asked at points, with plain numbers, of the ordinary engine: where it is violated, that is the
answer. Floats choose the points. Of comparisons they are those where a polynomial that the checker
is going to ask for seems negative. Of others they are simple ones, and ones near the corners; then,
around those where the smallest level is nearest to the one asked for, one step at a time in each
direction. Where no violation is found, comparisons and divergences are proved: each inequality
becomes a polynomial that is nowhere negative on its cell.

Example. One bit is told with probability p, another one with probability q, 1/2 < q <= p < 1: both
keep the level p/(1 − p), as p(1 − q) − q(1 − p) = p − q, which is a condition of the domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any

from verifier.base import registry
from verifier.base.cell import Place
from verifier.base.errors import LimitReached, NotDecided, TimeLimitReached, Unsettled
from verifier.base.level import NO_COMPARISON
from verifier.base.polynomial import Polynomial
from verifier.base.rational_function import at_point, polynomial_text
from verifier.engines.comparison.obligations import check, obligations
from verifier.kernels.domains import Box, Point, nearly, prove, unsettled
from verifier.questions.answer import Answer, Proof, answer_section
from verifier.questions.cells import is_by_pairs
from verifier.questions.claim import DivergenceClaim
from verifier.questions.evidence import (
    CellEvidence,
    CellsEvidence,
    PointEvidence,
    SaidParameters,
    SignEvidence,
)
from verifier.questions.question import evidence_section
from verifier.questions.several import AnyCell, EverywhereClaim

MOST_POINTS = 300  # at which floats are tried
CANDIDATES = 6  # of them, at which it is asked exactly
SHOWN = 3  # boxes that are not settled, in words
SIMPLE = 8  # points of a cell that are tried first
NEAR = Fraction(1, 32)  # how near corners are tried, of the sides
STEPS = 30  # that are tried around the best of them
LEAST = Fraction(1, 64)  # step, of the sides
Found = tuple[float, Point, Answer]  # by how much the level is needed


def decide(claim: EverywhereClaim) -> Answer:
    """The verdict for all values: some that violate it, or a proof for each cell; NotDecided where
    none are found and nothing proves it."""
    kinds = [part.claim for part in claim.parts if part.claim is not None]
    places = range(len(claim.parts))
    is_compared = all(map(is_by_pairs, kinds))
    asked = [obligations(claim, at) for at in places] if is_compared else []
    for at in places:
        found = _seen(claim, at, asked[at]) if is_compared else _refutation(claim, at)
        if found is not None:
            return told(claim, found)
    if not asked and not all(isinstance(kind, DivergenceClaim) for kind in kinds):
        raise NotDecided(
            "with several parameters this definition is only refuted, and no values were found "
            "that violate it; --set gives some a value, or `where` an equation between them"
        )
    cells = []
    for at in places:
        proof = _proved(claim, at, asked[at] if asked else obligations(claim, at))
        if isinstance(proof, Proof):
            return told(claim, proof)
        cells.append(proof)
    empty = all(kind.relation.is_empty() for kind in kinds)
    said = SaidParameters("holds", NO_COMPARISON if empty else None)
    return told(claim, Proof(said, CellsEvidence(cells)))


def told(claim: EverywhereClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the witness at its point is found again."""
    evidence, said = proof.witness, proof.said
    assert isinstance(said, SaidParameters)
    scope, level, delta = dict(claim.scope), claim.level, claim.delta
    if not isinstance(evidence, PointEvidence):
        return Answer(
            said.verdict, said.leakage, proof=proof, scope=scope, level=level, delta=delta
        )
    point = tuple(evidence.point)
    part = next(one for one in claim.parts if _has(one, point))
    found = _decided(claim, part, point)
    where = ", ".join(f"{name} = {x}" for name, x in zip(claim.domain.names, point, strict=True))
    return Answer(
        "violated",
        proof=proof,
        scope=scope,
        level=level,
        delta=delta,
        shown=found.shown,
        made=found.made,
        reason=f"violated at {where}",
    )


def _seen(claim: EverywhereClaim, at: int, listed: Sequence[Polynomial]) -> Proof | None:
    """The proof by a point of a cell at which a polynomial that is `listed` is negative for floats;
    None where none is found."""
    part = claim.parts[at]
    box = Box(part.sides, claim.domain.conditions)
    points = list(islice(box.simple_points(), MOST_POINTS))
    if part.claim is None or not listed or not points:
        return None
    lowest = nearly(listed, points).min(axis=0)
    simple = [k for k, x in enumerate(lowest) if x < 0][:CANDIDATES]
    worst = [int(k) for k in lowest.argsort()[:CANDIDATES] if lowest[k] < 0]
    proofs = (_tried(claim, part, points[k], {}) for k in dict.fromkeys([*simple, *worst]))
    return next(filter(None, proofs), None)


def _refutation(claim: EverywhereClaim, at: int) -> Proof | None:
    """The proof by a point of a cell that violates the claim; None where none is found."""
    part = claim.parts[at]
    if part.claim is None:
        return None
    box, tried = Box(part.sides, claim.domain.conditions), dict[Point, float]()
    for point in _first(box):
        if (proof := _tried(claim, part, point, tried)) is not None:
            return proof
    step, best = Fraction(1, 4), max(tried, key=tried.__getitem__, default=None)
    while best is not None and step >= LEAST and len(tried) < SIMPLE + 2 ** len(box.sides) + STEPS:
        for point in _around(box, best, step):
            if point not in tried and (proof := _tried(claim, part, point, tried)) is not None:
                return proof
        better = max(tried, key=tried.__getitem__)
        step = step / 2 if better == best else step
        best = better
    return None


def _proved(claim: EverywhereClaim, at: int, listed: Sequence[Polynomial]) -> Proof | CellEvidence:
    """Why a claim holds on a cell, as the polynomials that are `listed` are nowhere negative; or
    the proof by a point that violates it."""
    part, found = claim.parts[at], list[SignEvidence]()
    names, box = claim.domain.names, Box(part.sides, claim.domain.conditions)
    for terms in listed:
        tree: Any = prove(terms, box)
        if isinstance(tree, tuple):
            proof = None if part.claim is None else _tried(claim, part, tree, {})
            if proof is not None:
                return proof
        if tree is None or isinstance(tree, tuple):
            raise _open_at(terms, names, box)
        if tree:
            found.append(SignEvidence([[c, *e] for e, c in terms.items()], tree))
    proved = CellEvidence(part.sample if part.claim else (), found)
    check(claim, at, proved)
    return proved


def _first(box: Box) -> Iterator[Point]:
    """Simple points of a box, and points near its corners."""
    yield from islice(box.simple_points(), SIMPLE)
    near = ((Fraction(1), NEAR), (NEAR, Fraction(1)))
    for rays in product(near, repeat=len(box.groups)):
        point = box.point([x for ray in rays for x in ray])
        if box.groups and box.has(point):
            yield point


def _around(box: Box, point: Point, step: Fraction) -> Iterator[Point]:
    """The points a step from one, of the sides, in each direction."""
    for k, (low, high) in enumerate(box.sides):
        for x in (point[k] - step * (high - low), point[k] + step * (high - low)):
            moved = (*point[:k], x, *point[k + 1 :])
            if low < x < high and box.has(moved):
                yield moved


def _tried(
    claim: EverywhereClaim, part: AnyCell, point: Point, tried: dict[Point, float]
) -> Proof | None:
    """The proof that a claim is violated at a point; None where it is not, which is kept."""
    try:
        found = _decided(claim, part, point)
    except TimeLimitReached:
        raise
    except (NotDecided, LimitReached):
        tried[point] = 0.0
        return None
    tried[point] = _share(claim, found, point)
    if found.verdict != "violated" or found.proof is None:
        return None
    answer = answer_section(found.proof.said)
    evidence = evidence_section(found.proof, part.claim.proved_by())
    return Proof(SaidParameters("violated"), PointEvidence(point, answer, evidence))


def _share(claim: EverywhereClaim, found: Answer, point: Point) -> float:
    """About what part of the level is needed at a point."""
    if found.leakage is None or found.leakage.exp_epsilon is None or claim.level is None:
        return 0.0
    asked = at_point(claim.level.alpha, claim.domain.names, point)
    return float(found.leakage.exp_epsilon) / float(asked)


def _has(part: AnyCell, point: Point) -> bool:
    return part.claim is not None and all(
        low == x == high or low < x < high for x, (low, high) in zip(point, part.sides, strict=True)
    )


def _decided(claim: EverywhereClaim, part: AnyCell, point: Point) -> Answer:
    """The ordinary answer at a point of a cell."""
    with Place.around(claim.domain.names, point, alone=True):
        inner: Any = claim.ask(point)
        if type(inner) is not type(part.claim):
            raise NotDecided("the method is another at this point")
        answer: Answer = registry.ENGINES.module(inner.engine).decide(inner)
        return answer


def _open_at(terms: Polynomial, names: Sequence[str], box: Box) -> Unsettled:
    """Where in a box it is not settled whether a polynomial is negative.

    terms  the polynomial
    names  of its parameters
    """
    boxes = [
        {name: list(map(str, side)) for name, side in zip(names, part.sides, strict=True)}
        for part in unsettled(terms, box)
    ]
    said = [
        " and ".join(
            f"{name} = {low}" if low == high else f"{low} < {name} < {high}"
            for name, (low, high) in part.items()
        )
        for part in boxes
    ]
    more = f", and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    where = f" where {', or '.join(said[:SHOWN])}{more}" if said else ""
    shown = polynomial_text(names, terms)
    shown = shown if len(shown) < 100 else "a polynomial"
    return Unsettled(f"{shown} is not shown to be nowhere negative{where}", boxes)

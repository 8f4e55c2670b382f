"""Deciding for which values of a parameter a comparison holds.

On each cell the smallest level is found as a function, piece by piece; a piece is divided where
the level asked for meets it, and then decided at one sample. Each end is decided by itself.

Example. A bit is told with probability p, 1/2 < p < 1: the smallest level is p/(1 − p), which is at
most 3 up to p = 3/4, where it is 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from verifier.base.errors import NotDecided
from verifier.base.level import NO_COMPARISON
from verifier.base.rational_function import function_value, parts, quotient, text
from verifier.engines.comparison import comparison
from verifier.engines.comparison.instances import instance
from verifier.kernels.envelopes import Lead, Piece, Search, coefficients, crossed, pieces
from verifier.kernels.functions import Events, Function, Ratios
from verifier.kernels.regions import Interval, Region, joined
from verifier.kernels.roots import End, between, compare, sign_at
from verifier.questions.answer import Answer, Proof, written
from verifier.questions.claim import ComparisonClaim
from verifier.questions.curve import Stretch, end_json, interval_json
from verifier.questions.evidence import ComparisonEvidence, PiecesEvidence, SaidRegion
from verifier.questions.pieces import OnCell, PiecesClaim
from verifier.world.relation import Relation

Decided = tuple[Piece, bool, ComparisonEvidence | None]


def prove(claim: PiecesClaim) -> Proof:
    """Where a claim about comparisons holds, the smallest level as a function, and what needs it on
    each piece."""
    found = [(part, *one) for part in claim.parts for one in _of_part(claim, part)]
    region = region_of([(piece.low, piece.high, good) for _, piece, good, _ in found])
    said = SaidRegion(
        "holds" if all(good for _, _, good, _ in found) else "violated",
        [interval_json(interval) for interval in region.intervals],
        [_said(claim, part, piece, good) for part, piece, good, _ in found],
        NO_COMPARISON if all(part.claim.relation.is_empty() for part in claim.parts) else None,
    )
    places = [{"rule": "inequality", "witness": written(place)} for *_, place in found]
    return Proof(said, PiecesEvidence(places))


def decide_at(claim: PiecesClaim, x: Fraction) -> Answer:
    """The answer for one value of the parameter, with plain numbers."""
    part = next(one for one in claim.parts if _covers(one, x))
    return comparison.decide(instance(part.claim, lambda number: function_value(number, x)))


def _covers(part: OnCell, x: Fraction) -> bool:
    if part.is_point:
        return part.low == x
    return compare(part.low, x) < 0 < compare(part.high, x)


def _of_part(claim: PiecesClaim, part: OnCell) -> list[Decided]:
    search = _search(part.claim)
    if part.is_point:
        found = [Piece(part.low, part.low, search.lead(part.low))]
    else:
        found = []
        for piece in pieces(search, part.low, part.high):
            gap = None if piece.is_point else _over(claim, piece.lead)
            divided = gap is not None and gap.degree() > 0
            found += crossed(piece, gap) if divided else [piece]
    return [(piece, _holds(claim, piece), _place(part.claim, piece)) for piece in found]


def _search(claim: ComparisonClaim) -> Search:
    relation = claim.relation
    if claim.delta:
        return Events(claim.compared, relation.pairs(), claim.delta)
    return Ratios(claim.compared, _blocks(relation))


def _blocks(relation: Relation) -> Iterable[tuple[Any, Any, int]]:
    """The pairs of columns at each distance."""
    import numpy as np

    for part in relation.blocks:
        if part.distance.denominator != 1:
            raise NotDecided("with a parameter distances are integers")
        pairs = np.stack(part.arrays(), axis=1)
        if len(pairs):
            yield pairs[:, 0], pairs[:, 1], int(part.distance)


def _level(claim: PiecesClaim) -> Function:
    """The level that is asked for."""
    assert claim.level is not None
    return Function.of(claim.level.exp_epsilon or Fraction(1))


def _over(claim: PiecesClaim, lead: Lead) -> Any:
    """A polynomial that vanishes where the level meets a lead; None for an infinite one."""
    if lead.is_infinite:
        return None
    level = _level(claim)
    return level.top**lead.root * lead.bottom - lead.top * level.bottom**lead.root


def _holds(claim: PiecesClaim, piece: Piece) -> bool:
    """Whether the level is enough on a piece, decided at one number."""
    gap = _over(claim, piece.lead)
    if gap is None:
        return False
    x = piece.low if piece.is_point else between(piece.low, piece.high)
    level = _level(claim)
    sign = sign_at(coefficients(piece.lead.bottom), x)
    for _ in range(piece.lead.root):
        sign *= sign_at(coefficients(level.bottom), x)
    return sign_at(coefficients(gap), x) * sign >= 0


def _place(claim: ComparisonClaim, piece: Piece) -> ComparisonEvidence | None:
    """The comparison that a lead comes from, in a certificate's terms."""
    place = piece.lead.place
    if place is None:
        return None
    left, right, *output = place
    shown = {"output": output[0]} if output else {}
    if not claim.keys:
        return ComparisonEvidence(pair=(left, right), **shown)
    (prior, first), (_, second) = claim.keys[left], claim.keys[right]
    return ComparisonEvidence(prior=prior, pair=(first, second), **shown)


def region_of(spots: Sequence[tuple[End, End, bool]]) -> Region:
    """The region of some of the pieces that cover an interval.

    spots  their ends, the same of a point, and whether they belong to it; ascending
    """
    marked = [(low, high, compare(low, high) == 0, good) for low, high, good in spots]
    ends = [low for low, _, is_point, _ in marked if is_point]
    if not marked[0][2]:
        ends.insert(0, marked[0][0])
    if not marked[-1][2]:
        ends.append(marked[-1][1])
    at_ends = [good for _, _, is_point, good in marked if is_point]
    at_ends = [False] * (not marked[0][2]) + at_ends + [False] * (not marked[-1][2])
    return joined(ends, [good for _, _, is_point, good in marked if not is_point], at_ends)


def _said(claim: PiecesClaim, part: OnCell, piece: Piece, holds: bool) -> dict[str, Any]:
    """What is said of a piece of a part of the domain."""
    closed, lead = piece.is_point, piece.lead
    ends = {"from": end_json(piece.low, closed), "to": end_json(piece.high, closed)}
    if lead.is_infinite:
        leakage: dict[str, Any] = {"infinite": True}
    elif part.claim.relation.is_empty():
        leakage = {"vacuous": True}
    else:
        level = text(claim.parameter, *map(coefficients, (lead.top, lead.bottom)))
        leakage = {"exp_epsilon": level, **({"root": lead.root} if lead.root > 1 else {})}
    return {**ends, "verdict": "holds" if holds else "violated", "leakage": leakage}


def merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """The stretches, neighbours with one function put together; points join them where the
    function has their value."""
    found: list[Stretch] = []
    for one in stretches:
        if found and one.interval.is_point and _agree(found[-1], one, one.interval.low):
            one = replace(found[-1], interval=_closed(found.pop().interval, high=True))
        elif found and not one.interval.is_point:
            last = found[-1]
            if last.interval.is_point and _agree(one, last, last.interval.low):
                one = replace(one, interval=_closed(one.interval, low=True))
                found.pop()
            elif last.interval.high_closed and _is_same(last, one):
                low = found.pop().interval
                joined_ = Interval(low.low, one.interval.high, low.low_closed, False)
                one = replace(one, interval=joined_)
        found.append(one)
    return found


def _closed(interval: Interval, low: bool = False, high: bool = False) -> Interval:
    return replace(
        interval,
        low_closed=interval.low_closed or low,
        high_closed=interval.high_closed or high,
    )


def _agree(one: Stretch, other: Stretch, x: End) -> bool:
    """Whether two functions have the same value at a number."""
    if one.is_infinite or other.is_infinite:
        return one.is_infinite and other.is_infinite
    if not sign_at(one.bottom, x) or one.sense != other.sense:
        return False
    return not sign_at(_difference(one, other), x)


def _is_same(one: Stretch, other: Stretch) -> bool:
    """Whether two functions are the same."""
    if one.is_infinite or other.is_infinite:
        return one.is_infinite and other.is_infinite
    return (one.root, one.sense) == (other.root, other.sense) and not _difference(one, other)


def _difference(one: Stretch, other: Stretch) -> tuple[int, ...]:
    """A polynomial that vanishes where two functions, which are nowhere negative, are equal."""
    first, second = (quotient("", each.top, each.bottom) for each in (one, other))
    return parts(first**other.root - second**one.root)[0]

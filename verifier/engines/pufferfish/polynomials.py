"""Deciding Pufferfish where probabilities are polynomials in unknown distributions.

With (A, B, C, D) = (P(s, o), P(s), P(t, o), P(t)) the condition is n − α·d <= 0 (1) on a product of
simplices, n = A·D, d = C·B (with delta, n = A·D − delta·B·D, for events). A search finds large
values of n/d, as exact points and limits; then the polynomials are proved to be nowhere positive
at that level or just above it. With one parameter this always settles the question.

Example. A bit of unknown distribution (x_0, x_1), told with probability 3/4; s: it is 0, t: it is
1. For the output 0, n = (3/4 x_0) x_1 and d = (1/4 x_1) x_0. At alpha = 3, n − alpha d = 0 has no
positive coefficient; below it has one. The smallest level is 3, at any point inside.

After Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, count, product
from math import prod

from verifier.base.errors import NotDecided
from verifier.base.level import Leakage, Level
from verifier.base.polynomial import Curve, Point, Polynomial, add, limit, multiply, value
from verifier.claims.answer import Answer, leveled, proved
from verifier.claims.claim import PolynomialsClaim
from verifier.claims.evidence import CurveEvidence, PolynomialsEvidence, TreeEvidence
from verifier.claims.witness import EventWitness, OutputWitness, Witness
from verifier.kernels.enclosure import Cell, Kind, Lower, Upper, enclosed, kinds_of

MAX_EVENTS = 2**10
MAX_TERMS = 10**7  # of all products, before like terms are collected
SUPPORTS = 4096  # tried for a point that attains the smallest level


def decide(claim: PolynomialsClaim) -> Answer:
    """The verdict on a claim, the smallest level or an enclosure, a witness where violated."""
    cells = list(_cells(claim))
    if not cells:
        return _answer(claim, True, Leakage(Fraction(1), vacuous=True), Lower(), Upper())
    kinds = kinds_of(cells)
    lower, upper = enclosed(kinds, claim.groups, claim.level)
    level = claim.level
    if lower.level is None:
        lower = _attaining(claim, kinds, lower)
        return _violated(claim, lower, upper, Leakage(attained=lower.is_point))
    low, high = lower.level, upper.level
    holds = high is not None and level.admits(high)
    if not holds and level.admits(low):
        least, most = _short(low), _short(high)
        raise NotDecided(
            f"the smallest level was not found: it is at least {least}, and {most} was proved to "
            "be enough"
        )
    if low == high:
        lower = _attaining(claim, kinds, lower)
        leakage: Leakage | None = Leakage(low, attained=lower.is_point)
    else:
        leakage = None if high is None else Leakage(bounds=(low, high))
    if holds:
        return _answer(claim, True, leakage, lower, upper)
    return _violated(claim, lower, upper, leakage)


def _cells(claim: PolynomialsClaim) -> Iterator[Cell]:
    """All ordered pairs of secrets that some prior makes possible, and outputs (or events)."""
    events = list(_events(claim))
    sizes = {name: len(mass) for name, (mass, _) in claim.joint.items()}
    terms = 2 * len(events) * sum(sizes[s] * sizes[t] for s, t in claim.pairs)
    if terms > MAX_TERMS:
        raise NotDecided(f"the polynomials have {terms} terms, more than {MAX_TERMS}")
    for listed in claim.pairs:
        for left, right in (listed, listed[::-1]):
            if claim.joint[left][0] and claim.joint[right][0]:
                yield from (_cell(claim, left, right, event) for event in events)


def _events(claim: PolynomialsClaim) -> Iterator[tuple[int, ...]]:
    """Single outputs; with delta all sets of them but the empty one."""
    outputs = range(len(claim.mechanism.outputs))
    if claim.delta and 2 ** len(outputs) > MAX_EVENTS:
        raise NotDecided(f"with delta > 0, {len(outputs)} outputs have too many events")
    for size in outputs if claim.delta else range(1):
        yield from combinations(outputs, size + 1)


def _cell(claim: PolynomialsClaim, left: str, right: str, event: tuple[int, ...]) -> Cell:
    """n and d of (1), times the denominator of delta."""
    (b, p), (d, q) = claim.joint[left], claim.joint[right]
    a, c = (_sum(x[o] for o in event) for x in (p, q))
    n = multiply(a, d)
    if claim.delta:
        up, down = claim.delta.as_integer_ratio()
        n = add({m: x * down for m, x in n.items()}, multiply(b, d), -up)
        c = {m: x * down for m, x in c.items()}
    return Cell((left, right), event, n, multiply(c, b))


def _sum(parts: Iterator[Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        found = add(found, part)
    return found


def _attaining(claim: PolynomialsClaim, kinds: Sequence[Kind], lower: Lower) -> Lower:
    """The same bound by a point where one is known: the end of the curve, or the middle of a face
    on which the ratio is constant."""
    if lower.cell is None or lower.curve is None or lower.is_point:
        return lower
    end = Curve(lower.curve.at(Fraction(0)), (0,) * len(lower.curve.powers))
    if limit(lower.cell.n, lower.cell.d, end) == lower.level:
        return replace(lower, curve=end)
    if prod(2**size - 1 for size in claim.groups) > SUPPORTS:
        return lower
    sides = [list(product((1, 0), repeat=size)) for size in claim.groups]
    faces = [tuple(chain(*face)) for face in product(*sides) if all(map(any, face))]
    for kind in kinds:
        if kind.plain is None or lower.level is None or kind.plain >= lower.level:
            for face in faces:
                middle = Curve(tuple(map(Fraction, face)), end.powers)
                if limit(kind.cell.n, kind.cell.d, middle) == lower.level:
                    return Lower(lower.level, kind.cell, middle)
    return lower


def _short(level: Fraction | None) -> str:
    return "no level" if level is None else f"{float(level):.12g}"


def _violated(
    claim: PolynomialsClaim, lower: Lower, upper: Upper, leakage: Leakage | None
) -> Answer:
    """The answer with a prior of the class at which the condition fails."""
    cell, curve = lower.cell, lower.curve
    assert cell is not None and curve is not None
    # the level is a limit: far enough along the curve a prior exceeds the one asked for
    points = (curve.at(Fraction(1, 2**k)) for k in count())
    point = next(p for p in points if _exceeds(cell, p, claim.level))
    answer = _answer(claim, False, leakage, lower, upper)
    return replace(answer, shown=_witness(claim, cell, point))


def _exceeds(cell: Cell, point: Point, level: Level) -> bool:
    n, d = Fraction(value(cell.n, point)), Fraction(value(cell.d, point))
    return n > 0 and (d == 0 or not level.admits(n / d))


def _witness(claim: PolynomialsClaim, cell: Cell, point: Point) -> Witness:
    """A prior in the reader's terms, and the odds (or probabilities) at the output (or event)."""
    found = claim.describe(cell.pair, point)
    first, second = (
        sum(Fraction(value(joint[o], point)) for o in cell.outputs) / Fraction(value(mass, point))
        for mass, joint in (claim.joint[name] for name in cell.pair)
    )
    outputs = [claim.mechanism.outputs[o] for o in cell.outputs]
    if claim.delta:
        return EventWitness(found, outputs, (first, second))
    return OutputWitness(found, outputs[0], first / second if second else None)


def _answer(
    claim: PolynomialsClaim, holds: bool, leakage: Leakage | None, lower: Lower, upper: Upper
) -> Answer:
    needs = None
    if lower.cell is not None and lower.curve is not None:
        cell, curve = lower.cell, lower.curve
        needs = CurveEvidence(cell.pair, cell.outputs, curve.point, curve.powers)
    proofs = [TreeEvidence(cell.pair, cell.outputs, tree) for cell, tree in upper.proofs]
    evidence = PolynomialsEvidence(needs, proofs if leakage else [])
    answer = leveled(claim, proved(holds, leakage, evidence), (claim.space, claim.mechanism))
    return replace(answer, reason=_remark(lower, upper, leakage))


def _remark(lower: Lower, upper: Upper, leakage: Leakage | None) -> str | None:
    """What is not known about the smallest level."""
    low, high = lower.level, upper.level
    if leakage is None:
        return f"the smallest level was not found: it is at least {_short(low)}"
    if low is None or high is None or high <= low * (1 + Fraction(1, 10**9)):
        return None
    return f"the smallest level was only found to lie between {_short(low)} and {_short(high)}"

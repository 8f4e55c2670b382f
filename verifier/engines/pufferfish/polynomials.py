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

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations, count, product
from math import prod

from verifier.base import exact
from verifier.base.errors import NotDecided
from verifier.base.level import NO_COMPARISON, Leakage, Level
from verifier.base.polynomial import Curve, Point, Polynomial, add, value_at
from verifier.engines.pufferfish.coefficients import enough
from verifier.engines.pufferfish.corners import reached
from verifier.kernels.enclosure import Cell, Kind, Lower, Upper, enclosed, kinds_of, rounded
from verifier.kernels.positivity import is_proved
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.claim import PolynomialsClaim
from verifier.questions.evidence import CurveEvidence, PolynomialsEvidence, TreeEvidence
from verifier.questions.witness import EventWitness, OutputWitness, Witness

MAX_EVENTS = 2**10
MAX_TERMS = 10**7  # of all products, before like terms are collected
MAX_EXACT = 10**5  # the same, of those with powers of e
SUPPORTS = 4096  # tried for a point that attains the smallest level


def decide(claim: PolynomialsClaim) -> Answer:
    """The verdict on a claim, the smallest level or an enclosure, a prior that needs it."""
    if terms := _terms(claim):
        return _by_factors(claim, terms)
    lower, upper = _rounded(claim) if _is_irrational(claim) else _enclosed(claim)
    if lower is None:
        return told(claim, _proof(True, NO_COMPARISON, Lower(), Upper()))
    level, low, high = claim.level, lower.level, upper.level
    if low is None:
        return told(claim, _proof(False, Leakage(), _attaining(claim, lower), upper))
    holds = high is not None and level.admits(high)
    if not holds and level.admits(low):
        least, most = _short(low), _short(high)
        raise NotDecided(
            f"the smallest level was not found: it is at least {least}, and {most} was proved to "
            "be enough"
        )
    leakage: Leakage | None = None if high is None else _within(low, high, level)
    return told(
        claim, _proof(holds, leakage, _attaining(claim, lower) if low == high else lower, upper)
    )


def _within(low: Fraction, high: Fraction, asked: Level) -> Leakage:
    """Between two bounds; for an irrational one a rational number that is hardly smaller, on the
    same side of the level that is asked."""
    bits = 64
    while exact.is_irrational(low) and low != high:
        near, step = exact.near(low, bits + 8), Fraction(1, 2**bits)
        found = exact.simplest(near * (1 - step), near * (1 - step / 16))
        if asked.admits(found) == asked.admits(low):
            low = max(found, Fraction(1))
        bits *= 2
    return Leakage.within((low, high))


def _enclosed(claim: PolynomialsClaim) -> tuple[Lower | None, Upper]:
    """What is needed, and what is enough; None where nothing is compared."""
    kinds = _kinds(claim)
    return enclosed(kinds, claim.groups, claim.level) if kinds else (None, Upper())


def _is_irrational(claim: PolynomialsClaim) -> bool:
    """Whether powers of e are in the polynomials."""
    listed = (p for mass, outputs in claim.joint.values() for p in (mass, *outputs))
    return exact.is_irrational(claim.delta) or any(
        exact.is_irrational(x) for p in listed for x in p.values()
    )


def _rounded(claim: PolynomialsClaim) -> tuple[Lower | None, Upper]:
    """The same of polynomials with powers of e, which are rounded. Then the prior that needs most
    is asked of the polynomials as they are; and where their coefficients, after the same cuts, show
    that no other needs more, the level is exact."""
    every = {(cell.pair, cell.outputs): cell for cell in cells(claim)}
    if not every:
        return None, Upper()
    kinds = kinds_of(list(map(rounded, every.values())))
    lower, upper = enclosed(kinds, claim.groups, claim.level)
    if lower.cell is not None and lower.curve is not None:
        cell = every[lower.cell.pair, lower.cell.outputs]
        lower = Lower(cell.limit(lower.curve), cell, lower.curve)
    found = tuple((every[cell.pair, cell.outputs], tree) for cell, tree in upper.proofs)
    terms = sum(len(p) * len(q) for c in every.values() for p, q in (c.above, c.below))
    least, trees = lower.level, dict(found)
    if upper.level is None or least is None or terms > MAX_EXACT:
        return lower, replace(upper, proofs=found)
    is_enough = all(is_proved(cell.excess(least), trees.get(cell, 0)) for cell in every.values())
    return lower, Upper(least if is_enough else upper.level, found)


def _terms(claim: PolynomialsClaim) -> int:
    """How many terms the products have, where these are too many; else 0."""
    lengths = {name: len(mass) for name, (mass, _) in claim.joint.items()}
    events = sum(1 for _ in _events(claim))
    terms = 2 * events * sum(lengths[s] * lengths[t] for s, t in claim.pairs)
    return terms if terms > MAX_TERMS else 0


def _by_factors(claim: PolynomialsClaim, terms: int) -> Answer:
    """The verdict by a prior and by coefficients that are found without the products, where it is
    clear; else NotDecided."""
    if not any(claim.joint[s][0] and claim.joint[t][0] for s, t in claim.pairs):
        return told(claim, _proof(True, NO_COMPARISON, Lower(), Upper()))
    lower = reached(claim) or Lower()
    if lower.level is None:
        return told(claim, _proof(False, Leakage(), lower, Upper()))
    low, high = lower.level, enough(claim)
    holds = high is not None and claim.level.admits(high)
    if not holds and claim.level.admits(low):
        most = "" if high is None else f", at most {_short(high)}"
        raise NotDecided(
            f"the smallest level was not found: it is at least {_short(low)}{most}; the "
            f"polynomials have {terms} terms, more than {MAX_TERMS}"
        )
    leakage = None if high is None else Leakage.within((low, high))
    return told(claim, _proof(holds, leakage, lower, Upper() if high is None else None))


def told(claim: PolynomialsClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim. That no prior attains the level, which the checker
    does not see, is found again."""
    answer = leveled(claim, proof, sizes(claim.space, claim.mechanism))
    assert isinstance(proof.witness, PolynomialsEvidence)
    needs, leakage = proof.witness.lower, answer.leakage
    if needs is None:
        return replace(answer, reason=_remark(Lower(), answer.leakage))
    curve = Curve(tuple(needs.point), tuple(needs.powers))
    cell = _cell(claim, *needs.pair, tuple(needs.outputs))
    lower = Lower(cell.limit(curve), cell, curve)
    if leakage is not None and leakage.bounds is None and not lower.is_point:
        lower = _attaining(claim, lower)
        leakage = replace(leakage, attained=lower.is_point)
    shown = _shown(claim, lower, answer.verdict == "violated")
    return replace(answer, leakage=leakage, shown=shown, reason=_remark(lower, leakage))


@lru_cache(maxsize=1)  # found before it is told
def _kinds(claim: PolynomialsClaim) -> list[Kind]:
    return kinds_of(list(cells(claim)))


def cells(claim: PolynomialsClaim) -> Iterator[Cell]:
    """All ordered pairs of secrets that some prior makes possible, and outputs (or events)."""
    events = list(_events(claim))
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
    """n and d of (1), times a positive number."""
    (b, p), (d, q) = claim.joint[left], claim.joint[right]
    a, c = (_sum(x[o] for o in event) for x in (p, q))
    if claim.delta:
        down, (up,) = exact.cleared([claim.delta])
        a = add({m: x * down for m, x in a.items()}, b, -up)
        c = {m: x * down for m, x in c.items()}
    return Cell((left, right), event, (a, d), (c, b))


def _sum(parts: Iterator[Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for part in parts:
        found = add(found, part)
    return found


def _attaining(claim: PolynomialsClaim, lower: Lower) -> Lower:
    """The same bound by a point where one is known: the end of the curve, or the middle of a face
    on which the ratio is constant."""
    if lower.cell is None or lower.curve is None or lower.is_point:
        return lower
    end = Curve(lower.curve.at(Fraction(0)), (0,) * len(lower.curve.powers))
    if lower.cell.limit(end) == lower.level:
        return replace(lower, curve=end)
    if prod(2**size - 1 for size in claim.groups) > SUPPORTS:
        return lower
    sides = [list(product((1, 0), repeat=size)) for size in claim.groups]
    faces = [tuple(chain(*face)) for face in product(*sides) if all(map(any, face))]
    for kind in _kinds(claim):
        if kind.plain is None or lower.level is None or kind.plain >= lower.level:
            for face in faces:
                middle = Curve(tuple(map(Fraction, face)), end.powers)
                if kind.cell.limit(middle) == lower.level:
                    return Lower(lower.level, kind.cell, middle)
    return lower


def _short(level: Fraction | None) -> str:
    return "no level" if level is None else f"{float(level):.12g}"


def _shown(claim: PolynomialsClaim, lower: Lower, is_violated: bool) -> Witness | None:
    """The prior of a point that attains the level, or one at which the condition fails."""
    cell, curve = lower.cell, lower.curve
    if cell is None or curve is None or not (lower.is_point or is_violated):
        return None
    points = (curve.at(Fraction(1, 2**k)) for k in count())
    if not is_violated:
        return _witness(claim, cell, next(points))
    # the level is a limit: far enough along the curve a prior exceeds the one asked for
    return _witness(claim, cell, next(p for p in points if _exceeds(cell, p, claim.level)))


def _exceeds(cell: Cell, point: Point, level: Level) -> bool:
    n, d = (
        prod((exact.over(value_at(p, point), 1) for p in factors), start=Fraction(1))
        for factors in (cell.above, cell.below)
    )
    return n > 0 and (d == 0 or not level.admits(n / d))


def _witness(claim: PolynomialsClaim, cell: Cell, point: Point) -> Witness:
    """A prior in the reader's terms, and the odds (or probabilities) at the output (or event)."""
    found = claim.describe(cell.pair, point)
    first, second = (
        exact.over(sum(value_at(joint[o], point) for o in cell.outputs), value_at(mass, point))
        for mass, joint in (claim.joint[name] for name in cell.pair)
    )
    outputs = [claim.mechanism.outputs[o] for o in cell.outputs]
    if claim.delta:
        return EventWitness(found, outputs, (first, second))
    return OutputWitness(found, outputs[0], first / second if second else None)


def _proof(holds: bool, leakage: Leakage | None, lower: Lower, upper: Upper | None) -> Proof:
    """What is proved; the coefficients of factors show what is enough where `upper` is None."""
    needs = None
    if lower.cell is not None and lower.curve is not None:
        cell, curve = lower.cell, lower.curve
        needs = CurveEvidence(cell.pair, cell.outputs, curve.point, curve.powers)
    proofs = None
    if upper is not None:
        found = upper.proofs if leakage else ()
        proofs = [TreeEvidence(cell.pair, cell.outputs, tree) for cell, tree in found]
    return proved(holds, leakage, PolynomialsEvidence(needs, proofs))


def _remark(lower: Lower, leakage: Leakage | None) -> str | None:
    """What is not known about the smallest level."""
    if leakage is None:
        return f"the smallest level was not found: it is at least {_short(lower.level)}"
    return leakage.remark

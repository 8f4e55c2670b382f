"""Deciding a comparison claim: the smallest level, then the verdict.

The smallest level alpha* of these claims is a largest ratio (or, with delta, a point where a
piecewise linear function crosses delta), so it is found exactly and the verdict is alpha* <=
level; only metric privacy may have an irrational alpha*, and then the comparisons themselves are
evaluated at the level.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from verifier import certificate, exact
from verifier.claim import Answer, ComparisonClaim, Json, Leakage
from verifier.relation import Blocks
from verifier.solvers import hockey_stick, roots
from verifier.solvers.ratios import Comparison, Extreme


def decide(claim: ComparisonClaim) -> Answer:
    """The verdict, the smallest level, a witness where violated, and a certificate."""
    if not claim.relation.count():
        return _answer(claim, True, Leakage(Fraction(1), vacuous=True), None)
    return _with_delta(claim) if claim.delta else _pure(claim)


def _pure(claim: ComparisonClaim) -> Answer:
    table = Comparison(claim.compared)
    best: tuple[Extreme, list[Blocks]] | None = None
    for distance, blocks in _by_distance(claim.relation.blocks).items():
        extreme = table.largest(blocks)
        if extreme and (extreme.ratio is None or extreme.ratio > 1):
            if best is None or _above(extreme, distance, best):
                best = extreme, blocks
            if extreme.ratio is None:
                break
    if best is None:
        return _answer(claim, True, Leakage(Fraction(1)), None)
    extreme, blocks = best
    found = table.first(blocks, extreme.codes)
    evidence = {**claim.evidence(found.left, found.right), "output": found.output}
    leakage = _leakage(extreme.ratio, blocks[0].distance)
    holds = extreme.ratio is not None and claim.level.admits(extreme.ratio, blocks[0].distance)
    answer = _answer(claim, holds, leakage, evidence)
    if holds:
        return answer
    posterior = None if extreme.ratio is None else extreme.ratio
    shown = {"output": claim.compared.outputs[found.output]}
    return replace(answer, witness=_witness(claim, found.left, found.right, shown, posterior))


def _with_delta(claim: ComparisonClaim) -> Answer:
    alpha, pair = hockey_stick.largest_alpha(claim.compared, claim.relation.pairs(), claim.delta)
    if pair is None:
        return _answer(claim, True, Leakage(Fraction(1)), None)
    event = hockey_stick.event(claim.compared, pair, alpha)
    holds = alpha is not None and claim.level.admits(alpha)
    answer = _answer(
        claim, holds, Leakage(alpha), {**claim.evidence(*pair), "outputs": event}
    )
    if holds:
        return answer
    shown = {"outputs": [claim.compared.outputs[output] for output in event]}
    mass = [sum(claim.compared.probability(o, column) for o in event) for column in pair]
    shown["probabilities"] = [exact.text(Fraction(p)) for p in mass]
    return replace(answer, witness=_witness(claim, *pair, shown, None, odds=False))


def _answer(claim: ComparisonClaim, holds: bool, leakage: Leakage, evidence: Json | None) -> Answer:
    level = {**claim.level.as_json(), "delta": exact.text(claim.delta)}
    verdict = "holds" if holds else "violated"
    stated = {
        "definition": claim.definition,
        "kind": "comparison",
        "verdict": verdict,
        "level": level,
        "leakage": leakage.claim(),
    }
    model = certificate.of_mechanism(claim.space, claim.mechanism)
    return Answer(
        verdict,
        leakage,
        certificate=certificate.document(stated, model, claim.relation.statement, evidence),
        scope=claim.scope,
        level=level,
    )


def _witness(
    claim: ComparisonClaim,
    left: int,
    right: int,
    shown: Json,
    ratio: Fraction | None,
    odds: bool = True,
) -> Json:
    """The witness in the reader's terms; posterior odds = prior odds * ratio."""
    described = claim.describe(left, right)
    if not odds:
        return {**described, **shown}
    prior = Fraction(described["prior_odds"])
    after = "infinite" if ratio is None else exact.text(prior * ratio)
    change = "infinite" if ratio is None else exact.text(ratio)
    return {**described, **shown, "posterior_odds": after, "ratio": change}


def _by_distance(blocks: tuple[Blocks, ...]) -> dict[Fraction, list[Blocks]]:
    grouped: dict[Fraction, list[Blocks]] = {}
    for part in blocks:
        grouped.setdefault(part.distance, []).append(part)
    return grouped


def _above(extreme: Extreme, distance: Fraction, best: tuple[Extreme, list[Blocks]]) -> bool:
    """Whether an extreme asks for a higher level per unit of distance than the best so far."""
    if extreme.ratio is None or best[0].ratio is None:
        return extreme.ratio is None and best[0].ratio is not None
    return roots.exceeds(extreme.ratio, distance, best[0].ratio, best[1][0].distance)


def _leakage(ratio: Fraction | None, distance: Fraction) -> Leakage:
    if ratio is None:
        return Leakage()
    level = roots.level_of(ratio, distance)
    return Leakage(bounds=level) if isinstance(level, tuple) else Leakage(exp_epsilon=level)

"""Deciding a comparison claim: the smallest level, then the verdict.

The smallest level alpha* of these claims is a largest ratio (or, with delta, a point where a
piecewise linear function crosses delta), so it is found exactly and the verdict is alpha* <=
level; only metric privacy may have an irrational alpha*, and then the comparisons themselves are
evaluated at the level.

Example. A bit is told with probability 3/4. The output 0 has probability 3/4 in the world 0 and 1/4
in the world 1, so the smallest level is 3; with delta = 1/4 it is 2, for 3/4 − 2 · 1/4 = 1/4.

    alpha* = max M[o, i] / M[o, j]                                                           (1)
    with delta: the largest alpha with Σ_o max(0, M[o, i] − alpha · M[o, j]) >= delta        (2)
    at distance d: (M[o, i] / M[o, j])^(1/d) in place of the ratio                           (3)

After Dwork, McSherry, Nissim, Smith 2006, Definition 1, with delta Dwork et al. 2006; at distances
Chatzikokolakis, Andrés, Bordenabe, Palamidessi 2013.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from verifier.base.errors import NotDecided
from verifier.base.exact import is_irrational, is_symbolic
from verifier.base.exponential import bounds
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.kernels import hockey_stick
from verifier.kernels.ratios import Comparison, Extreme, exceeds, level_of
from verifier.kernels.ratios import Witness as Largest
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.claim import ComparisonClaim
from verifier.questions.densities import INSIDE
from verifier.questions.evidence import ComparisonEvidence
from verifier.questions.witness import EventWitness, OutputWitness, Witness
from verifier.world.mechanism import ENDS, Mechanism, is_middle
from verifier.world.relation import Blocks, Relation

Found = tuple[bool, Leakage, ComparisonEvidence | None]  # whether it holds, at which level, why
Best = list[tuple[Extreme, Fraction, list[Blocks]]]  # equal levels at several distances
First = tuple[Largest, Fraction | None, Fraction]  # where, with which ratio, at which distance


def decide(claim: ComparisonClaim) -> Answer:
    """The verdict on a claim, the smallest level, and the comparison that needs it."""
    return told(claim, prove(claim))


def prove(claim: ComparisonClaim) -> Proof:
    """The proof of the answer to a claim, with the smallest delta at further levels."""
    points: list[tuple[Fraction, Fraction]] = []
    if claim.tradeoff:
        pairs = claim.relation.pairs()
        deltas = hockey_stick.largest_delta(claim.compared, pairs, claim.tradeoff)
        points = list(zip(claim.tradeoff, deltas, strict=True))
    return proved(*_found(claim), points)


def told(claim: ComparisonClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the probabilities are those of the claim."""
    answer = leveled(claim, proof, sizes(claim.space, claim.mechanism))
    if not isinstance(proof.witness, ComparisonEvidence):
        return answer
    reason = answer.leakage.remark if answer.leakage else None
    return replace(answer, shown=_shown(claim, proof.witness), reason=reason)


def _shown(claim: ComparisonClaim, evidence: ComparisonEvidence) -> Witness:
    pair = _columns(claim, evidence)
    outputs = [evidence.output] if evidence.output is not None else evidence.outputs or ()
    labels = [claim.compared.outputs[output] for output in outputs]
    p, q = (
        sum((claim.compared.probability(o, column) for o in outputs), Fraction(0))
        for column in pair
    )
    before = claim.describe(*pair)
    if claim.delta:
        return EventWitness(before, labels, (p, q))
    return OutputWitness(before, labels[0], p / q if q else None)


def _columns(claim: ComparisonClaim, evidence: ComparisonEvidence) -> tuple[int, int]:
    """The columns that evidence is about."""
    first, second = (
        at if isinstance(at, int) else claim.keys.index((evidence.prior or 0, at))
        for at in evidence.pair
    )
    return first, second


def _evidence(claim: ComparisonClaim, left: int, right: int) -> ComparisonEvidence:
    """The comparison of two columns in a certificate's terms."""
    if not claim.keys:
        return ComparisonEvidence(pair=(left, right))
    (prior, first), (_, second) = claim.keys[left], claim.keys[right]
    return ComparisonEvidence(prior=prior, pair=(first, second))


def _found(claim: ComparisonClaim) -> Found:
    if claim.relation.is_empty():
        return True, NO_COMPARISON, None
    return _with_delta(claim) if claim.delta else _pure(claim)


def _pure(claim: ComparisonClaim) -> Found:
    compared = claim.compared
    has_functions = any(map(is_symbolic, compared.values))
    # what the cell of a parameter is asked is recorded each time
    largest = _largest.__wrapped__ if has_functions else _largest
    best, first = largest(compared, claim.relation)
    if has_functions:
        _record(claim, best[0][0].ratio if best else Fraction(1))
    if first is None:
        return True, Leakage(Fraction(1)), None
    found, ratio, distance = first
    leakage: Leakage | None = None
    holds = ratio is not None and claim.level.admits(ratio, distance)
    if claim.mechanism.reals == ENDS and is_middle(claim.mechanism.released[found.output]):
        most, at_most = ratio, distance
        ends = sum(not is_middle(value) for value in claim.mechanism.released)
        compared = replace(compared, codes=compared.codes[:ends])
        if most is None or (first := largest(compared, claim.relation)[1]) is None:
            raise NotDecided(INSIDE)
        found, ratio, distance = first
        assert ratio is not None
        leakage = Leakage.within((_ends(ratio, distance)[0], _ends(most, at_most)[1]))
    leakage = leakage or _leakage(ratio, distance)
    is_between = leakage.bounds is not None and claim.level.admits(leakage.bounds[0])
    if claim.mechanism.reals == ENDS and is_between and not holds:
        raise NotDecided("; ".join(filter(None, (INSIDE, leakage.remark))))
    evidence = replace(_evidence(claim, found.left, found.right), output=found.output)
    return holds, leakage, evidence


@lru_cache(maxsize=1)  # checks of one file ask for several levels
def _largest(compared: Mechanism, relation: Relation) -> tuple[Best, First | None]:
    """The largest ratios that need the same level, at distances of a `relation`, and their first
    place, if there is one."""
    table = Comparison(compared)
    best: Best = []
    # ratios of one distance are ordered by (1); those of different distances by (3) only
    for distance, blocks in _by_distance(relation.blocks).items():
        extreme = table.largest(blocks)
        if extreme is None or (extreme.ratio is not None and extreme.ratio <= 1):
            continue
        if not best or _above(extreme, distance, *best[0][:2]):
            best = [(extreme, distance, blocks)]
        elif not _above(*best[0][:2], extreme, distance):
            best.append((extreme, distance, blocks))
    places = ((table.first(blocks, x), x.ratio, distance) for x, distance, blocks in best)
    return best, min(places, key=lambda item: item[0], default=None)


def _record(claim: ComparisonClaim, ratio: Fraction | None) -> None:
    """Compare everything with the largest ratio, None where infinite, so that the cell of a
    parameter records how far it is so."""
    codes, values = claim.compared.codes, claim.compared.values
    pairs = (
        zip(codes[:, i].tolist(), codes[:, j].tolist(), strict=True)
        for i, j in claim.relation.pairs()
    )
    for p, q in dict.fromkeys(both for column in pairs for both in column):
        if values[p] and ratio is not None and values[p] > ratio * values[q]:
            raise ValueError("a ratio is above the largest one")


def _with_delta(claim: ComparisonClaim) -> Found:
    # (2): None where even the events that the other world never has exceed delta
    alpha, pair = hockey_stick.largest_alpha(claim.compared, claim.relation.pairs(), claim.delta)
    if pair is None:
        return True, Leakage(Fraction(1)), None
    event = hockey_stick.event(claim.compared, pair, alpha)
    holds = alpha is not None and claim.level.admits(alpha)
    levels = claim.mechanism.levels
    leakage = Leakage.up_to(alpha, levels, claim.level.alpha) if levels else Leakage(alpha)
    return holds, leakage, replace(_evidence(claim, *pair), outputs=event)


def _by_distance(blocks: tuple[Blocks, ...]) -> dict[Fraction, list[Blocks]]:
    grouped: dict[Fraction, list[Blocks]] = {}
    for part in blocks:
        grouped.setdefault(part.distance, []).append(part)
    return grouped


def _above(left: Extreme, d: Fraction, right: Extreme, e: Fraction) -> bool:
    """Whether the left ratio, at distance d, asks for a higher level than the right one at e."""
    if left.ratio is None or right.ratio is None:
        return left.ratio is None and right.ratio is not None
    return exceeds(left.ratio, d, right.ratio, e)


def _ends(ratio: Fraction, distance: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals between which the level is that a `ratio` at a `distance` asks for."""
    level = level_of(ratio, distance)
    if isinstance(level, tuple):
        return level
    return bounds(level) if is_irrational(level) else (level, level)


def _leakage(ratio: Fraction | None, distance: Fraction) -> Leakage:
    if ratio is None:
        return Leakage()
    level = level_of(ratio, distance)
    return Leakage(bounds=level) if isinstance(level, tuple) else Leakage(exp_epsilon=level)

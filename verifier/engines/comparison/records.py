"""Divergences of databases that differ in one record, from the channels of single records.

Answers are independent, so those of the other records are the same in both databases and cancel:
the ratios of a channel's answers are all there is, whatever the number of records.

Example. A thousand bits are each told with probability 3/4: the ratios of one are 3 and 1/3, so the
range is 9, and of order 2 the level is 9/4 + 1/12 = 7/3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from verifier.base.errors import LimitReached
from verifier.base.level import NO_COMPARISON, Leakage
from verifier.engines.comparison.divergence import (
    Level,
    Place,
    evidence_at,
    of_profiles,
    root,
    worst,
)
from verifier.kernels.divergences import Profile
from verifier.kernels.products import losses
from verifier.questions.answer import Answer, Proof, leveled, proved
from verifier.questions.claim import RecordsDivergenceClaim
from verifier.questions.evidence import DivergenceEvidence
from verifier.questions.witness import DivergenceWitness, RangeWitness, Witness
from verifier.world.local import Answer as Drawn

MAX_PAIRS = 10**5  # of values, in all channels


def decide(claim: RecordsDivergenceClaim) -> Answer:
    """The verdict on a claim, the smallest level, and the change of a record that needs it."""
    return told(claim, _found(claim))


def prove(claim: RecordsDivergenceClaim) -> Proof:
    """The proof of the answer to a claim in a cell of a parameter, whose level may be a root."""
    return _found(claim, root)


def _found(claim: RecordsDivergenceClaim, level: Level | None = None) -> Proof:
    if claim.relation.is_empty():
        return proved(True, NO_COMPARISON, None)
    known = dict(_profiles(claim))
    if claim.definition == "bounded_range":
        ranges = {place: profile.range for place, profile in known.items()}
        place = worst(ranges)
        largest = ranges[place]
        if largest == 1:
            return proved(True, Leakage(largest), None)
        holds = largest is not None and claim.level.admits(largest)
        return proved(holds, Leakage(largest), evidence_at(place))
    for place, profile in known.items():
        if profile.ratios is None:
            return proved(False, Leakage(), evidence_at(place))
    return of_profiles(claim, known, _values(claim), level)


def _values(claim: RecordsDivergenceClaim) -> Iterator[Fraction]:
    for channel in claim.local.channels:
        for matrix, _ in channel.answers:
            yield from matrix.values


def _profiles(claim: RecordsDivergenceClaim) -> Iterator[tuple[Place, Profile]]:
    """The changes of the first record of each channel."""
    pairs = claim.relation.pairs()
    if len(pairs) * len(claim.local.channels) > MAX_PAIRS:
        raise LimitReached(f"more than {MAX_PAIRS} changes of a record are compared")
    for number, channel in enumerate(claim.local.channels):
        record = claim.local.users(number)[0]
        for i, j in pairs:
            yield (i, j, record), profile_of(channel.answers, (i, j))


def profile_of(answers: Sequence[Drawn], pair: tuple[int, int]) -> Profile:
    """The ratios of two columns of independent answers together.

    answers  matrices, each with the number of its draws
    pair     the two columns
    """
    found = losses(answers, pair)
    if None in found:
        return Profile(None)
    ratios = {ratio: q for ratio, (_, q) in found.items() if ratio is not None}
    rest = 1 - sum(ratios.values(), Fraction(0))
    return Profile({**ratios, Fraction(0): rest} if rest else ratios)


def told(claim: RecordsDivergenceClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the outputs are those of the claim."""
    counts = {"records": len(claim.local.records), "channels": len(claim.local.channels)}
    answer = leveled(claim, proof, counts)
    if not isinstance(proof.witness, DivergenceEvidence):
        return answer
    return replace(answer, shown=_shown(claim, proof.witness, answer.leakage or Leakage()))


def _shown(
    claim: RecordsDivergenceClaim, evidence: DivergenceEvidence, leakage: Leakage
) -> Witness:
    i, j = evidence.pair
    assert evidence.record is not None
    before = claim.describe(evidence.record, i, j)
    answers = claim.local.channel(evidence.record).answers
    if claim.definition == "bounded_range":
        ends = [_outputs(answers, pair) for pair in ((i, j), (j, i))]
        return RangeWitness(before, ends, leakage.exp_epsilon)
    if leakage.infinite:
        return DivergenceWitness(before, claim.order, _outputs(answers, (i, j)), None)
    order = evidence.order if claim.order is None else claim.order
    return DivergenceWitness(before, order, None, leakage.low, claim.order is None)


def _outputs(answers: Sequence[Drawn], pair: tuple[int, int]) -> str:
    """Of each answer the output with the largest ratio of two columns."""
    named = []
    for matrix, _ in answers:
        columns = matrix.codes[:, list(pair)].tolist()
        odds = {}
        for output, codes in zip(matrix.outputs, columns, strict=True):
            p, q = (matrix.values[code] for code in codes)
            if p:
                odds[output] = p / q if q else None
        named.append(worst(odds))
    return ", ".join(named)

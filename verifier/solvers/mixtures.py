"""Deciding Pufferfish over all mixtures of given priors: the worst segment between two of them.

The smallest level alpha* is rational, infinite or the root of a quadratic; it may be approached
by mixtures without being attained. See verifier.solvers.segments for the mathematics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm

from verifier import certificate, exact
from verifier.claim import Answer, Json, Leakage, MixturesClaim
from verifier.level import Level
from verifier.solvers import segments
from verifier.solvers.segments import Ends, Root, Smallest, Weights

BITS = 40  # of an enclosure in the answer, unless the level is closer


@dataclass(frozen=True)
class Segment:
    """Mixtures of two given priors, at one output and one ordered pair of secrets."""

    pair: tuple[str, str]
    output: int
    priors: tuple[int, int]
    ends: tuple[Ends, Ends]

    def mixture(self, weights: Weights, claim: MixturesClaim) -> list[Fraction]:
        """The weight of each given prior in a mixture of these two."""
        answer = [Fraction(0)] * len(claim.priors)
        for prior, weight in zip(self.priors, weights, strict=True):
            answer[prior] += Fraction(weight, sum(weights))
        return answer


def decide(claim: MixturesClaim) -> Answer:
    """The verdict, the smallest level, a witness where violated, and a certificate."""
    possible = {name: any(mass for mass, _ in table) for name, table in claim.joint.items()}
    if not any(possible[left] and possible[right] for left, right in claim.pairs):
        return _answer(claim, True, Leakage(Fraction(1), vacuous=True), None)
    level, worst = _largest(claim)
    if worst is None:
        return _answer(claim, True, Leakage(Fraction(1)), None)
    if isinstance(level, Root):
        found, bounds = None, _deciding(level, claim.level)
        leakage, holds = Leakage(bounds=bounds), claim.level.admits(bounds[1])
    else:
        found = next(_attaining(claim, level), None)
        leakage = Leakage(level, attained=found is not None)
        holds = level is not None and claim.level.admits(level)
    worst, weights = found or (worst, None)
    mixture = weights and worst.mixture(weights, claim)
    shown = {"mixture": mixture} if mixture else {"segment": _towards_limit(worst)}
    evidence = {"pair": list(worst.pair), "output": worst.output, **shown}
    answer = _answer(claim, holds, leakage, evidence)
    if holds:
        return answer
    if mixture is None:
        weights = segments.exceeding(*worst.ends, _between(claim.level, worst))
        mixture = worst.mixture(weights, claim)
    return replace(answer, witness=_witness(claim, worst, mixture))


def _segments(claim: MixturesClaim) -> Iterator[Segment]:
    """All pairs of secrets in both orders, outputs, and pairs of priors, a prior with itself
    included; integers, with one factor for all priors."""
    for listed in claim.pairs:
        for left, right in (listed, listed[::-1]):
            priors = list(zip(claim.joint[left], claim.joint[right], strict=True))
            for output in range(len(claim.mechanism.outputs)):
                ends = _integers([(p[output], b, q[output], d) for (b, p), (d, q) in priors])
                for k, m in combinations_with_replacement(range(len(ends)), 2):
                    yield Segment((left, right), output, (k, m), (ends[k], ends[m]))


def _integers(rows: Sequence[tuple[Fraction, ...]]) -> list[Ends]:
    common = lcm(*(x.denominator for row in rows for x in row))
    scaled = ([x.numerator * (common // x.denominator) for x in row] for row in rows)
    return [(a, b, c, d) for a, b, c, d in scaled]


def _largest(claim: MixturesClaim) -> tuple[Smallest, Segment | None]:
    """The smallest level of all segments, and the first segment that needs it; None at 1."""
    level: Smallest = Fraction(1)
    floor, worst = Fraction(1), None
    for segment in _segments(claim):
        if not segments.holds(*segment.ends, floor):
            found = segments.smallest(*segment.ends)
            if segments.is_above(found, level):
                level, worst = found, segment
                if level is None:
                    break
                floor = segments.bounds(level, BITS)[0]
    return level, worst


def _attaining(claim: MixturesClaim, level: Fraction | None) -> Iterator[tuple[Segment, Weights]]:
    """Segments with a mixture that attains the smallest level, and its weights."""
    for segment in _segments(claim):
        weights = segments.attaining(*segment.ends, level)
        if weights is not None:
            yield segment, weights


def _deciding(level: Root, asked: Level) -> tuple[Fraction, Fraction]:
    """An enclosure of an irrational level that leaves the level asked for outside."""
    bits = BITS
    while True:
        low, high = level.bounds(bits)
        if asked.admits(high) or not asked.admits(low):
            return low, high
        bits *= 2


def _towards_limit(segment: Segment) -> list[int]:
    """The two priors, the one without a ratio of its own, which mixtures approach, first."""
    first = segments.form(segment.ends[0], segment.ends[0])
    return list(segment.priors if first == (0, 0) else segment.priors[::-1])


def _between(level: Level, segment: Segment) -> Fraction:
    """A rational that is at least the level, and at which the segment still fails."""
    if level.exp_epsilon is not None:
        return level.exp_epsilon
    low, high = Fraction(1), Fraction(2)
    while level.admits(high):
        low, high = high, 2 * high
    while segments.holds(*segment.ends, high):
        middle = (low + high) / 2
        low, high = (middle, high) if level.admits(middle) else (low, middle)
    return high


def _witness(claim: MixturesClaim, segment: Segment, mixture: Sequence[Fraction]) -> Json:
    """A mixture in the reader's terms: its worlds, and the odds before and after the output."""
    used = [(weight, k) for k, weight in enumerate(mixture) if weight]
    prior = [
        sum((weight * claim.priors[k][world] for weight, k in used), Fraction(0))
        for world in range(claim.space.size)
    ]
    a, b, c, d = (
        sum((weight * part for weight, part in zip(mixture, column, strict=True)), Fraction(0))
        for name in segment.pair
        for column in (
            [joint[segment.output] for _, joint in claim.joint[name]],
            [mass for mass, _ in claim.joint[name]],
        )
    )
    return {
        "pair": list(segment.pair),
        "prior": {claim.space.name(w): exact.text(p) for w, p in enumerate(prior) if p},
        "prior_odds": exact.text(b / d),
        "output": claim.mechanism.outputs[segment.output],
        "posterior_odds": exact.text(a / c) if c else "infinite",
        "ratio": exact.text(a * d / (b * c)) if c else "infinite",
    }


def _answer(claim: MixturesClaim, holds: bool, leakage: Leakage, evidence: Json | None) -> Answer:
    level = {**claim.level.as_json(), "delta": "0"}
    verdict = "holds" if holds else "violated"
    stated = {
        "definition": claim.definition,
        "kind": "mixtures",
        "verdict": verdict,
        "level": level,
        "leakage": leakage.claim(),
    }
    model = certificate.of_mechanism(claim.space, claim.mechanism)
    return Answer(
        verdict,
        leakage,
        certificate=certificate.document(stated, model, claim.statement, evidence),
        scope={
            "worlds": claim.space.size,
            "outputs": len(claim.mechanism.outputs),
            **claim.scope,
        },
        level=level,
    )

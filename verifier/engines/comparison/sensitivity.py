"""The largest L1 change of a query over a relation, exact.

Example. The number of ones in the worlds 00, 01 and 11, where 00 and 01, 01 and 11 are neighbours,
changes by 1; its histogram, the numbers of zeros and of ones, by |−1| + |1| = 2.

    max Σ_k |f_k(w) − f_k(w')| over the pairs (w, w')                                        (1)

After He, Machanavajjhala, Ding 2014, Blowfish privacy, Definition 5.1.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from verifier.base.level import NO_COMPARISON
from verifier.questions.answer import Answer, Proof
from verifier.questions.claim import SensitivityClaim
from verifier.questions.evidence import SaidValue, SensitivityEvidence
from verifier.questions.witness import ChangeWitness

CHUNK = 2**16  # pairs of worlds looked at together: their values fit a cache


def decide(claim: SensitivityClaim) -> Answer:
    """The sensitivity of a claim, the first pair that attains it, whether it is the value
    asserted."""
    functions, scale = _integers(claim.functions)
    best, pair = 0, None
    for part in claim.relation.blocks:
        for left, right in _pairs(part.left, part.right):
            # (1), times the common denominator
            change = abs(functions[:, left] - functions[:, right]).sum(axis=0)
            top = change.max(initial=0)
            if top < best or not top:
                continue
            at = np.flatnonzero(change == top)
            first = min(zip(left[at].tolist(), right[at].tolist(), strict=True))
            pair = first if top > best or pair is None else min(pair, first)
            best = int(top)
    value = Fraction(best, scale)
    holds = claim.equals is None or value == claim.equals
    if claim.at_most is not None:
        holds = value <= claim.at_most
    leakage = NO_COMPARISON if claim.relation.is_empty() else None
    said = SaidValue("holds" if holds else "violated", value=value, leakage=leakage)
    return told(claim, Proof(said, pair and SensitivityEvidence(pair)))


def told(claim: SensitivityClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim."""
    said, shown = proof.said, None
    assert isinstance(said, SaidValue) and said.value is not None
    if isinstance(proof.witness, SensitivityEvidence):
        left, right = claim.space.names(proof.witness.pair)
        shown = claim.shows(*proof.witness.pair, ChangeWitness((left, right), said.value))
    return Answer(
        said.verdict,
        said.leakage,
        claim.told(said.value),
        shown,
        proof=proof,
        scope={"worlds": claim.space.size, **claim.scope, **claim.remarks},
    )


def _integers(functions: tuple[tuple[Fraction, ...], ...]) -> tuple[np.ndarray, int]:
    """The components times a common denominator: shape (components, worlds)."""
    scale = lcm(1, *(value.denominator for row in functions for value in row))
    rows = [[v.numerator * (scale // v.denominator) for v in row] for row in functions]
    largest = max((abs(value) for row in rows for value in row), default=0)
    small = largest * 2 * max(1, len(rows)) < 2**62
    return np.array(rows, dtype=np.int64 if small else object), scale


def _pairs(left: np.ndarray, right: np.ndarray):  # type: ignore[no-untyped-def]
    """The pairs of blocks as two flat arrays, in chunks."""
    width = left.shape[1] * right.shape[1]
    step = max(1, CHUNK // width)
    for start in range(0, len(left), step):
        rows = left[start : start + step], right[start : start + step]
        yield (
            np.repeat(rows[0], right.shape[1], axis=1).ravel(),
            np.tile(rows[1], (1, left.shape[1])).ravel(),
        )

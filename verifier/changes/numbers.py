"""Promises about numbers and given mechanisms: what they assert, and which assert more."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verifier.changes.matching import identical, matched
from verifier.questions.claim import SensitivityClaim
from verifier.questions.question import Question
from verifier.questions.rows import ErrorClaim, LeastLossClaim, PostProcessingClaim, RowConeClaim
from verifier.world.mechanism import Mechanism


def bound(question: Question) -> Fraction | None:
    """The number that a `question` asserts at most; None where it asserts none."""
    claim = question.claim
    found: Fraction | None = getattr(claim, "at_most", None)
    return getattr(claim, "equals", None) if found is None else found


def weaker(old: Question, new: Question) -> bool:
    """Whether a `new` question asserts a larger number than the `old` one, or none any more."""
    ours, theirs = bound(old), bound(new)
    return ours is not None and (theirs is None or theirs > ours)


def same_functions(old: SensitivityClaim, new: SensitivityClaim) -> bool:
    """Whether the queries of an `old` and a `new` claim agree in the worlds that both know."""
    worlds = matched(old.space, new.space)
    return len(old.functions) == len(new.functions) and all(
        ours[w] == theirs[at]
        for ours, theirs in zip(old.functions, new.functions, strict=True)
        for w, at in worlds.common
    )


def same_rows(old: Question, new: Question) -> bool:
    """Whether two questions about rows, `old` and `new`, ask for the same.

    Other than that are mechanisms, asked about or given, and the number that they assert.
    """
    return identical(old.space, new.space) and bool(_fixed(old) == _fixed(new))


def _fixed(question: Question) -> Any:
    claim, compared = question.claim, question.stated().compared
    if isinstance(claim, LeastLossClaim):
        return claim.answers, [list(row) for row in claim.loss], compared
    if isinstance(claim, ErrorClaim):
        return claim.mechanism.outputs, [list(row) for row in claim.loss], compared
    if isinstance(claim, RowConeClaim):
        return claim.facets
    return compared


def more_given(old: Question, new: Question) -> list[str]:
    """The mechanisms of a `new` question that are none of the `old` one, by name: what they make,
    the old one did not allow."""
    ours = [_table(mechanism) for mechanism in old.mechanisms.values()]
    return [name for name, found in new.mechanisms.items() if _table(found) not in ours]


def fixes_given(question: Question) -> bool:
    """Whether a `question` is about exactly the mechanisms it is given, neither fewer nor more."""
    claim = question.claim
    facets = isinstance(claim, RowConeClaim) and claim.facets is not None
    return facets or not isinstance(claim, PostProcessingClaim | RowConeClaim)


def _table(mechanism: Mechanism) -> Mapping[str, list[Fraction]]:
    return {name: list(row) for name, row in zip(mechanism.outputs, mechanism.rows(), strict=True)}

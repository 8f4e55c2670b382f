"""Questions on the cells of a parameter's domain, put together into one about all of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.base.errors import NotDecided
from verifier.claims.claim import ComparisonClaim
from verifier.claims.question import Question
from verifier.claims.region import Part, RegionClaim

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval
    from verifier.kernels.roots import End


def region_question(
    parameter: str, domain: Interval, parts: Sequence[tuple[End, End, Question]]
) -> Question:
    """The question for all values of a parameter, of those that are asked on its cells.

    parameter  its name
    domain     its values
    parts      the ends of each cell, and the question there; ascending, without gaps

    NotDecided where a cell asks for more than comparisons, or the level is one of an epsilon.
    """
    first = next((one for low, high, one in parts if low != high), parts[0][2])
    listed = []
    for low, high, question in parts:
        claim = question.claim
        if not isinstance(claim, ComparisonClaim):
            raise NotDecided("with a parameter only claims that compare likelihoods are decided")
        listed.append(Part(low, high, claim))
    claim = first.claim
    assert isinstance(claim, ComparisonClaim)
    if claim.level.exp_epsilon is None:
        raise NotDecided("with a parameter the level is a number: write exp_epsilon")
    found = RegionClaim(
        claim.definition,
        claim.space,
        parameter,
        domain,
        listed,
        claim.level,
        claim.delta,
        {**claim.scope, "parameter": domain.told(parameter)},
    )
    return replace(first, claim=found)

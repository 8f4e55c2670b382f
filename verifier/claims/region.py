"""Claims about all values of one real parameter: for which of them a comparison holds.

On each cell of the parameter's domain the comparison is one of columns whose entries are rational
functions. The answer is a `Curve`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.claims.claim import ComparisonClaim
from verifier.claims.curve import end_json
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
    from verifier.claims.question import Question
    from verifier.kernels.regions import Interval
    from verifier.kernels.roots import End

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Part(Later):
    """A cell of the domain, an open interval or a point, and what is compared there."""

    low: End
    high: End
    claim: ComparisonClaim

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return self.low == self.high

    @property
    def ends(self) -> Json:
        """The ends as JSON."""
        closed = self.is_point
        return {"from": end_json(self.low, closed), "to": end_json(self.high, closed)}


@dataclass(frozen=True, eq=False)
class RegionClaim(Later):
    """M[o, i] <= alpha^d M[o, j] (+ delta) for every comparison and every value of a parameter in
    its domain; all of them are functions of it.

    definition  the spec keyword
    parameter   its name
    domain      the interval of its values
    parts       the cells that cover it, ascending
    """

    definition: str
    space: WorldSpace
    parameter: str
    domain: Interval
    parts: Sequence[Part]
    level: Level
    delta: Fraction
    scope: Mapping[str, Any] = field(default_factory=dict)


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

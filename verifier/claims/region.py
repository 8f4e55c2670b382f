"""Claims about all values of one real parameter: for which of them a comparison holds.

On each cell of the parameter's domain the comparison is one of columns whose entries are rational
functions. The answer is a `Curve`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.claims import evidence
from verifier.claims.claim import ComparisonClaim
from verifier.claims.curve import end_json, one_parameter
from verifier.claims.evidence import SaidRegion
from verifier.claims.kinds import DomainClaim, Parts, level_json
from verifier.claims.model import of_parts, on_cell, table_of
from verifier.world.worlds import WorldSpace

if TYPE_CHECKING:
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
class RegionClaim(DomainClaim):
    """M[o, i] <= alpha^d M[o, j] (+ delta) for every comparison and every value of a parameter in
    its domain; all of them are functions of it.

    definition  the spec keyword
    parameter   its name
    domain      the interval of its values
    parts       the cells that cover it, ascending
    """

    engine = "comparison.region"
    said = SaidRegion
    proves = evidence.PiecesEvidence

    definition: str
    space: WorldSpace
    parameter: str
    domain: Interval
    parts: Sequence[Part]
    level: Level
    delta: Fraction
    scope: Mapping[str, Any] = field(default_factory=dict)

    def section(self) -> Parts:
        """See `Claim`."""
        cells = [
            {**part.ends, **on_cell(part.claim.relation.statement, table_of(part.claim.mechanism))}
            for part in self.parts
        ]
        domain = one_parameter(self.parameter, self.domain, cells)
        model = of_parts(self.space, {})
        return {"relation": None, "domain": domain, "level": level_json(self)}, model

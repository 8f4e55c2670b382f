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
from verifier.claims.claim import ComparisonClaim
from verifier.claims.curve import end_json
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

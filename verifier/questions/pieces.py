"""Claims about all values of one real parameter that are decided piece by piece.

On each cell of the parameter's domain stands the claim of an ordinary kind, whose numbers are
rational functions. A proof with functions as its numbers is one for all values of a piece of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base.cell import Cell
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.questions import evidence
from verifier.questions.claim import DomainClaim, Parts
from verifier.questions.curve import end_json, one_parameter
from verifier.questions.evidence import SaidRegion
from verifier.questions.model import Model, divided, on_cell

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval
    from verifier.kernels.roots import End

Json = dict[str, Any]
Ask = Callable[[Cell], Any]


@dataclass(frozen=True, eq=False)
class OnCell(Later):
    """A cell of the domain, an open interval or a point, and the claim there."""

    low: End
    high: End
    claim: Any

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return self.low == self.high

    def cell(self, parameter: str, reduces: bool = True) -> Cell:
        """The cell of the `parameter`, in which signs are decided; see `Cell` for `reduces`."""
        from verifier.kernels.roots import between

        sample = self.low if self.is_point else between(self.low, self.high)
        return Cell(parameter, self.low, self.high, sample, reduces=reduces)

    @property
    def ends(self) -> Json:
        """The ends as JSON."""
        closed = self.is_point
        return {"from": end_json(self.low, closed), "to": end_json(self.high, closed)}


@dataclass(frozen=True, eq=False)
class PiecesClaim(DomainClaim):
    """What claims on the cells of a parameter's domain say, for every value of it.

    definition    the spec keyword
    parameter     its name
    domain        the interval of its values
    parts         the cells that cover it, ascending
    ask           the same claim, made anew within a cell, so that nothing is shared between cells
    level, delta  that are asked for, as functions; None where there is no level
    has_powers    whether powers of e may be in it
    """

    engine = "pieces"
    said = SaidRegion
    proves = evidence.PiecesEvidence

    parameter: str
    domain: Interval
    parts: Sequence[OnCell]
    ask: Ask
    level: Level | None
    delta: Fraction
    has_powers: bool = False

    def section(self) -> Parts:
        """See `Claim`."""
        made = []
        for part in self.parts:
            with part.cell(self.parameter, not self.has_powers):
                made.append(part.claim.section())
        at = next((k for k, part in enumerate(self.parts) if not part.is_point), 0)
        whole, own = divided([model.section for _, model in made], at)
        cells = [
            {**part.ends, **on_cell(parts["relation"], one)}
            for part, (parts, _), one in zip(self.parts, made, own, strict=True)
        ]
        domain = one_parameter(self.parameter, self.domain, cells)
        return {**made[at][0], "relation": None, "domain": domain}, Model(whole)

    def proved_by(self) -> str:
        """See `Claim`."""
        rule: str = self.parts[0].claim.proved_by()
        return rule

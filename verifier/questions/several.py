"""Claims about all values of several real parameters: that a comparison holds for each of them.

The domain is a product of intervals, where polynomials may be asked to be > 0, or >= 0. It is
divided into cells: on each a parameter is at an end of its interval, or between the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.base.cell import Place
from verifier.base.level import Level
from verifier.base.nouns import Later, dataclass
from verifier.base.rational_function import Terms, polynomial_text
from verifier.questions import evidence
from verifier.questions.claim import Claim, DomainClaim, Parts
from verifier.questions.curve import interval_json
from verifier.questions.evidence import SaidParameters
from verifier.questions.model import Model, divided, on_cell

if TYPE_CHECKING:
    from verifier.kernels.regions import Interval

Sides = tuple[tuple[Fraction, Fraction], ...]  # the ends of each parameter; equal where it is fixed


@dataclass(frozen=True, eq=False)
class Domain(Later):
    """The values of several parameters that a check is about.

    names       of the parameters
    sides       for each the interval of its values, with rational ends
    conditions  polynomials that are >= 0 there, or > 0, as each says
    """

    names: tuple[str, ...]
    sides: tuple[Interval, ...]
    conditions: tuple[tuple[Terms, bool], ...] = ()

    def cells(self) -> list[Sides]:
        """The cells: in each a parameter is at an end that belongs to it, or between both."""
        found: list[Sides] = [()]
        for side in self.sides:
            low, high = side.low, side.high
            assert isinstance(low, Fraction) and isinstance(high, Fraction)
            parts = (
                [(low, low)] * side.low_closed + [(low, high)] + [(high, high)] * side.high_closed
            )
            parts = [(low, high)] if low == high else parts
            found = [(*one, part) for one in found for part in parts]
        return found

    def as_json(self) -> dict[str, Any]:
        """The parameters, their intervals and the conditions, as in a certificate."""
        texts = [(polynomial_text(self.names, terms), strict) for terms, strict in self.conditions]
        return {
            "parameters": list(self.names),
            "sides": list(map(interval_json, self.sides)),
            "where": [{"polynomial": text, "strict": strict} for text, strict in texts],
        }

    def told(self, _: object = None) -> str:
        """In words, as inequalities."""
        said = [side.told(name) for name, side in zip(self.names, self.sides, strict=True)]
        for terms, strict in self.conditions:
            said.append(f"{polynomial_text(self.names, terms)} {'>' if strict else '>='} 0")
        return ", ".join(said)


@dataclass(frozen=True, eq=False)
class AnyCell(Later):
    """What is asked of an ordinary kind on a cell.

    sides   its ends
    claim   with functions as numbers; None where the conditions leave no value
    sample  a point of it, where signs are read
    """

    sides: Sides
    claim: Any
    sample: tuple[Fraction, ...] = ()


@dataclass(frozen=True, eq=False)
class EverywhereClaim(DomainClaim):
    """That a claim of another kind holds for all values of several parameters in a domain.

    definition    the spec keyword
    domain        the values
    parts         its cells, in their order
    ask           a point -> the same claim there, with plain numbers
    level, delta  that are asked for, as functions; None where there is no level
    """

    engine = "everywhere"
    said = SaidParameters
    proves = evidence.PointEvidence | evidence.CellsEvidence

    domain: Domain
    parts: Sequence[AnyCell]
    ask: Callable[[tuple[Fraction, ...]], Any]
    level: Level | None
    delta: Fraction

    def section(self) -> Parts:
        """See `Claim`."""
        made = []
        for part in self.parts:
            if part.claim is not None:
                with Place.around(self.domain.names, part.sample):
                    made.append(part.claim.section())
        whole, own = divided([model.section for _, model in made])
        pairs = zip(made, own, strict=True)
        asked = iter([on_cell(parts["relation"], one) for (parts, _), one in pairs])
        # null where no value of the parameters is left on a cell
        cells = [None if part.claim is None else next(asked) for part in self.parts]
        domain = {**self.domain.as_json(), "cells": cells}
        return {**made[0][0], "relation": None, "domain": domain}, Model(whole)

    def proved_by(self) -> str:
        """See `Claim`."""
        claims: Iterable[Claim] = (part.claim for part in self.parts if part.claim is not None)
        return next(iter(claims)).proved_by()

"""What the checker is going to ask on each cell of the values of several parameters.

Its own obligations are followed on a cell that believes whatever it is asked, and writes it down:
an engine proves these polynomials, and does not make them a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from verifier.base.errors import NotDecided
from verifier.base.polynomial import Polynomial
from verifier.checker.document import MALFORMED, Refused, Rejected
from verifier.checker.document import plain as as_json
from verifier.checker.domains import read_parts
from verifier.checker.numbers import Poly, exponents, primitive, value_at
from verifier.checker.pieces import holds_on, read_rows
from verifier.checker.signs import Cell
from verifier.questions.evidence import CellEvidence
from verifier.questions.question import asked_of
from verifier.questions.several import EverywhereClaim

MOST = 20_000  # polynomials of a cell


@dataclass(frozen=True)
class _Believing(Cell):
    """A cell on which all is proved, and a denominator has the sign that it has at a sample."""

    sample: Sequence[Fraction] = ()

    def proves(self, a: Poly, strict: bool = False) -> bool:
        """Whether a polynomial may be nowhere negative; or positive, if it is so at the sample."""
        if strict and value_at(a, self.sample) <= 0:
            return False
        self.asked[primitive(a)] = None
        if len(self.asked) > MOST:
            raise NotDecided(f"more than {MOST} polynomials are too many to be proved")
        return True


def obligations(claim: EverywhereClaim, at: int) -> list[Polynomial]:
    """The polynomials that are to be nowhere negative on a cell of a claim, given by its number."""
    sample = claim.parts[at].sample
    asked, holds = _followed(
        claim, at, lambda c: _Believing(c.names, c.sides, c.conditions, sample=sample)
    )
    count = len(claim.domain.names)
    found = [{exponents(m, count): c for m, c in one.items()} for one in asked]
    # numbers without parameters are compared at once: one that fails does so on the whole cell
    return found if holds else [{(0,) * count: -1}]


def check(claim: EverywhereClaim, at: int, proof: CellEvidence) -> None:
    """NotDecided unless the checker is able to follow what a proof has for a cell."""

    def proved(cell: Cell) -> Cell:
        return replace(
            cell, trees={read_rows(one.polynomial, cell): one.tree for one in proof.signs}
        )

    _, holds = _followed(claim, at, proved)
    if not holds:
        raise NotDecided("with several parameters, an obligation is not met")


def _followed(
    claim: EverywhereClaim, at: int, place: Callable[[Cell], Cell]
) -> tuple[Iterable[Poly], bool]:
    """What is asked on a cell, of which a `place` is made; and whether it holds there."""
    try:
        asked = as_json(asked_of(claim))
        cell, plain = read_parts(asked)[at]
        found = place(cell)
        holds, _ = holds_on(found, asked["level"], plain)
    except (Refused, Rejected, *MALFORMED) as error:
        raise NotDecided(f"with several parameters, {error}") from error
    return found.asked, holds

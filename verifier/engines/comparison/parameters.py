"""Deciding whether a comparison holds for all values of several parameters.

A violation is a point: floats say where to look, and one exact comparison decides. Where none is
found, each inequality becomes a polynomial that is proved to be nowhere negative on its cell.

Example. One bit is told with probability p, another one with probability q, 1/2 < q <= p < 1: both
keep the level p/(1 − p), as p(1 − q) − q(1 − p) = p − q, which is a condition of the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verifier.base.errors import Unsettled
from verifier.base.level import NO_COMPARISON
from verifier.base.polynomial import Polynomial
from verifier.base.several import at_point, polynomial_text
from verifier.claims.answer import Answer, Proof, answer_section
from verifier.claims.claim import ComparisonClaim
from verifier.claims.evidence import (
    CellEvidence,
    CellsEvidence,
    PointEvidence,
    SaidParameters,
    SignEvidence,
)
from verifier.claims.question import evidence_section
from verifier.claims.several import ParametersClaim, Part
from verifier.engines.comparison import comparison
from verifier.engines.comparison.instances import instance
from verifier.engines.comparison.obligations import check, obligations
from verifier.kernels.domains import Box, Point, nearly, prove, unsettled

MOST_EVENTS = 1_000  # of two columns, with delta
MOST_POINTS = 300  # at which floats are tried
CANDIDATES = 6  # at which one exact comparison is made
SHOWN = 3  # boxes that are not settled, in words
Quotient = tuple[Polynomial, Polynomial]


def decide(claim: ParametersClaim) -> Answer:
    """The verdict for all values: some that violate it, or a proof for each cell."""
    cells = [_Cell(claim, at) for at in range(len(claim.parts))]
    for cell in cells:
        if (found := cell.violation()) is not None:
            return told(claim, found)
    proofs = []
    for cell in cells:
        proof = cell.proof()
        if isinstance(proof, Proof):
            return told(claim, proof)
        proofs.append(proof)
    empty = all(part.claim is None or part.claim.relation.is_empty() for part in claim.parts)
    said = SaidParameters("holds", NO_COMPARISON if empty else None)
    return told(claim, Proof(said, CellsEvidence(proofs)))


def told(claim: ParametersClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; where it is violated, the witness at a point."""
    said, evidence = proof.said, proof.witness
    assert isinstance(said, SaidParameters)
    answer = Answer(
        said.verdict,
        said.leakage,
        proof=proof,
        scope=dict(claim.scope),
        level=claim.level,
        delta=claim.delta,
    )
    if not isinstance(evidence, PointEvidence):
        return answer
    point = tuple(evidence.point)
    part = next(one for one in claim.parts if _has(one, point))
    shown = comparison.decide(_at(claim, part, point)).shown
    values = zip(claim.domain.names, point, strict=True)
    where = ", ".join(f"{name} = {x}" for name, x in values)
    return replace(answer, shown=shown, reason=f"violated at {where}")


def _has(part: Part, point: Point) -> bool:
    return part.claim is not None and all(
        low == x == high or low < x < high for x, (low, high) in zip(point, part.sides, strict=True)
    )


def _at(claim: ParametersClaim, part: Part, point: Point) -> ComparisonClaim:
    """The comparison at a point of a cell."""
    assert part.claim is not None
    return instance(part.claim, lambda number: at_point(number, claim.domain.names, point))


class _Cell:
    """A cell, and the polynomials that must not be negative on it."""

    def __init__(self, claim: ParametersClaim, at: int) -> None:
        self._claim, self._at, self._part = claim, at, claim.parts[at]
        self._names = claim.domain.names
        self._box = Box(self._part.sides, claim.domain.conditions)
        self._polynomials = obligations(claim, at)

    def violation(self) -> Proof | None:
        """The proof by a point at which floats see a violation; None where there is none."""
        listed = self._polynomials
        points = [
            point for point, _ in zip(self._box.simple_points(), range(MOST_POINTS), strict=False)
        ]
        if not listed or not points or self._part.claim is None:
            return None
        lowest = nearly(listed, points).min(axis=0)
        simple = [k for k, x in enumerate(lowest) if x < 0][:CANDIDATES]
        worst = [int(k) for k in lowest.argsort()[:CANDIDATES] if lowest[k] < 0]
        for k in dict.fromkeys([*simple, *worst]):
            if (found := self.at(points[k])) is not None:
                return found
        return None

    def at(self, point: Point) -> Proof | None:
        """The proof that the claim is violated at a point; None where it is not."""
        found = comparison.decide(_at(self._claim, self._part, point))
        if found.verdict != "violated":
            return None
        assert found.proof is not None
        answer = answer_section(found.proof.said)
        evidence = evidence_section(found.proof, "inequality")
        return Proof(SaidParameters("violated"), PointEvidence(point, answer, evidence))

    def proof(self) -> Proof | CellEvidence:
        """Why the claim holds on the cell; or a violation, where a polynomial is negative."""
        signs = []
        for terms in self._polynomials:
            tree: Any = prove(terms, self._box)
            if isinstance(tree, tuple) and (violated := self.at(tree)) is not None:
                return violated
            if tree is None or isinstance(tree, tuple):
                raise open_at(terms, self._names, self._box)
            if tree:
                signs.append(SignEvidence([[c, *e] for e, c in terms.items()], tree))
        found = CellEvidence(self._part.sample if self._part.claim else (), signs)
        check(self._claim, self._at, found)
        return found


def open_at(terms: Polynomial, names: Sequence[str], box: Box) -> Unsettled:
    """Where in a box it is not settled whether a polynomial is negative.

    terms  the polynomial
    names  of its parameters
    """
    boxes = [
        {name: list(map(str, side)) for name, side in zip(names, part.sides, strict=True)}
        for part in unsettled(terms, box)
    ]
    said = [
        " and ".join(
            f"{name} = {low}" if low == high else f"{low} < {name} < {high}"
            for name, (low, high) in part.items()
        )
        for part in boxes
    ]
    more = f", and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    where = f" where {', or '.join(said[:SHOWN])}{more}" if said else ""
    shown = polynomial_text(names, terms)
    shown = shown if len(shown) < 100 else "a polynomial"
    return Unsettled(f"{shown} is not shown to be nowhere negative{where}", boxes)

"""Slices of a cone of priors where numbers are made of powers of e, decided in their field."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verifier.kernels.cones import listed, maximum, terms
from verifier.kernels.segments import ONE, ZERO, Cell, Maximise, Slices
from verifier.lp.exact.field import FieldCorner
from verifier.lp.model.program import Basis


class IrrationalSlices(Slices):
    """The slices of a cone for one pair of secrets, as `Slices`; every program is solved anew."""

    def maximiser(self, *equations: Sequence[Any]) -> Maximise:
        """What maximises over the points of the cone that satisfy equations of these left sides."""
        return lambda objective, right: maximum(self.cone, equations, objective, right)

    def corners(self, cell: Cell, alpha: Fraction, basis: Basis) -> list[Any]:
        """The corners of a basis at the shares 0 and 1."""
        both = [self.sides(cell, alpha, end) for end in (ZERO, ONE)]
        rows = (listed(self.cone, (self.b, self.d), right) for _, right in both)
        return [
            FieldCorner(self.cone.size, part, terms(costs), basis)
            for part, (costs, _) in zip(rows, both, strict=True)
        ]

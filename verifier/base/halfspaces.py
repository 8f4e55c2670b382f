"""Linear inequalities that a definition asks of every row of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.base.nouns import Later, dataclass

Row = Mapping[int, Any]  # world -> coefficient


@dataclass(frozen=True, eq=False)
class Halfspaces(Later):
    """The x >= 0, one likelihood for each world, with Σ h_w x_w <= 0 for every row h.

    rows   sparse integer coefficients without a common factor, or numbers where some have powers of
           e; different from each other, and none that every x >= 0 satisfies
    names  what each row says
    """

    worlds: int
    rows: Sequence[Row]
    names: Sequence[str]

    def admits(self, x: Sequence[Fraction]) -> bool:
        """Whether a row `x` of likelihoods satisfies every inequality."""
        return all(sum(h * x[w] for w, h in row.items()) <= 0 for row in self.rows)

"""Mechanisms that release real numbers: a finite one stands for them where it says as much.

Rows of densities at released numbers, and rows of probabilities, are vectors over the worlds. What
compares likelihoods of worlds, or of mixtures of worlds, holds for a row together with all its
multiples, and for two rows together with their sum: so it is decided by the cone that rows span.
"""

from __future__ import annotations

from verifier.base.nouns import Later, dataclass
from verifier.world.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Released(Later):
    """A mechanism that releases real numbers.

    finite  what stands for it, over the same worlds: the released numbers can be drawn from its
            output, so that it says at least as much. Its `reals` says for which questions it says
            no more
    """

    finite: Mechanism

    @property
    def worlds(self) -> int:
        """The number of worlds (columns)."""
        return self.finite.worlds

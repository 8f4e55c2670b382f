"""Attackers may believe anything: every distribution over the worlds.

Syntax. `priors: all`

Options. None.

Statement. Pufferfish then compares every pair of worlds across each pair of secrets.

Example. Two bits, each answered truthfully with probability 3/4: who believes that both are equal
learns 9 about one of them.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: all
    checks:
      - pufferfish: {exp_epsilon: 9, pairs: values}
        leakage: 9

References. Kifer, Machanavajjhala 2014, Pufferfish, Theorem 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base.document import Node
from verifier.priors import ComparedPriors, Comparisons, no_options
from verifier.priors._comparisons import on_one_world, on_worlds
from verifier.questions.beliefs.supports import FreeSupports
from verifier.questions.secrets import Pair
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class AllPriors(ComparedPriors):
    """Every distribution over the worlds.

    A prior on one world w of s and one world w' of s' has P(o | s) = M[o, w] and
    P(o | s') = M[o, w']; for any prior both are averages of such columns. So the comparisons of
    all w in s with all w' in s' are necessary and sufficient, with delta too.
    """

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The priors on one world of `space` each."""
        return on_one_world(space)

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> FreeSupports:
        """Every set of worlds of `space`, whatever the `pairs`."""
        return FreeSupports()

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Its keyword, whatever `space` and `pairs`."""
        return {"class": "all"}

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """Every ordered pair of worlds across each pair of secrets.

        space      the worlds
        mechanism  the matrix over them
        pairs      the pairs of secrets
        """
        blocks = []
        for pair in pairs:
            left, right = (np.flatnonzero(secret.worlds)[None, :] for secret in pair)
            if left.size and right.size:
                blocks += [Blocks(left, right), Blocks(right, left)]
        return on_worlds(space, mechanism, pairs, blocks, self.statement(space, pairs))


def read(node: Node | None, space: WorldSpace) -> AllPriors:
    """`priors: all`, whatever `space`; S501 where `node` has options."""
    no_options(node)
    return AllPriors()

"""Records are independent and follow the same distribution, which nobody knows.

Syntax. `priors: iid`

Options. None. One prior with a known distribution is written `{list: [{iid: {…}}]}`.

Statement. f is any distribution of a record, w_i the value of record i in the world w: the prior is
proportional to Π_i f(w_i) over the worlds that exist.

Example. Independent records say nothing of each other, so Bob's bit leaks 3, as under differential
privacy.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: iid
    checks:
      - pufferfish: {exp_epsilon: 3, pairs: values}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Equation 25, for records under constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.document import Node
from verifier.base.polynomial import Polynomial
from verifier.priors import no_options
from verifier.priors._polynomial import Variables, joint_claim, need_records, occurring
from verifier.questions.beliefs.supports import GeneratedSupports, bits, generated
from verifier.questions.claim import PolynomialsClaim
from verifier.questions.secrets import Pair, Pufferfish
from verifier.world.single import Single
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class IdenticalPriors:
    """θ(w) proportional to Π_i f(w_i) over the worlds that exist, for any distribution f.

    The probability of a world is a monomial in f, so that the condition is polynomial in f: over
    two values a polynomial in one parameter.
    """

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> GeneratedSupports:
        """All worlds that have only values from a set: a uniform f is uniform on these worlds.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        return generated(
            [bits(np.flatnonzero(row).tolist()) for row in _counts(space)], space.ways()
        )

    def of_one_record(self, one: Single) -> IdenticalPriors:
        """The class itself, of `one` record too."""
        return self

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Its keyword, whatever `space` and `pairs`."""
        return {"class": "iid"}

    def claim(self, question: Pufferfish) -> PolynomialsClaim:
        """The claim of a `question`, about one simplex over the values of a record."""
        space = question.space
        codes = occurring(space)
        variables = Variables((len(codes),))
        known: dict[tuple[tuple[int, ...], int], Polynomial] = {}
        counts, ways = _counts(space)[:, codes].tolist(), space.ways()

        def weight(world: int) -> Polynomial:
            exponents, times = tuple(counts[world]), ways[world]
            return known.setdefault((exponents, times), {exponents: times})

        return joint_claim(
            question, variables, weight, self.statement(space, question.pairs), "iid"
        )


def read(node: Node | None, space: WorldSpace) -> IdenticalPriors:
    """`priors: iid` over the records of `space`; S501 where `node` has options."""
    no_options(node)
    if not space.is_histograms:
        need_records(space, "the class 'iid'")
    return IdenticalPriors()


def _counts(space: WorldSpace) -> np.ndarray:
    """Shape (worlds, values): how many records have each value."""
    if space.counts is not None:
        return space.counts.T
    values = range(len(space.record_values))
    return np.array([(space.record_codes == code).sum(axis=0) for code in values]).T

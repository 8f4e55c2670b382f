"""Attackers may believe any mixture of the given priors.

Syntax. `priors: {hull: [PRIOR, …]}`

Options. None: the priors are listed.

Statement. The class has every Σ_k λ_k θ_k of the given priors θ_k, for weights λ_k >= 0 of sum 1.
The condition is quadratic in these weights, so a mixture may leak more than every θ_k; but mixtures
of every two of them decide.

Example. Who believes in 00 leaks nothing of Bob, nor who believes in 11. A mixture of both does:
Bob's bit is then also Ann's, and both are answered, 3·3.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: {hull: [{worlds: {00: 1}}, {worlds: {11: 1}}]}
    checks:
      - pufferfish: {exp_epsilon: 9, pairs: values}
        leakage: 9

References. Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4, for mixtures of priors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.base.document import Node
from verifier.base.errors import InputError
from verifier.kernels.cones import Cone
from verifier.priors import check_possible
from verifier.priors._linear import on_cone
from verifier.priors.list import joint
from verifier.questions.beliefs.prior import Prior, read_prior
from verifier.questions.beliefs.supports import ListedSupports, MixedSupports
from verifier.questions.claim import PolytopeClaim
from verifier.questions.secrets import Pair, Pufferfish
from verifier.world.single import Single
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class MixedPriors:
    """Every mixture Σ λ_k θ_k of the given priors θ_k.

    The condition is quadratic in θ, so a mixture may leak more than every θ_k; but mixtures of
    every two of them decide (see verifier.kernels.segments).
    """

    priors: tuple[Prior, ...]

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The given priors over the worlds of `space`."""
        return [prior.positive() for prior in self.priors]

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> MixedSupports:
        """The unions of those of the given priors; S403 for a named secret that none allows.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        secrets = [secret for pair in pairs for secret in pair]
        excluded = {
            secret.name
            for secret in secrets
            if not any(prior.probability(secret.worlds) for prior in self.priors)
        }
        check_possible(secrets, excluded)
        return MixedSupports(ListedSupports([prior.positive() for prior in self.priors]))

    def of_one_record(self, one: Single) -> MixedPriors:
        """The mixtures of the given priors, over the worlds of `one` record."""
        return MixedPriors(tuple(prior.of_one_record(one) for prior in self.priors))

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The given priors, whatever `space` and `pairs`."""
        return {"class": "hull", "priors": [prior.tolist() for prior in self.priors]}

    def claim(self, question: Pufferfish) -> PolytopeClaim:
        """The claim of a `question`, by P(s) and P(s, o) under each given prior.

        These determine those of a mixture. Raises S403 for a named secret that no mixture allows.
        """
        tables = {
            name: [joint(question.mechanism, prior, secret.worlds) for prior in self.priors]
            for name, secret in question.secrets.items()
        }
        weights = [prior.tolist() for prior in self.priors]

        def mixture(point: Sequence[Fraction]) -> list[Fraction]:
            used = [(share, prior) for share, prior in zip(point, weights, strict=True) if share]
            worlds = range(question.space.size)
            return [sum((x * prior[w] for x, prior in used), Fraction(0)) for w in worlds]

        return on_cone(
            question,
            Cone(len(self.priors)),
            {
                name: [prior.probability(secret.worlds) for prior in self.priors]
                for name, secret in question.secrets.items()
            },
            lambda name, output: [row[output] for row in tables[name]],
            mixture,
            self.statement(question.space, question.pairs),
            f"hull of {len(self.priors)}",
        )


def read(node: Node | None, space: WorldSpace) -> MixedPriors:
    """`priors: {hull: [prior, …]}`.

    node   what stands under the keyword
    space  the worlds
    """
    if node is None:
        raise InputError("S501", "the class 'hull' names its priors: {hull: [uniform, …]}")
    items = node.sequence("a list of priors").items
    if not items:
        raise node.fail("S505", "the class of priors is empty: nothing would be checked")
    return MixedPriors(tuple(read_prior(item, space) for item in items))

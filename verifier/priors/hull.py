"""`hull`: all mixtures of finitely many given priors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verifier.claim import MixturesClaim
from verifier.document import Node
from verifier.errors import InputError
from verifier.prior import Prior, read_prior
from verifier.priors import NotDecided, Question
from verifier.priors.list import joint
from verifier.worlds import WorldSpace


@dataclass(frozen=True)
class MixedPriors:
    """Every mixture Σ λ_k θ_k of the given priors θ_k.

    The condition is quadratic in θ, so a mixture may leak more than every θ_k; but mixtures of
    every two of them decide (see verifier.solvers.segments).
    """

    priors: tuple[Prior, ...]

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The given priors."""
        return [prior.positive() for prior in self.priors]

    def claim(self, question: Question) -> MixturesClaim:
        """P(s) and P(s, o) under each given prior, which determine those of a mixture; S403 for a
        named secret that no mixture makes possible."""
        if question.delta:
            raise NotDecided(
                "with delta > 0, an event may have its worst mixture between many priors: "
                "'hull' is decided for delta = 0 only in this version"
            )
        secrets = question.secrets
        tables = {
            name: [
                (prior.probability(secret.worlds), joint(question.mechanism, prior, secret.worlds))
                for prior in self.priors
            ]
            for name, secret in secrets.items()
        }
        skipped = []
        for name, table in tables.items():
            if not any(mass for mass, _ in table):
                if secrets[name].named:
                    raise InputError("S403", f"'{name}' has probability 0 under every prior")
                skipped.append(f"'{name}' has probability 0 under every prior")
        pairs = [(left.name, right.name) for left, right in question.pairs]
        weights = [prior.tolist() for prior in self.priors]
        return MixturesClaim(
            question.definition,
            question.space,
            question.mechanism,
            question.level,
            weights,
            tables,
            pairs,
            {
                "rule": "secrets",
                "secrets": {n: np.flatnonzero(s.worlds).tolist() for n, s in secrets.items()},
                "pairs": [list(pair) for pair in pairs],
                "priors": {"class": "hull", "priors": weights},
            },
            question.scope(f"hull of {len(self.priors)}", skipped),
        )


def read(node: Node | None, space: WorldSpace) -> MixedPriors:
    """`priors: {hull: [prior, …]}`."""
    if node is None:
        raise InputError("S501", "the class 'hull' names its priors: {hull: [uniform, …]}")
    items = node.sequence("a list of priors").items
    if not items:
        raise node.fail("S505", "the class of priors is empty: nothing would be checked")
    return MixedPriors(tuple(read_prior(item, space) for item in items))

"""Attackers believe one of finitely many given priors.

Syntax. `priors: {list: [PRIOR, …]}`

Options. None: the priors are listed.

Statement. For each prior and each secret that it allows, the distribution of the output given the
secret is computed exactly, and the two of each pair of secrets are compared.

Example. Under the uniform prior the records are independent, and Bob's bit leaks 3.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: {list: [uniform]}
    checks:
      - pufferfish: {exp_epsilon: 3, pairs: values}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Node
from verifier.base.errors import InputError
from verifier.priors import ComparedPriors, Comparisons
from verifier.priors._comparisons import compare
from verifier.questions.beliefs.prior import Prior, prior_of, read_prior
from verifier.questions.beliefs.supports import ListedSupports
from verifier.questions.claim import Given
from verifier.questions.secrets import Pair
from verifier.questions.witness import Belief
from verifier.world.mechanism import Column, Mechanism
from verifier.world.single import Single
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True)
class ListedPriors(ComparedPriors):
    """The given priors; for each and every secret the conditional output distribution
    P(o | s, θ) = Σ θ_w M[o, w] / Σ θ_w over w in s."""

    priors: tuple[Prior, ...]

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The given priors over the worlds of `space`."""
        return [prior.positive() for prior in self.priors]

    def supports(self, space: WorldSpace, pairs: Sequence[Pair]) -> ListedSupports:
        """Those of the given priors; S403 where none compares a pair of named secrets.

        space  the worlds
        pairs  the pairs of secrets that are compared
        """
        self._compared(pairs, set(self._possible(pairs)))
        return ListedSupports([prior.positive() for prior in self.priors])

    def of_one_record(self, one: Single) -> ListedPriors:
        """The given priors, over the worlds of `one` record."""
        return ListedPriors(tuple(prior.of_one_record(one) for prior in self.priors))

    def statement(self, space: WorldSpace, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The given priors, whatever `space` and `pairs`."""
        return {"class": "list", "priors": [prior.tolist() for prior in self.priors]}

    def _possible(self, pairs: Sequence[Pair]) -> list[Given]:
        """The secrets that each prior allows."""
        secrets = {secret.name: secret.worlds for pair in pairs for secret in pair}
        return [
            (number, name)
            for number, prior in enumerate(self.priors)
            for name, worlds in secrets.items()
            if prior.probability(worlds)
        ]

    def _compared(
        self, pairs: Sequence[Pair], possible: Collection[Given]
    ) -> tuple[list[tuple[Given, Given]], list[str]]:
        """The pairs that each prior compares, and what is skipped; S403 where no prior compares a
        pair of named secrets."""
        found, skipped = [], []
        for number in range(len(self.priors)):
            for names in ((left.name, right.name) for left, right in pairs):
                missing = [name for name in names if (number, name) not in possible]
                if missing:
                    skipped.append(f"prior {number + 1}: '{missing[0]}' has probability 0")
                else:
                    found.append(((number, names[0]), (number, names[1])))
        _check_compared(pairs, {name for _, name in possible}, {(s[1], t[1]) for s, t in found})
        return found, skipped

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """Conditional output distributions, one column per (prior, secret) that is possible.

        space      the worlds
        mechanism  the matrix over them
        pairs      the pairs of secrets
        """
        secrets = {secret.name: secret for pair in pairs for secret in pair}
        columns = {
            (number, name): conditional(mechanism, self.priors[number], secrets[name].worlds)
            for number, name in self._possible(pairs)
        }
        found, skipped = self._compared(pairs, columns.keys())
        keys = list(columns)

        def describe(left: int, right: int) -> Belief:
            number, names = keys[left][0], (keys[left][1], keys[right][1])
            prior = self.priors[number]
            first, second = (prior.probability(secrets[name].worlds) for name in names)
            weights = {space.name(world): weight for world, weight in prior.positive().items()}
            return Belief(names, weights, first / second, number + 1)

        statement: dict[str, object] = {
            "rule": "secrets",
            "secrets": {n: np.flatnonzero(s.worlds).tolist() for n, s in secrets.items()},
            "pairs": [[left.name, right.name] for left, right in pairs],
            "priors": self.statement(space, pairs),
        }
        return Comparisons(
            *compare(mechanism.outputs, columns, found, statement),
            describe,
            f"list of {len(self.priors)}",
            skipped,
            keys,
        )


def listed(
    space: WorldSpace, priors: Iterable[Prior | Sequence[Fraction | int | str]]
) -> ListedPriors:
    """The class of some priors; InputError S504.

    space   the worlds
    priors  each a prior, or the probability of every world in order
    """
    return ListedPriors(tuple(prior_of(space, prior) for prior in priors))


def read(node: Node | None, space: WorldSpace) -> ListedPriors:
    """`priors: {list: [prior, …]}`.

    node   what stands under the keyword
    space  the worlds
    """
    if node is None:
        raise InputError("S501", "the class 'list' names its priors: {list: [uniform]}")
    items = node.sequence("a list of priors").items
    if not items:
        raise node.fail("S505", "the class of priors is empty: nothing would be checked")
    return ListedPriors(tuple(read_prior(item, space) for item in items))


def _check_compared(
    pairs: Sequence[Pair], possible: set[str], compared: set[tuple[str, str]]
) -> None:
    """InputError S403 where no prior compares a pair of named secrets."""
    for left, right in pairs:
        if left.named and right.named and (left.name, right.name) not in compared:
            for secret in (left, right):
                if secret.name not in possible:
                    raise InputError("S403", f"'{secret.name}' has probability 0 under every prior")
            raise InputError("S403", f"no prior allows both '{left.name}' and '{right.name}'")


def conditional(mechanism: Mechanism, prior: Prior, secret: np.ndarray) -> list[Fraction]:
    """P(o | s, θ) for every output o, exactly.

    mechanism  the matrix over the worlds
    prior      θ, with P(s | θ) > 0
    secret     s, a Boolean array over the worlds
    """
    mass = prior.probability(secret)
    return [p / mass for p in joint(mechanism, prior, secret)]


def joint(mechanism: Mechanism, prior: Prior, secret: np.ndarray) -> list[Fraction]:
    """P(s, o | θ) = Σ θ_w M[o, w] over w in s, for every output o, exactly.

    mechanism  M, the matrix over the worlds
    prior      θ
    secret     s, a Boolean array over the worlds

    Worlds of s are grouped by (weight, value) for each output, and weights of one value are added
    up as integers, so that rational arithmetic runs once per value that occurs.
    """
    inside = np.flatnonzero(secret)
    weights: Column = prior.weights.take(inside)
    unit, numerators = exact.in_integers(weights.values)
    base = len(mechanism.values)
    answer = []
    for row in mechanism.codes[:, inside]:
        keys, counts = np.unique(weights.codes.astype(np.int64) * base + row, return_counts=True)
        masses: dict[int, Any] = defaultdict(int)
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            masses[key % base] += numerators[key // base] * count
        total = sum((mechanism.values[code] * n for code, n in masses.items()), Fraction(0))
        answer.append(total / unit)
    return answer

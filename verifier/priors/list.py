"""`list`: finitely many priors, each evaluated exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from verifier import exact
from verifier.column import Column
from verifier.document import Node
from verifier.errors import InputError
from verifier.mechanism import Coder, Mechanism
from verifier.prior import Prior, read_prior
from verifier.priors import ComparedPriors, Comparisons, Pair
from verifier.relation import Relation, listed
from verifier.worlds import WorldSpace


@dataclass(frozen=True)
class ListedPriors(ComparedPriors):
    """The given priors; for each and every secret the conditional output distribution
    P(o | s, θ) = Σ θ_w M[o, w] / Σ θ_w over w in s."""

    priors: tuple[Prior, ...]

    def corners(self, space: WorldSpace) -> Iterable[Mapping[int, Fraction]]:
        """The given priors."""
        return [prior.positive() for prior in self.priors]

    def comparisons(
        self, space: WorldSpace, mechanism: Mechanism, pairs: Sequence[Pair]
    ) -> Comparisons:
        """Conditional output distributions, one column per (prior, secret) that is possible."""
        secrets = {secret.name: secret for pair in pairs for secret in pair}
        columns: dict[tuple[int, str], int] = {}
        coder = Coder()
        codes: list[list[int]] = []
        for number, prior in enumerate(self.priors):
            for name, secret in secrets.items():
                if prior.probability(secret.worlds):
                    columns[number, name] = len(codes)
                    codes.append(
                        [coder.code(p) for p in conditional(mechanism, prior, secret.worlds)]
                    )
        for name, secret in secrets.items():
            if secret.named and not any(key[1] == name for key in columns):
                raise InputError("S403", f"'{name}' has probability 0 under every prior")
        found, skipped = [], []
        for number in range(len(self.priors)):
            for left, right in pairs:
                ends = columns.get((number, left.name)), columns.get((number, right.name))
                if ends[0] is None or ends[1] is None:
                    missing = left.name if ends[0] is None else right.name
                    skipped.append(f"prior {number + 1}: '{missing}' has probability 0")
                else:
                    found += [(ends[0], ends[1]), (ends[1], ends[0])]
        keys = list(columns)
        matrix = np.array(codes or [[coder.code(1)]]).T
        outputs = mechanism.outputs if codes else ("none",)

        def describe(left: int, right: int) -> dict[str, Any]:
            number, names = keys[left][0], (keys[left][1], keys[right][1])
            prior = self.priors[number]
            first, second = (prior.probability(secrets[name].worlds) for name in names)
            weights = {
                space.name(world): exact.text(weight)
                for world, weight in enumerate(prior.tolist())
                if weight
            }
            odds = exact.text(first / second)
            return {"pair": list(names), "prior": weights, "prior_odds": odds}

        statement: dict[str, object] = {
            "rule": "secrets",
            "secrets": {n: np.flatnonzero(s.worlds).tolist() for n, s in secrets.items()},
            "pairs": [[left.name, right.name] for left, right in pairs],
            "priors": {"class": "list", "priors": [prior.tolist() for prior in self.priors]},
        }
        return Comparisons(
            Mechanism.of(outputs, coder.values, matrix),
            Relation(tuple(listed(dict.fromkeys(found))), statement),
            describe,
            lambda i, j: {"prior": keys[i][0], "pair": [keys[i][1], keys[j][1]]},
            f"list of {len(self.priors)}",
            skipped,
        )


def read(node: Node | None, space: WorldSpace) -> ListedPriors:
    """`priors: {list: [prior, …]}`."""
    if node is None:
        raise InputError("S501", "the class 'list' names its priors: {list: [uniform]}")
    items = node.sequence("a list of priors").items
    if not items:
        raise node.fail("S505", "the class of priors is empty: nothing would be checked")
    return ListedPriors(tuple(read_prior(item, space) for item in items))


def conditional(mechanism: Mechanism, prior: Prior, secret: np.ndarray) -> list[Fraction]:
    """P(o | s, θ) for every output, exactly; P(s | θ) > 0."""
    mass = prior.probability(secret)
    return [p / mass for p in joint(mechanism, prior, secret)]


def joint(mechanism: Mechanism, prior: Prior, secret: np.ndarray) -> list[Fraction]:
    """P(s, o | θ) = Σ θ_w M[o, w] over w in s, for every output, exactly.

    Worlds of s are grouped by (weight, value) for each output, and weights of one value are added
    up as integers, so that rational arithmetic runs once per value that occurs.
    """
    inside = np.flatnonzero(secret)
    weights: Column = prior.weights.take(inside)
    parts: list[Any] = list(weights.values)
    unit = lcm(*(part.denominator for part in parts))
    numerators = [part.numerator * (unit // part.denominator) for part in parts]
    base = len(mechanism.values)
    answer = []
    for row in mechanism.codes[:, inside]:
        keys, counts = np.unique(weights.codes.astype(np.int64) * base + row, return_counts=True)
        masses: dict[int, int] = defaultdict(int)
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            masses[key % base] += numerators[key // base] * count
        total = sum((mechanism.values[code] * n for code, n in masses.items()), Fraction(0))
        answer.append(total / unit)
    return answer

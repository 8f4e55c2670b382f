"""Attackers who know some of the records learn little about each other record.

Syntax. `bayesian_privacy: {epsilon: LEVEL, delta: NUMBER, priors: CLASS, known: NUMBER}`

Statement. X_i is the value of record i, K a set of other records whose values x an adversary
knows, o an output, θ a prior of the class, and α = e^ε the level. For every i, K, o and θ, and all
a, b, x of positive probability: P(o | X_i = a, X_K = x, θ) <= α·P(o | X_i = b, X_K = x, θ);
with δ as for `pufferfish`.

Options. `epsilon` or `exp_epsilon`, `delta`, `priors`; and
- `known`: how many other records an adversary knows, a number, or `any` (the default: none up to
  all). With 0 this is `dependent_privacy`.

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`. Who knows less may
learn more, because records speak for each other, or less, because they hide each other.

Example. Two bits that are equal with probability 9/10, each answered truthfully with probability
3/4: who knows one bit learns 3 about the other, who knows none learns 7.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors:
      list:
        - markov:
            initial: {0: 1/2, 1: 1/2}
            transition: {0: {0: 9/10, 1: 1/10}, 1: {0: 1/10, 1: 9/10}}
    checks:
      - bayesian_privacy: {exp_epsilon: 3, known: 1}
        leakage: 3
      - bayesian_privacy: {exp_epsilon: 7}
        leakage: 7

References. Yang, Sato, Nakagawa 2015, Bayesian differential privacy on correlated data, as in
Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Table 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from verifier.base.document import Plain, tree
from verifier.base.errors import LimitReached
from verifier.base.level import Level
from verifier.definitions import pufferfish
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.questions.secrets import Pair, Pairs, PriorClass, Secret
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "priors", "known")
CLOSED = DIVERGENCE
MAX_CELLS = 10**8  # of the secrets as Boolean arrays


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    priors: PriorClass | Plain,
    known: Plain = "any",
) -> Question:
    """Whether a mechanism satisfies Bayesian differential privacy (Yang, Sato, Nakagawa 2015).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    priors     what attackers may believe: a class such as `product`, or {"list": [prior, …]}
    known      how many other records an adversary knows: a number, or `any`

    InputError and NotDecided as for `pufferfish.question`; LimitReached for too many secrets.
    """
    if not space.records:
        raise needs_records("S407", "bayesian_privacy", space)
    others = len(space.records) - 1
    allowed = ("any", *map(str, range(others + 1)))
    number = tree(known).word(allowed, "number of known records")
    sizes: Sequence[int] = range(others + 1) if number == "any" else [int(number)]
    values = len(space.record_values)
    secrets = (others + 1) * sum(comb(others, k) * values**k for k in sizes) * values
    if secrets * space.size > MAX_CELLS:
        raise LimitReached(f"{secrets} secrets in {space.size} worlds are too many")
    pairs, options = Pairs(tuple(_pairs(space, sizes))), {"known": number}
    keyword = "bayesian_privacy"
    return pufferfish.of_pairs(keyword, space, mechanism, level, delta, pairs, priors, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(
        space=options.space,
        known=options.value("known", "any"),
        priors=options.priors(),
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
    )


def _pairs(space: WorldSpace, sizes: Iterable[int]) -> Iterator[Pair]:
    """For each record, known records and their values that occur, each two values that occur."""
    codes, names = space.record_codes, space.value_names
    records = range(len(space.records))
    for size in sizes:
        for record in records:
            for known in combinations([r for r in records if r != record], size):
                seen = codes[list(known)]
                for fixed in np.unique(seen, axis=1).T:
                    inside = (seen == fixed[:, None]).all(axis=0)
                    secrets = []
                    for code in np.unique(codes[record][inside]).tolist():
                        if code != space.absent_code:
                            given = [(record, code), *zip(known, fixed.tolist(), strict=True)]
                            text = [f"{space.records[r]} = {names[c]}" for r, c in given]
                            name = text[0] + (f" given {', '.join(text[1:])}" if known else "")
                            secrets.append(Secret(name, inside & (codes[record] == code)))
                    yield from combinations(secrets, 2)


def value(
    rows: Matrix,
    databases: Sequence[tuple[Any, ...]],
    priors: Iterable[Sequence[Fraction]],
    alpha: Fraction,
    known: int | None = None,
) -> Fraction:
    """The smallest δ at α over given priors, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record, None where absent
    priors     a weight per world each
    alpha      α, the level e^ε
    known      how many other records an adversary knows; None: any number
    """
    records = range(len(databases[0]))
    pairs: list[tuple[set[int], set[int]]] = []
    for i in records:
        others = [r for r in records if r != i]
        for size in range(len(records)) if known is None else [known]:
            for subset in combinations(others, size):
                sides: dict[Any, dict[Any, set[int]]] = {}
                for w, database in enumerate(databases):
                    if database[i] is not None:
                        told = tuple(database[r] for r in subset)
                        sides.setdefault(told, {}).setdefault(database[i], set()).add(w)
                for by_value in sides.values():
                    pairs += combinations(by_value.values(), 2)
    return pufferfish.value(rows, priors, pairs, alpha)

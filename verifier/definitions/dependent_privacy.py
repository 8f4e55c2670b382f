"""The value of each record stays hidden although records depend on each other.

Syntax. `dependent_privacy: {epsilon: LEVEL, delta: NUMBER, priors: CLASS}`

Statement. X_i is the value of record i, o an output, θ a prior of the class, and α = e^ε the level.
This is Pufferfish privacy with the pairs of values of each record as secrets: P(o | X_i = a, θ) <=
α·P(o | X_i = b, θ) for every i, o and θ, and all a, b of positive probability; with δ likewise.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `priors`: a class, or the name of one, which says how records depend on each other

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`.

Example. Two bits that are equal with probability 9/10, each answered truthfully with probability
3/4: α = 3·(3·9/10 + 1/10) / (9/10 + 3/10) = 7, where differential privacy needs 3.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors:
      list:
        - markov:
            initial: {0: 1/2, 1: 1/2}
            transition: {0: {0: 9/10, 1: 1/10}, 1: {0: 1/10, 1: 9/10}}
    checks:
      - dependent_privacy: {exp_epsilon: 7}
        leakage: 7

References. Liu, Chakraborty, Mittal 2016, Dependence makes you vulnerable, as in
Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Table 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.definitions import _local_secrets, pufferfish
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix
from verifier.questions.question import Question
from verifier.questions.secrets import PriorClass, generated
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "priors")
CLOSED = DIVERGENCE


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    delta: Plain = 0,
    priors: PriorClass | Plain,
) -> Question:
    """Whether a mechanism satisfies dependent differential privacy (Liu, Chakraborty, Mittal 2016).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    priors     what attackers may believe: a class such as `product`, or {"list": [prior, …]}

    InputError and NotDecided as for `pufferfish.question`.
    """
    keyword = "dependent_privacy"
    if isinstance(mechanism, LocalMechanism):
        about = keyword, space, mechanism, level, delta
        return _local_secrets.question(*about, "values", priors, states=False)
    pairs = generated(space, "values")
    return pufferfish.of_pairs(keyword, space, mechanism, level, delta, pairs, priors, {})


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    known = _local_secrets.asked("dependent_privacy", options, "values", states=False)
    return known or question(
        space=options.space,
        priors=options.priors(),
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
    )


def value(
    rows: Matrix,
    databases: Sequence[tuple[Any, ...]],
    priors: Iterable[Sequence[Fraction]],
    alpha: Fraction,
) -> Fraction:
    """The smallest δ at α over given priors, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record, None where absent
    priors     a weight per world each
    alpha      α, the level e^ε
    """
    pairs = []
    for i in range(len(databases[0])):
        values = {database[i] for database in databases} - {None}
        for a, b in combinations(values, 2):
            sides = ({w for w, x in enumerate(databases) if x[i] == v} for v in (a, b))
            pairs.append((next(sides), next(sides)))
    return pufferfish.value(rows, priors, pairs, alpha)

"""Dependent differential privacy (Liu, Chakraborty, Mittal 2016), as in Bai et al., Table 6.

Statement. Pufferfish privacy with the pairs of values of each record X_i as secrets, against
priors under which records depend on each other: P(o | X_i = a, θ) <= α·P(o | X_i = b, θ) for
all i, a, b with positive probability, every output o and every prior θ of the class; with δ
likewise.

Options. `epsilon` or `exp_epsilon`; `delta`; `priors`: a class, or the name of one, which says
how records depend on each other.

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`.

Example. Two bits that are equal with probability 9/10, each answered truthfully with probability
3/4: α = 3·(3·9/10 + 1/10) / (9/10 + 3/10) = 7, where differential privacy needs 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.claims.question import PriorClass, Question
from verifier.claims.secrets import generated
from verifier.definitions import pufferfish
from verifier.definitions._plain import Matrix
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "priors")


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    priors: PriorClass | Plain,
) -> Question:
    """Whether a mechanism satisfies dependent differential privacy (Liu, Chakraborty, Mittal 2016).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    priors     what attackers may believe: a class such as `product`, or {"list": [prior, …]}

    InputError and NotDecided as for `pufferfish.question`.
    """
    pairs = generated(space, "values").listed
    keyword = "dependent_privacy"
    return pufferfish.of_pairs(keyword, space, mechanism, level, delta, pairs, priors, {})


def read(options: Options) -> Question:
    """The question that a file asks."""
    return question(
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
    """The smallest δ at α over given priors, straight from the definition; a database has one
    value per record, None for an absent one."""
    pairs = []
    for i in range(len(databases[0])):
        values = {database[i] for database in databases} - {None}
        for a, b in combinations(values, 2):
            sides = ({w for w, x in enumerate(databases) if x[i] == v} for v in (a, b))
            pairs.append((next(sides), next(sides)))
    return pufferfish.value(rows, priors, pairs, alpha)

"""Noiseless privacy (Bhaskar, Bhowmick, Goyal, Laxman, Thakurta 2011), as in Bassily et al.

Statement. Pufferfish privacy with the pairs of values of each record X_i as secrets:
P(o | X_i = a, θ) <= α·P(o | X_i = b, θ) for all i, a, b with positive probability, every output
and every prior of the class; with δ likewise.

Options. `epsilon` or `exp_epsilon`; `delta`; `priors`: a class, or the name of one; `pairs`:
other pairs than `values`.

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`.

Example. Three fair coins whose exact majority is released: noiseless privacy needs α = 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.claims.question import PriorClass, Question
from verifier.claims.secrets import Pair, Pairs, pairs_of
from verifier.definitions import pufferfish
from verifier.definitions.pufferfish import value
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = pufferfish.OPTIONS

__all__ = ["OPTIONS", "question", "read", "value"]


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    pairs: Pairs | str | Sequence[Pair] = "values",
    priors: PriorClass | Plain,
) -> Question:
    """Whether a mechanism satisfies noiseless privacy (Bassily et al. 2013, Definition 6).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    pairs      of secrets: `values`, `entries`, `presence`, or a list of two `Secret`s each
    priors     what attackers may believe: a class such as `product`, or {"list": [prior, …]}

    InputError and NotDecided as for `pufferfish.question`.
    """
    found = pairs_of(space, pairs)
    options = {"pairs": found.kind}
    listed = found.listed
    return pufferfish.of_pairs("noiseless", space, mechanism, level, delta, listed, priors, options)


def read(options: Options) -> Question:
    """The question that a file asks."""
    return question(
        space=options.space,
        pairs=options.pairs("values"),
        priors=options.priors(),
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
    )

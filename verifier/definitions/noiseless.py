"""What attackers do not know hides each record, with or without noise.

Syntax. `noiseless: {epsilon: LEVEL, delta: NUMBER, priors: CLASS, pairs: PAIRS}`

Statement. X_i is the value of record i, o an output, θ a prior of the class, and α = e^ε the level.
This is Pufferfish privacy with the pairs of values of each record as secrets: P(o | X_i = a, θ) <=
α·P(o | X_i = b, θ) for every i, o and θ, and all a, b of positive probability; with δ likewise.

Options. `epsilon` or `exp_epsilon`, `delta`, `priors`; and
- `pairs`: other pairs of secrets than `values`, the default

Leakage. The largest ratio of conditional probabilities, as for `pufferfish`.

Example. Three fair coins whose exact majority is released: a coin that shows 1 makes the majority 1
with probability 3/4, a coin that shows 0 with 1/4, so 3 is needed.

    worlds: {records: [ann, bob, cat], domain: [0, 1]}
    mechanism: {deterministic: count(value == 1) >= 2}
    priors: {list: [uniform]}
    checks:
      - noiseless: {exp_epsilon: 3}
        leakage: 3

References. Bhaskar, Bhowmick, Goyal, Laxman, Thakurta 2011, Noiseless database privacy, as in
Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definition 6.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.definitions import _local_secrets, pufferfish
from verifier.definitions._order import DIVERGENCE
from verifier.definitions.pufferfish import value
from verifier.priors import pairs_of
from verifier.questions.question import Question
from verifier.questions.secrets import Pair, Pairs, PriorClass
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = pufferfish.OPTIONS
CLOSED = DIVERGENCE

__all__ = ["OPTIONS", "question", "read", "value"]


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    delta: Plain = 0,
    pairs: Pairs | str | Sequence[Pair] = "values",
    priors: PriorClass | Plain,
) -> Question:
    """Whether a mechanism satisfies noiseless privacy (Bassily et al. 2013, Definition 6).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    pairs      of secrets: `values`, `entries`, `presence`, or a list of two `Secret`s each
    priors     what attackers may believe: a class such as `product`, or {"list": [prior, …]}

    InputError and NotDecided as for `pufferfish.question`.
    """
    if isinstance(mechanism, LocalMechanism):
        about = "noiseless", space, mechanism, level, delta
        return _local_secrets.question(*about, pairs, priors)
    found = pairs_of(space, pairs)
    options = {"pairs": found.kind}
    return pufferfish.of_pairs("noiseless", space, mechanism, level, delta, found, priors, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    known = _local_secrets.asked("noiseless", options, "values")
    return known or question(
        space=options.space,
        pairs=options.pairs("values"),
        priors=options.priors(),
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
    )

"""Single-prior privacy (Kifer, Machanavajjhala 2014, Section 7.1), with the paper's own secrets.

Statement. For every record i, every value t and every output o, P(o | i has t) <=
α·P(o | i is not in the data) and the other way round; with δ, Σ_o max(0, P − α·Q) <= δ. Given that
i has t, the other n − 1 records are independent with the known distribution; given that i is not
in the data, all n records come from other people, independent with that distribution. Every
world has n records; an absent one counts as a value.

Options. `epsilon` or `exp_epsilon`; `delta`; `known`: the distribution, {value: p, …}; `pairs`:
`presence` (as above, the default) or `values` (i has t against i has t').

Leakage. The largest ratio, rational or infinite.

Example. Algorithm 1 with n = 6, q = 1/2, e^ε = 2 leaks 3/2; with `pairs: values` it leaks 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.claims.question import Question, stated
from verifier.definitions import hedging_privacy
from verifier.definitions._plain import Matrix
from verifier.definitions.hedging_privacy import Model, claim_of
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "known", "pairs")


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    known: Plain,
    pairs: Plain = "presence",
) -> Question:
    """Whether single-prior privacy is satisfied (Kifer, Machanavajjhala 2014, Section 7.1).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    known      the distribution f of a record, {value: probability}
    pairs      `presence` or `values`

    InputError where the worlds are no records, or the distribution is none (S504).
    """
    keyword, options = "single_prior_privacy", {"pairs": stated(pairs)}
    claim = claim_of(keyword, space, mechanism, level, delta, known, Fraction(1), pairs)
    return Question(definition=keyword, claim=claim, options=options)


def read(options: Options) -> Question:
    """The question that a file asks."""
    given = options.options.mapping(needs="known")
    return question(
        space=options.space,
        pairs=options.option("pairs") or "presence",
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
        known=given["known"],
    )


def value(
    rows: Matrix,
    databases: Sequence[Sequence[Any]],
    known: Model,
    alpha: Fraction,
    pairs: str = "presence",
) -> Fraction:
    """The smallest δ at α, straight from the definition; a row has one probability per database."""
    return hedging_privacy.value(rows, databases, known, Fraction(1), [known], alpha, pairs)

"""A person's data are compared with a stranger's, under one known distribution.

Syntax. `single_prior_privacy: {epsilon: LEVEL, delta: NUMBER, known: {VALUE: NUMBER, …},
pairs: KIND}`

Statement. i is one of the n records, t a value, o an output, and α = e^ε the level. For every i, t
and o, P(o | i has t) <= α·P(o | i is not in the data) and the other way round; with δ,
Σ_o max(0, P − α·Q) <= δ. Given that i has t, the other n − 1 records are independent with the known
distribution; given that i is not in the data, all n records come from other people, independent
with that distribution. Every world has n records; an absent one counts as a value.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `known`: the known distribution of a record, {value: probability, …}
- `pairs`: `presence` (the default: i has t against i is not in the data) or `values` (i has t
  against i has another value)

Leakage. The largest ratio, rational or infinite.

Example. One fair coin, answered truthfully with probability 3/4: the answer of a stranger is a fair
coin, 1/2 against 1/4, so 2; the two values have 3/4 against 1/4, so 3.

    worlds: {records: [ann], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - single_prior_privacy: {exp_epsilon: 2, known: {0: 1/2, 1: 1/2}}
        leakage: 2
      - single_prior_privacy: {exp_epsilon: 3, known: {0: 1/2, 1: 1/2}, pairs: values}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Section 7.1, Equation 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.definitions import hedging_privacy
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix
from verifier.definitions.hedging_privacy import Model, claim_of
from verifier.questions.question import Question, stated
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "known", "pairs")
CLOSED = DIVERGENCE


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
    """The question that the `options` of a file ask."""
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
    """The smallest δ at α, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record
    known      value -> probability
    alpha      α, the level e^ε
    pairs      `presence` or `values`
    """
    return hedging_privacy.value(rows, databases, known, Fraction(1), [known], alpha, pairs)

"""A person's data are compared with a stranger's, under a guess that may be wrong.

Syntax. `hedging_privacy: {epsilon: LEVEL, delta: NUMBER, known: {VALUE: NUMBER, …},
weight: NUMBER, pairs: KIND}`

Statement. f* is the known distribution of a record, f any other one, a the weight of the known one,
o an output, and α = e^ε the level. For every record i, every value t, every f and every o,
P(o | i has t) <= α·P(o | i is not in the data) and the other way round; with δ,
Σ_o max(0, P − α·Q) <= δ. Given that i has t, the other n − 1 records have the likelihood
(1 − a)·Π f + a·Π f*; given that i is not in the data, all n records come from other people and
have (1 − a)·Π f + a·Π f*. Every world has n records; an absent one counts as a value.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `known`: the known distribution of a record, {value: probability, …}
- `weight`: the weight of the known distribution, from 0 to 1
- `pairs`: `presence` (the default: i has t against i is not in the data) or `values` (i has t
  against i has another value)

Leakage. The supremum over f of the ratios, which may be irrational, and need not be attained.

Example. Response with 3/4, two records, a = 1/1000, f* uniform: 8995/2999, and 3 with
`pairs: values`, where the mixture of the joint priors
(1 − a)·f² + a·f*² leaks 5997/1000, as there the weight of f* changes with the secret.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - hedging_privacy: {exp_epsilon: 3, known: {0: 1/2, 1: 1/2}, weight: 1/1000}
        leakage: 8995/2999
      - hedging_privacy: {exp_epsilon: 3, known: {0: 1/2, 1: 1/2}, weight: 1/1000, pairs: values}
        leakage: 3

References. Kifer, Machanavajjhala 2014, Pufferfish, Section 7.2 and Equation 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from verifier.base import exact
from verifier.base.document import Plain, tree
from verifier.base.level import Level
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.priors._polynomial import need_records, occurring
from verifier.priors.hedging import HedgingPriors
from verifier.questions.beliefs.records import distribution, probability
from verifier.questions.claim import ComparisonClaim, PolynomialsClaim
from verifier.questions.question import Question, share, stated
from verifier.questions.secrets import Pufferfish, Secret
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.single import one_record
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "known", "weight", "pairs")
CLOSED = DIVERGENCE

Model = Mapping[Any, Fraction]  # of one record


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    known: Plain,
    weight: Plain,
    pairs: Plain = "presence",
) -> Question:
    """Whether a mechanism satisfies hedging privacy (Kifer, Machanavajjhala 2014, Section 7.2).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    known      the distribution f* of a record that is known, {value: probability}
    weight     a, its weight in [0, 1]
    pairs      `presence` or `values`

    InputError where the worlds are no records, or a distribution is none (S504).
    """
    share_of_known = probability(tree(weight))
    options = {"weight": exact.text(share_of_known), "pairs": stated(pairs)}
    claim = claim_of(
        "hedging_privacy", space, mechanism, level, delta, known, share_of_known, pairs
    )
    return Question(definition="hedging_privacy", claim=claim, options=options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    given = options.options.mapping(needs="known weight")
    return question(
        space=options.space,
        weight=given["weight"],
        pairs=options.option("pairs") or "presence",
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
        known=given["known"],
    )


def claim_of(
    definition: str,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain,
    known: Plain,
    weight: Fraction,
    pairs: Plain,
) -> PolynomialsClaim | ComparisonClaim:
    """The claim about the conditionals.

    definition  the keyword

    space, mechanism, level, delta, known, weight and pairs are those of `question`.
    """
    if space.is_histograms:
        one = one_record(space)
        space, mechanism = one.space, one.mechanism(mechanism)
    need_records(space, f"'{definition}'")
    kind = tree(pairs).word(("presence", "values"), "kind of pairs", "S405")
    given: dict[str, tuple[int, int] | None] = {}
    named = []
    for record, name in enumerate(space.records):
        codes = occurring(space, record)
        values = [f"{name} = {space.value_names[code]}" for code in codes]
        given |= {value: (record, code) for value, code in zip(values, codes, strict=True)}
        if kind == "values":
            named += list(combinations(values, 2))
        else:
            given[f"{name} not in the data"] = None
            named += [(value, f"{name} not in the data") for value in values]
    secrets = {
        name: Secret(
            name,
            np.ones(space.size, dtype=bool)
            if what is None
            else space.record_codes[what[0]] == what[1],
        )
        for name, what in given.items()
    }
    asked = Pufferfish(
        definition,
        space,
        mechanism,
        [(secrets[left], secrets[right]) for left, right in named],
        level,
        share(delta),
    )
    priors = HedgingPriors(weight, tuple(distribution(tree(known), space)))
    return priors.claim_about(asked, given, named)


def value(
    rows: Matrix,
    databases: Sequence[Sequence[Any]],
    known: Model,
    weight: Fraction,
    models: Iterable[Model],
    alpha: Fraction,
    pairs: str = "presence",
) -> Fraction:
    """The smallest δ at α over given distributions f, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record
    known      f*, value -> probability
    weight     the weight of f*
    models     the distributions f, each value -> probability
    alpha      α, the level e^ε
    pairs      `presence` or `values`
    """

    def output(i: int | None, t: Any, f: Model) -> list[Fraction] | None:
        """P(o | record i is t), or P(o | i is not in the data) for i = None."""
        mass = []
        for w in databases:
            others = [x for j, x in enumerate(w) if j != i]
            mixed = (1 - weight) * prod(f.get(x, 0) for x in others)
            mixed += weight * prod(known.get(x, 0) for x in others)
            mass.append(Fraction(mixed if i is None or w[i] == t else 0))
        total = sum(mass, Fraction(0))
        if not total:
            return None
        return [
            sum((m * p for m, p in zip(mass, row, strict=True)), Fraction(0)) / total
            for row in rows
        ]

    def compared(f: Model, i: int) -> Iterable[tuple[Any, Any]]:
        """Pairs of what is released where record i, of worlds that follow f, is one or another."""
        given = [output(i, t, f) for t in dict.fromkeys(w[i] for w in databases)]
        if pairs == "values":
            return combinations(given, 2)
        gone = output(None, None, f)
        return ((p, gone) for p in given)

    found = [pair for f in models for i in range(len(databases[0])) for pair in compared(f, i)]
    both = [list(zip(p, q, strict=True)) for p, q in found if p and q]
    return max(
        (smallest_delta(table, [(0, 1), (1, 0)], alpha) for table in both), default=Fraction(0)
    )

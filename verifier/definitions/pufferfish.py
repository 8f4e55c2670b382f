"""Attackers with any prior of a class learn little about which of two secrets is true.

Syntax. `pufferfish: {epsilon: LEVEL, delta: NUMBER, pairs: PAIRS, priors: CLASS}`

Statement. A secret s is a set of worlds, θ a prior of the class, o an output, and α = e^ε the
level. P(o | s, θ) <= α·P(o | s', θ) for every o, every pair (s, s') of secrets in both orders, and
every θ with P(s | θ) > 0 and P(s' | θ) > 0; with δ:
Σ_o max(0, P(o | s, θ) − α·P(o | s', θ)) <= δ.

Classes decided: `list` (each prior evaluated; Markov chains of records that answer by themselves
from both ends inwards, without enumerating worlds), `all` (every two worlds across a pair,
Theorem 3.1), `product` for secrets about one record (its single changes, Theorem 6.1), `hull`
and `constraints` (linear programs along the odds of the two secrets; with δ up to 10 outputs).
`iid`, `hedging`, `markov` and `product` otherwise: polynomials in unknown distributions, exact with
one parameter, else by a prior that is found or signs of coefficients, or undecided.

Options. `epsilon` or `exp_epsilon`, `delta`, `pairs`, `priors`.

Leakage. The largest ratio of conditional probabilities, rational or infinite; over infinitely
many priors the supremum of the ratios, which may be irrational, and need not be attained.

Example. Randomized response on records that follow a Markov chain leaks more than its
differential privacy level: 196/27 instead of 3.

    worlds: {records: [ann, bob, cat], domain: [0, 1]}
    secrets: {bob_yes: bob == 1, bob_no: bob == 0}
    pairs: [[bob_yes, bob_no]]
    priors:
      list:
        - markov:
            initial: stationary
            transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}
    mechanism: {randomized_response: {truth: 3/4}}
    checks:
      - pufferfish: {epsilon: 2}
        leakage: 196/27

References. Kifer, Machanavajjhala 2014, Pufferfish, Definition 3.4, Theorems 3.1 and 6.1; with δ:
Bassily, Groce, Katz, Smith 2013, Coupled-worlds privacy, Definition 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.definitions import _local_secrets
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix
from verifier.priors import asked_about, class_of, pairs_of
from verifier.questions.claim import Json
from verifier.questions.question import Question, share
from verifier.questions.secrets import Pair, Pairs, PriorClass, Pufferfish
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "pairs", "priors")
CLOSED = DIVERGENCE


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    delta: Plain = 0,
    pairs: Pairs | str | Sequence[Pair],
    priors: PriorClass | Plain,
) -> Question:
    """Whether a mechanism satisfies Pufferfish privacy (Kifer, Machanavajjhala 2014, Def. 3.4).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    pairs      of secrets: `values`, `entries`, `presence`, or a list of two `Secret`s each
    priors     what attackers may believe: a class such as `product`, or {"list": [prior, …]}

    InputError for priors or pairs that do not go with the worlds; NotDecided where there is no
    exact method for the class of priors.
    """
    if isinstance(mechanism, LocalMechanism):
        about = "pufferfish", space, mechanism, level, delta
        return _local_secrets.question(*about, pairs, priors)
    found = pairs_of(space, pairs)
    options = {"pairs": found.kind}
    return of_pairs("pufferfish", space, mechanism, level, delta, found, priors, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    known = _local_secrets.asked("pufferfish", options)
    return known or question(
        space=options.space,
        pairs=options.pairs(),
        priors=options.priors(),
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
    )


def of_pairs(
    definition: str,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain,
    pairs: Pairs,
    priors: PriorClass | Plain,
    options: Json,
) -> Question:
    """The question of a definition that chooses the pairs itself.

    definition  its keyword
    options     those that it states, in canonical form

    space, mechanism, level, delta, pairs and priors are those of `question`.
    """
    space, mechanism, known = asked_about(space, mechanism, pairs, class_of(space, priors))
    asked = Pufferfish(definition, space, mechanism, pairs.listed, level, share(delta))
    return Question(
        definition=definition,
        claim=known.claim(asked),
        options=options,
        pairs=pairs.listed,
        priors=known,
    )


def value(
    rows: Matrix,
    priors: Iterable[Sequence[Fraction]],
    pairs: Iterable[tuple[set[int], set[int]]],
    alpha: Fraction,
) -> Fraction:
    """The smallest δ at α over given priors and pairs, straight from the definition.

    rows    P(output | world), one row per output
    priors  a weight per world each
    pairs   of sets of worlds
    alpha   α, the level e^ε
    """
    worst, pairs = Fraction(0), list(pairs)
    for prior in priors:
        for pair in pairs:
            for s, t in (pair, pair[::-1]):
                mass = [sum((prior[w] for w in side), Fraction(0)) for side in (s, t)]
                if all(mass):
                    excess = Fraction(0)
                    for row in rows:
                        p, q = (
                            sum((prior[w] * row[w] for w in side), Fraction(0)) / total
                            for side, total in zip((s, t), mass, strict=True)
                        )
                        excess += max(Fraction(0), p - alpha * q)
                    worst = max(worst, excess)
    return worst

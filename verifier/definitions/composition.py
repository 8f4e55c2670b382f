"""The condition that must hold, or the levels of many runs do not add up.

Syntax. `composition: {epsilon: LEVEL, of: [NAME, …], pairs: PAIRS, priors: CLASS}`,
or with `sequence: [NAME, …]` in place of `of`

Statement. M[o, D] is the probability of output o in world D, and α = e^ε the level. For every pair
(s, s') of secrets in both orders, every prior θ of the class with P(s | θ), P(s' | θ) > 0, and
every world D of s with θ(D) > 0 there are weights β >= 0 of sum 1 on the worlds of s' with θ > 0
such that M[o, D] <= α·Π_l M[o, l]^β_l for every output o of every mechanism of the set. Where this
fails, after enough runs the likelihoods of s and s' differ by more than α^runs. Where it holds,
one run may still leak more than α, and levels may still not add up.

Options. `epsilon` or `exp_epsilon`, `pairs`, `priors`; and
- `of`: the names of the mechanisms of the set; the file's only mechanism by default
- `sequence`: names of mechanisms that run in this order again and again, in place of `of`; once
  through all of them counts as one run

Leakage. The smallest α for which all these weights exist. It is a rational number, or stands
between two bounds. It is infinite where some runs rule s' out.

Example. A bit answered truthfully with probability 3/4: one run is needed at 3, two at 9. Two
mechanisms that leak nothing by themselves and everything together are in
models/composition/collapse-xor.yaml.

    worlds: {records: [ann], domain: [0, 1]}
    mechanisms:
      response: {randomized_response: {truth: 3/4}}
    pairs: values
    priors: all
    checks:
      - composition: {exp_epsilon: 3, of: [response]}
        leakage: 3
      - composition: {exp_epsilon: 9, sequence: [response, response]}
        leakage: 9

References. Bai, He, Gu, Kifer, Maeng, Composition for Pufferfish privacy, Theorem 5.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod

import numpy as np

from verifier.base.document import Plain
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.definitions._plain import Matrix
from verifier.mechanisms.compose import in_order
from verifier.priors import ComparedPriors, asked_about, class_of, pairs_of
from verifier.priors.all import AllPriors
from verifier.priors.product import ProductPriors
from verifier.questions.claim import Claim
from verifier.questions.composition import CompositionClaim
from verifier.questions.question import Question
from verifier.questions.secrets import Pair, Pairs, PriorClass, Pufferfish
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism, one_of
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "of", "sequence", "pairs", "priors")
CLOSED = (
    "for fixed β the rows with x_D <= α Π x_l^β_l are a convex cone, as the weighted geometric "
    "mean is concave and homogeneous"
)

Power = tuple[Fraction, int]
ONE = Fraction(1)


def question(
    *,
    space: WorldSpace,
    mechanisms: Sequence[tuple[str, Mechanism]],
    level: Level,
    pairs: Pairs | str | Sequence[Pair],
    priors: PriorClass | Plain,
    in_sequence: bool = False,
) -> Question:
    """Whether the conditions for linear composition hold (Bai, He, Gu, Kifer, Maeng, Thm 5.1).

    space        the possible worlds
    mechanisms   those of a run, with names
    level        e^ε of one run
    pairs        of secrets: `values`, `entries`, `presence`, or a list of two `Secret`s each
    priors       what attackers may believe: a class such as `product`, or {"list": [prior, …]}
    in_sequence  whether a run uses all of them, from the first to the last; else any one of them

    InputError and NotDecided as for `pufferfish.question`. Where the conditions are comparisons of
    two worlds each, the claim is about these.
    """
    found = pairs_of(space, pairs)
    one_run = _of_one_run(mechanisms, in_sequence)
    space, one_run, known = asked_about(space, one_run, found, class_of(space, priors))
    asked = Pufferfish(
        "composition",
        space,
        one_run,
        found.listed,
        level,
        Fraction(0),
    )
    return Question(
        definition="composition",
        claim=_claim(asked, known),
        options={"pairs": found.kind},
        pairs=found.listed,
        priors=known,
    )


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    priors, pairs = options.priors(), options.pairs()
    return question(
        space=options.space,
        mechanisms=options.mechanisms(),
        level=options.level(),
        pairs=pairs,
        priors=priors,
        in_sequence=options.options.get("sequence") is not None,
    )


def _claim(asked: Pufferfish, priors: PriorClass) -> Claim:
    """The claim about the supports of the class of priors, or comparisons that amount to it."""
    if isinstance(priors, AllPriors | ProductPriors):
        try:
            return ComparedPriors.claim(priors, asked)
        except NotDecided:
            pass
    pairs = asked.pairs
    statement = priors.statement(asked.space, pairs)
    secrets = {
        name: np.flatnonzero(secret.worlds).tolist() for name, secret in asked.secrets.items()
    }
    names = [(left.name, right.name) for left, right in pairs]
    return CompositionClaim(
        asked.definition,
        asked.space,
        asked.mechanism,
        asked.level,
        asked.delta,
        names,
        {
            "rule": "composition",
            "secrets": secrets,
            "pairs": list(map(list, names)),
            "priors": statement,
        },
        priors.supports(asked.space, pairs),
        secrets,
        scope=asked.scope(statement["class"], ()),
    )


def _of_one_run(named: Sequence[tuple[str, Mechanism]], in_sequence: bool) -> Mechanism:
    """That of one run: one of a set, saying which; or a sequence from its first to its last."""
    if in_sequence and len(named) > 1:
        return in_order([mechanism for _, mechanism in named])
    return one_of(named)


def value(rows: Matrix, betas: Iterable[tuple[int, Mapping[int, Fraction]]]) -> Power:
    """The smallest level with given weights of worlds, as (p, k) for p^(1/k).

    rows   P(output | world), one row per output
    betas  (D, {l: β_l}): a world, and the weights of the worlds that are to be as likely

    The largest M[o, D] / Π_l M[o, l]^β_l over all of these, at least 1. ValueError where a mean
    is 0.
    """
    worst = (Fraction(1), 1)
    for world, beta in betas:
        k = lcm(*(weight.denominator for weight in beta.values()))
        for row in (row for row in rows if row[world]):
            mean = prod((row[w] ** int(weight * k) for w, weight in beta.items()), start=ONE)
            if not mean:
                raise ValueError(f"an output of world {world} is excluded")
            power = row[world] ** k / mean
            if power ** worst[1] > worst[0] ** k:
                worst = power, k
    return worst

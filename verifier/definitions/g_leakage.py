"""Seeing the output helps to guess little: an attacker's best gain grows by at most a factor.

Syntax. `g_leakage: {epsilon: LEVEL, delta: NUMBER, guesses: [VALUE, …], gain: EXPRESSION,
priors: CLASS}`

Statement. M[o, w] is the probability of output o in world w, θ_w that of world w, and g(r, w) what
an attacker gains who guesses r in world w. Without the output the best guess gains
V = max_r Σ_w θ_w·g(r, w), and with it V' = Σ_o max_r Σ_w θ_w·M[o, w]·g(r, w). At α = e^ε, V' <= α·V
+ δ for every prior θ of the class: α bounds the multiplicative leakage V'/V where δ is 0, and δ the
additive one V' − V where α is 1.

Options. `epsilon` or `exp_epsilon`; and
- `delta`: δ, 0 by default
- `guesses`: what may be guessed, numbers or words; by default the worlds
- `gain`: an expression about the world and the guess, which is called `guess`; by default 1 for the
  right world, and 0 for others. It is at most 1, and the best gain without output not below 0
- `priors`: `list`; or `all`, which without a gain is decided: the *Bayes capacity*

Leakage. The smallest α, exact; infinite where nothing can be gained without the output. Its
logarithm is the g-leakage, without a gain the *min-entropy leakage*. `tradeoff` gives the smallest
δ at given levels, [1] the additive leakage. For every prior and every gain that is not negative,
`maximal_leakage` bounds it.

Example. Two bits, told with probability 3/4 each, are guessed with 9/16 in place of 1/4; Ann's bit
with 3/4 in place of 1/2, or by 1/4 more often.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanism: {randomized_response: {truth: 3/4}}
    priors: {list: [uniform]}
    checks:
      - g_leakage: {exp_epsilon: 9/4}
        leakage: 9/4
      - g_leakage: {exp_epsilon: 3/2, guesses: [0, 1], gain: 1 if guess == ann else 0}
        leakage: 3/2
      - g_leakage: {exp_epsilon: 1, delta: 1/4, guesses: [0, 1], gain: 1 if guess == ann else 0}

References. Smith 2009, On the foundations of quantitative information flow; Alvim, Chatzikokolakis,
Palamidessi, Smith 2012, Measuring information leakage using generalized gain functions; for the
capacities Alvim, Chatzikokolakis, McIver, Morgan, Palamidessi, Smith 2014, Additive and
multiplicative notions of leakage, and their capacities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul

import numpy as np

from verifier.base.document import Plain, tree
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.definitions._plain import Matrix
from verifier.definitions.optimal import losses
from verifier.priors import class_of
from verifier.priors.all import AllPriors
from verifier.priors.list import ListedPriors
from verifier.questions.claim import Game, LeakageClaim
from verifier.questions.question import Question, share, stated
from verifier.questions.secrets import PriorClass
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.space import candidates
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "guesses", "gain", "priors")
CLOSED = "who sees only what is made of an output can guess no better than from the output itself"


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    delta: Plain = 0,
    guesses: Plain | None = None,
    gain: Plain | None = None,
    priors: PriorClass | Plain,
    secrets: Mapping[str, np.ndarray] | None = None,
) -> Question:
    """Whether outputs help to guess little (Alvim, Chatzikokolakis, Palamidessi, Smith 2012).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    delta      by how much more may be gained, in [0, 1]
    guesses    what may be guessed, numbers or words; with `gain` only
    gain       an expression about the world and `guess`, a number; None for the right world
    priors     what attackers may believe: {"list": [prior, …]}, or `all`
    secrets    names that the gain may use, each true in some worlds: arrays of shape (worlds,)

    InputError for a gain that is no number, above 1, or below 0 at best (S604), and for guesses
    without a gain (S602); NotDecided for other classes of priors.
    """
    known = class_of(space, priors)
    if not isinstance(known, ListedPriors | AllPriors):
        raise NotDecided("of guesses priors are listed, or all without a gain")
    listed = None
    if isinstance(known, ListedPriors):
        listed = [prior.tolist() for prior in known.priors]
    elif gain is not None:
        raise NotDecided("with a gain priors are listed; maximal_leakage bounds the rest")
    game = None
    if guesses is not None and gain is not None:
        game = _game(space, guesses, gain, secrets or {}, listed or ())
    elif (alone := guesses or gain) is not None:
        said = "guesses and their gain go together"
        raise tree(alone).fail("S602", said, "write both, or none")
    claim = LeakageClaim(
        "g_leakage",
        space,
        mechanism,
        game,
        listed,
        level,
        share(delta),
        scope={"notes": list(mechanism.notes)},
    )
    options = {"gain": None if gain is None else stated(gain)}
    return Question(definition="g_leakage", claim=claim, options=options, priors=known)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(
        space=options.space,
        mechanism=options.mechanism(),
        level=options.level(),
        delta=options.delta(),
        guesses=options.option("guesses"),
        gain=options.option("gain"),
        priors=options.priors(),
        secrets=options.model.secrets,
    )


def value(rows: Matrix, prior: Sequence[Fraction], gains: Matrix) -> tuple[Fraction, Fraction]:
    """V and V', straight from the definition.

    rows   P(output | world), one row per output
    prior  a probability per world
    gains  one row per guess, one entry per world
    """

    def best(weights: Sequence[Fraction]) -> Fraction:
        return max(
            sum((x * y for x, y in zip(weights, row, strict=True)), Fraction(0)) for row in gains
        )

    seen = ([p * x for p, x in zip(prior, row, strict=True)] for row in rows)
    return best(prior), sum(map(best, seen), Fraction(0))


def _game(
    space: WorldSpace,
    guesses: Plain,
    gain: Plain,
    secrets: Mapping[str, np.ndarray],
    priors: Sequence[Sequence[Fraction]],
) -> Game:
    """The guesses by their names, and what each gains in every world; S604 where that is above 1,
    or below 0 whatever is guessed under one of the `priors`."""
    answers = candidates(tree(guesses), space, "a guess", "guesses")
    node = tree(gain).scalar("an expression")
    rows = losses(space, [answer.value for answer in answers], node, secrets, "guess")
    if (largest := max(map(max, rows))) > 1:
        said = f"a gain is at most 1, found {largest}"
        raise node.fail("S604", said, f"divide all gains by {largest}")
    if any(max(sum(map(mul, prior, row)) for row in rows) < 0 for prior in priors):
        said = "without the output the best guess gains less than 0"
        raise node.fail("S604", said, "add a guess that gains 0, such as nobody")
    return Game([answer.text for answer in answers], rows)

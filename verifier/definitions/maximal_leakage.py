"""Seeing the output helps nobody to guess anything about the world much better than before.

Syntax. `maximal_leakage: {epsilon: LEVEL}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
Σ_o max_w M[o, w] <= α. This bounds by how much the chance to guess any function of the world, even
a random one, grows for an attacker who sees the output, whatever the prior; and, for every prior
and every gain that is not negative, the factor of `g_leakage`. A uniform prior on the worlds, which
are to be guessed, attains it.

Options. `epsilon` or `exp_epsilon`.

Leakage. The sum: at least 1, at most the number of worlds, exact.

Example. A bit told with probability 3/4 leaks 3/2, two of them 9/4. To publish how many are 1 leaks
3: one for each output.

    worlds: {records: [ann, bob], domain: [0, 1]}
    mechanisms:
      response: {randomized_response: {truth: 3/4}}
      count: {deterministic: ann + bob}
    checks:
      - maximal_leakage: {exp_epsilon: 9/4}
        mechanism: response
        leakage: 9/4
      - maximal_leakage: {exp_epsilon: 2}
        mechanism: count
        expect: violated
        leakage: 3

References. Issa, Wagner, Kamath 2020, An operational approach to information leakage, Theorem 1;
Braun, Chatzikokolakis, Palamidessi 2009, Quantitative notions of leakage for one-try attacks.
"""

from __future__ import annotations

from fractions import Fraction

from verifier.base.level import Level
from verifier.definitions._plain import Matrix
from verifier.definitions.g_leakage import CLOSED
from verifier.questions.claim import LeakageClaim
from verifier.questions.question import Question
from verifier.spec.options import Options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon")

__all__ = ["CLOSED", "OPTIONS", "question", "read", "value"]


def question(*, space: WorldSpace, mechanism: Mechanism, level: Level) -> Question:
    """Whether a mechanism has a small maximal leakage (Issa, Wagner, Kamath 2020, Theorem 1).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds)
    level      e^ε, one or more
    """
    keyword, scope = "maximal_leakage", {"notes": list(mechanism.notes)}
    claim = LeakageClaim(keyword, space, mechanism, None, None, level, scope=scope)
    return Question(definition=keyword, claim=claim)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(space=options.space, mechanism=options.mechanism(), level=options.level())


def value(rows: Matrix) -> Fraction:
    """The smallest α, straight from the definition.

    rows  P(output | world), one row per output
    """
    return sum((max(row) for row in rows), Fraction(0))

"""How much better the best guess of an attacker becomes by the output, by adding up.

Example. Two bits are told with probability 3/4 each. Whoever guesses both is right with probability
1/4 before, and with 9/16 by guessing what is told.

Under a prior, a guess gains the expected gain of its worlds. With all priors allowed, and the right
world guessed, V' − α·V is convex on the priors of one largest weight v, and so largest at a corner:
some worlds have v, and one has the rest. Between two numbers of worlds the rest moves linearly with
v, so it is largest where that is 0: at the uniform prior on some of the worlds. Without δ that on
all worlds is the worst. See Alvim et al. 2014, Additive and multiplicative notions of leakage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations

from verifier.base import exact
from verifier.base.errors import LimitReached
from verifier.base.level import Leakage
from verifier.questions.answer import Answer, Proof, leveled, proved, sizes
from verifier.questions.claim import LeakageClaim
from verifier.questions.witness import GuessWitness

MAX_STEPS = 10**7  # priors times guesses, worlds and outputs
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Guessed:
    """What is guessed at best under a prior, world -> weight, and what that gains.

    guess, before   without the output, by number
    guesses, after  for each output, and all together
    """

    prior: Mapping[int, Fraction]
    guess: int
    before: Fraction
    guesses: Sequence[int]
    after: Fraction

    def level(self, delta: Fraction) -> Fraction | None:
        """The smallest level; None where nothing is gained without the output."""
        if self.before:
            return (self.after - delta) / self.before
        return None if self.after > delta else ONE


def decide(claim: LeakageClaim) -> Answer:
    """The verdict on a claim, the smallest level, and the prior and guesses that need it."""
    return told(claim, prove(claim))


def prove(claim: LeakageClaim) -> Proof:
    """The proof of the answer to a claim, with the smallest delta at further levels."""
    known = list(_guessed(claim))
    levels = [one.level(claim.delta) for one in known]
    finite = [level for level in levels if level is not None]
    least = exact.largest([ONE, *finite]) if len(finite) == len(levels) else None
    points = [
        (alpha, exact.largest([ZERO, *(one.after - alpha * one.before for one in known)]))
        for alpha in claim.tradeoff
    ]
    return proved(least is not None and claim.level.admits(least), Leakage(least), None, points)


def told(claim: LeakageClaim, proof: Proof) -> Answer:
    """What a proof says in answer to a claim; the guesses are found again."""
    answer = leveled(claim, proof, sizes(claim.space, claim.mechanism))
    least = None if answer.leakage is None else answer.leakage.exp_epsilon
    if least == 1:
        return answer
    one = next(one for one in _guessed(claim) if one.level(claim.delta) == least)
    name = claim.space.name if claim.game is None else claim.game.guesses.__getitem__
    witness = GuessWitness(
        {claim.space.name(world): weight for world, weight in one.prior.items()},
        name(one.guess),
        one.before,
        dict(zip(claim.mechanism.outputs, map(name, one.guesses), strict=True)),
        one.after,
    )
    return replace(answer, shown=witness)


def _guessed(claim: LeakageClaim) -> Iterator[Guessed]:
    """The best guesses under each prior that may be worst."""
    unit, values = exact.in_integers(claim.mechanism.values)
    rows = [[values[code] for code in row] for row in claim.mechanism.codes.tolist()]
    steps = 0
    for prior in _priors(claim):
        scale, guesses = _worth(claim, prior)
        steps += (3 + len(rows)) * sum(map(len, guesses))
        if steps > MAX_STEPS:
            raise LimitReached(f"more than {MAX_STEPS} probabilities are added up")
        guess, before = _best([sum(own.values(), ZERO) for own in guesses])
        found = [
            _best([sum(x * row[w] for w, x in own.items()) for own in guesses]) for row in rows
        ]
        after = sum((gain for _, gain in found), ZERO) / (scale * unit)
        yield Guessed(prior, guess, before / scale, [best for best, _ in found], after)


def _best(gains: Sequence[Fraction]) -> tuple[int, Fraction]:
    """The first of the guesses that gain most, and its gain."""
    largest = exact.largest(gains)
    return next(guess for guess, gain in enumerate(gains) if gain == largest), largest


def _worth(
    claim: LeakageClaim, prior: Mapping[int, Fraction]
) -> tuple[int, list[dict[int, Fraction]]]:
    """For each guess what it gains in a world, times the weight of that: in multiples of 1 over a
    number."""
    gains = claim.game.gains if claim.game else None
    worth = [
        {world: weight * row[world] for world, weight in prior.items()} for row in gains or ()
    ] or [{world: prior.get(world, ZERO)} for world in range(claim.space.size)]
    scale, whole = exact.in_integers([x for own in worth for x in own.values()])
    parts = iter(whole)
    return scale, [dict(zip(own, parts, strict=False)) for own in worth]


def _priors(claim: LeakageClaim) -> Iterable[Mapping[int, Fraction]]:
    """The given priors; or, of all, the uniform one on all worlds, and on some of them where there
    is a delta."""
    if claim.priors is not None:
        return [{w: x for w, x in enumerate(prior) if x} for prior in claim.priors]
    worlds = range(claim.space.size)
    least = 1 if claim.delta or claim.tradeoff else len(worlds)
    sizes = (combinations(worlds, size) for size in range(len(worlds), least - 1, -1))
    return (dict.fromkeys(some, Fraction(1, len(some))) for some in chain.from_iterable(sizes))

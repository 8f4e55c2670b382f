"""Simulators of coupled worlds, which z3 seeks from the definition alone."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction as F
from typing import Any

from tests.definitions.simulator_cases import Question
from tests.models.brute_force import (
    INFINITE,
    ZERO,
    Level,
    Mechanism,
    Prior,
    Row,
)

FOLDER = "coupled-worlds"


World = tuple[Any, ...]
Entries = Sequence[tuple[World, Hashable, F]]  # world, what the attacker knows, probability
View = tuple[Callable[[Any], Hashable], Callable[[Any], Hashable]]  # alt, priv


def asked(mechanism: Mechanism, priors: Sequence[Entries], views: Sequence[View]) -> Question:
    worlds = list(mechanism)
    outputs = list(dict.fromkeys(t for row in mechanism.values() for t in row))
    return Question(
        [[mechanism[w].get(t, ZERO) for t in outputs] for w in worlds],
        [([alt(w) for w in worlds], [priv(w) for w in worlds]) for alt, priv in views],
        [[(worlds.index(w), z, p) for w, z, p in entries] for entries in priors],
    )


def simulated(
    mechanism: Mechanism, priors: Sequence[Entries], views: Sequence[View], level: Level, delta: F
) -> Level:
    """`level`, after a solver has found a simulator for it, and none right below it (Def. 5)."""
    question = asked(mechanism, priors, views)
    if level == INFINITE:
        assert not question.serves(F(10**30), delta)
    else:
        assert isinstance(level, F) and question.serves(level, delta)
        assert level == 1 or not question.serves(level - F(1, 10**30), delta)
    return level


def knowing(prior: Prior, known: Callable[[Any], Hashable] = lambda w: None) -> Entries:
    return [(w, known(w), p) for w, p in prior.items()]


def unseen(rows: Sequence[Row], level: Level, delta: F = ZERO) -> Level:
    """`rows`: the outputs given each value of a record that is independent of the others.

    What a simulator makes of the others then has the same distribution given each value, and it
    may be any: it may as well see nothing.
    """
    mechanism = {(k,): row for k, row in enumerate(rows)}
    prior = {w: F(1, len(rows)) for w in mechanism}
    return simulated(mechanism, [knowing(prior)], [(lambda w: None, lambda w: w[0])], level, delta)

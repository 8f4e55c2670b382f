"""Theorem 5.1 of the composition paper, its conditions, as docs/definitions/composition.md has it.

For each ordered pair (s, t), each set of worlds that a prior of the class allows, and each world D
of s in it, weights β >= 0 of sum 1 on the worlds of t in it are wanted with

    P(o | D) <= α Π_l P(o | l)^β_l for every output o.

A level is proved here, not searched for. Given are weights, as whole numbers that stand for their
shares of the sum n: the n-th powers are compared. That no smaller level serves is shown by counts c
of outputs with Π_o P(o | D)^c_o >= α^Σc Π_o P(o | l)^c_o for every l that has all outputs of D: a
weighted mean of these inequalities contradicts all weights, and no other l may have a weight.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import Any

from tests.models.brute_force import INFINITE, ZERO, Fraction, Level, Mechanism, Secret

Weights = Mapping[Any, int]  # of worlds
Counts = Mapping[Any, int]  # of outputs
Powers = Sequence[tuple[Fraction, int]]  # the product of x**n
Pairs = Sequence[tuple[Secret, Secret]]
Situation = tuple[Any, list[Any]]  # a world D, and the worlds that may have a weight


def boxes(records: int, domain: Sequence[Any]) -> list[set[Any]]:
    """What independent records allow: some values for each."""
    parts = [set(c) for n in range(len(domain)) for c in combinations(domain, n + 1)]
    return [set(product(*chosen)) for chosen in product(parts, repeat=records)]


def situations(supports: Iterable[Collection[Any]], pairs: Pairs) -> Iterator[Situation]:
    """Every D with the worlds of the other secret, in both orders of each pair."""
    for allowed in supports:
        for pair in pairs:
            for s, t in (pair, pair[::-1]):
                others = [w for w in allowed if t(w)]
                yield from ((w, others) for w in allowed if s(w) and others)


def dominating(mechanism: Mechanism, situation: Situation) -> list[Any]:
    """The worlds that have every output of D."""
    world, others = situation
    return [w for w in others if mechanism[world].keys() <= mechanism[w].keys()]


def at_most(left: Powers, right: Powers) -> bool:
    """Is one product of powers at most another one? By whole numbers, without common factors
    being looked for."""

    def whole(powers: Powers) -> tuple[int, int]:
        return prod(x.numerator**n for x, n in powers), prod(x.denominator**n for x, n in powers)

    (a, b), (c, d) = whole(left), whole(right)
    return a * d <= c * b


def serve(mechanism: Mechanism, level: Fraction, world: Any, weights: Weights) -> bool:
    n = sum(weights.values())
    return all(
        at_most(
            [(p, n)],
            [(level, n), *((mechanism[w].get(o, ZERO), k) for w, k in weights.items())],
        )
        for o, p in mechanism[world].items()
    )


def met(
    mechanism: Mechanism,
    supports: Iterable[Collection[Any]],
    pairs: Pairs,
    level: Fraction,
    weights: Sequence[Weights] = (),
) -> bool:
    """Does a single world or one of the given weights serve for every D?"""
    return all(
        any(
            serve(mechanism, level, world, chosen)
            for chosen in [*({w: 1} for w in others), *weights]
            if chosen.keys() <= set(others)
        )
        for world, others in situations(supports, pairs)
    )


def contradict(mechanism: Mechanism, level: Fraction, situation: Situation, counts: Counts) -> bool:
    world, n = situation[0], sum(counts.values())

    def likelihood(w: Any) -> Powers:
        return [(mechanism[w].get(o, ZERO), c) for o, c in counts.items()]

    return counts.keys() <= mechanism[world].keys() and all(
        at_most([(level, n), *likelihood(w)], likelihood(world))
        for w in dominating(mechanism, situation)
    )


def needed(
    mechanism: Mechanism,
    supports: Iterable[Collection[Any]],
    pairs: Pairs,
    level: Fraction,
    counts: Sequence[Counts] = (),
) -> bool:
    """Does a single output or one of the given counts show for some D that less will not do?"""
    return any(
        contradict(mechanism, level, (world, others), chosen)
        for world, others in situations(supports, pairs)
        for chosen in [*({o: 1} for o in mechanism[world]), *counts]
    )


def collapses(mechanism: Mechanism, supports: Iterable[Collection[Any]], pairs: Pairs) -> bool:
    """Is there a D that no other world dominates?"""
    return any(not dominating(mechanism, at) for at in situations(supports, pairs))


def proved(
    mechanism: Mechanism,
    supports: Sequence[Collection[Any]],
    pairs: Pairs,
    level: Level,
    weights: Sequence[Weights] = (),
    counts: Sequence[Counts] = (),
) -> Level:
    """The level, after it was proved to be the smallest."""
    assert collapses(mechanism, supports, pairs) == (level == INFINITE)
    if level != INFINITE:
        exact = Fraction(level)
        assert met(mechanism, supports, pairs, exact, weights)
        assert exact == 1 or needed(mechanism, supports, pairs, exact, counts)
    return level

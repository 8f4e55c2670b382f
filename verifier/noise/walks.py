"""Sums of Laplace draws that are compared one after the other: each is a step from another sum.

Let s = α·p + f·z be such a sum, where the draw z is in no other condition and p is a sum of other
draws. Then the probability of all that s has to meet, as a function of p, is that of s before the
step, convolved with the density of f·z, at α·p. So a draw is eliminated by one convolution, however
many draws p has; with p in place of s it goes on.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from verifier.noise.draws import LAPLACE, Law
from verifier.noise.events import Event
from verifier.noise.trees import Bound, Node, Step

# factors of the draws, without a common divisor, the first of them positive
Sides = tuple[int, ...]


def walk(event: Event) -> Node | None:
    """An `event` as one draw with the steps from it; None where it is none, or no sum is of three
    draws and more."""
    laws = dict(enumerate(event.laws))
    if any(law.kind != LAPLACE for law in laws.values()):
        return None
    if all(len(terms) < 3 for terms, _ in event.conditions):
        return None
    ends: dict[Sides, set[Bound]] = {}
    steps: dict[Sides, list[Step]] = {}
    for terms, constant in event.conditions:
        factors = dict(terms)
        sides, size = _normal([factors.get(i, 0) for i in laws])
        end = Bound(size > 0, Fraction(0), Fraction(-constant, size))
        ends.setdefault(sides, set()).add(end)
    left = set(laws)
    while len(left) > 1:
        found = _single(left, ends)
        if found is None:
            return None
        draw, sides = found
        inner, factor = _normal([0 if i == draw else c for i, c in enumerate(sides)])
        law = Law(LAPLACE, laws[draw].parameter * abs(sides[draw]))
        step = Step(law, Fraction(factor), tuple(sorted(ends.pop(sides))), _taken(steps, sides))
        ends.setdefault(inner, set())
        steps.setdefault(inner, []).append(step)
        left.remove(draw)
    (last,), ((sides, bounds),) = left, ends.items()  # what is left is about one draw
    return Node(laws[last], tuple(sorted(bounds)), steps=_taken(steps, sides))


def _single(left: set[int], ends: dict[Sides, set[Bound]]) -> tuple[int, Sides] | None:
    """A draw that is in one sum alone, with others, and this sum."""
    for draw in sorted(left, reverse=True):
        own = [sides for sides in ends if sides[draw]]
        if len(own) == 1 and sum(map(bool, own[0])) > 1:
            return draw, own[0]
    return None


def _taken(steps: dict[Sides, list[Step]], sides: Sides) -> tuple[Step, ...]:
    return tuple(sorted(steps.pop(sides, ())))


def _normal(factors: list[int]) -> tuple[Sides, int]:
    """The factors without a common divisor, the first positive, and by what they are multiplied."""
    size = gcd(*factors)
    size = size if next(c for c in factors if c) > 0 else -size
    return tuple(c // size for c in factors), size

"""What is asked of a mechanism that releases real numbers.

Without δ it is asked of the finite mechanism that stands for the numbers. With δ the numbers are
cut at the level that is asked for, and at a level just above the smallest one, which is found by
Newton's method: δ(α) is convex, and what is cut at α has the value and the tangent of it there, so
that the tangent's zero is at most the smallest level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from verifier.base import exponential
from verifier.base.errors import NotDecided
from verifier.base.exact import is_irrational, is_symbolic
from verifier.engines.comparison import comparison
from verifier.kernels import hockey_stick
from verifier.questions.boxes import BoxClaim
from verifier.questions.claim import ComparisonClaim
from verifier.questions.densities import COMPARED, INSIDE, OTHERWISE
from verifier.questions.question import Question
from verifier.world.box import Box, telling
from verifier.world.language.regions import logarithm
from verifier.world.mechanism import MIXED, Mechanism

ROUNDS = 100
UNIT = 10**12  # of the levels ε at which numbers are cut
Pairs = list[tuple[int, int]]


def asked(reals: Mechanism, delta: Fraction, ask: Callable[[Mechanism], Question]) -> Question:
    """The question that a definition asks of released real numbers.

    delta  what may be missed
    ask    mechanism -> the question that the definition asks of it

    NotDecided for definitions that no finite mechanism decides.
    """
    if reals.reals == MIXED:
        return _at_ends(reals, delta, ask)
    if not delta:
        found = ask(reals)
        if found.mechanism is not reals:
            raise NotDecided(OTHERWISE)
        return found
    question = ask(telling(reals.worlds))
    claim: Any = question.claim
    direct = isinstance(claim, ComparisonClaim) and claim.compared is claim.mechanism
    if reals.cutter is None or not direct or claim.relation.statement["rule"] == "secrets":
        raise NotDecided(OTHERWISE)
    if is_symbolic(claim.level.alpha) or is_symbolic(delta):
        raise NotDecided("real numbers are released, and the level depends on a parameter")
    made = _cut(reals, claim)
    notes = [*made.notes, *claim.scope.get("notes", ())]
    scope = {**claim.scope, "notes": notes}
    if isinstance(made, Mechanism):
        own = replace(claim, mechanism=made, compared=made, scope=scope)
        return replace(question, claim=own)
    if is_irrational(delta):
        raise NotDecided("normal noise is released, and delta is irrational")
    of_box = BoxClaim(
        claim.definition,
        claim.space,
        made,
        telling(made.worlds),
        claim.relation,
        claim.level,
        delta,
        claim.describe,
        scope=scope,
    )
    return replace(question, claim=of_box)


def _at_ends(reals: Mechanism, delta: Fraction, ask: Callable[[Mechanism], Question]) -> Question:
    """The question of a number after comparisons, whose level is one at ends of cells."""
    question = ask(telling(reals.worlds))
    claim: Any = question.claim
    direct = isinstance(claim, ComparisonClaim) and claim.compared is claim.mechanism
    of_worlds = direct and claim.relation.statement["rule"] != "secrets"
    if delta or reals.cutter is None or not of_worlds:
        raise NotDecided(COMPARED)
    distances: dict[tuple[int, int], Fraction] = {}
    for part in claim.relation.blocks:
        for pair in part.pairs():
            distances[pair] = min(part.distance, distances.get(pair, part.distance))
    made, ends = reals.cutter(distances)
    notes = [*made.notes, *claim.scope.get("notes", ())]
    scope = {**claim.scope, "notes": notes}
    own = replace(claim, mechanism=made, compared=made, scope=scope)
    found: Any = comparison.prove(own).witness
    if found is not None and found.output >= ends:
        raise NotDecided(INSIDE)
    return replace(question, claim=own)


def _cut(reals: Mechanism, claim: ComparisonClaim) -> Mechanism | Box:
    """The mechanism that is cut at the level that a `claim` asks for, and just above the smallest
    one where that is another."""
    pairs, level = list(claim.relation.pairs()), claim.level.alpha
    found = _at(reals, [level], pairs, False)
    least = _least(found, pairs, claim.delta)
    if least is None or claim.relation.is_empty():
        return found  # no level serves, or each
    smallest, holds = _smallest(reals, pairs, claim.delta, least), least <= level
    above = _rounded(smallest, 10) if smallest > 1 else smallest
    levels = {level} if holds and above > level else {level, above}
    made = _at(reals, sorted(levels), pairs, holds)
    least = _least(made, pairs, claim.delta)
    if least is None or (least <= level) != holds:
        raise NotDecided("real numbers are released, and the level is too near to the smallest one")
    return made


def _smallest(reals: Mechanism, pairs: Pairs, delta: Fraction, least: Fraction) -> Fraction:
    """The smallest level, or one that is hardly below it; what is the `least` one where it is cut
    elsewhere is not above it."""
    for _ in range(ROUNDS):
        level = _rounded(least, 0) if least > 1 else least
        more = _least(_at(reals, [level], pairs, False), pairs, delta)
        assert more is not None
        if more <= level * (1 + Fraction(3, UNIT)):
            return max(least, more)
        least = more
    raise NotDecided("real numbers are released, and the smallest level was not found")


def _at(reals: Mechanism, levels: Sequence[Fraction], pairs: Pairs, more: bool) -> Mechanism | Box:
    assert reals.cutter is not None
    found: Mechanism | Box = reals.cutter(levels, pairs, more)
    return found


def _least(made: Mechanism | Box, pairs: Pairs, delta: Fraction) -> Fraction | None:
    """The smallest level of what is cut, None for none; of a box that of its lower ends."""
    if isinstance(made, Box):
        made = made.least
    return hockey_stick.largest_alpha(made, pairs, delta)[0]


def _rounded(level: Fraction, units: int) -> Fraction:
    """A power of e near a level above 1: below it, or so many units of its exponent above it."""
    low, high = logarithm(level)
    places = ceil(high * UNIT) + units if units else floor(low * UNIT)
    return exponential.power(Fraction(max(places, 0), UNIT))

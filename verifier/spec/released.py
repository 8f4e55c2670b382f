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
from verifier.base.exact import is_irrational, is_symbolic, total
from verifier.kernels import hockey_stick
from verifier.questions.boxes import BoxClaim
from verifier.questions.claim import ComparisonClaim
from verifier.questions.densities import COMPARED, OTHERWISE
from verifier.questions.question import Question
from verifier.world.box import Box, telling
from verifier.world.language.regions import logarithm
from verifier.world.mechanism import MIXED, Asked, Mechanism
from verifier.world.relation import Relation

ROUNDS = 100
UNIT = 10**12  # of the levels ε at which numbers are cut


def asked(reals: Mechanism, delta: Fraction, ask: Callable[[Mechanism], Question]) -> Question:
    """The question that a definition asks of released real numbers.

    delta  what may be missed
    ask    mechanism -> the question that the definition asks of it

    NotDecided for definitions that no finite mechanism decides.
    """
    mixed = reals.reals == MIXED
    if not (delta or mixed):
        found = ask(reals)
        if found.mechanism is not reals:
            raise NotDecided(OTHERWISE)
        return found
    question = ask(telling(reals.worlds))
    claim: Any = question.claim
    compares = (
        isinstance(claim, ComparisonClaim) and claim.compared.outputs == claim.mechanism.outputs
    )
    of_worlds = compares and claim.compared is claim.mechanism
    of_worlds &= compares and claim.relation.statement["rule"] != "secrets"
    if reals.cutter is None or not (compares if mixed else of_worlds):
        raise NotDecided(COMPARED if mixed else OTHERWISE)
    about = claim.compared, distances(claim.relation)
    if not delta:
        return ask(reals.cutter((), about, False))
    if is_symbolic(claim.level.alpha) or is_symbolic(delta):
        raise NotDecided("real numbers are released, and the level depends on a parameter")
    made = _cut(reals, about, claim)
    if isinstance(made, Mechanism):
        return ask(made)
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
        scope={**claim.scope, "notes": [*made.notes, *claim.scope.get("notes", ())]},
    )
    return replace(question, claim=of_box)


def distances(relation: Relation) -> dict[tuple[int, int], Fraction]:
    """The pairs that a `relation` compares, and the least distance of each."""
    found: dict[tuple[int, int], Fraction] = {}
    for part in relation.blocks:
        for pair in part.pairs():
            found[pair] = min(part.distance, found.get(pair, part.distance))
    return found


def _cut(reals: Mechanism, about: Asked, claim: ComparisonClaim) -> Mechanism | Box:
    """The mechanism that is cut at the level that a `claim` asks for, and just above the smallest
    one where that is another."""
    level = claim.level.alpha
    found = _at(reals, [level], about, False)
    least = _least(found, about, claim.delta)
    if least is None or claim.relation.is_empty():
        return found  # no level serves, or each
    smallest, holds = _smallest(reals, about, claim.delta, least), least <= level
    above = _rounded(smallest, 10) if smallest > 1 else smallest
    levels = {level} if holds and above > level else {level, above}
    made = _at(reals, sorted(levels), about, holds)
    least = _least(made, about, claim.delta)
    if least is None or (least <= level) != holds:
        raise NotDecided("real numbers are released, and the level is too near to the smallest one")
    return made


def _smallest(reals: Mechanism, about: Asked, delta: Fraction, least: Fraction) -> Fraction:
    """The smallest level, or one that is hardly below it; what is the `least` one where it is cut
    elsewhere is not above it."""
    for _ in range(ROUNDS):
        level = _rounded(least, 0) if least > 1 else least
        more = _least(_at(reals, [level], about, False), about, delta)
        assert more is not None
        if more <= level * (1 + Fraction(3, UNIT)):
            return max(least, more)
        least = more
    raise NotDecided("real numbers are released, and the smallest level was not found")


def _at(reals: Mechanism, levels: Sequence[Fraction], about: Asked, more: bool) -> Mechanism | Box:
    assert reals.cutter is not None
    found: Mechanism | Box = reals.cutter(levels, about, more)
    return found


def _least(made: Mechanism | Box, about: Asked, delta: Fraction) -> Fraction | None:
    """The smallest level of what is cut, None for none; of a box that of its lower ends."""
    if isinstance(made, Box):
        made = made.least
    mixtures, pairs = about
    return hockey_stick.largest_alpha(mixed(made, mixtures), pairs, delta)[0]


def mixed(made: Mechanism, mixtures: Mechanism) -> Mechanism:
    """A mechanism whose columns are `mixtures` of those of another one."""
    if mixtures.worlds == made.worlds and (mixtures.codes == telling(made.worlds).codes).all():
        return made
    columns = mixtures.codes.T.tolist()
    rows = [
        [
            total(mixtures.values[code] * p for code, p in zip(column, row, strict=True) if p)
            for column in columns
        ]
        for row in made.rows()
    ]
    return Mechanism.from_rows(made.outputs, rows, parts=[made])


def _rounded(level: Fraction, units: int) -> Fraction:
    """A power of e near a level above 1: below it, or so many units of its exponent above it."""
    low, high = logarithm(level)
    places = ceil(high * UNIT) + units if units else floor(low * UNIT)
    return exponential.power(Fraction(max(places, 0), UNIT))

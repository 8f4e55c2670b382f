"""What bounded range, Rényi and zero-concentrated privacy share: neighbours, and what is stated."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.claims.claim import DivergenceClaim
from verifier.claims.question import Question, stated
from verifier.claims.witness import Belief
from verifier.definitions._plain import Matrix
from verifier.definitions.differential_privacy import neighbours_of, stated_options
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace


def measured(
    definition: str,
    space: WorldSpace,
    mechanism: Mechanism,
    level: Level,
    neighbours: Plain,
    group: Plain,
    order: Fraction | None = None,
) -> Question:
    """The question whether neighbours are within a level, as a definition measures them.

    definition  the keyword that asks
    space       the possible worlds
    mechanism   what is released
    level       e^ε, one or more
    neighbours  as those of `differential_privacy`
    group       in how many records neighbours may differ
    order       of Rényi's divergence, where it is one
    """
    relation = neighbours_of(space, neighbours, group)
    own = {} if order is None else {"order": stated(str(order))}
    options = {**stated_options(neighbours, group), **own}

    def describe(left: int, right: int) -> Belief:
        return Belief((space.name(left), space.name(right)), space.halves(left, right))

    notes = [*mechanism.notes, *relation.notes]
    scope = {"pairs": relation.count(), "notes": notes}
    claim = DivergenceClaim(definition, space, mechanism, relation, level, order, describe, scope)
    return Question(definition=definition, claim=claim, options=options)


def powers(rows: Matrix, pair: tuple[int, int], order: int) -> Fraction | None:
    """Σ M[o, w]^a·M[o, w']^(1 − a) over outputs o; None where M[o, w] > 0 = M[o, w'].

    rows   P(output | world), one row per output
    pair   two worlds w, w'
    order  a, an integer above 1
    """
    w, v = pair
    if any(row[w] and not row[v] for row in rows):
        return None
    return sum((row[w] ** order / row[v] ** (order - 1) for row in rows if row[v]), Fraction(0))


def largest(found: Iterable[Fraction | None]) -> Fraction | None:
    """The largest of some numbers, at least 1; None where one is infinite."""
    known = [Fraction(1), *found]
    return None if None in known else max(one for one in known if one is not None)

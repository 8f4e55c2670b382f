"""What bounded range, Rényi and zero-concentrated privacy share: neighbours, and what is stated."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verifier.base.document import Plain, Scalar, tree
from verifier.base.errors import NotDecided
from verifier.base.level import Level
from verifier.definitions._plain import Matrix
from verifier.definitions.differential_privacy import (
    changes_of,
    neighbours_of,
    stated_options,
)
from verifier.questions.claim import DivergenceClaim, RecordsDivergenceClaim
from verifier.questions.question import Question, stated
from verifier.questions.witness import Belief
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace


def measured(
    definition: str,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    neighbours: Plain,
    group: Plain,
    order: Fraction | None = None,
) -> Question:
    """The question whether neighbours are within a level, as a definition measures them.

    definition  the keyword that asks
    space       the possible worlds
    mechanism   what is released; or of each record
    level       e^ε, one or more
    neighbours  as those of `differential_privacy`
    group       in how many records neighbours may differ
    order       of Rényi's divergence, where it is one

    NotDecided where several records of channels may change.
    """
    own = {} if order is None else {"order": stated(str(order))}
    options = {**stated_options(neighbours, group), **own}
    if isinstance(mechanism, LocalMechanism):
        found = _of_records(definition, space, mechanism, level, neighbours, group, order)
        return Question(definition=definition, claim=found, options=options)
    relation = neighbours_of(space, neighbours, group)

    def describe(left: int, right: int) -> Belief:
        return Belief((space.name(left), space.name(right)), space.halves(left, right))

    notes = [*mechanism.notes, *relation.notes]
    scope = {"pairs": relation.count(), "notes": notes}
    claim = DivergenceClaim(
        definition, space, mechanism, relation, level, order, describe, scope=scope
    )
    return Question(definition=definition, claim=claim, options=options)


def _of_records(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    neighbours: Plain,
    group: Plain,
    order: Fraction | None,
) -> RecordsDivergenceClaim:
    """The claim about one changed record, whatever the others are."""
    relation, limit = changes_of(local, neighbours, group)
    if limit != 1 and len(local.records) > 1:
        raise NotDecided("of many records only one that changes is compared: write fewer records")
    values = local.values

    def describe(record: int, left: int, right: int) -> Belief:
        name, half = local.records[record], Fraction(1, 2)
        both = tuple(f"{name} = {values.name(value)}" for value in (left, right))
        return Belief((both[0], both[1]), dict.fromkeys(both, half))

    scope = {"values": values.size, "notes": list(dict.fromkeys((*local.notes, *relation.notes)))}
    return RecordsDivergenceClaim(
        definition, space, local, relation, level, order, describe, scope=scope
    )


def released(options: Options) -> Mechanism | LocalMechanism:
    """The mechanism that the `options` of a file ask about, by its channels where one changed
    record decides."""
    neighbours = tree(options.value("neighbours", "replace"))
    group = tree(options.value("group", 1)).scalar("a group size")
    rules = ("all",) if options.model.outline.given else ("replace", "add_remove", "entry")
    one = isinstance(neighbours, Scalar) and neighbours.text in rules
    return options.released(one and group.text == "1")


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

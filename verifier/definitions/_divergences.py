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
from verifier.questions.claim import DivergenceClaim
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
    local = mechanism if isinstance(mechanism, LocalMechanism) else None
    if isinstance(mechanism, LocalMechanism):
        relation, limit = changes_of(mechanism, neighbours, group)
        if limit != 1 and len(mechanism.records) > 1:
            said = "of many records only one that changes is compared: write fewer records"
            raise NotDecided(said)
        matrix, columns, sizes = None, mechanism.values, {"values": mechanism.values.size}
    else:
        relation = neighbours_of(space, neighbours, group)
        matrix, columns, sizes = mechanism, space, {"pairs": relation.count()}

    def describe(left: int, right: int, record: int | None = None) -> Belief:
        if local is None or record is None:
            return Belief((space.name(left), space.name(right)), space.halves(left, right))
        name, half = local.records[record], Fraction(1, 2)
        both = tuple(f"{name} = {columns.name(value)}" for value in (left, right))
        return Belief((both[0], both[1]), dict.fromkeys(both, half))

    notes = [*mechanism.notes, *relation.notes]
    scope = {**sizes, "notes": notes if local is None else list(dict.fromkeys(notes))}
    claim = DivergenceClaim(
        definition, space, matrix, local, relation, level, order, describe, scope=scope
    )
    return Question(definition=definition, claim=claim, options=options)


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

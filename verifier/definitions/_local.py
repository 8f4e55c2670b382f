"""What definitions ask of mechanisms that answer every record by itself.

A definition says, for one record, which of its values are compared: a relation over the worlds of
one record. Records are independent answers, so all else is how many of them change together.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.questions.claim import Changes, Json, LocalClaim
from verifier.questions.question import Question, share
from verifier.questions.witness import Belief
from verifier.world.local import LocalMechanism
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace

ONE = Fraction(1)


def compared(
    definition: str,
    space: WorldSpace,
    local: LocalMechanism,
    level: Level,
    delta: Plain,
    relations: Sequence[Relation],
    options: Json,
    limit: Fraction | None = ONE,
    per_unit: bool = False,
) -> Question:
    """The question whether no two databases are told apart that differ in compared changes.

    definition  the keyword that asks
    space       what worlds are made of
    local       what is released of each record
    level       e^ε, one or more
    delta       what may be missed, in [0, 1]
    relations   which values are compared: one relation for all records, or one for each; their
                distances are costs
    options     the definition's own, in canonical form
    limit       what all changes together may cost; None for any number of changes
    per_unit    whether single changes are compared at e^(ε·cost) instead
    """
    values, chosen = local.values, []
    parts: dict[tuple[int, int], tuple[int, Changes]] = {}

    def describe(left: int, right: int) -> Belief:
        return Belief((values.name(left), values.name(right)), values.halves(left, right))

    for record, channel in enumerate(local.chosen):
        relation = relations[record % len(relations)]
        key = channel, id(relation)
        if key not in parts:
            parts[key] = len(parts), Changes(local.channel(record).answers, relation, describe)
        chosen.append(parts[key][0])
    notes = dict.fromkeys((*local.notes, *(note for one in relations for note in one.notes)))
    claim = LocalClaim(
        definition,
        space,
        local,
        tuple(part for _, part in parts.values()),
        tuple(chosen),
        limit,
        level,
        share(delta),
        per_unit,
        scope={"values": values.size, "notes": list(notes)},
    )
    return Question(definition=definition, claim=claim, options=options)

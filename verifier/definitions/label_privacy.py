"""Changing the label of one record changes the probability of every output by at most a factor.

Syntax. `label_privacy: {epsilon: LEVEL, delta: NUMBER, label: ATTRIBUTE}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
M[o, w] <= α·M[o, w'] for every output o and every ordered pair (w, w') of worlds that differ in the
label of exactly one record, and in nothing else; with δ: Σ_o max(0, M[o, w] − α·M[o, w']) <= δ.
The other attributes are public: nothing is said of worlds that differ in them, or in which records
are present.

Options. `epsilon` or `exp_epsilon`, `delta`; and
- `label`: the name of the attribute that is sensitive

Leakage. The smallest α at the given δ: a largest ratio of two probabilities, or, with δ, the point
where the piecewise linear function δ(α) reaches δ; always rational or infinite.

Example. Ann's age is public and her label, whether she is ill, is the truth with probability 3/4.
The release is private at ln(3) for labels, and at no level for the age, which it tells.

    worlds:
      records: [ann]
      domain: {age: [young, old], ill: [no, yes]}
    mechanism:
      table:
        outputs: [young and no, young and yes, old and no, old and yes]
        (young/no): [3/4, 1/4, 0, 0]
        (young/yes): [1/4, 3/4, 0, 0]
        (old/no): [0, 0, 3/4, 1/4]
        (old/yes): [0, 0, 1/4, 3/4]
    checks:
      - label_privacy: {epsilon: ln(3), label: ill}
        leakage: 3
      - label_privacy: {exp_epsilon: 1, delta: 1/2, label: ill}
        leakage: 1
      - label_privacy: {epsilon: ln(3), label: age}
        leakage: infinite
        expect: violated

References. Chaudhuri, Hsu 2011, Sample complexity bounds for differentially private learning;
Ghazi, Golowich, Kumar, Manurangsi, Zhang 2021, Deep learning with label differential privacy,
Definition 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from verifier.base.document import Plain, tree
from verifier.base.level import Level
from verifier.definitions._local import compared as of_records
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.definitions.differential_privacy import compared
from verifier.questions.claim import Json
from verifier.questions.question import Question, stated
from verifier.spec.options import Options
from verifier.world import transport
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.relation import Blocks, Relation, keys, lines, listing_of, paired
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "label")
CLOSED = DIVERGENCE


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    label: Plain,
    delta: Plain = 0,
) -> Question:
    """Whether a mechanism is label differentially private (Ghazi et al. 2021, Def. 2.1).

    space      the possible worlds, of records with attributes
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    label      the name of the attribute that is sensitive
    delta      what may be missed, in [0, 1]

    InputError S603 where no attribute of the records has this name.
    """
    options: Json = {"label": stated(label)}
    if isinstance(mechanism, LocalMechanism):
        found = [neighbours_of(mechanism.values, label)]
        return of_records("label_privacy", space, mechanism, level, delta, found, options)
    relation = neighbours_of(space, label)
    return compared("label_privacy", space, mechanism, level, delta, relation, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    label, mechanism = options.needed("label"), options.released()
    return question(
        space=options.space_of(mechanism),
        label=label,
        mechanism=mechanism,
        level=options.level(),
        delta=options.delta(),
    )


def neighbours_of(space: WorldSpace, label: Plain) -> Relation:
    """The worlds of `space` that differ in the `label` of one record; S603 for another word."""
    node = tree(label)
    if not space.attributes:
        hint = "write a domain such as {age: [young, old], ill: [no, yes]}"
        raise node.fail("S603", "a label is one of several attributes; there are none", hint)
    place = space.attributes.index(node.word(space.attributes, "attribute", "S603"))
    if space.is_histograms:
        found = _relabelled(space, place)
        return Relation(tuple(found), listing_of(space.size, found))
    entries, width = space.entry_codes + 1, len(space.attributes)  # 0 where absent
    everyone = np.arange(space.size)
    blocks: list[Blocks] = []
    for moved in range(place, len(entries), width):
        # an absent record has no label, and stays absent
        fixed = [*np.delete(entries, moved, axis=0), (entries[moved] > 0).astype(np.int64)]
        blocks += lines(keys(fixed, space.size), everyone)
    return Relation(tuple(blocks), listing_of(space.size, blocks))


def _relabelled(space: WorldSpace, place: int) -> list[Blocks]:
    """The histograms of `space` that a new label of one record joins."""
    rest = np.delete(space.of_one_record().entry_codes, place, axis=0).T
    moves = [(x, y) for x, y in transport.moves(space, "replace") if (rest[x] == rest[y]).all()]
    changes = [transport.change(len(rest), move) for move in moves]
    return paired(transport.displaced(space, changes))


def value(
    rows: Matrix, databases: Sequence[Sequence[object]], label: int, alpha: Fraction
) -> Fraction:
    """The smallest δ at α, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world its records: tuples of attributes, None where absent
    label      the place of the label among the attributes
    alpha      α, the level e^ε
    """
    return smallest_delta(rows, neighbours(databases, label), alpha)


def neighbours(databases: Sequence[Sequence[object]], label: int) -> Iterator[tuple[int, int]]:
    """The ordered pairs of worlds that differ in the label of one record only.

    databases  for each world its records: tuples of attributes, None where absent
    label      the place of the label among the attributes
    """
    for w, left in enumerate(databases):
        for v, right in enumerate(databases):
            moved = [(x, y) for x, y in zip(left, right, strict=True) if x != y]
            if len(moved) == 1:
                ((x, y),) = moved
                if isinstance(x, tuple) and isinstance(y, tuple):
                    places = [at for at, (a, b) in enumerate(zip(x, y, strict=True)) if a != b]
                    if places == [label]:
                        yield w, v

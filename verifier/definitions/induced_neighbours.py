"""Worlds that differ by the fewest changes that public constraints allow look nearly alike.

Syntax. `induced_neighbours: {epsilon: LEVEL, delta: NUMBER}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
M[o, w] <= α·M[o, w'] for every output and every two worlds w, w' that satisfy the public
constraints and are induced neighbours: moves add or delete one (individual, value) tuple, the
moves from w to w' are minimal, and no non-empty proper subset of them leads to a world that
satisfies the constraints.

Options. `epsilon` or `exp_epsilon`, `delta`.

Leakage. The largest ratio, rational or infinite.

Example. Three students in a fixed order, each ahead of all who follow: the worlds 000, 100, 110 and
111 form a chain, and a count with geometric noise of ratio 1/2 leaks exactly 2.

    worlds:
      records: [ann, bob, cat]
      domain: [0, 1]
      where: ann >= bob and bob >= cat
    mechanism: {geometric: {query: count(value == 1), ratio: 1/2}}
    checks:
      - induced_neighbours: {exp_epsilon: 2}
        leakage: 2

References. Kifer, Machanavajjhala 2014, Pufferfish, Definition 10.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from verifier.base.document import Plain
from verifier.base.level import Level
from verifier.definitions._local import compared as of_records
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.definitions.differential_privacy import compared
from verifier.questions.claim import Json
from verifier.questions.question import Question
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.neighbours import plans
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta")
CLOSED = DIVERGENCE


def question(
    *, space: WorldSpace, mechanism: Mechanism | LocalMechanism, level: Level, delta: Plain = 0
) -> Question:
    """Whether induced neighbours are not told apart (Kifer, Machanavajjhala 2014, Def. 10.3).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    """
    options: Json = {}
    if isinstance(mechanism, LocalMechanism):
        found = [plans.induced(mechanism.values)]
        return of_records("induced_neighbours", space, mechanism, level, delta, found, options)
    relation = plans.induced(space)
    return compared("induced_neighbours", space, mechanism, level, delta, relation, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    mechanism = options.released()
    return question(
        space=options.space_of(mechanism),
        mechanism=mechanism,
        level=options.level(),
        delta=options.delta(),
    )


def value(rows: Matrix, databases: Sequence[Sequence[object]], alpha: Fraction) -> Fraction:
    """The smallest δ at α, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record, None where absent
    alpha      α, the level e^ε
    """
    return smallest_delta(rows, neighbours(databases), alpha)


def neighbours(databases: Sequence[Sequence[object]]) -> Iterable[tuple[int, int]]:
    """The ordered pairs of induced neighbours, by trying every subset of the moves.

    databases  for each world the value of each record, None where absent
    """
    tuples = [
        frozenset((record, value) for record, value in enumerate(world) if value is not None)
        for world in databases
    ]
    known = set(tuples)
    for w, left in enumerate(tuples):
        for v, right in enumerate(tuples):
            moves = left ^ right
            if moves and not any(
                left ^ frozenset(some) in known
                for size in range(1, len(moves))
                for some in combinations(moves, size)
            ):
                yield w, v

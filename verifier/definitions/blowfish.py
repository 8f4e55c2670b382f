"""Worlds that a secret graph calls neighbours give nearly the same probability to every output.

Syntax. `blowfish: {epsilon: LEVEL, delta: NUMBER, graph: GRAPH}`

Statement. M[o, w] is the probability of output o in world w, and α = e^ε the level. Then
M[o, w] <= α·M[o, w'] for every output and every ordered pair (w, w') of neighbours of the policy
(domain, discriminative secret graph G, constraints Q). T(w, w') is the set of (i, x, y) where
record i goes from x to y along an edge of G, Δ(w, w') the symmetric difference of the sets of
(i, value); an absent record is in neither. (w, w') are neighbours when both satisfy Q, T is not
empty, no world w'' of Q has a non-empty T(w, w'') properly inside T(w, w'), and none has the same
T and a properly smaller Δ. (The paper's wording also forbids w'' = w, which would leave no
neighbours; its examples need T(w, w'') to be non-empty.) The relation need not be symmetric.

Options. `epsilon` or `exp_epsilon`, `delta`, `graph`.

Leakage. The largest ratio, rational or infinite.

Example. A number from 1 to 3 plus noise of ratio 1/2: values next to each other need 2, and 3 is
told apart from 1 at 4.

    worlds: {records: [ann], domain: [1, 2, 3]}
    mechanism: {geometric: {query: ann, ratio: 1/2}}
    checks:
      - blowfish: {exp_epsilon: 2, graph: {distance: 1}}
        leakage: 2
      - blowfish: {exp_epsilon: 4}
        leakage: 4

References. He, Machanavajjhala, Ding 2014, Blowfish privacy, Definitions 4.1 and 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from verifier.base.document import Plain, tree
from verifier.base.level import Level
from verifier.definitions._local import compared as of_records
from verifier.definitions._order import DIVERGENCE
from verifier.definitions._plain import Matrix, smallest_delta
from verifier.definitions.differential_privacy import compared
from verifier.questions.question import Question, stated
from verifier.spec.options import Options
from verifier.world.local import LocalMechanism
from verifier.world.mechanism import Mechanism
from verifier.world.neighbours import graphs
from verifier.world.relation import Relation
from verifier.world.worlds import WorldSpace

OPTIONS = ("epsilon", "exp_epsilon", "delta", "graph")
CLOSED = DIVERGENCE

Edge = Callable[[int, object, object], bool]  # is (x, y) an edge of record i's graph?


def question(
    *,
    space: WorldSpace,
    mechanism: Mechanism | LocalMechanism,
    level: Level,
    delta: Plain = 0,
    graph: Plain = "full",
) -> Question:
    """Whether a mechanism satisfies Blowfish privacy (He, Machanavajjhala, Ding 2014, Def. 4.2).

    space      the possible worlds
    mechanism  what is released: P(output | world), shape (outputs, worlds); or of each record
    level      e^ε, one or more
    delta      what may be missed, in [0, 1]
    graph      which values of a record are kept apart: `full`, `attribute`, {"distance": 2}, …

    InputError where the graph does not go with the worlds (S603, S604).
    """
    if isinstance(mechanism, LocalMechanism):
        found = _of_one_record(mechanism.values, edges_of(space, graph))
        options = {"graph": stated(graph, names=space.value_name)}
        return of_records("blowfish", space, mechanism, level, delta, found, options)
    relation = neighbours_of(space, graph)
    options = {"graph": stated(graph, names=space.value_name)}
    return compared("blowfish", space, mechanism, level, delta, relation, options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    mechanism = options.released()
    return question(
        space=options.space_of(mechanism),
        mechanism=mechanism,
        level=options.level(),
        delta=options.delta(),
        graph=options.value("graph", "full"),
    )


def _of_one_record(values: WorldSpace, edges: np.ndarray) -> list[Relation]:
    """The changes of each record along the edges of its graph, shape (records, k, k); records with
    one graph share them."""
    known: dict[bytes, Relation] = {}
    for graph in edges:
        if graph.tobytes() not in known:
            known[graph.tobytes()] = graphs.neighbours(values, graph[None])
    return [known[graph.tobytes()] for graph in edges]


def neighbours_of(space: WorldSpace, graph: Plain) -> Relation:
    """The neighbours of the policy with a `graph` on the values of records of `space`."""
    return graphs.neighbours(space, edges_of(space, graph))


def edges_of(space: WorldSpace, graph: Plain) -> np.ndarray:
    """The adjacency of the values of each record of `space` in a `graph`, shape (records, k, k)."""
    return graphs.full(space) if graph == "full" else graphs.read_adjacency(space, tree(graph))


def value(
    rows: Matrix, databases: Sequence[Sequence[object]], edge: Edge, alpha: Fraction
) -> Fraction:
    """The smallest δ at α, straight from the definition.

    rows       P(output | world), one row per output
    databases  for each world the value of each record, None where absent
    edge       record, value, value -> whether the record's graph joins them
    alpha      α, the level e^ε
    """
    return smallest_delta(rows, neighbours(databases, edge), alpha)


def neighbours(databases: Sequence[Sequence[object]], edge: Edge) -> Iterator[tuple[int, int]]:
    """The ordered pairs of neighbours, by trying every third world.

    databases  for each world the value of each record, None where absent
    edge       record, value, value -> whether the record's graph joins them
    """

    def secret(w: int, v: int) -> set[object]:
        pairs = zip(databases[w], databases[v], strict=True)
        return {(i, x, y) for i, (x, y) in enumerate(pairs) if x != y and edge(i, x, y)}

    def present(w: int) -> set[object]:
        return {(i, x) for i, x in enumerate(databases[w]) if x is not None}

    def change(w: int, v: int) -> set[object]:
        return present(w) ^ present(v)

    worlds = range(len(databases))
    for w in worlds:
        for v in worlds:
            goal, moved = secret(w, v), change(w, v)
            if goal and not any(
                (found := secret(w, u))
                and (found < goal or (found == goal and change(w, u) < moved))
                for u in worlds
            ):
                yield w, v
